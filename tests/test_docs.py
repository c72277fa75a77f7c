"""What the documentation says is what the program does."""

from __future__ import annotations

import html
import re
import runpy
from pathlib import Path

import pytest
from conftest import ROOT
from typer.testing import CliRunner

from ctxaudit.cli import application
from ctxaudit.rules import RULES

README = (ROOT / "README.md").read_text()
PAGES = runpy.run_path(str(ROOT / "docs" / "gen_rules.py"))["pages"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_generated_pages_are_current() -> None:
    pages: dict[Path, str] = PAGES()
    for path, text in pages.items():
        assert path.is_file(), f"{path} is missing: make docs"
        assert path.read_text() == text, f"{path} is out of date: make docs"
    written = {*(ROOT / "docs" / "rules").iterdir(), ROOT / "docs" / "rules.md"}
    assert written == set(pages), "a page of a rule that is gone"


def test_every_rule_is_listed() -> None:
    index = (ROOT / "docs" / "rules.md").read_text()
    for rule in RULES:
        assert f"(rules/{rule.code}.md)" in index


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda p: p.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_readme_lists_the_commands() -> None:
    (block,) = [block for block in blocks("text") if block.startswith("Commands:")]
    said = dict(re.findall(r"^  (\w+) +(.+)$", block, re.MULTILINE))
    app = application()
    commands = {
        command.callback.__name__: (command.callback.__doc__ or "").partition("\n")[0]
        for command in app.registered_commands
        if command.callback is not None
    }
    groups = [group.typer_instance.info for group in app.registered_groups if group.typer_instance]
    assert said == commands | {str(group.name): group.help for group in groups}


def words(svg: str) -> list[str]:
    """What a picture says, whichever version of Rich has drawn it."""
    text = re.sub(r"<style>.*?</style>|<defs>.*?</defs>|<!--.*?-->", "", svg, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", text)).split()


def test_readme_shows_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    demo = re.search(r"^DEMO := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    space = runpy.run_path(str(ROOT / "docs" / "gen_screenshot.py"))
    assert demo
    assert space["EXAMPLE"] == demo.group(1)
    shown = (ROOT / "docs" / "report.svg").read_text()
    assert words(shown) == words(space["picture"]()), "make docs"
    assert "![The report of the shipped example](docs/report.svg)" in README


@pytest.mark.parametrize(
    "line", [line for block in blocks("console") for line in block.splitlines()]
)
def test_readme_commands_exist(line: str) -> None:
    words = line.partition("#")[0].removeprefix("$ ").split()
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return
    assert words[0] == "ctxaudit"
    command = words[1:3] if words[1] == "golden" else words[1:2]
    options = CliRunner().invoke(application(), [*command, "--help"])
    assert options.exit_code == 0
    for option in (word for word in words if word.startswith("--")):
        assert option in options.stdout


def test_readme_tells_the_exit_codes_and_is_short() -> None:
    assert re.findall(r"^\| (\d) \| ", README, re.MULTILINE) == ["0", "1", "2", "3"]
    assert len(README.splitlines()) < 110
