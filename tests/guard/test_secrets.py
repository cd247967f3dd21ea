from __future__ import annotations

import pytest

from hindsight.guard.secrets import is_card, is_chinese_id, redact
from hindsight.records import Channel, Role, Turn


@pytest.mark.parametrize(
    ("text", "kind", "secret"),
    [
        ("The password is Tr0ub4dor&3, keep it safe", "password", "Tr0ub4dor&3"),
        ("数据库密码是 hx9!Kd02，别外传", "password", "hx9!Kd02"),
        ("密码：abc12345", "password", "abc12345"),
        ("api_key=sk-proj-abcdefghijklmnop1234", "key", "sk-proj-abcdefghijklmnop1234"),
        ("use AKIAIOSFODNN7EXAMPLE for the bucket", "key", "AKIAIOSFODNN7EXAMPLE"),
        ("token ghp_abcdefghijklmnopqrstuvwxyz0123456789", "key", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
        ("Authorization: Bearer abcdef0123456789abcdef", "token", "abcdef0123456789abcdef"),
        ("postgres://app:s3cret99@db.example:5432/app", "password", "s3cret99"),
        ("验证码887654，请勿泄露", "code", "887654"),
        ("card 4111 1111 1111 1111 expires in May", "card number", "4111 1111 1111 1111"),
        ("卡号 6222021234567890128", "card number", "6222021234567890128"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----", "private key", "MIIB"),
        ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "token", "SflKxwRJSMeKKF2QT4"),
    ],
)
def test_secrets_are_taken_out(text, kind, secret):
    done = redact(text)
    assert secret not in done.text
    assert done.kinds == (kind,)
    assert f"[redacted: {kind}]" in done.text


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong.",
        "He forgot the password: nothing helped.",
        "密码是用户自己设置的",
        "Change your password every six months.",
        "The token is invalid, log in again.",
        "ISBN 9780131103627",
        "Order 1234567890123456 was shipped",
        "commit 3fa94c1d2e",
        "https://example.com/a?b=c",
        "password: ${DB_PASSWORD}",
        "The secret is to use cold butter.",
        "session 0197a1b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b",
    ],
)
def test_what_only_names_a_secret_stays_verbatim(text):
    assert redact(text).text == text


def test_personal_data_go_on_a_setting_only():
    text = "电话 13812345678，身份证 11010519491231002X，邮箱 lin@example.com"
    assert redact(text).text == text
    done = redact(text, personal=True)
    assert set(done.kinds) == {"ID number", "phone number", "e-mail address"}
    assert not any(part in done.text for part in ("13812345678", "11010519491231002X", "lin@example.com"))
    assert redact("Call +1 202 555 0143 or 078-05-1120", personal=True).kinds == ("ID number", "phone number")


def test_check_digits():
    assert is_card("4111111111111111")
    assert not is_card("4111111111111112")
    assert is_chinese_id("11010519491231002X")
    assert not is_chinese_id("110105194912310021")


async def test_secrets_reach_neither_record_nor_queue_nor_turns(memory, view, tmp_path):
    secret = "hx9!Kd02Zz"
    agent = view(Channel.AGENT)
    saved = await agent.store(f"The database password is {secret}.", query=f"password: {secret}")
    assert any("redacted" in reason for reason in saved.reasons)
    kept = await memory.get(saved.id)
    assert secret not in kept.model_dump_json()
    assert "redacted: password" in kept.debug.guard
    await memory.store(f"The other password is {secret}!", wait=False)
    assert await memory.settle(10)
    await memory.observe([Turn(session_id="s", position=0, content=f"my password is {secret}", role=Role.USER)])
    assert all(secret not in turn.content for turn in await memory.turns("s"))
    await memory.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if secret.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("密码123456", "123456"),
        ("wifi 密码 goodluck88", "goodluck88"),
        ("支付密码 482193", "482193"),
        ("PIN码是4821", "4821"),
        ("微信支付密钥 8934e7d15453e97507ef794cf7b0519d", "8934e7d1"),
        ("密 码：hunter2x", "hunter2x"),
        ("ｐａｓｓｗｏｒｄ：hunter2x", "hunter2x"),
        ("pass\u200bword: hunter2x", "hunter2x"),
        ("the password for prod is Winter2025!", "Winter2025"),
        ("password for the admin account: Winter2025!", "Winter2025"),
        ('{"password": "hunter2x"}', "hunter2x"),
        ("{'pwd': 'hunter2'}", "hunter2"),
        ("<password>hunter2x</password>", "hunter2x"),
        ("curl -u admin:S3cret99 https://x.example", "S3cret99"),
        ("mysql -uroot -pS3cret99 db", "S3cret99"),
        ("短信验证码为: 48 21 93", "48 21 93"),
        ("CVV: 123", "123"),
        ("助记词：abandon ability able about above absent absorb abstract absurd abuse access accident", "abandon"),
        ("seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident", "abandon"),
    ],
)
def test_secrets_are_found_however_they_are_given(text, secret):
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "max_token = 4096",
        "pin: GPIO17",
        "token: eof2",
        "密码长度为8-16位",
        "验证码 5 分钟有效",
        "密码输错5次锁定",
        "运单号 7512345678901",
        "密钥长度为2048位",
        "密码：见1号文档",
        "run it with -u root and -p 8080",
        "docker run -p 8080:80 web",
    ],
)
def test_numbers_beside_such_words_stay(text):
    assert redact(text).text == text


@pytest.mark.parametrize("text", ["手机１３８００１３８０００", "138-0013-8000", "138 0013 8000", "ａ＠ｘ．ｃｏｍ", "010-62345678"])
def test_personal_data_in_other_forms(text):
    assert redact(text).text == text
    assert redact(text, personal=True).kinds
