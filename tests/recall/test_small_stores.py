"""In a store of a few memories what is asked for is found, and what is not there is answered with nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight import Hindsight

MEMORIES = (
    "用户对花生过敏",
    "Docker 容器网络不通时，检查容器是否在同一自定义网络",
    "Alice said the refund API returns E1101 when the order status is not checked",
    "The user prefers dark roast coffee in the morning",
    "每周三下午三点开项目例会",
    "def parse_config(path): raises FileNotFoundError when config.yaml is missing",
)
ASKED = (
    ("容器之间 ping 不通", 1),
    ("why do refunds fail", 2),
    ("what drink does he like", 3),
    ("例会什么时候", 4),
    ("config file not found error", 5),
)
NOT_THERE = ("xyzzy", "who won the world cup", "股票涨了吗", "写一首诗")


@pytest.mark.parametrize("count", [1, 3, 6])
async def test_with_the_bundled_model(tmp_path: Path, count: int) -> None:
    async with Hindsight.open(tmp_path / "store", embedder="auto") as memory:
        await memory.store_many([{"content": text, "kind": "episode"} for text in MEMORIES[:count]])
        for query, wanted in ASKED:
            if wanted < count:
                hits = (await memory.retrieve(query)).hits
                assert hits, query
                assert hits[0].memory.content == MEMORIES[wanted]
        for query in NOT_THERE:
            assert (await memory.retrieve(query)).hits == (), query


async def test_with_keywords_alone(tmp_path: Path) -> None:
    async with Hindsight.open(tmp_path / "store", embedder="none") as memory:
        await memory.store_many([{"content": text, "kind": "episode"} for text in MEMORIES])
        for query, wanted in (("refund error E1101", 2), ("parse_config", 5), ("花生", 0), ("例会什么时候", 4)):
            assert (await memory.retrieve(query)).hits[0].memory.content == MEMORIES[wanted]
        for query in NOT_THERE:
            assert (await memory.retrieve(query)).hits == ()
