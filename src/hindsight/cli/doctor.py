"""What ``hindsight doctor`` looks at. It changes nothing: where there is no store yet, none is made."""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pydantic

from hindsight.adapters.sqlite.files import check_restore
from hindsight.cli.invocation import Invocation, log_for_commands
from hindsight.errors import HindsightError, ModelError, ModelMismatch, StoreCorrupt

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import Stats
    from hindsight.settings import Settings
    from hindsight.upkeep.follow import Comparison
    from hindsight.upkeep.verify import Verification

State = Literal["ok", "warn", "fail"]
DATABASE = "memory.db"
LEAST_FREE_BYTES = 1 << 30
CLOCK_TOLERANCE = timedelta(minutes=2)
OLDEST_BACKUP = timedelta(hours=26)
LONGEST_WAIT = 300.0
"""Seconds."""
PACKAGES = ("apsw", "mcp", "numpy", "onnxruntime", "pydantic", "typer", "fastapi", "uvicorn")
DRY_TEXT = "记忆 memory"
_RESTORE = "Leave the files as they are and restore a backup (`hindsight restore --replace`), unless the message says otherwise."
_PASSWORD = re.compile(r"(?<=://)[^/@]*@")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: its state, what was found, and what to do about it."""

    name: str
    state: State
    found: str
    remedy: str = ""


async def examine(invocation: Invocation) -> list[Finding]:
    """Look at everything; a part that fails does not keep the others from being looked at."""
    findings = [_python(), _packages(), _engine()]
    try:
        settings = invocation.settings()
    except HindsightError as error:
        return [*findings, Finding("settings", "fail", str(error), "Correct or unset what is named.")]
    log_for_commands(settings)
    findings.append(_settings(settings))
    folder = _folder_of(settings)
    if folder is not None:
        findings += [_folder(folder), _disk(folder)]
    findings += [_clock(folder), _seals(settings)]
    findings.append(await _embedder(settings))
    findings += [finding async for finding in _store(invocation, folder)]
    return findings


def _folder_of(settings: Settings) -> Path | None:
    """The folder of an embedded store; None for one on a server."""
    return None if "://" in settings.store else Path(settings.store).expanduser()


def _python() -> Finding:
    return Finding(
        "python", "ok", f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    )


def _packages() -> Finding:
    missing, found = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("packages", "fail", f"missing: {', '.join(missing)}", "Install hindsight-memory again.")
    return Finding("packages", "ok", ", ".join(found))


def _engine() -> Finding:
    try:
        import apsw
    except ImportError as error:
        return Finding("engine", "fail", f"SQLite cannot be loaded: {error}", "Install the package apsw again.")
    found = f"SQLite {apsw.sqlite_lib_version()}"
    if "ENABLE_FTS5" not in apsw.compile_options:
        return Finding("engine", "fail", f"{found} without full-text search", "Install apsw from its wheel.")
    return Finding("engine", "ok", f"{found} with full-text search")


def _settings(settings: Settings) -> Finding:
    shown = []
    for name, value in settings:
        if value == type(settings).model_fields[name].default:
            continue
        shown.append(f"{name}={'(hidden)' if isinstance(value, pydantic.SecretStr) else _PASSWORD.sub('***@', str(value))}")
    return Finding("settings", "ok", ", ".join(shown) or "all at their defaults")


def _seals(settings: Settings) -> Finding:
    from hindsight.assemble import seal_keys, sealer_of

    try:
        keys = seal_keys(settings)
        sealer = sealer_of(keys, create=False)
    except HindsightError as error:
        return Finding("seals", "fail", str(error), "Put the key back, or set HINDSIGHT_SEAL_KEY.")
    if sealer is None:
        if keys.file is not None and not settings.seal_key.get_secret_value():
            return Finding("seals", "ok", f"a key will be made in {keys.file} for a store that has no seals yet")
        return Finding(
            "seals", "warn", "off: changes around hindsight would not show", "Set HINDSIGHT_SEAL_KEY or HINDSIGHT_SEAL_KEY_FILE."
        )
    where = "HINDSIGHT_SEAL_KEY" if settings.seal_key.get_secret_value() else str(keys.file)
    if keys.file is not None and where == str(keys.file) and keys.file.stat().st_mode & 0o077:
        return Finding("seals", "warn", f"others may read the key file {where}", f"chmod 600 {where}")
    return Finding("seals", "ok", f"key {sealer.key.hex()} from {where}")


def _folder(folder: Path) -> Finding:
    if not folder.exists():
        parent = next(each for each in folder.parents if each.exists())
        if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
            return Finding("folder", "ok", f"{folder} does not exist yet; the first store makes it")
        return Finding(
            "folder", "fail", f"{folder} does not exist, and {parent} may not be written", "Choose another folder (HINDSIGHT_STORE)."
        )
    if not folder.is_dir():
        return Finding("folder", "fail", f"{folder} is a file", "A store is a folder: choose another path (HINDSIGHT_STORE).")
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-"):
            mode = folder.stat().st_mode & 0o777
    except OSError as error:
        return Finding("folder", "fail", f"{folder} may not be written: {error.strerror}", _writable(error))
    if mode & 0o077:
        return Finding("folder", "warn", f"{folder} is open to other users (mode {mode:o})", f"chmod 700 {folder}")
    wrong = [path.name for path in folder.glob(f"{DATABASE}*") if not os.access(path, os.R_OK | os.W_OK)]
    if wrong:
        return Finding(
            "folder", "fail", f"{', '.join(wrong)} in {folder} may not be written", f"Give {_user()} the files (`chown`, `chmod u+rw`)."
        )
    loose = [path.name for path in folder.glob(f"{DATABASE}*") if path.stat().st_mode & 0o077]
    if loose and os.name == "posix":
        return Finding("folder", "warn", f"{', '.join(loose)} may be read by other users", f"chmod 600 {folder / DATABASE}*")
    return Finding("folder", "ok", f"{folder}, writable, mode {mode:o}")


def _writable(error: OSError) -> str:
    if error.errno == errno.EROFS:
        return "Mount it writable, or copy the folder to a place that may be written: a store is written to even when it is only read."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Free some space there."
    return f"Give {_user()} write permission."


def _disk(folder: Path) -> Finding:
    place = folder if folder.exists() else next(each for each in folder.parents if each.exists())
    free = shutil.disk_usage(place).free
    found = f"{free / (1 << 30):,.1f} GiB free"
    if free < LEAST_FREE_BYTES // 10:
        return Finding("disk", "fail", found, "Free some space: stores will be refused when the disk is full.")
    if free < LEAST_FREE_BYTES:
        return Finding("disk", "warn", found, "Free some space soon.")
    return Finding("disk", "ok", found)


def _clock(folder: Path | None) -> Finding:
    """The machine's clock against the build's year and against the file system, which may be another machine's."""
    now = datetime.now(UTC)
    found = f"{now.isoformat(timespec='seconds')}, local offset {datetime.now().astimezone().strftime('%z')}"
    if now.year < 2025:
        return Finding("clock", "fail", found, "Set the clock: times of memories would be wrong.")
    if folder is not None and folder.is_dir():
        try:
            with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-") as probe:
                offset = Path(probe.name).stat().st_mtime - time.time()
        except OSError:
            return Finding("clock", "ok", found)
        if abs(offset) > CLOCK_TOLERANCE.total_seconds():
            return Finding("clock", "warn", f"{found}; the file system's clock is {offset:+.0f} s off", "Synchronise both clocks (NTP).")
    return Finding("clock", "ok", found)


async def _embedder(settings: Settings) -> Finding:
    """Load the model and embed one text."""
    from hindsight.assemble import embedder_of

    started = time.perf_counter()
    try:
        embedder = embedder_of(settings)
        if embedder is None:
            return Finding("embedder", "warn", "none: keyword search only", "Set HINDSIGHT_EMBEDDER=auto for search by meaning.")
        try:
            vectors = await embedder.embed([DRY_TEXT], kind="passage")
        finally:
            await embedder.close()
    except HindsightError as error:
        return Finding("embedder", "fail", str(error), "HINDSIGHT_EMBEDDER=none works without a model, by keywords.")
    milliseconds = 1000 * (time.perf_counter() - started)
    if vectors.shape != (1, embedder.dimension):
        found = f"{embedder.model_id} gave {vectors.shape[-1]} dimensions instead of {embedder.dimension}"
        return Finding("embedder", "fail", found, "Check the model's name and embedder_dimensions.")
    return Finding("embedder", "ok", f"{embedder.model_id}, {embedder.dimension} dimensions, loaded and tried in {milliseconds:,.0f} ms")


def _no_store(folder: Path) -> Finding:
    try:
        check_restore(folder)
    except StoreCorrupt as error:
        return Finding("store", "fail", str(error))
    return Finding("store", "ok", "no store yet")


async def _store(invocation: Invocation, folder: Path | None) -> AsyncIterator[Finding]:
    if folder is not None and not (folder / DATABASE).exists() and not (folder / "writer.lock").exists():
        yield _no_store(folder)
        return
    try:
        async for finding in _opened(invocation):
            yield finding
    except ModelMismatch as error:
        yield Finding("model", "fail", str(error), "Run `hindsight reindex`, or set the embedder that the store was made with.")
        async for finding in _opened(invocation, embedder="none"):
            yield finding
    except ModelError as error:
        yield Finding("model", "fail", str(error))
    except HindsightError as error:
        damaged = isinstance(error, StoreCorrupt)
        yield Finding("store", "fail", str(error), _RESTORE if damaged else "")


async def _opened(invocation: Invocation, **settings: str) -> AsyncIterator[Finding]:
    from hindsight.memory import Hindsight

    chosen = {"worker": "off", **settings}  # who looks works at nothing
    async with Hindsight.open(invocation.store, namespace=invocation.namespace, agent=invocation.agent, **chosen) as memory:
        stats = await memory.stats()
        made_by = f"vectors by {stats.embedder} ({stats.dimension} dimensions)" if stats.embedder else "no vectors"
        yield Finding(
            "store",
            "ok",
            f"{stats.memories:,} memories, schema {stats.schema_version}, {made_by}, {stats.bytes_on_disk / (1 << 20):,.1f} MiB",
        )
        for finding in _verified(await memory.verify()):
            yield finding
        for remark in await memory.keeper.remarks():
            yield Finding(remark.name, remark.state, remark.found, remark.remedy)
        yield await _future(memory, list(stats.namespaces))
        async for finding in _kept_up(memory, stats):
            yield finding


def _verified(found: Verification) -> Iterator[Finding]:
    """What the records, indexes and seals say."""
    damage = [fault.message for fault in found.faults if fault.what == "index"]
    if damage:
        again = all("reindex" in text for text in damage)
        remedy = (
            "Run `hindsight reindex --keywords`."
            if again
            else "Restore a backup (`hindsight restore --replace`); the damaged store is kept aside."
        )
        yield Finding("integrity", "fail", _few(damage), remedy)
    else:
        yield Finding("integrity", "ok", "database and indexes agree")
    faults = [fault for fault in found.faults if fault.what != "index"]
    unsealed = [fault for fault in faults if "never sealed" in fault.message or fault.what == "not sealed"]
    if not faults:
        state: State = "ok" if found.state != "not sealed" else "warn"
        remedy = "" if state == "ok" else "Set HINDSIGHT_SEAL_KEY or HINDSIGHT_SEAL_KEY_FILE."
        yield Finding("sealed", state, "nothing is sealed" if remedy else f"{found.records:,} memories are as they were sealed", remedy)
    elif found.state == "wrong key":
        yield Finding("sealed", "fail", _few([fault.message for fault in faults]), "Put the key back that sealed the store.")
    elif len(unsealed) == len(faults):
        yield Finding(
            "sealed", "fail", _few([fault.message for fault in faults]), "Erase what you do not know, then `hindsight verify --reseal`."
        )
    else:
        remedy = "Look at `hindsight verify`; undo it, restore a backup, or accept what is there with `hindsight verify --reseal`."
        yield Finding("sealed", "fail", _few([fault.message for fault in faults]), remedy)


async def _kept_up(memory: Hindsight, stats: Stats) -> AsyncIterator[Finding]:
    """Queue, vectors, backups."""
    condition = await memory.keeper.condition()
    if condition.stale_leases:
        found = f"{condition.stale_leases:,} jobs belong to workers that went silent"
        yield Finding("leases", "warn", found, "Run `hindsight worker` or `hindsight serve`: whoever works takes them over.")
    elif condition.queue_age > LONGEST_WAIT:
        found = f"the oldest job has waited for {condition.queue_age / 60:,.0f} minutes"
        yield Finding("leases", "warn", found, "Run `hindsight worker` or `hindsight serve`: nobody works at the queue.")
    else:
        yield Finding("leases", "ok", "no worker went silent")
    if stats.dead_jobs:
        yield Finding("jobs", "warn", f"{stats.dead_jobs:,} jobs were given up", "Look at `hindsight jobs --state dead`.")
    else:
        yield Finding("jobs", "ok", f"{stats.queued:,} queued, none given up")
    if stats.vectors or memory.settings.embedder != "none":
        missing = await memory.keeper.without_vector()
        if missing:
            found = f"{missing:,} active memories have no vector: search by meaning does not find them"
            yield Finding("vectors", "warn", found, "Run `hindsight reindex`.")
        else:
            yield Finding("vectors", "ok", "every active memory has one")
    if (beside := await memory.vector_engine()) is not None:
        yield _vector_engine(beside)
    if (cold := await _cold(memory)) is not None:
        yield cold
    yield await _backups(memory, stats)


async def _cold(memory: Hindsight) -> Finding | None:
    """The files of the cold store; None where there is none."""
    try:
        found = await memory.cold_contents()
    except HindsightError as error:
        return Finding("cold store", "fail", str(error), "Correct HINDSIGHT_COLD_STORE, or what keeps the place from answering.")
    if found is None:
        return None
    if found.damaged:
        return Finding(
            "cold store", "fail", _few(list(found.damaged)), "Put these files back from a backup of the place; the others are used."
        )
    place = next(each for each in (Path(found.address), *Path(found.address).parents) if each.exists())
    if "://" not in found.address and not os.access(place, os.W_OK):
        return Finding("cold store", "fail", f"{place} may not be written; nothing can be archived", f"Give {_user()} write permission.")
    return Finding("cold store", "ok", f"{found.records:,} memories in {found.segments:,} files at {found.address}, checksums fit")


def _vector_engine(found: Comparison) -> Finding:
    """Whether the engine beside the store holds what the store holds."""
    held = f"{found.engine} at {found.place}: {found.points:,} points for {found.records:,} memories with a vector"
    if found.fault is not None:
        return Finding(
            found.engine, "warn", f"{found.fault} Searches in large namespaces go on by keywords.", "Start it; what changed is caught up."
        )
    if found.filling or found.behind:
        told = "is being filled" if found.filling else f"is {found.behind:,} changes behind"
        return Finding(found.engine, "warn", f"{held}; it {told}", "Run `hindsight worker` or `hindsight serve`, which fill it.")
    if not found.equal:
        differing = f", {len(found.differing)} of {found.sampled} that were compared differ" if found.differing else ""
        return Finding(found.engine, "warn", held + differing, "Run `hindsight reindex --vectors`.")
    return Finding(found.engine, "ok", f"{held}; {found.sampled} compared one by one")


async def _backups(memory: Hindsight, stats: Stats) -> Finding:
    try:
        last, age = await memory.keeper.last(), await memory.keeper.age()
    except HindsightError as error:
        return Finding("backups", "fail", str(error), "Correct the settings of backups.")
    if last is None or age is None:
        if not stats.memories:
            return Finding("backups", "ok", "none yet, and nothing to lose")
        return Finding(
            "backups", "warn", "there never was one", "Run `hindsight backup`, or `hindsight serve`, which makes one each night."
        )
    found = f"the last is {age / 3600:,.0f} hours old, at {last.address}"
    if age > OLDEST_BACKUP.total_seconds():
        return Finding("backups", "warn", found, "Run `hindsight backup`; the server makes one each night while it runs.")
    return Finding("backups", "ok", found)


def _few(messages: list[str]) -> str:
    more = len(messages) - 5
    return "; ".join(messages[:5]) + (f"; and {more:,} more" if more > 0 else "")


async def _future(memory: Hindsight, namespaces: list[str]) -> Finding:
    """Records written later than now: a clock was, or is, wrong."""
    limit = datetime.now(UTC) + CLOCK_TOLERANCE
    ahead = 0
    for namespace in namespaces:
        page = await memory.list(namespace=namespace, limit=100)
        ahead += sum(record.created_at > limit for record in page.items)
    if ahead:
        found = f"{ahead} of the newest memories were written in the future"
        return Finding("times", "warn", found, "Check this machine's clock, and that of whoever wrote or exported them.")
    return Finding("times", "ok", "no memory was written in the future")


def _user() -> str:
    return f"this user (uid {os.getuid()})" if sys.platform != "win32" else "this user"
