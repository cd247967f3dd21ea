"""The tasks as data; ``task.schema.json`` beside them is the published form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hindsight.errors import InvalidInput

Turns = list[tuple[str, str] | tuple[str, str, str]]
"""Each (role, content) or (role, content, speaker)."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Happening(_Part):
    """Something before the task: a conversation, small talk of so many turns, a task that an agent did, or a note that it kept."""

    on: date
    agent: str = "main"
    turns: Turns = []
    small_talk: int = Field(0, ge=0, le=2_000)
    task: dict[str, Any] | None = None
    store: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> Happening:
        if sum(map(bool, (self.turns, self.small_talk, self.task, self.store))) != 1:
            raise ValueError("exactly one of turns, small_talk, task and store is needed")
        return self


class Tool(_Part):
    """What the agent has to call: one argument, the values it may take, the one it takes by itself, and the one that works."""

    name: str
    argument: str
    default: str
    values: list[str] = Field(min_length=2)
    right: str

    @model_validator(mode="after")
    def _among_the_values(self) -> Tool:
        if not {self.default, self.right} <= set(self.values) or self.default == self.right:
            raise ValueError("default and right are two of the values")
        return self

    def call(self, value: str) -> str | None:
        """The tool's error; None where it worked."""
        return None if value == self.right else f"{self.name} failed: {self.argument}={value!r} is not accepted."


class Task(_Part):
    """One task. ``evidence``: texts that a recalled memory which helps holds, all of them."""

    id: str
    language: Literal["en", "zh"]
    ability: str
    before: list[Happening] = Field(min_length=1)
    agent: str = "main"
    ask: str
    tool: Tool
    evidence: list[str] = Field(min_length=1)


def bundled_tasks() -> list[Task]:
    """The fifty tasks that come with the package."""
    return _read(files(__package__).joinpath("tasks.jsonl").read_text(encoding="utf-8"), "the bundled tasks")


def read_tasks(folder: Path) -> list[Task]:
    """The tasks in the ``*.jsonl`` files of a folder.

    Raises:
        InvalidInput: no such folder or no task in it, or a line that is none; the message names file and line.
    """
    found = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    if not found:
        raise InvalidInput(f"{folder}: a folder with *.jsonl files is needed, one task a line; docs/evaluation.md has the form.")
    return [task for path in found for task in _read(path.read_text(encoding="utf-8"), str(path))]


def small_talk() -> dict[str, Sequence[tuple[str, str]]]:
    """Turns about nothing, by language; a role and a text each."""
    content = json.loads(files(__package__).joinpath("small_talk.json").read_text(encoding="utf-8"))
    return {language: [(role, text) for role, text in turns] for language, turns in content.items()}


def schema() -> dict[str, Any]:
    """The JSON schema of a line."""
    return Task.model_json_schema()


def _read(text: str, where: str) -> list[Task]:
    tasks = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            tasks.append(Task.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            raise InvalidInput(f"{where}, line {number}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if len({task.id for task in tasks}) < len(tasks):
        raise InvalidInput(f"{where}: two tasks have the same id.")
    return tasks
