"""The page of the graph: what is reached, where it is drawn, and that it can be read."""

from __future__ import annotations

import re

import numpy as np
import pytest

from hindsight.serve.console.nearness import SIZE, Web, labelled, placed, walk

SCRIPT = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


def filled(rest) -> list[str]:
    told = (
        ("Alice Moore runs the warehouse", ["Alice Moore", "warehouse"]),
        ("The warehouse ships with Nordpost", ["warehouse", "Nordpost"]),
        ("Nordpost closes on Sundays", ["Nordpost"]),
        ("王小明住在杭州", ["王小明", "杭州"]),
    )
    return [str(rest.store(content, kind="fact", entities=names).id) for content, names in told]


def names_in(text: str) -> list[str]:
    listed = text.partition("The same as a list")[2]
    return re.findall(r'<a class="clip" dir="auto" href="[^"]+">([^<]+)</a>', listed)


async def neighbours_of_a_chain(node: str) -> list[str]:
    number = int(node)
    return [str(each) for each in (number - 1, number + 1) if each >= 0]


def test_an_entity_is_drawn_with_what_is_reached_in_so_many_steps(web, rest) -> None:
    alice, ships, sundays, _ = filled(rest)
    near = web.get("/graph", params={"around": "Alice Moore", "hops": 1}).text
    assert names_in(near) == ["alice moore", "Alice Moore runs the warehouse"]
    far = web.get("/graph", params={"around": "Alice Moore", "hops": 5}).text
    assert {"nordpost", "Nordpost closes on Sundays"} < set(names_in(far))
    assert "王小明" not in far
    for id in (alice, ships, sundays):
        assert f'<a href="/memories/{id}" tabindex="-1"' in far
    assert far == web.get("/graph", params={"around": "Alice Moore", "hops": 5}).text  # the same drawing each time


def test_a_memory_may_be_the_centre_and_chinese_is_found(web, rest) -> None:
    ids = filled(rest)
    text = web.get("/graph", params={"around": ids[3], "lang": "zh"}).text
    assert {"王小明", "杭州", "王小明住在杭州"} <= set(re.findall(r'<a class="clip" dir="auto" href="[^"]+">([^<]+)</a>', text))
    assert "文字列表" in text
    assert f'href="/graph?around={ids[3]}"' in web.get(f"/memories/{ids[3]}").text


def test_without_a_name_the_entities_are_offered(web, rest) -> None:
    assert "No memory names an entity yet" in web.get("/graph").text
    filled(rest)
    text = web.get("/graph").text
    assert "/graph?around=warehouse" in text
    assert "mentioned by 2" in text
    unknown = web.get("/graph", params={"around": "nobody of this name"})
    assert (unknown.status_code, "No memory that you may see mentions" in unknown.text) == (200, True)
    assert "No memory that you may see" in web.get("/graph", params={"around": "0197a1b2-0000-7000-8000-000000000000"}).text
    assert web.get("/graph?around=warehouse&hops=99").status_code == 422


def test_markup_in_names_is_text(web, rest) -> None:
    rest.store(f"of {SCRIPT}", kind="fact", entities=[SCRIPT])
    for path in ("/graph", f"/graph?around={SCRIPT}"):
        text = web.get(path).text
        assert "&lt;script&gt;" in text
        assert "<script>" not in text
        assert "<img" not in text


async def test_a_walk_stops_at_its_bounds() -> None:
    reached = await walk("5", neighbours_of_a_chain, hops=2, most=100)
    assert reached.nodes == ("5", "4", "6", "3", "7")
    assert reached.steps == (0, 1, 1, 2, 2)
    assert len(reached.edges) == 4
    assert not reached.cut
    cut = await walk("5", neighbours_of_a_chain, hops=50, most=4)
    assert (len(cut.nodes), cut.cut) == (4, True)


@pytest.mark.parametrize("count", [1, 2, 40, 500])
def test_places_are_apart_inside_and_always_the_same(count) -> None:
    steps = tuple(0 if n == 0 else 1 if n < 12 else 2 for n in range(count))
    edges = tuple((0 if n < 12 else n % 11 + 1, n) for n in range(1, count))
    web = Web(tuple(map(str, range(count))), steps, edges, False)
    at = placed(web)
    assert at.shape == (count, 2)
    assert ((at >= 0) & (at <= SIZE)).all()
    assert (at == placed(web)).all()
    if count > 1:
        far = np.linalg.norm(at[:, None] - at[None], axis=2) + np.eye(count) * SIZE
        nearest = far.min(axis=1)
        assert np.median(nearest) > 0.35 * SIZE / np.sqrt(count)  # spread out over the picture, not heaped
        assert (nearest < 3).mean() < 0.05


def test_labels_do_not_cover_each_other() -> None:
    at = np.array([[100.0, 100.0], [104.0, 103.0], [990.0, 500.0], [500.0, 500.0]])
    found = labelled(at, ["warehouse", "hidden by it", "at the edge", "仓库"], [0, 1, 2, 3])
    assert set(found) == {0, 2, 3}
    assert found[2][2] == "end"
