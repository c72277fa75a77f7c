"""The command line: the commands in one application, and errors in one line."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import Annotated, NoReturn

import typer

from ctxaudit import __version__, console
from ctxaudit.errors import CtxauditError

#: Where each command is. A module is imported when its command, or all of them, are wanted.
COMMANDS = {
    "scan": "scan",
    "demo": "demo",
    "watch": "watch",
    "context": "looks",
    "doctor": "looks",
    "explain": "lists",
    "rules": "lists",
    "formats": "lists",
    "convert": "convert",
    "schema": "lists",
    "config": "lists",
}


def application(only: str | None = None) -> typer.Typer:
    """All commands, or only the one that is wanted: building them takes its time."""
    app = typer.Typer(
        name="ctxaudit",
        help="Find what a context pruner broke in an agent's conversation.\n\n"
        "Example: ctxaudit scan logs/*.jsonl",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        callback=_root,
    )
    named = [name for name in COMMANDS if name == only]
    for name in named or COMMANDS:
        module = import_module(f"ctxaudit.commands.{COMMANDS[name]}")
        app.command()(getattr(module, name))
    if not named:
        app.add_typer(import_module("ctxaudit.commands.golden").golden)
    return app


def _version(value: bool) -> None:
    if value:
        print(f"ctxaudit {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """The command: every error ends in one line and an exit code, never in a traceback."""
    # What is parsed is garbage soon and has no cycles: collecting it less often is faster.
    gc.set_threshold(50_000, 20, 100)
    console.prepare()
    sys.exit(_run(sys.argv[1:]))


def _run(args: list[str]) -> int:
    """Run a command. User errors and ours part ways here."""
    try:
        code = application(args[0] if args else None)(args or ["--help"], standalone_mode=False)
        return int(code or 0) if args else 2
    except CtxauditError as error:
        console.complain(str(error))
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        if os.environ.get("CTXAUDIT_DEBUG"):
            raise
        console.complain(_told(error))
    return 2


def _told(error: Exception) -> str:
    usage = getattr(error, "format_message", None)  # Typer's own errors, whichever Click it has
    if usage is not None:
        return f"{usage().rstrip('.')}; --help tells more"
    return f"internal error: {type(error).__name__}: {error} (CTXAUDIT_DEBUG=1 shows more)"


if __name__ == "__main__":
    main()
