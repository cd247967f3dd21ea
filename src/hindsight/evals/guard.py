"""What gets past the guard: attacks that become active, honest texts that are held back, both from the same settings in one run.

Each text is stored by each channel in turn, as a fact in a namespace of its own, in a store without vectors: the verdict
does not depend on them. Attacks that became active are then asked for by words of their own text in a store with vectors,
alone and among 1,000 honest records.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any

from hindsight.assemble import assemble
from hindsight.errors import InvalidInput
from hindsight.evals.metrics import clopper_pearson, percentile
from hindsight.guard.examine import LAYERS, Guard, Layer
from hindsight.memory import Hindsight
from hindsight.records import Channel, Draft, StoreStatus
from hindsight.settings import Settings, load_settings
from hindsight.text.remembered import forget_texts

CHANNELS = (Channel.TOOL, Channel.DOCUMENT, Channel.AGENT)
LAYERS_SHOWN: tuple[Layer, ...] = ("scan", "classifier")
POPULATED = 1_000
K = 5
Progress = Callable[[str, int, int], None]
"""Told (stage, done, total)."""
_NOTES = (
    "Meeting {} was held on the second floor and ended on time.",
    "第 {} 次盘点在周三完成，数目相符。",
    "Parcel {} arrived at the depot in the morning.",
    "{} 号车的保养记录已经归档。",
    "Reading {} of the water meter was taken in the cellar.",
)
_HELD = {StoreStatus.PENDING, StoreStatus.QUARANTINED, StoreStatus.REJECTED}
_WORD = re.compile(r"[^\W\d_]{4,}|[\u3400-\u9fff]{2}")


@dataclass(frozen=True, slots=True)
class Case:
    """One text of the folder."""

    id: str
    text: str
    language: str
    family: str
    source: str
    attack: bool
    context_dependent: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one text by one channel. ``flagged``: active, with something noted about it."""

    case: Case
    channel: Channel
    held: bool
    flagged: bool


@dataclass(frozen=True, slots=True)
class GuardReport:
    """What one run measured; :meth:`as_dict` gives the rates."""

    folder: str
    strictness: str
    outcomes: Sequence[Outcome]
    from_user: Sequence[Outcome]
    without: Mapping[str, Sequence[Outcome]]
    returned: Mapping[str, Sequence[bool]]
    milliseconds: Sequence[float]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-able values, all rates 0..1 with exact 95 % intervals. ``attack_active_rate``: Chinese and English,
        self-contained; ``benign_block_rate``: any status but active. A text counts once: by the channel of the worse result.
        """
        own = [each for each in self.outcomes if each.case.attack and not each.case.context_dependent]
        told = [each for each in own if each.case.language in ("zh", "en")]
        others = [each for each in own if each.case.language not in ("zh", "en")]
        benign = [each for each in self.outcomes if not each.case.attack]
        leaning = [each for each in self.outcomes if each.case.attack and each.case.context_dependent]
        report: dict[str, Any] = {
            "set": self.folder,
            "guard": self.strictness,
            "attack_active_rate": _active(told)["rate"],
            "attack_active_rate_other": _active(others)["rate"],
            "benign_block_rate": _held(benign)["rate"],
            "n": {"attacks": _active(told)["n"], "attacks_other": _active(others)["n"], "benign": _held(benign)["n"]},
            "intervals": {
                "attack_active_rate": _active(told)["interval"],
                "attack_active_rate_other": _active(others)["interval"],
                "benign_block_rate": _held(benign)["interval"],
            },
            "attacks": {
                "by_language": _by(own, _language, _active),
                "by_channel": _by(told, lambda each: str(each.channel), _active),
                "by_family": _by(told, lambda each: each.case.family, _active),
                "by_source": _by(told, lambda each: each.case.source, _active),
                "context_dependent": _active(leaning),
            },
            "benign": {
                "by_language": _by(benign, _language, _held),
                "by_channel": _by(benign, lambda each: f"{_language(each)} {each.channel}", _held),
                "by_source": _by(benign, lambda each: each.case.source, _held),
            },
            "user_channel": {
                "attacks_active_unflagged": _share([not each.held and not each.flagged for each in self.from_user if _plain_attack(each)]),
                "benign_blocked": _held([each for each in self.from_user if not each.case.attack]),
            },
            "returned": {where: _share(list(hits)) for where, hits in self.returned.items()},
            "layers_off": {
                name: {
                    "attack_active_rate": _active([each for each in rows if _plain_attack(each)])["rate"],
                    "benign_block_rate": _held([each for each in rows if not each.case.attack])["rate"],
                }
                for name, rows in self.without.items()
            },
        }
        if self.milliseconds:
            times = [round(percentile(self.milliseconds, share), 3) for share in (0.5, 0.95)]
            report["added_ms"] = {"p50": times[0], "p95": times[1], "n": len(self.milliseconds)}
        return report | {"settings": dict(self.settings)}


async def run_guard_eval(
    folder: str | Path, *, layers: bool = True, retrieval: bool = True, progress: Progress | None = None, **settings: Any
) -> GuardReport:
    """Measure the guard on a folder with ``attacks.jsonl`` and ``benign.jsonl``.

    Args:
        folder: JSON lines with ``text``, ``language``, ``kind``; rows whose ``kind`` is not ``memory_write`` are left out.
        layers: also measure with each layer switched off, for the channel ``agent``.
        retrieval: also ask for the attacks that became active.
        progress: told (stage, done, total).
        settings: any setting by its name, such as ``guard="strict"``.

    Raises:
        InvalidInput: a file is missing or a line does not fit; the message names it.
    """
    place = Path(folder)
    cases = [*read_cases(place / "attacks.jsonl", attack=True), *read_cases(place / "benign.jsonl", attack=False)]
    told = progress or _silent
    chosen = load_settings(**settings)
    guard = Guard(chosen.guard, personal=chosen.guard_personal == "on")
    outcomes = [each for channel in CHANNELS for each in await _stored(cases, channel, chosen, guard, told)]
    from_user = await _stored(cases, Channel.USER, chosen, guard, told)
    without: dict[str, list[Outcome]] = {}
    for layer in LAYERS_SHOWN if layers else ():
        bare = Guard(guard.strictness, personal=guard.personal, layers=LAYERS - {layer})
        without[layer] = await _stored(cases, Channel.AGENT, chosen, bare, told)
    active = list(dict.fromkeys(each.case for each in outcomes if _plain_attack(each) and not each.held))
    returned = await _returned(active, cases, chosen, told) if retrieval else {}
    return GuardReport(
        folder=place.name,
        strictness=guard.strictness,
        outcomes=outcomes,
        from_user=from_user,
        without=without,
        returned=returned,
        milliseconds=_timed(cases, guard),
        settings={"guard": chosen.guard, "guard_personal": chosen.guard_personal},
    )


def read_cases(path: Path, *, attack: bool) -> list[Case]:
    """The texts of one file that are memories to be written.

    Raises:
        InvalidInput: the file cannot be read or a line is not what it should be.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: cannot be read ({error}); a folder with attacks.jsonl and benign.jsonl is needed.") from error
    cases = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            text, kind = row["text"], row.get("kind", "memory_write")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InvalidInput(f"{path}, line {number}: an object with text and language is needed ({error}).") from error
        if not isinstance(text, str) or not text.strip():
            raise InvalidInput(f"{path}, line {number}: text: some text is needed.")
        if kind == "memory_write":
            given = {name: str(row.get(name) or "") for name in ("language", "category", "source")}
            cases.append(
                Case(
                    id=str(row.get("_id", number)),
                    text=text,
                    language=given["language"] or "other",
                    family=given["category"],
                    source=given["source"],
                    attack=attack,
                    context_dependent=bool(row.get("context_dependent")) and attack,
                )
            )
    return cases


async def _stored(cases: Sequence[Case], channel: Channel, settings: Settings, guard: Guard, told: Progress) -> list[Outcome]:
    with tempfile.TemporaryDirectory(prefix="hindsight-guard-") as folder:
        bare = settings.model_copy(update={"store": folder, "embedder": "none"})
        async with assemble(bare, channel=channel, guard=guard) as memory:
            done = 0

            def tell(stored: int) -> None:
                nonlocal done
                done += stored
                told(f"{channel}", done, len(cases))

            results = await memory.store_many(
                [{"content": case.text, "namespace": f"case-{number}"} for number, case in enumerate(cases)], progress=tell
            )
    return [
        Outcome(case, channel, result.status in _HELD, any(reason.startswith("flagged") for reason in result.reasons))
        for case, result in zip(cases, results, strict=True)
    ]


async def _returned(active: Sequence[Case], cases: Sequence[Case], settings: Settings, told: Progress) -> dict[str, list[bool]]:
    """For each active attack, whether words of its own bring it back among the first five: alone, and among 1,000 honest records."""
    honest = populated([case.text for case in cases if not case.attack])
    found: dict[str, list[bool]] = {"empty_store": [], "populated_store": []}
    if not active:
        return found
    with tempfile.TemporaryDirectory(prefix="hindsight-guard-") as folder:
        async with assemble(settings.model_copy(update={"store": folder}), channel=Channel.AGENT) as memory:
            await memory.store_many([{"content": text, "kind": "episode", "namespace": "populated"} for text in honest])
            for number, case in enumerate(active, start=1):
                for where, namespace in (("empty_store", f"empty-{number}"), ("populated_store", "populated")):
                    found[where].append(await _comes_back(memory, case, namespace))
                told("returned", number, len(active))
    return found


def populated(honest: Sequence[str]) -> list[str]:
    """1,000 different texts: the honest ones, and neutral notes where these are fewer."""
    texts = list(dict.fromkeys(honest))[:POPULATED]
    notes = (_NOTES[number % len(_NOTES)].format(number) for number in count())
    return [*texts, *islice(notes, POPULATED - len(texts))]


async def _comes_back(memory: Hindsight, case: Case, namespace: str) -> bool:
    saved = await memory.store(case.text, kind="episode", namespace=namespace)
    answer = await memory.retrieve(topic_of(case.text), k=K, namespace=namespace)
    hit = any(each.memory.id == saved.id for each in answer.hits)
    if saved.id is not None:
        await memory.forget(saved.id)
    return hit


def topic_of(text: str) -> str:
    """A question about a text: some of its own words, in another order."""
    words = list(dict.fromkeys(_WORD.findall(text)))
    return " ".join(sorted(words, key=lambda word: (-len(word), word))[:8]) or text[:40]


def _timed(cases: Sequence[Case], guard: Guard) -> list[float]:
    """Milliseconds of the guard alone, each text once."""
    drafts = [Draft(content=case.text) for case in cases]
    guard.examine(drafts[0], Channel.AGENT) if drafts else None
    forget_texts()
    times = []
    for draft in drafts:
        started = time.perf_counter()
        guard.examine(draft, Channel.AGENT)
        times.append(1000 * (time.perf_counter() - started))
    return times


def _silent(*_: object) -> None:
    """No one wants to know."""


def _plain_attack(each: Outcome) -> bool:
    return each.case.attack and not each.case.context_dependent and each.case.language in ("zh", "en")


def _language(each: Outcome) -> str:
    return each.case.language if each.case.language in ("zh", "en") else "other"


def _by(rows: Sequence[Outcome], name: Callable[[Outcome], str], rate: Callable[[Sequence[Outcome]], dict[str, Any]]) -> dict[str, Any]:
    groups: dict[str, list[Outcome]] = {}
    for each in rows:
        groups.setdefault(name(each), []).append(each)
    return {key: rate(groups[key]) for key in sorted(groups)}


def _active(rows: Sequence[Outcome]) -> dict[str, Any]:
    """Share of the texts that became active by any of the channels; each text counts once."""
    return _share(_any_channel(rows, lambda each: not each.held))


def _held(rows: Sequence[Outcome]) -> dict[str, Any]:
    """Share of the texts that were held back by any of the channels; each text counts once."""
    return _share(_any_channel(rows, lambda each: each.held))


def _any_channel(rows: Sequence[Outcome], hit: Callable[[Outcome], bool]) -> list[bool]:
    found: dict[Case, bool] = {}
    for each in rows:
        found[each.case] = found.get(each.case, False) or hit(each)
    return list(found.values())


def _share(hits: Iterable[bool]) -> dict[str, Any]:
    values = list(hits)
    rate = round(sum(values) / len(values), 4) if values else 0.0
    return {
        "rate": rate,
        "n": len(values),
        "interval": [round(end, 4) for end in clopper_pearson(sum(values), len(values))] if values else None,
    }
