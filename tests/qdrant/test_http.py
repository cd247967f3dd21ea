"""What goes over the wire, and what is made of a server's answers."""

from __future__ import annotations

import socket
from datetime import timedelta

import numpy as np
import pytest
from beside import followed
from qdrant_client.http.exceptions import UnexpectedResponse
from served import QdrantServer

from hindsight.adapters.qdrant import link
from hindsight.adapters.qdrant.address import read_address
from hindsight.adapters.qdrant.engine import QdrantEngine
from hindsight.adapters.qdrant.link import CollectionMissing
from hindsight.adapters.qdrant.points import INDEXED
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.errors import ConfigurationError, IndexUnavailable
from hindsight.following import Nearest
from hindsight.records import Kind


@pytest.fixture
def server():
    with QdrantServer() as running:
        yield running


@pytest.fixture
async def filled(tmp_path, clock, write, server):
    """A store, what follows it, and the requests that filled the engine."""
    store = SqliteStore(tmp_path / "store", embedder=("test", 8), clock=clock)
    await store.open()
    writes = [write("one", kind=Kind.FACT, tags=("a", "b"), tools=("x", "y"), key="k/1"), write.long(write("two"), np.eye(8)[:3])]
    await store.commit([*writes, write("three", namespace="home", expires_at=clock.now() + timedelta(days=1))])
    follower = followed(store, QdrantEngine(server.url))
    assert await follower.catch_up()
    yield store, follower, writes
    await follower.engine.close()
    await store.close()


async def test_a_collection_is_quantised_indexed_and_vacuumed(filled, server):
    (made,) = server.bodies("/collections/" + (await filled[0].feed.following()).collection)
    assert made["quantization_config"] == {"scalar": {"type": "int8", "quantile": 0.99, "memory": "pinned"}}
    assert made["optimizers_config"] == {"deleted_threshold": 0.01, "vacuum_min_vector_number": 101}
    assert made["hnsw_config"] == {"m": 0, "payload_m": 16, "ef_construct": 128}
    assert made["vectors"]["whole"] == {"size": 8, "distance": "Dot", "memory": "cached"}
    assert made["vectors"]["passages"]["multivector_config"] == {"comparator": "max_sim"}
    schemas = {each["field_name"]: each["field_schema"] for each in server.bodies("/index")}
    assert set(schemas) == set(INDEXED)
    assert schemas["namespace"] == {"type": "keyword", "is_tenant": True}
    assert schemas["key"] == {"type": "keyword", "enable_hnsw": False, "prefix": True}


async def test_points_bring_what_filters_ask_for_and_no_text(filled, server):
    store, _, writes = filled
    points = [point for body in server.bodies("/points") for point in body.get("points", [])]
    assert all("wait=true" in each["query"] for each in server.requests if each["method"] == "PUT" and each["path"].endswith("/points"))
    one = next(point for point in points if point["id"] == str(writes[0].memory.id))
    assert one["payload"]["row"] == int((await store.row_of([writes[0].memory.id]))[0])
    assert (one["payload"]["tags"], one["payload"]["key"], one["payload"]["kind"]) == (["a", "b"], "k/1", "fact")
    assert "content" not in one["payload"]
    assert len(next(point for point in points if point["id"] == str(writes[1].memory.id))["vector"]["passages"]) == 3
    assert "one" not in str([point["payload"] for point in points]).replace("'none'", "")


async def test_a_search_asks_for_rescoring_inside_the_filter(filled, server, mine, clock):
    store, follower, _ = filled
    collection = (await store.feed.following()).collection
    vector = np.full(8, 8**-0.5, dtype=np.float32)
    asked = Nearest(mine, clock.now(), vector, 10, (0, 1), passages=True)
    rows = np.concatenate(list(follower.engine.nearest(collection, asked)))
    assert set(rows.tolist()) == {1, 2}
    searches = server.bodies("/query/batch")[0]["searches"]
    assert [each["using"] for each in searches] == ["whole", "whole", "passages", "passages"]
    assert searches[0]["params"] == {"hnsw_ef": 256, "quantization": {"rescore": True, "oversampling": 2.0}}
    assert {"key": "namespace", "match": {"value": "work"}} in searches[0]["filter"]["must"]
    assert (searches[0]["limit"], searches[0]["with_payload"]) == (10, ["row"])


async def test_shard_keys_follow_the_namespace(filled, server, mine, clock, write):
    store = filled[0]
    engine = QdrantEngine(server.url + "?shards=3&replicas=2")
    points = await store.feed.points([1, 2, 3])
    engine.create("spread", 8, "m")
    engine.write("spread", points, [77], "n")
    assert server.bodies("/collections/spread")[0]["sharding_method"] == "custom"
    assert server.bodies("/collections/spread")[0]["replication_factor"] == 2
    assert server.shards["spread"] == {"0", "1", "2"}
    assert engine.count("spread") == 3
    found = np.concatenate(
        list(engine.nearest("spread", Nearest(mine, clock.now(), np.ones(8, dtype=np.float32), 5, (0,), passages=False)))
    )
    assert set(found.tolist()) == {1, 2}
    await engine.close()


async def test_a_snapshot_is_of_the_moment_of_the_backup(filled, write, server):
    store, follower, _ = filled
    await store.commit([write("before the backup")])

    async def backup():
        await store.commit([write("while it is made")])  # after the store's own snapshot was taken
        return await store.feed.following()

    noted, name = await follower.with_snapshot(backup)
    assert name.endswith(".snapshot")
    assert (noted.mark, noted.intent, noted.row) == (follower.engine.mark(noted.collection), None, None)
    # Both are put back together, and the follower goes on where the backup was.
    await follower.level()
    after = await store.feed.following()
    follower.engine.write(noted.collection, [], [], noted.mark)
    await store.feed.move(after, noted)
    await follower.level()
    assert (await store.feed.following()).collection == noted.collection
    assert (await follower.compare()).equal


async def test_a_delete_that_is_not_done_is_no_confirmation(filled, server, monkeypatch):
    _, follower, writes = filled
    monkeypatch.setattr(server.local, "delete", lambda *arguments: None)
    assert not await follower.erased([writes[0].memory.id])
    assert await follower.left([writes[0].memory.id]) == 1


async def test_a_write_that_is_only_acknowledged_is_done_again(filled, server, write):
    store, follower, _ = filled
    await store.commit([write("four")])
    ours, server.answer = server.answer, lambda *asked: {"operation_id": 1, "status": "acknowledged"} if asked[0] == "PUT" else ours(*asked)
    with pytest.raises(IndexUnavailable, match="not finished"):
        await follower.catch_up()
    server.answer = ours
    assert await follower.catch_up()
    assert (await follower.compare()).equal


@pytest.mark.parametrize(
    ("status", "told"),
    [(400, "refuses a request"), (403, "HINDSIGHT_QDRANT_API_KEY"), (500, "refuses a request"), (404, "refuses a request")],
)
async def test_refusals_are_told_apart(filled, server, status, told):
    server.fault = lambda method, path: status
    with pytest.raises(IndexUnavailable, match=told):
        filled[1].engine.count("x")


async def test_a_collection_that_is_gone_is_told_apart(filled):
    with pytest.raises(CollectionMissing, match="has lost the collection"):
        filled[1].engine.count("x")


async def test_what_is_no_qdrant_is_told_apart(filled, server, monkeypatch):
    def other(*asked):
        raise UnexpectedResponse(404, "", b"<html>", {})

    with pytest.raises(IndexUnavailable, match="not as a Qdrant does"):
        filled[1].engine._link.search(other)
    monkeypatch.setattr(server, "answer", lambda *asked: {})
    assert "does not answer" in await filled[1].engine.fault()


async def test_a_search_waits_a_second_and_then_rests(filled, server, mine, clock, monkeypatch):
    store, follower, _ = filled
    monkeypatch.setattr(link, "REST_SECONDS", 60.0)
    server.fault = lambda method, path: 1.3
    asked = Nearest(mine, clock.now(), np.ones(8, dtype=np.float32), 5, (0,), passages=False)
    with pytest.raises(IndexUnavailable, match="does not answer"):
        list(follower.engine.nearest("x", asked))
    server.fault = lambda method, path: None
    before = len(server.requests)
    with pytest.raises(IndexUnavailable, match="asked again"):
        list(follower.engine.nearest("x", asked))
    assert len(server.requests) == before
    assert await follower.engine.fault() is None  # who asks for the fault asks the server
    await follower.catch_up()
    assert len(list(follower.engine.nearest((await store.feed.following()).collection, asked))) == 1


async def test_the_key_goes_with_every_request():
    with QdrantServer(key="right") as server:
        engine = QdrantEngine(server.url, key="right")
        await engine.open()
        assert await engine.fault() is None
        await engine.close()
        wrong = QdrantEngine(server.url, key="wrong")
        with pytest.raises(ConfigurationError, match="HINDSIGHT_QDRANT_API_KEY"):
            await wrong.open()
        await wrong.close()


async def test_an_old_server_is_refused_and_one_that_is_away_is_not():
    with QdrantServer() as server:
        server.version = "1.12.4"
        engine = QdrantEngine(server.url)
        with pytest.raises(ConfigurationError, match="needs 1.19"):
            await engine.open()
        await engine.close()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    away = QdrantEngine(f"http://127.0.0.1:{port}")
    await away.open()
    assert "does not answer" in await away.fault()
    await away.close()


@pytest.mark.parametrize("text", ["", "localhost:6333", "grpc://host:6334", "http://", "http://user:secret@host", "http://h?shards=x", "http://h?more=1",
                                  "http://h?shards=0", "http://h:99999", "http://h#part"])  # fmt: skip
def test_addresses_that_are_none(text):
    with pytest.raises(ConfigurationError, match="HINDSIGHT_QDRANT_URL") as raised:
        read_address(text)
    assert "secret" not in str(raised.value)


def test_addresses():
    assert read_address("http://qdrant").url == "http://qdrant:6333"
    assert read_address("https://cloud.example/a/").url == "https://cloud.example:443/a"
    spread = read_address(" http://[::1]:7000?shards=8&replicas=2 ")
    assert (spread.url, spread.shards, spread.replicas) == ("http://[::1]:7000", 8, 2)
