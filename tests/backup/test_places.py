"""Backups in a bucket, against a server that speaks S3's protocol, and a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight.errors import ConfigurationError, NotFound, StoreUnavailable


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
async def test_a_bucket(bucket, opened, restore, export, tmp_path) -> None:
    source, target = str(tmp_path / "a"), str(tmp_path / "b")
    async with opened(source, backup_to=bucket, backup_keep=2) as memory:
        await memory.store("存在桶里")
        before = await export(memory)
        for _ in range(3):
            made = await memory.backup()
        assert (await memory.backups())[0].id == made.id
        assert len(await memory.backups()) == 2
    assert (await restore(bucket, target)).seals == "ok"
    async with opened(target) as memory:
        assert await export(memory) == before
    assert (await restore(made.address, str(tmp_path / "c"))).memories == 1  # a backup itself may be named, too
    with pytest.raises(NotFound, match="no backup"):
        await restore("s3://memory/elsewhere", str(tmp_path / "d"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
async def test_a_bucket_that_is_not_there(bucket, opened, tmp_path) -> None:
    async with opened(str(tmp_path / "a"), backup_to="s3://nothing-here/x") as memory:
        await memory.store("x")
        with pytest.raises((NotFound, StoreUnavailable), match="s3://nothing-here/x"):
            await memory.backup()


async def test_a_place_of_no_known_kind(opened, tmp_path) -> None:
    async with opened(str(tmp_path / "a"), backup_to="ftp://host/x") as memory:
        await memory.store("x")
        with pytest.raises(ConfigurationError, match="s3://"):
            await memory.backup()


async def test_a_folder_is_for_its_owner_alone(opened, tmp_path) -> None:
    async with opened(str(tmp_path / "a")) as memory:
        await memory.store("x")
        made = await memory.backup()
    folder = Path(made.address)
    assert [path.stat().st_mode & 0o077 for path in (folder.parent, folder, *folder.iterdir())] == [0] * (3 + len(made.files))


LIMITED = """
import asyncio, resource, sys
from hindsight import Hindsight
from hindsight.errors import StoreUnavailable

async def main():
    url, bytes_, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    async with Hindsight.open(url, embedder="none") as memory:
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        try:
            if what == "backup":
                await memory.backup()
            else:
                for number in range(10_000):
                    await memory.store(f"{number} " + "lorem ipsum dolor " * 400, kind="episode")
        except StoreUnavailable as error:
            print(error)
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            print((await memory.stats()).memories)
            return
    sys.exit("nothing was refused")

import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
asyncio.run(main())
"""


def limited(url: str, size: int, what: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, url, str(size), what], capture_output=True, text=True, timeout=120, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX's")
@pytest.mark.parametrize("what", ["store", "backup"])
async def test_no_room_left(opened, tmp_path, what) -> None:
    """A limit on the size of files stands in for a full disk: what cannot be written is refused, what was acknowledged is there."""
    url = str(tmp_path / "a")
    async with opened(url) as memory:
        await memory.store_many([{"content": f"{number} {os.urandom(400).hex()}", "kind": "episode"} for number in range(40)])
    size = (tmp_path / "a" / "memory.db").stat().st_size
    told, kept = limited(url, size + 100_000 if what == "store" else size // 4, what)
    assert "room" in told or "space" in told
    async with opened(url) as memory:
        assert (await memory.stats()).memories == int(kept) >= 40
        assert await memory.check() == []
        assert (await memory.verify()).state == "ok"
    backups = tmp_path / "a-backups"
    assert not backups.exists() or not list(backups.rglob("*.*"))


def full_disk(folder: Path, size: str) -> bool:
    folder.mkdir()
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True).returncode == 0


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounting a small file system needs root")
async def test_a_full_disk(opened, tmp_path) -> None:
    small = tmp_path / "small"
    if not full_disk(small, "3m"):
        pytest.skip("mounting is not allowed here")
    try:
        url = str(small / "store")
        async with opened(url, backup_to=str(small / "backups")) as memory:
            stored = 0

            async def fill() -> None:
                nonlocal stored
                for number in range(5_000):
                    stored += (await memory.store(f"{number} " + "lorem ipsum dolor " * 400, kind="episode")).status == "stored"

            with pytest.raises(StoreUnavailable, match="room|space"):
                await fill()
            with pytest.raises(StoreUnavailable, match="free some"):
                await memory.backup()
            assert (await memory.stats()).memories == stored
        (small / "ballast").unlink(missing_ok=True)
        async with opened(url) as memory:
            assert (await memory.stats()).memories == stored > 10
            assert await memory.check() == []
    finally:
        subprocess.run(["umount", str(small)], check=False)
