"""Vector, keyword, time, entity and session searches against plain computations."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest

from hindsight.adapters.relational.terms import Reach
from hindsight.ports import Centring
from hindsight.records import Kind, Lesson, Outcome, Precision, Ref, Role, Source, Status, Visibility

by_every_search = pytest.mark.parametrize("backend", ["mapped", "pgvector", "postgres", "sqlite"])


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


@pytest.fixture
def seeds() -> dict[str, np.ndarray]:
    chance = np.random.default_rng(1)
    return {"en": unit(chance.normal(size=8)).astype(np.float32), "zh": unit(chance.normal(size=8)).astype(np.float32)}


def in_a_cone(chance: np.random.Generator, seed: np.ndarray, count: int) -> np.ndarray:
    return unit(seed + chance.normal(size=(count, 8)) * 0.3).astype(np.float32)


@by_every_search
async def test_centred_cosine_is_that_of_the_formula(open_store, write, mine, seeds):
    store = await open_store(centring=Centring("1", seeds, weight=50.0))
    chance = np.random.default_rng(2)
    vectors = {name: in_a_cone(chance, seed, 60) for name, seed in seeds.items()}
    texts = [(name, vector) for name in seeds for vector in vectors[name]]
    await store.commit([write("x", vector=vector, language=name) for name, vector in texts])
    means = {name: (50 * seeds[name] + vectors[name].sum(axis=0)) / 110 for name in seeds}
    documents = unit(np.stack([vector - means[name] for name, vector in texts]))
    rows = await store.visible(mine)
    for name in seeds:
        query = in_a_cone(chance, seeds[name], 1)[0]
        expected = documents @ unit(query - means[name])
        for language in (name, None):  # without a name the language is found by the vector
            assert await store.vector_scores(mine, rows, query, language=language) == pytest.approx(expected, abs=0.03)
        found = await store.search_vector(mine, query, limit=10, language=name)
        assert found.scores == pytest.approx(np.sort(expected)[::-1][:10], abs=0.03)
        assert set(rows[np.argsort(-expected)[:5]].tolist()) <= set(found.rows.tolist())
    assert await store.vectors(rows) == pytest.approx(documents, abs=0.03)


@by_every_search
async def test_a_vector_centred_before_is_compared_as_it_is(open_store, write, mine, seeds):
    store = await open_store(centring=Centring("1", seeds))
    chance = np.random.default_rng(6)
    await store.commit([write("x", vector=vector) for vector in in_a_cone(chance, seeds["en"], 40)])
    query, rows = in_a_cone(chance, seeds["en"], 1)[0], await store.visible(mine)
    centred = await store.centred(mine, query, language="en")
    assert np.linalg.norm(centred) == pytest.approx(1)
    expected = await store.vector_scores(mine, rows, query, language="en")
    assert await store.vector_scores(mine, rows, centred, centre=False) == pytest.approx(expected, abs=1e-5)
    found = await store.search_vector(mine, centred, limit=5, centre=False)
    assert found.rows.tolist() == (await store.search_vector(mine, query, limit=5, language="en")).rows.tolist()


@by_every_search
async def test_a_small_namespace_is_centred_by_the_seed(open_store, write, mine, seeds):
    store = await open_store(centring=Centring("1", seeds))
    vector = in_a_cone(np.random.default_rng(3), seeds["en"], 1)[0]
    await store.commit([write("x", vector=vector)])
    rows = await store.visible(mine)
    mean = (200 * seeds["en"] + vector) / 201
    assert (await store.vectors(rows))[0] == pytest.approx(unit(vector - mean), abs=0.05)


@by_every_search
async def test_the_mean_follows_what_is_added(open_store, write, mine, seeds):
    """Search between the additions, so that the kept mean has to move: the end is as if all had been there at once."""
    chance = np.random.default_rng(4)
    vectors = in_a_cone(chance, seeds["zh"], 300)  # English by name, but elsewhere: the mean must travel
    query = in_a_cone(chance, seeds["zh"], 1)[0]
    step = await open_store("step", centring=Centring("1", seeds))
    for start in range(0, 300, 20):
        await step.commit([write("x", vector=vector) for vector in vectors[start : start + 20]])
        await step.search_vector(mine, query, limit=3)
    once = await open_store("once", centring=Centring("1", seeds))
    await once.commit([write("x", vector=vector) for vector in vectors])
    rows = await once.visible(mine)
    assert await step.vector_scores(mine, rows, query, language="en") == pytest.approx(
        await once.vector_scores(mine, rows, query, language="en"), abs=0.05
    )


@by_every_search
async def test_without_centring_cosine_is_plain(store, write, mine):
    writes = [write("x") for _ in range(50)]
    await store.commit(writes)
    query = write.vector() * 3
    expected = np.stack([each.vector for each in writes]) @ unit(query)
    rows = await store.visible(mine)
    assert await store.vector_scores(mine, rows, query) == pytest.approx(expected, abs=0.02)
    few = mine.model_copy(update={"tags": ("rare",)})  # a selective filter goes another way through the matrix
    await store.commit([write("rare", vector=query / 3, tags=("rare",))])
    found = await store.search_vector(few, query, limit=10)
    assert len(found.rows) == 1
    assert found.scores[0] == pytest.approx(1, abs=0.01)


@by_every_search
async def test_scores_of_rows_without_vector_are_nan_and_vectors_zero(store, write, mine):
    await store.commit([write("with"), write("without", vector=None), write("elsewhere", namespace="home")])
    rows = np.array([1, 2, 3, 99])
    assert np.isnan(await store.vector_scores(mine, rows, write.vector())).tolist() == [False, True, True, True]
    vectors = await store.vectors(rows)
    assert (np.linalg.norm(vectors, axis=1) > 0.5).tolist() == [True, False, True, False]


def bm25(documents: list[list[str]], query: list[str], k1: float = 1.5, b: float = 0.75) -> list[float]:
    count, mean = len(documents), sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        occurrences, score = Counter(document), 0.0
        for term in dict.fromkeys(query):
            df = sum(term in each for each in documents)
            idf = math.log(1 + (count - df + 0.5) / (df + 0.5))
            tf = occurrences[term]
            score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / mean))
        scores.append(score)
    return scores


WORDS = ["docker", "网", "网络", "络", "a", "the", "e1101", "ora-00942", "x_y", "c++", "它"]


def some_documents(count: int, seed: int = 5) -> list[list[str]]:
    chance = random.Random(seed)
    return [chance.choices(WORDS, weights=range(1, len(WORDS) + 1), k=chance.randint(1, 30)) for _ in range(count)]


async def test_keyword_scores_are_bm25_of_the_namespace_alone(store, write, mine):
    documents, others = some_documents(80), some_documents(200, seed=6)
    await store.commit([write("x", tokens=tokens) for tokens in documents])
    await store.commit([write("x", tokens=tokens, namespace="home") for tokens in others])
    rows = await store.visible(mine)
    for query in (["docker"], ["网络", "the", "c++"], WORDS, ["the", "the"], ["unknown", "x_y"]):
        expected = bm25(documents, query)
        assert await store.term_scores(mine, rows, query) == pytest.approx(expected, rel=1e-4)
        found = await store.search_terms(mine, query, limit=20)
        assert found.scores == pytest.approx(sorted((score for score in expected if score > 0), reverse=True)[:20], rel=1e-4)
        assert [expected[position] for position in np.searchsorted(rows, found.rows)] == pytest.approx(found.scores.tolist(), rel=1e-4)
    for query in ([], ["unknown"], [""]):
        assert len((await store.search_terms(mine, query, limit=20)).rows) == 0
        assert not (await store.term_scores(mine, rows, query)).any()


async def test_what_each_term_adds_sums_to_bm25(store, write, mine):
    documents = some_documents(50)
    await store.commit([write("x", tokens=tokens) for tokens in documents])
    rows = np.append(await store.visible(mine), 999)
    query = ["docker", "unknown", "the", "", "docker"]
    hits = await store.term_hits(mine, rows, query)
    assert hits.worth.shape == (51, 5)
    assert (hits.idf > 0).tolist() == [True, False, True, False, True]
    assert (hits.worth[:-1, 0] > 0).tolist() == ["docker" in tokens for tokens in documents]
    assert not hits.worth[-1].any()
    assert not hits.worth[:, [1, 3]].any()
    assert hits.worth[:, [0, 2]].sum(axis=1) == pytest.approx(await store.term_scores(mine, rows, ["docker", "the"]), rel=1e-4)


async def test_statistics_follow_additions_changes_and_erasures(store, write, mine):
    """Queries between the changes, so that what is kept in memory has to keep up; the same scores as from scratch."""
    chance = random.Random(8)
    standing = {}
    for _ in range(25):
        added = [write("x", tokens=tokens) for tokens in some_documents(8, seed=chance.random())]
        await store.commit(added)
        standing.update({each.memory.id: each for each in added})
        changed = write.replacement(chance.choice(list(standing.values())), tokens=some_documents(1, seed=chance.random())[0])
        await store.commit([changed])
        standing[changed.memory.id] = changed
        gone = chance.choice(list(standing))
        await store.erase([gone], write.event("erased"))
        del standing[gone]
        query = chance.sample(WORDS, 4)
        rows = await store.visible(mine)
        ids = [memory.id for memory in await store.fetch(rows)]
        expected = bm25([list(standing[id].tokens) for id in ids], query)
        assert await store.term_scores(mine, rows, query) == pytest.approx(expected, rel=1e-4)
    assert await store.check() == []


async def test_frequent_terms_add_to_the_score_without_finding(store, write, mine, monkeypatch):
    monkeypatch.setattr("hindsight.adapters.relational.terms.LARGE", 20)
    documents = [*some_documents(100), ["rare", "the"], ["rare"]]
    await store.commit([write("x", tokens=tokens) for tokens in documents])
    rows = await store.visible(mine)
    for query in (["rare", "the"], ["the", "it"], ["rare"]):
        expected = bm25(documents, query)
        found = await store.search_terms(mine, query, limit=5)
        assert found.scores == pytest.approx(sorted(expected, reverse=True)[: len(found.rows)], rel=1e-4)
        assert await store.term_scores(mine, rows, query) == pytest.approx(expected, rel=1e-4)
        assert found.scores[0] > 0


async def test_a_query_of_many_words_finds_by_the_rarest_and_all_add_to_the_score(store, write, mine, monkeypatch):
    documents = [*some_documents(100), ["rare", "the"], ["rare"]]
    await store.commit([write("x", tokens=tokens) for tokens in documents[:90]])
    rows = await store.visible(mine)
    await store.term_hits(mine, rows, WORDS[:3])  # lists of these are in memory
    await store.commit([write("x", tokens=tokens) for tokens in documents[90:]])
    await store.upkeep.tune()  # the planner of PostgreSQL knows from now on how often words occur
    monkeypatch.setattr("hindsight.adapters.relational.postings._ESTIMATED", 5)
    store._core._namespaces["work"].terms._reach = Reach(scored=30, a_record=0)
    rows = await store.visible(mine)
    hits = await store.term_hits(mine, rows, ["rare", *WORDS])
    assert hits.worth.sum(axis=1) == pytest.approx(bm25(documents, ["rare", *WORDS]), rel=1e-4)
    for query in (["rare", *WORDS], WORDS, ["the"]):
        expected = np.array(bm25(documents, query))
        found = await store.search_terms(mine, query, limit=10)
        places = np.searchsorted(rows, found.rows)
        assert found.scores == pytest.approx(expected[places], rel=1e-4)
        assert expected.argmax() in places
        scores = await store.term_scores(mine, rows, query)
        assert scores == pytest.approx(expected, rel=1e-4)


async def test_a_word_that_very_many_hold_finds_among_some_of_them_and_adds_to_the_score_of_all(store, write, mine):
    store._core.reach = Reach(scored=30, a_record=0, a_term=30)
    documents = [["the", *tokens] for tokens in some_documents(100)] + [["rare", "the"], ["rare"]]
    await store.commit([write("x", tokens=tokens) for tokens in documents])
    rows = await store.visible(mine)
    for query in (["the"], ["rare", "the"], ["the"]):
        expected = np.array(bm25(documents, query))
        found = await store.search_terms(mine, query, limit=10)
        assert len(found.rows) == (2 if "rare" in query else 10)
        assert found.scores == pytest.approx(expected[np.searchsorted(rows, found.rows)], rel=1e-4)
    hits = await store.term_hits(mine, rows, ["the"])
    assert hits.worth.sum(axis=1) == pytest.approx(bm25(documents, ["the"]), rel=1e-4)


async def test_times_near_the_range_come_after_those_in_it(store, write, mine):
    now = write.now
    days = [-30, -8, -5, -4, -1, 20]
    await store.commit([write(str(day), occurred_at=now + timedelta(days=day)) for day in days])
    found = await store.search_time(mine, now - timedelta(days=6), now - timedelta(days=3), limit=5)
    contents = [memory.content for memory in await store.fetch(found.rows)]
    assert contents[:2] == ["-4", "-5"]
    assert set(contents[2:4]) == {"-8", "-1"}  # two days off on either side
    assert contents[4:] == ["20"]
    assert found.scores[:2].tolist() == [1.0, 1.0]
    assert (found.scores[2:] < 0.5).all()


async def test_records_without_event_time_count_by_their_writing(store, write, mine):
    await store.commit([write("now")])
    found = await store.search_time(mine, write.now - timedelta(hours=1), write.now + timedelta(hours=1), limit=5)
    assert found.scores.tolist() == [1.0]
    assert np.isnan((await store.columns(mine, found.rows)).occurred[0])


async def test_activation_spreads_over_records_and_is_damped_at_hubs(store, write, mine):
    def linked(content, *names, **fields):
        return write(content, links=[(name, "named") for name in names], **fields)

    hub = [linked(f"hub {number}", "hub", f"leaf {number}") for number in range(40)]
    await store.commit([linked("a", "alice chen", "docker"), linked("b", "docker", "kubernetes"), linked("c", "kubernetes", "hub"), *hub])

    async def found(*names, hops, filter=mine, limit=100):
        result = await store.search_entities(filter, list(names), hops=hops, limit=limit)
        return dict(zip([memory.content for memory in await store.fetch(result.rows)], result.scores.tolist(), strict=True))

    assert set(await found("alice chen", hops=0)) == {"a"}
    assert set(await found("alice chen", hops=1)) == {"a", "b"}
    assert set(await found("alice chen", hops=2)) == {"a", "b", "c"}
    scores = await found("alice chen", hops=2)
    assert scores["a"] > scores["b"] > scores["c"]
    assert set(await found("chen", hops=0)) == {"a"}  # a word of the name is an alias
    assert (await found("chen", hops=0))["a"] < (await found("alice chen", hops=0))["a"]
    through_hub = await found("leaf 1", hops=2)
    assert through_hub["hub 1"] > 5 * max(score for name, score in through_hub.items() if name != "hub 1")
    assert await found("nobody", hops=2) == {}
    assert await found(hops=2) == {}
    assert len(await found("hub", hops=0, limit=7)) == 7


async def test_every_name_that_is_asked_for_counts_however_often_one_is_mentioned(store, write, mine):
    often = [write(f"hub {number}", links=[("hub", "named"), (f"leaf {number}", "named")]) for number in range(40)]
    await store.commit([*often, write("both", links=[("hub", "named"), ("rare", "named")])])
    for names in (["hub", "rare"], ["rare", "hub"]):
        found = await store.search_entities(mine, names, hops=2, limit=3)
        assert (await store.fetch(found.rows))[0].content == "both"


async def test_a_keyword_search_that_no_record_may_answer_is_empty(store, write, mine):
    await store.commit([write("apple")])
    found = await store.search_terms(mine.model_copy(update={"avoid": True}), ["apple"], limit=5)
    assert (len(found.rows), len(found.scores)) == (0, 0)


async def test_private_records_of_another_agent_do_not_steer_a_search(store, write, mine):
    secret = write("bob's secret", agent="bob", links=[("project x", "named"), ("carol", "named")])
    await store.commit([secret, write("about carol", links=[("carol", "named")])])
    assert len((await store.search_entities(mine, ["project x"], hops=2, limit=9)).rows) == 0
    shared = write.replacement(secret, visibility=Visibility.SHARED)
    await store.commit([shared])
    assert len((await store.search_entities(mine, ["project x"], hops=2, limit=9)).rows) == 2
    await store.commit([write.replacement(shared, status=Status.QUARANTINED)])
    assert len((await store.search_entities(mine, ["project x"], hops=2, limit=9)).rows) == 0
    assert await store.check() == []


def beside(session: list[tuple[int, bool]], row: int, reach: int) -> list[int]:
    """Naive: visible rows before and after ``row`` in a session given as (row, visible) in order."""
    at = [each for each, _ in session].index(row)
    before = [each for each, visible in session[:at] if visible][-reach:]
    after = [each for each, visible in session[at + 1 :] if visible][:reach]
    return [-1] * (reach - len(before)) + before + after + [-1] * (reach - len(after))


async def test_neighbours_are_the_visible_turns_beside(store, write, mine):
    chance = random.Random(9)
    layout: dict[str, list[tuple[int, int, bool]]] = {"s1": [], "s2": [], "s3": []}
    row = 0
    for _ in range(6):  # a search after each batch, so that late turns are merged into what is sorted already
        batch = []
        for _ in range(30):
            row += 1
            session, position, visible = chance.choice([*layout, None]), chance.randint(0, 500), chance.random() < 0.7
            batch.append(write(
                f"{row}", session_id=session, refs=(Ref(session_id=session, first=position),) if session else (), agent="alice" if visible else "bob"
            ))  # fmt: skip
            if session:
                layout[session].append((position, row, visible))
        await store.commit(batch)
        every = np.arange(1, row + 1)
        found = await store.neighbours(mine, every, reach=2)
        for session in layout.values():
            ordered = [(number, visible) for _, number, visible in sorted(session)]
            for number, _ in ordered:
                assert found[number - 1].tolist() == beside(ordered, number, 2)
        in_sessions = {number for session in layout.values() for _, number, _ in session}
        assert (found[[number - 1 for number in every if number not in in_sessions]] == -1).all()
    codes = await store.codes([("session", "s1"), ("session", "unknown"), ("session", "s3")])
    assert codes[1] == -1
    rows = (await store.session_rows(mine, np.array(codes), limit=4)).tolist()
    for name in ("s1", "s3"):
        expected = [number for _, number, visible in sorted(layout[name]) if visible][:4]
        assert [number for number in rows if number in expected] == expected
    assert len(rows) == 8
    assert (await store.neighbours(mine, np.array([9999, -1]), reach=1)).tolist() == [[-1, -1], [-1, -1]]


async def test_columns_hold_the_attributes(store, write, mine):
    when = write.now - timedelta(days=3)
    await store.commit([
        write("one two three", kind=Kind.RULE, outcome=Outcome.CORRECTED, source=Source.INFERRED, role=Role.TOOL, speaker="Bob", session_id="s",
              task_type="deploy", lesson=Lesson(condition="c", action="a"), occurred_at=when, occurred_precision=Precision.MONTH, valid_from=when,
              refs=(Ref(document="d"), Ref(session_id="s", first=7)), trust=0.25, confidence=0.5, importance=0.75, priority=9, helpful=3, harmful=4),
        write("plain", language="zh"),
    ])  # fmt: skip
    columns = await store.columns(mine, np.array([2, 1, 77]))
    assert columns.rows.tolist() == [2, 1, 77]
    session, speaker, task = await store.codes([("session", "s"), ("speaker", "ＢＯＢ"), ("task_type", "deploy")])
    expected = {
        "kind": [1, 4, -1],
        "outcome": [4, 3, -1],
        "source": [0, 1, -1],
        "status": [0, 0, -1],
        "role": [-1, 2, -1],
        "precision": [-1, 5, -1],
        "avoid": [False, True, False],
        "session": [-1, session, -1],
        "speaker": [-1, speaker, -1],
        "task_type": [-1, task, -1],
        "position": [2, 7, -1],
        "length": [1, 3, -1],
        "priority": [0, 9, -1],
        "helpful": [0, 3, -1],
        "harmful": [0, 4, -1],
    }
    assert {name: getattr(columns, name).tolist() for name in expected} == expected
    assert columns.trust == pytest.approx([1, 0.25, np.nan], nan_ok=True)
    assert columns.confidence == pytest.approx([1, 0.5, np.nan], nan_ok=True)
    assert columns.importance == pytest.approx([0.5, 0.75, np.nan], nan_ok=True)
    assert columns.occurred == pytest.approx([np.nan, when.timestamp(), np.nan], nan_ok=True)
    assert columns.valid_from == pytest.approx([np.nan, when.timestamp(), np.nan], nan_ok=True)
    assert columns.language[0] != columns.language[1]
    assert await store.speakers("work") == {"bob": speaker}
    assert await store.speakers("nowhere") == {}
    assert (columns.session.dtype, columns.position.dtype, columns.kind.dtype, columns.trust.dtype) == (
        np.int64,
        np.int64,
        np.int8,
        np.float32,
    )


@pytest.mark.parametrize("limit", [0, -1])
@by_every_search
async def test_a_limit_below_one_finds_nothing(store, write, mine, limit):
    await store.commit([write("x", links=[("x", "x")])])
    found = [
        await store.search_vector(mine, write.vector(), limit=limit),
        await store.search_terms(mine, ["x"], limit=limit),
        await store.search_time(mine, write.now, write.now, limit=limit),
        await store.search_entities(mine, ["x"], hops=1, limit=limit),
    ]
    assert [len(each.rows) for each in found] == [0] * 4


@by_every_search
async def test_a_query_in_a_language_that_the_namespace_lacks_is_centred_by_its_seed(open_store, write, mine, seeds):
    store = await open_store(centring=Centring("1", seeds))
    chance = np.random.default_rng(5)
    documents = in_a_cone(chance, seeds["en"], 40)
    await store.commit([write("x", vector=vector, language="en") for vector in documents])
    query = in_a_cone(chance, seeds["zh"], 1)[0]
    mean = (200 * seeds["en"] + documents.sum(axis=0)) / 240
    expected = unit(documents - mean) @ unit(query - seeds["zh"])
    rows = await store.visible(mine)
    for language in ("zh", None):
        assert await store.vector_scores(mine, rows, query, language=language) == pytest.approx(expected, abs=0.03)


@by_every_search
async def test_an_unknown_namespace_is_empty_everywhere(store, write, mine):
    await store.commit([write("x")])
    nowhere = mine.model_copy(update={"namespace": "nowhere"})
    rows = np.array([1])
    assert len(await store.visible(nowhere)) == 0
    assert len((await store.search_vector(nowhere, write.vector(), limit=5)).rows) == 0
    assert len((await store.search_terms(nowhere, ["x"], limit=5)).rows) == 0
    assert len((await store.search_time(nowhere, write.now, write.now, limit=5)).rows) == 0
    assert len((await store.search_entities(nowhere, ["x"], hops=1, limit=5)).rows) == 0
    assert np.isnan(await store.vector_scores(nowhere, rows, write.vector())).all()
    assert (await store.term_scores(nowhere, rows, ["x"])).tolist() == [0.0]
    assert (await store.neighbours(nowhere, rows, reach=1)).tolist() == [[-1, -1]]
    assert len(await store.session_rows(nowhere, rows, limit=5)) == 0
    assert (await store.columns(nowhere, rows)).kind.tolist() == [-1]
    assert (await store.list(nowhere)).items == []
    assert [each async for each in store.export("nowhere")] == []
