"""Explanations: what was found where, what it was worth, and why a memory is, or is not, in an answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from hindsight import Hindsight
from hindsight.errors import NotFound
from hindsight.recall.model import fusion_model

NOW = datetime.now(UTC)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Hindsight]:
    async with Hindsight.open(tmp_path / "store", embedder="none") as opened:
        await opened.store_many(
            [{"content": f"Falcon deployment note {number}", "kind": "episode", "session_id": "s"} for number in range(30)]
        )
        yield opened


async def stored(memory: Hindsight, content: str, **fields: object) -> UUID:
    result = await memory.store(content, **fields)  # type: ignore[arg-type]
    assert result.id is not None
    return result.id


async def test_an_explanation_names_every_candidate_and_its_fate(memory: Hindsight) -> None:
    answer = await memory.retrieve("Falcon deployment note 7", explain=True)
    explanation = answer.explanation
    assert explanation is not None
    assert explanation.route_counts["keyword"] == 30
    assert {each.id for each in explanation.candidates if each.shown} == {hit.memory.id for hit in answer.hits}
    assert all(each.shown or each.dropped for each in explanation.candidates)
    scores = [each.score for each in explanation.candidates]
    assert scores == sorted(scores, reverse=True)
    ranks = sorted(each.routes["keyword"][0] for each in explanation.candidates)
    assert ranks == list(range(1, 31))
    assert set(explanation.candidates[0].features) == set(fusion_model("keyword").names)
    assert set(explanation.timings) >= {"understand", "routes", "fuse", "select"}
    json.dumps(explanation.to_json())


async def test_an_explained_answer_is_never_an_old_one(memory: Hindsight) -> None:
    await memory.retrieve("Falcon deployment note 7")
    answer = await memory.retrieve("Falcon deployment note 7", explain=True)
    assert "cached" not in answer.flags
    assert answer.explanation is not None


async def test_why_it_is_shown(memory: Hindsight) -> None:
    best = (await memory.retrieve("Falcon deployment note 7")).hits[0].memory.id
    verdict = (await memory.why(best, "Falcon deployment note 7")).verdict
    assert verdict is not None
    assert verdict.startswith("shown: place 1 of 30 candidates, found by keyword")


async def test_why_it_is_not_shown(memory: Hindsight) -> None:
    query = "Falcon deployment note 7"
    other = await stored(memory, "Lunch is at noon")
    over = await stored(memory, "Falcon deployment note old", valid_to=NOW - timedelta(days=1))
    early = await stored(memory, "Falcon deployment note new", valid_from=NOW + timedelta(days=9))
    gone = await stored(memory, "Falcon deployment note archived")
    await memory.forget(gone, mode="archive")
    verdicts = {id: (await memory.why(id, query)).verdict or "" for id in (other, over, early, gone)}
    assert "no route found it" in verdicts[other]
    assert "it was valid until" in verdicts[over]
    assert "it is valid from" in verdicts[early]
    assert "its status is archived" in verdicts[gone]
    filtered = await memory.why(other, query, kind="episode")
    assert filtered.verdict == "not shown: a filter of the call keeps it out"
    last = (await memory.retrieve(query, k=30)).hits[-1].memory.id
    assert (await memory.why(last, query)).verdict.startswith("not shown: ")  # type: ignore[union-attr]


async def test_why_of_what_does_not_exist_or_is_anothers_is_an_error(memory: Hindsight, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no memory"):
        await memory.why(uuid4(), "Falcon")
    async with Hindsight.open(tmp_path / "store", embedder="none", agent="bob") as bob:
        hidden = await stored(bob, "Bob's own note")
        shared = await stored(bob, "A note for all", visibility="shared")
    with pytest.raises(NotFound):
        await memory.why(hidden, "note")
    with pytest.raises(NotFound):
        await memory.why(shared, "note", namespace="elsewhere")
    assert (await memory.why(shared, "a note for all")).verdict
