"""The cold store in a bucket, against a server that speaks S3's protocol."""

from __future__ import annotations

from datetime import timedelta

import pytest
from keeping import BEGIN, episode, everything, kept, sound

from hindsight.clock import FixedClock


@pytest.fixture
def bucket(monkeypatch):
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1").create_bucket(Bucket="cold")
    yield "s3://cold/hindsight"
    server.stop()


async def test_archive_let_go_search_thaw_and_forget(tmp_path, bucket):
    clock = FixedClock(BEGIN)
    async with kept(tmp_path / "store", clock, cold_store=bucket) as memory:
        one, two = [(await memory.store(**episode(number))).id for number in (1, 2)]
        clock.instant += timedelta(days=31)
        await memory.upkeep("archive")
        clock.instant += timedelta(days=61)
        assert (await memory.upkeep("archive")).counts == {"moved_out": 2}
        assert (await memory.search_cold("proxy 1"))[0].id == one
        assert [each.effect for each in await memory.thaw([one])] == ["thawed"]
        assert (await memory.erase([two])).left == {}
        assert await memory._upkeep.tools.cold.segments() == []
        assert await everything(memory) == {"active": 2}  # the thawed one, and its digest
        await sound(memory)
