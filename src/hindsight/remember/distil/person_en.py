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
    "start finish spend miss hope wish plan try help call attend receive tend suffer support serve train visit watch listen invoice handle".split()
)
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|‘[^’\n]{1,200}’|(?<![\w'])'[^'\n]{2,200}'(?!\w)|`[^`\n]{1,200}`")
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
    if low in _UNCHANGED or (low.endswith("ed") and low not in _BASE_ED) or low.endswith("n't") or re.search(r"[aeiouy]\w*ing$", low):
        return verb
    if re.search(r"(?:s|x|z|ch|sh|o)$", low):
        return verb + "es"
    if re.search(r"[^aeiou]y$", low):
        return verb[:-1] + "ies"
    return verb + "s"


_OWN = {
    "my": "their",
    "our": "their",
    "mine": "theirs",
    "ours": "theirs",
    "myself": "themselves",
    "ourselves": "themselves",
}
"""What stands for the speaker's possessives once the speaker is named in the statement."""
_OTHERS = re.compile(r"\b(?:they|them|their|theirs|themselves)\b", re.IGNORECASE)
_NUMBERED = frozenset(
    "war part phase type class chapter volume vol level stage act book season grade category mark model section article title form tier division group series "
    "generation round case figure table appendix unit course calculus physics chemistry algebra queen king pope elizabeth charles henry rocky apollo".split()
)
"""Words that a Roman numeral often follows; a capital "I" behind any capitalised name may be one too."""
_JOINT = re.compile(
    r"(?:^|(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)(?<!\bProf)[,.;:!?–—-]\s*|\b(?:that|because|since|when|if|but|where|while)\s+)(?:(?:the|a|an|my|our|his|her|their|both)\s+|[A-Z][\w'’-]*(?:'s|’s)\s+)?"
    r"(?:(?:(?:Mr|Mrs|Ms|Dr|Prof)\.\s)?[A-Z][\w'’-]*(?:\s[A-Z][\w'’-]*)*|\w+)\s+and\s+$"
)
"""What stands before the speaker in "Juan and I": the two are one subject, in the plural."""


class EnglishTeller:
    """Rewrites one statement. The speaker is called by ``name`` throughout, for "they" reads as other people; possessives become "their".

    ``named``: the name stands before the statement. ``listener`` stands for "you", ``company`` (a phrase) for those that "we" includes.
    """

    def __init__(self, name: str, listener: str, *, named: bool = False, company: str = "") -> None:
        self._name = name
        self._listener = listener
        self._named = named
        self._company = company or "others"
        self._out: list[str] = []
        self._others = False
        self._company_named = False

    def tell(self, text: str) -> str:
        """The statement in the third person."""
        if _NO_SUBJECT.match(text):
            text = f"I {text[:1].lower()}{text[1:]}"
        self._others = bool(_OTHERS.search(text))
        # What stands in quotation marks is a title or another's words.
        tokens: list[str] = []
        end = 0
        for quoted in _QUOTED.finditer(text):
            tokens += [*_expand(_TOKEN.findall(_BOTH.sub(r"I and \1", text[end : quoted.start()]))), quoted[0]]
            end = quoted.end()
        tokens += _expand(_TOKEN.findall(_BOTH.sub(r"I and \1", text[end:])))
        position = 0
        while position < len(tokens):
            position = self._step(tokens, position)
        return "".join(self._out).strip()

    def _step(self, tokens: list[str], position: int) -> int:
        """Tell one token; the position of the next."""
        word = tokens[position]
        low = word.lower()
        if (word == "I" and not _is_numeral(tokens, position)) or (word == "i" and _stands_alone(tokens, position)):
            return self._subject(tokens, position)
        if word == "us" and "".join(self._out[-2:]).strip().lower() == "of" and not self._named:
            self._out.append(f"{self._mention()}'s group")
        elif low == "we" or word == "us":
            self._out.append(self._together(low))
        elif word[0].isupper() and position and _is_titled(tokens, position):
            self._out.append(word)
        elif low in _OWN:
            # "Their" is the speaker's only where the statement speaks of no other "them".
            theirs = low.endswith(("self", "selves")) or (self._named and not self._others)
            self._out.append(_OWN[low] if theirs else f"{self._mention()}'s")
        elif low == "me":
            self._out.append(self._mention())
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
        joint = bool(_JOINT.search("".join(self._out)))
        self._out.append(self._mention())
        verb = _next_word(tokens, position)
        while verb is not None and (tokens[verb].lower() in _ADVERBS or _is_no_longer(tokens, verb)):
            verb = _next_word(tokens, verb)
        if verb is None or tokens[verb].lower() == "and":
            return position + 1
        low = tokens[verb].lower()
        if joint:
            tokens[verb] = {"am": "are", "was": "were"}.get(low, tokens[verb])
            return position + 1
        told = conjugate(tokens[verb])
        if (told != tokens[verb] and low not in _AUXILIARY) or low in ("am", "was", "have"):
            _conjugate_coordinated(tokens, verb)
        tokens[verb] = told
        return position + 1

    def _mention(self) -> str:
        self._named = True
        return self._name

    def _together(self, low: str) -> str:
        """For "we": at first the speaker with their company, later "they", which is plural as it was."""
        if self._named and self._company_named:
            return "they" if low == "we" else "them"
        self._named = self._company_named = True
        company = re.sub(r"\b(?:my|our)\b", "their", self._company, flags=re.IGNORECASE)
        return f"{self._name} and {company}"


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


def _is_no_longer(tokens: list[str], position: int) -> bool:
    """Whether a word of "no longer" stands here."""
    return any([token.lower() for token in tokens[start : start + 3 : 2]] == ["no", "longer"] for start in (position, max(0, position - 2)))


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


def is_verb_form(low: str) -> bool:
    """Whether a lower-case word is a common verb, in any of its forms."""
    bases = {low, low.removesuffix("s"), low.removesuffix("es"), low.removesuffix("ing"), low.removesuffix("ed"), low.removesuffix("d")}
    bases |= {low.removesuffix("ing") + "e", low.removesuffix("ies") + "y", re.sub(r"(.)\1(?:ing|ed)$", r"\1", low)}
    return low in _AUXILIARY or low in _UNCHANGED or not bases.isdisjoint(_BASE_VERBS)


def _is_titled(tokens: list[str], position: int) -> bool:
    """Whether a capitalised "My", "Our", "You" stands inside a name ("the podcast My Favorite Murder")."""
    following = _next_word(tokens, position)
    opening = re.search(r"[.!?:]\s*$|^\W*$", "".join(tokens[:position]))
    return opening is None and following is not None and tokens[following][0].isupper()


def _is_numeral(tokens: list[str], position: int) -> bool:
    """Whether this "I" counts ("World War I", "type I diabetes", "Mustang I V2") instead of speaking."""
    said = "".join(tokens[:position])
    before = re.search(r"(?P<opening>^|[.!?:;]\s+)?(?P<word>[\w'’-]+) $", said)
    if before is None:
        return False
    following = _next_word(tokens, position)
    after = tokens[following] if following is not None else ""
    speaks = bool(after) and (is_verb_form(after.lower()) or after.lower() in _ADVERBS or after.lower().endswith(("ed", "n't")))
    if before["word"].lower() in _NUMBERED:
        # "Part I is", "World War I was": behind a capitalised one the verb is the thing's own.
        return after.lower() not in ("am", "have") if before["word"][0].isupper() and before["opening"] is None else not speaks
    if before["opening"] is not None or not before["word"][0].isupper():
        return False
    return not after or after[0].isupper() or after.lower() in _NO_VERBS


_NO_VERBS = frozenset(
    "of and or in on at to for from with by is are which who that the a an as but than amp kit set edition version".split()
)
"""Words that no "I" as a subject is followed by."""
