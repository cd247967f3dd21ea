"""Recall under other options, and the audit trail, over the asynchronous and the synchronous face."""

from __future__ import annotations

import pytest

from hindsight.errors import AccessDenied, InvalidInput
from hindsight.records import Channel, Principal
from hindsight.sync import Hindsight


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Hindsight.open(tmp_path_factory.mktemp("inspection") / "store", embedder="none") as opened:
        opened.store("Backups of the order database run at 03:00", kind="episode", occurred_at="2019-03-08")
        opened.store("Backups of the photo archive run at 05:00", kind="episode")
        yield opened


def test_a_view_ranks_otherwise_and_leaves_the_memory_as_it_is(memory) -> None:
    def factors(seen) -> dict[str, float]:
        found = seen.retrieve("when do backups run?", k=2, explain=True)
        return {hit.memory.content[15:20]: hit.factors["decay"] for hit in found.hits}

    before = factors(memory)
    aged = factors(memory.recalling_with(half_life_days=1, decay_floor=0))
    assert aged["order"] < 0.001 < before["order"]
    assert factors(memory) == pytest.approx(before)
    assert len(memory.recalling_with(fusion="rrf", rerank=False).retrieve("backups", k=2).hits) == 2


def test_what_a_view_recalled_is_logged_with_the_rest_and_can_be_judged(tmp_path) -> None:
    with Hindsight.open(tmp_path / "store", embedder="none") as opened:
        opened.store("Backups of the order database run at 03:00", kind="episode")
        view = opened.recalling_with(fusion="rrf")
        assert opened.feedback(view.retrieve("when do backups run?").id, "helpful")
        found = view.retrieve("backups")
    with Hindsight.open(tmp_path / "store", embedder="none") as opened:
        assert opened.retrieval(found.id).query == "backups"


@pytest.mark.parametrize(
    "wrong", [{"fusion": "magic"}, {"half_life_days": 0}, {"decay_floor": 1.5}, {"similarity_threshold": 2}, {"decay_floor": float("nan")}]
)
def test_options_out_of_bounds_are_named(memory, wrong) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        memory.recalling_with(**wrong)


def test_the_audit_trail_is_for_admins_and_holds_no_texts(memory) -> None:
    entries = memory.audit_trail(limit=1)
    assert [(each.action, each.after) for each in entries] == [("created", None)]
    assert memory.audit_trail(below=entries[0].seq)[0].seq < entries[0].seq
    with pytest.raises(InvalidInput, match="limit"):
        memory.audit_trail(limit=0)
    reader = memory.acting_as(Principal(agent="bot", channel=Channel.AGENT, namespaces=("*",), scopes=frozenset({"read", "write"})))
    with pytest.raises(AccessDenied, match="admin"):
        reader.audit_trail()


def test_a_survey_and_its_vectors_over_the_synchronous_face(memory) -> None:
    found, total = memory.sample(10)
    assert (len(found), total) == (2, 2)
    assert memory.vectors(found).shape[0] == 2
