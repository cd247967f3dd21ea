"""docs/cli.md and the command line say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from hindsight.cli import app
from hindsight.cli.filters import FILTERS
from hindsight.cli.invocation import GLOBAL_OPTIONS
from hindsight.cli.transferring import FORMATS
from hindsight.cli.tree import build

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
SECTIONS = {part.split("\n", 1)[0].strip(): part for part in re.split(r"^#{2,3} ", PAGE, flags=re.MULTILINE)[1:]}


def commands(group, path=()) -> Iterator[tuple[str, object]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            if options_of(command):  # it does something by itself, too
                yield " ".join((*path, name)), command
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def options_of(command) -> set[str]:
    return {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts) if word.startswith("-")} - {
        "--help",
        "-h",
    }


COMMANDS = dict(commands(typer.main.get_command(build())))
FILTER_OPTIONS = options_of(COMMANDS["why"])  # it takes nothing else


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_its_place(name):
    section = SECTIONS[name]
    options = options_of(COMMANDS[name])
    if options >= FILTER_OPTIONS:
        assert "the filters below" in section
        options -= FILTER_OPTIONS
    for option in options:
        assert f"`{option}" in section, f"{option} of {name}"


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_documented_that_does_not_exist(name):
    known = options_of(COMMANDS[name]) | set(GLOBAL_OPTIONS)
    named = set(re.findall(r"`(--?[a-z][a-z-]*)", SECTIONS[name]))
    assert named <= known


def test_filters_and_global_options_are_documented():
    assert len(FILTER_OPTIONS) == len(FILTERS)
    for option in FILTER_OPTIONS:
        assert f"`{option}`" in SECTIONS["Filters"]
    for option in GLOBAL_OPTIONS:
        assert f"`{option}" in SECTIONS["For every command"]


def test_every_section_of_a_command_belongs_to_one():
    others = {"For every command", "Writing", "Reading", "Filters", "Moving", "Serving", "Looking after a store", "Trying and measuring"}
    assert set(SECTIONS) - others == set(COMMANDS)


def test_exit_codes_are_documented():
    codes = {app.DONE, app.FAILED, app.USAGE, app.NOT_FOUND, app.REFUSED, app.STORE, app.MODEL, app.INTERRUPTED, app.PIPE_CLOSED}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, flags=re.MULTILINE)} == codes


def test_the_formats_are_the_importers():
    from hindsight.remember.importers.detect import FORMATS as IMPORTERS

    assert set(FORMATS.split(", ")) == {"auto", *(format.name for format in IMPORTERS)}
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text(encoding="utf-8")
    for format in IMPORTERS:
        assert f"\n### {format.name}\n" in page
        assert f"`{format.name}`" in PAGE


def test_every_command_explains_itself_and_its_options():
    for name, command in COMMANDS.items():
        assert command.help, name
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{name} {parameter.name}"
