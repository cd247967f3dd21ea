"""Seals: an HMAC over each record as it is kept, chained with all that came before it in its namespace. Pure.

A seal is HMAC-SHA-256 (RFC 2104), cut to its first 128 bits (RFC 2104 section 5). What is sealed is written as a sequence of
parts, each with its length before it, so that no two sequences make the same bytes. The digests of texts are keyed as well: what
stays of an erased text tells nothing to who has no key.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from hindsight.errors import ConfigurationError

SEAL_BYTES = 16
KEY_ID_BYTES = 4
Part = str | int | bytes | None


class Sealer:
    """Makes seals with the first of ``keys`` and recomputes them with any of them.

    Raises:
        ConfigurationError: there is no key.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        if not keys:
            raise ConfigurationError("a seal needs a key; set HINDSIGHT_SEAL_KEY or HINDSIGHT_SEAL_KEY_FILE.")
        self._keys = {key_id(key): key for key in reversed(keys)}
        self.key = key_id(keys[0])
        self._last_texts: tuple[tuple[Part, ...], bytes] = ((b"none yet",), b"")

    def knows(self, key: bytes) -> bool:
        """Whether the key of this id is at hand."""
        return key in self._keys

    def record(self, values: Sequence[Part], *, key: bytes | None = None) -> bytes:
        """The digest of a record: its stored fields in the order of the table, without its seal."""
        return self._mac(key, b"record", *values)

    def texts(self, texts: Sequence[Part], *, key: bytes | None = None) -> bytes:
        """The digest of what an event says (session, before, after, reason), which an erasure may take away."""
        if key is not None:
            return self._mac(key, b"texts", *texts)
        known, digest = self._last_texts  # most events of a batch say the same, or nothing
        if known != tuple(texts):
            known, digest = self._last_texts = tuple(texts), self._mac(None, b"texts", *texts)
        return digest

    def link(
        self,
        previous: tuple[bytes, bytes],
        place: tuple[str, int],
        kind: str,
        event: Sequence[Part],
        digests: tuple[bytes, bytes],
        *,
        key: bytes | None = None,
    ) -> bytes:
        """The seal of a link: ``previous`` is (key id, seal) of the one before, ``place`` (namespace, number), ``digests`` (record, texts)."""
        return self._mac(key, b"link", *previous, *place, kind, *digests, key or self.key, *event)

    def head(self, store: str, place: tuple[str, int], mac: bytes, *, key: bytes | None = None) -> bytes:
        """The seal of a chain's end: nobody without the key can say that a chain ends earlier."""
        return self._mac(key, b"head", store, *place, mac)

    def kept(self, place: tuple[str, int], link: tuple[bytes, bytes], *, key: bytes | None = None) -> int:
        """What a link (key id, seal) that was left before a cut adds to the sum for all of them; ``place`` is (namespace, number)."""
        return int.from_bytes(self._digest(key, b"kept", *place, *link))

    def cut(
        self,
        store: str,
        place: tuple[str, int],
        last: tuple[bytes, bytes],
        kept: tuple[int, bytes],
        before: str,
        *,
        key: bytes | None = None,
    ) -> bytes:
        """The seal of a cut after the link at ``place``, whose (key id, seal) is ``last``; ``kept`` are number and sum of the links left."""
        return self._mac(key, b"cut", store, *place, *last, *kept, before)

    def _mac(self, key: bytes | None, *parts: Part) -> bytes:
        return self._digest(key, *parts)[:SEAL_BYTES]

    def _digest(self, key: bytes | None, *parts: Part) -> bytes:
        return hmac.digest(self._keys[key or self.key], canonical(parts), "sha256")


def canonical(parts: Sequence[Part]) -> bytes:
    """The bytes that stand for a sequence: each part with its kind and length before it."""
    pieces: list[bytes] = []
    for part in parts:
        if isinstance(part, str):
            data = part.encode("utf-8")
            pieces += (b"s%d:" % len(data), data)
        elif part is None:
            pieces.append(b"n")
        elif isinstance(part, bytes):
            pieces += (b"b%d:" % len(part), part)
        else:
            pieces.append(b"i%d:" % part)
    return b"".join(pieces)


def derive_key(text: str) -> bytes:
    """The key that a configured secret stands for; any text may be one."""
    return hashlib.sha256(b"hindsight seal key\0" + text.encode("utf-8")).digest()


def key_id(key: bytes) -> bytes:
    """Names a key without telling it."""
    return hashlib.sha256(b"hindsight seal key id\0" + key).digest()[:KEY_ID_BYTES]
