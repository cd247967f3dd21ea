import pytest

from hindsight.text.fold import fold, sanitise, visible


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain", "plain"),
        ("", ""),
        ("a\0b\0", "ab"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("\ud83d\ude00", "😀"),  # a pair is one character
        ("  spaces\tkept\n", "  spaces\tkept\n"),
        ("ﬁ Ａ\u200b", "ﬁ Ａ\u200b"),  # verbatim otherwise
        ("容器\0网络", "容器网络"),
    ],
)
def test_sanitise(text, clean):
    assert sanitise(text) == clean


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Hello  World\n", "hello world"),
        ("ＡＢＣ１２３", "abc123"),
        ("ﬁne", "fine"),
        ("Straße", "strasse"),
        ("ig\u200bno\u200dre", "ignore"),
        ("\u202eabc\u202c", "abc"),
        ("你\ufeff好　世界", "你好 世界"),
        ("e\u0301", "é"),
        ("bell\x07", "bell"),
        ("", ""),
        (" \t\n ", ""),
    ],
)
def test_fold(text, folded):
    assert fold(text) == folded


def test_visible_keeps_case_and_spaces():
    assert visible("Ａ\u200b B\n") == "A B\n"


def test_an_accent_behind_an_invisible_character_composes():
    assert visible("e\u200b\u0301") == "é"
