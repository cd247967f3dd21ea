import pytest

from hindsight.text.language import detect_language, dominant_script

CASES = [
    ("容器网络不通", "zh", "han"),
    ("用 kubectl 部署 service 时遇到 ImagePullBackOff 错误", "zh", "latin"),
    ("Docker Compose Kubernetes 部署", "zh", "latin"),
    ("npm install 失败", "zh", "latin"),
    ("OK 好的", "zh", "han"),
    ("優の良品", "zh", "han"),
    ("王小明 is coming", "en", "latin"),
    ("I ate 火锅 yesterday with my friends", "en", "latin"),
    ("Error: connection refused to host 服务器", "en", "latin"),
    ("Which train did she take?", "en", "latin"),
    ("ok", "en", "latin"),
    ("def foo(x): return x + 1", "en", "latin"),
    ("E1101", "en", "latin"),
    ("git push --force", "en", "latin"),
    ("La La Land", "en", "latin"),
    ("Beyoncé concert", "en", "latin"),
    ("José's café", "en", "latin"),
    ("São Paulo", "en", "latin"),
    ("Los Angeles", "en", "latin"),
    ("où est la gare", "other", "latin"),
    ("¿Dónde está la biblioteca?", "other", "latin"),
    ("wie geht es dir", "other", "latin"),
    ("Saya tidak tahu", "other", "latin"),
    ("Anh yêu em rất nhiều", "other", "latin"),
    ("私は学生です", "other", "kana"),
    ("안녕하세요", "other", "hangul"),
    ("Привет, как дела", "other", "cyrillic"),
    ("مرحبا بالعالم", "other", "arabic"),
    ("नमस्ते", "other", "other"),
    ("404", "other", "none"),
    ("", "other", "none"),
    ("  \n", "other", "none"),
    ("🎉🎉", "other", "none"),
]


@pytest.mark.parametrize(("text", "language", "script"), CASES, ids=[repr(case[0]) for case in CASES])
def test_language_and_script(text, language, script):
    assert (detect_language(text), dominant_script(text)) == (language, script)


def test_only_the_beginning_of_a_huge_text_is_read():
    assert detect_language("the quick brown fox is here. " * 1000 + "中文" * 100_000) == "en"
