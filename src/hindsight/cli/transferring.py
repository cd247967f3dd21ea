"""Commands that move memories in and out: import, export."""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, cast

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.output import say, write_json
from hindsight.cli.progress import Bar
from hindsight.errors import InvalidInput

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.remember.importing import ImportFormat, ImportReport

FORMATS = "auto, hindsight, openai, beir, chatgpt, claude-code, langchain, markdown"


def import_(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="File or folder.")],
    format: Annotated[str, typer.Option(help=f"One of {FORMATS}.")] = "auto",
    keep_trust: Annotated[
        bool, typer.Option("--keep-trust", help="Records of our own export keep channel, trust and status: for a store that moves.")
    ] = False,
    take_vectors: Annotated[
        bool, typer.Option("--take-vectors", help="Use the vectors that the file brings instead of embedding.")
    ] = False,
) -> None:
    """Import memories or histories. Everything is checked before anything is written; importing twice adds nothing.

    With --namespace all of it goes there; otherwise into the pools that the source names.
    """
    invocation: Invocation = context.obj

    async def work(memory: Hindsight) -> ImportReport:
        with Bar("records", starting="checking") as bar:
            return await memory.import_file(
                path,
                format=cast("ImportFormat", format),
                namespace=invocation.namespace,
                keep_trust=keep_trust,
                take_vectors=take_vectors,
                progress=bar.show,
            )

    report = invocation.with_memory(work)
    if invocation.json:
        write_json(asdict(report) | {"seconds": round(report.seconds, 3), "path": str(path)})
        return
    rate = f", {report.stored / report.seconds:,.0f} a second" if report.stored and report.seconds > 0 else ""
    say(f"{report.stored:,} memories stored from {report.read:,} entries ({report.format}) in {report.seconds:.1f} s{rate}")
    for number, meaning in (
        (report.duplicates, "were there already"),
        (report.merged, "say what a memory said already"),
        (report.pending, "of the stored ones wait for approval"),
        (report.refused, "were refused"),
        (report.skipped, "hold nothing to remember"),
        (report.turns, "raw turns kept"),
    ):
        if number:
            say(f"  {number:,} {meaning}")
    if report.namespaces:
        say(f"  in {', '.join(report.namespaces[:8])}{' …' if len(report.namespaces) > 8 else ''}")


def export(
    context: typer.Context,
    output: Annotated[str, typer.Option("--output", "-o", help="File to write; `-` is stdout. A name ending in .gz is compressed.")] = "-",
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a line instead.")] = False,
) -> None:
    """Write every memory as JSON Lines, oldest first, quarantined ones left out. With --namespace only those of that pool."""
    invocation: Invocation = context.obj
    if schema:
        sys.stdout.write(files("hindsight").joinpath("export.schema.json").read_text(encoding="utf-8"))
        return

    async def work(memory: Hindsight) -> tuple[int, float]:
        started, written = time.monotonic(), 0
        with _target(output, Path(memory.settings.store)) as stream, Bar("records", starting="exporting", quiet=output == "-") as bar:
            async for record in memory.export(namespace=invocation.namespace):
                stream.write(record.model_dump_json().encode("utf-8") + b"\n")
                written += 1
                bar.show(written, 0)
            stream.flush()
        return written, time.monotonic() - started

    written, seconds = invocation.with_memory(work, reading=True)
    if invocation.json:
        write_json({"exported": written, "output": output, "seconds": round(seconds, 3)})
    elif output != "-":
        say(f"{written:,} memories written to {output} in {seconds:.1f} s")


@contextmanager
def _target(output: str, store: Path) -> Iterator[IO[bytes]]:
    """Stdout, or a file that appears whole or not at all, readable by its owner only; a device or pipe is written to as it is."""
    if output == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(output).expanduser().resolve()  # what a link points to, not the link itself
    if target.is_dir():
        raise InvalidInput(f"--output: {target} is a folder; name a file.")
    if target.resolve().parent == store.expanduser().resolve():
        raise InvalidInput(f"--output: {target} lies in the store's own folder, where it could overwrite the store; name a file elsewhere.")
    if target.exists() and not target.is_file():
        yield from _into(target)
        return
    try:
        handle, made = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InvalidInput(f"--output: {target} cannot be written: {error.strerror}; {_advice(error)}.") from error
    unfinished = Path(made)
    try:
        with os.fdopen(handle, "wb") as raw:
            with _packed(raw) if target.suffix == ".gz" else nullcontext(raw) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        unfinished.replace(target)
    except OSError as error:
        raise InvalidInput(
            f"--output: {target} cannot be written: {error.strerror or error}; {_advice(error)}. What stood there is as it was."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _advice(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "free some space there, or name a file on another disk"
    if error.errno == errno.ENOENT:
        return "create the folder first"
    return "name a file in a folder that this user may write to"


def _into(target: Path) -> Iterator[IO[bytes]]:
    """What is no file must not be replaced by one."""
    try:
        with target.open("wb") as raw:
            yield raw
    except OSError as error:
        raise InvalidInput(f"--output: {target} cannot be written: {error.strerror or error}; {_advice(error)}.") from error


@contextmanager
def _packed(raw: IO[bytes]) -> Iterator[IO[bytes]]:
    with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed, io.BufferedWriter(cast("io.RawIOBase", packed)) as stream:
        yield stream


COMMANDS = {"import": import_, "export": export}
