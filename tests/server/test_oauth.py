"""Access tokens of an authorization server: who is let in, who is not, and what a refused client is told."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from serving import HttpThread

from hindsight.errors import ConfigurationError
from hindsight.serve import oauth
from hindsight.serve.app import build_app
from hindsight.settings import load_settings
from hindsight.sync import Hindsight

AUDIENCE = "http://localhost:8080/mcp"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
POST = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


class AuthorizationServer:
    """Publishes metadata and keys, and signs whatever a test wants signed."""

    def __init__(self) -> None:
        self.keys = {"rsa": rsa.generate_private_key(public_exponent=65537, key_size=2048), "ec": ec.generate_private_key(ec.SECP256R1())}
        self.published = ["rsa", "ec"]
        self.asked = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked += 1
                body = outer.answer(self.path)
                self.send_response(200 if body is not None else 404)
                self.end_headers()
                self.wfile.write(json.dumps(body or {}).encode())

            def log_message(self, *_: object) -> None: ...

        self.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.web.server_port}"
        threading.Thread(target=self.web.serve_forever, daemon=True).start()

    def answer(self, path: str) -> object:
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        if path == "/keys":
            algorithms = {"rsa": jwt.algorithms.RSAAlgorithm, "ec": jwt.algorithms.ECAlgorithm}
            found = [(name, algorithms[name].to_jwk(self.keys[name].public_key(), as_dict=True)) for name in self.published]
            return {"keys": [{**key, "kid": name, "use": "sig"} for name, key in found]}
        return None

    def token(self, key: str = "rsa", algorithm: str | None = None, header: dict | None = None, **claims: object) -> str:
        given = {
            "iss": self.url, "aud": AUDIENCE, "sub": "alice", "exp": time.time() + 60, "scope": "read hindsight:write",
            "hindsight_namespaces": ["team-a"],
        }  # fmt: skip
        given = {name: value for name, value in {**given, **claims}.items() if value is not None}
        wanted = algorithm or {"rsa": "RS256", "ec": "ES256"}[key]
        return jwt.encode(given, self.keys[key], algorithm=wanted, headers={"kid": key} if header is None else header)


@pytest.fixture(scope="module")
def issuer() -> Iterator[AuthorizationServer]:
    server = AuthorizationServer()
    yield server
    server.web.shutdown()
    server.web.server_close()


@pytest.fixture(scope="module")
def server(issuer, tmp_path_factory) -> Iterator[HttpThread]:
    store = str(tmp_path_factory.mktemp("oauth") / "memory")
    with HttpThread(store, oauth_issuer=issuer.url, oauth_audience=AUDIENCE) as server:
        yield server


def asked(server: HttpThread, token: str | None, path: str = "/mcp") -> httpx.Response:
    headers = {**POST, **({"authorization": b"Bearer " + token.encode()} if token is not None else {})}
    return httpx.post(server.url + path, json=PING, headers=headers, timeout=20)


def test_a_refused_client_finds_its_way_to_the_issuer(server, issuer):
    refused = asked(server, None)
    assert refused.status_code == 401
    challenge = refused.headers["www-authenticate"]
    address = "http://localhost:8080/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{address}"' in challenge
    assert "invalid_token" not in challenge
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        found = httpx.get(server.url + path)
        assert found.status_code == 200
        assert (found.json()["resource"], found.json()["authorization_servers"]) == (AUDIENCE, [issuer.url])
    assert 'error="invalid_token"' in asked(server, "x.y.z").headers["www-authenticate"]


@pytest.mark.parametrize("key", ["rsa", "ec"])
def test_a_good_token_is_let_in_with_what_it_says(server, issuer, key):
    headers = {"authorization": f"Bearer {issuer.token(key)}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=20) as web:
        stored = web.post("/v1/memories", json={"content": f"The launch is on Friday ({key})."})
        assert stored.status_code in {200, 201}, stored.text
        memory = web.get(f"/v1/memories/{stored.json()['id']}").json()
        assert (memory["namespace"], memory["agent"], memory["channel"]) == ("team-a", "alice", "agent")
        assert web.post("/v1/memories", json={"content": "x", "namespace": "team-b"}).status_code == 403
    other = {"authorization": f"Bearer {issuer.token(key, sub='bob', hindsight_namespaces='team-b')}"}
    assert httpx.get(f"{server.url}/v1/memories/{stored.json()['id']}", headers=other).status_code == 404


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"exp": 1}, "expired"), ({"exp": None}, "exp"), ({"nbf": 4_102_444_800}, "not yet valid"), ({"aud": "https://else.where"}, "Audience"),
        ({"aud": None}, "aud"), ({"iss": "https://evil.example"}, "issuer"), ({"sub": None}, "sub"), ({"scope": ""}, "scopes"),
        ({"scope": "email openid"}, "scopes"), ({"hindsight_namespaces": None}, "hindsight_namespaces"), ({"hindsight_namespaces": []}, "hindsight_namespaces"),
        ({"hindsight_per_minute": -1}, "hindsight_per_minute"), ({"hindsight_per_minute": "60"}, "hindsight_per_minute"),
        ({"sub": " "}, "subject"), ({"header": {"kid": "unknown"}}, "key that the issuer does not have"),
    ],
)  # fmt: skip
def test_a_token_that_does_not_fit_is_refused_and_told_why(server, issuer, change, says):
    refused = asked(server, issuer.token(**change))
    assert refused.status_code == 401
    assert says in refused.json()["error"]["message"]


def test_a_token_brings_its_rate_which_new_ones_of_the_caller_share(server, issuer):
    [allowed, *refused] = [asked(server, issuer.token(sub="hasty", hindsight_per_minute=1, jti=str(number))) for number in range(3)]
    assert allowed.status_code == 200
    assert [each.status_code for each in refused] == [429, 429]
    assert all(int(each.headers["retry-after"]) > 0 for each in refused)
    assert asked(server, issuer.token(sub="patient")).status_code == 200


def test_forged_tokens_are_refused(server, issuer):
    stranger = AuthorizationServer()
    good = issuer.token()
    head, body, signature = good.split(".")
    public = issuer.keys["rsa"].public_key()
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    claims = jwt.decode(good, options={"verify_signature": False})
    unsigned = jwt.encode(claims, None, algorithm="none", headers={"kid": "rsa"})
    # The classic: the public key, which everybody knows, as the secret of an HMAC.
    import base64
    import hashlib
    import hmac

    weak_head = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "rsa"}).encode()).rstrip(b"=").decode()
    mac = base64.urlsafe_b64encode(hmac.digest(pem, f"{weak_head}.{body}".encode(), hashlib.sha256)).rstrip(b"=").decode()
    other_body = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "root"}).encode()).rstrip(b"=").decode()
    for forged in (
        stranger.token(iss=issuer.url), unsigned, f"{weak_head}.{body}.{mac}", f"{head}.{other_body}.{signature}", f"{head}.{body}.",
        issuer.token("ec", header={"kid": "rsa"}), "a.b.c", "..", "hs_unknown", good + "x", "秘密", "x" * 5000,
    ):  # fmt: skip
        assert asked(server, forged).status_code == 401, forged[:60]
    assert asked(server, good).status_code == 200
    stranger.web.shutdown()
    stranger.web.server_close()


def test_made_up_keys_do_not_become_requests_to_the_issuer(server, issuer):
    assert asked(server, issuer.token()).status_code == 200
    before = issuer.asked
    for number in range(20):
        assert asked(server, issuer.token(header={"kid": f"made-up-{number}"})).status_code == 401
    assert issuer.asked - before <= 3


def test_new_keys_are_found_and_old_ones_kept_while_the_issuer_is_away(issuer, tmp_path, monkeypatch):
    monkeypatch.setattr(oauth, "_ASKED_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(oauth, "KEPT_SECONDS", 0.0)
    own = AuthorizationServer()
    own.published = ["rsa"]
    with HttpThread(str(tmp_path / "memory"), oauth_issuer=own.url, oauth_audience=AUDIENCE, oauth_jwks_url=f"{own.url}/keys") as server:
        assert asked(server, own.token("ec")).status_code == 401
        own.published = ["rsa", "ec"]
        assert asked(server, own.token("ec")).status_code == 200
        own.web.shutdown()
        own.web.server_close()
        assert asked(server, own.token("ec")).status_code == 200
    with HttpThread(str(tmp_path / "memory"), oauth_issuer=own.url, oauth_audience=AUDIENCE) as server:
        away = asked(server, own.token("ec"))
        assert away.status_code == 503
        assert own.url in away.json()["error"]["message"]


def test_the_store_s_own_tokens_go_on_working(issuer, tmp_path):
    folder = tmp_path / "memory"
    with Hindsight.open(folder, embedder="none") as memory:
        _, secret = memory.create_token("bot", agent="bot", per_minute=2)
    with HttpThread(str(folder), oauth_issuer=issuer.url, oauth_audience=AUDIENCE) as server:
        assert [asked(server, secret).status_code for _ in range(3)] == [200, 200, 429]
        assert asked(server, issuer.token()).status_code == 200


@pytest.mark.parametrize(
    "given",
    [
        {"oauth_issuer": "https://issuer.example"},
        {"oauth_issuer": "http://issuer.example", "oauth_audience": AUDIENCE},
        {"oauth_issuer": "issuer.example", "oauth_audience": AUDIENCE},
        {"oauth_issuer": "https://issuer.example", "oauth_audience": "memory"},
        {"oauth_issuer": "https://issuer.example", "oauth_audience": "https://host/mcp", "oauth_jwks_url": "http://keys.example/jwks"},
    ],
)
def test_settings_that_do_not_fit_stop_the_start(tmp_path, given):
    with pytest.raises(ConfigurationError, match="HINDSIGHT_OAUTH"):
        build_app(load_settings(store=str(tmp_path / "memory"), embedder="none", **given))
