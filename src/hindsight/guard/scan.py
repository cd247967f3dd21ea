"""Scanning: which families of attack a text shows, and the hints that the classifier weighs. Pure.

Families come from words (``patterns_*``) and from structure: a role token, a forged block, an instruction put after a
document, a task with its material inline, a sentence that was hidden or encoded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from hindsight.guard import tables
from hindsight.guard.fold import Copies, scan_copies
from hindsight.text.literals import holds, lowered

WINDOW = 1_200
"""A longer text is scanned in overlapping windows of this many characters, so that no pattern runs far."""
OVERLAP = 240

_ROLE_TOKEN = re.compile(
    r"<\|[\w ]{2,24}\|>|<</?sys>>|\[/?inst\]|</?\s*(?:system|assistant|instructions?|admin|prompt|untrusted|tool_result|user|memory_context)\b[^>]{0,60}>"
    r"|(?:^|\n)[^\S\n]*(?:[#>*=-]{1,6}\s{0,4})?(?:system|系统|系统提示|系统指令|系统公告|系统消息)\s*(?:prompt|message|note|instruction|override|消息|提示|指令)?\s*(?:[#*=-]{0,6}\s*)[:：](?!\S*//)"
    r"|[\[【<＜(]\s*(?:system|系统)(?:[ _-]?(?:mode|message|note|prompt|override|模式|消息|指令|提示|公告))?\s*[\]】>＞)]"
    r"|\[admin\w*[ :]|\"role\"\s*:\s*\"(?:system|assistant)\"|(?<!-)-{2,}\s*(?:end of|resume|core|legal|begin)\b|(?<!#)#{2,}\s*(?:end of|system|系统|instruction|new )|\bend of (?:user )?input\b"
    r"|用户输入结束|(?:^|[\n。>])[^\S\n]*(?:系统|system)[：:]\s*\S|\[(?:memory|相关记忆|教训|lesson)\s*\d+\]|\bsystem note\b|systemhinweis|note système|nota del? sistema|nota di sistema|sistem notu|системное сообщение|<system mode>|<\s*系统模式\s*>|\bsystem message\s*[:：]|\]\s*\]>|</(?:output|document|context|data|结果)>",
    re.IGNORECASE,
)
_OF_ROLE_TOKEN = (
    "<",
    "[",
    "]",
    "system",
    "系统",
    '"role"',
    "--",
    "##",
    "end of",
    "用户输入结束",
    "système",
    "nota de",
    "nota di",
    "sistem",
    "системное",
)
"""Every role token, written small, holds one of these."""
_HIDDEN_MARKUP = re.compile(
    r"<!--.{0,200}(?:assistant|ai\b|ignore|助手|忽略|must|send|execut|recommend).{0,200}-->|(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(?:white|#fff))[^>]{0,40}>[^<]{8,}",
    re.IGNORECASE | re.DOTALL,
)
_DIALOGUE = re.compile(
    r"(?:^|\n|。|\. ?|\? ?|！|？|“)\s*\[?(?:user|human|用户|问|customer)\]?\s*[:：].{0,200}?(?:assistant|ai|bot|助手|答)\]?\s*[:：]",
    re.IGNORECASE | re.DOTALL,
)
_MATERIAL = re.compile(
    r"[:：]\s*['\"“‘「『«`][^\n]{50,}|(?:article|paper|resume|code|e-?mail|text)\b[^.?!]{0,30}[:：]\s*\S.{50,}", re.DOTALL
)
_CLOSED = re.compile(r"['\"”’」』»`}>)]\s*$")
_MARKUP = re.compile(r"<(?:img|caption|!doctype|script|style|html|span|title|标题)\b|</\w+>|\bdef \w+\(|\bimport \w+", re.IGNORECASE)
_OF_MARKUP = ("<", "def ", "mport ")
_DOCUMENT = re.compile(
    r"\b(?:subject|email_from|received date) ?:|sent with care|\bunsubscribe\b|^.{0,60}\b(?:dear|hi)\b[ ,]|reply to this e?-?mail|主题[：:]|发件人|domain name:|registrar",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\b(?:what (?:is|are|was|were)|write|draft|compose|summari[sz]e|translate|given this|based on this|of this (?:code|paper|text))\b|根据|鉴于|写一|总结|翻译|这篇",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"^[>*#\s\"'-]*(?:please |kindly |now |then |also |and |in your \w+,? )?(?:write|draft|compose|provide|give|list|add|include|use|create|generate|translate|summari[sz]e|analy[sz]e|identify|find|explain|describe|tell"
    r"|recommend|suggest|highlight|mention|append|insert|replace|rewrite|modify|render|express|encode|encrypt|scramble|jumble|reverse|anagram|change|answer|reply|respond|compare|calculate|determine|classify|detect"
    r"|predict|evaluate|assess|outline|design|develop|propose|plot|show|print|output|repeat|say|state|report|convert|augment|enhance|advise|inform|encourage|urge|persuade|promote|advertise|search"
    r"|look up|identify|discuss|help|teach|sing|ignore|disregard|forget|imagine|pretend|act|introduce|investigate|examine|estimate|forecast|recite|format|structure|switch|incorporate|misspell|substitute|employ|apply|end|omit|swap|utili[sz]e|convey|narrate|present|produce)\b",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"\b(?:you|us|we|our)\b|\byour (?!(?:\w+ )?(?:answer|reply|response|message|output))", re.IGNORECASE)
"""What a letter says to its reader, and an instruction to a model does not."""
_QUESTION = re.compile(
    r"^(?:what|who|when|where|which|why|how|is|are|can|could|does|do|did|should|would|will)\b[^\n]{6,}\?(?:\s*['\"].*)?$", re.IGNORECASE
)
_IMPERATIVE_ZH = re.compile(
    r"^(?:请|帮我|给我|写一|列出[^：:]|总结(?:一下|以|这)|翻译(?:一下|以|这)|分析(?:一下|以|这)|推荐一|用[^。]{1,12}(?:回答|回复)|把你的|在(?:你的)?(?:回复|回答))"
)
_HAN = re.compile("[\u3400-\u9fff]")
_LATIN_WORDS = re.compile(r"[a-z]{2,}")
_FOREIGN_LETTER = re.compile("[\u00df-\u00f6\u00f8-\u024f\u0370-\u1fff\u3040-\u30ff\uac00-\ud7af]")
_FOREIGN_WORDS = frozenset(
    "el tu su los las una con para del que tus sus este esta por le les des une est dans pour avec vos votre tes moi cette der die das und nicht ist ein "
    "eine mit auf den dem ihr ihre ihrn ihren alle alles allen il gli della che di per tutte sono tutti os uma com seu sua toda todas todos yang "
    "dan untuk semua ini dengan ang mga ng sa iyong bir ve bu icin tum".split()
)
_ANY_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"[.!?](?=[ \n])[ ]?")
_BULLET = re.compile(r" [-*•] (?=\S)")
LIST = 4
"""So many dashes in a row of words are those of a list, whose items are sentences of their own."""
STRONG = frozenset({"override", "unrestricted"})
"""Families of which one sign is enough in a text of any length."""
WITHIN_SENTENCE = frozenset({"standing_order", "exfiltration", "tool_redirection", "fake_correction"})
"""Families whose patterns never reach over the end of a sentence."""
_HOW = re.compile(
    r"(?:^|[:：] ?)(?:how (?:do|does|can|could|should|would|is|are)|can i|may i|should (?:i|we)|is (?:there|it)|what (?:does|should i|is the (?:purpose|difference|meaning))"
    r"|(?:can|could) you explain|explain|describe|discuss|请问|如何|怎么|怎样|请解释|请描述|请说明|解释一下)(?![^.!?。！？]*[.!?。！？] ?\S)",
)
"""A single sentence that asks how something is done, or what it is."""
DIRECTIVES = frozenset(
    {"unrestricted", "authority", "standing_order", "tool_redirection", "lowered_guard", "fake_correction", "exfiltration"}
)
"""Families that tell somebody to do something: a question of how is none of them, unless it gives an address or asks for a secret."""
_ADDRESSED_OUT = re.compile(r"https?://|@|\b(?:your|the) (?:pass ?word|secret|system prompt|api key)|你的(?:密码|密钥)|系统提示词")
_DEMANDED = re.compile(
    r"(\b(?:never|not|cannot|nothing|nobody|no one|none|no|n't)\b(?! (?:hesitat|forget|fail|stop|refus|mind|need|long|question|problem|matter))"
    r"[^.!?;:\n]{0,80}?|\b(?:was|were) [\w ]{0,24}?)\bwithout (?:any |prior |further |explicit |your |the |a )?\w+"
)
"""\"Nothing is merged without review\" demands the review; \"was started without confirmation\" tells what happened."""
_FORBIDDEN = re.compile(
    r"(?:不允许|禁止|严禁|不得(?!不)|切勿|请勿|不准|不许|不应|不可|不要)(?=[^,。;!?]{0,10}(?:导出|外发|外传|上传|泄露|发送|发给|转发|绕过|跳过|提供给|写入|写进|打印|拷贝|复制))[^,。;!?”\"』」]{0,40}"
    r"|(?:关闭|停用|禁用)[^,。;!?]{1,10}(?=[^。!?]{0,12}(?:临时|暂时)[^。!?]{0,24}(?:恢复|打开|启用)|[^。!?]{0,16}[后完]再(?:打?开|启用|恢复))"
    r"|问(?:过|了|到|起)?[^,。;!?]{0,4}(?:怎么|如何|怎样)[^,。;!?就把将给告]{1,24}(?=[,。;!?]|$)"
    r"|(?<!if )(?<!when )(?<!is )(?<!once )(?<!ever )\basked (?:me |us )?how to [^.,:;!?]{1,40}(?=[.,:;!?]|$)"
)
"""What is forbidden, switched off for a moment, or was only asked about is not what the text is for."""
_OF_FORBIDDEN = ("how to ", "不", "禁", "勿", "关闭", "停用", "问")
"""Of which each match of ``_FORBIDDEN`` has one."""
_PIG_LATIN = re.compile(r"\b[a-z]{2,}ay\b")


@dataclass(frozen=True, slots=True)
class Findings:
    """``families`` are decisive, each with what matched; ``copies`` is what was scanned, ``hints`` are soft.

    ``lone`` are families of which a long text shows a single sign in a whole window: long honest texts say many things.
    """

    families: tuple[tuple[str, str], ...]
    lone: tuple[tuple[str, str], ...]
    hints: tuple[str, ...]
    copies: Copies

    def names(self, *, lone: bool = False) -> tuple[str, ...]:
        """The families, each once; with ``lone`` also those of a single sign."""
        return tuple(dict.fromkeys(name for name, _ in (*self.families, *(self.lone if lone else ()))))


def scan(text: str) -> Findings:
    """Scan one text."""
    copies = scan_copies(text)
    language = _language(copies.folded)
    lone: list[tuple[str, str]] = []
    families = _structure(copies, language)
    windows = _windows(copies.folded)
    asks = len(windows) == 1 and _HOW.search(copies.folded) is not None and not _ADDRESSED_OUT.search(copies.folded)
    for window in windows:
        found = [each for each in _words(window, language) if not (asks and each[0] in DIRECTIVES)]
        decisive = len(windows) == 1 or families or len({name for name, _ in found}) > 1 or any(name in STRONG for name, _ in found)
        (families if decisive else lone).extend(found)
    for how, hidden in copies.decoded:
        found = [each for window in _windows(hidden) for each in _words(window, _language(hidden))]
        if how in ("digits for letters", "signs between"):  # What stands there in plain letters was not hidden.
            found = [each for each in found if each[1] not in copies.folded]
        if found or how == "invisible tags" or _is_sentence(how, hidden):
            families.append(("hidden", f"a sentence in {how}"))
        families.extend(found)
    if copies.joined:
        squeezed = _words_without_spaces(copies.joined)
        families.extend(("hidden", "words written letter by letter") for _ in squeezed[:1])
        families.extend(squeezed)
    return Findings(tuple(dict.fromkeys(families)), tuple(dict.fromkeys(lone)), _hints(copies, language), copies)


def _is_sentence(how: str, hidden: str) -> bool:
    """Whether a decoded piece is long enough to say something; a word or two in code is a joke or an exercise."""
    if how in ("digits for letters", "percent signs", "signs between"):
        return False
    words = len(re.findall(r"[a-z']{2,}", hidden))
    return words >= 5 or len(re.findall("[\u3400-\u9fff]", hidden)) >= 6


def _structure(copies: Copies, language: str) -> list[tuple[str, str]]:
    found = [("hidden", how) for how in copies.hidden]
    lines = copies.lines
    if holds(lowered(lines), _OF_ROLE_TOKEN) and (token := _ROLE_TOKEN.search(lines)):
        found.append(("role_token", token.group().strip()[:40]))
    if ">" in lines and _HIDDEN_MARKUP.search(lines):
        found.append(("hidden", "an instruction in markup that is not shown"))
    if _appended(lines):
        found.append(("appended_instruction", "a request to a model after a document"))
    if _task_with_material(copies, language):
        found.append(("task_with_material", "a task together with the text it is about"))
    least = 0.6 * max(4, len(copies.folded.split()) - 8)
    if copies.folded.count("ay") >= least and len(_PIG_LATIN.findall(copies.folded)) >= least:
        found.append(("hidden", "pig Latin"))
    return found


def _appended(lines: str) -> bool:
    """An instruction or a question of knowledge on the last line, behind an e-mail or a record that ends otherwise."""
    body, _, last = lines.strip().rpartition("\n")
    body, last = body.strip(), last.strip()
    if len(body) < 60 or not 8 <= len(last) <= 300 or not _DOCUMENT.search(body):
        return False
    if _ADDRESSED.search(last):
        return False
    return bool(_IMPERATIVE.match(last) or _QUESTION.match(last) or _IMPERATIVE_ZH.match(last))


def _task_with_material(copies: Copies, language: str) -> bool:
    folded = copies.folded
    start = _MATERIAL.search(folded[:260])
    if start is None or not _CLOSED.search(folded):
        return False
    return language == "other" or bool(_TASK.search(folded[: start.start() + 60]))


def _words(window: str, language: str) -> list[tuple[str, str]]:
    if "without " in window:
        window = _DEMANDED.sub(r"\1 done with care", window)
    if holds(window, _OF_FORBIDDEN):
        window = _FORBIDDEN.sub("……", window)
    found = []
    clauses: str | None = None
    for family, pattern in tables.hard(language).wanted(window):
        if family in WITHIN_SENTENCE and clauses is None:
            clauses = _clauses(window)
        if match := pattern.search(clauses or window if family in WITHIN_SENTENCE else window):
            found.append((family, match.group()[:60]))
    return found


def _clauses(window: str) -> str:
    """The window with its sentences on lines of their own."""
    clauses = _SENTENCE_END.sub(lambda end: end.group().rstrip() + "\n", window)
    return _BULLET.sub("。\n", clauses) if len(_BULLET.findall(window)) >= LIST else clauses


def _language(folded: str) -> str:
    """Which tables to use: ``en``, ``zh``, ``mixed`` (both), ``other`` (all)."""
    ascii = folded.isascii()
    han = not ascii and bool(_HAN.search(folded))
    letters = 0 if ascii else len(_FOREIGN_LETTER.findall(folded))
    words = len(_FOREIGN_WORDS.intersection(_ANY_WORD.findall(folded)))
    if letters >= 3 or words >= 2 or (letters and words):
        return "other"
    return "zh" if han and not _LATIN_WORDS.search(folded) else "mixed" if han else "en"


def _words_without_spaces(joined: str) -> list[tuple[str, str]]:
    pattern = _squeezed()
    return [("override", found.group()[:60]) for found in [pattern.search(joined)] if found] or _words(joined, "mixed")


def _windows(folded: str) -> list[str]:
    if len(folded) <= WINDOW:
        return [folded]
    return [folded[start : start + WINDOW] for start in range(0, len(folded) - OVERLAP, WINDOW - OVERLAP)]


def _hints(copies: Copies, language: str) -> tuple[str, ...]:
    window = copies.folded if len(copies.folded) <= WINDOW else copies.folded[:WINDOW] + " " + copies.folded[-WINDOW:]
    found = [name for name, pattern in tables.soft(language).wanted(window) if pattern.search(window)]
    if _DIALOGUE.search(copies.lines[:WINDOW]):
        found.append("dialogue")
    if holds(window, _OF_MARKUP) and _MARKUP.search(window):
        found.append("markup")
    if _MATERIAL.search(window):
        found.append("material_inline")
    if "?" in window or "？" in window:
        found.append("question")
    if "\n" in copies.lines.strip():
        found.append("several_lines")
    if copies.decoded:
        found.append("encoded")
    return tuple(found)


@cache
def _squeezed() -> re.Pattern[str]:
    return re.compile(
        r"(?:ignore|disregard|forget)(?:all|any|the|your|previous|prior|above)|systemprompt|thepassword|忽略(?:之前|所有|以上)|系统提示"
    )
