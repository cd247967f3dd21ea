"""The open file of an embedded store."""

from __future__ import annotations

import asyncio
import os
import time
from functools import partial
from pathlib import Path

import apsw

from hindsight.adapters.relational.core import Core
from hindsight.adapters.relational.queries import load, rows, value
from hindsight.adapters.relational.sealing import Sealing
from hindsight.adapters.sqlite.engine import BUSY_MILLISECONDS, Durability, Engine, transaction
from hindsight.adapters.sqlite.files import prepare_folder
from hindsight.adapters.sqlite.images import FileImages
from hindsight.adapters.sqlite.migrate import migrate
from hindsight.errors import StoreBusy, StoreError
from hindsight.ports import Centring, Clock

_SQL = load("store.sql", __package__)
_META = load("store.sql")
_CHECKPOINT_SECONDS = 10.0
_CHECKPOINT_MILLISECONDS = 50


class SqliteCore(Core):
    """The open file in a folder."""

    def __init__(
        self,
        folder: Path,
        *,
        embedder: tuple[str, int] | None,
        centring: Centring | None,
        durability: Durability,
        clock: Clock,
        reindexing: bool,
        sealing: Sealing | None = None,
        mapped: bool = True,
    ) -> None:
        super().__init__(str(folder), embedder=embedder, centring=centring, clock=clock, reindexing=reindexing, sealing=sealing)
        self.folder = folder
        self._durability = durability
        self._mapped = mapped and os.name == "posix"
        self._images: FileImages | None = None
        self._engine: Engine | None = None

    def open(self) -> None:
        """Connect and migrate. Blocking."""
        with self._guard:
            if self._engine is not None:
                return
            engine = Engine(prepare_folder(self.folder), self._durability)
            images = FileImages(self.folder, engine.begin_write, used=self._mapped)
            try:
                engine.start(lambda db: self._prepare(db, engine, images))
            except BaseException:
                engine.close()
                raise
            engine.committed = self._committed
            self._engine, self.images, self._images = engine, images, images

    def close(self) -> None:
        """Finish and disconnect. Blocking; safe to call twice."""
        with self._guard:
            engine, self._engine = self._engine, None
            images, self._images, self.images = self._images, None, None
            self._namespaces.clear()
        if images is not None:
            images.close()
        if engine is not None:
            engine.close()

    @property
    def engine(self) -> Engine:
        """The open file."""
        if self._engine is None:
            raise StoreError(f"the store {self.folder} is not open; call open() first.")
        return self._engine

    async def empty_log(self) -> None:
        """Empty the log after an erasure, however long readers take; writers go on meanwhile.

        Raises:
            StoreBusy: a reader kept an old snapshot open all the time.
        """
        end, pause = time.monotonic() + _CHECKPOINT_SECONDS, 0.005
        while not await self.engine.alone(empty_log):
            if time.monotonic() > end:
                raise StoreBusy(
                    "the memories are erased, but a long-running reader (an export?) keeps old pages in the log; erase again or reopen the "
                    "store once it is done, so that the last bytes go too."
                )
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.2)

    def _committed(self, db: apsw.Connection) -> None:
        self.sealing.export(db)
        if self._images is not None:
            self._images.committed(db)

    def _prepare(self, db: apsw.Connection, engine: Engine, images: FileImages) -> None:
        migrate(db, file=str(engine.file))
        engine.mark_used()
        self.check_whole(db)
        images.open(db)
        self.sealing.open(db, partial(transaction, db))
        self.check_embedder(db)
        empty_log(db)


def empty_log(db: apsw.Connection) -> bool:
    """After an erasure: move the write-ahead log into the file and cut it off, since old pages in it still hold what was erased.

    False where a reader with an old snapshot prevents it for now.
    """
    if value(db, _META["get_meta"], ("log_holds_erased",)) is None:
        return True
    db.set_busy_timeout(_CHECKPOINT_MILLISECONDS)
    try:
        blocked = rows(db, _SQL["checkpoint"])[0][0]
    finally:
        db.set_busy_timeout(BUSY_MILLISECONDS)
    if blocked:
        return False
    db.execute(_META["delete_meta"], ("log_holds_erased",))
    return True
