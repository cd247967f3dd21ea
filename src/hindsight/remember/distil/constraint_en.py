"""English patterns of constraint: health, law, money, time, prohibitions, duties. Pure."""

from __future__ import annotations

import re

_HEALTH_EN = (
    r"allerg(?:ic\s+to|y|ies)|(?:lactose|gluten|fructose|histamine)?[- ]?intoleran(?:t|ce)|coeliac"
    r"|celiac|anaphyla\w+|diabet(?:es|ic)|asthma(?:tic)?|epilep\w+|pacemaker|(?:vegan|vegetarian|kosher"
    r"|halal|gluten[- ]free|dairy[- ]free)(?=\s*(?:[.,;!)]|$|and|so|but|for|since|because|now|when"
    r"|as|household|family|diet|or|too|these))(?!\s+and\s+\w+-free\s+\w+)"
    r"|pregnant|breastfeeding|wheelchair|colou?r[- ]?blind(?:ness)?|blood\s+thinners?|h(?:a)?emophili\w+"
    r"|break\s+out\s+in\s+hives|throat\s+swells?|immunocompromised|fasting|recovering\s+alcoholic"
)
_BEING = (
    r"(?:am|'m|m|is|are|'re|was\s+born|have|has|'ve|'s|got|been|suffers?|keeps?|eats?|follow|use|uses"
    r"|can't|cant|cannot|break|went|go|im)"
)
_FAMILY = (
    r"(?:son|daughter|kids?|child(?:ren)?|baby|wife|husband|partner|mum|mom|mother|dad|father|parents?"
    r"|brother|sister|grand\w+|boyfriend|girlfriend|fianc[eé]e?|family|in-laws)"
)
_OWN_EN = rf"(?:\b(?:I|i|im|I'm|me|we|us)\b|\b(?:my|our)\s+(?:\w+\s+)?{_FAMILY}\b|\b(?:one|two|three|some|both|all)\s+of\s+us\b)"
_HEALTH_SUBJECT = re.compile(
    rf"{_OWN_EN}(?:\s*|.{{0,18}}?\b){_BEING}\b(?!.{{0,40}}\b(?:made|make|making|baked|recipe|tried"
    rf"|try|trying|tempted|looking|interested|searching|book|article|class)\b).{{0,40}}?(?:{_HEALTH_EN})\b"
    rf"|^(?:one|two|three|some|both|all)\s+of\s+us\b.*\b(?:vegan|vegetarian)\b|\b(?:{_HEALTH_EN})\b.{{0,40}}?\b(?:for\s+me"
    r"|for\s+us|I\s+have|myself)\b|\bsends?\s+me\s+into\s+\w+\s*(?:shock)?|\bmakes?\s+my\s+throat\s+swell",
    re.IGNORECASE,
)
_HEALTH_DENIED = re.compile(
    rf"\b(?:not|n't|no|no\s+longer|never|without)\s+(?:\w+\s+){{0,3}}?(?:{_HEALTH_EN})\b|allergic\s+to\s+(?:meetings"
    r"|work|mondays|nonsense|bullshit|people|exercise|drama|responsibility|mornings|small\s+talk|code|bugs?|java\w*|spreadsheets?|commitment|(?:bad|ugly|messy|stupid|boring|slow|legacy|sloppy|lazy|poor)\s+\w+)",
    re.IGNORECASE,
)

_ABLE = (
    r"eat|drink|have\s+(?!to\b|it\b|that\b|a\s+(?:look|word|chat))|take\s+(?!it|that|this|you)|fly"
    r"|drive|lift|run|jump|kneel|swim|climb|skip|tolerate|digest|afford|exceed|go\s+over|go\s+above"
    r"|spend|miss|work\s+(?:on|after|before|more|past|at|with|late|over|weekends?|mornings?|nights?)"
    r"|use\s+(?!it|that|this|them|your)|travel|be\s+(?:near|around|exposed|late|disturbed|reached"
    r"|moved|merged|changed|used|shared)|wear|stay\s+(?:up|past|longer|after)|store|share|ship|merge"
    r"|deploy|change\s+the|upgrade|hire|sign|leave\s+(?:before|the)|do\s+(?:mornings|nights|weekends"
    r"|fridays?|mondays?)"
    r"|attend|handle\s+(?:spicy|dairy|caffeine|alcohol)|exercise|stand\s+for\s+(?:long|more)|install"
    r"|connect\s+to|go\s+(?:below|beyond|past|near|without)"
)
_NOT_EN = (
    r"(?:can't|cannot|can\s+not|cant|mustn't|must\s+not|may\s+not|shouldn't|(?:'m|am|are|is|'re)\s+not\s+(?:allowed"
    r"|permitted|supposed|able|cleared)\s+to|aren't\s+(?:allowed|permitted)\s+to|isn't\s+(?:allowed"
    r"|permitted)\s+to)"
)
_EPISTEMIC = re.compile(
    r"\b(?:must|can't|cannot|couldn't)\s+(?:have\s+(?:been|felt|seemed|taken|gone|done|had|unreal"
    r"|\w+ed)\b|be\s+(?:the|a|an|serious|kidding|joking|right|true|real|so|very|really|hard|nice|great"
    r"|fun|tough|amazing|exciting|proud|happy|it|that|something|some|simpler|another|more|such|\w+ing))\b"
    r"|\b(?:I|we)\s+must\s+(?:say|admit|confess|be|have)\b|\bthere\s+must\s+be\b|\b(?:have|has|had)\s+to\s+(?:say"
    r"|admit|go|run|agree|laugh|see|be\s+(?:honest|fun|hard)|try)\b|\bdon't\s+have\s+to\b|\bdoesn't\s+have\s+to\b"
    r"|\bgot\s+to\s+go\b"
    r"|\bcan't\s+(?:wait|believe|help|find|see|open|think|remember|tell|imagine|say|figure|decide"
    r"|complain|blame|thank|get\s+(?:enough|over|it)|hear|understand|recommend|stop|seem|wrap|even"
    r"|eat\s+another|have\s+it\s+both)\b|\bneed\s+to\s+(?:talk|know|renew|go|find)\b",
    re.IGNORECASE,
)
_EN: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), confidence)
    for pattern, confidence in (
        (rf"\b(?:I|we)\s+(?:really\s+|simply\s+|just\s+|also\s+|therefore\s+)?{_NOT_EN}\s+(?:{_ABLE})", 0.85),
        (
            (
                r"\b(?:I|we)\s+(?:mustn't|must\s+not|may\s+not|(?:am|are|'m|'re)\s+not\s+(?:allowed|permitted"
                r"|supposed)\s+to)\s+(?!say\b|forget\b)\w+|\b(?:I'm|we're)\s+not\s+(?:allowed|permitted|supposed)\s+to\s+\w+"
            ),
            0.85,
        ),
        (rf"\b(?:my|our)\s+(?:\w+\s+){{0,2}}{_NOT_EN}\s+(?:{_ABLE})", 0.85),
        (
            r"\b(?:I|we)(?:\s+can)?\s+(?:can\s+)?only\s+(?:work|eat|have|use|take|drink|drive|afford|accept|meet|talk|travel|spend|get)\b",
            0.75,
        ),
        (
            (
                r"\b(?:my|our)\s+(?:doctor|dietitian|nutritionist|cardiologist|physio(?:therapist)?|dentist|gp|midwife|lawyer|landlord|therapist|surgeon|allergist)\s+(?:has\s+)?"
                r"(?:told|advised|ordered|asked|instructed|warned|wants)\s+(?:me|us)\s+(?:not\s+to|to\s+(?:avoid|stop|quit|limit|stay\s+(?:off|away|under)|not|never|cut\s+(?:out|down)|give\s+up|keep))\s+\w"
            ),
            0.85,
        ),
        (
            (
                r"\bI\s+(?:don't|do\s+not|never)\s+(?:eat|drink|touch)\s+(?:any\s+)?(?:alcohol|meat|pork|beef"
                r"|fish|dairy|eggs?|gluten|seafood|shellfish|caffeine|sugar|wine|beer|nuts?)\b"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:I|we)\s+(?:(?:have|need)\s+to|must)\s+(?:avoid|stay\s+under|stay\s+below|limit|stick\s+to"
                r"|eat\s+at|(?:finish|ship|deliver|submit|launch|hand\s+(?:it|this)\s+in|be\s+(?:home|back|done))\b[^.]{0,30}\b(?:by"
                r"|before|no\s+later\s+than|within))\b"
            ),
            0.75,
        ),
        (r"\b(?:am|'m|are|is)\s+(?:strictly\s+)?(?:limited|restricted|capped)\s+to\b", 0.85),
        (
            (
                r"\b(?:strictly\s+)?(?:forbidden|prohibited|off[- ]limits|off\s+the\s+table|a\s+no-?go|not\s+an\s+option"
                r"|banned|are\s+out$|are\s+out[.!]|verboten)\b"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:forbids|prohibits|does(?:n't|\s+not)\s+(?:allow|permit)|do(?:n't|\s+not)\s+(?:allow|permit)"
                r"|requires?\s+(?:it|us|that)|insists\s+on|won't\s+allow|demands\s+that)\b"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:is|are|was)\s+not\s+to\s+be\s+\w+(?:ed|en|t)\b|\b(?:must\s+not|mustn't|may\s+not|can't"
                r"|cannot|can\s+not)\s+(?:ever\s+)?be\s+\w+(?:ed|en|t)\b|\bmust\s+never\s+(?:be\s+)?\w+"
            ),
            0.9,
        ),
        (
            (
                r"\b(?:must|has\s+to|have\s+to|needs?\s+to)\s+(?:always\s+|absolutely\s+)?(?:be\s+(?:signed|encrypted"
                r"|approved|reviewed|kept|stored|cleared|logged|tested|delivered|compatible|submitted|\w+ed\s+(?:by"
                r"|before|within|in|inside|first))|stay\s+(?:in|inside|under|below|within|on)|remain|run\s+(?:offline"
                r"|on|under|within|without)|support|comply|go\s+through)\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:it's|it\s+is)\s+(?:essential|crucial|critical|mandatory|imperative|vital|compulsory)\s+(?:that\s+(?:we"
                r"|our|my|you|this|all|the\s+(?:public|api|system|app|data|team|code|service|release|client|customer))"
                r"|for\s+(?:me|us))\b|\b(?:hard|strict|legal|absolute|non-negotiable)\s+(?:requirement|limit|deadline"
                r"|rule)\b|\bnon-negotiable\b|\bwe\s+absolutely\s+need\b"
            ),
            0.85,
        ),
        (
            (
                r"\bbudget\b[^.?]{0,40}?(?:\bis\b|\bof\b|:|\bcapped\b|\blimited\b)[^.?]{0,20}?\d|\bcan't\s+(?:go\s+over"
                r"|exceed|spend)\b|\bno\s+more\s+than\s+\W?\d|\b(?:max(?:imum)?|at\s+most)\s+(?:of\s+)?\W?\d"
            ),
            0.85,
        ),
        (
            (
                r"\bdeadline\b[^.?]{0,60}?(?:\bis\b|:|\bare\b)\s*(?:on\s+)?[^.?]{0,12}?(?:\d|jan|feb|mar|apr|may"
                r"|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|tomorrow|tonight|next|end\s+of)"
            ),
            0.85,
        ),
        (
            (
                r"^nothing\s+(?:over|above|under|newer|older|longer|more)\b|\bnothing\s+(?:newer|older|over|above)\s+than\b"
                r"|\bonly\s+have\s+\d+\s+(?:days?|hours?|weeks?|euros?|dollars?|mb|gb)\b|\b(?:height|weight|size"
                r"|speed|age|rate)\s+limit\b"
            ),
            0.8,
        ),
        (
            (
                r"^no\s+(?!worries|prob\w*|idea|way|need|doubt|wonder|one\b|rush|kidding|offen[cs]e|pressure|thanks"
                r"|matter|biggie|luck|clue|big|hurry|it\b|i\b|this\b)[\w -]{3,40}(?:\s+(?:on|in|before|after|during"
                r"|at|without|from|ever|please|allowed)\b|,\s*(?:ever|please))"
            ),
            0.75,
        ),
        (r"\bso\s+no\s+[a-z][\w -]{2,40}(?:for\s+me|please|in\s+|[.!,]|$)", 0.7),
        (
            (
                r"^only\s+(?:use|run|buy|deploy|send|call|invite|accept|store|commit)\b|\bstandard\s+library\s+only\b"
                r"|\b\w+\s+recipes\s+only\b|\bservers?\s+only\s+runs?\b"
            ),
            0.75,
        ),
        (
            (
                r"\bneeds?\s+to\s+be\s+(?:cleared|approved|signed\s+off|reviewed|checked)\b|\bwithout\s+(?:my"
                r"|our|his|her|their)\s+(?:approval|consent|permission|ok(?:ay)?|sign-off)\b"
            ),
            0.85,
        ),
        (
            (
                r"^(?:the|our|all|every|each|any|this|these|those|it)\b[^.?]{0,60}?\b(?:must|mustn't|can't|cannot"
                r"|may\s+not|has\s+to|have\s+to)\s+(?:not\s+|never\s+|only\s+|always\s+)?(?!be\s+(?:the|a|an|so"
                r"|very|really|nice|hard|fun|great|\w+ing)\b|have\s+been|feel|seem|look|wait|believe|open\b|find\b"
                r"|help\b)(?:be\s+(?:longer|more|less|bigger|smaller|larger|later|older|higher|lower|shorter|over"
                r"|under|at|in|on|kept|\w+ed)|run|use|have\s+(?=at\s+least|\d|an?\s|no\s)|exceed|go|contain|include"
                r"|support|stay|keep|remain|return|start|finish|arrive|leave|pass|work|fit|come|get)\b"
            ),
            0.75,
        ),
        (
            (
                r"\bthere(?:'s|\s+is)\s+an?\s+(?:hard\s+|strict\s+|upper\s+|absolute\s+)?(?:cap|limit|maximum"
                r"|minimum|ban|curfew|quota)\b|\b(?:is|are)\s+only\s+(?:possible|available|allowed|permitted|accessible"
                r"|valid|open|accepted)\b"
            ),
            0.8,
        ),
        (
            (
                r"^(?:the|our|all|every|each|any)\b[^.?]{0,40}?\b(?:has|have)\s+to\s+be\s+(?!the|a|an|so|very"
                r"|really|careful|honest|fun|nice)\w+|\bonly\s+(?:covers?|allows?|permits?|accepts?|supports?"
                r"|works?\s+with|valid)\b|\b(?:we|I)\s+can\s+only\s+\w+"
            ),
            0.75,
        ),
        (
            (
                r"\bonly\s+[A-Z]\w+\s+(?:is|may|can)\s+(?:allowed|permitted|authori[sz]ed|sign|approve)|\b(?:policy"
                r"|law|rules?|regulations?|contract|statute|bylaws?|guidelines?)\s+(?:\w+\s+)?(?:forbids?|prohibits?"
                r"|says?\s+no|requires?|demands?|states?\s+that|bans?|limits?|does\s+not\s+allow|doesn't\s+allow)\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:recovering\s+from|after)\s+(?:\w+\s+)?(?:surgery|an?\s+operation|a\s+stroke|a\s+concussion)\b.*\b(?:so"
                r"|no|can't|not)\b|\b(?:stitches|plaster\s+cast|heart\s+condition|high\s+blood\s+pressure|epilepsy"
                r"|pacemaker)\b.*\b(?:so|no|must|can't|not|avoid)\b|\b(?:must|mustn't|can't|not)\b.*\b(?:stitches"
                r"|wound|cast)\b"
            ),
            0.85,
        ),
        (r"^(?:please\s+)?(?:absolutely|strictly)\s+no\s+\w+|\bis\s+a\s+problem\s+for\s+(?:me|us)\b|\bare\s+a\s+problem\b", 0.8),
        (
            (
                r"\b(?:nobody|no\s+one|noone)\s+(?:\w+\s+){0,4}?(?:may|can|should|must|is\s+allowed)\b|\bonly\s+(?:the\s+)?[\w ]{2,30}\s+(?:may"
                r"|can|is\s+allowed\s+to|are\s+allowed\s+to)\s+\w+"
            ),
            0.8,
        ),
        (r"\bon\s+an?\s+(?:\w+[- ]?){1,3}\s+diet\b|\bfor\s+(?:medical|health|religious|legal|safety|dietary)\s+reasons\b", 0.85),
        (
            (
                r"\b(?:I|we)\s+(?:have|need)\s+to\s+[^.?]{2,40}\b(?:by|before|no\s+later\s+than)\s+(?:the\s+)?(?:\d"
                r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
                r"|september|october|november|december|end\s+of|noon|midnight)"
            ),
            0.75,
        ),
        (r"\b(?:is|are)\s+(?:limited|restricted|capped)\s+to\b|\bcapacity\s+(?:is|of)\b", 0.8),
        (r"^(?:we|all|every|each|any)\b[^.]{0,40}\bmust\s+(?:always\s+)?(?:keep|stay|use|have|be\s+(?:kept|stored))\b", 0.75),
    )
)
_PROHIBITION = re.compile(
    r"(?:^|[,:;]\s*|\bplease\s+|\bso\s+|\band\s+)(?:please\s+)?(?:whatever\s+you\s+do,?\s+|under\s+no\s+circumstances\s+"
    r"|make\s+sure\s+(?:that\s+)?you\s+never\s+|you\s+(?:must\s+not|mustn't|may\s+not|are\s+not\s+(?:allowed"
    r"|supposed)\s+to|'re\s+not\s+(?:allowed|supposed)\s+to|should\s+never|must\s+never)\s*"
    r"|(?:don't|do\s+not)\s+(?:you\s+)?(?:ever|under\s+any)\b|never\s+(?:ever\s+)?(?=[a-z]))",
    re.IGNORECASE,
)
_YOU_ARE_NOT = re.compile(
    r"\byou(?:'re|\s+are)\s+not\s+(?:allowed|supposed|permitted)\s+to\b|\byou\s+(?:must\s+not|mustn't|may\s+not|must\s+never)\b",
    re.IGNORECASE,
)
_YOURS = re.compile(r"\byou(?:'ll|\s+will)?\s+(?:have|need|got)\s+to\b|\byou\s+(?:must|can't|can\s+only)\b", re.IGNORECASE)
_NOT_A_PROHIBITION = re.compile(
    r"never\s+(?:mind|gonna|ever\s+mind|too\s+late|again|fear|say\s+never|been|had|thought|heard|seen"
    r"|knew|gets?\s+old|forget|underestimate|stop\s+(?:being|learning|dreaming))|do(?:n't|\s+not)\s+(?:worry"
    r"|mention|forget)",
    re.IGNORECASE,
)
_DO_NOT = re.compile(
    r"(?:^|[,:;]\s*|\bplease\s+)(?:please\s+)?(?:do\s+not|don't)\s+(?!worry|mind|forget|bother|think"
    r"|know|care|understand|get\s+me|be\b|you\b|mention|hesitate)\w+",
    re.IGNORECASE,
)
_SCOPE_EN = re.compile(
    r"\b(?:any|ever|anyone|anything|anybody|anywhere|all|every|outside|without|during|before|production"
    r"|prod|main|master|public|secrets?|credentials|live|our|customers?|clients?|weekends?|fridays?"
    r"|nights?)\b",
    re.IGNORECASE,
)
_HERE_EN = re.compile(r"\bhere\b|\bin\s+this\s+(?:paragraph|sentence|function|line|example|answer|case|one)\b|\byet\b", re.IGNORECASE)


def find_constraint_en(text: str, *, ordered: bool) -> float:
    """How surely an English clause sets a limit, 0..1. ``ordered``: an assistant is spoken to, so that imperatives are orders; among people they are advice."""
    best = 0.0
    if _HEALTH_SUBJECT.search(text) and not _HEALTH_DENIED.search(text):
        best = 0.95
    if ordered and (_PROHIBITION.search(text) or _YOU_ARE_NOT.search(text)) and not _NOT_A_PROHIBITION.search(text):
        best = max(best, 0.9)
    if ordered and _DO_NOT.search(text) and _SCOPE_EN.search(text) and not _HERE_EN.search(text):
        best = max(best, 0.75)
    if not _EPISTEMIC.search(text) and not (_YOURS.search(text) and not _YOU_ARE_NOT.search(text)):
        best = max(
            [
                best,
                *(
                    confidence
                    for pattern, confidence in _EN
                    if pattern.search(text) and (ordered or not text.lower().startswith(("no ", "only ", "nothing ")))
                ),
            ]
        )
    return best
