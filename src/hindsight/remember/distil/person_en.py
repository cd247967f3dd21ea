"""English: what a speaker says of themselves, told of the speaker: "I'm vegan and my son hates fish" → "Ana is vegan and Ana's son hates fish"."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+")

_AUXILIARY = {
    "am": "is", "'m": "is", "are": "is", "was": "was", "were": "was", "have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't", "dont": "doesn't",
    "cant": "can't", "aint": "isn't", "ain't": "isn't", "wasn't": "wasn't", "weren't": "wasn't", "go": "goes", "be": "is",
}  # fmt: skip
_UNCHANGED = set(
    "can could will would shall should may might must can't cannot couldn't won't wouldn't shouldn't mustn't mightn't had hadn't did didn't ought used better "
    "got went came was became began bought brought built caught chose cut did drew drank drove ate fell felt fought found flew forgot froze gave grew had heard held "
    "kept knew led left lost made meant met paid put ran read rode rose said saw sold sent set shot sang sat slept spoke spent stood stole swam took taught told thought "
    "understood woke wore won wrote broke lay laid hit hurt let quit shut split spread dealt dug hung lent lit sought shook shrank slid stuck struck swore threw bent bet bound".split()
)
_BASE_ED = set("need feed speed bleed breed exceed proceed succeed embed heed weed seed shed wed".split())
_ADVERBS = set(
    "really just also always usually generally still actually absolutely truly honestly totally much far strongly mostly typically normally often particularly especially definitely simply "
    "kinda never rarely seldom sometimes currently now only even probably already both all each mainly basically personally recently finally sadly quite almost hardly barely too "
    "strictly long since then first once ever therefore thus further i strictly would d".split()
) - {"i", "would", "d"}  # fmt: skip
_BASE_VERBS = set(
    "work live run own like love hate prefer want need use have go teach study play speak eat drink drive take make get keep avoid do travel write read cook come stay wear think "
    "find feel bake sing dance swim ride walk cycle commute enjoy dislike volunteer manage maintain lead help build design sell buy rent know learn practise practice collect paint draw "
    "start finish spend suffer support serve train visit watch listen invoice handle".split()
)
_CONTRACTED = re.compile(r"^(i|we|you)['’]?(m|ve|d|ll|re)$", re.IGNORECASE)
_EXPANDED = {"m": "am", "ve": "have", "d": "would", "ll": "will", "re": "are"}
_BOTH = re.compile(r"\b((?:my|our) \w+) and (?:I|me)\b", re.IGNORECASE)
_NO_SUBJECT = re.compile(
    r"^(?:Lost|Got|Tried|Had|Went|Started|Finished|Passed|Won|Failed|Made|Bought|Moved|Found|Fixed|Rolled|Haven't|Didn't|Can't|Don't)\b(?=.*\b(?:I|my|me|our)\b)"
)
"""A sentence that leaves its "I" out: "Lost my job yesterday"."""
_APOSTROPHE_FREE = {"im": "am", "ive": "have"}


def conjugate(verb: str) -> str:
    """Third person singular of a present form; past forms and modals stay."""
    low = verb.lower().replace("’", "'")
    if low in _AUXILIARY:
        return _AUXILIARY[low]
    if low in _UNCHANGED or (low.endswith("ed") and low not in _BASE_ED) or low.endswith(("ing", "n't")):
        return verb
    if re.search(r"(?:s|x|z|ch|sh|o)$", low):
        return verb + "es"
    if re.search(r"[^aeiou]y$", low):
        return verb[:-1] + "ies"
    return verb + "s"


_OWN = {
    "my": ("their", "'s"),
    "our": ("their", "'s"),
    "mine": ("theirs", "'s"),
    "ours": ("theirs", "'s"),
    "myself": ("themselves", ""),
    "ourselves": ("themselves", ""),
}
"""Later form, and what the name takes at its first mention (empty: the later form even then)."""


class EnglishTeller:
    """Rewrites one statement. ``name`` is named at first (``named``: it was already), later ``they``; ``listener`` stands for "you"."""

    def __init__(self, name: str, listener: str, *, named: bool = False) -> None:
        self._name = name
        self._listener = listener
        self._named = named
        self._out: list[str] = []

    def tell(self, text: str) -> str:
        """The statement in the third person."""
        if _NO_SUBJECT.match(text):
            text = f"I {text[:1].lower()}{text[1:]}"
        tokens = _expand(_TOKEN.findall(_BOTH.sub(r"I and \1", text)))
        position = 0
        while position < len(tokens):
            position = self._step(tokens, position)
        return "".join(self._out).strip()

    def _step(self, tokens: list[str], position: int) -> int:
        """Tell one token; the position of the next."""
        word = tokens[position]
        low = word.lower()
        if word == "I" or (low == "i" and _stands_alone(tokens, position)):
            return self._subject(tokens, position)
        if word == "us" and "".join(self._out[-2:]).strip().lower() == "of" and not self._named:
            self._out.append(f"{self._mention('')}'s group")
        elif low == "we" or word == "us":
            self._out.append(self._mention("they" if low == "we" else "them", together=True))
        elif low in _OWN:
            later, first = _OWN[low]
            self._out.append(later if self._named or not first else f"{self._mention('')}{first}")
        elif low == "me":
            self._out.append(self._mention("them"))
        elif low == "you":
            following = _next_word(tokens, position)
            self._out.append(self._listener)
            if following is not None and tokens[following].lower() == "are":
                tokens[following] = "is"
        elif low == "your":
            self._out.append(f"{self._listener}'s")
        else:
            self._out.append("itself" if low == "yourself" else word)
        return position + 1

    def _subject(self, tokens: list[str], position: int) -> int:
        named_before = self._named
        self._out.append(self._mention("they"))
        verb = _next_word(tokens, position)
        while verb is not None and tokens[verb].lower() in _ADVERBS:
            verb = _next_word(tokens, verb)
        if verb is None or tokens[verb].lower() == "and":
            return position + 1
        low = tokens[verb].lower()
        if named_before:
            tokens[verb] = {"am": "are", "was": "were"}.get(low, tokens[verb])
            return position + 1
        told = conjugate(tokens[verb])
        if (told != tokens[verb] and low not in _AUXILIARY) or low in ("am", "was", "have"):
            _conjugate_coordinated(tokens, verb)
        tokens[verb] = told
        return position + 1

    def _mention(self, later: str, *, together: bool = False) -> str:
        if self._named and later:
            return later
        self._named = True
        return f"{self._name} and others" if together else self._name


def _expand(tokens: list[str]) -> list[str]:
    out: list[str] = []
    for position, token in enumerate(tokens):
        low = token.lower().replace("’", "'")
        if match := _CONTRACTED.match(low):
            out += [token[: match.end(1)], " ", _EXPANDED[match[2]]] if "'" in low else _bare(token, low)
        elif low in _APOSTROPHE_FREE and (position == 0 or not tokens[position - 1].endswith("'")):
            out += ["I", " ", _APOSTROPHE_FREE[low]]
        else:
            out.append(token)
    return out


def _bare(token: str, low: str) -> list[str]:
    """The words "im", "ive" are contractions; "ill", "id", "were", "well" are words."""
    return ["I", " ", _APOSTROPHE_FREE[low]] if low in _APOSTROPHE_FREE else [token]


def _stands_alone(tokens: list[str], position: int) -> bool:
    before = tokens[position - 1] if position else " "
    after = tokens[position + 1] if position + 1 < len(tokens) else " "
    return before[-1:].isspace() and after[:1].isspace()


def _next_word(tokens: list[str], position: int) -> int | None:
    """The next word in the same phrase: only white space may stand between, or a comma pair."""
    for following in range(position + 1, len(tokens)):
        if tokens[following][0].isalpha():
            return following
        if tokens[following].strip():
            return None
    return None


def _conjugate_coordinated(tokens: list[str], verb: int) -> None:
    """In "I live in Leeds and work as a nurse": a second verb after and/but/or belongs to the same subject."""
    for position in range(verb + 1, len(tokens)):
        low = tokens[position].lower()
        if re.search(r"[.;:!?]", tokens[position]) or re.match(
            r"(?:to|that|because|if|when|who|which|i|we|they|he|she|it|there)(?:['’]|$)", low
        ):
            return
        if low in ("and", "but", "or"):
            following = _next_word(tokens, position)
            while following is not None and tokens[following].lower() in _ADVERBS:
                following = _next_word(tokens, following)
            if following is not None and tokens[following].lower() in _BASE_VERBS:
                tokens[following] = conjugate(tokens[following])
