"""The benchmark's load: repeatable, bilingual, skewed, with filters of known width."""

from __future__ import annotations

from collections import Counter

from hindsight.evals.workload import NAMESPACES, TENTH, TWO_HUNDREDTH, Workload
from hindsight.records import Draft
from hindsight.text.language import detect_language


def test_the_same_seed_gives_the_same_load() -> None:
    assert list(Workload(3).memories(50)) == list(Workload(3).memories(50))
    assert list(Workload(3).memories(50)) != list(Workload(4).memories(50))


def test_every_memory_is_a_valid_draft_with_a_key_of_its_own() -> None:
    memories = [Draft(**memory) for memory in Workload().memories(500)]
    assert len({memory.idempotency_key for memory in memories}) == 500


def test_languages_namespaces_and_tags_have_their_shares() -> None:
    memories = list(Workload().memories(4000))
    chinese = sum(detect_language(memory["content"]) == "zh" for memory in memories)
    assert 0.4 < chinese / len(memories) < 0.6
    namespaces = Counter(memory["namespace"] for memory in memories)
    assert set(namespaces) == set(NAMESPACES)
    assert namespaces[NAMESPACES[0]] > 4 * namespaces[NAMESPACES[-1]]
    tags = Counter(tag for memory in memories for tag in memory["tags"])
    assert 0.08 < tags[TENTH] / len(memories) < 0.12
    assert 0.002 < tags[TWO_HUNDREDTH] / len(memories) < 0.01


def test_questions_are_all_different() -> None:
    questions = Workload().questions(300)
    assert len({question.text for question in questions}) == 300
    assert {question.namespace for question in Workload().questions(20, namespace="team-3")} == {"team-3"}
