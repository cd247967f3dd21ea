"""What the played tasks say together: recall accuracy, application accuracy, and tokens against the whole history."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hindsight.evals.metrics import interval
from hindsight.evals.tasks.play import ROWS, Played

NAMES = {"memory": "memory on", "vector_only": "vector only", "full_history": "full history", "none": "none"}
_MEASURES = ("recall_accuracy", "application_accuracy", "token_saving")
_WIDTH, _BAR = 520, 16


def summary(played: Sequence[Played], settings: Mapping[str, Any]) -> dict[str, Any]:
    """JSON-able: each row's rates with 95 % intervals, tokens a task, the same by ability and by language, and every task played."""
    rows = {row: [each for each in played if each.row == row] for row in ROWS}
    full = sum(each.tokens for each in rows["full_history"])
    return {
        "tasks": len(rows["none"]),
        "settings": dict(settings),
        "rows": {row: _measured(those, full) for row, those in rows.items() if those},
        "by_ability": _by(played, "ability"),
        "by_language": _by(played, "language"),
        "played": [asdict(each) for each in played],
    }


def _measured(those: Sequence[Played], full: int) -> dict[str, Any]:
    recalled, applied = [float(each.recalled) for each in those], [float(each.applied) for each in those]
    tokens = sum(each.tokens for each in those)
    return {
        "recall_accuracy": _mean(recalled),
        "recall_interval": interval(recalled),
        "application_accuracy": _mean(applied),
        "application_interval": interval(applied),
        "tokens_a_task": round(tokens / len(those), 1),
        "token_saving": round(1 - tokens / full, 4) if full else 0.0,
    }


def _by(played: Sequence[Played], name: str) -> dict[str, Any]:
    kinds = dict.fromkeys(getattr(each, name) for each in played)
    return {
        kind: {
            row: _mean([float(each.applied) for each in played if each.row == row and getattr(each, name) == kind])
            for row in dict.fromkeys(each.row for each in played)
        }
        for kind in kinds
    }


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def html_report(report: Mapping[str, Any]) -> str:
    """One page without script or outside files: bars for each measure and row, and every task."""
    rows: Mapping[str, Mapping[str, Any]] = report["rows"]
    charts = "".join(
        f"<h2>{html.escape(measure.replace('_', ' '))}</h2>{_bars({NAMES[row]: values[measure] for row, values in rows.items()})}"
        for measure in _MEASURES
    )
    head = "".join(f"<th>{NAMES[row]}</th>" for row in rows)
    tasks = dict.fromkeys(each["task"] for each in report["played"])
    of_task = {(each["task"], each["row"]): each for each in report["played"]}
    lines = "".join(
        f"<tr><th scope=row>{html.escape(task)}</th>" + "".join(_cell(of_task.get((task, row))) for row in rows) + "</tr>" for task in tasks
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>hindsight eval tasks</title>"
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
        "table{border-collapse:collapse}th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid #8886}</style>"
        f"<h1>{report['tasks']} tasks</h1>{charts}<h2>Tasks</h2><table><tr><th>task</th>{head}</tr>{lines}</table></html>"
    )


def _cell(each: Mapping[str, Any] | None) -> str:
    if each is None:
        return "<td>–</td>"
    return f"<td>{'✓' if each['applied'] else '✗'} {html.escape(each['chosen'])}</td>"


def _bars(values: Mapping[str, float]) -> str:
    height = len(values) * (_BAR + 8)
    bars = "".join(
        f'<text x="0" y="{place * (_BAR + 8) + _BAR - 3}" font-size="13" fill="currentColor">{html.escape(name)}</text>'
        f'<rect x="110" y="{place * (_BAR + 8)}" width="{max(0.0, value) * (_WIDTH - 180):.1f}" height="{_BAR}" fill="#3b7dd8"/>'
        f'<text x="{115 + max(0.0, value) * (_WIDTH - 180):.1f}" y="{place * (_BAR + 8) + _BAR - 3}" font-size="13" fill="currentColor">'
        f"{100 * value:.0f} %</text>"
        for place, (name, value) in enumerate(values.items())
    )
    told = ", ".join(f"{name} {100 * value:.0f} %" for name, value in values.items())
    return f'<svg role="img" aria-label="{html.escape(told)}" width="{_WIDTH}" height="{height}">{bars}</svg>'
