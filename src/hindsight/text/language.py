"""Which language a text is in (Chinese, English, other) and which script carries it.

Decided by script shares and function words, not by a trained model: queries are short, mix languages and carry code,
which is where statistical detectors fail, and two languages are all that rendering and vector centring distinguish.
"""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["zh", "en", "other"]
Script = Literal["han", "latin", "kana", "hangul", "cyrillic", "arabic", "other", "none"]

SAMPLE_CHARS = 4096
"""Only this many leading characters are looked at."""

_SCRIPTS: dict[Script, re.Pattern[str]] = {
    "han": re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "latin": re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]"),
    "kana": re.compile("[\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\uff66-\uff9d]"),
    "hangul": re.compile("[\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb]"),
    "cyrillic": re.compile("[\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]"),
    "arabic": re.compile("[\u0620-\u065f\u066e-\u06d3\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc]"),
}
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]+")
_HAN_FUNCTION = re.compile("[的了是在吗呢吧我你您他她它这那哪和与不没有就也都很把被给让怎么]")

_ENGLISH = frozenset(
    "a about after all am an and any are as at be been but by can could did do does for from had has have he her him his "
    "how i if in into is it its just like me my no not of on or our she should so some than that the their them then there "
    "these they this those to us was we were what when where which who why will with would you your".split()
)
# Function words of other languages in Latin script; words that English shares ("die", "in", "on", "me", "son", …) and
# those that live in English names ("la", "los", "de", "el") are left out or kept only where two are needed anyway.
_FOREIGN = (
    frozenset(
        # German, Dutch, Scandinavian
        "der und nicht ist ich das ein eine mit auf für den dem von zu wie wir sie es im auch sich wo bei nach aus het een van "
        "niet dat ik voor och att det är jag som inte på til ikke jeg af med "
        # French, Spanish, Portuguese, Italian
        "le les des est dans pour que qui je vous nous une sur pas avec où sont du et au ce cette mon ma el los las por una con "
        "para del como está qué dónde cuándo mi su se lo de la não uma com os das dos você il che di per sono della gli anche "
        # Indonesian, Turkish, Vietnamese without marks, Polish, Finnish
        "yang dan untuk tidak dengan ini itu saya bir ve için bu ne nie jest się na czy że ja on ei se että".split()
    )
    - _ENGLISH
)


def dominant_script(text: str) -> Script:
    """Return the script with most letters in `text`, `none` where it has no letters; kana beats Han in Japanese."""
    sample = text[:SAMPLE_CHARS]
    if sample.isascii():
        return "latin" if _LETTER.search(sample) else "none"
    counts: dict[Script, int] = {script: len(pattern.findall(sample)) for script, pattern in _SCRIPTS.items()}
    if _is_japanese(counts):
        return "kana"
    counts["other"] = len(_LETTER.findall(sample)) - sum(counts.values())
    best = max(counts, key=lambda script: counts[script])
    return best if counts[best] > 0 else "none"


def detect_language(text: str) -> Language:
    """Return `zh`, `en` or `other` for `text`; mixed text is `zh` where Han characters carry the sentence.

    Code, identifiers and error codes in Latin letters count as `en`; text without letters is `other`, as are Japanese,
    Korean and languages in Latin script that show their own function words or many accented words.
    """
    sample = text[:SAMPLE_CHARS]
    if sample.isascii():
        return _latin_language(_LATIN_WORD.findall(sample))
    han = len(_SCRIPTS["han"].findall(sample))
    if not han and dominant_script(sample) != "latin":
        return "other"
    words = _LATIN_WORD.findall(sample)
    if not han:
        return _latin_language(words)
    kana, hangul = len(_SCRIPTS["kana"].findall(sample)), len(_SCRIPTS["hangul"].findall(sample))
    if _is_japanese({"han": han, "kana": kana}) or hangul > han:
        return "other"
    # A Han character is about 0.7 of a word. Latin words without grammar around them are names in a Chinese sentence.
    chinese = 0.7 * han + 2.0 * len(_HAN_FUNCTION.findall(sample))
    english = 0.3 * len(words) + 2.0 * sum(word.lower() in _ENGLISH for word in words)
    return "zh" if chinese >= english else _latin_language(words)


def _is_japanese(counts: dict[Script, int]) -> bool:
    # One decorative kana ("优の良品") does not make a text Japanese.
    kana = counts["kana"]
    return kana >= 2 and kana >= 0.12 * (kana + counts["han"])


def _latin_language(words: list[str]) -> Language:
    if not words:
        return "other"
    lowered = [word.lower() for word in words]
    english = sum(word in _ENGLISH for word in lowered)
    foreign = len(_FOREIGN.intersection(lowered))
    accented = sum(not word.isascii() for word in words)
    if foreign > english and foreign + accented >= 2:
        return "other"
    # Accents alone: at least half the words of a sentence, never a name or two ("Beyoncé", "José's café").
    longer = sum(len(word) > 1 for word in words)
    return "other" if not english and longer >= 3 and accented >= 2 and accented * 2 >= longer else "en"
