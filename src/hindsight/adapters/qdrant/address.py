"""Where a Qdrant is, and how a collection is spread over it: all in one address."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from hindsight.errors import ConfigurationError

_NUMBERS = {"shards": 1024, "replicas": 16}
_HINT = "HINDSIGHT_QDRANT_URL: this is no address of a Qdrant; write http://host:6333, or with the cluster's shards http://host:6333?shards=8&replicas=2."


@dataclass(frozen=True, slots=True)
class Address:
    """``url`` is for the client, ``place`` for messages.

    Args:
        shards: so many shard keys; a namespace lies in the one that its digest says. 0: Qdrant spreads points by itself.
        replicas: copies of each shard.
    """

    url: str
    place: str
    shards: int = 0
    replicas: int = 1


def read_address(text: str) -> Address:
    """From ``http[s]://host[:port][/prefix][?shards=N&replicas=N]``.

    Raises:
        ConfigurationError: it is none. What stands there is not repeated: it may hold a password.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port or (443 if parts.scheme == "https" else 6333)
        options = parse_qsl(parts.query, strict_parsing=True) if parts.query else []
        numbers = {name: int(number) for name, number in options}
    except ValueError:
        raise ConfigurationError(_HINT) from None
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    fits = parts.scheme in ("http", "https") and host and parts.username is None and not parts.fragment
    if not fits or any(name not in _NUMBERS or not 1 <= number <= _NUMBERS[name] for name, number in numbers.items()):
        raise ConfigurationError(_HINT)
    prefix = parts.path.rstrip("/")
    place = f"{parts.scheme}://{host}:{port}{prefix}"
    return Address(place, place, numbers.get("shards", 0), numbers.get("replicas", 1))
