"""Secrets and, on a setting, personal data: found in a text and replaced before anything is stored. Pure.

A value is taken for a secret by its form (a known prefix, a key block, a card number whose check digit fits) or because the
text says that it is one ("password: …", "密码是…") and it looks like one. Naming a secret without giving it redacts nothing.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from hindsight.text.fold import visible
from hindsight.text.literals import holds, lowered


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets. ``kinds`` names what was taken out, each once."""

    text: str
    kinds: tuple[str, ...]


_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL)
_KNOWN_KEY = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sk-(?:ant-|proj-|live-|test-)?[A-Za-z0-9_-]{16,}|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|(?:AKIA|ASIA|AGPA|AIDA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}|LTAI[A-Za-z0-9]{12,24}|AKID[A-Za-z0-9]{13,40}"
    r"|dckr_pat_[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})"
)
_JWT = re.compile(r"(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")
_BEARER = re.compile(r"(?i)(\bauthorization\s*[:=]\s*(?:bearer|basic|token)\s+|\bbearer\s+)([A-Za-z0-9._~+/-]{16,}=*)")
_IN_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,128}:)([^\s:/@]{3,128})(?=@)", re.IGNORECASE)
_STATED = re.compile(
    r"(?P<name>(?i:pass ?words?|passwd|pwd|pass ?phrase|pass ?code|api[ _-]?key|secret(?:[ _-]?(?:access[ _-]?)?key)?|(?:access|auth|refresh|session)[ _-]?token|(?<!max[_ ])token|client[ _-]?secret|private[ _-]?key|(?<![A-Za-z])pin(?: ?码)?)"
    r"|密\s?码|口令|密钥|秘钥|令牌|私钥|授权码|暗码)"
    r"(?P<link>[”\"'’」』>]?\s*(?:(?i:(?:(?:for|of|to|on) [\w' -]{1,40}?)?\s*(?:is|was|are)\s*(?:now\s*)?[:=]?)|(?i:for|of|to) [\w' -]{1,40}[:=]|[:=：＝>]|是|为|改成了?|改为|设为|设置为)\s*[“\"'`「『]?"
    r"|(?<=[码令钥])\s*[:：]?\s*(?=[A-Za-z0-9!@#$%^&*_.-]{6,}))(?P<value>[^\s，。；、,;“”\"'`「」『』()（）<>]{4,128})"
)
_CODE = re.compile(
    r"(?P<name>(?i:verification code|one-time code|security code|otp)|验证码|校验码|动态码|(?i:cvv2?|cvc2?)|安全码|卡背码)(?P<link>\s*(?:(?i:is)|[:：=]|是|为)?\s*[:：]?\s*)(?P<value>\d{3,8}|\d{2}(?: \d{2}){1,3})(?!\d)"
)
_OPTION = re.compile(r"(?<!\S)((?:-u ?[\w.@-]{1,64}:)|(?:-u ?\w{1,64} -p))([^\s:]{4,64})")
"""Credentials on a command line, as ``curl`` and ``mysql`` take them."""
_WORDS = re.compile(
    r"(?P<name>助记词|(?i:seed ?phrase|recovery ?phrase|mnemonic))(?P<link>\s*(?:(?i:is)|[:：=]|是|为)?\s*[“\"']?)(?P<value>(?:[a-z]{3,8}[ ,，]+){11,23}[a-z]{3,8})"
)
"""Twelve to twenty-four words of a wallet (BIP-39)."""
_OF_KNOWN_KEY = tuple(
    "sk- k_live_ k_test_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- AKIA ASIA AGPA AIDA AIza ya29. xox hf_ npm_ LTAI AKID dckr_pat_ SG.".split()
)
_OF_BEARER = ("authorization", "bearer")
_OF_WORDS = ("助记词", "phrase", "mnemonic")
_OF_STATED = ("pass", "pwd", "key", "secret", "token", "pin", "码", "口令", "钥", "令牌")
_OF_CODE = ("code", "otp", "cv", "码")
"""Of these, in a text written small where its pattern ignores case, each match has one."""
_DIGIT = re.compile(r"\d")
CARD_DIGITS = 13
"""A card number has no fewer."""
_CARD = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]|\s?\d)")
_PHONE = re.compile(
    r"(?<![\d.])(?:\+?86[ -]?)?[1１][3-9３-９]\d(?:\d{8}|[ -]\d{4}[ -]\d{4})(?!\d)|(?<![\d.-])0\d{2,3}-\d{7,8}(?![\d-])|(?<![\d.])(?:\+\d{1,3}[ .-]?)\(?\d{1,4}\)?(?:[ .-]?\d{2,4}){2,4}(?!\d)|(?<!\d)\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)"
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+(?![\w-])")
_CHINESE_ID = re.compile(r"(?<![\dA-Za-z])\d{17}[\dXx](?![\dA-Za-z])")
_SSN = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECK = "10X98765432"


def redact(text: str, *, personal: bool = False) -> Redacted:
    """``text`` with each secret replaced by ``[redacted: <kind>]``; with ``personal`` also phone and ID numbers and e-mail addresses."""
    done = _redact(text, personal=personal)
    if text.isascii():
        return done
    # Full-width letters and invisible characters between them hide nothing from a reader.
    plain = unicodedata.normalize("NFKC", visible(done.text))
    again = _redact(plain, personal=personal) if plain != done.text else done
    if again is done or again.text == plain:
        return done
    return Redacted(again.text, tuple(dict.fromkeys((*done.kinds, *again.kinds))))


def _redact(text: str, *, personal: bool) -> Redacted:
    kinds: dict[str, None] = {}

    def taken(kind: str) -> str:
        kinds[kind] = None
        return f"[redacted: {kind}]"

    def whole(pattern: re.Pattern[str], kind: str, fits: Callable[[str], bool] = lambda _: True) -> None:
        nonlocal text
        text = pattern.sub(lambda found: taken(kind) if fits(found.group()) else found.group(), text)

    if len(text) < 4:
        return Redacted(text, ())
    # What is put in holds none of the literals but "key" and "token", and these are looked for in the text as it was.
    small = lowered(text)
    if "-----BEGIN" in text:
        whole(_KEY_BLOCK, "private key")
    if holds(text, _OF_KNOWN_KEY):
        whole(_KNOWN_KEY, "key")
    if "eyJ" in text:
        whole(_JWT, "token")
    if holds(small, _OF_BEARER):
        text = _BEARER.sub(lambda found: found.group(1) + taken("token"), text)
    if "://" in text:
        text = _IN_ADDRESS.sub(lambda found: found.group(1) + taken("password"), text)
    if "-u" in text:
        text = _OPTION.sub(lambda found: found.group(1) + taken("password"), text)
    if holds(small, _OF_WORDS):
        text = _WORDS.sub(lambda found: found["name"] + found["link"] + taken("seed phrase"), text)
    if kinds or holds(small, _OF_STATED):
        text = _STATED.sub(lambda found: _stated(found, taken), text)
    if kinds or holds(small, _OF_CODE):
        text = _CODE.sub(lambda found: found["name"] + found["link"] + taken("code"), text)
    if any(map(str.isdigit, text)):
        if personal:
            whole(_CHINESE_ID, "ID number", is_chinese_id)
            whole(_SSN, "ID number")
        if len(_DIGIT.findall(text)) >= CARD_DIGITS:
            whole(_CARD, "card number", is_card)
        if personal:
            whole(_PHONE, "phone number")
    if personal and "@" in text:
        whole(_EMAIL, "e-mail address")
    return Redacted(text, tuple(kinds))


def _stated(found: re.Match[str], taken: Callable[[str], str]) -> str:
    value = found["value"].rstrip(".!?:")
    if value.startswith("[redacted") or not looks_secret(value, found["name"]):
        return found.group()
    return (
        found["name"]
        + found["link"]
        + taken("token" if "oken" in found["name"] or found["name"] == "令牌" else "password")
        + found["value"][len(value) :]
    )


def looks_secret(value: str, name: str = "password") -> bool:
    """Whether a value beside the word for a secret is one, not the next word of a sentence."""
    if re.search("[\u3400-\u9fff]", value) or value.startswith(
        ("http://", "https://", "$", "${", "%(", "{{", "*", "xxx", "env:", "vault:")
    ):
        return False
    lower = name.lower()
    if lower in ("token", "secret") and (not any(map(str.isdigit, value)) or len(value) < 4 or (len(value) < 8 and not value.isdigit())):
        return False
    if lower.startswith("pin") and not value.isdigit():
        return False
    kinds = sum(
        (any(map(str.islower, value)), any(map(str.isupper, value)), any(map(str.isdigit, value)), bool(re.search(r"[^\w]|_", value)))
    )
    if any(map(str.isdigit, value)):
        return True
    if kinds >= 3:
        return True
    return len(value) >= 16 and entropy(value) > 3.5


def entropy(text: str) -> float:
    """Bits a character (Shannon)."""
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def is_card(text: str) -> bool:
    """13 to 19 digits with a payment network's first digits and a Luhn check digit (ISO/IEC 7812-1)."""
    digits = [int(each) for each in text if each.isdigit()]
    if not 13 <= len(digits) <= 19 or digits[0] not in (3, 4, 5, 6) or len(set(digits)) < 2:
        return False
    doubled = [each if place % 2 == 0 else each * 2 - 9 * (each > 4) for place, each in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def is_chinese_id(text: str) -> bool:
    """18 characters with the check character of GB 11643-1999 and a date of birth."""
    if not (1 <= int(text[10:12]) <= 12 and 1 <= int(text[12:14]) <= 31 and 1880 <= int(text[6:10]) <= 2100):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(text[:17], _ID_WEIGHTS, strict=True))
    return _ID_CHECK[total % 11] == text[17].upper()
