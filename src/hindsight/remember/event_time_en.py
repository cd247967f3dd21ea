"""English: whether the clause around a time states that something happened then. Pure."""

from __future__ import annotations

import re

UNREAL = re.compile(
    r"\b(?:if|unless|whether|maybe|perhaps|probably|possibly|might|could|would|should|suppose[ds]?|imagin\w+|pretend\w*|wish\w*|dream\w*|almost"
    r"|nearly|for example|e\.g|every|each|always|usually|often|sometimes|normally|typically|whenever|used to|plan(?:s|ned|ning)?|hop(?:e[ds]?|ing)"
    r"|intend\w*|want(?:s|ed)?|expect\w*|meant to|going to|about to)\b|['’]d\b",
    re.IGNORECASE,
)
"""Words of supposition, doubt, plan and habit; a sentence with one states no single event."""

_IRREGULAR = frozenset(
    "was were had did went came became began bought brought built caught chose cut drew drank drove ate fell felt fought found flew forgot froze gave got grew heard hit "
    "hurt kept knew led left lent lost made met paid put quit ran rang read rode rose said saw sold sent set shot shut sang sat slept spoke spent split stood stole stuck "
    "struck swam swore took taught told thought threw understood woke wore won wrote broke bet bent blew dealt dug fed hid held hung lit laid rebuilt sank shook shrank "
    "slid sought spread stank swept tore wept withdrew overslept".split()
)
_NOT_PAST = frozenset(
    "need feed speed seed weed breed bleed exceed proceed succeed embed shed red bed indeed hundred used biased sacred naked".split()
)
_OPEN = frozenset("to for from of since until till by before after than about between through with as like during within".split())
"""Before a time these make it a part of something else, a limit, or a length."""
_BOOKED = frozenset("booked scheduled reserved arranged promised agreed invited decided ordered set moved postponed".split())
_PARTICIPLE_AFTER = frozenset("was were got had".split())
_SUBJECT = r"(?:i|we|he|she|they|it|you|there|this|that|someone|somebody|everyone|everybody|nobody else)"
_DETERMINER = (
    r"(?:my|our|your|his|her|their|its|the|a|an|this|that|these|those|some|another|one|two|three|four|several|[A-Z][\w-]*['’]s|\w+s['’])"
)
_ADVERB = r"(?:(?:also|just|finally|really|actually|both|all|then|even|suddenly|already|accidentally|officially|successfully|quickly|briefly|[a-z]+ly)\s+)"
_LEAD = (
    r"(?:(?:so|and|but|well|oh|wow|hey|hi|yeah|yes|yep|no|btw|by the way|anyway|actually|also|then|plus|ok|okay|guess what|good news|bad news|fyi|"
    r"update|note|just|only|back|early|late|earlier|on|in|at|over|around|sometime)\b[\s!.,:–—-]*)*"
)
_VERB = r"(?P<verb>[A-Za-z]+)(?P<rest>(?![\w'’]).*)$"
_CLAUSES = tuple(
    re.compile(rf"^\s*(?i:{_LEAD}){subject}(?i:{_ADVERB})*{_VERB}", re.DOTALL)
    for subject in (
        rf"(?i:{_SUBJECT})\s+",
        "",
        r"[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*){0,2}\s+",
        *(rf"(?i:{_DETERMINER})\s+(?P<noun>(?:[\w'’&/-]+\s+){{{words}}})" for words in range(1, 7)),
    )
)
"""A clause by its subject: a pronoun, none ("Had lunch"), a name, and nouns of one to six words."""
_ONLY_LEAD = re.compile(rf"^\s*{_LEAD}$", re.IGNORECASE)
_BOUNDARY = re.compile(
    r"[,;:()—–]|\s-\s|\.\.+|…"
    r"|\b(?:but|so|because|although|though|while|when|where|which|who|whom|whose|that(?=\s+(?:i|we|he|she|they|it|you|my|our|the)\b))\b"
    r"|\band\b(?=\s+(?:i|we|he|she|they|it|you|my|our|then|was|were|had|did|went|got|\w+ed)\b)",
    re.IGNORECASE,
)
_RELATIVE = frozenset("which who whom whose where when while".split())
_DENIED = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t|(?:did|was|were|had|could|do|does|is|are|have|has)nt)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:am|is|are|has|does|will|won't|can|must|shall|let's|what|whose|how|why)\b|['’](?:m|re|ll|ve)\b|(?<!to )\b(?:have|do|be)\b",
    re.IGNORECASE,
)
_INNER_CLAUSE = re.compile(r"\b(?:I|we|he|she|they|you)\s+(?!and\b)[a-z]+", re.IGNORECASE)
_AFTER = re.compile(
    r"^\s*(?:[^\w'’\s-]|$|(?:at|in|on|for|with|to|from|by|after|before|during|over|around|near|about|because|and|without|while|when|as|into|together"
    r"|again|too|there|here|online|alone|instead|already)\b)",
    re.IGNORECASE,
)


def tells(before: str, after: str, *, points_back: bool) -> bool:
    """Whether the clause states an event of the time that stands between ``before`` and ``after`` in a sentence.

    ``points_back``: the time lies in the past by its own words; a bare "on Friday" may as well be the next one.
    """
    start, opening = _last_boundary(before)
    left, right = before[start:], _first_piece(after)
    if opening in _RELATIVE:
        return False  # "the car, which I bought last year": what is told is something else
    if _ONLY_LEAD.match(left):
        if not right.strip():  # "Yesterday, we …"
            right = _first_piece(after.lstrip(" ,:–—-"))
        return _states(right, points_back=points_back)
    words = re.findall(r"[\w'’-]+", left.lower())
    if words and words[-1] in ("the", "on", "in", "at", "over", "around", "back", "early", "late", "just", "only", "this"):
        words = words[:-1]
        left = left.rstrip()[: -len(left.split()[-1])]
    if not words or words[-1] in _OPEN or not _AFTER.match(after) or _verb_follows(right):
        return False
    return _states(left, points_back=points_back, last=words[-1])


def _states(clause: str, *, points_back: bool, last: str = "") -> bool:
    """Whether a clause says that something took place; ``last`` is the word before the time, where that ends the clause."""
    match = next((match for pattern in _CLAUSES if (match := pattern.match(clause)) and _is_past(match, clause)), None)
    if match is None or _DENIED.search(clause) or _PRESENT.search(clause):
        return False
    verb, rest = match["verb"].lower(), match["rest"]
    if last and _INNER_CLAUSE.search(rest):
        return False  # "I liked the cake you made yesterday"
    if last and last != verb and _past(last) and verb not in _PARTICIPLE_AFTER:
        return False  # "We fixed the bug reported yesterday"
    # "I promised to call on Friday", but "In March we moved to the new office".
    return points_back or not (verb in _BOOKED or (last and re.search(r"\b(?:to|for)\b", rest)))


def _is_past(match: re.Match[str], clause: str) -> bool:
    """Whether the verb is one in the past, and no attribute ("the updated config")."""
    if _INNER_CLAUSE.search(match.groupdict().get("noun") or ""):
        return False  # "the pizza we ate"
    before = clause[: match.start("verb")].split()
    attribute = bool(before) and re.fullmatch(_DETERMINER, before[-1]) is not None and match["verb"].lower().endswith("ed")
    return _past(match["verb"].lower()) and not attribute


def _past(word: str) -> bool:
    return word in _IRREGULAR or (len(word) > 3 and word.endswith("ed") and word not in _NOT_PAST)


def _verb_follows(right: str) -> bool:
    """Whether the clause goes on with its verb: "The bug reported yesterday is fixed"."""
    return any(_past(word) for word in re.findall(r"[a-z]+", right.lower())) or bool(_PRESENT.search(right))


def _last_boundary(before: str) -> tuple[int, str]:
    """Where the clause of a time begins, and the word or mark that parts it from what stands before."""
    match = next(reversed(list(_BOUNDARY.finditer(before))), None)
    return (match.end(), match[0].lower()) if match else (0, "")


def _first_piece(after: str) -> str:
    match = _BOUNDARY.search(after)
    return after[: match.start()] if match else after.rstrip(" .!")
