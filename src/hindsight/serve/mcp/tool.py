"""What a tool is: its words for the model, the models of its arguments and result, and how a call is checked and answered."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import mcp_types as types
from pydantic import BaseModel, ConfigDict, ValidationError

from hindsight.errors import ERROR_KIND, AccessDenied, HindsightError
from hindsight.records import Scope
from hindsight.serve.caller import current
from hindsight.serve.desk import Desk

_log = logging.getLogger(__name__)
SHOWN_INPUT = 60
"""Most characters of a wrong value that an error message repeats."""


class Arguments(BaseModel):
    """Base of a tool's arguments: what is not declared is an error, so that a mistyped name is never silently ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def given(self, *, without: frozenset[str] = frozenset()) -> dict[str, Any]:
        """The arguments that the call named with a value, for passing on."""
        return self.model_dump(exclude_unset=True, exclude_none=True, exclude=set(without))


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gives back: ``data`` becomes the structured content, ``text`` what is read; without it, ``data`` as JSON."""

    data: BaseModel | None = None
    text: str | None = None

    def result(self) -> types.CallToolResult:
        """The answer in the protocol's form; what is unset is left out."""
        data = self.data.model_dump(mode="json", exclude_none=True) if self.data is not None else None
        text = self.text if self.text is not None else json.dumps(data, ensure_ascii=False)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[ArgumentsT]):
    """One tool. ``run`` gets checked arguments; what it raises as a HindsightError becomes the message that the model reads.

    ``read_only``, ``destructive`` and ``idempotent`` are the protocol's hints; no tool of ours reaches an open world.
    """

    name: str
    arguments: type[ArgumentsT]
    run: Callable[[Desk, ArgumentsT], Awaitable[Answer]]
    title: str = ""
    description: str = ""
    result: type[BaseModel] | None = None
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False

    def listing(self) -> types.Tool:
        """The tool as clients list it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema_of(self.arguments),
            output_schema=schema_of(self.result) if self.result is not None else None,
            annotations=types.ToolAnnotations(
                read_only_hint=self.read_only,
                destructive_hint=self.destructive,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
        )

    async def call(self, desk: Desk, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """Check and run one call. Every failure becomes an error result with a sentence for the model; nothing else leaks."""
        try:
            self._check_scope()
            return (await self.run(desk, self.arguments.model_validate(arguments))).result()
        except ValidationError as error:
            return failure(faults_of(error, self))
        except HindsightError as error:
            return failure(str(error), kind=type(error).__name__)
        except Exception:  # noqa: BLE001 - the boundary: a fault of ours must not cost the client its connection
            reference = uuid.uuid4().hex[:8]
            _log.exception("tool %s failed unexpectedly, reference %s", self.name, reference)
            return failure(
                f"The server failed unexpectedly. This is a fault of hindsight; its log tells more under the reference {reference}."
            )

    def _check_scope(self) -> None:
        needed: Scope = "read" if self.read_only else "write"
        caller = current()
        if caller is not None and needed not in caller.scopes:
            raise AccessDenied(f"this token may not {needed}: {self.name} needs the scope {needed!r}.")


def failure(message: str, *, kind: str = "InvalidInput") -> types.CallToolResult:
    """An error result: the model reads the message and can correct its call; a program reads its kind, one of :mod:`hindsight.errors`."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True, _meta={ERROR_KIND: kind})


def faults_of(error: ValidationError, tool: Tool[Any]) -> str:
    """Every fault of a call's arguments in one sentence each: which parameter, what is allowed, what came."""
    sentences = []
    for fault in error.errors(include_url=False):
        where = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "missing":
            sentences.append(f"{where}: is required")
        elif fault["type"] == "extra_forbidden":
            known = ", ".join(tool.arguments.model_fields)
            sentences.append(f"{where}: is not a parameter of {tool.name}; it takes {known}")
        else:
            sentences.append(f"{where}: {fault['msg'].replace('Input should', 'should')}, not {_shown(fault['input'])}")
    return f"{tool.name}: {'; '.join(sentences)}."


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_INPUT else f"{text[:SHOWN_INPUT]}… ({type(value).__name__})"


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON schema, as short as it can be: models pay for each character on every turn.

    Definitions are put where they are used, generated titles go, and "or null" goes, since an absent value says the same.
    """
    schema = model.model_json_schema(mode="validation")
    definitions = schema.pop("$defs", {})
    short: dict[str, Any] = _shortened(schema, definitions)
    short.pop("description", None)
    short.pop("additionalProperties", None)
    return short


def _shortened(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_shortened(each, definitions) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        own = {key: value for key, value in node.items() if key != "$ref"}
        node = {key: value for key, value in target.items() if key != "description"} | own
    if "anyOf" in node:
        choices = [each for each in node["anyOf"] if each != {"type": "null"}]
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        node = (choices[0] | rest) if len(choices) == 1 else {"anyOf": choices, **rest}
        if "$ref" in node:
            return _shortened(node, definitions)
    return {
        key: {name: _shortened(each, definitions) for name, each in value.items()}
        if key == "properties"
        else _shortened(value, definitions)
        for key, value in node.items()
        if not (key == "title" or (key == "default" and value is None))
    }
