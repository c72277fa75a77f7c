"""The contracts: what is shipped and written keeps to them, and they do not change in silence."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
import pytest
from conftest import FIXTURES
from typer.testing import CliRunner

from ctxaudit.adapters import native_fields as fields
from ctxaudit.cli import application
from ctxaudit.contract import schema
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind

#: A digest of each schema without its prose. Within a version fields may be added, and then the
#: digest here goes with them; a field that goes, or means something else, needs a new version.
FROZEN = {
    "config": ("urn:ctxaudit:config:1", "0c106d61ece0dcba"),
    "finding": ("urn:ctxaudit:finding:1", "c62ca706015464b6"),
    "log": ("urn:ctxaudit:log:1", "54c012895526c12c"),
    "report": ("urn:ctxaudit:report:1", "067730f03d96f95c"),
}
#: The field names that version 1 of the report has promised.
PROMISED = {
    "": "schema version summary sessions findings errors",
    "summary": "logs sessions turns calls decisions findings by_severity by_rule exit_code",
    "summary.by_severity": "critical error warning note",
    "sessions": "log session format turns calls decisions coverage metrics",
    "sessions.coverage": "schemas prompts results summaries notes",
    "findings": "id rule name family severity confidence log session turn line tool handle message "
    "fix incident cause evidence",
    "findings.cause": "kind turn line subject explicit actor",
    "findings.evidence": "role turn line excerpt",
    "errors": "log line message",
}
NATIVE = sorted(FIXTURES.glob("**/*.native.jsonl")) + sorted(FIXTURES.glob("rules/*/*.jsonl"))


def loaded(name: str) -> dict[str, Any]:
    return orjson.loads(schema(name))


def bare(node: Any) -> Any:
    """A schema without its prose."""
    if isinstance(node, list):
        return [bare(item) for item in node]
    if not isinstance(node, dict):
        return node
    prose = {key for key in ("title", "description") if isinstance(node.get(key), str)}
    return {key: bare(value) for key, value in node.items() if key not in prose}


def closed(node: Any) -> Any:
    """A schema that allows no field which it does not tell of."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: closed(value) for key, value in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        out.setdefault("additionalProperties", False)
    return out


def objects(node: Any) -> list[dict[str, Any]]:
    """All schemas of objects with named fields, at any depth."""
    below = node if isinstance(node, list) else node.values() if isinstance(node, dict) else ()
    found = [item for child in below for item in objects(child)]
    named = isinstance(node, dict) and isinstance(node.get("properties"), dict)
    return [node, *found] if named and node.get("type") == "object" else found


@pytest.mark.parametrize("name", FROZEN)
def test_a_change_is_a_decision(name: str) -> None:
    contract = loaded(name)
    text = orjson.dumps(bare(contract), option=orjson.OPT_SORT_KEYS)
    told = (contract["$id"], hashlib.sha256(text).hexdigest()[:16])
    assert told == FROZEN[name], "see the note at FROZEN"


@pytest.mark.parametrize("name", FROZEN)
def test_a_schema_is_one_and_explains_itself(name: str) -> None:
    contract = loaded(name)
    assert contract["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(contract)
    for node in objects(contract):
        assert [k for k, v in node["properties"].items() if not v.get("description")] == []


@pytest.mark.parametrize("name", FROZEN)
def test_the_command_prints_it(name: str) -> None:
    result = CliRunner().invoke(application(), ["schema", name])
    assert (result.exit_code, result.stdout) == (0, schema(name).decode())


# -- the native log -----------------------------------------------------------------------------


def test_reader_and_schema_know_the_same_fields() -> None:
    contract = loaded("log")
    parts = {name: part["properties"].keys() for name, part in contract["$defs"].items()}
    assert contract["properties"].keys() == fields.LINE.keys()
    assert parts == {
        "span": fields.SPAN.keys(),
        "tool": fields.TOOL.keys(),
        "call": fields.CALL.keys(),
        "decision": fields.DECISION.keys(),
        "gap": fields.GAP.keys(),
    }


def test_model_and_schema_know_the_same_words() -> None:
    parts = loaded("log")["$defs"]
    words = {
        ("span", "kind"): [kind.value for kind in Kind],
        ("decision", "kind"): [kind.value for kind in DecisionKind],
        ("gap", "aspect"): [aspect.value for aspect in Aspect],
        ("gap", "extent"): [extent.label for extent in Extent],
    }
    assert words == {(p, f): parts[p]["properties"][f]["enum"] for p, f in words}


@pytest.mark.parametrize("path", NATIVE, ids=lambda path: "/".join(path.parts[-2:]))
def test_shipped_native_logs_keep_to_it(path: Path) -> None:
    contract = jsonschema_rs.validator_for(loaded("log"))
    for line in path.read_bytes().splitlines():
        contract.validate(orjson.loads(line))


# -- the report ---------------------------------------------------------------------------------


def at(contract: dict[str, Any], place: str) -> dict[str, Any]:
    """The schema of the object that stands at a place of the report."""
    node = contract
    for step in place.split(".") if place else ():
        node = node["properties"][step]
        node = node.get("items", node)
        node = contract["$defs"]["finding"] if "$ref" in node else node
        node = next((n for n in node.get("anyOf", ()) if n.get("type") == "object"), node)
    return node


@pytest.mark.parametrize("place", PROMISED)
def test_promised_fields_are_required(place: str) -> None:
    node = at(loaded("report"), place)
    assert set(PROMISED[place].split()) <= set(node["required"])
    assert node["required"] == [key for key in node["properties"] if key in node["required"]]


LOGS = ["demo/incident.requests.jsonl", "demo/orphan.native.jsonl", "demo/negative.native.jsonl"]


@pytest.mark.parametrize("log", LOGS)
def test_reports_keep_to_it(log: str) -> None:
    kept(["scan", str(FIXTURES / log)])


def test_a_report_of_a_whole_folder_keeps_to_it() -> None:
    kept(["scan", str(FIXTURES)])


def test_a_report_of_what_cannot_be_read_keeps_to_it(tmp_path: Path) -> None:
    damaged, unknown = tmp_path / "damaged.jsonl", tmp_path / "unknown.jsonl"
    damaged.write_text('{"ctxaudit": 1, "calls": [{"tool": "ls"}]}\n{"add": 1}\n{nothing}\n\n')
    unknown.write_text('{"a": 1}\n')
    report = kept(["scan", str(damaged), str(unknown)])
    told = sorted((Path(error["log"]).stem, error["line"]) for error in report["errors"])
    assert told == [("damaged", 2), ("damaged", 3), ("unknown", 0)]
    assert {item["rule"] for item in report["not_checked"]} >= {"GT101", "GT102"}


def kept(arguments: list[str]) -> dict[str, Any]:
    """The report of a run, which must hold what the schema demands and nothing it does not tell."""
    result = CliRunner().invoke(application(), [*arguments, "--format", "json"])
    report: dict[str, Any] = orjson.loads(result.stdout)
    jsonschema_rs.validator_for(closed(loaded("report"))).validate(report)
    assert report["summary"]["exit_code"] == result.exit_code
    return report
