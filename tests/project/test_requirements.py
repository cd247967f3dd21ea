"""The locked requirements: in step with pyproject.toml and with each other, hashed, and bound to no registry."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PROJECT["dependency-groups"]
PROFILES = {
    "default": [*PROJECT["project"]["dependencies"], *GROUPS["build"]],
    "test": [*PROJECT["project"]["dependencies"], *GROUPS["build"], *GROUPS["test"]],
    "dev": [*PROJECT["project"]["dependencies"], *GROUPS["build"], *GROUPS["test"], *GROUPS["lint"], *GROUPS["docs"]],
    "uv": GROUPS["uv"],
}


def locked(profile: str) -> list[Requirement]:
    text = (ROOT / "requirements" / f"{profile}.txt").read_text(encoding="utf-8")
    logical = re.sub(r"\\\n", " ", text).splitlines()
    return [Requirement(line.partition("--hash")[0].strip()) for line in logical if line.strip()]


def version_here(requirements: list[Requirement], name: str) -> str | None:
    for each in requirements:
        if canonicalize_name(each.name) == name and (each.marker is None or each.marker.evaluate(default_environment())):
            return next(iter(each.specifier)).version
    return None


@pytest.mark.parametrize("profile", PROFILES)
def test_every_declared_package_is_locked_in_a_version_that_fits(profile: str) -> None:
    pinned = locked(profile)
    for text in PROFILES[profile]:
        declared = Requirement(text)
        if declared.marker is not None and not declared.marker.evaluate():
            continue
        version = version_here(pinned, canonicalize_name(declared.name))
        assert version is not None, f"{declared.name} is not in requirements/{profile}.txt: run make lock"
        assert declared.specifier.contains(version, prereleases=True), f"{declared.name} {version} does not fit {declared.specifier}"


@pytest.mark.parametrize("profile", PROFILES)
def test_every_line_is_exact_and_hashed_and_names_no_registry(profile: str) -> None:
    text = (ROOT / "requirements" / f"{profile}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if line.strip():
            assert re.match(r"[A-Za-z0-9._-]+(\[[a-z0-9,-]+\])?==\S+ ", line)
            assert "--hash=sha256:" in line


def test_profiles_agree_on_versions() -> None:
    everything = versions("dev")
    for profile in ("default", "test"):
        assert versions(profile) <= everything


def versions(profile: str) -> set[tuple[str, str]]:
    return {(each.name, str(each.specifier)) for each in locked(profile)}
