"""Filters against a naive model that looks at the records one by one; who may see what."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight.records import (
    LAYER_OF,
    Channel,
    Filter,
    Kind,
    Layer,
    Lesson,
    Memory,
    Outcome,
    Precision,
    Ref,
    Source,
    Status,
    Visibility,
)
from hindsight.text.fold import fold

NOW = datetime(2026, 5, 20, 12, 0, tzinfo=UTC)
DAYS = [None, -400, -40, -3, -1, 0, 1, 30]
TAGS, TOOLS, NAMES = ["a", "b", "c"], ["docker", "git", "curl"], ["Docker", "李雷", "E1101"]
SPANS = {
    Precision.MINUTE: timedelta(minutes=1),
    Precision.HOUR: timedelta(hours=1),
    Precision.DAY: timedelta(days=1),
    Precision.WEEK: timedelta(days=7),
}


def some_records(write, count: int) -> list:
    chance = random.Random(3)

    def day(values=DAYS):
        days = chance.choice(values)
        return None if days is None else NOW + timedelta(days=days)

    def some(values):
        return tuple(chance.sample(values, chance.choice([0, 0, 1, 2, 3])))

    return [
        write(
            f"text {number}",
            namespace=chance.choice(["work", "home"]),
            agent=chance.choice(["alice", "bob"]),
            visibility=chance.choice(list(Visibility)),
            kind=chance.choice(list(Kind)),
            status=chance.choice([Status.ACTIVE, Status.ACTIVE, *Status]),
            outcome=chance.choice(list(Outcome)),
            source=chance.choice(list(Source)),
            channel=chance.choice(list(Channel)),
            task_type=chance.choice([None, "deploy", "debug"]),
            tools=some(TOOLS),
            tags=some(TAGS),
            entities=some(NAMES),
            key=chance.choice([None, "a", "a/1", "a/2", "ab", "b/李"]),
            session_id=chance.choice([None, "s1", "s2"]),
            speaker=chance.choice([None, "Bob", "李雷", "ＢＯＢ"]),
            lesson=chance.choice([None, Lesson(condition="c", action="a"), Lesson(condition="c", action="a", avoid=False)]),
            occurred_at=day(),
            occurred_precision=chance.choice([None, *Precision]),
            valid_from=day([None, None, *DAYS]),
            valid_to=day([None, None, *DAYS]),
            expires_at=day([None, None, None, *DAYS]),
        )
        for number in range(count)
    ]


def month_later(start: datetime, months: int) -> datetime:
    total = start.year * 12 + start.month - 1 + months
    return start + (start.replace(day=1, year=total // 12, month=total % 12 + 1) - start.replace(day=1))


def event_end(memory: Memory) -> datetime:
    if memory.occurred_at is None or memory.occurred_precision is None:
        return memory.event_time
    if memory.occurred_precision in SPANS:
        return memory.occurred_at + SPANS[memory.occurred_precision]
    months = {Precision.MONTH: 1, Precision.SEASON: 3, Precision.YEAR: 12, Precision.DECADE: 120}.get(memory.occurred_precision)
    return memory.event_time if months is None else month_later(memory.occurred_at, months)


def passes(memory: Memory, filter: Filter) -> bool:
    """The naive model: what ``Filter`` and the design say, for one record."""
    statuses = {*filter.statuses, *([Status.SUPERSEDED] if filter.at else [])}
    own = memory.agent == filter.agent
    shared = memory.visibility is Visibility.SHARED and memory.status not in (Status.PENDING, Status.QUARANTINED)
    seen = {"own": own, "shared": shared, "all": own or shared}[filter.scope]
    now = filter.now or NOW
    at = filter.at or now
    tools = set(filter.tools)
    matching = {"any": bool(tools & set(memory.tools)), "all": tools <= set(memory.tools), "chain": filter.tools == memory.tools}
    start, end = memory.event_time, event_end(memory)
    return all([
        memory.namespace == filter.namespace and seen and memory.status in statuses,
        not filter.key_prefix or (memory.key or "").startswith(filter.key_prefix),
        not filter.kinds or memory.kind in filter.kinds,
        not filter.layers or LAYER_OF[memory.kind] in filter.layers,
        not filter.task_types or memory.task_type in filter.task_types,
        not filter.outcomes or memory.outcome in filter.outcomes,
        not filter.tools or matching[filter.tools_match],
        not filter.tags or set(filter.tags) & set(memory.tags),
        not filter.entities or {fold(each) for each in filter.entities} & {fold(each) for each in memory.entities},
        not filter.sources or memory.source in filter.sources,
        not filter.channels or memory.channel in filter.channels,
        filter.session_id is None or memory.session_id == filter.session_id,
        filter.speaker is None or (memory.speaker is not None and fold(memory.speaker) == fold(filter.speaker)),
        filter.avoid is None or (memory.lesson is not None and memory.lesson.avoid) == filter.avoid,
        filter.since is None or start >= filter.since or end > filter.since,
        filter.until is None or start < filter.until,
        memory.expires_at is None or memory.expires_at > now,
        memory.valid_from is None or memory.valid_from <= at,
        memory.valid_to is None or memory.valid_to > at,
    ])  # fmt: skip


def few(values):
    return st.one_of(st.just(()), st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True).map(tuple))


times = st.one_of(st.none(), st.sampled_from([day for day in DAYS if day is not None]).map(lambda day: NOW + timedelta(days=day)))
filters = st.builds(
    Filter,
    namespace=st.sampled_from(["work", "home", "nowhere"]),
    agent=st.sampled_from(["alice", "bob", "carol"]),
    scope=st.sampled_from(["own", "shared", "all"]),
    key_prefix=st.sampled_from([None, None, "", "a", "a/", "ab", "b/", "b/李", "\U0010ffff", "zzz"]),
    kinds=few(list(Kind)),
    layers=few(list(Layer)),
    statuses=few(list(Status)),
    task_types=few(["deploy", "debug", "unknown"]),
    outcomes=few(list(Outcome)),
    tools=few([*TOOLS, "unknown"]),
    tools_match=st.sampled_from(["any", "all", "chain"]),
    tags=few([*TAGS, "unknown"]),
    entities=few([*NAMES, "docker", "unknown"]),
    sources=few(list(Source)),
    channels=few(list(Channel)),
    session_id=st.sampled_from([None, None, "s1", "unknown"]),
    speaker=st.sampled_from([None, None, "bob", "李雷", "unknown"]),
    avoid=st.sampled_from([None, None, True, False]),
    since=times,
    until=times,
    at=times,
    now=times,
)
# A filter of every field at once hardly ever matches: most examples set a few.
sparse = st.tuples(filters, st.sets(st.sampled_from(sorted(set(Filter.model_fields) - {"namespace", "agent"})), max_size=3)).map(
    lambda pair: Filter(namespace=pair[0].namespace, agent=pair[0].agent, **{name: getattr(pair[0], name) for name in pair[1]})
)


async def test_filters_agree_with_the_naive_model(store, write):
    writes = some_records(write, 400)
    await store.commit(writes)
    memories = {each.memory.id: each.memory for each in writes}
    order = [each.memory.id for each in writes]
    matched = 0

    async def compare(filter: Filter) -> int:
        found = await store.fetch(await store.visible(filter))
        expected = [id for id in order if passes(memories[id], filter)]
        assert [memory.id for memory in found] == expected
        return len(expected)

    loop = asyncio.get_running_loop()

    @settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.one_of(sparse, filters))
    def run(filter: Filter) -> None:
        nonlocal matched
        matched += bool(asyncio.run_coroutine_threadsafe(compare(filter), loop).result(30))

    await asyncio.to_thread(run)
    assert matched > 15  # the examples were not all empty


async def test_no_search_crosses_what_visibility_allows(store, write):
    """Two namespaces, two agents, every way of searching: whatever comes back may be seen by who asks."""
    writes = some_records(write, 300)
    shared_entity = [("everywhere", "x")]
    writes = [write(f"common {number}", links=shared_entity, **{name: getattr(each.memory, name) for name in (
        "namespace", "agent", "visibility", "status", "kind", "session_id", "expires_at", "valid_from", "valid_to")}, refs=(Ref(session_id="s1", first=number),))
        for number, each in enumerate(writes)]  # fmt: skip
    await store.commit(writes)
    memories = {each.memory.id: each.memory for each in writes}
    sessions = np.array(await store.codes([("session", "s1"), ("session", "s2")]))
    for namespace in ("work", "home"):
        for agent in ("alice", "bob"):
            for scope in ("own", "shared", "all"):
                filter = Filter(namespace=namespace, agent=agent, scope=scope)
                expected = {id for id, memory in memories.items() if passes(memory, filter)}
                every = np.array(await store.row_of(list(memories)))
                rows = [
                    (await store.search_vector(filter, writes[0].vector, limit=1000)).rows,
                    (await store.search_terms(filter, ["common"], limit=1000)).rows,
                    (await store.search_time(filter, NOW, NOW + timedelta(days=1), limit=1000)).rows,
                    (await store.search_entities(filter, ["everywhere"], hops=2, limit=1000)).rows,
                ]
                for found in rows:
                    assert {memory.id for memory in await store.fetch(found)} == expected
                beside = await store.neighbours(filter, every, reach=2)
                inside = await store.session_rows(filter, sessions, limit=1000)
                listed = await store.list(filter, limit=1000)
                for found in (beside[beside >= 0], inside):
                    assert {memory.id for memory in await store.fetch(np.unique(found))} <= expected
                assert {memory.id for memory in listed.items} == expected


async def test_expiry_and_validity_follow_the_clock(store, write, mine, clock):
    await store.commit([
        write("expires", expires_at=NOW + timedelta(hours=1)),
        write("begins", valid_from=NOW + timedelta(hours=1)),
        write("ends", valid_to=NOW + timedelta(hours=1)),
    ])  # fmt: skip

    async def seen() -> set[str]:
        return {memory.content for memory in await store.fetch(await store.visible(mine))}

    assert await seen() == {"expires", "ends"}
    clock.instant = NOW + timedelta(minutes=59, seconds=59)
    assert await seen() == {"expires", "ends"}
    clock.instant = NOW + timedelta(hours=1)
    assert await seen() == {"begins"}
    clock.instant = NOW
    assert await seen() == {"expires", "ends"}


async def test_superseded_records_are_found_as_of_their_time_only(store, write, mine):
    old = write("lives in Paris", status=Status.SUPERSEDED, valid_from=NOW - timedelta(days=100), valid_to=NOW - timedelta(days=10))
    new = write("lives in Rome", valid_from=NOW - timedelta(days=10))
    await store.commit([old, new])

    async def seen(**fields) -> list[str]:
        return [memory.content for memory in await store.fetch(await store.visible(mine.model_copy(update=fields)))]

    assert await seen() == ["lives in Rome"]
    assert await seen(at=NOW - timedelta(days=50)) == ["lives in Paris"]
    assert await seen(at=NOW - timedelta(days=200)) == []


async def test_a_year_alone_is_not_the_first_of_january(store, write, mine):
    await store.commit([
        write("a year", occurred_at=datetime(2023, 1, 1, tzinfo=UTC), occurred_precision=Precision.YEAR),
        write("a day", occurred_at=datetime(2023, 1, 1, tzinfo=UTC), occurred_precision=Precision.DAY),
        # Midnight of 1 May 2023 in Shanghai: the month ends with the local month.
        write("a month", occurred_at=datetime(2023, 4, 30, 16, tzinfo=UTC), occurred_precision=Precision.MONTH),
    ])  # fmt: skip

    async def during(since: datetime, until: datetime) -> set[str]:
        return {
            memory.content for memory in await store.fetch(await store.visible(mine.model_copy(update={"since": since, "until": until})))
        }

    assert await during(datetime(2023, 5, 10, tzinfo=UTC), datetime(2023, 5, 11, tzinfo=UTC)) == {"a year", "a month"}
    assert await during(datetime(2023, 5, 31, 15, tzinfo=UTC), datetime(2023, 5, 31, 16, tzinfo=UTC)) == {"a year", "a month"}
    assert await during(datetime(2023, 5, 31, 16, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC)) == {"a year"}
    assert await during(datetime(2022, 1, 1, tzinfo=UTC), datetime(2023, 1, 1, tzinfo=UTC)) == set()
    scores = await store.search_time(mine, datetime(2023, 5, 10, tzinfo=UTC), datetime(2023, 5, 11, tzinfo=UTC), limit=3)
    assert [memory.content for memory in await store.fetch(scores.rows)] == ["a month", "a year", "a day"]
    assert scores.scores[0] > scores.scores[1] > 0.5 > scores.scores[2]
