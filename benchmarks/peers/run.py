"""Peers side by side: the same documents, questions and vectors through each, one after another, on one machine.

    python benchmarks/peers/run.py DATA --scratch FOLDER [--peers chromadb,mem0,…] [--sets locomo:conv-26,conv-30 …]

Each peer gets an environment of its own under FOLDER, made from the package index; nothing is installed into the project's. No language
model and no download of a model is needed: the vectors are made once with the project's default model and given to every peer.
Prints a table, and writes FOLDER/peers.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from hindsight.assemble import embedder_of
from hindsight.evals.beir import BeirFolder, read_beir
from hindsight.evals.metrics import interval, recall_at
from hindsight.ports import Embedder
from hindsight.settings import load_settings

HERE = Path(__file__).resolve().parent
PEERS = {
    "chromadb": ["chromadb"],
    "langgraph": ["langgraph"],
    "mem0": ["mem0ai"],
    "mempalace": ["mempalace"],
}
SETS = ["locomo:conv-26,conv-30", "lifebench_zh:lumingqiang"]
CHECKOUT = HERE.parents[1]


def main() -> int:
    """Prepare, run, tell."""
    parser = argparse.ArgumentParser(description="Peers side by side.")
    parser.add_argument("data", type=Path, help="folder of the development sets")
    parser.add_argument("--scratch", type=Path, required=True, help="environments, stores and results go here")
    parser.add_argument("--peers", default=",".join(PEERS), help="which, separated by commas")
    parser.add_argument("--sets", nargs="+", default=SETS, help="NAME:SCOPE,SCOPE")
    arguments = parser.parse_args()
    scratch = arguments.scratch.resolve()
    results: dict[str, Any] = {}
    for each in arguments.sets:
        name, _, scopes = each.partition(":")
        data = read_beir(arguments.data / name, scopes=scopes.split(",") if scopes else None)
        folder = scratch / "sets" / f"{name}-{data.digest()}"
        vectors_s = prepare(data, folder)
        rows = {"hindsight": [sys.executable]} | {peer: [str(environment(scratch, peer))] for peer in arguments.peers.split(",") if peer}
        with embedder() as address:
            told = {peer: one(peer, python, folder, scratch / "runs" / name, address) for peer, python in rows.items()}
        results[name] = {"documents": len(data.documents), "questions": len(data.queries), "vectors_s": vectors_s}
        results[name]["peers"] = {peer: judged(found, data) for peer, found in told.items()}
        show(name, results[name])
    sizes = {peer: megabytes(scratch / "environments" / peer) for peer in PEERS if (scratch / "environments" / peer).exists()}
    (scratch / "peers.json").write_text(json.dumps({"sets": results, "installed_mb": sizes}, indent=1), encoding="utf-8")
    print("installed, MB:", sizes)
    return 0


def prepare(data: BeirFolder, folder: Path) -> float:
    """Write the set as the adapters read it, with its vectors; the seconds that the documents' vectors took."""
    folder.mkdir(parents=True, exist_ok=True)
    documents: list[dict[str, Any]] = [{"id": each["key"], "scope": each["namespace"], "text": spoken(each)} for each in data.documents]
    questions: list[dict[str, Any]] = [{"id": each.id, "scope": each.scope, "text": each.text, "now": each.now} for each in data.queries]
    for name, rows in (("documents", documents), ("questions", questions), ("drafts", data.documents)):
        lines = (json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    table, seconds = folder / "vectors.npy", folder / "vectors.json"
    if not table.exists():
        made, taken = asyncio.run(embedded([row["text"] for row in documents], [row["text"] for row in questions]))
        np.save(table, made)
        seconds.write_text(json.dumps(taken))
    return float(json.loads(seconds.read_text()))


def spoken(draft: dict[str, Any]) -> str:
    """A document as a text alone tells it."""
    return f"{draft['speaker']}: {draft['content']}" if draft.get("speaker") else str(draft["content"])


def default_model() -> Embedder:
    """The project's own; without it nothing here can be compared."""
    model = embedder_of(load_settings({}))
    if model is None:
        raise SystemExit("the default model is switched off")
    return model


async def embedded(documents: list[str], questions: list[str]) -> tuple[np.ndarray, float]:
    """The vectors of both, and the seconds that the documents' took."""
    model = default_model()
    begun = time.perf_counter()
    parts = [await model.embed(documents[start : start + 64], kind="passage") for start in range(0, len(documents), 64)]
    taken = round(time.perf_counter() - begun, 2)
    parts.append(await model.embed(questions, kind="query"))
    await model.close()
    return np.concatenate(parts), taken


@contextmanager
def embedder() -> Iterator[str]:
    """An address that gives the vector of a text that a peer makes up itself."""
    model = default_model()
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            vector = asyncio.run_coroutine_threadsafe(model.embed([text], kind="passage"), loop).result()[0]
            body = json.dumps([float(value) for value in vector]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        asyncio.run_coroutine_threadsafe(model.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)


def environment(scratch: Path, peer: str) -> Path:
    """The Python of the peer's environment, made where it is not there."""
    folder = scratch / "environments" / peer
    python = folder / "bin" / "python"
    if not python.exists():
        uv = shutil.which("uv")
        make: list[str] = [uv, "venv", "--quiet"] if uv else [sys.executable, "-m", "venv"]
        subprocess.run([*make, str(folder)], check=True)
        install = [uv, "pip", "install", "--quiet", "--python", str(python)] if uv else [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, "numpy", *PEERS[peer]], check=True)
    return python


def one(peer: str, python: list[str], folder: Path, runs: Path, address: str) -> dict[str, Any]:
    """Run an adapter; what it found, or the end of what it said where it failed."""
    runs.mkdir(parents=True, exist_ok=True)
    out = runs / f"{peer}.json"
    out.unlink(missing_ok=True)
    shutil.rmtree(runs / f"store-{peer}", ignore_errors=True)
    ours = {"PYTHONPATH": str(CHECKOUT / "src"), "HINDSIGHT_CONFIG": ""} if peer == "hindsight" else {}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HINDSIGHT_", "PYTHON"))}
    said = subprocess.run(
        [*python, str(HERE / f"with_{peer}.py"), str(folder), str(out)],
        env={**kept, "PEERS_EMBEDDER": address, "OMP_NUM_THREADS": "1", **ours},
        capture_output=True,
        text=True,
        check=False,
    )
    if not out.exists():
        return {"failed": said.stderr.strip()[-2_000:]}
    told: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return told


def judged(told: dict[str, Any], data: BeirFolder) -> dict[str, Any]:
    """Evidence recall of what a peer found, beside what it took."""
    if "failed" in told:
        return told
    found = told.pop("found")
    for k in (5, 10):
        rates = [recall_at(found[query.id], query.relevant, k) for query in data.queries]
        told[f"recall@{k}"] = round(sum(rates) / len(rates), 4)
        told[f"interval@{k}"] = [round(each, 4) for each in interval(rates)]
    return told


def show(name: str, result: dict[str, Any]) -> None:
    """A table of one set."""
    print(f"\n{name}: {result['documents']:,} documents, {result['questions']} questions; their vectors took {result['vectors_s']} s")
    print("| | recall@5 | recall@10 | ingest s | p50 ms | p95 ms | peak MB | start s |\n|---|---|---|---|---|---|---|---|")
    for peer, told in result["peers"].items():
        if "failed" in told:
            print(f"| {peer} | failed: {told['failed'].splitlines()[-1] if told['failed'] else 'said nothing'} |")
            continue
        rates = " | ".join(f"{100 * told[f'recall@{k}']:.1f}" for k in (5, 10))
        times = " | ".join(str(told[each]) for each in ("ingest_s", "p50_ms", "p95_ms", "rss_mb", "start_s"))
        print(f"| {peer} {told['version']} | {rates} | {times} |")


def megabytes(folder: Path) -> int:
    """What lies in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) // 1_000_000


if __name__ == "__main__":
    sys.exit(main())
