"""How the files of a backup are packed: zstd, then, where there is a passphrase, AES-256-GCM in pieces of 1 MiB.

The encrypted form: ``HSB1``, 16 bytes of salt, 7 bytes of nonce, then the pieces, each with its tag. The key is scrypt's (N = 2^15,
r = 8, p = 1) of passphrase and salt; a piece's nonce is the 7 bytes, its number (4 bytes) and whether it is the last (1 byte), so that
none can be left out, moved or cut off (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, 2015).
"""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Self

from hindsight.errors import ConfigurationError, StoreCorrupt

MAGIC = b"HSB1"
PIECE = 1 << 20
_SALT, _NONCE, _TAG = 16, 7, 16
_LEVEL = 3


def new_salt() -> bytes:
    """For the files of one backup, which share a key: making one takes a tenth of a second."""
    return os.urandom(_SALT)


def pack(source: Path, target: Path, passphrase: bytes | None, salt: bytes) -> tuple[int, str]:
    """Pack a file into a new one that only its owner may read; (bytes, SHA-256 in hex) of what was written. Durable when it returns."""
    import zstandard

    with source.open("rb") as plain, os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as raw:
        if passphrase is None:
            zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).copy_stream(plain, raw)
        else:
            with _Encrypting(raw, passphrase, salt) as sealed:
                zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).copy_stream(plain, sealed)  # type: ignore[arg-type]
        raw.flush()
        os.fsync(raw.fileno())
    return target.stat().st_size, digest(target)


def unpack(source: Path, target: Path, passphrase: bytes | None) -> None:
    """Undo :func:`pack`.

    Raises:
        ConfigurationError: the file is encrypted, and the passphrase is missing or another.
        StoreCorrupt: the file is damaged.
    """
    import zstandard

    with source.open("rb") as raw, os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as plain:
        stream: Any = raw
        if raw.read(len(MAGIC)) == MAGIC:
            if passphrase is None:
                raise ConfigurationError(
                    "the backup is encrypted; set HINDSIGHT_BACKUP_KEY or HINDSIGHT_BACKUP_KEY_FILE to its passphrase."
                )
            stream = _Decrypting(raw, passphrase)
        else:
            raw.seek(0)
        try:
            zstandard.ZstdDecompressor().copy_stream(stream, plain)
        except zstandard.ZstdError as error:
            raise StoreCorrupt(f"{source.name} of the backup is damaged ({error}); take another backup.") from error
        plain.flush()
        os.fsync(plain.fileno())


def digest(file: Path) -> str:
    """SHA-256 of a file, in hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=1)
def _key(passphrase: bytes, salt: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return AESGCM(Scrypt(salt=salt, length=32, n=1 << 15, r=8, p=1).derive(passphrase))


def _nonce(prefix: bytes, number: int, *, last: bool) -> bytes:
    return prefix + number.to_bytes(4, "big") + (b"\x01" if last else b"\x00")


class _Encrypting:
    """A stream to write to; what is written arrives encrypted in ``raw``. Leaving it writes the last piece."""

    def __init__(self, raw: IO[bytes], passphrase: bytes, salt: bytes) -> None:
        self._prefix = os.urandom(_NONCE)
        self._raw, self._cipher = raw, _key(passphrase, salt)
        self._number, self._waiting = 0, bytearray()
        raw.write(MAGIC + salt + self._prefix)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._piece(bytes(self._waiting), last=True)

    def write(self, data: bytes) -> int:
        """Take some bytes."""
        self._waiting += data
        while len(self._waiting) > PIECE:  # the last piece is never empty unless all is
            self._piece(bytes(self._waiting[:PIECE]), last=False)
            del self._waiting[:PIECE]
        return len(data)

    def _piece(self, data: bytes, *, last: bool) -> None:
        self._raw.write(self._cipher.encrypt(_nonce(self._prefix, self._number, last=last), data, MAGIC))
        self._number += 1


class _Decrypting:
    """A stream to read from: ``raw``, placed after the magic, decrypted."""

    def __init__(self, raw: IO[bytes], passphrase: bytes) -> None:
        salt, self._prefix = raw.read(_SALT), raw.read(_NONCE)
        self._raw, self._cipher = raw, _key(passphrase, salt)
        self._number, self._plain = 0, b""
        self._next = raw.read(PIECE + _TAG)

    def read(self, size: int) -> bytes:
        """Up to ``size`` bytes; none at the end."""
        while not self._plain and self._next:
            self._piece()
        part, self._plain = self._plain[:size], self._plain[size:]
        return part

    def _piece(self) -> None:
        from cryptography.exceptions import InvalidTag

        data, self._next = self._next, self._raw.read(PIECE + _TAG)
        try:
            self._plain = self._cipher.decrypt(_nonce(self._prefix, self._number, last=not self._next), data, MAGIC)
        except InvalidTag:
            if self._number == 0:
                raise ConfigurationError(
                    "the backup was encrypted with another passphrase (HINDSIGHT_BACKUP_KEY), or it was changed."
                ) from None
            raise StoreCorrupt("the encrypted backup is damaged or cut off; take another backup.") from None
        self._number += 1
