"""The page of HTML: complete without scripts, inert whatever a log holds, and run in a browser."""

from __future__ import annotations

import html
import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import FIXTURES, check_golden

from ctxaudit.audit import Input, Options, audit
from ctxaudit.report import Report
from ctxaudit.reporters import reporter

DEMO = FIXTURES / "demo"
BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars
 --disable-background-networking --disable-component-update --disable-sync
 --virtual-time-budget=8000 --window-size=1200,900""".split()


def page(*paths: Path) -> str:
    options = Options(timelines=True)
    stream = io.StringIO()
    reporter("html").write(Report(audit([Input(str(p)) for p in paths], options)), stream)
    return stream.getvalue()


def data(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found
    return json.loads(found[1])


class Elements(HTMLParser):
    """Names and attributes of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(text: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(text)
    return parser.found


def test_golden(update: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES.parent)
    text = page(Path("fixtures/demo/incident.requests.jsonl"))
    body = re.sub(r"(<style>\n|<script>\n).*?(</style>|</script>)", r"\1\2", text, flags=re.S)
    check_golden(FIXTURES / "reports" / "incident.html", body, update)


def test_the_timeline_of_the_incident() -> None:
    (session,) = data(page(DEMO / "incident.requests.jsonl"))["sessions"]
    rows = {row["name"]: row for row in session["rows"]}
    assert rows["update_incident"]["intervals"] == [["offered", 1, 6], ["ghost", 7, 11]]
    assert rows["update_incident"]["marks"] == [2, 9]
    assert [(d["turn"], d["kind"]) for d in session["decisions"]] == [(7, "schema-pruned")]
    assert [f["turn"] for f in session["findings"]] == [7, 9, 9, 10]


def test_the_timeline_of_an_orphan() -> None:
    (session,) = data(page(DEMO / "orphan.native.jsonl"))["sessions"]
    rows = {(row["kind"], row["name"]): row for row in session["rows"]}
    handle = rows["handle", "run_8841"]
    assert [state for state, _, _ in handle["intervals"]] == ["bound", "orphaned"]
    assert handle["marks"]
    assert any(kind == "span" for kind, _ in rows)


def test_a_tombstone_is_drawn() -> None:
    (session,) = data(page(DEMO / "incident-tombstone.requests.jsonl"))["sessions"]
    rows = {row["name"]: row for row in session["rows"]}
    states = [state for state, _, _ in rows["update_incident"]["intervals"]]
    assert states[:2] == ["offered", "tombstoned"]
    assert "ghost" not in states


def hostile(tmp_path: Path) -> Path:
    """The incident with markup and scripts where its names and texts are."""
    evil = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
    text = (DEMO / "incident.requests.jsonl").read_text()
    text = text.replace("INC-4471", json.dumps(evil)[1:-1]).replace(
        "usr_58213", "a\\u0000\\u001b[31m"
    )
    path = tmp_path / "<b>&amp;.jsonl"
    path.write_text(text.replace("inc-4471", "<!--<script>"))
    return path


def test_nothing_of_a_log_becomes_markup(tmp_path: Path) -> None:
    text = page(hostile(tmp_path))
    kinds = {tag for tag, _ in elements(text)}
    assert "img" not in kinds
    assert "b" not in kinds
    assert sum(tag == "script" for tag, _ in elements(text)) == 2
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "<!--" not in text


def test_nothing_is_loaded_from_elsewhere() -> None:
    text = page(DEMO / "incident.requests.jsonl")
    for tag, attributes in elements(text):
        assert "src" not in attributes
        assert tag != "link"
        assert not (attributes.get("href") or "#").startswith(("http", "//"))
    assert "default-src 'none'" in html.unescape(text)
    assert not re.search(r"url\(|@import|https?://", text)


def test_the_same_bytes() -> None:
    assert page(DEMO / "orphan.requests.jsonl") == page(DEMO / "orphan.requests.jsonl")


# -- in a browser -------------------------------------------------------------------------------


def shown(text: str, script: str, tmp_path: Path) -> str:
    """The page as a browser has it after a script of the test has run in it."""
    if BROWSER is None:
        pytest.skip("no Chromium here")
    path = tmp_path / "page.html"
    path.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    profile = tmp_path / "profile"
    command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", path.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return ran.stdout


TELL = """
const told = [];
addEventListener('error', (event) => told.push('error: ' + event.message));
const tell = (what) => told.push(String(what));
const press = (key) => document.querySelector('.timeline').dispatchEvent(
  new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
const here = () => document.querySelector('.here').textContent;
setTimeout(() => { %s; document.title = told.join(' | '); }, 1500);
"""


def told(text: str, script: str, tmp_path: Path) -> str:
    """What a script of the test has to tell of the page."""
    found = re.search(r"<title>(.*?)</title>", shown(text, TELL % script, tmp_path), re.S)
    assert found
    return html.unescape(found[1])


def test_keys_lead_to_the_evidence(tmp_path: Path) -> None:
    script = (
        "tell(here()); press('n'); tell(here()); press('ArrowRight'); tell(here());"
        "press('p'); press('Enter'); tell(document.activeElement.textContent.slice(0, 60))"
    )
    first, ninth, tenth, focus = told(
        page(DEMO / "incident.requests.jsonl"), script, tmp_path
    ).split(" | ")
    assert first.startswith("turn 7, line 7")
    assert "update_incident: ghost" in first
    assert "schema-pruned of update_incident (inferred)" in first
    assert ninth.startswith("turn 9, line 9")
    assert "ghost, used here" in ninth
    assert tenth.startswith("turn 10, line 10")
    assert focus.strip().startswith("error GT102 ghost-call, turn 9")


def test_filters(tmp_path: Path) -> None:
    script = (
        "const form = document.querySelector('.filters');"
        "const count = () => form.querySelector('output').textContent; tell(count());"
        "form.elements.rule.value = 'GT103'; form.dispatchEvent(new Event('input')); tell(count());"
        "form.elements.rule.value = ''; form.elements.text.value = 'run_8841';"
        "form.dispatchEvent(new Event('input')); tell(count());"
        "tell([...document.querySelectorAll('.session:not(.hidden) h2')].length)"
    )
    text = page(DEMO / "incident.requests.jsonl", DEMO / "orphan.requests.jsonl")
    assert told(text, script, tmp_path) == "8 shown | 1 shown | 4 shown | 1"


def test_hostile_content_does_nothing_in_a_browser(tmp_path: Path) -> None:
    assert told(page(hostile(tmp_path)), "tell(document.images.length)", tmp_path) == "0"


def long_log(path: Path, turns: int) -> None:
    """A session in which a result is cleared at every turn and tools come and go."""
    names = [f"tool_{n}" for n in range(30)]
    with path.open("w") as stream:
        for turn in range(1, turns + 1):
            line: dict = {"session": "long", "turn": turn}
            if turn > 3:
                cleared = {"kind": "result-cleared", "spans": [f"result:c{turn - 2}"]}
                line["decisions"] = [cleared]
            if turn > 1:
                result = {"kind": "result", "call": f"c{turn - 1}", "text": f"value {turn}"}
                line["add"] = [result]
            line["tools"] = [{"name": n} for k, n in enumerate(names) if (turn // 50 + k) % 7]
            line["calls"] = [{"id": f"c{turn}", "tool": "tool_3", "arguments": {"n": turn}}]
            stream.write(json.dumps(({"ctxaudit": 1} if turn == 1 else {}) | line) + "\n")


def test_five_thousand_turns_stay_fluid(tmp_path: Path) -> None:
    log = tmp_path / "long.jsonl"
    long_log(log, 5000)
    text = page(log)
    assert data(text)["sessions"][0]["turns"] == 5000
    script = (
        "const started = performance.now(); for (let n = 0; n < 60; n += 1) press('ArrowRight');"
        "for (let n = 0; n < 20; n += 1) press('+'); press('End'); tell(here().slice(0, 9));"
        "tell(Math.round(performance.now() - started) < 4000)"
    )
    assert told(text, script, tmp_path) == "turn 5000 | true"
