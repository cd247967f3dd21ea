"""A progress bar for long work, on stderr, where a person is watching."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_BETWEEN_SECONDS = 0.1


class Bar:
    """Shows (done, total); while the total is 0 only the count. The rate is what was done since a stage began,
    divided by the time it took, so that neither checking nor a burst flatters it.
    """

    def __init__(self, unit: str, *, starting: str, quiet: bool = False) -> None:
        self._unit = unit
        self._starting = starting
        self._quiet = quiet or not sys.stderr.isatty()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._since: tuple[float, int] | None = None
        self._stage = ""
        self._shown = 0.0

    def __enter__(self) -> Self:
        if not self._quiet:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

            self._progress = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[told]}"),
                console=Console(stderr=True),
                transient=True,
                auto_refresh=True,
            )
            self._progress.start()
            self._task = self._progress.add_task(self._starting, total=None, told="")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, done: int, total: int, stage: str = "") -> None:
        """Tell how far it is."""
        now = time.monotonic()
        if total and (self._since is None or stage != self._stage):
            self._since, self._stage = (now, done), stage
        if self._progress is None or self._task is None or (now - self._shown < _BETWEEN_SECONDS and done != total):
            return
        self._shown = now
        description = stage or ("storing" if total else self._starting)
        self._progress.update(self._task, total=total or None, completed=done, description=description, told=self.told(done, total, now))

    def told(self, done: int, total: int, now: float) -> str:
        """``1,234 / 10,000 records · 87 a second · 1:41 left``."""
        if not total or self._since is None:
            return f"{done:,} {self._unit}"
        text = f"{done:,} / {total:,} {self._unit}"
        seconds = now - self._since[0]
        if seconds < 0.5 or done <= self._since[1]:
            return text
        rate = (done - self._since[1]) / seconds
        left = int((total - done) / rate)
        return f"{text} · {rate:,.0f} a second · {left // 60}:{left % 60:02d} left"
