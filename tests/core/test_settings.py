"""Settings: the environment, one file, and refusals that name what is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight.errors import ConfigurationError
from hindsight.settings import Settings, load_settings


def test_defaults_need_nothing() -> None:
    assert load_settings({}) == Settings()


def test_environment_is_read_and_overrides_win() -> None:
    settings = load_settings({"HINDSIGHT_PORT": "9000", "HINDSIGHT_EMBEDDER": "none", "PATH": "/bin"}, port=9100)
    assert (settings.port, settings.embedder) == (9100, "none")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("HINDSIGHT_STOR", "HINDSIGHT_STORE"), ("HINDSIGHT_EMBEDER", "HINDSIGHT_EMBEDDER"), ("HINDSIGHT_XYZZY", "known:")],
)
def test_a_mistyped_setting_stops_the_start(name: str, meant: str) -> None:
    with pytest.raises(ConfigurationError, match=meant):
        load_settings({name: "x"})


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(
            {"HINDSIGHT_PORT": "abc", "HINDSIGHT_EMBEDDER": "magic", "HINDSIGHT_TIMEZONE": "Mars/Olympus", "HINDSIGHT_STORE": " "}
        )
    for name in ("HINDSIGHT_PORT", "HINDSIGHT_EMBEDDER", "HINDSIGHT_TIMEZONE", "HINDSIGHT_STORE"):
        assert name in str(caught.value)


def test_file_and_environment_together(tmp_path: Path) -> None:
    file = tmp_path / "hindsight.toml"
    file.write_text('store = "/data/memory"\nport = 9001\n', encoding="utf-8")
    settings = load_settings({"HINDSIGHT_CONFIG": str(file), "HINDSIGHT_PORT": "9002"})
    assert (settings.store, settings.port) == ("/data/memory", 9002)


@pytest.mark.parametrize(("content", "told"), [("stroe = 'x'\n", "did you mean store"), ("store = \n", "not valid TOML")])
def test_a_faulty_file_is_refused(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "hindsight.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=told):
        load_settings({"HINDSIGHT_CONFIG": str(file)})


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_settings({"HINDSIGHT_CONFIG": str(tmp_path / "none.toml")})


def test_secrets_are_not_shown() -> None:
    assert "hush" not in repr(load_settings({"HINDSIGHT_TOKEN": "hush", "HINDSIGHT_EMBEDDER_KEY": "hush"}))
