"""What ``hindsight doctor`` looks at. It changes nothing: where there is no store yet, none is made."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pydantic

from hindsight.cli.invocation import Invocation, log_for_commands
from hindsight.errors import HindsightError, ModelError, ModelMismatch

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.settings import Settings

State = Literal["ok", "warn", "fail"]
DATABASE = "memory.db"
LEAST_FREE_BYTES = 1 << 30
CLOCK_TOLERANCE = timedelta(minutes=2)
PACKAGES = ("apsw", "mcp", "numpy", "onnxruntime", "pydantic", "typer", "fastapi", "uvicorn")
DRY_TEXT = "记忆 memory"
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
        return Finding("folder", "fail", f"{folder} may not be written: {error.strerror}", f"Give {_user()} write permission.")
    if mode & 0o077:
        return Finding("folder", "warn", f"{folder} is open to other users (mode {mode:o})", f"chmod 700 {folder}")
    return Finding("folder", "ok", f"{folder}, writable, mode {mode:o}")


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


async def _store(invocation: Invocation, folder: Path | None) -> AsyncIterator[Finding]:
    if folder is not None and not (folder / DATABASE).exists() and not (folder / "writer.lock").exists():
        yield Finding("store", "ok", "no store yet")
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
        yield Finding("store", "fail", str(error), "Leave the files as they are and restore a backup, unless the message says otherwise.")


async def _opened(invocation: Invocation, **settings: str) -> AsyncIterator[Finding]:
    from hindsight.memory import Hindsight

    async with Hindsight.open(invocation.store, namespace=invocation.namespace, agent=invocation.agent, **settings) as memory:
        stats = await memory.stats()
        made_by = f"vectors by {stats.embedder} ({stats.dimension} dimensions)" if stats.embedder else "no vectors"
        yield Finding(
            "store",
            "ok",
            f"{stats.memories:,} memories, schema {stats.schema_version}, {made_by}, {stats.bytes_on_disk / (1 << 20):,.1f} MiB",
        )
        faults = await memory.check()
        if faults:
            yield Finding("integrity", "fail", "; ".join(faults), "Restore a backup; keep the damaged files.")
        else:
            yield Finding("integrity", "ok", "database and indexes agree")
        yield await _future(memory, list(stats.namespaces))
        if stats.dead_jobs:
            yield Finding("jobs", "warn", f"{stats.dead_jobs:,} jobs were given up", "Look at `hindsight jobs --state dead`.")
        else:
            yield Finding("jobs", "ok", f"{stats.queued:,} queued, none given up")


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
