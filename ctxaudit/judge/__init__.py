"""Judgements that several rules share: each is made in one place, so rules cannot disagree."""
