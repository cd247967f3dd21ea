"""Refill the generated parts of the documentation: the table of settings, results of evaluation, figures of benchmarks.

    python scripts/pages.py [--check]

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; what stands there is replaced.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hindsight.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "benchmarks" / "bench.json"
SCALE = ROOT / "benchmarks" / "scale.json"
RESULTS = ROOT / "benchmarks" / "results.json"
FUSION = ROOT / "src" / "hindsight" / "recall" / "fusion.json"


def main() -> int:
    """Write the pages, or with --check say which are out of date."""
    parser = argparse.ArgumentParser(description="Refill the generated parts of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a page is out of date")
    check = parser.parse_args().check
    stale = [path for path, text in filled().items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} {'is out of date: run make pages' if check else 'written'}")
        if not check:
            path.write_text(filled()[path], encoding="utf-8")
    return int(check and bool(stale))


def filled() -> dict[Path, str]:
    """Each page that has a generated part, with its text as it should be."""
    pages = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"<!-- generated: (\w+) -->", text)
        for name in names:
            part = PARTS[name]()
            text = re.sub(
                rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)",
                lambda found, part=part: f"{found[1]}{part}{found[2]}",
                text,
                flags=re.DOTALL,
            )
        if names:
            pages[path] = text
    return pages


def settings_table() -> str:
    """One row a setting: its variable, default and meaning, as ``settings.py`` states them."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = field.get_default()
        shown = "" if default == "" or hasattr(default, "get_secret_value") else f"`{default}`"
        choices = " ".join(f"`{choice}`" for choice in getattr(field.annotation, "__args__", ()) if isinstance(choice, str))
        meaning = f"{field.description} Choices: {choices}." if choices else str(field.description)
        rows.append((f"`{PREFIX}{name.upper()}`", shown, meaning.replace("|", "\\|")))
    return table(("variable", "default", "meaning"), rows)


def results_tables() -> str:
    """One table a set: each run's rates with intervals."""
    if not RESULTS.exists():
        return "\nNothing is recorded yet.\n\n"
    recorded = json.loads(RESULTS.read_text(encoding="utf-8"))
    parts = [f"\n{recorded['note']}\n"] if recorded.get("note") else []
    for name, runs in recorded["sets"].items():
        n, documents = runs[0]["n"], runs[0]["docs"]
        rows = [(run["name"], *(rate(run, key) for key in ("recall@5", "recall@10", "recall@20", "hit@5", "ndcg@10"))) for run in runs]
        parts.append(f"\n**{name}**: {n} questions, {documents:,} documents; percent, with 95 % intervals\n\n")
        parts.append(table(("", "recall@5", "recall@10", "recall@20", "hit@5", "nDCG@10"), rows))
    return "".join(parts) + "\n"


def fusion_figures() -> str:
    """Recall by set and way of fusion, cross-validated, as the fitting script left it."""
    figures = json.loads(FUSION.read_text(encoding="utf-8"))["figures_adapted"]
    rows = []
    for name, modes in figures.items():
        for mode, found in modes.items():
            low, high = found["recall@5_interval"]
            shown = (f"{found['recall@5']} ({low}–{high})", *(f"{found[key]}" for key in ("recall@10", "recall@20", "hit@5")))
            rows.append((f"{name} ({found['n']})", mode, *shown))
    return table(("set (n)", "mode", "recall@5 (95 %)", "@10", "@20", "hit@5"), rows)


def abstention_table() -> str:
    """What each threshold lets through, of questions without and with an answer."""
    card = json.loads(FUSION.read_text(encoding="utf-8"))
    rows = []
    for row in card["abstention"]["rows"]:
        if row["threshold"] in (0.05, 0.1, 0.2, 0.3, 0.5):
            shown = [f"{100 * row[key]:.1f} %" for key in ("wrongly_answered", "answered")]
            rows.append((f"{row['threshold']:.2f}", *shown, f"{100 * row['recall']:.1f}"))
    uncut = 100 * card["abstention"]["rows"][0]["recall_uncut"]
    heading = ("least relevance", "unanswerable, something shown", "answerable, something shown", f"recall@5 left (uncut {uncut:.1f})")
    return table(heading, rows)


def rate(run: dict[str, Any], key: str) -> str:
    """``78.1 (75.3–80.9)``; without interval where the run has none."""
    interval = run.get("intervals", {}).get(key)
    shown = f"{100 * run[key]:.1f}"
    return f"{shown} ({100 * interval[0]:.1f}–{100 * interval[1]:.1f})" if interval else shown


def bench_tables() -> str:
    """The machine, and one column a size."""
    if not BENCH.exists():
        return "\nNothing is recorded yet.\n\n"
    report = json.loads(BENCH.read_text(encoding="utf-8"))
    machine, sizes = report["machine"], report["sizes"]
    parts = [
        f"\nMeasured on {machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}, ",
        f"hindsight {machine['hindsight']}, model `{report['embedder']}`. The disk made {machine['fsyncs_per_s']:,} writes of 4 KiB a second durable, ",
        f"memory was copied at {machine['memory_gb_per_s']} GB/s; load average {machine['load_average']}.\n\n",
    ]
    rows = [(label, *(value(size) for size in sizes), target) for label, value, target in BENCH_ROWS]
    parts.append(
        table(("p50 / p95 in ms unless said otherwise", *(f"{size['memories']:,} memories" for size in sizes), "aim at 100,000"), rows)
    )
    together = report["concurrent"]
    parts.append(
        f"\n{together['processes']} processes storing at once, keyword-only: {together['stores_per_s']:,} stores/s in all, each "
        f"{together['p50_ms']} / {together['p95_ms']} ms, the worst {together['worst_ms']} ms.\n\n"
    )
    return "".join(parts)


SCALE_KINDS = (
    "with embedding",
    "cached query",
    "keyword only",
    "filter to 10 %",
    "filter to 0.5 %",
    "frequent words",
    "two Chinese characters",
    "long query",
)


def scale_tables() -> str:
    """The machine, a table of the stores, and one of their namespaces: p50 / p95 by the clock, then the processor's time."""
    report = scale_report()
    if report is None:
        return "\nNothing is recorded yet.\n\n"
    stores, parts = report["stores"], [f"\nModel `{report['embedder']}`."]
    for system, names in machines_of(stores).items():
        parts.append(f" On {system}: {'; '.join(names)}.")
    parts.append("\n\n")
    rows = [(label, *(value(store) if key in store else "" for store in stores)) for label, key, value in SCALE_ROWS]
    parts.append(table(("", *map(store_of, stores)), [row for row in rows if any(row[1:])]))
    parts.append("\np50 / p95 in ms, in brackets the processor's time:\n\n")
    rows = []
    for store in stores:
        for records, kinds in store.get("retrieve", {}).items():
            if int(records) >= 1000:
                found = [kinds.get(kind) for kind in SCALE_KINDS]
                shown = [f"{each['p50_ms']:.0f} / {each['p95_ms']:.0f} ({each['cpu_ms']:.0f})" if each else "" for each in found]
                rows.append((store_of(store), f"{int(records):,}", *shown))
    parts.append(table(("store", "namespace", *SCALE_KINDS), rows))
    parts.append("\n")
    return "".join(parts)


def machines_of(stores: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """What was measured on each machine."""
    found: dict[str, list[str]] = {}
    for store in stores:
        machine = store["machine"]
        system = (
            f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}"
        )
        found.setdefault(system, []).append(store_of(store))
    return found


def upkeep_table() -> str:
    """Seconds of the processor that each job takes to look through a store, and how that grew with the store."""
    report = scale_report()
    stores = [store for store in report["stores"] if "upkeep" in store] if report else []
    jobs = dict.fromkeys(job for store in stores for job in store["upkeep"])
    if not jobs:
        return "\nNothing is recorded yet.\n\n"
    rows = [(f"`{job}`", *(seconds(store["upkeep"].get(job)) for store in stores)) for job in jobs]
    return "\n" + table(("s by the clock (of the processor)", *map(store_of, stores)), rows) + "\n"


def limits_table() -> str:
    """What the machine allows, beside what was measured in the same run."""
    report, rows = scale_report(), []
    for store in report["stores"] if report else ():
        speed, found = store["machine"]["memory_gb_per_s"], store.get("limits", {})
        for records, scan in found.get("scan", {}).items():
            if int(records) >= 10_000:
                least, what = scan["read_mb"] / speed, f"nearest vectors among {int(records):,}, store of {store['memories']:,}"
                times = f"{scan['p50_ms'] / least:.1f} ×"
                rows.append((what, f"{scan['read_mb']} MB at {speed} GB/s: {least:.2f} ms", f"{scan['p50_ms']:.2f} ms", times))
        tenth = store.get("retrieve", {}).get(str(store["memories"] // 10), {}).get("with embedding")
        if found and tenth:
            what = f"retrieve, embedding included, namespace of {store['memories'] // 10:,}"
            times = f"{tenth['p50_ms'] / found['embed_ms']:.1f} ×"
            rows.append((what, f"the model: {found['embed_ms']:.1f} ms", f"{tenth['p50_ms']:.1f} ms", times))
    bench = json.loads(BENCH.read_text(encoding="utf-8")) if BENCH.exists() else None
    if bench is not None:
        least, together = bench["machine"]["fsyncs_per_s"], bench["concurrent"]
        what, found = f"{together['processes']} processes storing, keyword-only", together["stores_per_s"]
        rows.append((what, f"{least:,} durable writes a second", f"{found:,} stores a second", f"{100 * found / least:.0f} %"))
    return "\n" + table(("", "the machine's limit", "measured", "of it"), rows) + "\n"


def scale_report() -> dict[str, Any] | None:
    """The recorded run of sizes."""
    return json.loads(SCALE.read_text(encoding="utf-8")) if SCALE.exists() else None


def store_of(store: dict[str, Any]) -> str:
    """How a table calls a store."""
    return f"{store.get('engine', 'embedded')}, {store['memories']:,}"


def seconds(job: dict[str, Any] | None) -> str:
    """``clock (processor)``."""
    return f"{job['s']:.1f} ({job['cpu_s']:.1f})" if job else ""


def cold_of(store: dict[str, Any]) -> str:
    """Seconds from a new process's start to its first answer, by namespace."""
    return ", ".join(f"{name.removeprefix('pool-')}: {probe['process_s']:.1f}" for name, probe in store["cold"].items())


def refresh_of(store: dict[str, Any], place: int) -> str:
    """The first retrieve after another process's change, and the next."""
    told = list(store["refresh"].values())[place]
    return f"{told['first_ms']:.0f} / {told['next_ms']:.0f}"


def together_of(store: dict[str, Any], which: str) -> str:
    """``p50 / p95 ms, n/s``."""
    told = store["concurrent"][which]
    stored = f", {told['stored_per_s']:.0f} stores/s" if "stored_per_s" in told else ""
    return f"{told['p50_ms']:.0f} / {told['p95_ms']:.0f} ms, {told['retrieved_per_s']:.0f}/s{stored}"


def change_of(store: dict[str, Any], what: str) -> str:
    """``before → after`` erasing half."""
    return f"{store['erase'][what]['before']:,} → {store['erase'][what]['after']:,}"


SCALE_ROWS: tuple[tuple[str, str, Callable[[dict[str, Any]], str]], ...] = (
    ("durable writes of 4 KiB a second", "machine", lambda store: f"{store['machine']['fsyncs_per_s']:,}"),
    ("memory copied, GB/s", "machine", lambda store: f"{store['machine']['memory_gb_per_s']}"),
    ("load average before", "machine", lambda store: f"{store['machine']['load_average']}"),
    ("new process to first answer, s (by namespace)", "cold", cold_of),
    ("resident, smallest namespace / all loaded, MB", "rss_mb", lambda store: " / ".join(f"{each:,}" for each in store["rss_mb"].values())),
    ("disk, MB (not sealed)", "disk_mb", lambda store: f"{store['disk_mb']:,}"),
    ("rows copied / statistics and vector indexes made, s", "copy_s", lambda store: f"{store['copy_s']:,} / {store['tune_s']:,}"),
    ("three readers at once", "concurrent", lambda store: together_of(store, "readers alone")),
    ("three readers beside a writer", "concurrent", lambda store: together_of(store, "readers beside a writer")),
    ("retrieve after another process stored 1 / the next, ms", "refresh", lambda store: refresh_of(store, 0)),
    ("the same after 1,000", "refresh", lambda store: refresh_of(store, 1)),
    ("half erased: memories a second", "erase", lambda store: f"{store['erase']['per_s']:,}"),
    ("half erased: resident, MB", "erase", lambda store: change_of(store, "rss_mb")),
    ("half erased: disk after `upkeep stats`, MB", "erase", lambda store: change_of(store, "disk_mb")),
)


def timing(*path: str) -> Callable[[dict[str, Any]], str]:
    """Reads ``p50 / p95`` at a place of a size's figures."""

    def read(size: dict[str, Any]) -> str:
        found: Any = size
        for step in path:
            found = (found or {}).get(step)
        return f"{found['p50_ms']} / {found['p95_ms']}" if found else "–"

    return read


BENCH_ROWS: tuple[tuple[str, Callable[[dict[str, Any]], str], str], ...] = (
    ("retrieve, embedding included", timing("retrieve", "with embedding"), "15 / 35"),
    ("retrieve, query cached", timing("retrieve", "cached query"), "8 / 20"),
    ("the same in the largest namespace", timing("retrieve", "cached query, largest namespace"), ""),
    ("retrieve, keyword only", timing("retrieve", "keyword only"), ""),
    ("retrieve, filtered to 10 %", timing("retrieve", "filter to 10 %"), ""),
    ("retrieve, filtered to 0.5 %", timing("retrieve", "filter to 0.5 %"), ""),
    ("embed one query", timing("embed_query"), ""),
    ("store", timing("write", "store"), ""),
    ("store, `wait=False`", timing("write", "store, wait=False"), "p95 10"),
    ("erase", timing("write", "forget"), ""),
    ("import, memories/s", lambda size: f"{size['import']['memories_per_s']:,}", ""),
    ("new process: open / first answer, s", lambda size: f"{size['cold']['open_s']} / {size['cold']['first_retrieve_s']}", ""),
    (
        "MCP stdio: tools listed / first answer, s",
        lambda size: f"{size['mcp_stdio']['tools_list_s']} / {size['mcp_stdio']['first_retrieve_s']}",
        "1.5 / –",
    ),
    ("resident memory, MB", lambda size: f"{size['cold']['rss_mb']:,}", ""),
    ("disk, MB", lambda size: f"{size['disk_mb']:,}", ""),
)


def table(heading: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [heading, tuple("---" for _ in heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


PARTS: dict[str, Callable[[], str]] = {
    "settings": settings_table,
    "results": results_tables,
    "bench": bench_tables,
    "scale": scale_tables,
    "upkeep": upkeep_table,
    "limits": limits_table,
    "fusion": fusion_figures,
    "abstention": abstention_table,
}


if __name__ == "__main__":
    sys.exit(main())
