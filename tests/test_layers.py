"""The architecture in one table: what each part may import of the others."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from conftest import ROOT

PACKAGE = ROOT / "ctxaudit"
#: Prompts in, turns out: one part in several modules.
DIFFER = set(
    "changes decisions differ item_index kinship lanes ledger matching offers pieces snapshots "
    "span_names summary_marks".split()
)
EVERYWHERE = {"frozen"}
MAY_IMPORT = {
    "errors": "",
    "frozen": "",
    "model": "",
    "patterns": "",
    "globs": "",
    "plugins": "",
    "contract": "",
    "own_handles": "errors",
    "mcp_tools": "errors",
    "tokens": "errors",
    "settings": "own_handles tokens",
    "redaction": "patterns",
    "safe": "patterns redaction",
    "archives": "errors",
    "stores": "",
    "repeats": "",
    "knowledge": "patterns",
    "log": "archives errors model repeats stores",
    "word_index": "patterns",
    "context": "knowledge model settings word_index",
    "differ": "errors knowledge model patterns",
    "adapters": "differ errors knowledge log model patterns plugins",
    "judge": "context knowledge model patterns",
    "rule": "context model",
    "rules": "context judge knowledge model patterns rule word_index",
    "metrics": "context knowledge model tokens",
    "timeline": "context model",
    "replay": "context metrics model plugins rule settings timeline",
    "report": "log model timeline",
    "rulebook": "model selection",
    "reporters": "log model report rulebook safe timeline",
    "copies": "adapters log model report",
    "audit": "adapters copies errors globs log model replay report rule rules settings",
    "progress": "model safe",
    "parallel": "audit globs log progress report",
    "selection": "errors patterns plugins rule rules",
    "narrow": "errors report",
    "config": "contract errors",
    "accept": "errors globs report selection",
    "baseline": "errors log model report safe",
    "plan": "accept adapters audit baseline config errors log mcp_tools model own_handles parallel "
    "report selection settings tokens",
    "watching": "audit parallel report",
    "golden": "errors model report safe",
    "look": "adapters audit context errors log model replay safe",
    "doctor": "adapters model report rule safe",
    "shipped": "",
    "example": "adapters audit log model rule safe shipped",
    "docs": "example rule",
    "convert": "adapters model",
    "console": "errors log report reporters safe",
    "commands": "adapters audit baseline config console contract convert docs doctor errors "
    "golden log look narrow parallel plan report reporters rules safe selection shipped watching",
    "testing": "config golden plan report reporters",
    "pytest_plugin": "audit testing",
    "cli": "commands console errors",
    "__main__": "cli",
    "__init__": "",
}
COMMANDS = [path.stem for path in (PACKAGE / "commands").glob("*.py")]
#: Packages that only some modules may need.
ONLY = {
    "typer": {"cli", *(f"commands/{name}" for name in COMMANDS)},
    "pytest": {"pytest_plugin"},
    "bpe_openai": {"tokens"},
    "rich": {"progress", "reporters/rich", "reporters/rich_incident"},
    "jsonschema_rs": {"config", "knowledge/schemas", "own_handles"},
}


def modules() -> list[tuple[str, Path]]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return [("/".join(path.relative_to(PACKAGE).with_suffix("").parts), path) for path in paths]


def part(name: str) -> str:
    top = name.split("/")[0]
    return "differ" if top in DIFFER else top


def imports(path: Path) -> set[str]:
    """Full names of the modules that a module imports, wherever in it that is."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "ctxaudit":
            found |= {f"ctxaudit.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "." * node.level)
    return found


def own(path: Path) -> set[str]:
    """The parts of the package that a module imports."""
    names = {module.partition(".")[2] for module in imports(path) if module.startswith("ctxaudit.")}
    return {part(name.replace(".", "/")) for name in names} - {"__version__"}


@pytest.mark.parametrize(("name", "path"), modules(), ids=[name for name, _ in modules()])
def test_imports(name: str, path: Path) -> None:
    assert part(name) in MAY_IMPORT, f"say in MAY_IMPORT what {name} may import"
    excess = own(path) - {part(name), *EVERYWHERE, *MAY_IMPORT[part(name)].split()}
    assert not excess, f"{name} may not import {sorted(excess)}"
    for module in imports(path):
        assert not module.startswith("."), "imports are absolute"
        package = module.partition(".")[0]
        assert name in ONLY.get(package, {name}), f"{name} may not import {package}"


def test_the_table_has_no_cycle_and_no_stranger() -> None:
    assert set(MAY_IMPORT) == {part(name) for name, _ in modules()}
    done: set[str] = set()
    while left := set(MAY_IMPORT) - done:
        free = {one for one in left if set(MAY_IMPORT[one].split()) <= done}
        assert free, f"a cycle among {sorted(left)}"
        done |= free


def test_adapters_rules_and_reporters_do_not_see_each_other() -> None:
    apart = {"adapters", "rules", "reporters"}
    for name, path in modules():
        if part(name) in apart:
            assert not own(path) & (apart - {part(name)}), name
