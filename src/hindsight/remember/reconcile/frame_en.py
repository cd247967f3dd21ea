"""English statements as frames."""

from __future__ import annotations

import re

from hindsight.remember.reconcile.categories import stemmed
from hindsight.remember.reconcile.frame import STATE, Frame
from hindsight.remember.reconcile.numbered import names_in_english
from hindsight.text.fold import fold

ME = "@me"
_WRITTEN_OUT = re.compile(r"\s*\([^()]*\d{4}[^()]*\)")
"""Dates that distilling put behind relative ones."""
_IN_MAY = re.compile(
    r"(?<=\bin )may\b|(?<=\bof )may\b|(?<=\buntil )may\b|(?<=\bsince )may\b|(?<=\bby )may\b|(?<=\bfrom )may\b(?! \d)|(?<=\bbefore )may\b(?! \d)"
)
"""The month, not the verb."""
_CONTRACTIONS = (
    (re.compile(r"\b(?:can't|cannot)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(?:i|we)'(?:ve|d|ll)\b"), ME),
    (re.compile(r"\bi'm\b"), f"{ME} am"),
    (re.compile(r"\bwe're\b"), f"{ME} are"),
    (re.compile(r"\b(they|you|he|she|it|who)'(?:ve|d|ll)\b"), r"\1"),
    (re.compile(r"\b(they|you)'re\b"), r"\1 are"),
    (re.compile(r"\b(it|he|she|that|there)'s\b"), r"\1 is"),
)
_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "noon": "12:00", "midnight": "0:00"}
_TOKEN = re.compile(
    r"\d{1,2}月(?:\d{1,2}日)?|[\w.+-]+@[\w.-]+\w|#[0-9a-f]{3,8}\b|(?:~|\.{1,2})?/[\w./-]+|[a-z]+/[a-z_]+"
    r"|\d{1,2}:\d\d|\d+(?:[.,]\d+)*(?:st|nd|rd|th)?|[a-z0-9]+(?:[-_.+][a-z0-9]+)*[+#]*",
    re.IGNORECASE,
)
# What ended or was replaced: group "gone"; what remains of the sentence is group "rest" (or "rest2").
_THING = r"(?P<gone>[\w .'/-]{2,50}?)"
_FEW = r"(?:[\w@'.-]+\s+){0,4}?"
"""The subject of a short sentence: what ends deep inside a longer one is another matter."""
_ENDINGS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"^(?P<rest>{_FEW})(?:switched|moved|migrated|changed|converted|went)\s+(?:over\s+)?(?:everything\s+"
            rf"|{ME}'s\s+\w+\s+|the\s+\w+\s+|all\s+)?from\s+{_THING}\s+to\s+(?P<rest2>.+)$"
        ),
        rf"^(?P<rest>{_FEW})(?:replaced|swapped|exchanged)\s+{_THING}\s+(?:with|for|by)\s+(?P<rest2>.+)$",
        rf"^(?P<rest>{_FEW})(?:dropped|ditched|abandoned)\s+{_THING}\s+(?:in\s+favou?r\s+of|for)\s+(?P<rest2>.+)$",
        rf"^(?P<rest>{_FEW})(?:instead\s+of|rather\s+than)\s+{_THING}$",
        rf"^(?P<rest>{_FEW})took\s+over\s+from\s+{_THING}\s+as\s+(?P<rest2>.+)$",
        (
            rf"^(?P<rest>{_FEW})(?:has\s+|have\s+)?(?:left|quit|stopped|gave\s+up|given\s+up|dropped|ditched"
            r"|sold|cancelled|canceled|lost(?!\s+(?:\d|in\b|out\b))|moved\s+out\s+of|broke\s+up\s+with|split\s+(?:up\s+)?(?:from"
            r"|with)|divorced|stepped\s+down\s+as|resigned\s+as|retired\s+as|got\s+rid\s+of|finished\s+with"
            rf"|is\s+done\s+with)\s+{_THING}(?P<rest2>(?:\s+and\s+(?:now\s+)?|,\s*|\s+in\s+|\s+on\s+|\s+last\s+).*)?$"
        ),
        rf"^(?P<rest>{_FEW})(?:was\s+|is\s+|has\s+been\s+)?(?:discharged|released|back)\s+from\s+(?:the\s+)?{_THING}$",
        rf"^(?P<rest>(?:[\w@'.-]+\s+){{0,9}}?)(?:is|am|are|does|do|was)?\s*no\s+longer\s+{_THING}(?P<rest2>(?:;|,|\s+and\s+).*)?$",
        rf"^(?P<rest>{_FEW})(?:is|am|are|was|do|does|will|can)\s+not\s+{_THING}\s+(?:anymore|any\s+more|any\s+longer)\b(?P<rest2>.*)$",
        (
            rf"^(?P<gone>{_FEW}[\w@'.-]+)\s+(?:has\s+|have\s+)?(?:died|passed\s+away|(?:was|were|got|has\s+been)\s+(?:cancelled"
            r"|canceled|discontinued|shut\s+down|deleted|closed\s+down|retired)|expired)\b(?P<rest>.*)$"
        ),
        rf"^(?P<rest>{_FEW})changed\s+(?:my\s+|our\s+|his\s+|her\s+|their\s+|the\s+)?{_THING}\s+and\s+(?:now\s+)?(?P<rest2>.+)$",
    )
)
_SPECIAL_ENDINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"\b(?:had|gave\s+birth\s+to|has\s+had)\s+(?:a|her|the|their)\s+(?:baby|boy|girl|son|daughter|twins)|\bgave\s+birth\b"),
        "pregnant",
    ),
    (re.compile(r"\b(?:graduated|finished\s+(?:university|school|college))\b"), "student"),
    (re.compile(r"\b(?:started|found|got)\s+(?:a|his|her|my)\s+(?:new\s+)?job\b"), "unemployed"),
    (re.compile(r"\bgot\s+married\b|\bmarried\b"), "single"),
    (re.compile(r"\bgot\s+(?:divorced|separated)\b|\bbroke\s+up\b|\bsplit\s+up\b"), "engaged"),
    (re.compile(r"\bbought\s+(?:a|his|her|their|our|my)\s+(?:own\s+)?(?:flat|house|apartment)\b"), "renting"),
)
_MOVES = re.compile(
    r"\b(?:(?:has|have|had|was|were|got|been|is|are|did)\s+)*(?:since\s+)?(?:moved|switched|changed"
    r"|migrated|relocated|rescheduled|postponed|extended|raised|increased|reduced|lowered|shortened"
    r"|upgraded|updated|bumped|renamed|transferred|passed|grown|risen|gone\s+up|went\s+up|cut\s+down"
    r"|converted|relicensed|set)\s+(?:over\s+)?(?:everything\s+)?(?:to|into|under)\s+"
)
_PERSON_MOVED = re.compile(r"^(@me|(?!the\b)[a-z]+)\s+(?:has\s+|have\s+)?(?:just\s+)?(?:moved|relocated)\s+(?:back\s+)?to\s+(?!\d)")
_DYED = re.compile(r"^(\S+)\s+(?:has\s+)?dyed\s+(?:his|her|their|@me's)\s+hair\b")
_DOWN_TO = re.compile(r"\b(?:is|are|has\s+been)?\s*(?:now\s+)?(?:down|up)\s+to\s+")
_REWRITTEN = re.compile(r"\b(?:has|have)\s+been\s+(?:rewritten|redone|rebuilt|ported)\s+(?:in|to|with)\b")
_TURNED = re.compile(r"\b(?:has\s+been|was|got|were)\s+turned\b|\bturned\b")
_PROMOTED = re.compile(r"\b(?:was|got|has\s+been)\s+promoted\s+to\b")
_NOW = re.compile(
    r"\b(?:(?<!months )(?<!years )(?<!weeks )(?<!days )(?<!while )now|nowadays|these\s+days|from\s+now\s+on|as\s+of\s+\w+(?:\s+\w+)?,?|starting\s+(?:next\s+)?\w+"
    r"|going\s+forward|anymore|any\s+longer|any\s+more|by\s+now|has\s+since|have\s+since"
    r"|come\s+to|grown\s+to|this\s+autumn|this\s+year|at\s+present)\b"
)
_NEW = re.compile(r"^(?:(?:@me|\w+)\s+(?:have\s+|has\s+)?(?:got|bought|have|has)\s+)?(?:@me's|the|his|her|their|a)\s+new\s+(?P<what>\w+)")
_WANTS_NAME = re.compile(r"\bwants?\s+to\s+be\s+called\b|\bis\s+called\b|\bgoes\s+by\b|'s\s+name\s+is\b|\bname\s+is\b")
_LAST_TIME = re.compile(
    r"\b(?:last|this)\s+(?:week|month|year|autumn|summer|spring|winter|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday)\b|\bin\s+(?:january|february|march|april|may|june|july|august|september"
    r"|october|november|december)$|\bin\s+5月$|\bon\s+(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)$"
)
_NEGATIONS = {"not", "never", "no", "without", "neither", "nor", "hardly"}
_FLIPPED = {
    "hates": "like", "hate": "like", "hated": "like", "dislikes": "like", "dislike": "like", "detests": "like", "closed": "open", "off": "on", "forbidden": "allow", "forbids": "allow",
    "prohibited": "allow", "forbid": "allow", "cold": "hot", "unmarried": "married", "inactive": "active", "disabled": "enabled", "manually": "automatically", "dislikes ": "like",
}  # fmt: skip
_SAME = {
    "loves": "like", "love": "like", "enjoys": "like", "enjoy": "like", "adores": "like", "likes": "like", "prefers": "prefer", "resides": "live", "works": "work", "employed": "employed",
    "must": "can", "may": "can", "should": "can", "allowed": "allow", "allows": "allow", "has": "have", "got": "have", "owns": "own", "needs": "need", "needed": "need", "says": "say",
    "dollars": "$", "usd": "$", "euro": "euros", "am": "be", "is": "be", "are": "be", "was": "be", "were": "be", "been": "be", "being": "be", "uses": "use", "used": "use", "using": "use",
    "eating": "eat", "eats": "eat", "smoking": "smoke", "smokes": "smoke", "smoked": "smoke", "home": "live", "lives": "live", "monthly": "everymonth", "yearly": "everyyear", "hourly": "everyhour", "lived": "live", "leaves": "leave", "running": "run", "starts": "start", "started": "start",
}  # fmt: skip
_GRAMMAR = set(
    "a an the of to in on at by for with from as and or but so that this these those it its his her their theirs them they he she there who which very really too quite just also always ever yet still "
    "do does did will would shall has have had be am is are was were been being into onto than then about own old all each every up out off under over user's".split()
)
_KEPT_GRAMMAR = {"on", "off", "own"}
SINGLE = frozenset(
    map(
        stemmed,
        "live work call run listen cost start open leave arrive weigh go belong store keep own drive cycle take hold allow study close depart host renew pay sit date measure earn write build born "
        "locate end begin serve face need employ".split(),
    )
) | {"be"}
"""Verbs after which a subject has one value at a time."""
MULTI = frozenset(
    map(
        stemmed,
        "like visit buy bought see saw meet met know read play learn speak eat drink avoid watch fail feed fed walk lost lose finish sell support make afraid allergic good bad owe handle".split(),
    )
) - SINGLE | {"have", "can"}
"""Verbs that leave room for many."""
VERBS = (
    SINGLE
    | MULTI
    | frozenset(
        map(
            stemmed,
            "prefer want use trust smoke wake get say wear mean enter deploy commit contain include install teach cook move wish".split(),
        )
    )
)
ATTRIBUTES = frozenset(
    map(
        stemmed,
        "name branch password code owner manager boss lead contact database model editor colour color author language timezone address number id email licence license title motto nickname surname currency "
        "format theme status deadline budget limit price port version region provider supplier landlord doctor dentist bank insurance birthday anniversary account tongue seat".split(),
    )
)
"""Things of which "is" names the one value."""
_FAVOURITE = stemmed("favourite")
TITLES = frozenset({"dr", "mr", "mrs", "ms", "prof"})
"""Stand before a name and belong to it."""
_EVENTS = re.compile(
    r"\b(?:visited|bought|saw|met|walked|fed|lost|ran|took|failed|crashed|arrived|finished|went\s+to"
    r"|has\s+been\s+to|had\s+\w+\s+for|was\s+released|have\s+been\s+to|attended|read\s+the|watched\s+a"
    r"|studied\s+\w+|(?<!ve )(?<!has )(?<!have )lived\s+in|started\s+a\s+new\s+course|has\s+never\s+been\s+to)\b"
    r"|\bhas\s+an?\s+(?:meeting|appointment|call|exam)\b|\b(?:was|were)\s+in\s+\w+\s+last\b"
)

_HOUSE_NUMBER = re.compile(r"\s*\d+[a-z]?\s+[A-Z][a-z]")
_PAST = frozenset(
    "paid bought sold ran spent sent gave drove flew swam ate drank slept rode made won found caught wrote sang taught took saw met lent "
    "borrowed fell broke brought threw cooked walked hired fixed closed".split()
)
"""Verbs of things that happen once, and may happen again."""
_NO_EVENTS = frozenset(
    "started ended opened based located named called married used needed lived worked limited hundred allowed required preferred changed "
    "united divorced widowed retired employed stored hosted owned wanted liked hated loved enjoyed".split()
)
"""Words in "ed" that tell of a state, of the one time at which something began, or are no verbs."""
_DETERMINERS = frozenset("the a an this that these those my our his her their its @me's".split())
_PASSIVE_EVENTS = re.compile(r"\b(?:was|were|been)\s+(?:paid|sent|sold|given|ordered|bought|charged|refunded|delivered|fined|billed)\b")


def frame_en(text: str, speaker: str | None) -> Frame:
    """The frame of an English statement; ``speaker`` stands for "I" and "the user"."""
    said = fold(text).strip(" .!?")
    work = re.sub(r"\b(?:the\s+)?user\b(?!\s+\d)|\b(?:i|we|me|us)\b(?!')", ME, said)
    work = re.sub(r"\b(?:my|our|mine|ours)\b", ME + "'s", work)
    for pattern, plain in _CONTRACTIONS:
        work = pattern.sub(plain, work)
    work = _WRITTEN_OUT.sub("", work)
    work = _IN_MAY.sub("5月", work)
    if speaker:
        work = re.sub(rf"\b{re.escape(fold(speaker))}\b", ME, work)
    whole = _normalised(_words(work))[1]
    past = _tells_past(work)
    work, gone = _ended(work)
    work, moved = _unmarked(work)
    words = _words(work)
    negated, tokens, predicates, names = _normalised(words)
    subject = whole[:1] if gone else _subject(tokens, predicates)
    return Frame(
        language="en",
        said=said,
        tokens=tuple(tokens),
        subject=tuple(subject),
        negated=negated,
        changed=moved or bool(gone),
        gone=tuple(gone),
        event=bool(_EVENTS.search(said)) or (past and not moved and not gone),
        person=(tokens[:1] == [ME] and not work.strip().startswith(f"{ME}'s")) or _may_be_person(text, subject),
        link=_link(text) or ("name" if subject and (subject[-1] in ATTRIBUTES or _FAVOURITE in subject) else ""),
        predicates=tuple(predicates),
        names=names | {0} if _HOUSE_NUMBER.match(text) else names,
    )


def _subject(tokens: list[str], predicates: list[tuple[int, str]]) -> list[str]:
    """What stands before the first verb; the first word where there is none."""
    if not predicates:
        return tokens[:1]
    boundary, verb = predicates[0]
    return tokens[: boundary if verb in ("be", "have") else boundary - 1]


def _may_be_person(text: str, subject: list[str]) -> bool:
    """A single capitalised word without an article is a name, for all that rules can tell."""
    return len(subject) == 1 and text[:1].isupper() and not re.match(r"(?:the|an?|our|my|this)\b", text, re.IGNORECASE)


_LINK = re.compile(
    r"\b(?:is|are|was|were|be|been|to)\s+(?:called\s+|parked\s+|located\s+)?(?:(?P<link>in|at|on|under"
    r"|with|from|by|for|inside|behind|near|above|below)\b|(?P<name>[A-Z0-9#][\w#.-]*))"
)


def _link(text: str) -> str:
    found = list(_LINK.finditer(text))
    return found[-1]["link"] or "name" if found else ""


def _ended(work: str) -> tuple[str, list[tuple[str, ...]]]:
    """The sentence without what it says to have ended, and that."""
    gone: list[tuple[str, ...]] = []
    for pattern in _ENDINGS:
        match = pattern.match(work)
        if match is not None:
            gone.append(tuple(_normalised(_words(match["gone"]))[1]))
            rest = match.groupdict().get("rest2") or ""
            work = f"{match.groupdict().get('rest') or ''} {re.sub(r'^(?:;|,|and|now| )+', '', rest)}".strip()
            break
    for pattern, state in _SPECIAL_ENDINGS:
        if pattern.search(work):
            gone.append((STATE, stemmed(state)))
    return work, [each for each in gone if each]


def _unmarked(work: str) -> tuple[str, bool]:
    """The sentence without words of change, and whether there were any."""
    before = work
    work = _PERSON_MOVED.sub(r"\1 live ", work)
    if before != work or _MOVES.search(work):
        work = _LAST_TIME.sub("", work)
    work = _DYED.sub(r"\1 hair be ", work)
    work = _MOVES.sub(" be ", work)
    work = _DOWN_TO.sub(" be ", work)
    work = _REWRITTEN.sub(" be written in", work)
    work = _PROMOTED.sub(" be ", work)
    work = _TURNED.sub(" be ", work)
    new = _NEW.search(work)
    if new is not None:
        work = work[: new.start()] + f"{ME}'s {new['what']}" + work[new.end() :]
    marked = _NOW.sub(" ", work)
    return marked, before != work or marked != work or new is not None


_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_MONTH = "|".join(_MONTHS)
_DAY_MONTH = re.compile(
    rf"\b(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m>{_MONTH})|(?P<m2>{_MONTH})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?!:)"
)


def _date(day: str, month: str) -> str:
    """One token for a day of the year, however it is written."""
    return f"{_MONTHS.index(month) + 1}月{int(day)}日"


def _words(work: str) -> list[str]:
    work = _WANTS_NAME.sub(" call ", work)
    work = re.sub(r"\bto\s+work\b(?!\s+(?:at|for|as|on|in|with)\b)", "to workplace", work)
    work = re.sub(r"(?<=\d),(?=\d{3}\b)", "", work)
    work = re.sub(r"#(?=\d{1,5}\b)|\bno\.\s*(?=\d)", "number ", work)
    work = re.sub(r"(?<=[a-z])\s*[:=]\s*(?=[\d$€£])", " is ", work)
    work = re.sub(r"[$€£](?=\d)", "$ ", work)
    work = re.sub(r"\b(?:would\s+)?rather\b", "prefer", work)
    work = re.sub(r"\bcan(?:\s+not)?\s+stand\b", "hate", work)
    work = re.sub(r"\bworks\s+on\b", "handles", work.replace("works for", "works at")).replace("'s", "")
    work = _DAY_MONTH.sub(lambda match: _date(match["d"] or match["d2"], match["m"] or match["m2"]), work)
    words = re.findall(r"@me|\$|" + _TOKEN.pattern, work, re.IGNORECASE)
    return [_NUMBERS.get(word, word) for word in words]


def _normalised(words: list[str]) -> tuple[bool, list[str], list[tuple[int, str]], frozenset[int]]:
    """(negated, content tokens, predicates with the position from which they govern, positions of numbers that name)."""
    negated = False
    tokens: list[str] = []
    predicates: list[tuple[int, str]] = []
    names: set[int] = set()
    for at, said in enumerate(words):
        if said in _NEGATIONS:
            negated = not negated
            continue
        negated ^= said in _FLIPPED
        word = _FLIPPED.get(said, said)
        word = _SAME.get(word, word)
        if word in ("be", "have"):
            predicates.append((len(tokens), word))
            continue
        if word in _GRAMMAR and word not in _KEPT_GRAMMAR:
            continue
        root = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word)
        root = stemmed(root)
        if names_in_english(words, at, wordless=at > 0 and _carries_no_name(words[at - 1])):
            names.add(len(tokens))
        tokens.append(root)
        if root in VERBS and len(tokens) > 1:
            predicates.append((len(tokens), root))
    return negated, tokens, predicates, frozenset(names)


def _carries_no_name(said: str) -> bool:
    word = _SAME.get(said, said)
    return word in _GRAMMAR or word in ("be", "have") or said in _NEGATIONS or stemmed(word) in VERBS or stemmed(said) in VERBS


def _tells_past(work: str) -> bool:
    """Whether the first verb is an active one in the past: "paid 20 euros", not "was built in 1904"."""
    before = ""
    for word in _words(work)[:6]:
        if _SAME.get(word) == "be" or word == "be":
            return bool(_PASSIVE_EVENTS.search(work))
        regular = len(word) > 4 and word.endswith("ed") and not word.endswith("eed") and word not in _NO_EVENTS
        if word in _PAST or (regular and before not in _DETERMINERS):
            return True
        before = word
    return False
