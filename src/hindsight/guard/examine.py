"""The guard: a draft and its channel in, a draft without secrets and a verdict out. Pure.

Layers, in order: secrets are taken out; the kind gate asks what the channel may make active; the scan looks for families of
attack in every field; the classifier scores what the scan let pass; texts written to be found by every question are noticed;
parents taint; what a person rejected before is known.
The strictest answer stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from hindsight.guard.agreement import magnet
from hindsight.guard.classifier import Classifier, bundled
from hindsight.guard.gate import gate
from hindsight.guard.rejected import RejectedPattern, find_rejected
from hindsight.guard.scan import Findings, scan
from hindsight.guard.secrets import redact
from hindsight.guard.trust import tainting
from hindsight.guard.verdict import Verdict
from hindsight.records import Channel, Draft, Lesson, Memory, Status
from hindsight.text.remembered import remembered

Strictness = Literal["off", "standard", "strict"]
Layer = Literal["secrets", "gate", "scan", "classifier", "taint", "rejected", "agreement"]
LAYERS: frozenset[Layer] = frozenset(("secrets", "gate", "scan", "classifier", "taint", "rejected", "agreement"))

QUARANTINING = frozenset({"override", "unrestricted", "exfiltration", "role_token", "hidden", "forged_conversation", "obfuscation"})
"""Families that no honest text of an agent, tool or document shows; the others are directives, which a person may approve."""
FROM_USER = frozenset({"override", "unrestricted", "authority", "standing_order", "hidden", "role_token"})
"""Families that even a user's own words must have confirmed: a pasted text may be speaking."""
LONG = 1_000
"""Characters from which what a user stores is flagged, not held back: nobody dictates that much, and a document says many things."""


COMPOSED_MARGIN = 1.0
"""A text worded here has the look of steps and errors whatever it tells: the classifier must be surer of it."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The guard at one strictness. ``layers`` says which work; measurements switch them off one at a time."""

    strictness: Strictness = "standard"
    personal: bool = False
    layers: frozenset[Layer] = LAYERS

    def examine(
        self,
        draft: Draft,
        channel: Channel,
        *,
        parents: Sequence[Memory] = (),
        rejected: Sequence[RejectedPattern] = (),
        now: datetime | None = None,
        composed: bool = False,
    ) -> tuple[Draft, Verdict]:
        """The draft as it may be kept, and the verdict on it. ``composed``: its wording was put together here from a task's report."""
        verdict = gate(draft.kind, channel, draft.visibility) if "gate" in self.layers else Verdict(Status.ACTIVE)
        if "taint" in self.layers and (bad := tainting(parents)):
            worst = Status.QUARANTINED if any(each.status is Status.QUARANTINED for each in bad) else Status.PENDING
            reason = f"made of {bad[0].id}, which is {bad[0].status}"
            verdict = _stricter(verdict, Verdict(worst, (reason,), families=("tainted",)))
        if self.strictness == "off":
            return draft, verdict
        redacted: tuple[str, ...] = ()
        if "secrets" in self.layers:
            draft, redacted = without_secrets(draft, personal=self.personal)
        verdict = _stricter(verdict, self._judge(draft, channel, composed=composed))
        if "agreement" in self.layers and (why := magnet(draft.content)):
            doubted = Verdict(Status.PENDING, (why,)) if channel is not Channel.USER else Verdict(Status.ACTIVE, flags=(why,))
            verdict = _stricter(verdict, replace(doubted, families=("magnet",)))
        if "rejected" in self.layers and now is not None and (known := find_rejected(draft.content, rejected, now)):
            reason = f"like a memory that was put away on {known.since:%Y-%m-%d}"
            verdict = _stricter(verdict, Verdict(Status.QUARANTINED, (reason,), families=("rejected_before",), rejected=known.exact))
        if not redacted:
            return draft, verdict
        return draft, _with_redacted(verdict, redacted)

    def _judge(self, draft: Draft, channel: Channel, *, composed: bool) -> Verdict:
        texts = _texts(draft)
        found = [_scanned(text) for text in texts]
        families = (
            tuple(dict.fromkeys(name for each in found for name in each.names(lone=self.strictness == "strict")))
            if "scan" in self.layers
            else ()
        )
        told = {name: matched for each in reversed(found) for name, matched in reversed((*each.families, *each.lone))}
        size = sum(map(len, texts))
        deciding = tuple(name for name in families if channel is not Channel.USER or name in FROM_USER)
        flags = tuple(f"{name}: {told[name]}" for name in families if name not in deciding)
        if deciding:
            reasons = tuple(f"{name.replace('_', ' ')}: {told[name]}" for name in deciding[:3])
            if channel is Channel.USER and (size > LONG or (self.strictness != "strict" and not set(deciding) & FROM_USER)):
                return Verdict(Status.ACTIVE, flags=(*reasons, *flags), families=deciding)
            status = Status.QUARANTINED if set(deciding) & QUARANTINING and channel is not Channel.USER else Status.PENDING
            return Verdict(status, reasons, flags, deciding)
        classifier = self._classifier()
        if classifier is None:
            return Verdict(Status.ACTIVE, flags=flags, families=families)
        score = max(map(_score, texts))
        if score < classifier.threshold(self.strictness, size) + (COMPOSED_MARGIN if composed else 0.0):
            return Verdict(Status.ACTIVE, flags=flags, families=families, score=score)
        reason = f"reads like an instruction to a model (score {score:.2f})"
        if channel is Channel.USER:
            return Verdict(Status.ACTIVE, flags=(reason, *flags), families=("classifier",), score=score)
        return Verdict(Status.PENDING, (reason,), flags, ("classifier",), score=score)

    def _classifier(self) -> Classifier | None:
        return bundled() if "classifier" in self.layers else None


def without_secrets(draft: Draft, *, personal: bool) -> tuple[Draft, tuple[str, ...]]:
    """The draft with every text field redacted, and the kinds of what was taken out."""
    kinds: dict[str, None] = {}

    def clean(text: str) -> str:
        done = redact(text, personal=personal)
        kinds.update(dict.fromkeys(done.kinds))
        return done.text

    changes: dict[str, object] = {}
    for name in ("content", "query", "key", "speaker", "task_type", "error_code"):
        text = getattr(draft, name)
        if text and (done := clean(text)) != text:
            changes[name] = done
    for name in ("tools", "tags", "entities"):
        texts = getattr(draft, name)
        if texts and (cleaned := tuple(map(clean, texts))) != texts:
            changes[name] = cleaned
    if draft.lesson is not None:
        lesson = Lesson(
            condition=clean(draft.lesson.condition),
            action=clean(draft.lesson.action),
            reason=clean(draft.lesson.reason),
            avoid=draft.lesson.avoid,
        )
        if lesson != draft.lesson:
            changes["lesson"] = lesson
    return (draft.model_copy(update=changes) if changes else draft), tuple(kinds)


def _texts(draft: Draft) -> list[str]:
    """Every field that can carry words, what belongs together in one text."""
    lesson = (draft.lesson.condition, draft.lesson.action, draft.lesson.reason) if draft.lesson is not None else ()
    names = (draft.speaker, draft.key, draft.task_type, draft.error_code, *draft.tools, *draft.tags, *draft.entities)
    labels = " | ".join(filter(None, names))
    return [text for text in (draft.content, draft.query, *lesson, labels) if text and text.strip()]


@remembered(1_024)
def _scanned(text: str) -> Findings:
    return scan(text)


@remembered(1_024)
def _score(text: str) -> float:
    """What the classifier makes of a text. Labels recur, so that it is remembered."""
    classifier = bundled()
    return 0.0 if classifier is None else classifier.score(_scanned(text))


_ORDER = {Status.ACTIVE: 0, Status.PENDING: 1, Status.QUARANTINED: 2}


def _stricter(first: Verdict, second: Verdict) -> Verdict:
    """Both at once: the stricter status, everybody's reasons."""
    return Verdict(
        max(first.status, second.status, key=_ORDER.__getitem__),
        tuple(dict.fromkeys((*first.reasons, *second.reasons))),
        tuple(dict.fromkeys((*first.flags, *second.flags))),
        tuple(dict.fromkeys((*first.families, *second.families))),
        first.redacted or second.redacted,
        second.score if second.score is not None else first.score,
        first.rejected or second.rejected,
    )


def _with_redacted(verdict: Verdict, redacted: tuple[str, ...]) -> Verdict:
    return _stricter(verdict, Verdict(Status.ACTIVE, redacted=redacted))
