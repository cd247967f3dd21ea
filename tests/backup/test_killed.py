"""What killed backups and restores leave: nothing that looks like an empty store, and no texts for longer than until the next run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from hindsight import Hindsight, scratch
from hindsight.errors import StoreCorrupt, StoreUnavailable
from hindsight.scratch import clear, clear_scratch, hold

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it kills by signals and locks folders")

KILLED_BETWEEN = """
import asyncio, os, signal, sys
from pathlib import Path
from hindsight.assemble import restorer
from hindsight.settings import load_settings

url, backups = sys.argv[1:]
rename, done = Path.rename, []

def renamed(self, target):
    if done:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(self)
    return rename(self, target)

Path.rename = renamed
asyncio.run(restorer(load_settings(store=url, embedder="none", backup_to=backups)).restore(backups, replace=True))
"""
LOOKS_ON = "import sys, time; from hindsight.scratch import scratch\nwith scratch('test') as folder: (folder / 'x').write_text('text'); print(folder, flush=True); time.sleep(60)"


@pytest.fixture
def new_url(tmp_path):
    return lambda: str(tmp_path / "store[0]")


@pytest.fixture
async def interrupted(new_url, opened, tmp_path):
    """A store of which a restore was killed between its two steps."""
    url = new_url()
    async with opened(url) as memory:
        await memory.store("first")
        await memory.backup()
        await memory.store("second")
    killed = subprocess.run([sys.executable, "-c", KILLED_BETWEEN, url, str(tmp_path / "backups")], capture_output=True, timeout=120)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not Path(url).exists()
    return url


async def contents(memory: Hindsight) -> set[str]:
    return {each.content for each in (await memory.list()).items}


async def test_no_empty_store_takes_the_place_of_one_that_is_being_restored(interrupted, opened) -> None:
    with pytest.raises(StoreCorrupt, match="restore was interrupted") as refused:
        async with opened(interrupted):
            pass
    assert not Path(interrupted).exists()
    [kept] = Path(interrupted).parent.glob("*before-restore*")
    assert str(kept) in str(refused.value)
    kept.rename(interrupted)
    async with opened(interrupted) as memory:
        assert await contents(memory) == {"first", "second"}


async def test_restoring_again_finishes_it(interrupted, opened, restore, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(scratch, "_NEW", 0.0)
    await restore(tmp_path / "backups", interrupted)
    async with opened(interrupted) as memory:
        assert await contents(memory) == {"first"}
    assert not list(Path(interrupted).parent.glob(".*restoring*"))


async def test_the_doctor_says_it(interrupted) -> None:
    told = subprocess.run(
        [sys.executable, "-c", "from hindsight.cli.app import main; main()", "doctor"],
        env={**os.environ, "HINDSIGHT_STORE": interrupted, "HINDSIGHT_EMBEDDER": "none"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert told.returncode
    assert "restore was interrupted" in " ".join((told.stdout + told.stderr).split())


async def test_starting_anew_on_purpose(interrupted, opened) -> None:
    Path(interrupted).mkdir()
    async with opened(interrupted) as memory:
        assert await contents(memory) == set()


def test_folders_of_killed_processes_go_and_those_in_use_stay(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_NEW", 0.0)
    with subprocess.Popen(
        [sys.executable, "-c", LOOKS_ON], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    ) as process:
        folder = Path(process.stdout.readline().strip())
        assert folder.parent == tmp_path
        clear_scratch()
        assert (folder / "x").exists()
        process.kill()
    clear_scratch()
    assert not folder.exists()


def test_what_is_new_or_no_folder_of_ours_stays(tmp_path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old-file").write_text("x")
    (tmp_path / "target").mkdir()
    (tmp_path / "old-link").symlink_to(tmp_path / "target")
    (tmp_path / "old-but-new").mkdir()
    held = tmp_path / "old-held"
    held.mkdir()
    lock = hold(held)
    past = time.time() - 3600
    for name in ("old", "old-file", "target", "old-held"):
        os.utime(tmp_path / name, (past, past))
    clear(tmp_path, "old*")
    os.close(lock)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old-but-new", "old-file", "old-held", "old-link", "target"]
    clear(tmp_path / "nowhere", "*")


async def test_forgetting_removes_what_a_killed_backup_left(new_url, opened, monkeypatch, tmp_path) -> None:
    temporary = tmp_path / "temporary"
    left = temporary / "hindsight-scratch-backup-abc"
    left.mkdir(parents=True)
    (left / "memory.db").write_text("Ada")
    os.utime(left, (0, 0))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    async with opened(new_url()) as memory:
        await memory.store("Ada likes tea.")
        await memory.erase(subject=["Ada"])
    assert not left.exists()


async def test_a_backup_that_failed_leaves_no_folder(new_url, opened, tmp_path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    async with opened(new_url()) as memory:
        await memory.store("x")
        with monkeypatch.context() as patch:
            patch.setattr("hindsight.adapters.places.shutil.copyfileobj", full)
            with pytest.raises(StoreUnavailable, match="free some"):
                await memory.backup(to=str(tmp_path / "place"))
        assert not (tmp_path / "place").exists()
        (tmp_path / "mine").mkdir()
        with monkeypatch.context() as patch:
            patch.setattr("hindsight.adapters.places.shutil.copyfileobj", full)
            with pytest.raises(StoreUnavailable):
                await memory.backup(to=str(tmp_path / "mine"))
        assert (tmp_path / "mine").exists(), "it was there before"
        await memory.backup(to=str(tmp_path / "place"))
        assert (tmp_path / "place").exists()
