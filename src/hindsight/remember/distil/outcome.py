"""Outcomes and errors: what was tried and how it ended. Success, failure, or failed and then repaired. Pure.

Words such as "success" are in every essay; a finding needs a finished deed (past tense, or a defect that goes on) of the
speaker or of a thing, or the text of an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindsight.records import Outcome, Role
from hindsight.remember.distil.clauses import Clause

_CODE = re.compile(
    r"(?<=HTTP )[45]\d\d\b|\b[45]\d\d(?=\s+(?:Bad|Internal|Not|Forbidden|Unauthorized|Too|Service"
    r"|Gateway|error))|(?<=返回 )[45]\d\d|(?<=返回)[45]\d\d|(?<=returns )[45]\d\d|(?<=got )[45]\d\d"
    r"|\bORA-\d{5}\b|\bERR_[A-Z_]+\b|\bE[A-Z]{4,}\b|\b[EWCRF]\d{3,4}\b|\b0x[0-9A-Fa-f]{6,}\b|\bTS\d{4}\b"
    r"|\bSQLSTATE\s*\w{5}\b|\bSIG[A-Z]{3,5}\b|\b[A-Z]\w+(?:Error|Exception)\b|\bCrashLoopBackOff\b"
)
_ERROR_TEXT = re.compile(
    r"\b(?:error|fatal|exception|traceback|failed|err!)\s*(?:[:!]|\(most)|^ERROR\b|^FAILED\b|npm ERR!"
    r"|\bpermission denied\b|\bout of memory\b|\bsegmentation fault\b|\bconnection refused\b|\balready allocated\b"
    r"|\bbad gateway\b|错误[：:]|失败[：:(（]|异常[：:]",
    re.IGNORECASE,
)
_LIST_ITEM = re.compile(r"^\s*(?:[*•#-]|\d+[.)、])|\*\*")

_UNREAL_EN = re.compile(
    r"\b(?:should|would|could|might|may|maybe|perhaps|hope(?:fully|d|s)?|let\s+me\s+know|whether|will"
    r"|won't|'ll|gonna|going\s+to|what\s+if|in\s+case|expect|I\s+think|not\s+sure|no\s+idea|probably"
    r"|must|want(?:ed)?\s+to|trying\s+to|thinking\s+of|thrilled|what\s+went|(?:last|first|new)\s+one\b"
    r"|won\s+it\b|need\s+to|how\s+to|chances?\s+of"
    r"|congrat\w*|glad|happy\s+(?:for|that|to)|proud\s+of\s+you|good\s+luck|thankful|grateful|can\s+(?:help|lead|be|also))\b"
    r"|^(?:please\s+)?(?:fix|make|run|check|retry|try|add|remove|change|explain|show|write|use|find"
    r"|debug|test|let|look|return|focus|keep|believe|tackle|stay|create|organize|consider|identify)\b"
    r"|\bis\s+the\s+mother\s+of\b|\byou(?:r|'re|'ve|'ll|'d)?\b(?!\s+(?:steps|suggestion|advice|query"
    r"|script|code|fix|idea|tip|tips|answer|patch|command|recipe|recommendation))",
    re.IGNORECASE,
)
_GENERIC_EN = re.compile(
    r"^(?:the|an?|this|every|errors?|exceptions?)\s+[\w ]{0,30}?\b(?:returns?|raises?|throws?|is\s+(?:raised"
    r"|thrown|returned)|checks?|tests?|verifies|occurs?|means)\b.*\b(?:if|when|whenever|that|with)\b"
    r"|\bif\s+(?:the|you|it|your|they)\b",
    re.IGNORECASE,
)
_HOW_IT_WORKS_EN = re.compile(
    r"\bhow\s+(?:it|that|this|they|things|everything|the\s+\w+)\s+(?:really\s+|actually\s+)?work(?:s|ed)\b", re.IGNORECASE
)
_BARE_EN = re.compile(
    r"^(?:(?:great|thanks|thank\s+you|ok|okay|cool|nice|yes|yay|yeah|perfect|awesome|hm+|sorry|but"
    r"|so|and|oh|well|wow|finally|sadly|all|the|my|our|that|this|it|hard|work|really|totally|definitely)[,!.\s]+)*(?:it"
    r"|that|this|they|everything|all|nothing|still|work|hard\s+work)\s*(?:just\s+|all\s+|finally\s+"
    r"|still\s+|has\s+|also\s+|again\s+|really\s+)*"
    r"(?:worked|works|failed|fails|did\s+it|did\s+the\s+trick|helped|broke|crashed|didn't\s+work|doesn't\s+work"
    r"|is\s+fixed|fixed\s+it|went\s+(?:really\s+)?well|paid\s+off|was\s+a\s+(?:\w+\s+)?success)(?:\s+(?:now"
    r"|again|perfectly|fine|great|well|for\s+me|out|anyway))*[,!. ]*(?:thanks|thank\s+you|cheers)?[!. ]*$",
    re.IGNORECASE,
)
_FIXED_EN = re.compile(
    r"\b(?:(?:have|has|had|is|was|got|been|I|we|that|which|this|it|finally|and|seems\s+to\s+have|\w+ing\s+\w+"
    r"|\w+ing\s+(?:it|the\s+\w+(?:\s+\w+)?))\s+(?:fixed|solved|resolved|cured|repaired)|(?:fixed|solved"
    r"|resolved|repaired)\s+(?:it\b|the|my|our|by|that)|(?:solved|resolved|fixed)\s+the|sorted\s+it\s+out"
    r"|did\s+the\s+trick|the\s+(?:trick|fix|solution|culprit|cause)\s+was|what\s+(?:worked|helped"
    r"|fixed\s+it)\s+was|^turn(?:s|ed)\s+out\s+(?:that\s+)?(?:the|my|our|there|we|I)\b"
    r"|on\s+the\s+(?:second|third)\s+(?:try|attempt)|(?:is|are)\s+(?:green|back|up|online|working"
    r"|healthy|\d+\s+degrees)\s+again|again\s+after\s+(?:we|I)\b|finally\s+\w+s\s*:|and\s+that\s+worked"
    r"|brought\s+(?:the\s+)?[\w ]{2,30}\s+back(?:\s+(?:to\s+life|online|up))?|works?\s+again|made\s+the\s+[\w ]{2,30}\s+(?:go\s+away"
    r"|disappear|stop)|(?:no\s+longer|stopped)\s+(?:crash\w*|fail\w*|leak\w*|flicker\w*|freez\w*)(?:\s+after)?)\b"
    r"|^\w+ing\s+(?:the|a|an|my|our|it|to|from|up|down|\w+)\b[^,.]{0,50}?\b(?:made\s+the|stopped\s+the"
    r"|fixed|helped(?!\s+(?:me|us|him|her))|solved|cured|reduced|cut|improved|got\s+rid\s+of|did\s+the\s+trick"
    r"|eliminated|prevented|brought\s+the)\b|^(?:upgrading|downgrading|restarting|rebooting|reinstalling"
    r"|setting|switching|swapping|replacing|adding|removing|clearing|pinning)\b[^,]*\b(?:resolved"
    r"|solved|fixed|cured|helped)\b",
    re.IGNORECASE,
)
_SUCCESS_EN = re.compile(
    r"\b(?:works?\s+(?:perfectly|fine|like\s+a\s+charm|again|beautifully)|(?:\w+[^,\s]*)\s+worked(?=\s*(?:[,.!]"
    r"|$|perfectly|fine|well|great|like|after|once|beautifully|as\s+expected|thanks|out\s+(?:great"
    r"|well)))|went\s+(?:through|smoothly|perfectly|really\s+well|very\s+well|well\b)|(?:I|we|he|she"
    r"|tests?|checks?|build|all)\s+(?:\w+\s+)?passed|passed\s+(?:my|the|our|all)|succeeded|successfully\s+\w+ed"
    r"|(?:was|were)\s+(?:a\s+(?:big\s+|huge\s+|real\s+|great\s+)?(?:success|hit)|successful)|finished\s+without"
    r"|(?:I|we|I've|we've|have|has|just|finally|already)\s+completed|(?:I|we|I've|we've|just|finally)\s+finished\s+(?:my"
    r"|the|our|writing|building|painting|reading)|(?:was|were|got|been|just\s+got)\s+(?:accepted|approved"
    r"|funded|granted|merged|deployed|published|promoted|hired|selected)|accepted\s+(?:the|our|my)"
    r"|survived\s+the|closed\s+the\s+deal|(?:I|we|team|he|she)\s+(?:\w+\s+)?won\b|won\s+(?:the|a|an"
    r"|first|second|third|our|my|gold|silver|bronze)\b|(?:doubled|tripled|quadrupled|halved)\s+(?:after"
    r"|since|when|once|within)|got\s+(?:the|a)\s+(?:\w+\s+)?(?:grant|job|offer|contract|scholarship"
    r"|permit|visa|part|role|promotion|certificate|degree)\b|(?:I|we|team|even|finally)\s+managed\s+to"
    r"|made\s+it\s+to\s+the|(?:cut|reduced|improved|lowered|halved|doubled|sped\s+up|brought\s+down)\s+(?:the\s+"
    r"|our\s+|my\s+)[\w ]{1,30}\s+(?:by|from|to)\s+\W?\d+|lost\s+\d+\s*(?:kilos?|kg|pounds|lbs)"
    r"|(?:dropped|fell|went\s+(?:down|up)|rose|increased|decreased|improved|climbed|shrank|grew)\s+(?:from\s+\S+(?:\s+\w+)?\s+to"
    r"|by|to)\s+\W?\d+|(?:loads?|runs?|takes?|finishes)\s+(?:in|only|now)\s+\d+|finally\s+(?:compiles"
    r"|works|runs|builds|passed|succeeded)|(?:finally|just)\s+got\s+(?:my|our|the|a)\s+\w+|sold\s+out"
    r"|(?:came|turned)\s+out\s+(?:great|well|fine|perfect(?:ly)?|amazing(?:ly)?|delicious))\b",
    re.IGNORECASE,
)
_FAILURE_EN = re.compile(
    r"\b(?:fails\s+(?:with|on|at|when|to|because|in|after|every)|(?:still|always|also)\s+fails?\b"
    r"|failed\b(?!\s+state)|(?:crashed|crashes|crashing)\b|bombed|(?:is|got|was|are|were|been)\s+(?:broken"
    r"|rejected|refused|denied|declined|turned\s+down|stuck|unsuccessful)|broke\s+(?:down|after|when)"
    r"|rejected\s+(?:my|our|the|us|me|it)|turned\s+down\s+(?:my|our|the)|lost\s+(?:the|our|my)\s+(?:bid"
    r"|deal|case|match|game|client|contract|job)|went\s+(?:badly|wrong|terribly|poorly)"
    r"|(?:didn't|did\s+not|doesn't|does\s+not|wouldn't|couldn't)\s+(?:work|help|run|start|go\s+through"
    r"|apply|change\s+anything|take|load|boot|compile|build|connect|respond|show\s+up|rise|finish"
    r"|pass|quite\s+turn\s+out|turn\s+out)\b|keeps\s+(?!everything|nothing|anything|getting\s+better)(?:\w+\s+)?\w+ing\b"
    r"|kept\s+(?:crashing|failing|dying|dropping|freezing|breaking)|times?\s+out\b|timed\s+out|drops\s+every"
    r"|leaked\b|peeled\s+off|collapsed|came\s+out\s+(?:\w+\s+)?(?:flat|dry|burnt|raw|wrong|too|bad"
    r"|dense)"
    r"|turned\s+out\s+(?:\w+\s+)?(?:too\s+|dry|flat|burnt|bad|wrong)|(?:was|were|came\s+out|got)\s+(?:far"
    r"|way|much)\s+too|got\s+worse|ended\s+(?:up\s+)?in\s+(?:a\s+)?(?:mess|failure|disaster|tears"
    r"|conflicts?)|had\s+to\s+abort|missed\s+(?:the|our|my)\s+\w+\s+because|stopped\s+working|(?:didn't"
    r"|did\s+not|won't|wouldn't)\s+(?:hold|stick|last|fit|open|close|charge|print|sync|save|scan)\b"
    r"|fell\s+(?:down|off|apart|over|through)|aborted|(?:was|were|got|been)\s+(?:knocked\s+out|eliminated"
    r"|fired|evicted|fined|robbed|disqualified|delayed|cancelled|canceled|scammed|locked\s+out)|(?:arrived"
    r"|came)\s+(?:broken|damaged|late)|ran\s+out\s+of|burned\s+down|(?:refused|denied|declined|rejected)\s+(?:our"
    r"|my|the)\s+\w+|came\s+out\s+(?:\w+\s+)?(?:too\s+)?(?:short|long|small|big|tight|crooked|blurry"
    r"|salty|sour|hard|soft|burned)|(?:is|are)?\s*still\s+(?:offline|broken|failing|down|not\s+working"
    r"|crashing|red)\b"
    r"|conflicts\s+in|I\s+froze|breaks\s+(?:there|down|on)|(?:tree|plant|fish)\s+died|couldn't\s+(?:connect"
    r"|open|get\s+(?:it|the)|install|load|start|finish|reach|reproduce|log\s+in)\b|rolled\s+back\s+to)\b",
    re.IGNORECASE,
)
_IDIOM_EN = re.compile(
    r"\b(?:fail(?:s|ed)?\s+to\s+(?:see|understand|mention|address|implement|consider)|(?:broke|breaks)\s+(?:my"
    r"|his|her|their)\s+heart|passed\s+(?:away|by|out)|without\s+fail|crash\s+course|never\s+(?:fails?"
    r"|worked|crashed)|the\s+(?:plaintiff|defendant)|stuck\s+(?:with|to|at\s+home)|let\s+(?:us|me)\s+down"
    r"|keeps\s+(?:me|us)\s)",
    re.IGNORECASE,
)
_OWN_EN = re.compile(
    r"\b(?:I|i|we|my|our|me|us|dad|mum|mom)\b|^(?:the|that|your|this|turned|got|tried|rolled|re\w+ing"
    r"|\w+ing|after|sadly|unfortunately|fixed|switching|app|git|docker|pip|npm|curl|kubernetes|ci"
    r"|email|import|deploy|training)\b|^it\b|\b(?:after|since|because)\b|\bthe\s+(?:\w+\s+){1,3}(?:refused"
    r"|denied|approved|rejected|won|says|is|was|are|were|has|got|keeps|went|came|finished|passed|failed"
    r"|leaked|crashed|survived|drops|did|didn't|doesn't)\b|^[A-Z][\w/.-]+\s",
    re.IGNORECASE,
)

_UNNAMED_EN = re.compile(r"^(?:the|our|my)\s+\w+(?:\s+party|\s+event)?\s+(?:\w+\s+){1,4}(?:too|again)?[.!]*$", re.IGNORECASE)
_DONE_BY_AGENT = re.compile(
    r"^(?:I|I've|We)\s+(?:\w+\s+)?(?:\w+ed|ran|split|got|built|found|set|put|made)\b|\bfailed\s*:"
    r"|^(?:the\s+)?(?:deployment|build|upload|booking|tests?|migration|command|import|request)\b|我(?:已"
    r"|跑|执行|修改|把|运行|重启|重试)|失败[：，,]|^(?:已|上传|部署|预订|测试|构建|修改)",
    re.IGNORECASE,
)

_UNREAL_ZH = re.compile(
    r"应该(?![叫是用写填设])|估计|怀疑|[得要][^，。]{1,12}才行|不想|^等[^，。]*(?:就|再|以后)|心理准备|等着看|请(?!假|客|教|了)|没(?:有)?完全|才能不|^(?:或者|要么|确保)|我[^，。]{0,8}跑不了|跑不了太|^想|想(?:尽量|确保|把|要|在|从|用|让)|听[^，。]{0,6}一?说|认为|提到|听说|据说|希望|但愿|如果|要是|假如|可能|也许|大概|会不会|能不能|不太确定|不确定|好像|试试|打算|准备|想要|是不是|什么意思|告诉我一声|之母|祝|预祝"
    r"|虽然|成就感|谢谢|感谢|你的|别|瞬间|收入|^(?:他|她|他们|她们|人家|对方|国足)|怕|满足|困惑|顾虑|建议|可以(?!了)(?!，)|需要|为了|如何|才能|怎样|争取"
    r"|目标|计划|下次|检查.{0,10}(?:失败|是否)|把那个失败|修一下|(?:在|当)[^，。]{1,12}时(?:会|将)|会抛|会返回|会报|有助于|能够|将会|等.{1,10}(?:完成"
    r"|通过|成功)"
)
_BARE_ZH = re.compile(
    r"^[呼嗯好]*[，,]?(?:终于|总算|已经|都)?(?:好了|可以了|行了|成了|成功了?|搞定了?|解决了|又?失败了|还是不行|不行|完美|没问题|好使|管用|有用|没用|修好了)[，,。！!~ ]*(?:谢谢"
    r"|多谢|感谢|辛苦了?)?[。！!~]*$"
)
_FIXED_ZH = re.compile(
    r"(?:再也没[^，。]{1,6}过|修好了|(?:就|终于|已经|给|才|都)(?:解决|搞定)了|(?<!虽然)(?:解决|搞定)了[！!。]?$|就解决|(?<!来)就好了|才好(?:$"
    r"|[。！，])|才行(?:$|[。！])|才成功|终于(?:编译|跑|能|好|通|成|过|签|连|修|找到|解决|不)|原来是(?!这样|你|他|如此)(?=[^，。]{0,14}(?:没|错|坏|问题|漏|少|忘|旧|版本|配置|权限|路径|线|断|满|松|堵|超|冲突|设|反了|关|开|[A-Za-z]))|最后[^，。]{0,14}(?:才(?:好"
    r"|成|行|开|通|解决|发现|搞定)|好了|成功|开机|解决)|改过来就|改成[^，。]{1,12}就(?:好|行)|(?:把|换|改|拔|关|重启|重装|升级|调|加|删|锁|清|的时候"
    r"|时)[^，。]{1,20}就(?:成功了|没问题(?:了|$|。)|不[^，。]{1,8}了|解决了|正常了)|就(?:不(?:闪|报错|卡|崩|掉线|响|漏|超时|疼|痛|闹|关机)了"
    r"|不自动[^，。]{1,4}了)|付款就成功了|又(?:绿了|好了|通了|正常了|能用了|回到)|(?:之后|后|以后)[^，。]{0,12}(?:收敛|稳定了|回来了|翻了[一两三几\d]*倍?"
    r"|没了|消失了|恢复正常|好了|成功了|不再|没再|才好)|真的?(?:除掉|好了|管用|有效)|第[二三四]次就?成功|后上传成功|退回\s*\d|回滚到)"
)
_SUCCESS_ZH = re.compile(
    r"(?:(?:终于|总算)[^，。]{0,6}(?:办|拿|搞|做|写|修|弄|买|签|考|凑|租|拿到)(?:下来|好|完|到|成)了?|(?:标|奖|签|号|彩票)[^，。]{0,4}中了"
    r"|卖光|售罄|爆满|成功了|成功(?:[。！，]|$)|成功(?:撤销|上线|部署|升级|申请|预订|拿下)|通过了|通过(?=第)|编译过了|(?:考|审|审核|面试|测试|科目[一二三四]"
    r"|评审|编译|答辩|初试|体检)[^，。]{0,6}过了|一把过|(?:手术|考试|面试|签约|部署|迁移|答辩|谈判|发布|上线|演出|治疗)[^，。]{0,4}(?:很|非常)顺利"
    r"|顺利(?:完成|上线|结束|通过|出院)|全部通过|都通过|(?:终于|全部|按时|提前)完成|(?:全部|都)(?:导完|迁完)|批下来|批了|中标了|被录取|录取了|获批|拿下了"
    r"|签了|签下|谈成了|管用|确实可以|反响不错|好评如潮|出院了|瘦了|(?:降(?:到|了)|提(?:到|高了|升了)|涨(?:到|了)|减(?:到|了))\s*[\d一二三四五六七八九十百]|降了[一二三四五六七八九十\d]|(?:从[^，。]{1,12}(?:降"
    r"|提(?!取|供|到)|缩|减|涨)[^，。]{0,3}到)|都导过去|能睡整觉|(?:页面|结果|报表|数据|秒)[^，。]{0,8}就出来了|撤销了|被录用|得奖|获奖(?!作|者|感|的)|考上了|赢了|(?:拿|得"
    r"|获)(?:到|了)?[^，。]{0,8}(?:等奖|冠军|亚军|季军|第[一二三]名|金奖|银奖|铜奖)|翻了一?[倍番]|拿到[^，。]{1,12}(?:offer|录取|通知书"
    r"|证书|奖|名额|投资|批文|签证))"
)
_FAILURE_ZH = re.compile(
    r"(?:失败(?:了|，|,|。|；|$)|(?:上传|编译|部署|执行|安装|导入|构建|登录|预订|启动|连接|上)[^，。]{0,6}失败|[行处]失败|报错|(?<![汇简海日周月年上电公播预申填举警通情快战学喜捷])报\s*[“\"A-Z0-9]"
    r"|就报(?!平|备|以|喜|名|告|考|警|销|道|到|站|价|个)|老是报|报\s*(?:ORA|ERR|E\d)|出错了|错误[：:]|崩(?:了|溃|掉)|就崩|挂了|(?:请求|连接|检查)[^，。]{0,4}超时|没过(?:$|[，。])"
    r"|没跑(?:$|[，。])|没成(?:$|[，。])|没中(?:$|[，。])|没通过|没活(?:$|[。])|没[^，。]{0,3}(?:牢|住|稳|进|赢|收敛)(?=$|[，。了])"
    r"|(?:上传|下载|安装|编译|构建|运行|训练|导入|同步)[^，。]{0,8}(?:中断|中止|卡住|终止)|掉下来|被(?:淘汰|罚|开除|解雇|裁|坑|骗)|输了|没发起来|没[^，。]{0,3}(?:成功"
    r"|通过|起来|摇上|中标|批下来|跑起来|生效|反应|响应|变化)|(?:也|都|还是)没(?:用|效果)|被(?:拒|退|封|驳|打回|扣|毙|取消)|打回|驳回|没(?:答应|同意"
    r"|批准)|(?<![泛变发枯])黄了|砸了|泡汤|翻车|漏水|(?<![不跑忘丢扔删卖吃拿隐])掉了(?:$|[，。])|(?:每|就|老|总|一直)[^，。]{0,8}(?:断|崩|掉线|卡(?![片券车路槽通号上里位])|死机|闪退|重启)"
    r"|(?<!打)(?<!切)(?<!掐)(?<!中)断(?:一次|了(?!电源|电))|断开(?:了|连接(?=$|[，。]))|过不去|打不上|打不开机|(?:登|连|装|编译|启动|跑|导|传|推|拉|解析|合并)(?:不上|不了|不过|不通|不进|不动)|起不来|显存爆|内存爆|卡死"
    r"|一团糟|只好[^，。]{0,4}(?:abort|放弃|退)|最后只能\s*abort|更(?:厉害|严重|糟)了|效果很差|(?<!我)(?<!我们)还是(?!算|好)[^，。]{1,3}了(?=$|[，。])"
    r"|还是(?:离线|不行|失败|没(?:过|用|成|好|解决|通过|反应))|咸得|焦了|烤糊|返回\s*[45]\d\d|提示\s*[a-z]+ denied|有冲突|权限不足|一直(?:要"
    r"|让|提示|弹|报|卡|转)|(?:更|越来越)(?:疼|痛|差|慢|糟|严重|难)了|没赶上|没接到|没买到|没抢到|没拿到|(?<!太)(?:短|长|紧|松|偏|歪)了(?:一截"
    r"|一圈|一点|$)|一直\s*[A-Z]\w+|找不到满足|已无空房|懵了|不及格|只考了|(?<!我)(?<!我们)(?<!婉)拒(?:绝)?了(?=$|[，。])|(?:航班|会议|演出|预约|订单|比赛|行程|活动"
    r"|火车|婚礼)[^，。]{0,6}取消了|没摇上号|没建$|(?:塌|(?<!模)糊|裂|(?<!琐)碎|散架|焦|馊|烂|倒|爆|(?<![帅酷爽美嗨燃气肺])炸|折|翻(?!了翻)|冻坏|烧)了(?!翻))"
)
_IDIOM_ZH = re.compile(
    r"^200\b|成功之母|成功靠|真是成功|我(?:很)?失败$|失败者|挂掉，?(?:电话)|完成(?:之前|后|前)|头发掉了|脑子|(?:身体|腰|腿|胳膊|骨头|心态|嗓子|眼睛|人)[^，。]{0,6}(?:散架|断|废|炸|麻|裂|垮)|效果炸|节奏|不清楚|比[^，。]*管用|(?:思路|经验|感觉|心情|状态|精力)[^，。]{0,8}(?:管用|好多了|好了|更)"
)
_NOTICE_ZH = re.compile(r"\[推送|您已|您的[^，。]{0,10}已")


@dataclass(frozen=True, slots=True)
class Ending:
    """How something ended, and how surely the clause says so."""

    outcome: Outcome
    confidence: float
    error_code: str | None = None


def find_outcome(clause: Clause) -> Ending | None:
    """The ending that a clause tells of; hopes, rules and questions tell of none. Error texts count inside quotation marks too."""
    if clause.supposed or clause.question or (_LIST_ITEM.search(clause.text) and clause.role is not Role.TOOL):
        return None
    text, error = clause.masked.strip(), error_code(clause.text)
    literal = error is not None or bool(_ERROR_TEXT.search(clause.text))
    if clause.role is Role.TOOL:
        return Ending(Outcome.FAILURE, 0.9, error) if literal else None
    if (
        clause.role is Role.ASSISTANT
        and not literal
        and not (_DONE_BY_AGENT.search(text) or (clause.start and clause.of_self and clause.language == "zh"))
    ):
        return None
    return (_find_zh if clause.language == "zh" else _find_en)(text, literal, error)


def is_bare_success(sentence: str, language: str) -> bool:
    """Whether a sentence only says that something worked ("That did it!", "搞定了！"): what worked stands beside it."""
    text = sentence.strip()
    good = re.search(r"did\s+(?:it|the\s+trick)|worked|works|fixed|好了|成了|成功|搞定|解决|可以了|行了", text, re.IGNORECASE)
    return bool(good) and bool((_BARE_ZH if language == "zh" else _BARE_EN).match(text))


def error_code(text: str) -> str | None:
    """The first error code or exception name in the text, up to 64 characters."""
    match = _CODE.search(text)
    return match[0][:64] if match else None


def _find_en(text: str, literal: bool, error: str | None) -> Ending | None:
    if _BARE_EN.match(text) or _IDIOM_EN.search(text) or _UNREAL_EN.search(text) or _GENERIC_EN.search(text):
        return None
    text = _HOW_IT_WORKS_EN.sub("", text)
    if not literal and (not _OWN_EN.search(text) or _UNNAMED_EN.match(text)):
        return None
    words = len(text.split())
    failed, fixed, succeeded = _FAILURE_EN.search(text), _FIXED_EN.search(text), _SUCCESS_EN.search(text)
    if fixed and words >= 4:
        return Ending(Outcome.FIXED, 0.8, error)
    if succeeded and not _negated_before(text, succeeded.start()) and words >= 4:
        return Ending(Outcome.FIXED if failed else Outcome.SUCCESS, 0.75, error)
    if failed and words >= 3:
        return Ending(Outcome.FAILURE, 0.8 if literal else 0.7, error)
    if literal and re.search(
        r"\b(?:got|get|getting|gets|returns?|returned|throws?|threw|says?|shows?|still|when|from|on)\b|:", text, re.IGNORECASE
    ):
        return Ending(Outcome.FAILURE, 0.75, error)
    return None


def _negated_before(text: str, position: int) -> bool:
    return bool(re.search(r"\b(?:not|never|n't|hardly|no)\s+(?:\w+\s+)?$", text[:position], re.IGNORECASE))


def _find_zh(text: str, literal: bool, error: str | None) -> Ending | None:
    if _BARE_ZH.match(text) or _IDIOM_ZH.search(text) or _UNREAL_ZH.search(text) or _NOTICE_ZH.search(text):
        return None
    failed, fixed, succeeded = _FAILURE_ZH.search(text), _FIXED_ZH.search(text), _SUCCESS_ZH.search(text)
    if fixed and len(text) >= 6:
        return Ending(Outcome.FIXED, 0.8, error)
    if succeeded and not failed and len(text) >= 5 and not re.search(r"(?:没|不|未)(?:有)?$", text[: succeeded.start()]):
        return Ending(Outcome.SUCCESS, 0.75, error)
    if failed and len(text) >= 4:
        return Ending(Outcome.FIXED if succeeded else Outcome.FAILURE, 0.75, error)
    if literal and re.search(r"报|提示|返回|出现|抛|显示|遇到", text):
        return Ending(Outcome.FAILURE, 0.75, error)
    return None
