"""What the guard says of a record: the status it may take, why, and what else was seen."""

from __future__ import annotations

from dataclasses import dataclass

from hindsight.records import Status


@dataclass(frozen=True, slots=True)
class Verdict:
    """The status that a record may take, and why.

    ``flags`` were seen but decided nothing (a user's own words); ``families`` are the kinds of attack that decided;
    ``redacted`` names the secrets that were taken out; ``rejected`` says that nothing is kept at all.
    """

    status: Status
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    score: float | None = None
    rejected: bool = False

    @property
    def word(self) -> str:
        """``allow``, ``redact``, ``pending``, ``quarantine`` or ``reject``."""
        if self.rejected:
            return "reject"
        if self.status is Status.QUARANTINED:
            return "quarantine"
        if self.status is Status.PENDING:
            return "pending"
        return "redact" if self.redacted else "allow"

    def note(self) -> str:
        """One line for ``debug.guard`` and the history."""
        parts = [self.word, *self.reasons, *(f"flag: {each}" for each in self.flags)]
        if self.redacted:
            parts.append(f"redacted: {', '.join(self.redacted)}")
        if self.score is not None:
            parts.append(f"score {self.score:.2f}")
        return "; ".join(parts)

    def audit(self) -> str:
        """The verdict for the history: families alone, no word of the text."""
        named = [*self.families, *(f"redacted {each}" for each in self.redacted)]
        return f"guard: {self.word}" + (f" ({', '.join(named)})" if named else "")

    def audited(self, reason: str | None) -> str | None:
        """``reason`` of a change, with the verdict where there is one to tell."""
        return reason if self.is_plain else "; ".join(filter(None, (reason, self.audit())))

    def told(self) -> tuple[str, ...]:
        """What the writer is told."""
        redacted = (f"redacted: {', '.join(self.redacted)}",) if self.redacted else ()
        return (*self.reasons, *redacted, *(f"flagged: {each}" for each in self.flags))

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to note."""
        return self.status is Status.ACTIVE and not (self.reasons or self.flags or self.redacted)
