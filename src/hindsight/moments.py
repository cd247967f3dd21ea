"""Reading times that callers give: ISO 8601 in any precision, with the precision kept. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

from hindsight.errors import InvalidInput
from hindsight.records import Precision

_PARTIAL = re.compile(r"(\d{4})(?:-(\d{1,2}))?$")
_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})$")
ACCEPTED = "a datetime, or text such as 2025, 2025-03, 2025-03-08, 2025-03-08T14:30 or 2025-03-08T14:30:00+08:00"


def read_moment(value: datetime | str, zone: tzinfo, *, field: str = "occurred_at") -> tuple[datetime, Precision]:
    """The instant in UTC and how exactly it is known; the instant of a coarse date is its beginning.

    Raises:
        InvalidInput: no such form, no such date, or outside the years 1 to 9999 once in UTC.
    """
    try:
        if isinstance(value, datetime):
            moment, precision = value, Precision.SECOND
        else:
            moment, precision = _parse(value.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone)
        return moment.astimezone(UTC), precision
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"{field}: {value!r} is not a time; give {ACCEPTED}.") from error


def _parse(text: str) -> tuple[datetime, Precision]:
    if match := _PARTIAL.match(text):
        year, month = match.groups()
        return datetime(int(year), int(month or 1), 1), Precision.MONTH if month else Precision.YEAR
    if match := _DAY.match(text):
        year, month, day = (int(part) for part in match.groups())
        return datetime(year, month, day), Precision.DAY
    moment = datetime.fromisoformat(text)
    seconds = text.count(":") - (1 if re.search(r"[+-]\d\d:\d\d$", text) else 0)
    return moment, Precision.SECOND if seconds >= 2 or "." in text else Precision.MINUTE


def step_of(precision: Precision) -> timedelta:
    """The longest span that a time of this precision may stand for."""
    days = {Precision.DAY: 1, Precision.WEEK: 7, Precision.MONTH: 31, Precision.SEASON: 92, Precision.YEAR: 366, Precision.DECADE: 3653}
    if precision in days:
        return timedelta(days=days[precision])
    return {Precision.HOUR: timedelta(hours=1), Precision.MINUTE: timedelta(minutes=1)}.get(precision, timedelta(seconds=1))
