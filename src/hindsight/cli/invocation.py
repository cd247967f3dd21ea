"""The options that every command takes, wherever they stand in the line: which store, which pool, who writes, JSON or not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.settings import Settings

ResultT = TypeVar("ResultT")
PATIENCE_MS = 30_000
GLOBAL_OPTIONS = {
    "--store": "Folder of the store (default: HINDSIGHT_STORE, else ~/.hindsight).",
    "--namespace": "Pool to work in (default: HINDSIGHT_NAMESPACE, else `default`).",
    "--agent": "Name to write and read as (default: HINDSIGHT_AGENT, else `default`).",
    "--json": "Print one JSON object as the last line of stdout.",
}


class Ended(Exception):
    """The work was interrupted, or whoever read our output has left."""

    def __init__(self, *, interrupted: bool) -> None:
        super().__init__()
        self.interrupted = interrupted


@dataclass(frozen=True, slots=True)
class Invocation:
    """The global options of one command line; None where not given."""

    store: str | None = None
    namespace: str | None = None
    agent: str | None = None
    json: bool = False

    @staticmethod
    def read(arguments: Sequence[str]) -> tuple[Invocation, list[str]]:
        """Take the global options out of a command line, up to a ``--``.

        Raises:
            InvalidInput: one of them has no value.
        """
        given: dict[str, str] = {}
        rest: list[str] = []
        words = iter(arguments)
        for word in words:
            if word == "--":
                rest.extend((word, *words))
                break
            name, equals, value = word.partition("=")
            if name == "--json" and not equals:
                continue
            if name in {"--store", "--namespace", "--agent"}:
                value = value if equals else next(words, "")
                if not value or (not equals and value.startswith("--")):
                    raise InvalidInput(f"{name}: a value is needed after it.")
                given[name.removeprefix("--")] = value
            else:
                rest.append(word)
        return Invocation(given.get("store"), given.get("namespace"), given.get("agent"), json="--json" in before_dashes(arguments)), rest

    def settings(self, **more: Any) -> Settings:
        """The settings that this command line gives, over the environment."""
        from hindsight.settings import load_settings

        return load_settings(store=self.store, namespace=self.namespace, agent=self.agent, **more)

    def with_memory(self, work: Callable[[Hindsight], Awaitable[ResultT]], *, reading: bool = False) -> ResultT:
        """Open the memory, do the work, close it. ``reading`` makes no store: a mistyped address must not look like an empty memory.

        Raises:
            StoreMisplaced: ``reading``, and there is no store.
        """
        import asyncio

        from hindsight.memory import Hindsight

        settings = self.settings()
        if reading:
            _expect_store(settings)
        log_for_commands(settings)

        async def body() -> ResultT:
            async with Hindsight.open(self.store, namespace=self.namespace, agent=self.agent, **patient(settings)) as memory:
                return await work(memory)

        return asyncio.run(body())


def _expect_store(settings: Settings) -> None:
    from pathlib import Path

    from hindsight.adapters.sqlite.files import DATABASE, check_restore
    from hindsight.errors import StoreMisplaced

    folder = Path(settings.store).expanduser()
    if "://" not in settings.store and not (folder / DATABASE).exists():
        check_restore(folder)
        raise StoreMisplaced(
            f"there is no store at {settings.store}; check --store and HINDSIGHT_STORE. `hindsight store` and `hindsight import` make one."
        )


def patient(settings: Settings) -> dict[str, Any]:
    """A longer time budget for retrievals than an agent's, unless one was set: a command loads the model first, and a person waits."""
    default = type(settings).model_fields["retrieval_timeout_ms"].default
    return {"retrieval_timeout_ms": PATIENCE_MS} if settings.retrieval_timeout_ms == default else {}


def log_for_commands(settings: Settings) -> None:
    """Log lines go to stderr, and only warnings, unless other than the default was asked for: a command speaks for itself."""
    from hindsight.telemetry import log_structured

    log_structured(settings.model_copy(update={"log_level": "warning"}) if settings.log_level == "info" else settings)


def before_dashes(arguments: Sequence[str]) -> Sequence[str]:
    """The words up to a ``--``, which alone may be options."""
    words = list(arguments)
    return words[: words.index("--")] if "--" in words else words
