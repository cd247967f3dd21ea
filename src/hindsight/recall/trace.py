"""One retrieval while it runs: what is there when the time budget ends is the answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from hindsight.recall.answer import Flag, Hit
from hindsight.recall.rank import Ranking
from hindsight.recall.routes import Candidates
from hindsight.recall.understand import Understood
from hindsight.telemetry import span


@dataclass(slots=True)
class Trace:
    """What each stage left behind. ``timings`` are milliseconds by stage, ``dropped`` names memories and why they are not shown;
    ``model_ready`` says whether the embedder's model was loaded in time.
    """

    started: float = field(default_factory=time.perf_counter)
    understood: Understood | None = None
    candidates: Candidates = field(default_factory=Candidates)
    ranking: Ranking | None = None
    hits: list[Hit] = field(default_factory=list)
    dropped: dict[UUID, str] = field(default_factory=dict)
    flags: list[Flag] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    model_ready: bool = True

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; one that runs twice adds up."""
        begun = time.perf_counter()
        try:
            with span(f"hindsight.retrieve.{name}"):
                yield
        finally:
            self.timings[name] = self.timings.get(name, 0.0) + (time.perf_counter() - begun) * 1000

    def flag(self, name: Flag) -> None:
        """Note once what was not as usual."""
        if name not in self.flags:
            self.flags.append(name)

    def took_ms(self) -> float:
        """Milliseconds since the call."""
        return (time.perf_counter() - self.started) * 1000
