"""Audit what a context pruner did to an agent: what the model could see, and what it did next."""

__version__ = "0.1.0"
