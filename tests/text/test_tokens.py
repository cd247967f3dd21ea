"""Tokens: what must be findable, by which query, and what the store relies on."""

import apsw
import pytest

from hindsight.text.tokens import MAX_QUERY_TOKENS, MAX_TOKEN_CHARS, MAX_TOKENS, index_tokens, query_tokens

# text, tokens that must be in its index
INDEXED = [
    ("getUserName", {"getusernam", "get", "user", "name"}),
    ("user_profile_id", {"userprofileid", "user", "profil", "id"}),
    ("HTTPServerError", {"httpservererr", "http", "server", "error"}),
    ("self-care", {"selfcar", "self", "care"}),
    ("os.path.join", {"os.path.join", "os", "path", "join"}),
    ("src/hindsight/tokens.py", {"src/hindsight/tokens.py", "tokens.py", "src", "token", "py"}),
    ("C:\\Users\\wang\\a.txt", {"wang", "a.txt", "txt"}),
    ("std::vector", {"std", "vector"}),
    ("C++ and C# and F#", {"c++", "c#", "f#"}),
    ("E1101", {"e1101", "1101"}),
    ("ORA-00942", {"ora00942", "ora", "00942"}),
    ("HTTP 404", {"http", "404"}),
    ("0x80070005", {"0x80070005"}),
    ("Python 3.11.2", {"python", "3.11.2", "3.11"}),
    ("v2.0", {"2.0"}),
    ("gpt-4o", {"gpt4o", "gpt", "4"}),
    ("192.168.1.10", {"192.168.1.10", "192.168"}),
    ("wang.li@example.com", {"wang.li@example.com", "wang", "li", "example.com"}),
    ("https://docs.python.org/3/re.html?x=1", {"docs.python.org", "re.html", "python"}),
    ("#StairChallenge", {"stairchalleng", "stair", "challeng"}),
    ("1,000 dollars", {"1000", "dollar"}),
    ("on the 10th", {"10"}),
    ("2025-09-01 18:30", {"2025-09-01", "2025-09", "month09", "18:30"}),
    ("bought children's books", {"buy", "child", "book"}),
    ("café Pokémon", {"cafe", "pokemon"}),
    ("don't", {"do"}),
    ("容器网络", {"容", "器", "网", "络", "容器", "器网", "网络"}),
    ("3月中旬", {"3", "3月", "month03", "中旬"}),
    ("十一月", {"month11"}),
    ("in September", {"month09"}),
    ("买了1,000元的C++书", {"1000", "c++", "书", "元"}),
    ("テスト 한국어", {"テ", "テス", "한국", "국어"}),
    ("สวัสดี", {"สว", "ดี"}),
    ("हिन्दी", {"हिन्दी"}),
    ("Привет МИР", {"привет", "мир"}),
    ("🎉 party", {"🎉", "parti"}),
    ("e\u0301tude ＡＢＣ ig\u200bnore", {"etud", "abc", "ignor"}),
]


@pytest.mark.parametrize(("text", "tokens"), INDEXED, ids=[case[0] for case in INDEXED])
def test_indexes(text, tokens):
    assert tokens <= set(index_tokens(text))


# what is stored, what is asked
FOUND = [
    ("检查容器是否在同一自定义网络", "网络"),
    ("def getUserName(self): ...", "get_user_name"),
    ("call user-name first", "userName"),
    ("upgraded to Python 3.11.2", "python 3.11"),
    ("raised ORA-00942 again", "ora-00942"),
    ("raised ORA-00942 again", "ORA00942"),
    ("edit src/app/main.py", "main.py"),
    ("She bought three bikes", "buy a bike"),
    ("Rebecca’s guitar", "Rebecca's guitars"),
    ("2023-05-07 dentist", "May"),
    ("2025-03-01 体检", "3月的体检"),
    ("met at the Café", "cafe"),
]


@pytest.mark.parametrize(("text", "query"), FOUND)
def test_query_tokens_are_in_the_index(text, query):
    assert set(query_tokens(query)) & set(index_tokens(text)), (query_tokens(query), index_tokens(text))


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ("Which train did Rebecca take?", ["train", "rebecca", "take"]),
        ("Can you remind me what we talked about?", ["can", "you", "remind", "me", "what", "we", "talk", "about"]),
        ("When did Will go to the US in May?", ["will", "go", "us", "may", "month05"]),
        ("WHAT IS THE PLAN", ["plan"]),
        ("他在什么时候提到的艺术展？", ["艺", "术", "展", "他在", "的艺", "艺术", "术展"]),
        ("什么", ["什", "么", "什么"]),
        ("the the the", ["the"]),
        ("", []),
        ("   ", []),
        ("?!*\"' NEAR(:)", ["near"]),
    ],
)
def test_queries_drop_function_words_unless_nothing_is_left(query, tokens):
    assert sorted(query_tokens(query)) == sorted(tokens)


def test_queries_have_no_repetitions_and_the_index_has():
    assert query_tokens("bike bike bike") == ["bike"]
    assert index_tokens("bike bike bike") == ["bike"] * 3


def test_huge_texts_are_bounded():
    assert len(index_tokens("word " * 1_000_000)) == MAX_TOKENS
    assert len(query_tokens(" ".join(f"w{number}" for number in range(5_000)))) == MAX_QUERY_TOKENS
    assert max(map(len, index_tokens("a" * 1_000_000))) == MAX_TOKEN_CHARS
    assert max(map(len, index_tokens("/".join(["segment"] * 10_000)))) <= MAX_TOKEN_CHARS


def test_a_hash_does_not_fall_to_pieces():
    assert index_tokens("550e8400-e29b-41d4-a716-446655440000")[0] == "550e8400e29b41d4a716446655440000"
    assert len(index_tokens("9f86d081884c7d659a2feaa0c55ad015")) <= 2


def test_fts5_sees_the_same_tokens():
    """Joined by spaces, tokens pass through FTS5's unicode61 with these settings as they are."""
    connection = apsw.Connection(":memory:")
    connection.execute(
        """CREATE VIRTUAL TABLE t USING fts5(x, tokenize = "unicode61 remove_diacritics 0 """
        """categories 'L* M* N* S* P*'")"""
    )
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
    texts = [text for text, _ in INDEXED] + [text for text, _ in FOUND]
    for row, text in enumerate(texts, 1):
        connection.execute("INSERT INTO t (rowid, x) VALUES (?, ?)", (row, " ".join(index_tokens(text))))
    for row, text in enumerate(texts, 1):
        seen = [term for (term,) in connection.execute("SELECT term FROM v WHERE doc = ? ORDER BY offset", (row,))]
        assert seen == index_tokens(text)
