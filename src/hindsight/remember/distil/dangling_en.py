"""English: does a statement point at something that only the conversation around it names ("that place", "it", "the event")? Pure.

Without a parser, a noun is any word that is neither a function word nor a known verb form; doubt counts as pointing.
"""

from __future__ import annotations

import re

from hindsight.remember.distil.person_en import is_verb_form

_WORD = re.compile(r"[A-Za-z][\w'’-]*|\d[\w.,:%-]*|[^\sA-Za-z\d]")
_FUNCTION = frozenset(
    "a an the my our your his her their its some any each every no another this that these those i me we us you he she it they him them mine ours yours hers theirs "
    "myself ourselves yourself himself herself itself themselves who whom whose which what where when why how there here and or but so because since as if although though while than then "
    "in on at to of for with from about by into onto over under after before during through between without within around off out up down near like per via towards until "
    "am is are was were be been being have has had having do does did doing can could will would shall should may might must not don't doesn't didn't can't won't isn't aren't "
    "i'm i've i'd i'll we're we've we'd we'll it's that's there's he's she's they're they've let's gonna gotta wanna im ive dont cant "
    "really just also always usually generally still actually absolutely truly honestly totally much far mostly normally often especially definitely simply never rarely sometimes "
    "currently now only even probably already both all too very more most less least quite pretty almost lately recently finally again ever once long soon today yesterday tomorrow "
    "last next ago week weeks month months year years day days hour hours minute minutes while time times one ones lot lots bit kind sort few little own same such well good great nice "
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december christmas easter first second new old big small many several couple other others else thing things something anything everything nothing someone anyone everyone yes no oh please thanks".split()
)  # fmt: skip
_TIME_NOUNS = (
    r"week|month|year|weekend|morning|afternoon|evening|night|summer|winter|spring|autumn|fall|time|season|quarter|semester|term|moment|point|days?|hour|minute|"
    r"century|decade|stage|age|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december"
)
_SHELL = (
    r"things?|stuff|ones?|events?|places?|spots?|opportunit(?:y|ies)|ideas?|news|issues?|problems?|situations?|topics?|subjects?|projects?|processes|process|experiences?|"
    r"methods?|approach(?:es)?|ways?|options?|ones|kinds?|types?|sorts?|features?|steps?|changes?|activit(?:y|ies)|aspects?|industry|field|area|set|item|product|deal|plan|goal|challenge"
)
"""Nouns that name nothing by themselves."""
_UNIQUE = frozenset(
    "ocean sea seas beach mountains mountain woods forest countryside outdoors indoors city country world universe sky sun sunset sunrise moon stars weather rain snow cold heat wind dark "
    "summer winter spring autumn fall morning mornings afternoon afternoons evening evenings night nights weekend weekends week day days year month future past present moment "
    "way internet web net news gym kitchen garden yard house home office bathroom bedroom sofa couch car bus train tube metro subway plane pool sauna shower bath fridge freezer oven grill "
    "piano guitar violin viola drums flute cello saxophone trumpet harp ukulele banjo clarinet organ radio tv television phone telephone computer market markets supermarket store stores "
    "shop shops bank doctor doctors dentist hospital pharmacy library museum theatre theater cinema movies opera ballet park zoo school university police army navy military government law "
    "public family kids environment planet climate economy elderly poor homeless sick door window floor roof ground table bed side middle end start beginning meantime back front left right center "
    "centre rest north south east west coast clock stairs road air water earth land classics arts basics details truth go run whole lead norm suburbs desert tropics alps arctic hills streets "
    "bible gospel quran blues paper post mail truth dishes laundry bills rent trash garbage groceries chores stock".split()
)
"""Nouns that name one thing, or one kind, for everybody."""
_COMPANION = re.compile(
    r"\b(?:(?:one|two|three|some|all|most)\s+of\s+)?(?:my|our)\s+(?:[\w-]+\s+)?(?:wife|husband|partner|spouse|boyfriend|girlfriend|fianc[eé]e?|son|sons|daughters?|kids?|child(?:ren)?|"
    r"mum|mom|mother|dad|father|parents|brothers?|sisters?|siblings?|cousins?|aunt|uncle|niece|nephew|grand(?:ma|pa|mother|father|parents|kids|children)|family|fam|folks|"
    r"friends?|buddy|buddies|pals?|roommates?|flatmates?|neighbou?rs?|colleagues?|co-?workers?|teammates?|classmates?|volunteers?|students?|band|team|crew|club|class|group|company|department|choir|"
    r"dogs?|cats?|puppy|puppies)\b",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(
    r"\b(?P<which>this|these|those)\s+(?!is\b|are\b|was\b|were\b|way\s+I\b|'s\b)(?P<rest>[A-Za-z][^,.;:!?–—]*)"
    r"|(?:\b(?:to|in|at|on|of|from|with|for|about|into|like)|\b(?:play|use|wear|read|watch|visit|buy|bought|have|got|own|try|tried|take|took|know|knew|finish|finished))"
    r"\s+(?P<that>that)\s+(?!is\b|are\b|was\b|were\b|has\b|can\b|will\b|I\b|we\b|you\b|he\b|she\b|they\b|it\b|the\b|my\b|a\b)(?P<rest2>[A-Za-z][^,.;:!?–—]*)",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"\b(?:there's|there\s+(?:is|was|are)|is|was|be|have|has|had|got|found|adopted|bought|saw|met|know|read)\s+$", re.IGNORECASE
)
_POSTMODIFIED = re.compile(
    r"^(?:of|that|which|who|whom|whose|where|called|named|about|between|behind|near|from|I|we|my|our|you|they)\b"
    r"|^to\s+(?:the\b|my\b|our\b|(?-i:[A-Z]))|^(?:in|on|at|with|for|by)\s+(?!for\b|a\s+(?:while|few|long|lot|couple|year|month|week)|an?\s+hour|the\s+(?:past|last|moment|first)|ages\b|years\b|now\b|so\b|over\b|about\b|almost\b"
    r"|\d|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|many\b|several\b|some\s+time)",
    re.IGNORECASE,
)
_NO_OBJECT = re.compile(
    r"\b(?:work(?:ed|ing)?\s+on|look(?:ed|ing)?\s+(?:for|at|into)|think(?:ing)?\s+(?:of|about)|wait(?:ed|ing)?\s+for|talk(?:ed|ing)?\s+about|hear(?:d)?\s+(?:of|about)|interested\s+in|deal(?:t|ing)?\s+with"
    r"|focus(?:ed|ing)?\s+on|part\s+of|member\s+of|search(?:ed|ing)?\s+for|meaning\s+to|plan(?:ned|ning)?\s+(?:on|to)|excited\s+about)"
    r"\s*(?:[,.!;–—-]|$|(?:for\s+(?:a\s+|so\s+|the\s+|ages|years|months|weeks|\d)|since\b|lately\b|recently\b|now\b|all\s+(?:day|week|year|summer)\b|too\b|as\s+well\b))",
    re.IGNORECASE,
)
_LOST_SUBJECT = re.compile(
    r"^(?!(?:[A-Z]\w*s\s+)?(?:I|we|my|our)\b)(?:Reminds|Makes|Means|Sounds|Looks|Feels|Seems|Helps|Keeps|Gives|Shows|Gets|Brings|Takes|Lets|Puts|Calms|Allows|Inspires|Motivates|Depends|Works|Turns|Goes|Comes|Tastes|Smells|Fits|Suits|Hits|Is|Was|Has|Does)\s+"
    r"(?!I\b)",
)
_PREDICATE_ONE = re.compile(
    r"\b(?:been|being|be|am|have|had|got|want|need|like|love|bought|tried)\s+(?:an?\s+\w+\s+)?ones?\b\s*(?:$|[,.!;]|(?:'?cause|because|since|and|but|so|now|too|before|myself)\b)",
    re.IGNORECASE,
)
_HE_OR_SHE = re.compile(r"\b(?:he|him|his|himself|she|her|hers|herself)\b", re.IGNORECASE)
_SOMEONE = re.compile(
    r"(?<!^)(?<![.!?] )\b(?!I\b|I'|January\b|February\b|March\b|April\b|May\b|June\b|July\b|August\b|September\b|October\b|November\b|December\b|\w+day\b)(?-i:[A-Z])[a-z]\w+|^(?-i:[A-Z])\w+(?:\s+and\s+(?-i:[A-Z])\w+)?\s+(?:is|was|has|and|who)\b"
    r"|\b(?:(?:grand)?(?:ma|pa|mother|father|son|daughter|kid|child)|mum|mom|dad|wife|husband|partner|girlfriend|boyfriend|brother|sister|cousin|uncle|aunt|niece|nephew|baby|boy|girl|man|woman|guy|lady"
    r"|friend|boss|nurse|chef|coach|judge|\w{3,}(?:er|or|ist|ian|man|woman|ant)|dog|cat|puppy|pup|kitten|horse|pet|rabbit|parrot|hamster|turtle|somebody|someone|everyone)s?\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\bit(?:'s|\s+is|\s+was|'ll\s+be|\s+will\s+be|\s+would\s+be|'s\s+been|\s+has\s+been)?\s+(?:\w+\s+){0,3}?(?:to|that|when|if|how|for\s+(?:me|us)|raining|snowing|late|early|time|hard|easy|since)\b"
    r"|\b(?:find|found|make|made|think|makes|finds|hate|love|like|appreciate|prefer)\s+it\s+(?:\w+\s+){0,2}?(?:to|when|if|that)\b|\bmake\s+it\b|\bmade\s+it\b|\b(?:do|doing|did)\s+it\b|\btake\s+it\s+easy\b|\bcomes?\s+to\b|\bcall\s+it\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|itself|themselves|himself|herself)\b(?:'s|'re|'ve|'ll|'d)?", re.IGNORECASE
)
_HERE = re.compile(r"(?<!from )\bhere\b(?!\s+(?:in|at|on|is|are|comes?|from)\b|'s)", re.IGNORECASE)
_THERE = re.compile(
    r"(?<!over )(?<!out )\bthere\b(?!\s*(?:is|are|was|were|isn't|aren't|has|have|had|will|would|seems?|might|must|may|can|could|should|to\s+be)\b|['’])",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:in|at|from|to(?=\s+(?:(?:the|my|our)\s|(?-i:[A-Z]))))\s+(?:(?:the|a|an|my|our)\s+)?(?!it\b|that\b|this\b|there\b|here\b|time\b|a\s)[A-Za-z]\w+",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"\bthe\s+same\s+(?!time|way|day|page|age|boat|thing|place|as\b|name|kind|sort|goes|for|with|here)(?![\w\s'-]*\b(?:as|that|which|who|every|each)\b)\w+",
    re.IGNORECASE,
)
_TALK_ABOUT_TALK = re.compile(
    r"^(?:so\s+|and\s+|but\s+)?(?:that|it|this|these|those)(?:'d|'ll)?\s+(?:\w+\s+)?(?:might|would|could|will|should|sounds?|looks?|seems?)\b|^(?:so\s+|and\s+)?let's\b|^(?:this|here)(?:'s|\s+is)\s"
    r"|\b(?:check\s+out|look\s+at|take\s+a\s+look)\s+(?:this|these|the|my)\b|^(?:so\s+)?(?:these|those|your|the\s+assistant's)\s+\w+\s+(?:should|would|will|might|could|sounds?|looks?)\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(r"\b(?:I|we|my|our|me)\b", re.IGNORECASE)
_EXPLAINS = re.compile(r",\s+(?=(?:it|he|she|they|which|the|because|since|as|so|but)\b)|\s*[–—]\s*|\s*-\s+")
_PART_OF_IT = re.compile(
    r"^(?:\w+\s+){0,2}?I(?:'m|'ve|\s+have|\s+am)?\s+(?:\w+\s+){0,3}?(?:love|like|enjoy|prefer|hate|loving|enjoying|adore)\s+(?:the|how|all|seeing|every)\b[^,;:–—]*\b(?:in|of|about|from|behind|to|with)\s+(?:it|them|there)\s*[.!]*$",
    re.IGNORECASE,
)
"""As in "I love the characters in it": "it" is none of what stands before."""
_POINTS_BACK = re.compile(
    r"^(?:(?:and|but|so|oh|wow|well)[,\s]+)*(?:that|this|these|those)(?:'s|\s+(?:is|are|was|were|sounds?|looks?|would|could|must|really|all)\b)"
    r"|^(?:(?:and|but|so|oh|wow|well)[,\s]+)*that\s+(?!way\b|said\b|being\b|week|month|year|day\b|morning|evening|afternoon|night|weekend|summer|winter|spring|autumn)[a-z]+\s+(?:is|are|was|were|has|had|looks?|sounds?|makes?|would|from|you)\b",
    re.IGNORECASE,
)
_CHAT_LEAD = re.compile(
    r"\b(?:since\s+we\s+(?:last|\w+ed\s+last)|we\s+last\s+(?:talked|spoke|met|chatted|saw)|(?:things?|a\s+lot|lots?|stuff|so\s+much|much)(?:\s+(?:has|have|'s|had))?\s*(?:'s|’s)?\s+(?:happened|been\s+going\s+on|changed)|(?:great|big|exciting|good|bad|some|sad|awesome|amazing)\s+news"
    r"|^(?:maybe|perhaps)\b|long\s+time\s+no\s+see|\bsince\s+we(?:'ve|\s+have)?\s+(?:last\s+)?(?:talked|spoken?|spoke|chatted|met|caught|seen|saw)|hope\s+you|how\s+are\s+you|good\s+to\s+(?:see|hear)|(?:haven't|have\s+not)\s+(?:talked|spoken|chatted|seen))\b",
    re.IGNORECASE,
)


def opens_talk(lead: str) -> bool:
    """Whether a clause only opens the talk ("a lot has happened since we last spoke")."""
    return bool(_CHAT_LEAD.search(lead))


def talks_about_talk(tail: str, before: str) -> bool:
    """Whether a clause behind a statement speaks of the conversation, or of something that neither it nor ``before`` names."""
    tail = tail.strip(" ,;-–—")
    if _TALK_ABOUT_TALK.search(tail) or _demonstrates(tail, before) or (_HERE.search(tail) and not _PLACED.search(before)):
        return True
    return bool(re.match(r"(?:so\s+|and\s+|but\s+)?(?:I|we)\b", tail, re.IGNORECASE)) and _bare_definite(tail, before)


def incomplete(text: str) -> bool:
    """Whether a subject or an object is left out that no other sentence can give ("Reminds me how …", "I've been working on for years")."""
    text = text.strip()
    cut = _NO_OBJECT.search(text)
    return bool(_LOST_SUBJECT.match(text)) or (cut is not None and not _has_noun(text[: cut.start()]))


def companion_of(text: str) -> str:
    """Whom the last "my friends", "our team" … of the text names, in its words; empty without one."""
    found = list(_COMPANION.finditer(text))
    return found[-1][0] if found else ""


def dangles_en(text: str, *, strict: bool) -> bool:
    """Whether the statement leans on words outside it. ``strict``: bare definite nouns ("the event") count as well."""
    text = text.strip()
    if incomplete(text) or _POINTS_BACK.match(text):
        return True
    if _demonstrates(text, "") or _SAME.search(text):
        return True
    for pattern, antecedent in ((_HERE, _PLACED), (_THERE, _PLACED)):
        found = pattern.search(text)
        if found and not antecedent.search(text[: found.start()]):
            return True
    if _PART_OF_IT.match(text):
        return True
    one = _PREDICATE_ONE.search(text)
    if one and not _has_noun(text[: one.start()]):
        return True
    return _unbound_pronoun(text) or (strict and _bare_definite(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _has_noun(before: str) -> bool:
    """Whether some word before may be a noun: what a pronoun behind it stands for."""
    words = _words(before)
    for position, word in enumerate(words):
        low = word.lower().replace("’", "'")
        if not word[0].isalpha() or low in _FUNCTION or low.endswith("ly"):
            continue
        if (
            position
            and word[0].isupper()
            and words[position - 1] not in ("on", "On", "in", "In", "at", "At")
            and word not in ("I", "I'm", "I've", "I'd")
        ):
            return True
        after_determiner = position and words[position - 1].lower() in (
            "a",
            "an",
            "the",
            "my",
            "our",
            "some",
            "of",
            "in",
            "at",
            "with",
            "for",
        )
        if after_determiner or not (is_verb_form(low) or (position and low.endswith(("ing", "ed")))):
            return True
    return False


def _unbound_pronoun(text: str) -> bool:
    """A third person pronoun before any noun that it could stand for."""
    filled = _EXPLETIVE.sub(lambda match: re.sub(r"\bit\b", "__", match[0], flags=re.IGNORECASE), text)
    found = _PRONOUN.search(filled)
    if found is not None and not _has_noun(filled[: found.start()]):
        return True
    human = _HE_OR_SHE.search(text)
    return human is not None and not _names_someone(text[: human.start()])


def _names_someone(before: str) -> bool:
    """Whether a person, an animal or a name stands before: what "he" or "her" may be."""
    return bool(_COMPANION.search(before) or _SOMEONE.search(before))


def _demonstrates(text: str, before: str) -> bool:
    for match in _DEMONSTRATIVE.finditer(text):
        which, rest = (match["which"] or match["that"]).lower(), match["rest"] or match["rest2"]
        if re.match(rf"(?:\w+\s+)?(?:{_TIME_NOUNS})\b", rest, re.IGNORECASE) or (
            which == "those" and re.match(r"(?:who|that|with|of|in|\w+(?:ed|ing))\b", rest)
        ):
            continue
        phrase, following = _noun_phrase(rest)
        if not phrase:
            continue
        head = phrase[-1]
        said = before + " " + text[: match.start()]
        if not re.fullmatch(_SHELL, head, re.IGNORECASE) and re.search(rf"\b{re.escape(head[:5])}", said, re.IGNORECASE):
            continue
        if re.match(r"(?:that|which|who|called|named|of)\b|I\b|you\b|we\b", following):
            continue
        introduced = which in ("this", "these") and _INTRODUCED.search(said) and (len(phrase) > 1 or _POSTMODIFIED.match(following))
        if introduced and not re.fullmatch(_SHELL, head, re.IGNORECASE):
            continue
        return True
    return bool(
        re.search(rf"\b(?:this|that|these|those)\s+(?:{_SHELL})\b(?!\s+(?:of|that|which|I|we|to|in|at|from)\b)", text, re.IGNORECASE)
    )


def _noun_phrase(rest: str) -> tuple[list[str], str]:
    """The words up to the next function word, and what follows them."""
    phrase: list[str] = []
    position = 0
    for match in _WORD.finditer(rest):
        word = match[0]
        if not word[0].isalnum() or (word.lower() in _FUNCTION and word.lower() not in _ADJECTIVES):
            return phrase, rest[match.start() :]
        if phrase and word.lower().endswith("ly"):
            return phrase, rest[match.start() :]
        phrase.append(word)
        position = match.end()
    return phrase, rest[position:].strip()


_ADJECTIVES = frozenset("new old big small good great nice first second last next same few little other own more less most best".split())


def _bare_definite(text: str, before: str = "") -> bool:
    """A "the X" of one plain noun that is not the only one of its kind, not described further, and not named before.

    What only explains ("…, he grows throughout the story") may speak of parts of what was named.
    """
    text = _EXPLAINS.split(text, maxsplit=1)[0] if _SPEAKS.search(_EXPLAINS.split(text, maxsplit=1)[0]) else text
    for match in re.finditer(r"\bthe\s+(?=[A-Za-z])", text, re.IGNORECASE):
        phrase, following = _noun_phrase(text[match.end() :])
        if not phrase:
            continue
        head = phrase[-1].lower()
        special = any(word[0].isupper() or word[0].isdigit() for word in phrase) or re.match(
            r"(?:best|worst|most|least|only|biggest|\w+est|more|less|\w+er|better|same|other|others|others'|one|ones|two|three|entire|whole|right|wrong)$",
            phrase[0].lower(),
        )
        if special or head.removesuffix("'s") in _UNIQUE or _POSTMODIFIED.match(following):
            continue
        if re.search(rf"\b{re.escape(head[: max(4, len(head) - 2)])}", before + " " + text[: match.start()], re.IGNORECASE):
            continue
        if len(phrase) > 1 and not re.fullmatch(_SHELL, head):
            continue
        return True
    return False
