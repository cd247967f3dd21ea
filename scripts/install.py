"""Create the virtual environment and install one profile of locked packages into it, then the project itself.

    python3 scripts/install.py PROFILE [--venv FOLDER] [--copied]

``requirements/PROFILE.txt`` holds exact versions with hashes; nothing else is installed. Only the standard library is needed:
where no ``uv`` is at hand it is fetched (locked too) because it installs ten times faster, and where that fails pip does the work.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
OLDEST = (3, 11)


def main() -> int:
    """Parse the command line, install, say what was done."""
    parser = argparse.ArgumentParser(description="Install a profile of locked packages.")
    parser.add_argument("profile", choices=sorted(path.stem for path in REQUIREMENTS.glob("*.txt") if path.stem != "uv"))
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="folder of the environment (default: .venv)")
    parser.add_argument("--pip", action="store_true", help="install with pip even where uv could be had")
    parser.add_argument("--copied", action="store_true", help="copy the project into the environment instead of linking to it")
    arguments = parser.parse_args()
    if sys.version_info < OLDEST:
        print(
            f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}. Name another one: make PYTHON=python3.12 …", file=sys.stderr
        )
        return 1
    python = environment(arguments.venv)
    wanted = ["--require-hashes", "-r", str(REQUIREMENTS / f"{arguments.profile}.txt")]
    # The build backend is among the locked packages, so that building the project fetches nothing more.
    project = ["--no-deps", "--no-build-isolation", *([] if arguments.copied else ["-e"]), str(ROOT)]
    with tempfile.TemporaryDirectory() as scratch:
        uv = None if arguments.pip else find_uv(python, Path(scratch))
        if uv and all(run([uv, "pip", "install", "--quiet", "--python", str(python), *what]) for what in (wanted, project)):
            return 0
    if uv:
        print("uv could not install them; trying pip.", file=sys.stderr)
    ensure_pip(python)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = all(run([*pip, *what]) for what in (wanted, project))
    if not done:
        print(
            "The packages could not be installed; the lines above say why. Run the same command again once that is mended.", file=sys.stderr
        )
    return 0 if done else 1


def environment(folder: Path) -> Path:
    """The environment's interpreter; the environment is made where it does not work yet."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if python.exists() and run([str(python), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]):
        return python
    try:
        venv.EnvBuilder(with_pip=True, clear=folder.exists(), symlinks=os.name != "nt").create(folder)
    except (subprocess.CalledProcessError, OSError) as error:
        hint = "on Debian and Ubuntu: apt-get install python3-venv"
        sys.exit(f"The virtual environment {folder} could not be made ({error}); is Python's venv module complete? {hint}.")
    return python


def ensure_pip(python: Path) -> None:
    """Environments made by other tools have no pip."""
    if not run([str(python), "-c", "import pip"], quiet=True):
        run([str(python), "-m", "ensurepip"], quiet=True)


def find_uv(python: Path, scratch: Path) -> str | None:
    """An uv on the path, or a locked one fetched into ``scratch``; None where there is none to be had."""
    if found := shutil.which("uv"):
        return found
    ensure_pip(python)
    fetch = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(scratch)]
    if not run([*fetch, "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(REQUIREMENTS / "uv.txt")], quiet=True):
        return None
    pass_on_index(python)
    return str(scratch / "bin" / ("uv.exe" if os.name == "nt" else "uv"))


def pass_on_index(python: Path) -> None:
    """Hand uv, which does not read pip's configuration, the package index that pip is set to."""
    if "UV_DEFAULT_INDEX" in os.environ or "UV_INDEX_URL" in os.environ:
        return
    asked = subprocess.run([str(python), "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True, check=False)
    if index := os.environ.get("PIP_INDEX_URL") or asked.stdout.strip():
        os.environ["UV_DEFAULT_INDEX"] = index


def run(command: list[str], *, quiet: bool = False) -> bool:
    """Whether the command succeeded."""
    silent = subprocess.DEVNULL if quiet else None
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=silent, stderr=silent, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
