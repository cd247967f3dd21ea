"""The tree of commands, put together from the modules that hold them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer

from hindsight.cli import (
    asking,
    backing,
    demo,
    evaluating,
    forgetting,
    granting,
    ingesting,
    installing,
    migrating,
    operating,
    patterning,
    reindexing,
    reviewing,
    servers,
    sessions,
    transferring,
    trusting,
    upkeeping,
    writing,
)
from hindsight.cli.invocation import GLOBAL_OPTIONS, Ended, Invocation
from hindsight.errors import InvalidInput

EPILOG = "Every command also takes --store, --namespace, --agent and --json, anywhere in the line."


def build() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name="hindsight",
        help="Long-term memory for LLM agents.",
        epilog="\n\n".join(f"{option}: {meaning}" for option, meaning in GLOBAL_OPTIONS.items()),
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root() -> None:
        """Long-term memory for LLM agents. Global options may stand anywhere in the line; they are listed below."""

    modules = (
        servers,
        writing,
        forgetting,
        asking,
        sessions,
        transferring,
        ingesting,
        operating,
        trusting,
        patterning,
        reindexing,
        upkeeping,
        demo,
    )
    for module in modules:
        _add(app, module.COMMANDS)
    _add(app, backing.ALONE | migrating.COMMANDS)
    keeping = typer.Typer(help=backing.backup.__doc__)
    _add(keeping, backing.COMMANDS)
    keeping.callback(invoke_without_command=True)(_ending_in_order(backing.backup))
    app.add_typer(keeping, name="backup")
    install = typer.Typer(help="Put this memory into another program, or take it out again.")
    _add(install, installing.INSTALL)
    app.add_typer(install, name="install")
    hook = typer.Typer(help="What other programs call; not for people.")
    _add(hook, installing.HOOKS)
    app.add_typer(hook, name="hook")
    group = typer.Typer(help="Measure the memory on data with known answers.")
    _add(group, evaluating.COMMANDS)
    app.add_typer(group, name="eval")
    review = typer.Typer(help="Decide on what waits for a person: rules that were proposed, quarantined memories, conflicts.")
    _add(review, reviewing.COMMANDS)

    @review.callback(invoke_without_command=True)
    def queue(context: typer.Context) -> None:
        """Decide on what waits for a person; without a command, list it."""
        if context.invoked_subcommand is None:
            _ending_in_order(reviewing.list_)(context)

    app.add_typer(review, name="review")
    token = typer.Typer(help="Tokens of callers over HTTP: who, which pools, what they may do.")
    _add(token, granting.COMMANDS)
    app.add_typer(token, name="token")
    return app


def _add(group: typer.Typer, commands: Mapping[str, Any]) -> None:
    for name, command in commands.items():
        group.command(name, epilog=EPILOG)(_ending_in_order(command))


def run_command(invocation: Invocation, arguments: Sequence[str]) -> int:
    """Parse and run a command line without its global options.

    Raises:
        InvalidInput: there is no such command, option or value.
    """
    try:
        result = build()(args=list(arguments) or ["--help"], prog_name="hindsight", obj=invocation, standalone_mode=False)
    except typer.TyperException as error:
        raise InvalidInput(_told(error)) from None
    return result if isinstance(result, int) else 0


def _ending_in_order(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, its interruption and its reader's leaving told to us instead of being answered by typer."""

    @functools.wraps(command)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except (KeyboardInterrupt, BrokenPipeError) as reason:
            raise Ended(interrupted=isinstance(reason, KeyboardInterrupt)) from None

    return called


def _told(error: typer.TyperException) -> str:
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    where = f" See `{context.command_path} --help`." if context is not None else ""
    return f"{message}{where}"
