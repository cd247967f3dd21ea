"""The console's words, in English and Chinese."""

from __future__ import annotations

from typing import Literal

from starlette.requests import Request

from hindsight.serve.console.entrance import cookie_in
from hindsight.serve.console.words_inside import INSIDE

Language = Literal["en", "zh"]
LANGUAGE_COOKIE = "hindsight_language"
WORDS: dict[str, tuple[str, str]] = {
    "memories": ("Memories", "记忆"),
    "recall": ("Recall lab", "召回实验"),
    "review": ("Review", "审核"),
    "sessions": ("Sessions", "会话"),
    "activity": ("Activity", "动态"),
    "skip": ("To the content", "跳到正文"),
    "other_language": ("中文", "English"),
    "log_in": ("Log in", "登录"),
    "log_out": ("Log out", "退出"),
    "token": ("Token", "令牌"),
    "login_told": (
        "Enter a token: one that `hindsight token create` made, or the server's HINDSIGHT_TOKEN.",
        "请输入令牌：由 `hindsight token create` 生成，或服务器的 HINDSIGHT_TOKEN。",
    ),
    "login_failed": ("This token is not accepted: it is unknown, revoked or expired.", "令牌无效：未知、已吊销或已过期。"),
    "acting_as": ("Agent", "身份"),
    "search": ("Search", "搜索"),
    "query": ("Query", "查询"),
    "query_hint": ("a question or a few words", "一个问题或几个词"),
    "filter": ("Show", "筛选"),
    "more_filters": ("More filters", "更多筛选"),
    "any": ("any", "不限"),
    "kind": ("Kind", "类型"),
    "layer": ("Layer", "层"),
    "status": ("Status", "状态"),
    "outcome": ("Outcome", "结果"),
    "task_type": ("Task type", "任务类型"),
    "tools": ("Tools", "工具"),
    "tags": ("Tags", "标签"),
    "tags_hint": ("separated by commas", "用逗号分隔"),
    "since": ("Since", "自"),
    "until": ("Until", "至（不含）"),
    "session_id": ("Session", "会话"),
    "namespace": ("Namespace", "命名空间"),
    "channel": ("Channel", "来源渠道"),
    "source": ("Source", "依据"),
    "agent": ("Agent", "智能体"),
    "visibility": ("Visibility", "可见性"),
    "content": ("Content", "内容"),
    "situation": ("Situation", "情境"),
    "event_time": ("When", "发生时间"),
    "written": ("Written", "写入时间"),
    "changed": ("Changed", "修改时间"),
    "trust": ("Trust", "信任度"),
    "version": ("Version", "版本"),
    "priority": ("Priority", "优先级"),
    "importance": ("Importance", "重要性"),
    "confidence": ("Confidence", "置信度"),
    "used": ("Used", "使用次数"),
    "votes": ("Helpful / harmful", "有用 / 有害"),
    "relevance": ("Relevance", "相关度"),
    "seal": ("Seal", "封印"),
    "entities": ("Entities", "实体"),
    "lesson": ("Lesson", "教训"),
    "lesson_avoid": ("When {condition}, do not: {action}", "当{condition}时，不要：{action}"),
    "lesson_do": ("When {condition}: {action}", "当{condition}时：{action}"),
    "next_page": ("Older", "更早"),
    "first_page": ("Newest", "最新"),
    "add": ("Add a memory", "添加记忆"),
    "save": ("Save", "保存"),
    "edit": ("Edit", "编辑"),
    "reason": ("Reason", "原因"),
    "delete": ("Delete", "删除"),
    "delete_told": ("It is no longer recalled; this can be taken back.", "不再被召回；可以撤销。"),
    "undo": ("Undo", "撤销"),
    "erase": ("Erase for good", "彻底清除"),
    "erase_told": ("Text, index, vector and history go. Nothing brings them back.", "文本、索引、向量与历史都会清除，无法恢复。"),
    "restore": ("Restore", "恢复"),
    "history": ("History", "历史"),
    "raw_turns": ("Raw turns", "原始对话"),
    "no_turns": ("This memory names no turns.", "这条记忆没有关联的原始对话。"),
    "provenance": ("Where it comes from", "来源"),
    "made_of": ("Made of", "由此得出"),
    "made_from_it": ("Made from it", "衍生"),
    "hidden_memory": ("gone, or not for you to see", "已不存在或不可见"),
    "details": ("Details", "详情"),
    "why_here": ("Would a query find it?", "某个查询能找到它吗？"),
    "why": ("Why, or why not?", "为什么（没有）？"),
    "why_id": ("Id of a memory", "记忆的 id"),
    "saved": ("Saved.", "已保存。"),
    "archived": ("Deleted: it is out of recall.", "已删除：不再被召回。"),
    "restored": ("Restored: it is recalled again.", "已恢复：可以再被召回。"),
    "erased": ("Erased for good.", "已彻底清除。"),
    "stored": ("Stored.", "已存入。"),
    "stale_told": (
        "It was changed meanwhile: above is what stands now, below is what you typed. Saving writes yours over it.",
        "期间已被修改：上方为现在的内容，下方为您输入的内容。再次保存将覆盖。",
    ),
    "typed_told": ("What you typed", "您输入的内容"),
    "look_at_it": ("Look at it", "查看这条记忆"),
    "not_stored": ("Not stored as active: {reasons}", "未作为有效记忆存入：{reasons}"),
    "no_memories": ("No memory fits.", "没有符合的记忆。"),
    "no_memories_told": (
        "Add one above, let an agent write over MCP (/mcp), or run `hindsight demo` or `hindsight import FILE`.",
        "可在上方添加，让智能体经 MCP（/mcp）写入，或运行 `hindsight demo`、`hindsight import FILE`。",
    ),
    "search_states": (
        "Search finds active memories, or those of the status chosen; take other words or fewer filters.",
        "搜索只找有效的（或所选状态的）记忆；请换词或减少筛选条件。",
    ),
    "rows_shown": ("Shown: {number}", "显示 {number} 条"),
    "rows_cut": ("At most {number} were read for this page; go on to older ones.", "本页最多读取 {number} 条；可继续查看更早的。"),
    "whose": ("Whose", "归属"),
    "key": ("Key", "键"),
    "key_prefix": ("Key begins with", "键前缀"),
    "least_trust": ("Trust from", "信任度不低于"),
    "recall_told": (
        "Ask as an agent would: what each route finds, how it is scored, and the block that the model gets.",
        "像智能体一样提问：看各路径找到了什么、如何打分，以及模型最终收到的内容。",
    ),
    "at": ("As of", "截至时间"),
    "how_many": ("How many (k)", "数量（k）"),
    "profile": ("Scoring", "评分方式"),
    "usual": ("as set", "默认"),
    "ask": ("Recall", "召回"),
    "block": ("The block for the prompt", "交给模型的内容"),
    "nothing_shown": ("Nothing is shown to the model.", "不会向模型显示任何记忆。"),
    "candidates": ("Candidates, best first", "候选（从优到劣）"),
    "by_route": ("By route", "按路径"),
    "route": ("Route", "路径"),
    "rank": ("Rank", "名次"),
    "score": ("Score", "得分"),
    "fused": ("Fused", "融合分"),
    "features": ("Features", "特征"),
    "fate": ("Fate", "去向"),
    "shown": ("shown", "显示"),
    "timings": ("Time", "耗时"),
    "understood": ("How the query was understood", "对查询的理解"),
    "flags": ("Flags", "标记"),
    "verdict": ("Verdict", "结论"),
    "review_told": ("Nothing here is recalled until a person decides.", "在人做出决定之前，这里的内容不会被召回。"),
    "nothing_waits": ("Nothing waits for review.", "没有待审内容。"),
    "nothing_waits_told": (
        "Rules arrive here after `hindsight reflect`, doubtful texts when the guard holds them, contradictions after a scan.",
        "运行 `hindsight reflect` 后会出现待审规则；可疑文本被拦下时、扫描出矛盾后也会出现在这里。",
    ),
    "approve": ("Approve", "批准"),
    "reject": ("Reject", "驳回"),
    "postpone": ("Postpone", "稍后再审"),
    "days": ("Days", "天数"),
    "scan": ("Look for contradictions", "扫描矛盾"),
    "why_pending": ("waits for approval", "待批准"),
    "why_quarantined": ("quarantined", "已隔离"),
    "why_conflict": ("contradicts another", "与其他记忆矛盾"),
    "why_harmful": ("was judged harmful", "被判为有害"),
    "evidence_for": ("For", "支持"),
    "evidence_against": ("Against", "反对"),
    "contradicts": ("It contradicts", "与之矛盾的是"),
    "guard_said": ("What the guard said", "守卫的判断"),
    "earlier": ("Decided before", "此前的决定"),
    "approved": ("Approved: it is recalled from now on.", "已批准：从现在起可被召回。"),
    "rejected": ("Rejected: it is not proposed again.", "已驳回：不会再提出。"),
    "postponed": ("Postponed.", "已推迟。"),
    "reopened": ("Taken back: it waits again.", "已撤销：重新待审。"),
    "scanned": ("{number} new contradictions were found.", "发现 {number} 处新的矛盾。"),
    "keys": ("Keys: with your browser's access-key modifier (Alt, Alt+Shift or Ctrl+Option) A approves, R rejects, P postpones the first one.",
             "快捷键：配合浏览器的访问键（Alt、Alt+Shift 或 Ctrl+Option），A 批准、R 驳回、P 推迟第一条。"),
    "no_sessions": ("No session is open.", "没有打开的会话。"),
    "no_sessions_told": (
        "A session opens with memory_session over MCP, POST /v1/sessions, or `async with memory.session(…)`.",
        "通过 MCP 的 memory_session、POST /v1/sessions 或 `async with memory.session(…)` 打开会话。",
    ),
    "goal": ("Goal", "目标"),
    "current_step": ("Current step", "当前步骤"),
    "done_steps": ("Done", "已完成"),
    "constraints": ("Constraints", "约束"),
    "questions": ("Open questions", "未决问题"),
    "notes": ("Notes", "笔记"),
    "opened": ("Opened", "打开于"),
    "touched": ("Last used", "最近使用"),
    "board": ("Board", "看板"),
    "window": ("Window", "窗口"),
    "worth": ("Kept by", "保留分"),
    "tokens": ("Tokens", "词元"),
    "speaker": ("Speaker", "说话人"),
    "pinned": ("pinned", "固定"),
    "close_session": ("Close and keep what matters", "结束并保留要点"),
    "closed": ("Closed; {number} memories kept.", "已结束；保留 {number} 条记忆。"),
    "undo_session": ("Take back what a session wrote", "撤回某会话写入的内容"),
    "show_undo": ("Show what would change", "预览更改"),
    "undo_told": ("These memories would change, with all that grew from them:", "以下记忆及其衍生内容将被更改："),
    "undo_now": ("Undo now", "立即撤回"),
    "undone": ("Undone: {number} memories. To take it back: `hindsight undo --undo {id}`.", "已撤回 {number} 条。可用 `hindsight undo --undo {id}` 恢复。"),
    "effect": ("Effect", "影响"),
    "numbers": ("The store", "存储"),
    "by_status": ("By status", "按状态"),
    "by_kind": ("By kind", "按类型"),
    "jobs": ("Jobs", "后台任务"),
    "no_jobs": ("No jobs.", "没有任务。"),
    "retry": ("Retry", "重试"),
    "retried": ("The job has all its tries again.", "任务已重新排队。"),
    "state": ("State", "状态"),
    "error": ("Error", "错误"),
    "recent_writes": ("Latest memories", "最近写入"),
    "recent_retrievals": ("Latest retrievals", "最近召回"),
    "no_retrievals": ("Nothing was recalled yet.", "尚无召回记录。"),
    "settings": ("Settings", "设置"),
    "set": ("set, hidden", "已设置（隐藏）"),
    "not_set": ("not set", "未设置"),
    "verify": ("Verify the seals", "校验封印"),
    "verified": ("{state}: {records} memories and {entries} entries were compared with their seals.", "{state}：{records} 条记忆与 {entries} 条历史已与封印比对。"),
    "admins_only": ("For admins alone.", "仅管理员可见。"),
    "total": ("memories", "条记忆"),
    "queued": ("queued jobs", "排队任务"),
    "dead_jobs": ("dead jobs", "失败任务"),
    "events": ("history entries", "历史条目"),
    "retrievals": ("retrievals", "次召回"),
    "turns": ("raw turns", "原始对话轮"),
    "vectors": ("vectors", "向量"),
    "disk": ("on disk", "磁盘占用"),
    "not_found": ("There is no such page.", "没有这个页面。"),
    "back": ("Back to the memories", "返回记忆"),
    "went_wrong": ("This did not work", "没有成功"),
    "none": ("none", "无"),
    **INSIDE,
}  # fmt: skip
VALUES: dict[str, str] = {
    "episode": "经历", "fact": "事实", "preference": "偏好", "constraint": "约束", "rule": "规则", "procedure": "做法", "knowledge": "知识",
    "episodic": "情景", "semantic": "语义", "procedural": "程序", "external": "外部",
    "active": "有效", "pending": "待审", "quarantined": "隔离", "superseded": "被取代", "archived": "已归档",
    "success": "成功", "failure": "失败", "fixed": "修复", "corrected": "纠正", "unknown": "未知",
    "own": "自己的", "observed": "所见", "inferred": "推断", "private": "私有", "shared": "共享",
    "user": "用户", "agent": "智能体", "tool": "工具", "document": "文档", "reflection": "反思", "import": "导入", "assistant": "助手", "other": "其他",
    "created": "创建", "updated": "更新", "restored": "恢复", "erased": "清除", "merged": "合并", "reviewed": "审核", "used": "使用", "undone": "撤回",
    "approved": "批准", "rejected": "驳回", "postponed": "推迟", "waiting": "等待", "leased": "进行中", "done": "完成", "dead": "失败",
    "retrieval": "召回", "withdrawn": "撤回", "descendant": "衍生撤回", "unchanged": "不变", "ok": "正常", "tampered": "被篡改", "damaged": "损坏",
    "wrong key": "密钥不符", "not sealed": "未封印", "product": "产品", "weighted": "加权",
    "memories": "记忆", "tombstones": "清除记录", "events": "历史条目", "turns": "对话轮", "vectors": "向量", "retrievals": "召回", "seals": "封印",
    "jobs": "任务", "sessions": "会话", "passages": "段落", "edges": "关系", "tokens": "令牌", "on": "开", "off": "关", "learned": "学习模型", "rrf": "倒数排名", "graph": "图谱", "neighbourhood": "邻近", "keyword": "关键词", "vector": "向量", "time": "时间", "entity": "实体", "lessons": "教训", "session": "会话", "structure": "结构",
}  # fmt: skip
"""Words that the records themselves use, in Chinese; in English they stand for themselves."""


def language_of(request: Request) -> Language:
    """The language asked for in the address, else the one chosen before, else the browser's first that is there; else English."""
    asked = request.query_params.get("lang") or cookie_in(request.headers, LANGUAGE_COOKIE)
    if asked in ("en", "zh"):
        return "zh" if asked == "zh" else "en"
    best: tuple[float, Language] = (0.0, "en")
    for part in request.headers.get("accept-language", "").split(","):
        name, _, weight = part.strip().partition(";q=")
        try:
            quality = float(weight) if weight else 1.0
        except ValueError:
            continue
        tongue = name[:2].lower()
        if tongue in ("en", "zh") and quality > best[0]:
            best = (quality, "zh" if tongue == "zh" else "en")
    return best[1]


def word(key: str, language: Language, **values: object) -> str:
    """The word in a language, with what stands in its braces."""
    text = WORDS[key][language == "zh"]
    return text.format(**values) if values else text


def value(name: object, language: Language) -> str:
    """A word of the records' vocabularies."""
    text = str(name)
    return VALUES.get(text, text) if language == "zh" else text
