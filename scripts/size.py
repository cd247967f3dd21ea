"""Size of what an installation puts on disk: the default profile's packages with bytecode, against its limit.

    python3 scripts/size.py [--limit 400]

Installs into ``build/size`` and counts the files of each installed package; pip and setuptools, which come with every
virtual environment, are not counted. The converted model (at most 120 MB, made on first use) is not a package.
"""

from __future__ import annotations

import argparse
import compileall
import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "size"
NOT_OURS = {"pip", "setuptools"}
SHOWN = 8
MEGABYTE = 1_000_000


def main() -> int:
    """Install, measure, print the largest and the sum; 1 where it is over the limit."""
    parser = argparse.ArgumentParser(description="Measure the installed packages.")
    parser.add_argument("--limit", type=int, default=400, help="most megabytes (10^6 bytes)")
    limit = parser.parse_args().limit
    installed = subprocess.run([sys.executable, str(ROOT / "scripts" / "install.py"), "default", "--venv", str(FOLDER)], check=False)
    if installed.returncode:
        return installed.returncode
    packages = next(FOLDER.glob("[Ll]ib*/**/site-packages"))
    compileall.compile_dir(packages, quiet=2, workers=0)
    sizes = {dist.name: size_of(dist) for dist in distributions(path=[str(packages)]) if dist.name not in NOT_OURS}
    total = sum(sizes.values()) / MEGABYTE
    for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"{size / MEGABYTE:7.1f} MB  {name}")
    print(f"{total:7.1f} MB  all {len(sizes)} packages with bytecode (limit {limit})")
    return int(total >= limit)


def size_of(dist: Distribution) -> int:
    """Bytes of a package's files and of the bytecode made from them."""
    total = 0
    for file in dist.files or ():
        path = Path(str(dist.locate_file(file)))
        if path.suffix != ".pyc" and path.is_file():
            total += path.stat().st_size
            total += (
                sum(cached.stat().st_size for cached in path.parent.glob(f"__pycache__/{path.stem}.*.pyc")) if path.suffix == ".py" else 0
            )
    return total


if __name__ == "__main__":
    sys.exit(main())
