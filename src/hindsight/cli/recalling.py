"""How an answer is shown: the memories with where they were found, and on request every candidate and its fate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hindsight.cli.output import as_json, console, plain, say, shortened, table, when

if TYPE_CHECKING:
    from hindsight.recall.answer import Recall
    from hindsight.recall.explain import Explanation
    from hindsight.recall.hit import Hit

SHOWN_CANDIDATES = 15
SHOWN_WEIGHTS = 10


def recalled(found: Recall) -> dict[str, Any]:
    """An answer as JSON-able values."""
    answer: dict[str, Any] = {
        "id": str(found.id),
        "query": found.query,
        "hits": [hit_json(hit) for hit in found.hits],
        "rendered": found.render(),
        "flags": list(found.flags),
        "language": found.language,
        "took_ms": round(found.took_ms, 2),
    }
    if found.explanation is not None:
        answer["explanation"] = found.explanation.to_json()
    return answer


def hit_json(hit: Hit) -> dict[str, Any]:
    """One memory of an answer as JSON-able values."""
    return {
        "id": str(hit.memory.id),
        "score": round(hit.score, 4),
        "relevance": round(hit.relevance, 4),
        "routes": list(hit.routes),
        "labels": list(hit.labels),
        "factors": {name: round(value, 4) for name, value in hit.factors.items()},
        "memory": as_json(hit.memory),
    }


def show_recall(found: Recall) -> None:
    """An answer for people."""
    shown = console()
    if not found.hits:
        say("nothing relevant found")
    for number, hit in enumerate(found.hits, start=1):
        line = plain(f"{number}. ", style="bold")
        line.append_text(plain(shortened(said(hit), 400)))
        shown.print(line, soft_wrap=True)
        shown.print(plain(f"   {reason(hit)} · {when(hit.memory.event_time, found.zone)} · {hit.memory.id}", style="dim"), soft_wrap=True)
    shown.print(plain(f"{found.took_ms:.1f} ms{''.join(f' · {flag}' for flag in found.flags)}", style="dim"), soft_wrap=True)
    if found.explanation is not None:
        show_explanation(found.explanation)


def said(hit: Hit) -> str:
    """What a memory says, and who said it."""
    memory = hit.memory
    return f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content


def reason(hit: Hit) -> str:
    """Why it is among the answers, in one line."""
    parts = [f"relevance {hit.relevance:.2f}", f"score {hit.score:.3f}"]
    if hit.routes:
        parts.append(f"found by {', '.join(hit.routes)}")
    if hit.labels:
        parts.append(", ".join(hit.labels))
    return " · ".join(parts)


def _heaviest(explanation: Explanation) -> list[tuple[str, float]]:
    return sorted(explanation.weights.items(), key=lambda item: -abs(item[1]))[:SHOWN_WEIGHTS]


def show_explanation(explanation: Explanation, only: str | None = None) -> None:
    """What was understood, what each route gave, and the best candidates or the one asked for."""
    say("")
    understood = ", ".join(f"{name} {value}" for name, value in explanation.understood.items() if value not in (None, "", (), [], {}))
    facts = [
        ("understood", understood or "–"),
        ("routes", ", ".join(f"{name} {count}" for name, count in explanation.route_counts.items()) or "–"),
        ("weights", ", ".join(f"{name} {weight:.2f}" for name, weight in _heaviest(explanation)) or "–"),
        ("ms", ", ".join(f"{name} {milliseconds:.1f}" for name, milliseconds in explanation.timings.items()) or "–"),
    ]
    console().print(table(("", ""), facts))
    chosen = [each for each in explanation.candidates if only is None or str(each.id) == only][:SHOWN_CANDIDATES]
    rows = [
        (
            str(each.id),
            f"{each.relevance:.2f}",
            f"{each.score:.3f}",
            ", ".join(f"{name} #{rank}" for name, (rank, _) in each.routes.items()),
            "shown" if each.shown else each.dropped or "not among the best",
        )
        for each in chosen
    ]
    if rows:
        say("")
        console().print(table(("id", "relevance", "score", "routes", "fate"), rows))
    features = {name: value for each in chosen[:1] for name, value in each.features.items()} if only is not None else {}
    if features:
        console().print(table(("feature", "value"), [(name, f"{value:.3f}") for name, value in sorted(features.items())]))
