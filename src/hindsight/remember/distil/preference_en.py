"""English patterns of preference: likes, dislikes, choices, habits, standing wishes about how to be served. Pure."""

from __future__ import annotations

import re

from hindsight.records import Role
from hindsight.remember.distil.clauses import Clause

_ADV = (
    r"(?:(?:really|just|also|always|usually|generally|normally|typically|mostly|often|still|actually"
    r"|absolutely|truly|honestly|totally|much|far|strongly|particularly|especially|definitely|simply"
    r"|kinda|personally|do|don't|dont|do\s+not|doesn't|never|sort\s+of|kind\s+of|both|all|so|too|very"
    r"|have|'ve|never|grown\s+to|come\s+to|learned\s+to|been|very\s+much|way)\s+)*"
)
_WHO = r"(?:\bI|\bi|\bwe|\bWe|\b[Mm]y\s+\w+\s+and\s+I|\b(?:my|our)\s+(?:whole\s+)?(?:team|family|household|company|office)s?)"
_POINTING = (
    r"(?!to\s*[.!,]*$)(?!(?:\w+ing\s+)?(?:it|its|that|this|all\s+(?:the|of)|and|is|are|to\s+be|those"
    r"|them|you|your|her|him|his|these|one|to\s+(?:say|admit|bother|interrupt|ask|think|see\s+you"
    r"|be\s+that)|how|what|when|where|why|some\s+of|having|being\s+able|the\s+(?:idea|sound|look|thought"
    r"|feel|way|fact|concept|notion|suggestion)|to\s*[.!,]"
    r"|the\b(?!(?:\s+\w+){1,3}\s+(?:of|when)\b)(?!\s+(?:outdoors|ocean|sea|beach|mountains|snow|rain"
    r"|winter|summer|gym|sauna|countryside|dolomites)))\b(?!\s+it\s+(?:when|if)))"
)
_EN: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), confidence)
    for pattern, confidence in (
        (
            rf"{_WHO}(?:'ve|\s+have)?\s+{_ADV}(?:prefer(?:red)?|favou?r)\s+{_POINTING}(?!the\s+\w+\s+(?:one|version|option)\b|one\b|not\b)\S",
            0.9,
        ),
        (rf"{_WHO}\s+{_ADV}(?:like|love|enjoy|adore|hate|dislike|detest|loathe|despise)\s+{_POINTING}\w", 0.85),
        (rf"{_WHO}(?:'ve|\s+have)\s+{_ADV}(?:loving|enjoying|hated|loved|liked|hating)\s+{_POINTING}\w", 0.75),
        (rf"{_WHO}(?:'ve|\s+have)\s+(?:grown|come|learned)\s+to\s+(?:like|love|hate|prefer|dislike|enjoy)\s+{_POINTING}\w", 0.85),
        (
            (
                r"\bI(?:'m|\s+am|'ve\s+(?:always\s+)?been)\s+(?:not\s+)?(?:more\s+of\s+|such\s+|really\s+|definitely\s+)*an?\s+(?:\w+\s+)"
                r"?(?!different|better|new|good|happy|strong|whole|changed|private|busy|people's)\w+\s+(?:person"
                r"|lover|addict|enthusiast|junkie|aficionado)\b"
            ),
            0.75,
        ),
        (
            (
                r"\b(?:a|an)?\s*(?:big|huge|great|massive|real|total|die-hard|not\s+a|long-?time|much\s+of\s+a"
                r"|big\s+time)?\s*fans?\s+of\s+(?!it\b|that\b|this\b|them\b|your|you\b)\w"
            ),
            0.8,
        ),
        (
            (
                rf"\bI(?:'m|\s+am)\s+(?:not\s+)?{_ADV}(?:into|keen\s+on|fond\s+of|partial\s+to|crazy\s+about|passionate\s+about"
                rf"|happiest\s+(?:with|when|in|on)|obsessed\s+with)\s+{_POINTING}\w"
            ),
            0.8,
        ),
        (rf"\b(?:can't|cannot|can\s+not|cant|couldn't)\s+(?:stand|bear|abide)\s+{_POINTING}\w", 0.85),
        (
            (
                r"(?:^|[,;:]\s*|\band\s+|\bso\s+)(?:and\s+)?(?:my|our)\s+(?:all[- ]time\s+|absolute\s+|personal\s+"
                r"|own\s+)?(?:(?:favou?rite|preferred|go-to|default|ideal|usual)\s+(?!was|is|are|has|part|moment"
                r"|one)\w+|preference|pet\s+peeve)\b[^?]*?(?:\b(?:is|are|was|has\s+to\s+be|would\s+be)\b|'s\b"
                r"|:)"
            ),
            0.9,
        ),
        (r"\b(?:my|our)\s+(?:dream|ideal|perfect)\s+(?!customer|client|candidate|audience)\w+\s+(?:\w+\s+)?(?:is|would\s+be)\b", 0.8),
        (
            (
                r"\bI\s+(?:usually\s+|always\s+|generally\s+)?(?:drink|take|eat|have|like)\s+my\s+\w+\s+(?:with"
                r"|without|black|plain|strong|well|medium|rare|hot|cold|neat|straight)\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:doesn't|don't|does\s+not|do\s+not|never)\s+bothers?\s+(?:me|us)\b|\bnothing\s+(?:\w+\s+){1,2}(?:me"
                r"|us)\s+(?:\w+\s+)?(?:like|more|as)\b|\b(?:calms|relaxes|soothes|energi[sz]es|drains|exhausts)\s+(?:me"
                r"|us)\b"
            ),
            0.75,
        ),
        (
            (
                rf"{_WHO}\s+(?:really\s+|just\s+|do\s+)?(?:like|love|hate|prefer|enjoy|appreciate)\s+it\s+(?:when"
                rf"|if)\s+(?!you\s+(?:could|can|would))\w+|{_WHO}\s+(?:really\s+)?dig\s+\w+|{_WHO}\s+(?:try\s+to\s+"
                r"|always\s+|usually\s+)?avoid\s+(?!it\b|that\b|this\b)\w+"
            ),
            0.75,
        ),
        (
            (
                r"^(?:just\s+)?give\s+me\s+(?!the\b|a\b|an\b|\w+\s+(?:minutes?|examples?|sentences?))[\w' ]{2,30}\s+(?:over"
                r"|any\s+(?:day|time)|instead\s+of)\b|\balways\s+(?:the|a)\s+\w+\s+(?:side|seat|row|room|option"
                r"|one)\b"
            ),
            0.7,
        ),
        (
            (
                r"\bmy\s+tastes?\s+(?:in|is|are|runs?)\b|\bthe\s+\w+er\b[^.,]{0,20}?,?\s+the\s+(?:better|happier"
                r"|more\s+I)\b|\bthat's\s+my\s+(?:routine|thing|style|way|kind\s+of)\b"
            ),
            0.75,
        ),
        (r"\bnothing\s+(?:\w+\s+)?(?:comes\s+close\s+to|beats|compares\s+(?:to|with)|tops)\b", 0.75),
        (
            (
                r"\b(?:puts?\s+me\s+off|drives?\s+me\s+(?:crazy|mad|nuts|up\s+the\s+wall|insane)|(?:tires|wears)\s+me\s+(?:out"
                r"|down)|turns?\s+me\s+off|does\s+(?:it|nothing)\s+for\s+me|appeals?\s+to\s+me|makes?\s+me\s+(?:sick"
                r"|sleepy|nervous|uncomfortable|cringe|happy|queasy)|is\s+lost\s+on\s+me)\b"
            ),
            0.75,
        ),
        (
            (
                r"\bI(?:'ve|\s+have)?\s+(?:got\s+)?(?:have\s+)?a\s+(?:soft\s+spot|weakness|sweet\s+tooth|thing"
                r"|passion|preference|taste)\b(?:\s+for\b)?"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:not|never)\s+(?:been\s+)?(?:much\s+of\s+an?|one\s+for|big\s+on|(?:really\s+)?bothered\s+about)\s+\w+"
                r"|\bI(?:'m|\s+am)\s+(?:very\s+|quite\s+|pretty\s+|rather\s+)?(?:picky|fussy|particular|big|strict)\s+(?:about"
                r"|on|with)\b"
            ),
            0.75,
        ),
        (
            (
                r"\bI\s+(?:don't|do\s+not)\s+(?:really\s+)?mind\s+(?!if|that\b|it\b|waiting\b|me\b)\w+.*\bbut\b"
                r"|\bI\s+(?:swear\s+by|stick\s+(?:to|with)|crave|dread|steer\s+clear\s+of|stay\s+away\s+from|can't\s+resist"
                r"|insist\s+on|avoid)\s+(?!it\b|that\b|this\b)\w+"
            ),
            0.75,
        ),
        (
            (
                rf"{_WHO}\s+(?:only|always|never|mostly|mainly|usually)\s+(?:ever\s+)?(?:listen|watch|read|eat"
                r"|drink|wear|use|buy|order|shop|cook|play|write|take|travel|stay|fly|sleep|work\s+with)\b(?!\s+(?:to\s+it"
                r"|it|that|this)\b)"
            ),
            0.75,
        ),
        (
            (
                r"\b(?:my|our)\s+(?:own\s+|personal\s+|clear\s+|strong\s+)?preferences?\s+(?:is|are|would\s+be"
                r"|goes)\b|\bthat's\s+what\s+(?:I|we)\s+(?:like|prefer|love|enjoy)\b"
            ),
            0.85,
        ),
        (r"(?<!that )(?<!which )(?<!what )\b(?:suits?|fits)\s+(?:me|us)\b", 0.75),
        (r"\b(?:is|are)\s+(?:by\s+far\s+|still\s+|definitely\s+)?(?:my|our)\s+(?:absolute\s+|all[- ]time\s+)?favou?rites?\b", 0.85),
        (
            (
                r"\b(?:is|are)\s+(?:by\s+far\s+)?(?:my|our)\s+(?:all[- ]time\s+)?(?:favou?rite\s+(?:way|thing"
                r"|place|food|drink|colou?r|season|sport)|thing|cup\s+of\s+tea|jam|go-to)\b"
            ),
            0.75,
        ),
        (rf"{_WHO}(?:'d|\s+would)\s+{_ADV}(?:rather|sooner)\s+(?!not\b|you\b|it\b|that\b|be\s+\w+ing\b|he\b|she\b|they\b)\w", 0.85),
        (
            (
                rf"{_WHO}(?:'d|\s+would|'ll|\s+will)?\s+{_ADV}(?:go\s+with|go\s+for|choose|pick|opt\s+for|take)\s+.{{2,60}}?\s+(?:over"
                r"|instead\s+of|rather\s+than)\s+\w"
            ),
            0.85,
        ),
        (
            (
                rf"{_WHO}\s+(?:rarely|seldom|hardly\s+ever|never|always)\s+(?:eat|drink|watch|read|listen|use|wear"
                r"|buy|travel|cook|skip|snack|work|go\s+to|order|add|put)\b"
            ),
            0.7,
        ),
        (
            (
                rf"{_WHO}\s+(?:tend\s+to|(?:usually|generally|normally|typically|mostly|always)\s+(?:avoid|go\s+for"
                r"|go\s+with|pick|choose|opt|order|drink|eat|have\s+(?!a\s+(?:meeting|call)|to\b)|take\s+my|start\s+(?:my"
                r"|the)\s+day|cook|use|wear|buy|read|watch|listen|think\s+in|work|write|travel|take|book|skip))\b"
            ),
            0.75,
        ),
        (r"\bso\s+I\s+(?:always\s+)?(?:go|opt)\s+for\b", 0.7),
        (
            (
                r"^(?!.*\b(?:which|see|whatever|find\s+out|figure\s+out)\b.*\bworks).*\bworks?\s+(?:much\s+|a\s+lot\s+"
                r"|way\s+)?(?:better|best)\s+for\s+(?:me|us)\b|(?<!that )(?<!which )\bsuits?\s+(?:me|us)\s+(?:best"
                r"|better|most|well|fine)|\bwould\s+be\s+(?:much\s+)?better\s+for\s+(?:me|us)\b"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:is|are)\s+(?:the\s+)?(?:worst|best|ideal|perfect|easier|hardest)\s+for\s+(?:me|us)\b|\bfor\s+me\b[^.]*\bnothing\s+beats\b"
                r"|\bnothing\s+beats\b.*\bfor\s+me\b"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:bores?|annoys?|irritates?|stresses)\s+me\b|\bmakes\s+me\s+anxious\b|\bgets?\s+on\s+my\s+nerves\b"
                r"|\bis\s+(?:really\s+)?my\s+thing\b|\b(?:isn't|not)\s+(?:really\s+)?my\s+thing\b"
            ),
            0.75,
        ),
        (r"\bI\s+find\s+(?!it\b|that\b|this\b|them\b).{2,50}?\s+(?:too|so\s+much|far\s+too|really|very|a\s+bit)\s+\w+", 0.65),
        (r"\bthat(?:'s|\s+is)\s+how\s+I\s+(?:like|prefer|want)\b|\bthe\s+way\s+I\s+like\b", 0.85),
        (
            r"\bI(?:'d|\s+would)\s+(?:really\s+|much\s+)?rather\s+(?:that\s+)?you\s+(?!.*\b(?:now|today|tonight|this)\b)(?!could\b|would\b|had\b|not\s+(?:know|see)\b)\w+",
            0.8,
        ),
        (
            (
                r"^(?:(?:please|just|hi|hello|hey|you\s+can|you\s+may)[,!\s]+)*call\s+me\s+(?!Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Maybe|Ishmael|Crazy|When|If|Back|At|On)"
                r"(?-i:[A-Z])\w*(?:\s+from\s+now\s+on)?\s*(?:[.!,]|$)"
            ),
            0.85,
        ),
        (r"\bI(?:'d|\s+would)\s+(?:really\s+)?(?:appreciate|like|love|prefer)\s+it\s+if\s+you\s+(?!could\b|would\b|can\b|guys\b)\w+", 0.8),
        (
            (
                r"^(?!no\b|yes\b|of\s+course\b|sure\b|maybe\b|hopefully\b|i\b)(?:\w+\s+){0,2}\w+,\s+not\s+(?!really"
                r"|yet|now|sure|at\s+all|much|always|just|only|so)(?:\w+\s*){1,3}[.!]?$"
            ),
            0.7,
        ),
        (
            (
                r"^(?!(?:it|that|this|i|we|they|you|he|she|all|game|moved?|come|head|start|almost|just)\b)(?!.*\b(?:is"
                r"|are|was|were|have|has|had)\b.*\bover\b)[\w+#.]+(?:\s+[\w+#.]+)?\s+over\s+[\w+#.]+(?:\s+for\s+\w+(?:\s+\w+)?)?\s*(?:[,.]"
                r"|$)"
            ),
            0.65,
        ),
        (
            (
                r"^(?:\w+\s+){0,3}(?:seats?|mode|theme|rooms?|flights?|tabs|spaces|\w+)\s+for\s+me\s+(?:whenever"
                r"|every\s+time|any\s+time|please|always)\b|^always\s+\w+\s+for\s+me\b"
            ),
            0.7,
        ),
        (r"^[\w' -]{2,40}\s+(?:everywhere|only|always)[,]?\s+please\b", 0.75),
        (r"\bleaves?\s+me\s+cold\b|\bany\s+day\s+of\s+the\s+week\b", 0.7),
    )
)
_LASTING = (
    r"from\s+(?:now|here|this\s+point)\s+on(?:wards?)?|going\s+forward|in\s+(?:the\s+)?future|for\s+(?:the\s+)?future"
    r"|next\s+time|whenever\s+(?:you|we|i)|every\s+time|each\s+time|when(?:ever)?\s+(?:you|we)\b|always"
    r"|(?:with|to|for)\s+me\b|as\s+a\s+rule|any\s+time\s+you|in\s+your\s+(?:answers|replies|messages)"
)
_SERVICE = (
    r"answer|reply|respond|write|use|keep|give|show|leave\s+out|skip|stop|avoid|call\s+me|address\s+me"
    r"|explain|summari[sz]e|format|send|put|start|begin|end|ask|list|quote|include|"
    r"draft|speak|talk|bury|suggest|schedule|book|be\b|want|need|would\s+like"
)
_LASTING_FIRST = re.compile(rf"\b(?:{_LASTING}).{{0,80}}?\b(?:{_SERVICE})", re.IGNORECASE)
_LASTING_LAST = re.compile(rf"\b(?:{_SERVICE})\b.{{1,90}}?\b(?:{_LASTING})", re.IGNORECASE)
_STYLE = re.compile(
    r"\b(?:letters?|lines?|numbers?|figures|tables?|invoices?|charts?|headings?|repl(?:y|ies)|answers?"
    r"|responses?|messages?|emails?|summar(?:y|ies)|reports?|explanations?|spelling|units?|emojis?"
    r"|bullet\s+points?|paragraphs?|sentences?|tone|formal(?:ity)?|pleasantries|small\s+talk|jargon"
    r"|comments?|format|"
    r"dates?|prices?|amounts?|english|spanish|french|german|chinese|metric|conclusions?)\b",
    re.IGNORECASE,
)
_CONDITION = (
    r"(?:(?:when(?:ever)?|if|every\s+time|each\s+time|any\s+time)\s+(?:you|we|i)\b[^,]{0,60},\s*|for\s+[\w ]{2,25},\s*"
    r"|(?:from\s+(?:now|here)\s+on|going\s+forward|in\s+(?:the\s+)?future|in\s+your\s+\w+)[, ]\s*)"
)
_REQUEST = re.compile(
    rf"^(?:(?:and|so|but|ok|okay|also|oh|hey|thanks)[,!\s]+|one\s+thing[^:,]{{0,40}}[:,]\s*|[^:]{{2,30}}:\s+)*{_CONDITION}?(?:please\b"
    r"|don't\b|do\s+not\b|never\b|always\b|can\s+you\b|could\s+you\b|would\s+you\b|you\s+can\b|i(?:'d"
    r"|\s+would)\s+(?:like|prefer|appreciate)\b|i\s+(?:want|need)\b|let's\b"
    rf"|(?:{_SERVICE})\b|\w+\s+units\b)",
    re.IGNORECASE,
)
_POLITE_QUESTION = re.compile(r"^(?:(?:and|so|ok|okay|also|hey)[,\s]+)*(?:can|could|would|will)\s+you\b", re.IGNORECASE)
_STYLE_ORDER = re.compile(
    r"\bplease\s+(?:write|spell|put|number|sign|address|list|keep|use|format|answer|reply|send)\b.*\b(?:in"
    r"|to|with|under|below|within)\b|\bplease\b.*\b(?:stop|avoid|keep|always|only)\b|\b(?:only|always)\b.*\bplease\b"
    r"|\bwithout\s+the\b",
    re.IGNORECASE,
)
_REACTION = re.compile(
    r"\b(?:like|love|loving|enjoying|hate)\b.{0,60}?\b(?:these|those|this|them|that\s+you|like\s+this"
    r"|your|you(?:'re|'ve)?)\b(?!\s+days\b)|^(?:i\s+)?(?:love|like)\s+(?:it|that|this)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:something|things?|stuff|jobs?|work|what|ones?|people|person|anything|everything|all|books?"
    r"|music|those|that\s+way|parts?|who|which|hobby|hobbies|activit(?:y|ies)|places?|topic|why|wish"
    r"|when)\s+$",
    re.IGNORECASE,
)


_EVERY_TIME = re.compile(
    r"^(?:whenever|every\s+time|each\s+time|any\s+time|anytime)\s+you\s+[^,]{2,60},\s+(?:please\s+"
    r"|always\s+)?(?!i\b|we\b|it\b|you\b|the\b|my\b|that\b|this\b|there\b)[a-z]+\b"
    r"|^(?:can|could|would|will)\s+you\s+(?:please\s+)?always\b|^(?:please\s+)?always\s+(?:put|add"
    r"|use|write|give|show|include|start|end|ask|answer|reply|cite|quote|explain|check)\b",
    re.IGNORECASE,
)


def find_preference_en(clause: Clause, text: str) -> float:
    """How surely an English clause states a lasting preference, 0..1. ``text`` is its masked text."""
    if clause.question and not _POLITE_QUESTION.match(text):
        return 0.0
    best = 0.0
    if not clause.question and not _REACTION.search(text):
        best = max((confidence for pattern, confidence in _EN if _states(pattern, text)), default=0.0)
    return max(best, _service(clause, text))


def _states(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the pattern matches outside a relative clause ("something I love")."""
    return any(not _RELATIVE.search(text[: match.start()]) for match in pattern.finditer(text))


def _service(clause: Clause, text: str) -> float:
    """Standing wishes about how to be served; a wish about the present text is none."""
    if clause.role is not Role.USER:
        return 0.0
    if _EVERY_TIME.search(text):
        return 0.8
    if not _REQUEST.match(text):
        return 0.0
    lasting = _LASTING_FIRST.search(text) or _LASTING_LAST.search(text)
    if lasting and _STYLE.search(text):
        return 0.85
    if lasting and re.search(
        r"\b(?:from\s+(?:now|here)\s+on|going\s+forward|in\s+(?:the\s+)?future|for\s+the\s+future|whenever\s+you|when\s+(?:you|we))\b",
        text,
        re.IGNORECASE,
    ):
        return 0.75
    if (
        _STYLE.search(text)
        and (_STYLE_ORDER.search(text) or re.search(r"\b(?:to|with|for)\s+me\b", text))
        and not re.search(r"\bthis\b|\bthe\s+(?:heading|title|last|first|previous)\b", text)
    ):
        return 0.75
    return 0.0
