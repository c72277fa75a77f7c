"""Where a validation error, in words, names its fields. Data only."""

from __future__ import annotations

import re

from ctxaudit.patterns import regex

#: Where a validation error names its fields: group 1 is a name, or a list of them.
FIELDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (hint, regex(pattern, re.IGNORECASE))
    for hint, pattern in (
        ("parameter", r"parameters?:? ?[`'\"“]([^`'\"”\n]{1,80})[`'\"”]"),
        ("parameter", r"[`'\"]([\w.\[\]-]{1,80})[`'\"] parameters?\b"),
        (
            "parameter",
            r"(?:required|unknown|unexpected|missing|invalid|unsupported) parameters?:? "
            r"(?!(?:is|are|was|for|in|to)\b)([A-Za-z_][\w.\[\]-]*(?:, ?[A-Za-z_][\w.\[\]-]*)*)",
        ),
        ("parameter", r"\bparameter ([A-Za-z_]\w{0,60}) (?:is|must|should)\b"),
        ("argument", r"arguments?:? [`'\"]([^`'\"\n]{1,80})[`'\"]"),
        (
            "argument",
            r"(?:required|unknown|unexpected|missing|invalid) arguments?:? (?!(?:is|are|for|in)\b)"
            r"([A-Za-z_][\w.-]*(?:, ?[A-Za-z_][\w.-]*)*)",
        ),
        ("positional", r"positional arguments?: ([^\n]{1,200})"),
        ("keyword-only", r"keyword-only arguments?: ([^\n]{1,200})"),
        (
            "propert",
            r"required propert(?:y|ies) [`'\"]?([\w.$-]{1,80}(?:, ?[\w.$-]{1,80})*)",
        ),
        ("propert", r"(?:additional|missing) properties:? ?\[([^\]\n]{1,300})\]"),
        ("propert", r"['\"]([^'\"\n]{1,80})['\"] is a required property"),
        ("unexpected)", r"\(([^()\n]{1,200}?) (?:was|were) unexpected\)"),
        ("key", r"unrecognized keys?(?:\(s\))?(?: in object)?: ([^\n{}\]]{1,200})"),
        ("keyerror", r"keyerror:? ['\"]([^'\"\n]{1,80})['\"]"),
        ("(keyerror)", r"\(keyerror\) key [\":]([\w.-]{1,80})"),
        (
            "field",
            r"(?:missing|unknown|required|invalid|duplicate) field:? [`'\"]?([\w.$-]{1,80})",
        ),
        ("field", r"\bfield [`'\"]([\w.$-]{1,80})[`'\"]"),
        ("go struct field", r"go struct field \w{1,60}\.([\w.]{1,80}) of type"),
        ("mandatory", r"parameters are not present:\s*((?:[A-Za-z_][\w.-]{0,80}\n)+)"),
        ("for", r"invalid (?:type|value) for [`'\"]([\w.\[\]$-]{1,80})[`'\"]"),
        (
            "required",
            r"[`'\"]([A-Za-z_][\w.\[\]-]{0,60})[`'\"] (?:is|are) (?:required|mandatory)",
        ),
        (
            "required",
            r"(?:^|: )(?-i:([a-z_][\w.\[\]]{0,60})) (?:is|are) (?:a )?(?:required|mandatory)\b",
        ),
        ("missing", r"[`'\"]([A-Za-z_][\w.\[\]-]{0,60})[`'\"] is missing"),
        (
            "must",
            r"(?:^|[\s(;,`'\"])(?:data|body|args|params|input)?/?([\w./\[\]-]{1,80}?)[`'\"]?:?"
            r" must be ",
        ),
        (
            "\n",
            r"(?:^|\n)([A-Za-z_][\w.\[\]-]{0,120})\n {1,4}(?:field required|missing |unexpected "
            r"|extra |"
            r"input should|value error|assertion|string should|invalid )",
        ),
        (
            ": ",
            r"(?:^|\n {0,4}|: |- )([A-Za-z_][\w.\[\]-]{0,80}): (?:field required|extra inputs are"
            r"|input"
            r" should"
            r"|required\b|this field is required|required value|expected \w{1,10}, received)",
        ),
    )
)
#: Words that the patterns above may take for a field.
NO_FIELD = frozenset(
    (
        "a",
        "an",
        "and",
        "args",
        "argument",
        "arguments",
        "be",
        "body",
        "data",
        "error",
        "field",
        "for",
        "in",
        "is",
        "it",
        "must",
        "of",
        "or",
        "params",
        "properties",
        "property",
        "required",
        "root",
        "that",
        "the",
        "this",
        "to",
        "tool",
        "was",
        "with",
    )
)
