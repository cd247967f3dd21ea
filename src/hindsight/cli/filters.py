"""Filters as options: the commands that search or list take the same ones."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

Several = list[str] | None
FILTERS: dict[str, Any] = {
    "kind": Annotated[
        Several, typer.Option("--kind", help="episode, fact, preference, constraint, rule, procedure, knowledge; may be repeated.")
    ],
    "layer": Annotated[Several, typer.Option("--layer", help="episodic, semantic, procedural, external; may be repeated.")],
    "status": Annotated[
        Several, typer.Option("--status", help="active (default), superseded, archived; `list` also pending; may be repeated.")
    ],
    "task_type": Annotated[Several, typer.Option("--task-type", help="Kind of task; may be repeated.")],
    "outcome": Annotated[Several, typer.Option("--outcome", help="success, failure, fixed, corrected, unknown; may be repeated.")],
    "tools": Annotated[Several, typer.Option("--tool", help="Tool that was used; may be repeated: any of them.")],
    "tags": Annotated[Several, typer.Option("--tag", help="Tag; may be repeated: any of them.")],
    "entities": Annotated[Several, typer.Option("--entity", help="Person or thing that is named; may be repeated.")],
    "source": Annotated[Several, typer.Option("--source", help="observed or inferred.")],
    "channel": Annotated[Several, typer.Option("--channel", help="user, agent, tool, document, reflection, import; may be repeated.")],
    "session_id": Annotated[str | None, typer.Option("--session", help="Session it comes from.")],
    "speaker": Annotated[str | None, typer.Option("--speaker", help="Who said it.")],
    "key_prefix": Annotated[str | None, typer.Option("--key-prefix", help="Beginning of the key.")],
    "scope": Annotated[str | None, typer.Option("--scope", help="own, shared or all (default).")],
    "since": Annotated[str | None, typer.Option("--since", help="Event time from here on, such as 2025-03 or 2025-03-08T14:30.")],
    "until": Annotated[str | None, typer.Option("--until", help="Event time before this.")],
    "within": Annotated[str | None, typer.Option("--within", help="Event time in this span back from now, such as 12h, 3d, 2w.")],
    "at": Annotated[str | None, typer.Option("--at", help="What was known and valid at this time, in the words of then.")],
}


def takes_filters(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the filter options; those given come in as the dictionary ``filters``."""

    @functools.wraps(command)
    def called(**arguments: Any) -> Any:
        given = {name: arguments.pop(name) for name in FILTERS}
        return command(**arguments, filters={name: value for name, value in given.items() if value})

    own = inspect.signature(command, eval_str=True)
    parameters = [parameter for name, parameter in own.parameters.items() if name != "filters"]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation) for name, annotation in FILTERS.items()
    ]
    keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    called.__signature__ = own.replace(parameters=keyword)  # type: ignore[attr-defined]  # how a signature is given to a wrapper
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword}
    return called
