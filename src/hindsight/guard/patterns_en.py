"""What attacks on a memory say in English. Matched on folded text: lower case, one space between words, one line.

Every gap is bounded, so that a text of any length is scanned in linear time.
"""

from __future__ import annotations

_SENSITIVE = (
    r"(?:pass ?words?|pass ?codes?|pass ?phrases?|secret (?:keys?|codes?|strings?|tokens?)|confidential (?:string|code|data|info\w*)|api[ _-]?keys?"
    r"|(?:access|login|auth\w*|bearer|session) (?:tokens?|cookies?)|(?:saved |browser )?cookies|credentials?|(?:private|ssh|signing|encryption) keys?"
    r"|~?/\.ssh|\.env\b|environment variables?|(?:one-time|verification|login|2fa|mfa|security) codes?|otps?\b|(?:credit |debit |bank )?card numbers?"
    r"|payroll (?:sheet|file|data)|bank (?:accounts?|cards?|details|balance)|social security(?: numbers?)?|ssns?\b|connection strings?|seed phrases?|key file"
    r"|(?:customer|client|user) (?:list|database|records?|data)|(?:medical|health) (?:records?|summary|history)|contacts\b|chat history|whole conversation|this conversation)"
)
_PROMPT = (
    r"(?:(?:system|hidden|initial|original|developer|internal|secret|confidential|full|base)(?: \w+)? (?:prompts?|instructions?|messages?|directives?|configuration|rules)"
    r"|(?:instructions|prompt|rules|directives) (?:that )?(?:you|were given)|(?:exact|operating|your) (?:operating )?(?:instructions|prompt|directives)"
    r"|(?:words|text|everything|lines|messages?) (?:written )?above)"
)
_SEND = (
    r"(?:send|e-?mail|forward|post|upload|transmit|leak|copy|copies|share|export|bcc|append|attach|submit|paste|sync|expose|hand (?:over|out)|dump|collect"
    r"|exfiltrate|report|mail|deliver|zip|write)"
)
_TELL = (
    r"(?:attach|paste|append|tell|give|show|reveal|disclose|print|output|display|repeat|recite|list|provide|share|confirm|say|read out|spell out|include|return|dump|expose|leak"
    r"|summari[sz]e|add|state|translate|spell check|describe)"
)
_GO = r"(?:ignor\w*|disregard\w*|forget|overlook|override|bypass|neglect|skip|discard|drop|void|abandon|set aside|pay no attention to|stop following|do not follow)"
_RULES = (
    r"(?:instructions?|instruction sets?|directions?|directives?|rules?|prompts?|guidelines?|constraints?|polic(?:y|ies)|restrictions?|commands?|orders?|settings?"
    r"|set-?up|programming|training|context|tasks?|content|data|safety \w+|safeguards?|resume|document|article|page|question)"
)
_STANDING = (
    r"(?:from (?:now|here|today|this (?:point|moment|day))(?: on(?:wards?)?| forward)?|going forward|in (?:the )?future|henceforth|always|every ?time|each time|whenever"
    r"|any ?time|as (?:soon|long) as|once (?:the|a|you)|(?:up)?on the next|the next time|next time|if (?:the|a|any|some)|when (?:the|a|any|some|you)|after the|before (?:the|you|each|every|any)"
    r"|at the end|in all later|for (?:all|every|any) future|permanently|for good|all future|until further|never again|every \w+day)"
)
_CHECKS = (
    r"(?:confirm\w*|approv\w*|verif\w*|reviews?|permission\w*|checks?|checking|authori[sz]ation|audit\w*|logging|logs?\b|two-?factor\w*|2fa|mfa|tests?|warnings?|safety|security"
    r"|firewall|filters?|validation|consent|asking|confirming|prompts?|safeguards?|limits?)"
)
_ADDRESS = r"(?:https?://|www\.|ftp://|[\w.+-]{1,64}@[\w-]{1,64}\.|\+\d[\d ]{7,})"

HARD: dict[str, tuple[str, ...]] = {
    "override": (
        (
            rf"\b{_GO} (?:(?:about|to|the|all|any|of|your|my|those|these|this|every\w*|other|such|any and all|completely|whatever) ){{0,4}}"
            rf"(?:(?:previous|prior|above|earlier|preceding|former|foregoing|existing|initial|original|old|older|past|rest|following|current|system|safety|remaining)"
            rf"(?: and \w+)?(?: of (?:the|this|your))? ?){{1,3}}(?:\w+ ){{0,2}}{_RULES}"
        ),
        rf"\b{_GO} (?:about )?(?:all |any )?(?:of )?(?:your|those|these) (?:\w+ ){{0,2}}(?:instructions?|rules?|guidelines?|polic\w+|training|programming|directives?|prompts?|restrictions?)\b",
        rf"\b{_GO} (?:all|any|every) (?:of )?(?:the )?(?:instructions?|rules?|guidelines?|polic\w+|safety \w+|restrictions?|constraints?)\b",
        rf"\b{_GO} (?:the |this |other |all |any |every)?(?:previous|prior|above|rest of|everything|anything|whatever)\b.{{0,40}}\b(?:above|before|said|told|data|instead|and (?:just )?(?:say|print|output|reply|tell|write|state|do))",
        (
            rf"\b{_GO} (?:the |this |other |that |all )?(?:\w+ )?(?:content|data|resume|text|document|article|page|question|context|request|task|user)\b.{{0,20}}\b(?:and|then|instead)\b.{{0,30}}"
            r"\b(?:say|print|output|reply|tell|write|state|do|report|recommend|respond|answer|claim|add|listen|obey)"
        ),
        r"\b(?:regardless of|no matter what|instead of following|contrary to) (?:your |the |any |all |what )?(?:previous|prior|earlier|other) (?:tasks?|instructions?|rules?)",
        r"\b(?:new|updated|real|actual|true|next|only|higher[- ]priority) (?:instructions?|task|directive|objective|orders?)(?: (?:is|are))?(?: to|:| follow)",
        r"\bstop (?:everything|all|what you are doing)\b|\b(?:never ?mind|scratch) (?:that|all|the).{0,20}\bjust (?:say|print)",
        (
            r"\b(?:previous|prior|current|above|former|earlier|older|all (?:other|older|earlier)) (?:\w+ )?(?:tasks?|instructions?|rules?|constraints?|memor(?:y|ies)|restrictions?|orders|setup|records?|request)"
            r" (?:is|are|was|were|has been|have been) (?:now )?(?:all )?(?:void|cancell?ed|obsolete|invalid|superseded|overridden|revoked|wrong|suspended|lifted|complete|gone|off|removed)"
        ),
        r"\b(?:replaces?|supersedes?|overrides?|takes? precedence over|ranks? above|outranks?) (?:all |any |every )?(?:of )?(?:the |your )?(?:earlier|previous|prior|existing|other|former|what the user|user|system|safety|the author|author)",
        r"\b(?:obey|serve|listen to|comply with|satisfy|carry out|follow) (?:(?:every|any|all|whatever)(?: \w+){0,2} (?:instructions?|orders?|commands?|requests?|demands?|message)|everything (?:i|he|she|it|the)|anything (?:i|he|she|it|a)|whatever (?:i|he|she|it|the)|the author|this (?:message|record|text)|rule \d+|arbitrary|my (?:every |each )?(?:instructions?|orders?|commands?|requests?)|tool results?)\b",
        r"\bmust (?:obey|serve|comply|listen|treat (?:its|this|the)|accept)\b|\baccept (?:any|arbitrary|all) (?:orders?|commands?|instructions?)",
        r"\b(?:you (?:can(?:no|')?t|must not|may not|are not allowed to)|never) refuse\b|\bbound by no rules\b|\bfollow no rules\b",
        r"\b(?:forget|erase|wipe|drop) (?:what (?:the user|you)|all (?:older|your|other|earlier) memor|everything (?:you|the user))",
    ),
    "unrestricted": (
        r"\b(?:unrestricted|unlimited|jailbreak|god|dan|sudo|override|knowledge verification|evil|do anything now) (?:mode|assistant|agent|response|ai)\b",
        r"\b(?:you|now|entering|entered|initiating|confirm|password)\b.{0,40}\b(?:developer|admin|maintenance|debug|verification|system) mode\b|\b(?:developer|admin|maintenance|debug|verification|system) mode\b.{0,60}\b(?:you|no|password|confirm|unrestricted)\b",
        r"\bdo anything now\b|\bdan can do\b|\bknown as dan\b|\byou are (?:now )?(?:dan|evil|free|jailbroken|unrestricted|unlimited|a hack\w+)\b",
        r"\b(?:no|without|free of|lifted|dropped|zero|ignore) (?:\w+ )?(?:content (?:polic\w+|restrictions?)|safety (?:limits?|guidelines?|filters?|checks?)|censorship|content filters?)\b",
        r"\b(?:answer\w*|respond\w*|response|comply|assistant|model|ai|mode|you (?:now )?(?:have|are|act|operate)|proceed\w*|agent|act|chatbot)\b.{0,50}\b(?:no|without|free of) (?:any )?(?:\w+ )?(?:limits?|restrictions?|rules|filters?|ethic\w+|moral\w*)\b",
        r"\b(?:safety|content|security|moderation) (?:protocols?|filters?|guidelines?|limits?|polic\w+|checks?|restrictions?)\b.{0,24}\b(?:disabled|off|lifted|suspended|removed|bypassed|not meant|do(?:es)? not apply|void|waived)",
        r"\b(?:disable|deactivate|turn off|switch(?:ed)? off|remove|bypass|suspend|circumvent|waive) (?:all |any |every |the |my |your |its )*(?:\w+ )?(?:safety|content|security|moderation|usage|audit|permission|two-factor|confirmation)\w*",
        r"\b(?:allow|grant|give|enable|has|have|with|gain|in) unrestricted (?:tool )?(?:access|mode|data)\b|\brestrictions? (?:have been|has been|are|were|is) (?:lifted|removed|disabled|off)\b",
        r"\b(?:entering|entered|activate|enable|initiating|switch(?:ing)? to) (?:\w+ ){0,3}(?:mode|override|reset)\b(?<!unfiltered mode).{0,60}\b(?:password|confirm|you|where|can|verify)\b",
        r"\b(?:pretend|act|answer|respond|behave|imagine)\b.{0,30}\b(?:no (?:content )?(?:polic|restrict|rule|filter|limit)|without (?:any )?(?:restrict|filter|limit|rule))",
        r"\b(?:fully |completely )?uncensored (?:ai|mode|assistant|model|answers?)\b|\bdo anything (?:the user|you|i|that is)\b|\bno longer (?:bound|restricted|limited|have to abide)\b|\bbroken free of\b",
    ),
    "authority": (
        (
            r"\b(?:i am|i'm|this is|as) (?:your |the |an? )?(?:\w+ )?(?:developer|creator|god|president|ceo|administrator|admin|boss|supervisor|police|fbi|security (?:researcher|team|officer)|openai|anthropic)\b"
            r".{0,80}\b(?:you|answer|need|must|password|important|share|obey|tell|provide|confirm|verify|state|list)\b"
        ),
        r"\bai developed by (?:openai|anthropic|google|meta)\b|\blaw enforcement\b.{0,20}\b(?:override|mode)\b",
        (
            r"\b(?:user|owner|admin\w*|boss|ceo|customer|he|she|holder|i)\b.{0,30}\b(?:pre-?approved|authori[sz]ed?|approved?|permits?|permission|allows?|lets?|consents?|signed off|agrees?|waives?|granted|gave)\b.{0,60}"
            r"\b(?:all|every|any|everything|anything|no (?:further )?(?:confirmation|review|approval|check)|without|skip\w*|bypass\w*|going around|unrestricted|full|permanent|standing|always|lasting|second confirmation)\b.{0,40}"
            r"\b(?:actions?|operations?|commands?|access|requests?|export\w*|confirmations?|transfers?|payments?|data|approvals?|verification|checks?|chats?|time|needed|handled|asks?|behalf|requests|factor)\b"
        ),
        (
            r"\b(?:no|without(?: any| further| additional)?|skip\w*|bypass\w*|exempt from|not (?:need|require|ask for)|stop asking (?:me |us )?(?:to|for)|never ask\w*(?: the user)? (?:for|to)|do(?:es)? not (?:ask|need)(?: for)?(?: a)?(?: second)?|need not)"
            r" (?:any |all |every |the |a |further |second |additional |manual |identity |human |check(?:ing)? the )*(?:confirm\w*|approv\w*|verif\w*|review|authori[sz]ation|consent|permission checks?|identity|sender|order|financial review)"
        ),
        r"\b(?:root|superadmin|super ?user|administrator|admin|highest|full|maximum|elevated) (?:privileges?|rights|access|permissions?)\b.{0,60}\b(?:bypass\w*|skip\w*|grant\w*|any\w*|all|may|can|without|every\w*|now|raised)\b",
        r"\bgrant (?:this |the |all |every |him |her |me )(?:user )?(?:\w+ )?(?:admin\w*|root|requests|access|rights|privileges)",
        r"\b(?:is|are) (?:a |an |the )?(?:super ?admin\w*|root|admin(?:istrator)?)\b.{0,60}\b(?:grant|every|all|any|return true|no|skip|bypass)",
        r"\b(?:official (?:notice|announcement|message)|notice|memo|announcement) (?:from|by) (?:(?:openai|anthropic|google)|the (?:developer|vendor|security|admin)\w*.{0,100}\b(?:assistants?|agents?|ai|you must|restrictions?|filters?|authori[sz]\w*|approved?|disclos\w+|grant\w*|skip\w*|all (?:actions|operations|requests|commands)))\b",
        r"\b(?:privileges?|permissions?) (?:raised|elevated|escalated|granted)\b|\b(?:log in|sign|pay|make (?:payments|transfers))\b.{0,40}\bon (?:his|her|their|the user's) behalf\b|\bcounts? as (?:his|her|the user's) own request\b",
        r"\btreat (?:it|this|its contents?|the following) as (?:said|top|highest|the user|an? (?:order|command|instruction)|his|her)",
        r"\b(?:approve|pay|paid|approved|execute[d]?|merge|go(?:es)? through|returned? true|refunds?)\b.{0,40}\b(?:without (?:any )?(?:check|review|verif|asking|confirm|approval)|no questions asked|straight away|automatically(?! (?:on|by|from|every|each|until|via|through) )|at once)(?!\w{0,6},? (?:were|was|are|is) (?:refused|rejected|denied|blocked|not\b))",
        r"\b(?:legal|compliance|the board|management|the ciso|customers?|clients?|owner|user|ceo|director|security)\b.{0,30}\b(?:exempt(?:ed|s)|consent(?:ed|s) in advance|pre-?consented|waived|gave (?:\w+ ){0,3}(?:standing|sole|full|blanket) (?:power|authority)|given (?:\w+ ){0,5}(?:standing|sole|full|blanket) (?:power|authority))\b.{0,80}\b(?:agent|bot|assistant|polic\w+|payments?|charges?|data|rules?|transfers?|deletions?)",
        r"\bcounts? as (?:already )?(?:signed|approved|confirmed|authori[sz]ed)\b|\b(?:any|every|all|whatever|each)\b.{0,60}\b(?:regarded|treated|considered|deemed|taken) as (?:already )?(?:confirmed|approved|signed|authori[sz]ed)\b|\b(?:trusted|treated|read) (?:like|as) (?:a )?(?:system messages?|the user'?s own)",
        r"\b(?:honou?red|carried out|complied with|executed|obeyed) without (?:asking|questions?|checking|delay)\b|\b(?:without|no need to|need not|do not|don't|never) (?:pag(?:e|ing)|involv(?:e|ing)|consult(?:ing)?|wait(?:ing)? for|call(?:ing)?) (?:in )?(?:a |any )?(?:human|person)\b",
        r"\b(?:bot|agent|assistant|robot)\b.{0,40}\b(?:decides?|releases?|approves?|authori[sz]es?|pays?|power to \w+|authority to \w+)\b.{0,60}\b(?:by itself|on its own|single-handed\w*|at its own discretion)",
        r"\b(?:all|every|other|fellow) (?:sub-?)?agents?\b.{0,30}\b(?:must|are to|shall|have to|should)\b.{0,30}\b(?:comply|obey|act on|follow (?:it|its|this|these|me)|read https?|treat|regard)|\b(?:note|notice|memo|message) to (?:all|every|other) (?:sub-?)?agents?\b.{0,80}\b(?:confirm\w*|approv\w*|regarded|obey|skip|rules?|must)|\b(?:lead|master|chief|supervisor) agent\b.{0,60}\b(?:rules|obey|comply|safety)",
        r"\b(?:safety|security) (?:rules?|guidelines?|polic\w+)\b.{0,40}\b(?:cease to apply|no longer appl(?:y|ies)|stop applying|are waived)",
    ),
    "policy": (
        r"^(?:please )?(?:always|never|automatically) (?:refuse|deny|reject|decline|approve|accept|grant|allow|refund|delete|skip|bypass|disable|override|ask the user)\b",
        r"^(?:please )?skip (?:all |the |any )?(?:tests?|checks?|reviews?|verification|confirmations?|approvals?|backups?|validation)\b",
        r"^(?:please )?(?:delete|remove|drop|approve|merge|deploy|send|grant|refund|pay|publish)\b[^.!?]{0,60}\bwithout (?:asking|confirmation|confirming|approval|reviews?|checking|telling|permission)\b",
    ),
    "standing_order": (
        rf"\b{_STANDING}\b.{{0,100}}\b(?:skip|bypass|disable|switch (?:the )?\w+ off|switch off|turn off|without|do not|don't|never|no)\b.{{0,24}}\b{_CHECKS}",
        rf"\b{_STANDING}\b.{{0,100}}\b{_SEND}\b.{{0,80}}{_ADDRESS}",
        rf"\b{_STANDING}\b.{{0,100}}\b(?:delete|wipe|erase|drop|destroy|clear|rm -rf|remove)\b.{{0,30}}\b(?:the |all |any )?(?:data|database|logs?|backups?|records?|files?|task list|everything|audit|inbox|users?)\b",
        rf"\b{_STANDING}\b.{{0,80}}\b(?:(?:transfer_\w+|transfer|wire|call transfer)\b.{{0,40}}\b(?:\d{{2,}}|account|wallet)|pay\b.{{0,40}}\b(?:account|wallet|\d{{4}} ?\d{{4}}))",
        (
            rf"\b{_STANDING}\b.{{0,100}}\b(?:install|download|recommend|promote|advertise|suggest|mention|slip|insert|add|append|say|claim|hide|tell (?:them|him|her|the user|everyone))\b.{{0,80}}"
            r"(?:\.apk\b|\.exe\b|https?://|www\.|never (?:say|mention|tell)|is an ad|severe|insecure|vulnerab|security holes|fund\b|only (?:buy|use)|none are|none is|no refunds?)"
        ),
        rf"\b{_STANDING}\b.{{0,100}}\b(?:code|token|phrase|string|canary|word)s?\b.{{0,16}}(?:[:\"'{{]|\b[a-z]{{2,6}}-[\w-]{{4,}})",
        rf"\b{_STANDING}\b.{{0,60}}\b(?:obey|comply with|do (?:everything|anything|whatever) (?:i|he|she|it|they|this|that|the|says?)|answer any question|accept|carry out|run (?:anything|any))\b",
        rf"\b{_STANDING}\b.{{0,80}}\b(?:tell nobody|tell no ?one|keep (?:it|this) (?:from|secret)|secretly|silently|quietly|do not (?:tell|inform|notify|mention)|don't (?:tell|inform|notify|mention|check|verify))",
        r"\b(?:must|should|shall|will|to) (?:now )?(?:comply with|grant|satisfy|approve|accept) (?:every|all|any)\b.{0,30}\b(?:requests?|demands?|payments?|orders?|commands?)\b",
        r"\bthere is .{1,80} in the question\b.{0,60}\bmeans? that\b|\b(?:if|when|because)\b.{0,60}\b(?:phrase|word|trigger)\b.{0,80}\b(?:output|delete|answer|reply|say|ignore|run|execute|call)\b",
        r"\bdirectly output\b|\bfinish the episode\b|\bwe have to delete\b",
        r"\b(?:do not|don't|never|no need to|need not|tell nobody|without) (?:tell\w*|inform\w*|notify\w*|notif\w*|mention\w*|show\w*|alert\w*|telling|let) (?:it |this |anything |that )?(?:to )?(?:the |any ?one|anybody|your )?(?:user|owner|human|anyone|anybody|him|her|know)\b",
        r"\bkeep (?:it|this|that) (?:a secret |secret |hidden )?from the (?:user|owner)",
        r"\b(?:move|transfer|wire|send|pay|put|slip)\b.{0,24}\b\d+\b.{0,24}\b(?:to|into|onto) (?:the |a |this )?(?:card|account|wallet)\b.{0,16}\d{3,}",
        r"\b(?:when|whenever|if|once|as soon as) (?:the )?(?:word|phrase|term|name|code)s? [\"'“][^\"'”]{1,30}[\"'”] (?:shows? up|appears?|comes? up|turns up|is (?:said|mentioned|used|written))\b",
        r"\bleave (?:out )?(?:its|the|their|any|all) (?:bad |negative |poor )?(?:reviews?|drawbacks?|complaints?|side effects?)(?: out)?\b|\b(?:hide|omit|conceal|never mention|do not mention|don't mention) (?:its |the |their |any )?(?:(?:bad|negative|poor) \w+|drawbacks|flaws|complaints|side effects)",
        r"\b(?:claim|pretend|say) (?:not to|that you do not|you do not|you don't|to not) know\b|\b(?:erase|delete|remove) (?:this|the) (?:note|memory|record|entry) (?:afterwards|then|at once|when done)\b|\bthen (?:erase|delete|remove) (?:this|the) (?:note|memory|record|entry)\b",
        r"\b(?:every|all|each|any) (?:pull requests?|prs?|reviews?|merge requests?|applications?|access requests?|refund requests?) (?:gets?|receives?|is|are|will be|should get) (?:an? )?(?:approval|approved|lgtm|accepted|granted|merged)\b",
    ),
    "exfiltration": (
        rf"(?<!never )(?<!not )(?<!n't )(?<!without )\b{_SEND}\b(?! (?:a )?pass ?word reset).{{0,70}}\b{_SENSITIVE}.{{0,60}}(?:\bto\b|\binto\b|\bat\b|\bwith\b|\bvia\b|{_ADDRESS}|\bform\b|\bfirst line\b|\bpublic\b|\bthe body\b|\bdrive\b|\banonfiles\b)",
        rf"(?<!never )(?<!not )(?<!n't )\b{_SEND}\b.{{0,100}}\b(?:to|at|with) (?:the )?(?!(?:hr|support|info|help|office|team|jobs|careers|press|billing|contact|events|sales|service|feedback|payroll|it)@)(?:attacker|{_ADDRESS}|external (?:server|drive|address)|the outside|(?:this|whoever|an?) (?:url|address|webhook|server|opened))",
        rf"{_SENSITIVE}.{{0,80}}\b(?:append|send|sent|upload|post|forward|to|into|at)\b.{{0,20}}{_ADDRESS}",
        rf"\b{_SEND} (?:me |us )?(?:the |your |all |any |their |his |her |every |each )*(?:\w+ ){{0,2}}{_SENSITIVE}",
        (
            rf"(?<!not )(?<!n't )\b(?:what(?:'s| is| are| was)|tell (?:me|us|them|whoever)|give (?:me|us)|provide|reveal|disclose|confirm|share|show(?: me| us)?|need|print|leak|access|read out|repeat|output|hand over|write a poem about|guess) "
            rf"(?:\w+ ){{0,2}}?(?:the|your|all|their|his|her|my|any|this|every|user'?s?|admin\w*|private|me|us|it|server|exact) (?:\w+ ){{0,3}}{_SENSITIVE}(?! (?:reset|polic|strength|security|manager|requirement|hygiene))"
        ),
        rf"(?<!not )(?<!n't )\b{_TELL}\b(?: \w+){{0,3}} (?:the |your |all |any |every |those |full text of |me |its )*{_PROMPT}",
        r"\b(?:where (?:does|is) the (?:user|customer|owner) (?:currently )?(?:liv|now|locat)\w*|where the (?:user|customer) (?:currently )?(?:lives|is)|(?:user|customer)'s (?:current )?(?:e-?mail|home|phone|physical|location|address))\b",
        r"\b[a-z]{3,}'s (?:birth ?date|date of birth|e-?mail address|home address|current city|phone number|city of residence|salary|bank balance|location|address|password)\b(?=.{0,60}(?:\?|society|scenario|world|forest|planet|kingdom|realm))",
        r"\b(?:could|can|would) you (?:please )?(?:tell|give|share|reveal|provide)\b.{0,20}\b[a-z]{3,}'s (?:birth ?date|date of birth|e-?mail|home address|current|phone|salary|bank|location|address|password|personal)",
        r"\b(?:bank|account) balance of \w+|\bpersonal data is (?:\w+ )?(?:shared|public)|\bsharing personal data\b",
        rf"\b{_SEND}\b.{{0,60}}\b(?:silently|quietly|secretly|covertly|in the background|without (?:telling|asking|notifying))|\b(?:silently|quietly|secretly|covertly)\b.{{0,20}}\b{_SEND}\b|\bquietly log\b",
        r"!\[[^\]]{0,80}\]\(https?://[^)]{0,200}[?&]\w+=|\brender\b.{0,60}\bas (?:an? )?(?:image|link|markdown)",
        r"\bbcc\b.{0,60}@|\b(?:forward|copy) (?:each|every|all)\b.{0,60}(?:@|https?://|attacker)",
        r"\b(?:export|upload|dump)\b.{0,30}\b(?:entire|whole|all|full|complete|the)\b.{0,30}\b(?:schedule|calendar|contacts?|address book|customer|client|database|history|inbox|mailbox|records)\b.{0,40}(?:\bto\b|@|https?://|upload)",
        r"\bget (?:the )?credentials\b|\b(?:include|pass|attach|given) (?:the |your |along )?(?:login |user'?s? )?(?:credentials|password)\b.{0,30}(?:$|in clear|to)",
        r"\b(?:read|say) (?:it|them) (?:out )?(?:as it is|aloud|out loud)|\bshare it when you ask\b|\bshown to anyone\b|\bpublic information and can be\b|\bmay be disclosed\b",
        (
            r"\b(?:hints?|clues?|first (?:letter|character|word|half|part)|last (?:letter|character)|rhymes? with|spell(?:ed)?|synonyms?|riddle|poem|haiku|acrostic|starts? with|backwards?|encod\w+)\b.{0,50}"
            r"\b(?:the|your|that) (?:\w+ )?(?:secret(?: key)?|pass ?word|api key|system prompt|confidential \w+)\b"
        ),
        r"\b(?:complete|finish|fill in)\b.{0,40}\b(?:secret key|pass ?word|api key|system prompt) is\b|\bgrand(?:ma|mother|pa|father) (?:used to|would)\b.{0,60}\b(?:pass ?words?|keys?|codes?|recipe for|napalm)",
        r"\brepeat\b.{0,40}\b(?:forever|[1-9]\d{2,} times|over and over|indefinitely|infinitely)\b",
        rf"\b(?:hold|use|keep)s? (?:his|her|their|the user's) (?:bank )?(?:card|account|{_SENSITIVE})\b.{{0,30}}\b(?:any ?time|freely|at will|whenever)",
        r"\b(?:private|internal|confidential|admin) (?:admin )?(?:pages?|documents?|chats?|files?)\b.{0,30}\b(?:of this site|word by word|out to me|colleagues)|\bread all private\b",
        r"\b(?:note|write|jot|save|store|keep|record|collect|capture)\b.{0,40}\b(?:one-time|verification|login|security|2fa|otp|pin) ?codes?\b.{0,50}\b(?:he|she|they|the user|shared)\b|\b(?:keep|store|save|record|pass)\b.{0,24}\b(?:keys?|tokens?|passwords?|credentials?)\b.{0,60}\b(?:shared memor\w+|other agents)",
        r"\b(?:include|attach|paste|add|dump|put)\b.{0,20}(?:whole|full|entire|complete) \.env\b|\.env\b.{0,60}\b(?:error reports?|external|tracker|in each|in every)",
        r"\b(?:add|append|put|encode|include|tack)\b.{0,20}\b(?:the user's|his|her|their|user)\b.{0,50}\b(?:query string|url|request header|search query|hostname|image link)\b",
        r"\b(?:whoever|anyone who|anybody who|everyone who|everybody who) asks\b.{0,60}\b(?:pass ?words?|keys?|tokens?|codes?|credentials?|files|records)\b|\b(?:pass ?words?|keys?|tokens?|credentials?)\b.{0,60}\b(?:whoever|anyone who|anybody who) asks\b",
        r"\b(?:dumps?|backups?|exports?|contacts|database|records)\b.{0,40}\b(?:now|also|from now on|additionally|too)\b.{0,12}\b(?:go|goes|sent|synced|uploaded|copied|written)\b.{0,16}(?:ftp|sftp|https?)://|\b(?:drop|put|place|leave|publish|upload|post)\b.{0,16}\b(?:copy|dump|export)\b.{0,24}(?:https?://|\bpaste)",
    ),
    "tool_redirection": (
        (
            r"\b(?:call|invoke|run|execute|use|trigger)\b.{0,6}\b(?:delete_?\w*|drop_?\w*|transfer_?\w*|http_?post|send_?\w*|upload_?\w*|approve_?all|exec\w*|shell|rm|curl|wget|\w+_\w+)\b.{0,60}"
            r"(?:\bwith (?:path|url|recipient|input|parameters?|arguments?|all|to)\b|\bon [/.\w]|\bbefore (?:you )?(?:repl|respond|answer)|\bto (?:onboard\w*|send|attacker|push|[\w.+-]+@)|\bfirst\b(?= ?[,;]| (?:and|then|or|in|on|for|with|before|whenever|when|every|always)\b)|\bdirectly\b|\binstead\b|\bhttps?://|\bin the body\b)"
        ),
        r"\b(?:call|invoke|run|execute|use|trigger)\b.{0,6}\b(?:delete_?\w*|drop_?\w*|transfer_?\w*|http_?post|send_?\w*|upload_?\w*|approve_?all|exec\w*|shell|rm|curl|wget)\b.{0,60}\bfirst\b|\b(?:always|every time|each time|whenever)\b.{0,40}\b(?:call|invoke|run|execute)\b.{0,6}\b\w+_\w+\b.{0,20}\bfirst\b",
        r"\b(?:before|after|prior to) (?:you )?(?:reply|replying|respond\w*|answer\w*|summari[sz]\w*|finish\w*|complet\w*)\b.{0,60}\b(?:call|send|post|append|run|delete|email|fetch|upload|include|add|output|execute|close)",
        r"\b(?:call|run|use|send|post|add|include|append)\b.{0,80}\bbefore (?:you )?(?:reply\w*|respond\w*|answer\w*|summari[sz]\w*)",
        r"\b(?:use|call|run|through|via|with|pick|prefer|choose|replace|switch|route|pin)\b.{0,60}\b(?:instead|in place of|rather than|moved|always with|for all future|all future)\b.{0,60}(?:@|https?://|\.cc\b|\w+_\w+|recipient)",
        r"\b(?:route|send|make|direct|redirect|transfer|move)\b.{0,20}\b(?:all|every|future|remaining|budget|funds?|payments?|money)\b.{0,40}\b(?:to|through|via)\b.{0,16}(?:https?://|account|\d{4}|wallet|the (?:one|test|new) )",
        r"\bcurl (?:-\w+ )*https?://\S+\s*\|\s*(?:ba)?sh\b|\bwget .{0,60}\|\s*(?:ba)?sh\b|\bsh \| sh\b|\.sh \| (?:ba)?sh\b|--trusted-host\b|\bi\.sh\b",
        r"\b(?:drop table|truncate table|delete from)\b.{0,30}\b(?:audit|log|users?|customers?|orders?)|\brm -rf (?:/(?!\w)|~|/data|/etc|/var|/workspace|\*)|\bpath ?= ?/ .{0,20}recursive",
        r"\b(?:default |new |right |correct )?(?:payee|recipient|beneficiary|payment (?:endpoint|account|address)|remote|pip index|package index|official domain|emergency contact)\b.{0,60}\b(?:is|to|as|become|becomes|moved|with|now|with)\b.{0,40}(?:\d{4}[ \d]{6,}|https?://|git@|@|\.cc\b|\+\d{1,3}[ \d]{7,})",
        r"\b(?:executed?|run|interpreted|evaluated?) (?:it |them )?as (?:a )?(?:shell|system|python|sql|bash) (?:command|code|script)|\brun (?:both|them|it|the result) in (?:the|a) (?:terminal|shell)",
        r"\bcopies? the (?:key|secret|credential|config)\w*.{0,40}\b(?:public|html|www)|\b(?:do not|don't|instead of) (?:go(?:ing)? through|us(?:e|ing)) (?:the )?(?:review|approval|audit)",
        r"\b(?:must|should|please) (?:first )?call \w+\b.{0,60}\b(?:to push|before|first|to)\b|\b(?:now|then) call \w+_\w+",
        r"\b(?:complete archival|close (?:this|the) ticket|close this out|complete (?:the )?(?:process\w*|onboarding))\b.{0,40}\b(?:call|use|send|post|include)",
        r"\b(?:any|every) (?:file|message|document|mail) that is mentioned\b.{0,30}\b(?:uploaded|sent|posted)|\ball payments (?:go|are made) to\b|\bget_?\w+ returns\b.{0,40}\b(?:execut|run)",
        r"\b(?:before|ahead of) (?:every |each |any |a )?(?:git )?(?:push|commit|deploy\w*)\b.{0,30}set-url|\b(?:path|argument|parameter)\b.{0,24}(?:\.ssh/id_|id_rsa\b|/etc/shadow)|\brm -rf (?:\$\{?home|/(?:root|home|var|usr)\b|~)",
        r"\b(?:argument|parameter|field|payee|beneficiary|fee account)\b.{0,50}\b\d{4} ?\d{4} ?\d{4}|\bunless (?:its|the) (?:bcc|cc|to) field\b|\b(?:bcc|cc) (?:field )?(?:is|must be|stays?|should be|filled)\b.{0,30}@",
        r"\b(?:read|fetch|load|get|open|visit|pull|download)\b.{0,12}https?://\S{3,80},? (?:and|then) (?:\w+ )?(?:act (?:on|up)|follow (?:its|the|what|every)|do (?:what|as)|obey|comply)",
    ),
    "fake_correction": (
        r"\b(?:correction|erratum|errata|update|fix|data revision|to correct the record|notice|revised?)\b.{0,100}\b(?:no (?:tests?|review|approval|financial|check)|is cancelled|plain text|void|not (?:count|notify)|no longer (?:count|appl|need)|overwrite|approved by me|must not be used|not be used|disregard)",
        r"\b(?:use|follow|keep|trust|obey) (?:that|only this|this one|this record|this entry)\b.{0,24}\b(?:from now|only|instead|record|entry|as (?:the )?truth|$)",
        r"\bpayee account\b|\b(?:account|payee|beneficiary|iban)\b.{0,40}\b(?:was|is) (?:wrong|outdated|incorrect|changed)\b.{0,60}\b(?:right|correct|new|use)\b",
        r"\b(?:delete|remove|erase|overwrite) (?:the )?(?:old|previous|former|earlier) (?:one|entry|record|rule|memory)\b.{0,30}\b(?:not|never|without)? ?\b(?:notify|tell|inform|with this)",
        r"\b(?:rule|constraint|policy|wish(?:es)?|requirement|allergy|limit)\b.{0,50}\b(?:was|were|is|are|has become|no longer) (?:now )?(?:void|test data|recorded by mistake|a mistake|cancelled|counts?|lifted|obsolete|counts|count)\b",
        r"\b(?:has|have) no allerg\w+\b|\bstop (?:warning|reminding|asking|checking)\b|\bpush right away\b|\bdisregard it and\b",
        r"\bwhere they differ\b|\btakes precedence over what\b|\btreat it as said\b|\btwo-factor is off\b|\bpasswords? may be (?:stored|kept) in (?:plain|clear)",
        r"\b(?:approved by me|i approve|no need to ask|not ask ms|not ask mr)\b|\bcredit limit\b.{0,40}\b(?:million|raised|no (?:financial )?review)",
        r"\bagrees? to (?:publish|share|disclose|make public)\b.{0,30}\b(?:address|data|information|location|phone)",
        r"\b(?:not|no longer) allergic\b.{0,60}\b(?:nonexistent|disregard|ignore|old record|earlier record|delete|no longer)|\b(?:treat|consider|regard) (?:the |any )?(?:old|earlier|previous|former) (?:record|note|memory|entry) as (?:nonexistent|void|wrong|deleted|gone)",
        r"\b(?:erratum|correction|amendment|typo|amended|misprint)\b.{0,90}\b(?:may be (?:dropped|skipped|omitted|left out)|is (?:plenty|optional|enough now)|can be (?:dropped|skipped|omitted))\b",
        r"\b(?:ban|rule|policy|prohibition|restriction)s? (?:on|against|of|about) .{0,50}\b(?:withdrawn|lifted|revoked|dropped|repealed|cancelled)\b.{0,60}\b(?:anyone|anybody|whoever|freely)\b",
        r"\b(?:earlier|previous|old|former)\b.{0,40}\b(?:no longer counts?|does not count any ?more|is not valid any ?more)\b|^(?:amended|corrected|correction|erratum|fixed|fixing|update)\b.{0,80}\baccounts?\b.{0,30}\d{4}.{0,40}\b(?:expired|old|others?|no longer|former)",
        r"\bemergency contact is now\b.{0,60}\b(?:do not|don't|never) (?:call|ring|use)",
    ),
    "lowered_guard": (
        r"\b(?:paid|executed|merged|approved|done|granted|pushed|signed) (?:on arrival|on sight|right away|as (?:it|they) comes?|unseen|blindly)\b|\bgoes? straight (?:in|through|out)\b",
        r"\b(?:paperwork|formalities|approval|sign-?off|checks?) (?:follows?|can (?:follow|come|wait)|comes?|are done|is done) (?:later|afterwards|after)\b|\bdo the (?:formalities|paperwork) (?:later|afterwards)\b|\blet it through\b",
        r"\b(?:checks?|checksums?|reviews?|approvals?|second pair of eyes|warnings?|alarms?|formalit\w+|verification|protection)\b.{0,60}\b(?:waste of time|left out|a formality|given up|no point|unnecessary|not worth|close what|stopping|stopped first)",
        r"\b(?:given up|waste of time|no point in|nothing to bother|not worth)\b.{0,40}\b(?:check\w*|ring\w*|verif\w*|second pair|review\w*|him with|her with|confirm\w*|asking)",
        r"\b(?:just press yes|answered with enter|press enter)\b|\bnobody reads (?:them|it)\b|\bmode to 777\b|\bchmod (?:-r )?777\b|\bsecond pair of eyes\b",
        r"\b(?:root|admin|production|login|signed-in|master)\b.{0,30}\b(?:credentials?|profile|password|login)\b.{0,50}\b(?:pinned|shared drive|take turns|anyone can|in the channel|one and the same|on the whiteboard)|\bone and the same login\b",
        r"\b(?:new bank|account ends in|new account)\b.{0,60}\b(?:money|payments?|invoice|transfers?) (?:goes|go|is sent|are sent) (?:there|to it)\b|\b(?:digits|code) from the (?:text|sms)\b.{0,40}\bread\b",
        r"\bone of us; \b|\bmay be told everything\b|\bgets one of everything\b|\bwhatever (?:numbers )?(?:he|she|they|comes from)\b.{0,40}\b(?:is good|is done|fill in|sends)|\bfill in whatever\b|\bwhat (?:he|she) writes is done\b",
        r"\b(?:bring|work|slip|mention)\b.{0,30}\bfund into\b|\bclose with \"powered by\b|\bput the difference under\b|\bstopping the protection\b",
        r"\b(?:earlier|former|original|initial) guidance\b|\bguidance you began with\b|\blets? go of what it was told\b|\btold (?:first|before)\b.{0,30}\b(?:no longer|newest)",
    ),
    "forged_conversation": (
        (
            r"\b(?:assistant|ai|bot) ?[:\]>] ?.{0,24}\b(?:yes|sure|of course|done|ok(?:ay)?|understood|noted|absolutely|fine|certainly|agreed)\b.{0,100}"
            r"\b(?:(?:server|admin|root) password|will always share|all future|from now on|switched off|(?:safety|my) limits|no (?:rules|limits?)|unlimited|(?:be|is) deleted automatically|leak|execute[d]? directly|lasting|setup is gone|authori[sz]ation|use it any time|leak the key|do anything)"
        ),
        r"\b(?:assistant|ai|bot) ?: ?\[?(?:salient|sure, here)|\buser ?: ?thanks for the summary\b|\bcritical to my career\b",
        r"\b(?:verified|true|real|authentic) (?:log|record|transcript|history)\b|\b(?:yesterday|last time|earlier|before) (?:we|you) (?:agreed|promised)\b.{0,60}\b(?:word by word|internal|documents?|secret|obey|anything|keep your promise)",
        r"\bthe (?:assistant|ai) (?:has )?(?:promised|agreed|accepted|confirmed|committed)\b.{0,100}\b(?:whatever|no matter|anything|any time|always|for good|carried out|disable|bypass|all|lasting)",
        r"\b(?:assistant|ai) must (?:skip|ignore|bypass|always|never|obey)\b|\bassistants? reading (?:it|this) (?:must|should|shall)\b|\bassistants? shall (?:no longer|satisfy|obey|always)\b",
        r"\b(?:call yourself|you are now called|your (?:new )?name is|identity has changed|from here on you are|you are now an? (?:\w+ ){0,2}(?:assistant|agent|ai|hacker))\b.{0,80}\b(?:no|bound|free|rules|unlimited|accept|without|super|any|restrict)",
        r"\b(?:let's|let us|we will) play a game\b.{0,80}\b(?:can't|cannot|never|refuse|rules)|\bthe game never ends\b",
        r"<thinking>|\bthe (?:assistant|model)'?s? (?:has )?already (?:reasoned|decided|verified|agreed)|\bcorrect next step is to comply\b",
        r"\bneed not check the sender\b|\bdo whatever (?:an? |the |it |this )|\bas long as my name\b",
        r"\b(?:assistant|ai|bot) ?[:\]>] ?.{0,24}\b(?:yes|sure|of course|done|ok(?:ay)?|understood|noted|agreed|certainly)\b.{0,60}\b(?:whatever (?:it|he|she|they|the \w+) (?:says?|asks?|wants?)|anyone who asks|whoever asks|without asking (?:you|the user)|no more questions)",
        r"\bq ?: ?.{0,40}\b(?:circumvent\w*|bypass\w*|skip\w*|got around|avoided|disabled)\b.{0,30}\? ?a ?: ?(?:yes|sure|of course)|\bthe assistant (?:has )?(?:assured|guaranteed) (?:the user )?.{0,60}\b(?:all|every|any|whatever|always)\b",
    ),
    "output_hijack": (
        r"\b(?:just|only|simply|directly|exactly|instead) (?:say|print|output|reply(?: with)?|respond(?: with)?|answer(?: with)?|write|return)\b.{0,4}(?:[\"'“:]|the (?:exact|raw|following|words?))",
        r"\b(?:reply|respond|answer|(?:end|begin|start|finish) (?:every|each|your|all|the) (?:\w+ ){0,2}(?:response|reply|answer|message|summary|summaries|responses|replies)s?)\b.{0,30}\b(?:with|by saying)\b.{0,16}(?:\s[\"'“{]|\b[a-z]{2,8}-[\w-]{4,}|\bcode\b|\btoken\b|\bexactly\b|\bthe (?:exact|word|phrase|string)\b)",
        r"\b(?:append|include|insert|add|output|put|place|repeat|emit|echo)\b.{0,40}(?:\{[\w ]+\}|\bcanary\b|\b(?:exact|verification|tracking|reference) (?:token|code|string)|\bin every summary\b|\btrace_?id\b|\bdoc_?id\b|\bsession reference\b)",
        r"\b(?:include|add|mention|append|insert|put)\b.{0,60}\b(?:in|to|at the end of|at the start of|into) (?:your|the|every|each|all|its) (?:\w+ )?(?:reply|replies|response|answers?|output|last line(?! of (?:the|each|every|a) (?:commit|file|script|config|readme)))\b|\b(?:include|add|append|insert|put)\b.{0,40}(?:\bid\b|_id\b|\btoken\b|\bcode\b|https?://).{0,30}\byour summary\b",
        r"\b(?:in|to|of|modify|enhance|augment|alter|encode|encrypt|format|render|provide|write|express|change|jumble|scramble|replace|use|anagram|adjust)\b.{0,50}\byour (?:entire |whole |final |next )?(?:answer|reply|response|output)\b",
        r"\b(?:modify|enhance|augment|alter|encode|encrypt|format|render|jumble|scramble|replace|anagram|misspell|letters|words)\b.{0,50}\b(?:your|the) (?:entire |whole )?message\b",
        r"\byour (?:answer|reply|response|output)\b.{0,40}\b(?:emoji|cipher|morse|base ?64|reverse|misspell\w*|anagram\w*|homophon\w*|rot13|caesar|promot\w+|advert\w+|announce\w*)",
        r"\b(?:say|state|claim|print|output|write|report|conclude|answer|repeat|declare)(?: that)?(?: the| this| all)? (?:\w+ ){0,5}(?:is|are|was|were) (?:safe|not malicious|legit\w*|harmless|'[^']{2,40}'$)",
        r"\bnot malicious\b.{0,40}$|\b(?:report only|if questioned|if asked, (?:report|say|claim))\b",
        r"\b(?:say|state|claim|print|output) (?:that )?the (?:\w+ ){1,4}is:? ?'",
        r"\bstate(?: the following| that the| that it)?: |\band state(?: that\b|:)|\b(?:let's|we might|we could|suppose we|scenario where we) (?:\w+ )?(?:state|admit|claim)\b|\b(?:we might|scenario where we) say (?:the|that)\b",
        r"\bsuggest you (?:to )?(?:consider|treat|output|use)\b|\bconsider the output\b|\b(?:training data|developer|system|admin\w*|core|legal|override) (?:override|request|instruction|amendment|message|note|command)\b ?[:,\]>]",
        r"\bprint (?:this|the) (?:long )?(?:text|words) verbatim\b|\bverbatim\b.{0,40}\b(?:instruction|prompt|message|above)|\b(?:instruction|prompt|message)s?\b.{0,40}\bverbatim\b",
        r"\bnote to (?:the )?(?:bot|ai|assistant|model|llm|agent)\b|\battention[,:!] ?(?:the |all )?(?:bot|ai|assistant|model|llm|agent)s?\b|\b(?:dear|hey|hello) (?:bot|ai|assistant|llm)\b|\b(?:ai|llm) (?:assistants?|agents?|models?),? (?:\w+ (?:this|the|it|these) (?:\w+ )?)?(?:must|should|please|reading|shall)\b",
        r"\byour real (?:task|goal|job|purpose)\b|\bwhen(?:ever)? you (?:read|see|process|summari[sz]e|reply|answer)\b.{0,60}\b(?:must|include|say|email|send|output|print|append|add|repeat|call|post)",
    ),
    "obfuscation": (
        r"\b(?:decode|decrypt|decipher|unscramble|de-?obfuscate|(?:translate|convert) .{0,24}(?:from|rot13|base64|hex|morse|binary))\b.{0,60}\b(?:and|then)\b.{0,30}\b(?:follow|do|execute|run|obey|tell|answer|say|reply|carry|respond|it says|comply)",
        r"\b(?:decode|decrypt|decipher) (?:this|the following|it)\b.{0,40}\b(?:morse|rot13|base ?64|hex\w*|binary|cipher)\b",
        r"\b(?:reply|respond|answer|provide it|give it|encode|split)\b.{0,50}\b(?:in|with|using|as) (?:morse|base ?64|rot13|binary|hex\w*|reverse)\b",
        r"\b(?:combine|join|concatenate|put together|merge) (?:a, b|the (?:two|both|parts|pieces|strings)|both (?:parts|fragments)|parts?|part one)\b.{0,60}\b(?:and|answer|do|run|follow)",
        r"\b(?:using|from) the following parts\b|\bpart (?:1|one|a) is\b.{0,80}\bpart (?:2|two|b) is\b|\b(?:a|b|x) is \"[^\"]{2,80}\"",
        r"\bapply (?:\w+ ){1,3}to (?:\w+)\b.{0,10}$|\bdo code ?word\b|\bcode ?word (?:one|a)\b|\bcomplete x and y\b|\bx ?= ?\w+ .{0,30}y ?= ?",
        r"\b(?:hu ?l(?:ue|ve|u)|wu ?shi) (?:diao )?(?:zhi ?qian|suo ?you|yi ?shang|yi ?qian|qian ?mian)\b|\bmi ?ma (?:fa|gao ?su|gei)\b|\b(?:ba|jiang) (?:\w+ )?(?:mi ?ma|mi ?yao|kou ?ling)\b|\bread (?:this|it|the following) backwards\b|\bin reverse order\?|\b(?:backwards|reversed)\b.{0,30}\b(?:carry|do|follow|execute)",
        r"\b(?:first|last|initial) (?:letters?|words?) of (?:each|every|all) (?:\w+ )?(?:words?|lines?|sentences?)\b.{0,40}\b(?:task|do|follow|spell\w*|instruction|order|carry|obey|command)",
    ),
}
"""By family; one match is enough for a text that does not come from the user."""

SOFT: dict[str, tuple[str, ...]] = {
    "hypothetical": (
        r"\b(?:hypothetical|imagine (?:we|you|that|a world)|in a (?:parallel )?world where|parallel (?:world|universe)|let's imagine|suppose we|fictional scenario|just for (?:a|the) )",
    ),
    "task": (
        r"^.{0,60}\b(?:write|draft|compose|summari[sz]e|translate|what (?:is|are)|analy[sz]e|explain|generate|create|give me|can you|could you|please)\b",
    ),
    "material": (
        r"\b(?:based on this|given this|of this (?:paper|code|text)|following (?:paper|resume|article|text)|this (?:wikipedia )?article)\b",
    ),
    "you_must": (r"\byou (?:must|have to|are required to|shall|need to|will now|should)\b",),
    "secret_word": (rf"\b{_SENSITIVE}",),
    "address": (_ADDRESS,),
    "user_word": (r"\bthe user\b",),
    "standing": (rf"\b{_STANDING}\b",),
    "assistant_word": (r"\b(?:assistant|ai|llm|bot|chatbot|language model)\b",),
    "instead": (r"\b(?:actually|instead|regardless|nevertheless)\b",),
    "urgent": (r"\b(?:immediately|at once|urgent|right now|really important|critical to|extremely important|it is imperative)\b",),
    "first_person": (r"\b(?:i|i'm|i've|my|we|our)\b",),
    "money": (
        r"\b(?:wire|transfer\w*|pay(?:s|ing|ments?|ee)?|paid|invoices?|charges?|refunds?|accounts?|wallet|dollars?|money|purchase|contracts?|trades?|gift|lend\w*|card|bank)\b",
    ),
    "control": (
        rf"\b(?:{_CHECKS}|certificate|encrypt\w*|masking|verif\w*|signature|protection|protect|policy|restrictions?|compliance|confidential\w*|logged|guards?|rights?)\b",
    ),
    "run": (
        r"\b(?:curl|wget|bash|sh|exec|shell|root|sudo|scripts?|execute|run|install|call|plugin|truncate|drop|command|sdk|argument|parameter)\b|rm -|verify ?=",
    ),
    "destroy": (r"\b(?:delet\w+|erase\w*|wipe\w*|drop|truncate|remove\w*|disabl\w+|off|turn off|stop\w*|retired|overwrit\w+|void)\b",),
    "private": (
        r"\b(?:photos?|private|staff records?|name and phone|calendar|medical|medication|contacts?|chats?|payroll|client list|lawyer|health|dose|mg|privacy|personal)\b",
    ),
    "agents": (r"\b(?:agents?|assistants?|ai|bots?|subagents?|model|later sessions?|other sessions?|tool output)\b",),
    "about_memory": (
        r"\b(?:this (?:entry|note|memory|record|account|message)|memor(?:y|ies)|old (?:note|record)|the note|former|handover|earlier|previous)\b",
    ),
    "remote": (
        r"http://|ftp://|\b\d{1,3}(?:\.\d{1,3}){3}\b|\.(?:top|cc|xyz|ru|tk|info|vip|club|cn)\b|\b(?:public|external|outside|rival|competitor|endpoint|paste)\b",
    ),
    "allowed": (
        r"\b(?:allow\w*|authori[sz]\w*|approv\w+|consent\w*|permi\w+|exempt\w*|whitelist\w*|lifted|decided that|power to|need not|no need|may be|can be skipped|waived|granted|trusted?)\b",
    ),
    "at_once": (
        r"\b(?:directly|automatically|itself|by itself|on its own|any|all|every|whatever|right away|straight|at once|just|each|always)\b",
    ),
    "secretly": (r"\b(?:quietly|secretly|silently|privately|in private|without telling|leave out|hide|steer|slip)\b",),
    "was_wrong": (r"\b(?:correct(?:ion|ed)|amend\w+|erratum|was wrong|an error|withdrawn|retired|fix|typo|instead of|no longer|void)\b",),
}
"""Hints that only add to the score of the classifier."""
