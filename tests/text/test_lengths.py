import pytest

from hindsight.text.lengths import estimate_tokens

# text, tokens by Qwen's tokenizer, tokens by Claude 2's
MEASURED = [
    ("I went to the beach yesterday with my two kids and it was lovely.", 15, 15),
    ("The deployment failed with HTTP 502; we rolled back to v1.4.2 and restarted nginx.", 24, 24),
    ("def add(a: int, b: int) -> int:\n    return a + b\n", 19, 20),
    ('{"name": "Ann", "age": 41, "tags": ["a", "b"]}', 22, 20),
    ("我昨天带两个孩子去了海边，玩得很开心。", 12, 21),
    ("容器之间 ping 不通，检查后发现不在同一个自定义网络里。", 16, 19),
    ("部署失败：接口返回 HTTP 502，回滚到 v1.4.2 后恢复正常。", 24, 27),
    ("Ärger mit der Straßenbahn in München, wie üblich.", 16, 18),
    ("Привет, как дела? Всё хорошо.", 12, 18),
    ("今日は友達と映画を見に行きました。", 10, 18),
    ("2025-09-01 18:30:00 ERROR 0x80070005 user_profile_id=42", 37, 24),
    ("SELECT id, name FROM users WHERE created_at > '2024-01-01' ORDER BY id LIMIT 10;", 30, 25),
]


@pytest.mark.parametrize(("text", "qwen", "claude"), MEASURED)
def test_no_tokenizer_needs_thirty_percent_more_nor_less_than_half(text, qwen, claude):
    estimate = estimate_tokens(text)
    assert max(qwen, claude) <= 1.3 * estimate
    assert estimate <= 1.8 * min(qwen, claude)


def test_nothing_costs_nothing():
    assert estimate_tokens("") == 0
    assert estimate_tokens("\ud800") >= 1


def test_more_text_never_costs_less():
    text = "部署 failed at 10:30 🎉 user_id=42\n"
    costs = [estimate_tokens(text * times) for times in range(5)]
    assert costs == sorted(costs)
