from datetime import timedelta

import pytest

from hindsight.errors import InvalidInput
from hindsight.text.times import parse_within


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("3d", timedelta(days=3)),
        ("12h", timedelta(hours=12)),
        ("2w", timedelta(weeks=2)),
        ("1mo", timedelta(days=30)),
        ("1y", timedelta(days=365)),
        ("30min", timedelta(minutes=30)),
        ("1.5h", timedelta(minutes=90)),
        (" 3 D ", timedelta(days=3)),
        ("3 days", timedelta(days=3)),
        ("last 3 days", timedelta(days=3)),
        ("past week", timedelta(weeks=1)),
        ("two months", timedelta(days=60)),
        ("三天", timedelta(days=3)),
        ("３天", timedelta(days=3)),
        ("两周", timedelta(weeks=2)),
        ("两个星期", timedelta(weeks=2)),
        ("最近三天", timedelta(days=3)),
        ("三天内", timedelta(days=3)),
        ("半小时", timedelta(minutes=30)),
        ("半个月", timedelta(days=15)),
        ("半年", timedelta(days=182.5)),
        ("一年半", timedelta(days=547.5)),
        ("十二小时", timedelta(hours=12)),
    ],
)
def test_reads(text, length):
    assert parse_within(text) == length


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "3",
        "d",
        "90m",
        "-3d",
        "0d",
        "3 apples",
        "三",
        "十百天",
        "9" * 400 + "d",
        "9999y",
        "soon",
        "3d; drop table",
        "\ud800",
        None,
        3,
        3.5,
    ],
)
def test_refuses_with_the_forms_it_accepts(text):
    with pytest.raises(InvalidInput, match=r"30min, 12h, 3d, 2w, 1mo .*1y.*三天"):
        parse_within(text)
