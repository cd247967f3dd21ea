"""One query under two settings: what each asks of recall, and how the orders that come out differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from starlette.datastructures import QueryParams

from hindsight.errors import InvalidInput
from hindsight.recall.options import FUSIONS, PROFILES, ROUTES
from hindsight.serve.console.fields import filters, whole

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.recall.answer import Recall

SECOND = "b_"
"""Names of the second setting's fields begin so; one that is empty is as in the first."""
USUAL = "usual"
"""In the second setting: as the server is set, whatever the first says."""
CHOICES: dict[str, tuple[str, ...]] = {"profile": PROFILES, "fusion": FUSIONS, "rerank": ("on", "off"), "cold": ("on", "off")}
NUMBERS = ("k", "min_relevance", "half_life_days", "decay_floor", "similarity_threshold")
_SINGLE = (*CHOICES, *NUMBERS, "at", "now", "namespace", "kind", "outcome", "task_type", "since", "until")
COMPARED = 20


@dataclass(frozen=True, slots=True)
class Setting:
    """How a query is asked: ``call`` are arguments of ``retrieve``, ``options`` of ``recalling_with``."""

    call: dict[str, Any]
    options: dict[str, Any]

    async def ask(self, memory: Hindsight, query: str) -> Recall:
        """Ask, with an explanation."""
        return await self.seen(memory).retrieve(query, explain=True, **self.call)

    def seen(self, memory: Hindsight) -> Hindsight:
        """The memory that ranks as this setting has it."""
        return memory.recalling_with(**self.options) if self.options else memory

    @property
    def filters(self) -> dict[str, Any]:
        """What of it a ``why`` takes, too."""
        ours = {"k", "min_relevance", "profile", "routes", "now", "cold"}
        return {name: each for name, each in self.call.items() if name not in ours}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a candidate stands: its place among the candidates from 1, its score, and what became of it."""

    place: int
    score: float
    shown: bool
    dropped: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A candidate under both settings; None where a setting has it not among its best. ``moved``: places up (positive) or down."""

    id: UUID
    first: Standing | None
    second: Standing | None

    @property
    def moved(self) -> int:
        return self.first.place - self.second.place if self.first and self.second else 0

    @property
    def how(self) -> str:
        """``same``, ``up``, ``down``, ``new`` (only in the second) or ``gone``."""
        if self.first is None or self.second is None:
            return "new" if self.first is None else "gone"
        return "up" if self.moved > 0 else "down" if self.moved < 0 else "same"


def setting_of(given: Mapping[str, str], routes: Sequence[str]) -> Setting:
    """The setting that fields ask for.

    Raises:
        InvalidInput: one does not fit.
    """
    call: dict[str, Any] = filters(given)
    call |= {name: given[name].strip() for name in ("at", "now", "namespace") if given.get(name, "").strip()}
    number = whole(given.get("k", "").strip(), "k", least=1, most=1_000)
    if number is not None:
        call["k"] = number
    if given.get("profile") in PROFILES:
        call["profile"] = given["profile"]
    if routes and set(routes) != set(ROUTES):
        call["routes"] = list(routes)
    if given.get("cold") == "on":
        call["cold"] = True
    if (least := _number(given, "min_relevance")) is not None:
        call["min_relevance"] = least
    options: dict[str, Any] = {name: _number(given, name) for name in ("half_life_days", "decay_floor", "similarity_threshold")}
    options["fusion"] = given.get("fusion") if given.get("fusion") in FUSIONS else None
    options = {name: each for name, each in options.items() if each is not None}
    if given.get("rerank") == "off":
        options["rerank"] = False
    return Setting(call, options)


def both(given: QueryParams) -> tuple[Setting, Setting | None]:
    """The first setting of an address, and the second, where it differs.

    Raises:
        InvalidInput: a field of either does not fit.
    """
    first = setting_of(given, given.getlist("routes"))
    if given.get("compare") != "on":
        return first, None
    entered = {name: given.get(f"{SECOND}{name}", "").strip() for name in _SINGLE}
    wanted = {**given} | {name: "" if each == USUAL else each for name, each in entered.items() if each}
    return first, setting_of(wanted, given.getlist(f"{SECOND}routes") or given.getlist("routes"))


def differences(first: Recall, second: Recall) -> list[Difference]:
    """The best candidates of either, in the order of the first; what only the second has stands by its place there."""
    one, other = _standings(first), _standings(second)
    best = {id for each in (one, other) for id, standing in each.items() if standing.place <= COMPARED or standing.shown}
    found = [Difference(id, one.get(id), other.get(id)) for id in dict.fromkeys((*one, *other)) if id in best]
    return sorted(found, key=lambda each: (_place(each.first or each.second), each.first is None))


def _standings(found: Recall) -> dict[UUID, Standing]:
    if found.explanation is None:
        return {}
    shown = {hit.memory.id: place for place, hit in enumerate(found.hits, start=1)}
    # What is shown comes first, in the order shown: the judge may put a lesson before what scored higher.
    candidates = sorted(found.explanation.candidates, key=lambda each: shown.get(each.id, len(shown) + 1))
    return {each.id: Standing(place, each.score, each.id in shown, each.dropped) for place, each in enumerate(candidates, start=1)}


def _place(standing: Standing | None) -> int:
    return standing.place if standing is not None else 0


def _number(given: Mapping[str, str], name: str) -> float | None:
    written = given.get(name, "").strip()
    if not written:
        return None
    try:
        number = float(written)
    except ValueError:
        number = float("nan")
    if not abs(number) < float("inf"):
        raise InvalidInput(f"{name}: {written[:40]!r} is no number.")
    return number
