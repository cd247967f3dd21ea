"""One namespace in memory: the packed attributes as numpy columns, the vectors as one int8 matrix, refreshed through ``changes``.

Positions in these arrays are called *places*; ``rows`` (ascending) translates between places and rows of the store. Arrays only
grow; an erased record's place is marked and wiped, and the whole is loaded anew once many are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.attributes import DTYPE, as_array
from hindsight.adapters.relational.image import IMAGE_FROM, Image, Images
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.matrix import VectorMatrix, Vectors
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.ports import Centring, Rows

_SQL = load("cache.sql")
_CHUNK = 4_000
_RETOLD = 4_096
"""So many changes of tokens are told one by one; then all that was made of tokens begins anew."""
_FEW, _FEW_OF = 1_000, 1 / 8
"""So many changes, or so large a share of the records, are made up for one by one; an image that is older is laid down anew."""
_FIELDS = tuple(str(name) for name in DTYPE.names or ())
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class View:
    """The namespace at one moment: arrays of equal length, which later refreshes leave as long as they are."""

    code: int
    version: int
    """Grows with every change."""
    edition: int
    """Grows when places were numbered anew."""
    retold: tuple[Places, ...]
    """Change by change in this edition, the places whose tokens changed or went."""
    rows: Rows
    live: NDArray[np.bool_]
    columns: Mapping[str, NDArray[Any]]
    behind: bool = False
    """Whether the transaction that it was taken in does not see all of it yet: what is read there must not be kept for others."""

    @property
    def count(self) -> int:
        """The number of places."""
        return len(self.rows)

    def column(self, name: str) -> NDArray[Any]:
        """A column by the name of its field in ``attributes.LAYOUT``."""
        return self.columns[name]

    def places(self, rows_: Rows) -> Places:
        """Places of rows, -1 for rows that are not (or no more) in this namespace."""
        return _places(self.rows, self.live, rows_)


class NamespaceCache:
    """Columns and vectors of one namespace. The owner lets one thread at a time call it; a :class:`View` needs no such care."""

    def __init__(self, code: int, dimension: int | None, centring: Centring | None, images: Images | None = None) -> None:
        self.code = code
        self._images = images
        self._version = 0
        self._edition = 0
        self._retold: tuple[Places, ...] = ()
        self._seen = -1
        self._count = 0
        self._dead = 0
        self._rows: Rows = np.empty(0, dtype=np.int64)
        self._live: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._columns: dict[str, NDArray[Any]] = {name: np.empty(0, dtype=DTYPE[name]) for name in _FIELDS}
        self._matrix = VectorMatrix(dimension, centring) if dimension is not None else None
        self._view: View | None = None

    def view(self, db: Database, number: int) -> View:
        """The namespace at the change number of the transaction's snapshot (or later)."""
        self._refresh(db, number)
        if self._view is None or self._view.version != self._version:
            columns = {name: column[: self._count] for name, column in self._columns.items()}
            rows_, live = self._rows[: self._count], self._live[: self._count]
            self._view = View(self.code, self._version, self._edition, self._retold, rows_, live, columns)
        return self._view if number >= self._seen else replace(self._view, behind=True)

    def vectors(self, db: Database, view: View) -> Vectors | None:
        """The vectors of a view just taken; None where the store keeps none. The matrix is loaded on first use."""
        if self._matrix is None:
            return None
        passing = False
        if loading := not self._matrix.loaded:
            passing = view.behind
            self._matrix.start(self._count)
            for part in _chunks(db.execute(_SQL["vectors"], (self.code,))):
                self._put_vectors(part)
            for part in _chunks(db.execute(_SQL["passages"], (self.code,))):
                self._put_vectors(part, passages=True)
        if self._matrix.unsettled:
            languages, names = self._columns["language"][: self._count], dict(rows(db, _SQL["languages"]))
            passing |= view.behind and not set(np.unique(languages).tolist()) <= names.keys()
            self._matrix.settle(languages, names)
        if loading and not passing and self._count >= IMAGE_FROM:
            self._lay_down()
        found = self._matrix.view(view.column("language"))
        if passing:  # what this transaction does not see is missing from it
            self._matrix.forget()
        return found

    def release_vectors(self) -> None:
        """Keep no vectors any more; they are loaded anew if :meth:`vectors` is called again."""
        if self._matrix is not None and self._matrix.loaded:
            self._matrix.forget()

    def _refresh(self, db: Database, number: int) -> None:
        if number <= self._seen:
            return
        oldest = value(db, _SQL["oldest_change"])
        if self._seen < 0 and self._take_up(db, oldest):
            self._version += 1
            self._renumbered()
        if self._seen < 0 or (oldest is not None and oldest > self._seen + 1) or self._dead > 1000 + self._count // 4:
            self._load(db)
            self._version += 1
            self._renumbered()
        elif changed := dict(rows(db, _SQL["changed"], (self._seen, self.code))):
            self._apply(db, changed)
            self._version += 1
        self._seen = number

    def _load(self, db: Database) -> None:
        total = int(value(db, _SQL["count"], (self.code,)))
        self._count = self._dead = 0
        capacity = total + max(64, total // 16)
        self._rows = np.empty(capacity, dtype=np.int64)
        self._live = np.ones(capacity, dtype=np.bool_)
        self._columns = {name: np.empty(capacity, dtype=DTYPE[name]) for name in _FIELDS}
        for part in _chunks(db.execute(_SQL["attributes"], (self.code,))):
            self._append(part)
        if self._matrix is not None:
            self._matrix.forget()

    def _take_up(self, db: Database, oldest: int | None) -> bool:
        """Begin with the image that was laid down, where the changes since then are few and known."""
        image = self._images.find(db, self.code) if self._images is not None else None
        if image is None or (oldest is not None and oldest > image.number + 1):
            return False
        if int(value(db, _SQL["count_changed"], (image.number, self.code))) > max(_FEW, image.count * _FEW_OF):
            return False
        if not self._adopt(image):
            return False
        self._count, self._seen = image.count, image.number
        self._dead = self._count - int(np.count_nonzero(self._live[: self._count]))
        return True

    def _lay_down(self) -> None:
        """Let the next process begin with what was loaded, and share the memory that it takes."""
        if self._images is None or self._matrix is None:
            return
        facts, vectors = self._matrix.image()
        used = slice(0, self._count)
        arrays = {"rows": self._rows[used], "live": self._live[used], **{name: column[used] for name, column in self._columns.items()}}
        image = Image(self._seen, self._count, facts, arrays | vectors)
        kept = self._images.lay_down(self.code, image, max(64, self._count // 16))
        if kept is not None and self._adopt(replace(image, arrays=kept)):
            self._view = None

    def _adopt(self, image: Image) -> bool:
        """Go on with the arrays of an image; False, and nothing changed, where its vectors do not fit the embedder."""
        if self._matrix is not None and not self._matrix.take_up(image):
            return False
        self._columns = {name: image.arrays[name] for name in _FIELDS}
        self._rows, self._live = image.arrays["rows"], image.arrays["live"]
        return True

    def _apply(self, db: Database, changed: dict[int, int]) -> None:
        """``changed``: rows, and whether their tokens changed."""
        text = to_json(list(changed))
        found = rows(db, _SQL["some_attributes"], (text, self.code))
        last = int(self._rows[self._count - 1]) if self._count else -1
        self._retell([row for row, reindexed in changed.items() if reindexed and row <= last])
        self._wipe(changed.keys() - {row for row, _ in found})
        old = [each for each in found if each[0] <= last]
        if old:
            self._overwrite(old)
        self._append([each for each in found if each[0] > last])
        if self._matrix is not None and self._matrix.loaded:
            self._matrix.grow(self._count)
            self._put_vectors(rows(db, _SQL["some_vectors"], (text, self.code)))
            self._matrix.passages.wipe(self._places(np.fromiter(changed, dtype=np.int64, count=len(changed))))
            self._put_vectors(rows(db, _SQL["some_passages"], (text, self.code)), passages=True)

    def _retell(self, rows_: list[int]) -> None:
        if rows_:
            places = self._places(np.array(rows_, dtype=np.int64))
            self._retold = (*self._retold, places[places >= 0])
        if len(self._retold) > _RETOLD:
            self._renumbered()

    def _renumbered(self) -> None:
        self._edition += 1
        self._retold = ()

    def _wipe(self, gone: Iterable[int]) -> None:
        places = self._places(np.fromiter(gone, dtype=np.int64))
        places = places[places >= 0]
        if not len(places):
            return
        self._live[places] = False
        self._dead += len(places)
        if self._matrix is not None and self._matrix.loaded:
            self._matrix.wipe(places)

    def _places(self, rows_: Rows) -> Places:
        return _places(self._rows[: self._count], self._live[: self._count], rows_)

    def _overwrite(self, found: list[Any]) -> None:
        places = self._places(np.fromiter((row for row, _ in found), dtype=np.int64, count=len(found)))
        packed = as_array(b"".join([data for _, data in found]))
        for name in _FIELDS:
            self._columns[name][places] = packed[name]

    def _append(self, found: list[Any]) -> None:
        if not found:
            return
        end = self._count + len(found)
        if end > len(self._rows):
            self._reserve(end + max(64, end // 8))
        rows_, data = zip(*found, strict=True)
        packed = as_array(b"".join(data))
        self._rows[self._count : end] = rows_
        self._live[self._count : end] = True
        for name in _FIELDS:
            self._columns[name][self._count : end] = packed[name]
        self._count = end

    def _reserve(self, capacity: int) -> None:
        self._rows = _grown(self._rows, self._count, capacity)
        self._live = _grown(self._live, self._count, capacity)
        self._columns = {name: _grown(column, self._count, capacity) for name, column in self._columns.items()}

    def _put_vectors(self, found: list[Any], *, passages: bool = False) -> None:
        if not found:
            return
        assert self._matrix is not None
        rows_, scales, data = zip(*found, strict=True)
        places = self._places(np.array(rows_, dtype=np.int64))
        put = self._matrix.passages.put if passages else self._matrix.put
        put(places, np.array(scales, dtype=np.float32), b"".join(data))


def _places(known: Rows, live: NDArray[np.bool_], wanted: Rows) -> Places:
    if not len(known):
        return np.full(len(wanted), -1, dtype=np.int64)
    found = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    hit = (known[found] == wanted) & live[found]
    return np.where(hit, found, -1)


def _grown(array: NDArray[Any], count: int, capacity: int) -> NDArray[Any]:
    larger = np.empty(capacity, dtype=array.dtype)
    larger[:count] = array[:count]
    return larger


def _chunks(cursor: Iterable[Any]) -> Iterator[list[Any]]:
    while part := list(islice(cursor, _CHUNK)):
        yield part
