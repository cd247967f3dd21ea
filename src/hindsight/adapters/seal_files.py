"""What seals need outside the store: the key file, and the ends of the chains as they were last seen ("heads").

Whoever can write into the store's folder should not be able to write here. Heads outside the store are what shows that a whole
store was put back to an earlier state, which no seal inside it can.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
import sys
from pathlib import Path

from hindsight.errors import ConfigurationError

_LOG = logging.getLogger(__name__)
_COMMENT = "# Key of hindsight's seals; the first line seals, later ones only verify. Keep it, and keep it out of the store's backups.\n"
OFF = "off"


def default_key_file() -> Path | None:
    """``seal.key`` in the user's configuration folder; None where the user has no home folder."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "hindsight" / "seal.key"
    if sys.platform == "win32":
        return home / "AppData" / "Local" / "hindsight" / "seal.key"
    return home / ".config" / "hindsight" / "seal.key"


class KeyFile:
    """Where the keys of a store come from: the configured text, else a file outside the store.

    Args:
        text: keys apart by white space or commas, the one that seals first; ``off``: no seals; empty: the file decides.
        file: the key file; None: there is no place for one.
        store: the store's folder, in which the file may not lie.

    Raises:
        ConfigurationError: the file would lie in the store.
    """

    def __init__(self, text: str, file: Path | None, store: Path) -> None:
        self._text = text.strip()
        self.file = file
        if not self._text and file is not None and store.resolve() in file.resolve().parents:
            raise ConfigurationError(
                f"HINDSIGHT_SEAL_KEY_FILE: {file} lies in the store {store}; whoever can change the store could seal the change. "
                "Choose a place outside, or set HINDSIGHT_SEAL_KEY."
            )

    def read(self, *, create: bool) -> list[str]:
        """The secrets, the one that seals first; none where seals are off, or there is no file and none may (or can) be made.

        Raises:
            ConfigurationError: the file cannot be read or holds no key.
        """
        if self._text:
            return [] if self._text.lower() == OFF else [part for part in re.split(r"[\s,]+", self._text) if part]
        if self.file is None:
            _LOG.warning("seals are off: there is no home folder to keep a key in; set HINDSIGHT_SEAL_KEY or HINDSIGHT_SEAL_KEY_FILE.")
            return []
        if not self.file.exists() and not (create and _create(self.file)):
            return []
        try:
            lines = self.file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"the seal's key file {self.file} cannot be read: {error}.") from error
        keys = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        if not keys:
            raise ConfigurationError(f"the seal's key file {self.file} holds no key; put the key back, or remove the empty file.")
        return keys

    def rotate(self) -> None:
        """Put a new key first; what the old ones sealed can still be verified.

        Raises:
            ConfigurationError: the key is a setting, or the file cannot be written.
        """
        if self._text or self.file is None:
            raise ConfigurationError("the key is a setting: put the new one before it, as in HINDSIGHT_SEAL_KEY='NEW OLD'.")
        keys = [secrets.token_hex(32), *self.read(create=False)]
        beside = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_new(beside, _COMMENT + "".join(f"{key}\n" for key in keys))
            beside.replace(self.file)
        except OSError as error:
            raise ConfigurationError(
                f"the seal's key file {self.file} cannot be written: {error.strerror}; nothing was changed."
            ) from error


class HeadFiles:
    """The last known end of each chain, one small file a namespace, beside the key."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._warned = False

    def put(self, store: str, namespace: str, number: int, mac: bytes) -> None:
        """Keep the end of a chain. Where that fails, a warning is logged once: the store itself is sealed all the same."""
        file = self._file(store, namespace)
        text = f'{{"namespace": {json.dumps(namespace)}, "seal": "{mac.hex()}", "number": {number:>19}}}\n'
        try:
            try:
                _overwrite(file, text)
            except FileNotFoundError:
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _overwrite(file, text)
        except OSError as error:
            if not self._warned:
                _LOG.warning("the heads of the seals cannot be kept in %s (%s): a rolled back store would not show.", file.parent, error)
            self._warned = True

    def read(self, store: str) -> dict[str, tuple[int, bytes]]:
        """(number, seal) by namespace; a file that cannot be read counts as none, and is told of in the log."""
        found: dict[str, tuple[int, bytes]] = {}
        for path in sorted((self._folder / store).glob("*.json")):
            try:
                values = json.loads(path.read_text(encoding="ascii"))
                found[str(values["namespace"])] = (int(values["number"]), bytes.fromhex(values["seal"]))
            except (OSError, ValueError, KeyError, TypeError) as error:
                _LOG.warning("the exported head %s cannot be read: %s", path, error)
        return found

    def forget(self, store: str) -> None:
        """Remove the heads of a store that is sealed anew."""
        for path in (self._folder / store).glob("*.json"):
            path.unlink(missing_ok=True)

    def _file(self, store: str, namespace: str) -> Path:
        return self._folder / store / f"{hashlib.sha256(namespace.encode('utf-8')).hexdigest()[:32]}.json"


def _overwrite(file: Path, text: str) -> None:
    """In place and at once: a new file for each would cost more than the rest of a write. The text never becomes shorter."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(handle, text.encode("ascii"))
    finally:
        os.close(handle)


def _write_new(file: Path, text: str) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, text.encode("utf-8"))
        os.fsync(handle)
    finally:
        os.close(handle)


def _create(file: Path) -> bool:
    beside = file.with_name(f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_new(beside, _COMMENT + secrets.token_hex(32) + "\n")
        try:
            os.link(beside, file)  # atomic, and never over a key that another process made meanwhile
        except FileExistsError:
            _LOG.debug("another process made the key file %s", file)
        beside.unlink()
    except OSError as error:
        _LOG.warning("seals are off: the key file %s cannot be made (%s); set HINDSIGHT_SEAL_KEY.", file, error.strerror)
        return False
    return True
