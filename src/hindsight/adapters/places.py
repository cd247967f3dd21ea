"""Where backups and archived texts are kept: a folder, or a bucket that speaks S3's, Azure's or Google's protocol."""

from __future__ import annotations

import builtins
import errno
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hindsight.errors import ConfigurationError, NotFound, StoreUnavailable

if TYPE_CHECKING:
    from obstore.store import ObjectStore

    from hindsight.snapshots import BackupPlace

BUCKETS = ("s3", "s3a", "gs", "az", "abfs", "abfss")
_UNFINISHED = ".unfinished-"
_READ = 1 << 20
BACKUPS = "backups"


def open_place(address: str, use: str = BACKUPS) -> BackupPlace:
    """The place at an address: a folder's path, or ``s3://bucket/path`` with the usual ``AWS_*`` variables for key, region and endpoint.

    ``use`` is what messages say that it is for.

    Raises:
        ConfigurationError: there is no such kind of place.
    """
    scheme, separator, _ = address.partition("://")
    if not separator:
        return FolderPlace(Path(address).expanduser().absolute(), use)
    if scheme not in BUCKETS:
        raise ConfigurationError(f"{scheme}:// is no place for {use}; name a folder, or a bucket such as s3://bucket/path.")
    return BucketPlace(address, use)


class FolderPlace:
    """A folder, which only its owner may look into."""

    def __init__(self, folder: Path, use: str = BACKUPS) -> None:
        self.address = str(folder)
        self._use = use
        self._folder = folder
        self._made = False

    def put(self, name: str, file: Path) -> None:
        """Copy a file in; durable and whole, or not there."""
        target = self._folder / name
        beside = target.with_name(f"{_UNFINISHED}{secrets.token_hex(6)}")
        with _room(self.address, self._use):
            self._made |= not self._folder.exists()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # another process may just have removed an empty folder
            try:
                with file.open("rb") as source, os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
                    shutil.copyfileobj(source, copy, _READ)
                    copy.flush()
                    os.fsync(copy.fileno())
                beside.replace(target)
                _sync_folder(target.parent)
            finally:
                beside.unlink(missing_ok=True)

    def fetch(self, name: str, file: Path) -> None:
        """Copy a file out."""
        with _room(self.address, self._use):
            shutil.copyfile(self._folder / name, file)

    def names(self) -> builtins.list[str]:
        """Files in the folder and in the folders in it."""
        with _room(self.address, self._use):
            if not self._folder.exists():
                return []
            found = [path for path in (*self._folder.glob("*"), *self._folder.glob("*/*")) if path.is_file()]
            return sorted(path.relative_to(self._folder).as_posix() for path in found if not path.name.startswith(_UNFINISHED))

    def remove(self, names: Sequence[str]) -> None:
        """Delete files, and the folders that are empty then."""
        with _room(self.address, self._use):
            for name in names:
                (self._folder / name).unlink(missing_ok=True)
            for folder in {(self._folder / name).parent for name in names} - {self._folder}:
                for left in folder.glob(f"{_UNFINISHED}*"):
                    left.unlink(missing_ok=True)
                if folder.exists() and not any(folder.iterdir()):
                    folder.rmdir()
            if self._made and self._folder.exists() and not any(self._folder.iterdir()):
                self._folder.rmdir()  # nothing came of what it was made for


class BucketPlace:
    """A bucket, through obstore. Keys, region and endpoint come from the variables that the provider's own tools read."""

    def __init__(self, address: str, use: str = BACKUPS) -> None:
        self.address = address.rstrip("/")
        self._use = use
        self._opened: ObjectStore | None = None

    def _store(self) -> ObjectStore:
        if self._opened is None:
            from obstore.store import from_url

            self._opened = from_url(self.address)
        return self._opened

    def put(self, name: str, file: Path) -> None:
        """Upload a file."""
        import obstore

        with _answering(self.address), file.open("rb") as stream:
            obstore.put(self._store(), name, stream)

    def fetch(self, name: str, file: Path) -> None:
        """Download a file."""
        import obstore

        with _answering(self.address), _room(str(file.parent), self._use), file.open("wb") as target:
            for piece in obstore.get(self._store(), name).stream(min_chunk_size=_READ):
                target.write(piece)

    def names(self) -> builtins.list[str]:
        """Every object under the address."""
        import obstore

        with _answering(self.address):
            return sorted(each["path"] for page in obstore.list(self._store()) for each in page)

    def remove(self, names: Sequence[str]) -> None:
        """Delete objects."""
        import obstore

        with _answering(self.address):
            for name in names:
                obstore.delete(self._store(), name)


@contextmanager
def _answering(address: str) -> Iterator[None]:
    from obstore.exceptions import BaseError, NotFoundError

    try:
        yield
    except (NotFoundError, FileNotFoundError) as error:
        raise NotFound(f"{address}: there is no such object or bucket ({_first_line(error)}).") from error
    except BaseError as error:
        raise StoreUnavailable(
            f"{address} cannot be used ({_first_line(error)}). Check bucket, credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), region and "
            "endpoint (AWS_ENDPOINT_URL)."
        ) from error


@contextmanager
def _room(place: str, use: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        hint = "see what there is with `hindsight backup list`" if use == BACKUPS else "take it from a backup of that place"
        raise NotFound(f"{error.filename} is not there; {hint}.") from error
    except OSError as error:
        hint = "free some space" if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} else "check its permissions"
        raise StoreUnavailable(f"{place} cannot be used for {use}: {error.strerror or error}; {hint}, or choose another place.") from error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:300]


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file durable, where a folder can be opened for that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
