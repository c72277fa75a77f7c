"""Hostile content: nothing acts, no secret is shown, and ordinary handles stay readable."""

from __future__ import annotations

import pytest

from ctxaudit.redaction import MASK, redact
from ctxaudit.safe import LIMIT, clean, excerpt, inert, lines_inert

BASE62 = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3x"
#: A text and the part of it that must not be shown.
SECRETS = [
    (f"key sk-{BASE62}", BASE62),
    (f"sk-proj-{BASE62}-{BASE62}", BASE62),
    (f"sk-ant-api03-{BASE62}", BASE62),
    (f"charge with sk_live_{BASE62[:24]}", BASE62[:24]),
    (f"git clone https://ghp_{BASE62}@github.com/a/b", BASE62),
    (f"github_pat_{BASE62}", BASE62),
    ("xoxb-1234567890-abcdefghij", "1234567890"),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN", "dozjgNryP4J3jVmN"),
    ("Authorization: Bearer abc123def456ghi789", "abc123def456"),
    ('{"Authorization": "Basic dXNlcjpwYXNz"}', "dXNlcjpwYXNz"),
    ("Authorization: token 0123456789abcdef", "0123456789abcdef"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----", "MIIEow"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEow and it is cut off", "MIIEow"),
    ("password=hunter2", "hunter2"),
    ('{"password": "correct horse battery"}', "battery"),
    ('"{\\"password\\": \\"correct horse\\"}"', "horse"),
    ("{'db_password': 'p4ss'}", "p4ss"),
    ("password: hunter2", "hunter2"),
    ("DB_PASS=hunter2", "hunter2"),
    ("mysql --password hunter2 -h db", "hunter2"),
    ("postgres://svc:s3cr3t@db:5432/app", "s3cr3t"),
    ("redis://:p@ssword@cache:6379", "ssword"),
    ("Server=db;AccountKey=abcd1234efgh==;Other=1", "abcd1234efgh"),
    (f"https://hooks.slack.com/services/T0000/B0000/{BASE62}", BASE62),
    (f'{{"upload_token": "{BASE62}"}}', BASE62),
    (f"?sig={BASE62}&page=2", BASE62),
    (f"Cookie: session={BASE62}", BASE62),
    ("client_secret: 9f8e7d6c", "9f8e7d6c"),
]
#: What must stay as it is: what findings are about.
ORDINARY = [
    "get_run run_8841",
    '{"id": "run_8841", "status": "queued"}',
    '{"confirm_token": "ct_91ab"}',
    "session 3f2b8c1e-1d7a-4d25-9a55-0b1f2c3d4e5f",
    '{"session": "3f2b8c1e-1d7a-4d25-9a55-0b1f2c3d4e5f"}',
    '{"key": "3f2b8c1e-1d7a-4d25-9a55-0b1f2c3d4e5f"}',
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    '{"cache_key": "9fceb02d0ae598e95dc970b74767f19372d61af8"}',
    '{"key": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}',
    '{"cache_key": "user_profile_2024_settings_v2"}',
    '{"key": "services/payments/config/production.yaml"}',
    "`password` is a required property",
    '{"password": null, "secret": false}',
    '{"password": ""}',
    '{"properties": {"password": {"type": "string"}}}',
    "PWD=/home/someone/project",
    "the basic configuration and the bearer authentication",
    "1 token, 20 tokens: monkey=banana",
    "https://example.org:8080/a/b?c=d",
    "mailto:someone@example.org",
    "risk-assessment-of-the-whole-portfolio-2024",
    "update_incident was rejected naming `notify`, `assignee_id`",
    "toolu_01A09q90qw90lq917835lq9",
    "call_abc123DEF456ghi789JKL",
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_secrets_are_redacted(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in redact(text)
    assert MASK in redact(text)
    assert secret not in excerpt("x" * 70 + " " + text)
    assert secret not in clean(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text
    assert clean(text) == text
    assert excerpt(text) == text


@pytest.mark.parametrize("text", [text for text, _ in SECRETS])
def test_redacting_twice_changes_nothing(text: str) -> None:
    assert redact(redact(text)) == redact(text)


HOSTILE = {
    "\x1b[31mred\x1b[0m": "\\x1b[31mred\\x1b[0m",
    "\x1b]8;;http://evil\x07link": "\\x1b]8;;http://evil\\x07link",
    "a\nb\r\nc\td": "a\\nb\\r\\nc\\td",
    "\x9b2J": "\\x9b2J",
    "nul\x00del\x7f": "nul\\x00del\\x7f",
    "user\u202etxt.exe": "user\\u202etxt.exe",
    "zero\u200bwidth\ufeff": "zero\\u200bwidth\\ufeff",
    "half \ud800 pair": "half \\ud800 pair",
    "tag \U000e0041": "tag \\U000e0041",
    "[bold red]markup[/] :smile:": "[bold red]markup[/] :smile:",
    "naïve 漢字 🙂": "naïve 漢字 🙂",
    "no XML \ufffe\uffff": "no XML \\ufffe\\uffff",
    "a ##[error]b ###[x": "a \\x23#[error]b #\\x23#[x",
    "##vso[task.setvariable variable=A]b": "\\x23#vso[task.setvariable variable=A]b",
    "## a [b] #[c] C## [d]": "## a [b] #[c] C## [d]",
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.items())
def test_active_characters_are_shown(text: str, shown: str) -> None:
    assert inert(text) == shown
    assert clean(text) == shown
    assert excerpt(text).encode() == shown.encode()


def test_no_line_begins_with_a_command() -> None:
    text = "::error::a\n  \u00a0\x1b[1m::set-env name=a::b\n\nstd::error::Error ::debug::c\n"
    assert lines_inert(text) == (
        "\\x3a:error::a\n  \u00a0\x1b[1m\\x3a:set-env name=a::b\n\nstd::error::Error ::debug::c\n"
    )
    assert len(lines_inert("\n" * 200_000)) == 200_000


def test_an_excerpt_is_around_its_needle() -> None:
    text = "a" * 5000 + " needle " + "b" * 5000
    shown = excerpt(text, "needle", 100)
    assert len(shown) == 100
    assert "needle" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert excerpt("short needle", "needle") == "short needle"
    assert excerpt("no such thing", "needle") == "no such thing"


def test_a_needle_is_found_behind_redactions() -> None:
    text = f"sk-{BASE62} " * 40 + "run_8841 is queued"
    assert "run_8841" in excerpt(text, "run_8841", 80)


@pytest.mark.parametrize("before", [0, 10, 60, 500, 3000])
def test_no_tail_of_a_secret_is_shown(before: int) -> None:
    text = f"sk-{BASE62 * 6} and {'-' * before} needle"
    assert BASE62[-8:] not in excerpt(text, "needle", 160)
    assert BASE62 not in excerpt(text, BASE62, 160)


def test_long_texts_are_cut() -> None:
    assert len(clean("x" * 1_000_000)) == LIMIT
    assert len(excerpt("\x1b" * 1_000_000)) == 160


PIECES = ["-----BEGIN ", "password=", "a://b:", "://", "eyJaaaaaaaaa.", "sk-", "token=", "\\", "-"]


@pytest.mark.parametrize("piece", PIECES)
def test_redaction_ends(piece: str) -> None:
    """Hangs if a pattern backtracks more than it should."""
    assert redact(piece * (300_000 // len(piece)))
