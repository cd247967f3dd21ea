"""What names can name."""

from __future__ import annotations

from enum import StrEnum


class EntityKind(StrEnum):
    """What a name names; `name` where the rules cannot tell."""

    PERSON = "person"
    PLACE = "place"
    ORGANISATION = "organisation"
    PRODUCT = "product"
    IDENTIFIER = "identifier"
    TITLE = "title"
    TAG = "tag"
    EMAIL = "email"
    HOST = "host"
    NAME = "name"


Named = tuple[int, str, EntityKind]
"""Where a name begins, as written, and its kind."""
