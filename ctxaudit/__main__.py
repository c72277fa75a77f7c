"""``python -m ctxaudit``."""

from ctxaudit.cli import main

main()
