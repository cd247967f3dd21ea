"""When what an episode tells of happened: read where the text says so plainly, and nowhere else."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight import Hindsight
from hindsight.assemble import assemble
from hindsight.clock import FixedClock
from hindsight.recall.render import date_text
from hindsight.records import Memory, Precision
from hindsight.remember.event_time import LONGEST, read_event_time
from hindsight.settings import load_settings

ZONE = ZoneInfo("Asia/Shanghai")
SAID = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)  # a Wednesday

TOLD = [
    ("We adopted a grey cat yesterday.", "2026-03-10", "day"),
    ("Yesterday we picked up the keys for the flat.", "2026-03-10", "day"),
    ("Yesterday, my brother crashed his bike.", "2026-03-10", "day"),
    ("we paid the deposit yesterday", "2026-03-10", "day"),
    ("Had lunch with Ann yesterday.", "2026-03-10", "day"),
    ("I'm worn out. Yesterday I ran a marathon.", "2026-03-10", "day"),
    ("My sister graduated last Saturday.", "2026-03-07", "day"),
    ("The landlord fixed the boiler three days ago.", "2026-03-08", "day"),
    ("The new lease for the office was signed the day before yesterday.", "2026-03-09", "day"),
    ("Good news: we closed the deal last Friday!", "2026-03-06", "day"),
    ("On Monday I handed in my thesis.", "2026-03-09", "day"),
    ("I went to the zoo and the park yesterday because it was warm.", "2026-03-10", "day"),
    ("There was a power cut yesterday evening.", "2026-03-10T17", "day"),
    ("Last night the server ran out of disk.", "2026-03-10T18", "day"),
    ("The backup job was moved to the new host on 2 March 2026.", "2026-03-02", "day"),
    ("I moved to Bristol last week.", "2026-03-02", "week"),
    ("My wife and I hiked up Snowdon last weekend.", "2026-03-02", "week"),
    ("We got married last month.", "2026-02-01", "month"),
    ("In January we switched to Postgres.", "2026-01-01", "month"),
    ("昨天我们把合同签了。", "2026-03-10", "day"),
    ("我前天去医院做了体检。", "2026-03-09", "day"),
    ("我三天前丢了钥匙。", "2026-03-08", "day"),
    ("上周五公司发布了新版本。", "2026-03-06", "day"),
    ("昨天，我和小李吵了一架。", "2026-03-10", "day"),
    ("我是昨天提交的申请。", "2026-03-10", "day"),
    ("对了，昨天下午老板请我们吃了饭。", "2026-03-10T12", "day"),
    ("昨晚数据库崩溃了，今天还在恢复。", "2026-03-10T18", "day"),
    ("昨天下午三点开了会", "2026-03-10T15", "hour"),
    ("周一我交了论文。", "2026-03-09", "day"),
    ("3月2日我们上线了备份任务。", "2026-03-02", "day"),
    ("上个月我们搬了家。", "2026-02-01", "month"),
    ("去年我们结婚了。", "2025-01-01", "year"),
]

NOT_TOLD = [
    'The hero says "I bought a boat yesterday".',
    "> yesterday we signed the lease",
    "```\nyesterday we signed the lease\n```",
    "If we had left yesterday, we would be there.",
    "Imagine that you won the lottery yesterday.",
    "Maybe I left it there last week.",
    "I didn't sleep yesterday.",
    "Nobody came yesterday.",
    "Did you call him yesterday?",
    "Remember what happened yesterday.",
    "Yesterday's report is wrong.",
    "Please check the logs from yesterday.",
    "I am still thinking about the pizza we ate yesterday.",
    "I like the cake you made yesterday.",
    "We fixed the bug reported yesterday.",
    "The bug reported yesterday is fixed.",
    "I sold the bike, which I bought last year.",
    "I wanted to go swimming yesterday.",
    "I promised to call on Friday.",
    "We booked a table on Friday.",
    "The meeting was moved to Friday.",
    "We are flying to Rome next week; yesterday I packed.",
    "I run every day, and last week too.",
    "I've lived here since last year.",
    "It was colder than last week.",
    "Yesterday I met Ann. Two years ago I met Bob.",
    "This week I started running.",
    "Today we signed.",
    "My daughter was born in June 2019.",  # the text says as much by itself
    "Translate: yesterday I went to the market.",
    "他说：“我昨天买了车。”",
    "如果昨天下雨，我们就不去。",
    "昨天可能下雨了。",
    "昨天她会来的。",
    "我昨天没去上班。",
    "我昨天本来想去跑步。",
    "你昨天去了吗？",
    "昨天的会议很长。",
    "我昨天买的手机很好用。",
    "明天我要去北京。",
    "我们订了下周的机票，昨天付了款。",
    "约了周五见面。",
    "从上周开始我在减肥。",
    "比去年好多了。",
    "跟昨天一样热。",
    "我每天跑步，昨天也跑了。",
    "昨天和前天都下雨了。",
    "这周我开始上班了。",
    "帮我翻译：昨天我去了市场。",
]


@pytest.mark.parametrize(("text", "start", "precision"), TOLD)
def test_a_plain_statement_tells_when(text: str, start: str, precision: str) -> None:
    told = read_event_time(text, SAID)
    assert told is not None
    assert (told.at, told.precision.value) == (datetime.fromisoformat(start).replace(tzinfo=ZONE), precision)
    assert told.words in text


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_is_not_plain_is_left_undated(text: str) -> None:
    assert read_event_time(text, SAID) is None


def test_a_long_text_tells_of_more_than_one_event() -> None:
    assert read_event_time("We adopted a cat yesterday. " + "It purrs. " * LONGEST, SAID) is None


_PIECES = st.sampled_from(
    [
        "yesterday",
        "last week",
        "we signed it",
        "I ",
        "was ",
        "昨天",
        "上周五",
        "我们",
        "了",
        "的",
        "。",
        ". ",
        ", ",
        "，",
        "?",
        "“",
        '"',
        "\x00",
        "\ud800",
        "2 May 2026",
        " not ",
        "没",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=12).map("".join)), st.datetimes(datetime(2, 1, 1), datetime(9990, 1, 1)))
def test_any_text_is_read_and_what_is_found_lies_before_the_day_it_was_said(text: str, said_at: datetime) -> None:
    told = read_event_time(text, said_at.replace(tzinfo=ZONE))
    assert told is None or told.at < said_at.replace(tzinfo=ZONE, hour=0, minute=0, second=0, microsecond=0)


@given(
    st.sampled_from([text for text, _, _ in TOLD if not any(each in text for each in ("2026", "3月", "January"))]), st.integers(0, 2_000)
)
def test_days_are_counted_from_the_day_it_was_said(text: str, days: int) -> None:
    there, later = read_event_time(text, SAID), read_event_time(text, SAID + timedelta(weeks=days))
    assert there is not None
    assert later is not None
    if there.precision in (Precision.DAY, Precision.WEEK):
        assert later.at - there.at == timedelta(weeks=days)


@pytest.fixture
async def memory(tmp_path):
    settings = load_settings(store=str(tmp_path / "store"), embedder="none", timezone="Asia/Shanghai", seal_key="off")
    async with assemble(settings, clock=FixedClock(SAID)) as opened:
        yield opened


async def _stored(memory: Hindsight, text: str, **fields) -> Memory:
    result = await memory.store(text, **fields)
    assert result.id is not None
    found = await memory.get(result.id)
    assert found is not None
    return found


async def test_an_episode_takes_its_time_from_its_text_and_says_where_it_was_read(memory):
    kept = await _stored(memory, "我们昨天签了办公室的租约。", kind="episode")
    assert kept.occurred_at == datetime(2026, 3, 10, tzinfo=ZONE)
    assert kept.occurred_precision is Precision.DAY
    assert kept.debug is not None
    assert kept.debug.event_time == "昨天"
    found = await memory.retrieve("哪一天签的租约", within="7d")
    assert "2026-03-10" in found.render()
    assert "2026-03-11" not in found.render()


async def test_asking_for_the_day_finds_what_happened_on_it(memory):
    await memory.store("We signed the lease last Friday.", kind="episode")
    await memory.store("We signed the insurance papers.", kind="episode")
    found = await memory.retrieve("What did we sign?", since="2026-03-06", until="2026-03-07")
    assert [hit.memory.content for hit in found.hits] == ["We signed the lease last Friday."]


async def test_what_waits_in_the_queue_counts_from_when_it_was_handed_over(memory):
    result = await memory.store("We signed the lease yesterday.", kind="episode", wait=False)
    assert result.job_id is not None
    await memory.settle()
    found = await memory.retrieve("lease")
    assert found.hits[0].memory.occurred_at == datetime(2026, 3, 10, tzinfo=ZONE)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "fact"},
        {"kind": "preference"},
        {"kind": "episode", "outcome": "failure"},
        {"kind": "episode", "task_type": "deployment"},
        {"kind": "episode", "tools": ["shell"]},
    ],
)
async def test_statements_and_what_tells_of_a_task_keep_the_day_they_were_written(memory, fields):
    kept = await _stored(memory, "We moved the office yesterday.", **fields)
    assert kept.occurred_at is None
    assert kept.debug is None or kept.debug.event_time is None


async def test_a_time_that_the_caller_gives_stands(memory):
    kept = await _stored(memory, "We moved the office yesterday.", kind="episode", occurred_at="2026-01")
    assert kept.occurred_at == datetime(2026, 1, 1, tzinfo=ZONE)
    assert kept.occurred_precision is Precision.MONTH


async def test_a_week_is_shown_from_its_first_day_to_its_last(memory):
    kept = await _stored(memory, "I moved to Bristol last week.", kind="episode")
    assert date_text(kept, ZONE) == "2026-03-02–03-08"
    kept = await _stored(memory, "The shop was closed.", kind="episode", occurred_at="2025-12-29", occurred_precision="week")
    assert date_text(kept, ZONE) == "2025-12-29–2026-01-04"
    kept = await _stored(memory, "We camped by the lake.", kind="episode", occurred_at="2025-06-01", occurred_precision="season")
    assert date_text(kept, ZONE) == "2025-06–08"
