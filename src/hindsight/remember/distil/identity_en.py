"""English patterns of identity: kin, work, homes, belongings, changes of life. Pure."""

from __future__ import annotations

import re

_KIN_EN = (
    r"wife|husband|partner|son|sons|daughter|daughters|kids?|child|children|baby|mum|mom|mother|dad"
    r"|father|parents|brother|brothers|sister|sisters|twins?|boys|girls|boyfriend|girlfriend|fianc[eé]e?"
    r"|grandmother|grandfather|grandma|grandpa|ex-husband|ex-wife|ex|stepson|stepdaughter|godson|goddaughter"
    r"|widow|aunt|uncle|cousin|nephew|niece|in-laws"
)
_HAVE_EN = (
    rf"{_KIN_EN}|name|surname|full\s+name|nickname|birthday|age|email|e-mail|phone(?:\s+number)?|number"
    r"|address|time\s?zone|home\s?town|mother\s+tongue|native\s+language|first\s+language|nationality"
    r"|job|occupation|profession|employer|company|firm|boss|manager|supervisor"
    r"|dog|dogs|cat|cats|puppy|kitten|pet|pets|school|university|major|github(?:\s+(?:handle|account"
    r"|name))?|handle|twitter|username|wedding\s+anniversary|anniversary|height|weight|blood\s+type"
    r"|star\s+sign|side\s+business|business|degree"
)
_THINGS_EN = r"(?:house|flat|apartment|place|car|bike|office|team|laptop|computer|commute|studio|shop|farm|garden)"
_NOT_NOUN = (
    r"(?:bit|part|fan|sucker|lot|little|few|couple|idiot|mess|wreck|believer|loser|genius|moment|while"
    r"|second|huge|big\s+(?:fan|believer|mess)|rush|hurry|pickle|fool|terrible|horrible|bad|good|great"
    r"|tad|minute|day|week|way|position|rut|loop|total\s+mess|similar|different|mix|new\s+to|rock"
    r"|walrus|pro\b)"
)
_PLACE = r"[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*"
_EN: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern), confidence)
    for pattern, confidence in (
        (
            (
                r"\b[Mm]y\s+(?:full\s+|first\s+|last\s+)?name(?:'s|\s+is)\s+\S|\b(?:I'm|I\s+am|i'm)\s+called\s+[A-Z]"
                r"|\b(?:hey|hi|hello|Hey|Hi|Hello)[,!]?\s+[A-Z]\w+\s+here\b|^(?!Same|Right|Over|Out|Back|Almost"
                r"|New|Not|Nothing|Still|Down|Up|Everyone|Only|Just|Been|Hi|Hey|Hello)[A-Z]\w+\s+here[,.]|\bthis\s+is\s+[A-Z]\w+\s+from\b"
            ),
            0.95,
        ),
        (
            (
                r"\b(?:I'm|I\s+am|i'm|im|i\s+am|Im)\s+(?:also\s+|currently\s+|actually\s+|just\s+|now\s+|basically\s+"
                rf"|only\s+|still\s+)?(?:an?|the)\s+(?!{_NOT_NOUN}\b)(?!\w+\s+(?:fan|bit|person|lover|mess|believer)\b)[a-zA-Z]"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:I'm|I\s+am|i'm|im|We're|we're|We\s+are|we\s+are)\s+(?:originally\s+|currently\s+|now\s+"
                r"|actually\s+)?(?:from|based\s+in|living\s+in|residing\s+in|born\s+(?:and\s+raised\s+)?in)\s+(?!the\s+future)\w"
            ),
            0.9,
        ),
        (
            (
                r"\b(?:I'm|I\s+am|i'm|im)\s+(?:only\s+|already\s+|just\s+|nearly\s+|turning\s+)?\d{1,2}\b(?!\s*(?:minutes?"
                r"|mins?|hours?|days?|weeks?|%|km|miles|percent|pages?|chapters?|st|nd|rd|th))|\b(?:I'm|I\s+am)\s+\d[.,]\d+\s*m\b"
                r"|\b(?:I'm|I\s+am)\s+\d+\s*(?:cm|years\s+old|kg)\b"
            ),
            0.9,
        ),
        (
            (
                r"\b(?:I'm|I\s+am|i'm|im)\s+(?:\w+\s+)?(?:retired|married|divorced|engaged|single|widowed|separated"
                r"|left-handed|right-handed|unemployed|self-employed|transgender|trans|gay|lesbian|bisexual|deaf"
                r"|blind|autistic|dyslexic|bilingual|Jewish|Muslim|Christian|Buddhist|Hindu|Catholic|an?\s+only\s+child)\b"
            ),
            0.9,
        ),
        (
            (
                r"\bI'm\s+(?:half[- ])?(?:American|British|English|Irish|Scottish|Welsh|French|German|Spanish"
                r"|Italian|Portuguese|Dutch|Belgian|Swiss|Austrian|Danish|Swedish|Norwegian|Finnish|Polish|Czech"
                r"|Russian|Ukrainian|Greek|Turkish|Indian|Chinese|Japanese|Korean|Vietnamese|Thai|Brazilian|Mexican"
                r"|Argentinian|Canadian|Australian|Nigerian|Kenyan|Egyptian|Iranian|Israeli|Pakistani|[A-Z]\w+(?:ian"
                r"|ish|ese))\b(?!\s+\w*\s*(?:food|cuisine))"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:I'm|I\s+am|i'm|im|We're|we're)\s+(?:currently\s+|still\s+)?(?:travell?ing\s+(?:in|to|for"
                rf"|until|around|through)|visiting\s+[A-Z]|staying\s+(?:in|at|with)\s|in\s+{_PLACE}|in\s+\w+\s+(?:until"
                r"|till|for\s+(?:a|the|work|\d))|on\s+(?:\w+\s+)?(?:leave|holiday|vacation|sabbatical|a\s+business\s+trip)"
                r"|off\s+(?:sick|work|until|till)|away\s+(?:until|till|this|next|for)|out\s+(?:of\s+(?:the\s+)?office"
                r"|until|till))\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:this|next)\s+(?:week|month|weekend|year),?\s+(?:I'm|I\s+am|i'm|I'll\s+be|we're|we'll\s+be)\s+(?:in"
                r"|at|away|on|moving|travell?ing|off)\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:I'm|I\s+am|i'm|im|I've\s+been)\s+(?:currently\s+|now\s+|also\s+|still\s+)?(?:studying|learning"
                r"|majoring|training\s+to|working\s+(?:as|at|in|for|towards|on\s+my\s+(?:phd|thesis|degree))|teaching"
                r"|moving\s+to|raising|expecting|pursuing)\s+(?!from\b|it\b|that\b|this\b|on\s+it)\w"
            ),
            0.75,
        ),
        (
            (
                r"\bI(?:'ve|\s+have)\s+been\s+(?!working\s+on\b|thinking|trying|meaning|wanting|looking|considering"
                r"|having|getting|feeling|averaging|noticing|struggling)\w+ing\s+(?!it\b|that\b|this\b|them\b"
                r"|about\s+it)[^.?!]{2,40}?\s+(?:for\s+(?:over\s+|almost\s+|about\s+|more\s+than\s+|the\s+(?:past"
                r"|last)\s+)?(?:\w+\s+)?(?:\w+\s+)?(?:years|decades|months)|since\s+(?:I|\d|[A-Z]|childhood))"
            ),
            0.8,
        ),
        (
            (
                r"(?<!where )(?<!place )\b(?:I|we|We|i)\s+(?:currently\s+|now\s+|both\s+|also\s+|mostly\s+|still\s+)?(?:live"
                r"|lives|reside|grew\s+up|was\s+born|were\s+born|was\s+raised|graduated|retired|majored|minored"
                r"|volunteer|commute|freelance)\b(?!\s+(?:for|through|by)\s+(?:moments?|this|it|that))"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:I|i)\s+(?:currently\s+|now\s+|also\s+)?(?:work\s+(?:as|at|for|in|the|from|with|part|full"
                r"|night|remotely)|teach\s|study\s+\w|own\s+(?:a|an|two|three|\d)|run\s+(?:a|an|my|the|our)\s"
                r"|manage\s+(?:a|an|the)\s|maintain\s+(?:a|the)\s|lead\s+(?:a|an|the)\s|drive\s+(?:a|an|my)\s"
                r"|speak\s+[A-Z]|wear\s+(?:glasses|hearing|contact|a)|play\s+(?:the\s|goalkeeper|\w+\s+(?:for"
                r"|in)\s)|coach\s)"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:I|i)(?:'ve|\s+have)?\s+(?:just\s+|recently\s+|finally\s+)?(?:started\s+(?:a\s+new\s+job"
                r"|my\s+(?:new\s+job|own|PhD)|working\s+(?:at|as)|school|university)|became\s+(?:a|an)\b|become\s+(?:a"
                r"|an)\b|turned\s+\d|got\s+(?:engaged|married|divorced|promoted|hired|a\s+(?:new\s+)?(?:job|dog"
                r"|cat|puppy|kitten))|moved\s+(?:to|into|back\s+to|from)\s+(?!/|~)[A-Z\w]|relocated|adopted\s"
                r"|bought\s+(?:a\s+|my\s+first\s+)(?:\w+\s+)?(?:house|flat|apartment|car|home)|quit\s+my\s+job"
                r"|lost\s+my\s+job|used\s+to\s+(?:be\s+an?\b|work|live|teach))"
            ),
            0.8,
        ),
        (
            (
                r"(?<!where )\b(?:we|We)(?:'ve|\s+have)?\s+(?:just\s+|recently\s+)?(?:moved\s+(?:to|into|here\s+from"
                r"|from)|relocated|adopted\s|own\s+(?:a|an|two|\d)|got\s+(?:engaged|married|a\s+(?:dog|cat|puppy))"
                r"|had\s+(?:a|our)\s+(?:baby|first\s+(?:child|baby|son|daughter)|second\s+(?:child|baby|son|daughter))"
                r"|are\s+a\s+(?:team|family|company|couple|small)|are\s+(?:expecting|married|engaged))\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:I|i|we|We)(?:'ve\s+got|\s+have(?:\s+got)?|\s+got)\s+(?:an?|one|two|three|four|five|six"
                rf"|\d|my\s+own|several|no)\s+(?:\w+\s+){{0,4}}?(?:{_KIN_EN}|dogs?|cats?|puppy|kittens?|rabbits?"
                r"|horses?|pets?|PhD|degree|master's|diploma|siblings|brothers?|sisters?|grandchildren|grandkids"
                r"|twins)\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:[Mm]y|[Oo]ur)\s+(?:(?:older|younger|little|big|eldest|youngest|late|current|new|old|own"
                rf"|direct|work|private|home|best|first|second|grown-up|ex-?)\s+)?(?:{_HAVE_EN})(?:,?\s+[A-Z]\w+,?)?\s+(?:is"
                r"|are|(?:was|were)(?=\s+(?:an?|born|from|in|called|named|diagnosed)\b)|has|lives?|works?|goes"
                r"|just\s+turned|turned|turns|comes?\s+from|makes|sells|runs|teaches|studies|died|passed\s+away"
                r"|plays|speaks|moved)\b(?!\s+(?:failing|broken|broke|down|slow|not\s+working|fried|wrong|killing"
                r"|like|right|missing|empty|done|gone|so\b|really\b|definitely|more\b|very\b|still\b|also\b|always\b"
                r"|here\b|there\s+for|there\b|being\b|getting\b|doing\b|going\b|our\b|having\b|trying\b|coming\b"
                r"|to\b|ready|(?!studying|working|living|expecting|training|teaching|turning|moving|visiting|hearing)\w+ing\b"
                r"|on\s+its|great|amazing|awesome|on\s+(?:it|the\s+list)|that\b|whether\b|obsessed))"
            ),
            0.8,
        ),
        (
            (
                rf"\b(?:[Mm]y|[Oo]ur)\s+(?:\w+\s+)?{_THINGS_EN}\s+(?:is|was|are)\s+(?:an?\s+(?!mess|bit|great|good"
                r"|lot)|in\s+[A-Z]|in\s+the\s|on\s+the\s|at\s+the\s|called|named|built|from|located|\d)"
            ),
            0.75,
        ),
        (
            (
                rf"\b(?:[Mm]y|[Oo]ur)\s+(?:\w+\s+)?(?:{_KIN_EN}|dogs?|cats?|puppy|horse|rabbit)(?:,?\s+[A-Z]\w+,?)?\s+(?:also\s+"
                r"|just\s+|now\s+|still\s+|both\s+)?(?:is|are|has|have|starts?|attends?|goes|go|runs?|owns?|serves?"
                r"|served|teach(?:es)?|stud(?:y|ies)|plays?|speaks?|lives?|works?|grew|comes?|retired|graduated"
                r"|got\s+(?:married|engaged|divorced)|had\s+(?:a|her|his|their|our)\s+(?:first\s+|second\s+)?(?:baby"
                r"|son|daughter|boy|girl|child|twins|stroke|heart|surgery|operation|accident)|moved|died|passed"
                r"|turned|turns|lost|needs\s+(?:a|glasses)|wears?|use[sd]?\s+to(?!\s+(?:say|tell|ask)))\b(?!\s+(?:like"
                r"|right|missing|empty|done|gone|so\b|really\b|definitely|more\b|very\b|still\b|also\b|always\b"
                r"|here\b|there\b|being\b|getting\b|doing\b|going\b|having\b|trying\b|coming\b|ready|great|amazing"
                r"|awesome|the\s+(?:best|worst|cutest)|our\b|such\b|all\b|everything|been\b|(?!studying|working"
                r"|living|expecting|training|teaching|turning|moving|visiting|hearing)\w+ing\b|a\s+(?:lot|blessing"
                r"|joy)|my\s+(?:rock|everything|biggest|motivation|world)))"
            ),
            0.75,
        ),
        (
            (
                r"\b(?:I|We|we|i)(?:'ve|\s+have)\s+(?:now\s+|only\s+|always\s+)?(?:lived|worked(?!\s+on\s+it)"
                r"|taught|studied|served|been\s+(?:in\s+(?=[A-Z])|an?\s|married|together|vegan|vegetarian|sober"
                r"|single|living|working|teaching))\s+[^.?!]{0,50}?\b(?:for|since|all\s+my\s+life|my\s+whole\s+life)\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:we|We)\s+(?:also\s+|both\s+|now\s+|currently\s+)?(?:run|own|rent|manage|farm|keep|raise"
                r"|foster|share|operate|sell)\s+(?:an?\s|our\s|two\s|three\s|\d|bees|chickens|horses|goats|hearing"
                r"|furniture)[\w -]{2,}"
            ),
            0.75,
        ),
        (
            (
                r"\bI(?:'m|\s+am)\s+(?:originally\s+|half\s+|part\s+)(?:[A-Z]\w+)|\bI\s+(?:hold|have)\s+(?:a|an"
                r"|both|dual)\s+(?:\w+\s+)?(?:passport|citizenship|nationality|green\s+card|degree|licen[cs]e)"
            ),
            0.85,
        ),
        (r"\bI\s+(?:just\s+|recently\s+)?(?:turned|turn)\s+(?:\d+|twenty|thirty|forty|fifty|sixty|seventy|eighty)\b", 0.9),
        (
            (
                r"\bI\s+(?:served|worked|studied|taught|trained|qualified|emigrated|immigrated|founded|co-founded"
                r"|joined)\s+(?:in|at|as|for|from|to|the|a|an|my)\b[^.?!]{3,}"
            ),
            0.75,
        ),
        (r"\b(?:I|i)\s+(?:farm|fish|hunt|garden|breed|train|groom|raise|herd)\s+\w+", 0.75),
        (
            (
                r"\b(?:raised|brought\s+up|adopted|homeschooled)\s+(?:me|us)\b|\bI\s+was\s+(?:raised|brought\s+up"
                r"|adopted|homeschooled|educated)\b"
            ),
            0.85,
        ),
        (
            (
                r"\b(?:I|We|we)\s+(?:got\s+married|married|met\s+my\s+(?:wife|husband)|separated|divorced)\b|\bI(?:'ve"
                r"|\s+have)?\s+(?:just\s+|recently\s+)?moved\s+in\s+with\b"
            ),
            0.8,
        ),
        (
            (
                r"\bI(?:'ve|\s+have)\s+been\s+(?:sober|clean|vegan|vegetarian|single|married|divorced|widowed"
                r"|retired|self-employed|freelance|freelancing|unemployed)\b"
            ),
            0.85,
        ),
        (r"\bI(?:'m|\s+am)\s+(?:currently\s+|back\s+)?in\s+(?:hospital|rehab|quarantine|prison|the\s+hospital|therapy)\b", 0.8),
        (
            (
                r"\b(?:I'm|We're|we're|I\s+am|we\s+are|my\s+wife\s+is)\s+expecting\s+(?:our|my|a|twins|the)\b(?!\s+(?:\w+\s+)?(?:package"
                r"|delivery|call|answer|reply|new\s+baby\s+in))"
            ),
            0.85,
        ),
        (
            rf"\b[Mm]y\s+(?:{_KIN_EN})\s+and\s+I\s+(?:share|have|own|run|live|work|met|are|bought|moved|split|both\s+(?:work|teach|study))\b",
            0.8,
        ),
        (
            (
                r"\b[Mm]y\s+(?:office|working|work|opening|consultation|teaching)\s+(?:hours|days|schedule)\s+(?:is"
                r"|are|run)\b|\b[Mm]y\s+day\s+off\s+is\b"
            ),
            0.8,
        ),
        (r"\bI\s+play\s+(?:the\s+)?\w+\s+(?:in|for|at|with)\s+(?:an?|the|our|my)\b", 0.8),
        (
            (
                r"\bI\s+(?:keep\s+(?:bees|chickens|horses|goats)|sing\s+in|dance\s+(?:in|with)|fence|row\s+(?:in"
                r"|for)|belong\s+to|attend\s|practise\s|practice\s+(?:law|medicine)|farm\s|breed\s|translate\s+(?:from"
                r"|for)|edit\s+(?:a|the)|write\s+(?:for|novels|poems)|commute\s|rent\s+(?:a|an)|share\s+a\s+(?:flat"
                r"|house|room))"
            ),
            0.75,
        ),
        (
            (
                r"\b(?:[Mm]y|[Oo]ur)\s+(?:dog|cat|puppy|kitten|daughter|son|baby|wife|husband|partner)'s\s+(?:name\s+is"
                r"|called|named|birthday\s+is)\b|\bnamed\s+(?:him|her|them)\s+[A-Z]"
            ),
            0.85,
        ),
        (
            (
                r"^[Aa]s\s+an?\s+[a-z][\w -]{2,40}?,?\s+I\b(?!\s+(?:was\s+saying|said|mentioned|recall|remember))"
                r"|^[Aa]s\s+an?\s+(?:freelance|full-time|part-time|single|working)\b"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:I|i|We|we)\s+(?:mostly\s+|mainly\s+)?use\s+(?:a|an|my)\s+(?:\d{4}\s+)?(?:\w+\s+)?(?:macbook"
                r"|laptop|pc|iphone|pixel|android|thinkpad|desktop|chromebook|ipad|linux|windows|hearing\s+aids?"
                r"|cane)\b|\bI\s+use\s+an?\s+\d{4}\s+\w+"
            ),
            0.8,
        ),
        (
            (
                r"\b(?:I|i)\s+(?:go|train|practise|practice|take)\s+(?:to\s+)?[^.?!]{2,40}\s+(?:every|on)\s+(?:\w+\s+)?(?:mon"
                r"|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:every|on)\s+(?:saturday|sunday|monday|tuesday"
                r"|wednesday|thursday|friday)s?\s+I\s+\w+"
            ),
            0.75,
        ),
        (
            (
                r"\bI(?:'m|\s+am)\s+(?:a\s+|the\s+)?(?:mother|father|mum|mom|dad|parent|stay-at-home)\s+(?:of"
                r"|to|mum|mom|dad)\b|\bsingle\s+(?:mum|mom|dad|parent)\b|\bmember\s+of\b"
            ),
            0.8,
        ),
        (r"\bI(?:'m|\s+am)\s+(?:a\s+)?(?:first|second|third|final)[- ]year\b|\bsecond\s+year\b.*\bstud", 0.75),
        (r"\b[Mm]y\s+\w+\s+(?:is\s+pronounced|is\s+spelled)\b|\bI\s+go\s+by\s+[A-Z]|\bmy\s+pronouns\b", 0.85),
        (
            r"^(?:I|[Ww]e)\s+(?:(?:mostly|mainly|currently|still|also)\s+)?use\s+(?!It\b|AI\b)[A-Z][\w.+#-]*(?:\s+(?:[A-Z]\w*|v?\d[\w.]*)){0,2}(?:\s+(?:at\s+work|as\s+(?:my|our)\s+\w+))?\s*[.!]?$",
            0.75,
        ),
        (
            (
                r"\bI\s+have\s+(?:been\s+diagnosed|ADHD|autism|arthritis|depression|anxiety|dyslexia|tinnitus"
                r"|migraines)\b|\bI\s+(?:was|got)\s+(?:recently\s+)?diagnosed\s+with\b"
            ),
            0.8,
        ),
    )
)
_OTHERS_WISH = re.compile(
    r"\b(?:is|are)\s+(?:really\s+|so\s+)?(?:obsessed|crazy|mad|into|fond|keen|a\s+(?:big\s+|huge\s+)?fan)\b"
    r"|\b(?:says?|said|asks?|asked|likes?|loves?|prefers?|hates?|wants?|thinks?)\b",
    re.IGNORECASE,
)
_NOT_IDENTITY = re.compile(
    r"\b(?:I'm|I\s+am|im|i'm)\s+(?:also\s+|just\s+|really\s+|actually\s+|always\s+|currently\s+)?(?:trying"
    r"|looking|using|writing|going\s+to|sure|not\s+sure|afraid|wondering|thinking|happy|sorry|glad"
    r"|excited|done|in\.|with\s+you|on\s+it|all\s+ears|dying|guessing|interested|curious|confused"
    r"|stuck|having|getting|planning|considering|hoping|about\s+to)\b"
    r"|\bI\s+have\s+an?\s+(?:idea|question|problem|feeling|list|meeting|plan|bug|issue)\b|\bAI\s+(?:assistant"
    r"|model|language)|\blanguage\s+model\b",
    re.IGNORECASE,
)


def find_identity_en(text: str) -> float:
    """How surely an English clause says who its speaker is, 0..1."""
    if _NOT_IDENTITY.search(text):
        return 0.0
    best = max((confidence for pattern, confidence in _EN if pattern.search(text)), default=0.0)
    return 0.0 if best and re.match(r"(?:my|our)\b", text, re.IGNORECASE) and _OTHERS_WISH.search(text) else best
