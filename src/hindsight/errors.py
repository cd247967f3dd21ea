"""Every error that hindsight raises on purpose: one root, one tree.

::

    HindsightError
    ├── InvalidInput              the caller's data; nothing was written
    │   ├── ContentTooLarge       longer than the documented limit
    │   └── ImportFailed          a file to import; names the line
    ├── NotFound                  no such memory, session, job
    ├── VersionConflict           the record changed since it was read
    ├── AccessDenied              who asks may not
    ├── ConfigurationError        settings: unknown, mistyped, contradictory
    │   └── MissingExtra          an optional package is not installed
    ├── Overloaded                too much is queued; try again later
    ├── StoreError                the engine below
    │   ├── StoreBusy             another process holds it; try again
    │   ├── StoreUnavailable      read-only, full, not reachable
    │   │   ├── StoreMisplaced    no store is there, or cannot be: the address is wrong
    │   │   └── IndexUnavailable  the vector index beside it; searches go on by keywords
    │   ├── StoreCorrupt          damaged; never replaced by an empty one
    │   └── StoreTooNew           written by a newer version
    └── ModelError                embedder, reranker, chat model
        ├── ModelMismatch         the store's vectors are another model's
        └── ModelUnavailable      weights or endpoint not reachable

Messages say what is wrong and what to do about it. ``retryable`` tells a client whether the same call can
succeed later without a change.
"""

from __future__ import annotations

ERROR_KIND = "hindsight/error"
"""Under which the metadata of a failed tool call names the class of its error."""


class HindsightError(Exception):
    """Root of the tree; never raised itself."""

    retryable = False


class InvalidInput(HindsightError):
    """The caller's data cannot be used; nothing was written."""


class ContentTooLarge(InvalidInput):
    """A text is longer than the documented limit."""


class ImportFailed(InvalidInput):
    """A file to import is malformed. ``line`` is 1-based where the format has lines, ``kept`` counts records written before."""

    def __init__(self, message: str, *, line: int | None = None, kept: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.kept = kept


class NotFound(HindsightError):
    """No such memory, session or job, or the caller may not know of it."""


class VersionConflict(HindsightError):
    """The record was changed by someone else since the caller read it. ``current`` is the version that stands."""

    def __init__(self, message: str, *, current: int) -> None:
        super().__init__(message)
        self.current = current


class AccessDenied(HindsightError):
    """The caller is known, or unknown, and may not do this."""


class ConfigurationError(HindsightError):
    """A setting is unknown, mistyped, or contradicts another; the program does not start with it."""


class MissingExtra(ConfigurationError):
    """An optional package is needed for a chosen setting. The message holds the install command."""


class Overloaded(HindsightError):
    """More is waiting than the store takes on; nothing of this call was accepted."""

    retryable = True


class StoreError(HindsightError):
    """The engine below could not do what was asked; nothing half-done was kept."""


class StoreBusy(StoreError):
    """Another process held the store for longer than we wait."""

    retryable = True


class StoreUnavailable(StoreError):
    """The store is read-only, full, or its server does not answer."""

    retryable = True


class StoreMisplaced(StoreUnavailable):
    """There is no store at the address, or there cannot be one; another try finds none either."""

    retryable = False


class IndexUnavailable(StoreUnavailable):
    """The index of vectors beside the store cannot be asked. Retrievals go on by keywords and entities, flagged ``degraded``."""


class StoreCorrupt(StoreError):
    """The store is damaged. It is never replaced by an empty one: restore a backup, or ask ``hindsight doctor``."""


class StoreTooNew(StoreError):
    """A newer version wrote the store; the message names the version to install."""


class ModelError(HindsightError):
    """An embedder, reranker or chat model failed."""


class ModelMismatch(ModelError):
    """The store's vectors were made by another model; ``hindsight reindex`` re-embeds them."""


class ModelUnavailable(ModelError):
    """Weights are missing or altered, or an endpoint does not answer."""

    retryable = True
