"""Entry of the command line: global options, exit codes, errors as one line, and a fast way to the stdio server."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from hindsight.cli.invocation import Ended, Invocation, before_dashes
from hindsight.errors import (
    AccessDenied,
    ConfigurationError,
    HindsightError,
    InvalidInput,
    ModelError,
    NotFound,
    StoreError,
    VersionConflict,
)

DONE, FAILED, USAGE, NOT_FOUND, REFUSED, STORE, MODEL, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 3, 4, 5, 6, 130, 141
EXIT_CODES: tuple[tuple[type[HindsightError], int], ...] = (
    (NotFound, NOT_FOUND),
    (VersionConflict, REFUSED),
    (AccessDenied, REFUSED),
    (InvalidInput, USAGE),
    (ConfigurationError, USAGE),
    (StoreError, STORE),
    (ModelError, MODEL),
)
"""The first that fits decides; any other error of hindsight is ``FAILED``."""


def main() -> NoReturn:
    """What the console script runs."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code. Never raises for what a user can cause."""
    invocation = Invocation(json="--json" in before_dashes(arguments))
    try:
        invocation, rest = Invocation.read(arguments)
        code = _dispatch(invocation, rest)
        sys.stdout.flush()
    except HindsightError as error:
        return _report(invocation, error)
    except (Ended, KeyboardInterrupt, BrokenPipeError) as reason:
        return _end(interrupted=isinstance(reason, KeyboardInterrupt) or (isinstance(reason, Ended) and reason.interrupted))
    return code


def _dispatch(invocation: Invocation, rest: Sequence[str]) -> int:
    if (url := _plain_mcp(rest)) is not None:
        # A client waits for the handshake: the parser of the other commands is not loaded.
        from hindsight.cli.standard import run_mcp

        return run_mcp(invocation, url)
    from hindsight.cli.tree import run_command

    if invocation.json and not rest:
        raise InvalidInput("a command is needed with --json; `hindsight --help` lists them.")
    return run_command(invocation, rest)


def _plain_mcp(rest: Sequence[str]) -> str | None:
    """The address given to a well-formed ``mcp`` (empty: none); None for every other command line."""
    match list(rest):
        case ["mcp"]:
            return ""
        case ["mcp", "--url", url] if not url.startswith("-"):
            return url
        case ["mcp", word] if word.startswith("--url="):
            return word.removeprefix("--url=")
    return None


def _end(*, interrupted: bool) -> int:
    if interrupted:
        sys.stderr.write("hindsight: interrupted\n")
        return INTERRUPTED
    # Whoever read our output has enough of it; nothing may be flushed into the closed pipe when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def _report(invocation: Invocation, error: HindsightError) -> int:
    notes = list(getattr(error, "__notes__", ()))
    sys.stderr.write("\n".join([f"hindsight: {error}", *notes]) + "\n")
    if invocation.json:
        from hindsight.cli.output import write_json

        details = {name: value for name in ("line", "kept", "current") if (value := getattr(error, name, None)) is not None}
        described = {"type": type(error).__name__, "message": str(error), "retryable": error.retryable, **details}
        write_json({"error": described | ({"notes": notes} if notes else {})})
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), FAILED)
