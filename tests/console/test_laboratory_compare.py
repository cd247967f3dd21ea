"""The lab compares two arbitrary settings and marks what the second changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

import pytest
from serving import HttpThread
from starlette.datastructures import QueryParams

from hindsight.client import RestClient
from hindsight.errors import InvalidInput
from hindsight.recall.answer import Recall
from hindsight.recall.explain import Candidate, Explanation
from hindsight.serve.console.fates import fate, flags, understood
from hindsight.serve.console.trials import both, differences


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[HttpThread]:
    with HttpThread(str(tmp_path_factory.mktemp("lab") / "memory"), min_relevance=0.001) as server:
        with RestClient(server.url, token="") as rest:
            for hour, year in ((1, 2019), (2, 2026)):
                rest.store(f"Backups of server {hour} run at 0{hour}:00", kind="episode", occurred_at=f"{year}-03-08", outcome="failure")
            rest.store("Backups of server 3 run at 03:00", kind="fact")
        yield server


def beside(web, query: str) -> str:
    found = re.search(
        r'<section class="card" id="beside">.*?</section>', web.get(f"/recall?query=when+do+backups+run&k=5&{query}").text, re.DOTALL
    )
    return found[0] if found else ""


def test_nothing_is_compared_unasked(web) -> None:
    assert beside(web, "b_profile=weighted") == ""


def test_scorings_are_compared(web) -> None:
    table = beside(web, "compare=on&profile=product&b_profile=weighted")
    assert table.count("<tr class=") == 3
    assert "shown" in table


def test_a_route_that_is_off_finds_nothing(web) -> None:
    table = beside(web, "compare=on&b_routes=time")
    assert table.count('<tr class="gone"') == 3
    assert "only in the first" in table
    assert beside(web, "compare=on&routes=time&b_routes=keyword").count('<tr class="new"') == 3


def test_filters_and_times_are_compared(web) -> None:
    table = beside(web, "compare=on&b_kind=fact")
    assert (table.count('<tr class="gone"'), table.count("03:00")) == (2, 2)  # the list, and the second block
    assert beside(web, "compare=on&kind=fact&b_kind=usual").count('class="gone"') == 0
    assert beside(web, "compare=on&at=2020-01-01&b_at=2027-01-01").count("<tr class=") == 3
    assert 'class="gone"' in beside(web, "compare=on&b_outcome=failure")


def test_ages_decays_and_thresholds_are_compared(web) -> None:
    aged = beside(web, "compare=on&b_half_life_days=30&b_decay_floor=0")
    scores = [[float(each) for each in re.findall(r'data-label="Score \d">([\d.]+)<', row)] for row in aged.split("<tr class=")[1:]]
    assert any(second < first for first, second in scores)
    assert beside(web, "compare=on&b_min_relevance=1").count(">shown<") == 3
    assert "<tr" in beside(web, "compare=on&b_fusion=rrf&b_rerank=off&b_now=2030-01-01&b_similarity_threshold=0")


@pytest.mark.parametrize(
    "wrong", ["k=0", "decay_floor=2", "half_life_days=0", "min_relevance=-1", "similarity_threshold=x", "now=someday", "b_decay_floor=nan"]
)
def test_what_does_not_fit_is_said(web, wrong) -> None:
    assert web.get(f"/recall?query=x&compare=on&{wrong}").status_code == 422


def test_only_the_usual_setting_counts_as_a_retrieval(web, rest) -> None:
    before = len(rest.retrievals())
    web.get("/recall?query=unusual&fusion=rrf&compare=on&b_profile=weighted")
    assert len(rest.retrievals()) == before
    web.get("/recall?query=usual&compare=on&b_profile=weighted")
    assert len(rest.retrievals()) == before + 1


def recall(*ids: int, shown: int = 0) -> Recall:
    candidates = [Candidate(UUID(int=id), {}, {}, 0.0, 0.0, 1.0 / place, place <= shown) for place, id in enumerate(ids, 1)]
    return Recall(UUID(int=0), "q", explanation=Explanation("q", "en", {}, {}, {}, candidates))


def test_differences_of_order_are_told() -> None:
    found = differences(recall(1, 2, 3), recall(3, 1, 4))
    assert [(each.id.int, each.how, each.moved) for each in found] == [(1, "down", -1), (2, "gone", 0), (3, "up", 2), (4, "new", 0)]
    assert differences(recall(), recall()) == []


def test_the_second_setting_is_as_the_first_but_for_what_is_entered() -> None:
    first, second = both(QueryParams("compare=on&k=4&kind=fact&profile=weighted&fusion=rrf&b_profile=usual&b_k=7&routes=graph"))
    assert first.call == {"kind": "fact", "k": 4, "profile": "weighted", "routes": ["graph"]}
    assert first.options == {"fusion": "rrf"}
    assert second is not None
    assert second.call == {"kind": "fact", "k": 7, "routes": ["graph"]}
    assert both(QueryParams("k=4"))[1] is None
    with pytest.raises(InvalidInput, match="decay_floor"):
        both(QueryParams("decay_floor=inf"))


def test_what_became_of_a_candidate_is_said_in_chinese() -> None:
    assert fate("relevance 0.02 is below 0.05", "zh") == "相关度 0.02 低于 0.05"
    told = "not shown: 2 from the same session are shown already (place 3 of 40 candidates, found by vector, keyword)"
    assert fate(told, "zh") == "未显示：已显示同一会话的 2 条（40 个候选中的第 3 名，由向量、关键词找到）"
    assert fate("not shown: its status is archived; recalled are active", "zh") == "未显示：其状态为已归档；只召回有效"
    assert fate("something new", "zh") == "something new"
    assert (fate(told, "en"), fate(None, "zh")) == (told, "")
    assert flags(("abstained", "unheard"), "zh") == ["均不相关，未作答", "unheard"]
    assert (understood("terms", "zh"), understood("terms", "en")) == ("检索词", "terms")
