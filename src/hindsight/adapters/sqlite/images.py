"""Images of large namespaces, as files in ``vectors/`` beside the database that every process which serves it maps.

``meta`` names the file of each namespace, so that what a process finds belongs to the database it reads; a file that nothing names is left over,
and removed when a process opens the store. What is in a named file never grows. Erasing gives the file another name in the same transaction; once
that is committed, what was erased is overwritten, and then the file gets the name. A process that is killed in between leaves a file without a
name.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

import apsw

from hindsight.adapters.relational.image import NOTE, Arrays, Image
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.sqlite.files import try_lock
from hindsight.adapters.sqlite.image_file import mapped, wipe, write_image
from hindsight.adapters.sqlite.migrate import schema_version
from hindsight.errors import HindsightError

FOLDER = "vectors"
_NAME = re.compile(r"[0-9a-f]{32}\.image\Z")
_META = load("store.sql")
_CACHE = load("cache.sql")
_SQL = load("images.sql", __package__)
_LOG = logging.getLogger(__name__)
Write: TypeAlias = Callable[[Callable[[Database], str | None]], "Future[str | None]"]


@dataclass(slots=True)
class _Drop:
    """What the running transactions erase of an image, and the name that it has until they are committed."""

    name: str
    rows: set[int] = field(default_factory=set)


class FileImages:
    """The images of the store in a folder.

    Args:
        folder: the store's.
        write: hands work to the writing thread, in a transaction.
        used: whether images are found and laid down; if not, erasing still reaches those of other processes.
    """

    def __init__(self, folder: Path, write: Write, *, used: bool) -> None:
        self._folder = folder / FOLDER
        self._write = write
        self._used = used
        self._schema = 0
        self._dropped: dict[int, _Drop] = {}
        self._publisher = ThreadPoolExecutor(1, thread_name_prefix="hindsight-image")

    def find(self, db: Database, code: int) -> Image | None:
        """See :class:`hindsight.adapters.relational.image.Images`."""
        name = self._named(db, code) if self._used else None
        if name is None:
            return None
        try:
            return mapped(self._folder / name, self._schema)
        except FileNotFoundError:  # it is being renamed, or was removed by hand
            return None
        except (OSError, ValueError, KeyError) as error:
            _LOG.warning("image_unreadable", extra={"error": str(error)})
            return None

    def lay_down(self, code: int, image: Image, spare: int) -> Arrays | None:
        """See :class:`hindsight.adapters.relational.image.Images`. The disk must have twice the room."""
        if not self._used:
            return None
        file = self._folder / _new_name()
        with ExitStack() as undo:
            undo.callback(_remove, file)
            try:
                self._folder.mkdir(mode=0o700, exist_ok=True)
                if shutil.disk_usage(self._folder).free < 2 * sum(array.nbytes for array in image.arrays.values()):
                    return None
                handle = undo.enter_context(os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "r+b"))
                try_lock(handle.fileno())  # so that nobody takes it for left over
                write_image(handle, image, spare=spare, schema=self._schema)
                arrays = mapped(file, self._schema).arrays
                self._publisher.submit(self._publish, handle, file, code, image.number)
            except (OSError, RuntimeError) as error:  # a full or read-only disk; or the store is being closed
                _LOG.info("image_not_kept", extra={"error": str(error)})
                return None
            undo.pop_all()
        return arrays

    def drop(self, db: Database, erased: Sequence[tuple[int, int]]) -> None:
        """See :class:`hindsight.adapters.relational.image.Images`."""
        for code in sorted({code for code, _ in erased}):
            name = self._named(db, code)
            if name is not None:
                drop = self._dropped.setdefault(code, _Drop(name))
                drop.rows.update(row for of, row in erased if of == code)
                db.execute(_META["set_meta"], (_key(code), _new_name()))

    def committed(self, db: Database) -> None:
        """After a commit, before another process may write: overwrite what it erased."""
        dropped, self._dropped = self._dropped, {}
        for code, drop in dropped.items():
            name = self._named(db, code)
            if name is None or name == drop.name:  # it was undone
                continue
            held = {row for (row,) in rows(db, _SQL["held"], (to_json(sorted(drop.rows)), code))}
            file = self._folder / drop.name
            try:
                wipe(file, drop.rows - held)
                file.rename(self._folder / name)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, KeyError) as error:
                _LOG.warning("image_removed", extra={"error": str(error)})
                _remove(file)

    def open(self, db: apsw.Connection) -> None:
        """Remove what killed processes left. The store has been migrated, and the caller holds the writers' lock."""
        self._schema = schema_version(db)
        named = {name for (name,) in rows(db, _SQL["named"])}
        with suppress(OSError):
            for file in self._folder.iterdir():
                if _NAME.match(file.name) and file.name not in named:
                    _remove_unused(file)

    def close(self) -> None:
        """Wait until others can find what was laid down. Blocking."""
        self._publisher.shutdown(wait=True)

    def _publish(self, handle: IO[bytes], file: Path, code: int, number: int) -> None:
        with handle:
            before: str | None = file.name
            try:
                os.fsync(handle.fileno())
                before = self._write(lambda db: self._give_name(db, file, code, number)).result()
            except (HindsightError, OSError, ValueError) as error:
                _LOG.info("image_not_kept", extra={"error": str(error)})
            if before is not None:
                _remove(self._folder / before)

    def _give_name(self, db: Database, file: Path, code: int, number: int) -> str | None:
        """Name the file as the namespace's, unless it is out of date; gives the name of the file that is of no use any more."""
        oldest = value(db, _CACHE["oldest_change"])
        if oldest is not None and oldest > number + 1:
            return file.name
        erased = [row for (row,) in rows(db, _SQL["erased_since"], (number, code))]
        if erased:
            wipe(file, erased)
        before = self._named(db, code)
        db.execute(_META["set_meta"], (_key(code), file.name))
        return before

    def _named(self, db: Database, code: int) -> str | None:
        name = value(db, _META["get_meta"], (_key(code),))
        return name if name is not None and _NAME.match(name) else None


def _key(code: int) -> str:
    return f"{NOTE}{code}"


def _new_name() -> str:
    return f"{secrets.token_hex(16)}.image"


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()


def _remove_unused(file: Path) -> None:
    with file.open("r+b") as handle:
        if try_lock(handle.fileno()):
            file.unlink()
