"""Which new text of a prompt stands for what was dropped from it."""

from __future__ import annotations

from dataclasses import replace

from ctxaudit.decisions import Difference
from ctxaudit.knowledge.placeholders import stub
from ctxaudit.knowledge.summaries import is_summary
from ctxaudit.matching import LIGHT, Fresh
from ctxaudit.model import Kind

TEXT = frozenset({Kind.SYSTEM, Kind.USER, Kind.ASSISTANT})
REPLACEMENT = 40  # a text that took the place of dropped spans is a summary from this length on


def mark_summaries(fresh: list[Fresh], out: Difference) -> None:
    """Find the text that took the place of dropped spans: by its words, or because it stands
    before spans that are left."""
    kept = [n for n, f in enumerate(fresh) if not f.new and f.piece.kind not in LIGHT]
    last = kept[-1] if kept else -1
    for n, f in enumerate(fresh):
        if not f.new or f.span is None:
            continue
        if f.span.kind in TEXT and (is_summary(f.span.text) or (n < last and _stands_in(f))):
            f.span = replace(f.span, kind=Kind.SUMMARY)
        if f.span.kind is Kind.SUMMARY:
            out.summarised = True
            out.opaque = out.opaque or bool(f.piece.opaque)


def _stands_in(f: Fresh) -> bool:
    piece = f.piece
    return piece.kind is Kind.USER and len(piece.text) >= REPLACEMENT and not stub(piece.text)
