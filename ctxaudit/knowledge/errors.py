"""What executors and providers say when a call fails, and which kind of failure it is.

One table (``ROWS``) of wordings seen in public logs, then general shapes: lists of schema issues,
JSON error bodies, status codes. The log's own error flag is a hint only: real validation errors
come with the flag unset, and plain "no matches" answers come with it set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

#: Characters looked at: for wordings, for the names of fields, for JSON bodies.
LEAD, HEAD, JSON_CAP = 600, 6_000, 20_000
#: A longer text that merely begins like an error is content (a log, a page), unless it is flagged.
SHORT = 2_000
#: A longer text without any error prefix is content.
BARE = 500


class FailureKind(StrEnum):
    """Why a call failed. Only VALIDATION is about fields that the tool's schema would have told."""

    VALIDATION = "validation"
    UNKNOWN_TOOL = "unknown-tool"
    PAIRING = "pairing"
    MALFORMED = "malformed"
    TRANSIENT = "transient"
    REFUSED = "refused"
    GUARD = "guard"
    NOT_FOUND = "not-found"
    INTERRUPTED = "interrupted"
    BUSINESS = "business"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed call, read from its result.

    ``fields`` are the parameters that the text names, as dotted paths (for a NameError: the name);
    ``tool`` is the tool that it names; ``signature`` is the table row that matched.
    """

    kind: FailureKind
    fields: tuple[str, ...] = ()
    tool: str | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One wording. ``anywhere``: telling enough to be searched for in a text known to be an error;
    the others must begin the text (or what follows an error prefix)."""

    name: str
    kind: FailureKind
    pattern: re.Pattern[str]
    anywhere: bool = False


def _row(name: str, kind: FailureKind, pattern: str, *, anywhere: bool = False) -> Row:
    return Row(name, kind, re.compile(pattern, re.IGNORECASE | re.DOTALL), anywhere)


_Q = "[\"'`\u201c\u2018]?"
_E = "[\"'`\u201d\u2019]?"
_TOOL = rf"{_Q}(?P<tool>[A-Za-z_][\w.\-/:]{{0,127}}?){_E}"
_WORD = r"[A-Za-z_$][\w.$\[\]/-]{0,80}"
_TYPE = r"(?:a |an |of type )?(?:string|number|integer|boolean|bool|array|object|list|dict|null)"
_PARAM = r"(?:parameters?|arguments?|propert(?:y|ies)|fields?|params?|inputs?|keys?)"
K = FailureKind

#: The first row that matches decides, so the telling ones stand before the general ones.
ROWS: tuple[Row, ...] = (
    # the user or the runtime stopped the call
    _row(
        "interrupted",
        K.INTERRUPTED,
        r"\[?request interrupted by user|sibling tool call errored|cancelled: parallel tool call"
        r"|aborted by user|(?:command|tool execution|operation|request) (?:was )?"
        r"(?:aborted|interrupted|cancell?ed)\b|(?:error: )?user cancell?ed\b"
        r"|tool (?:call )?(?:\S+ (?:with id \S+ )?)?was (?:interrupted|cancell?ed)"
        r"|the tool execution was interrupted|cancell?ed by (?:the )?user"
        r"|\[?tool call was interrupted|\[system: tool execution skipped|aborted\s*$",
    ),
    # a human or a policy said no
    _row(
        "refused-by-user",
        K.REFUSED,
        r"the user doesn't want to (?:proceed|take this action)|(?:the )?user (?:has )?"
        r"(?:declined|rejected|denied|refused)\b|rejected by (?:the )?(?:user|approver|reviewer"
        r"|human)"
        r"|(?:the )?tool use was rejected|\w+ requested permissions? to .{0,300}haven't granted"
        r"|request (?:was )?(?:declined|rejected|denied) by",
        anywhere=True,
    ),
    _row(
        "refused-by-policy",
        K.REFUSED,
        r"permission (?:for this action|to use .{0,80}) has been den|permission .{0,80}denied by"
        r"|(?:\S+: ){0,3}permission denied|(?:bash|shell|write|edit)?\s?(?:operation|command|tool"
        r"|call)"
        r" (?:was )?(?:blocked|denied|not permitted) by|\W{0,4}blocked[: ]"
        r"|(?:\S+ ){0,4}hook (?:blocked|denied)|operation (?:blocked|denied) by .{0,40}hook"
        r"|(?:forbidden|unauthorized|access denied|not authorized|unauthenticated)\b"
        r"|(?:http |status )?(?:code )?40[13]\b|E(?:ACCES|PERM)\b"
        r"|authenti?cation (?:is )?(?:required|failed)",
    ),
    # the runtime wants the model to have read something first
    _row(
        "read-guard",
        K.GUARD,
        r"file has not been read yet|(?:the )?file .{0,300}?(?:has been|was) (?:unexpectedly"
        r" )?modified"
        r" since|you must (?:first )?read (?:the )?file|you must use (?:the|your) read tool"
        r"|read it first before|file .{0,200} must be read before|blocked: .{0,80}already (?:read"
        r"|ran)",
        anywhere=True,
    ),
    # providers: calls and results that lost each other
    _row(
        "tool-use-without-result",
        K.PAIRING,
        r"`?tool_use`? ids were found without|tool results are missing for tool calls"
        r"|AI_MissingToolResultsError|no tool output found for function call"
        r"|must be followed by tool messages responding to",
        anywhere=True,
    ),
    _row(
        "result-without-tool-use",
        K.PAIRING,
        r"unexpected `?tool_use_id`? found in|no tool call found for (?:function|custom tool|\w+)"
        r" call"
        r" output|messages with role 'tool' must be a response to|tool call result does not follow"
        r" tool call|does not match any tool call in the preceding|tool_call_id does not exist"
        r"|unexpected role 'tool' after role|no function call event found for function responses"
        r"|AI_ToolCallNotFoundForApprovalError|duplicate function_call_output for call_id",
        anywhere=True,
    ),
    _row(
        "parts-out-of-step",
        K.PAIRING,
        r"(?:please ensure that (?:the )?)?(?:number of function response parts is equal to"
        r"|function call turn comes immediately after)"
        r"|INVALID_CHAT_HISTORY",
        anywhere=True,
    ),
    # the tool is not there
    _row(
        "no-such-tool",
        K.UNKNOWN_TOOL,
        rf"no such tool(?: available)?:? ?{_TOOL}(?=[\s.,;<\"'`)]|$)",
        anywhere=True,
    ),
    _row(
        "unavailable-tool",
        K.UNKNOWN_TOOL,
        rf"(?:model |you )?tried to (?:call|use) (?:the |an )?(?:unavailable )?tool {_TOOL}"
        r"(?:\. |, but|\s*$|[\s.,])",
        anywhere=True,
    ),
    _row(
        "no-tool-named",
        K.UNKNOWN_TOOL,
        rf"(?:there is )?no tool (?:named|called) {_TOOL}(?:\s|\.|$)",
    ),
    _row(
        "not-a-valid-tool",
        K.UNKNOWN_TOOL,
        rf"(?:tool |function )?{_TOOL} is not a (?:valid|known|registered) (?:tool|function)\b",
    ),
    _row(
        "unknown-tool",
        K.UNKNOWN_TOOL,
        rf"(?:unknown|unrecognized|undefined|invalid|unsupported) (?:tool|function|custom tool"
        rf"|method)"
        rf"(?: name| call)?:? {_TOOL}(?=[\s.,;<\"'`)]|$)",
    ),
    _row(
        "unsupported-call",
        K.UNKNOWN_TOOL,
        rf"unsupported (?:custom tool )?call:? {_TOOL}(?=\s|$)",
    ),
    _row(
        "tool-not-found",
        K.UNKNOWN_TOOL,
        rf"(?:the )?(?:requested )?(?:tool|function|method)(?: named)? {_TOOL}:? (?:is |was )?"
        r"(?:not found|currently disabled|not (?:currently )?(?:available|registered|enabled)"
        r"|no longer available|called but was not available|unavailable|does(?: not|n't) exist"
        r"|has been (?:removed|disabled))",
    ),
    _row(
        "tool-not-enabled",
        K.UNKNOWN_TOOL,
        rf"{_TOOL} exists but is not enabled in this context",
    ),
    _row(
        "tool-reference",
        K.UNKNOWN_TOOL,
        rf"tool reference {_TOOL} not found in available tools",
        anywhere=True,
    ),
    _row(
        "tool-unavailable",
        K.UNKNOWN_TOOL,
        r"tool (?:does not exist on server|(?:is )?no longer available)|ACTION_DISABLED\b"
        r"|(?:mcp error )?-32601\b|method not found(?:: (?P<tool>[\w./-]{1,128}))?\s*$",
    ),
    _row(
        "tools-not-defined",
        K.UNKNOWN_TOOL,
        r"requests which include `?tool_use`? or `?tool_result`? blocks must define tools"
        r"|the toolconfig field must be defined when",
        anywhere=True,
    ),
    # the arguments are no JSON
    _row(
        "malformed-arguments",
        K.MALFORMED,
        r"(?P<tool>[\w.\-/]{1,128}) was called with input that could not be parsed as JSON"
        r"|invalid json (?:input|arguments?) for (?:tool|function) (?P<tool2>[\w.\-/]{1,128})"
        r"|\d{1,3} validation errors? for .{0,200}?\n\s{0,8}invalid json:|arguments were malformed"
        r"|error parsing json arguments|(?:json\.)?(?:decoder\.)?jsondecodeerror|json parsing"
        r" failed"
        r"|(?:unexpected|unterminated) (?:token|string|end)\b.{0,80}\bjson|invalid json\b"
        r"|[^\n]{1,80} in json at position"
        r"|(?:failed|unable) to (?:parse|decode) (?:tool |function )?(?:call )?(?:json|arguments?)"
        r"(?!.{0,40}(?:missing field|unknown field|invalid type|unknown variant|invalid value))",
    ),
    # the infrastructure, not the call
    _row(
        "transport",
        K.TRANSIENT,
        r"transport (?:is )?(?:closed|error)|connection (?:was |is )?(?:closed|refused|reset"
        r"|aborted"
        r"|timed out|error|lost)|not connected\b|server (?:is )?(?:disconnected|shut ?down"
        r"|unavailable)"
        r"|broken pipe|socket hang up|fetch failed|network (?:error|is unreachable)"
        r"|E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|PIPE|AI_AGAIN|HOSTUNREACH)\b|MCP error"
        r" -3200[01]",
        anywhere=True,
    ),
    _row(
        "timeout",
        K.TRANSIENT,
        r"(?:\S+ ){0,6}timed[ -]?out\b|(?:\S+ ){0,4}timeout(?:error)?\b(?: (?:of|after|exceeded"
        r"|error)|"
        r"[:.]|\s*$)|(?:context )?deadline exceeded|.{0,120}: (?:command|request|operation) timed"
        r" out",
    ),
    _row(
        "overload",
        K.TRANSIENT,
        r"rate[ _-]?limit(?:ed|ing|s)?\b.{0,40}(?:exceed|error|reach|hit|retry|try)"
        r"|rate_limit_error"
        r"|rate limited|too many requests|overloaded(?:_error)?\b|service (?:is )?(?:temporarily )?"
        r"unavailable|internal server error|bad gateway|gateway time-?out|resource[ _]exhausted"
        r"|quota exceeded|temporarily unavailable|try again (?:later|in \d)",
        anywhere=True,
    ),
    _row(
        "status-transient",
        K.TRANSIENT,
        r"(?:(?:http|api)(?: error)?|(?:request failed with )?status(?: code)?|error code)[: ]{0,2}"
        r"\(?(?:5\d\d|429|408)\b|\b(?:5\d\d|429|408) (?:\{|service |bad gateway"
        r"|internal server|gateway time|too many|request time)",
        anywhere=True,
    ),
    # the schema says no
    _row(
        "issue-list",
        K.VALIDATION,
        r"(?P<tool>[\w.\-/:]{1,128}) failed due to the following issues?(?:\(s\))?:",
    ),
    _row(
        "pydantic",
        K.VALIDATION,
        r"(?:found )?\d{1,4} validation errors?(?: (?:for|in|parsing)\b|:)"
        r"(?: call\[(?P<tool>[\w.-]{1,128})\]| (?P<tool2>\w{1,120})Arguments\b)?",
    ),
    _row(
        "invalid-arguments-for",
        K.VALIDATION,
        rf"(?:input validation error: )?invalid (?:tool )?(?:arguments?|inputs?|parameters?|params)"
        rf" (?:provided )?(?:for|to) (?:the )?(?:tool |function )?{_TOOL}(?=[\s:.,(]|$)",
        anywhere=True,
    ),
    _row(
        "called-with-invalid-arguments",
        K.VALIDATION,
        rf"the {_TOOL} tool was called with invalid arguments",
    ),
    _row(
        "validation-failed-for",
        K.VALIDATION,
        rf"(?:parameter |argument |input )?validation (?:failed|error) (?:for|in) (?:tool "
        rf"|function )?"
        rf"{_TOOL}(?=[\s:.,(]|$)|(?:tool ){_Q}(?P<tool2>[\w.\-/]{{1,128}}){_E} (?:parameter"
        rf"|argument"
        r"|input) validation failed",
    ),
    _row(
        "mandatory-not-present",
        K.VALIDATION,
        r"invoking `?(?P<tool>[\w.\-/]{1,128})(?:\(\))?`? failed as the following mandatory input",
    ),
    _row(
        "json-schema-go",
        K.VALIDATION,
        r"(?:invalid params: )?validating (?:\"arguments\"|root|/\S{0,80}):|(?:unexpected"
        r" additional"
        r"|missing) properties: ?\[",
        anywhere=True,
    ),
    _row(
        "zod",
        K.VALIDATION,
        r"(?:[\w.\[\]]{1,80}: )?(?:unrecognized keys?(?:\(s\))?(?: in object)?:"
        r"|(?:invalid (?:input|type): )?expected [a-z]{3,10}, received [a-z]{3,10})",
        anywhere=True,
    ),
    _row(
        "json-schema",
        K.VALIDATION,
        r"['\"][^'\"\n]{1,80}['\"] is a required property"
        r"|additional properties are not allowed \(|[^\n]{1,160}? is not of types? ['\"]"
        r"|[^\n]{1,160}? is not one of \[|output does not match required schema",
    ),
    _row(
        "ajv",
        K.VALIDATION,
        r"your input to the tool was invalid|(?:[\w/.\[\]'-]{0,80}:? )?(?:must|should) (?:have"
        r" required"
        r" propert|not have additional propert|be equal to one of the allowed)"
        rf"|(?:data|body|args|arguments|params|input|instance|root)?/?[\w./\[\]'-]{{0,80}}:? must"
        rf" be "
        rf"{_TYPE}\b",
    ),
    _row(
        "field-message",
        K.VALIDATION,
        rf"{_WORD}: (?:field required|extra inputs are not permitted|input should be |required"
        rf" value\b"
        r"|this field is required|required\s*$)|(?:field required|extra inputs are not permitted"
        r"|this field is required)\b",
    ),
    _row(
        "serde",
        K.VALIDATION,
        r"(?:failed to (?:parse|deserialize) [\w ]{0,40}: )?(?:missing field [`\"']|unknown field"
        r" [`\"']"
        r"|unknown variant [`\"']|invalid type: [^\n]{1,120}, expected )|json: (?:unknown field"
        r"|cannot unmarshal \w+ into go)",
    ),
    _row(
        "missing-parameter",
        K.VALIDATION,
        rf"(?:missing (?:value for )?(?:the |a )?(?:required|mandatory) (?:\w+ )?{_PARAM}\b"
        rf"|(?:the )?(?:required|mandatory) {_PARAM} .{{0,90}}?(?:is|are|was|were) "
        rf"(?:missing|absent|not (?:provided|present|set|given))|required {_PARAM} (?:is |are"
        rf" )?missing"
        rf"|missing {_PARAM}[: ]|{_PARAM} {_Q}{_WORD}{_E} (?:is|are) (?:required|missing|mandatory)"
        rf"|missing (?:or invalid )?required\b|param is missing)",
    ),
    _row(
        "unexpected-parameter",
        K.VALIDATION,
        rf"(?:an )?(?:unexpected|unknown|unsupported|unrecognized) {_PARAM}:? {_Q}{_WORD}",
    ),
    _row(
        "bad-parameter",
        K.VALIDATION,
        rf"(?:the )?{_PARAM} {_Q}{_WORD}{_E} (?:type is expected|must be|should be|is invalid"
        rf"|is not (?:valid|allowed))|invalid {_Q}{_WORD}{_E} {_PARAM}\b"
        rf"|invalid (?:type|value) for (?:{_PARAM} )?{_Q}{_WORD}|invalid {_PARAM}: {_Q}{_WORD}"
        rf"|{_Q}{_WORD}{_E} must be {_TYPE}\b|invalid parameters? provided"
        r"|(?:argument|input|parameter|params|schema|type) validation (?:error|failed)",
    ),
    _row(
        "python-arguments",
        K.VALIDATION,
        r"(?:typeerror: )?[\w.<>]{0,80}(?:\(\))? ?(?:got an unexpected keyword argument '"
        r"|missing \d{1,2} required (?:positional|keyword-only) arguments?: )",
        anywhere=True,
    ),
    _row(
        "key-error",
        K.VALIDATION,
        r"\(keyerror\) key \"?:?\w|tool execution failed: keyerror: |error (?:executing|calling|in)"
        r" (?:tool|function) [^\n:]{1,130}: (?:keyerror: )?'[\w.-]{1,60}'\s*$",
        anywhere=True,
    ),
    _row(
        "validating-arguments",
        K.VALIDATION,
        r"error validating json arguments|error repairing tool call|input ?validation ?error\b"
        r"|tool loaded\W{1,5}retry required",
    ),
    _row(
        "quoted-is-required",
        K.VALIDATION,
        r"[\"'`][A-Za-z_][\w.\[\]-]{0,60}[\"'`] (?:is|are) (?:a )?(?:required|mandatory|missing)\b",
    ),
    _row(
        "is-required",
        K.VALIDATION,
        r"(?-i:(?!(?:auth\w*|login|approval|confirmation|permission|payment|restart|review"
        r"|access)\b)"
        r"[a-z_][\w.\[\]]{0,60}) (?:is|are) (?:a )?(?:required|mandatory)(?: \w+)?[.!]?\s*$",
    ),
    # a name or thing that is not there
    _row(
        "name-error",
        K.NOT_FOUND,
        r"(?:nameerror: )?(?:free |cannot access )?(?:name|variable) '(?P<field>\w{1,80})' is not"
        r" defined"
        r"|referenceerror: (?P<field2>[\w$]{1,80}) is not defined"
        r"|attributeerror: [^\n]{1,120} has no attribute '(?P<field3>\w{1,80})'",
        anywhere=True,
    ),
    _row(
        "missing-file",
        K.NOT_FOUND,
        r"[^\n]{0,200}?(?:no such file or directory|\bENOENT\b|no such (?:key|bucket|table|column"
        r"|container|process|object)\b|command not found)|filenotfounderror"
        r"|(?:file|path|directory) does not exist",
    ),
    _row(
        "unknown-id",
        K.NOT_FOUND,
        r"[^\n]{0,80}?\b(?:unknown|no|invalid) (?:\w+ ){0,2}(?:id|identifier|session|task|process"
        r"|job"
        r"|run|handle|user|order)\b(?: id)?(?: (?:found|with|for|named|matching))?[: ]{1,2}\S"
        r"|no \w{1,30} (?:found )?(?:with|for|named|matching) (?:the )?(?:id|identifier|name"
        r"|key)\b",
    ),
    _row(
        "not-found",
        K.NOT_FOUND,
        r"[^\n{}]{0,160}?\b(?:not[ _]found|(?:does|do|did)(?: not|n't) exist|(?:could|can)(?:not"
        r"|n't| not)"
        r" (?:find|be found)|(?:unable|failed) to find|no longer exists|has expired)\b",
    ),
    _row(
        "status-not-found",
        K.NOT_FOUND,
        r"(?:(?:http|api)(?: error)?|(?:request failed with )?status(?: code)?|error code)[: ]{0,2}"
        r"\(?4(?:04|10)\b|404\b",
    ),
)

#: Where a validation error names its fields: group 1 is a name, or a list of them.
FIELDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (hint, re.compile(pattern, re.IGNORECASE))
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
_NO_FIELD = frozenset(
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
_NAME = re.compile(r"[A-Za-z_$][\w.$\[\]-]{0,120}\Z")
_LISTED = re.compile(r"[`'\"]?([A-Za-z_$][\w.$\[\]-]{0,120})[`'\"]?(?:,|\s+and\b|\s|$)?")

#: What may stand before the wording: "MCP error -32602:", "Error executing tool x:", "ToolError:".
_PREFIX = re.compile(
    r"""\s*(?:[❌✗⚠️🚫]\s*)?(?:
      error\ invoking\ tool\ ['"](?P<t1>[^'"\n]{1,128})['"]\ with\ kwargs
        \ .{0,2000}?\ with\ error:\s*
    | (?:error|exception|failed)\ (?:executing|calling|running|invoking|in|from|when\ calling)
        (?:\ mcp)?\ (?:tool|function)(?:\ ['"`]?(?P<t2>[\w.\-/:]{1,128}?)['"`]?)?:\s+
    | tool\ call\ (?:error:\ tool\ call\ )?failed\ for\ `[^`\n]{1,160}`\s*(?:caused\ by:)?\s*
    | caused\ by:\s*
    | messages\.\d{1,6}[\w.]{0,40}:\s+
    | invalid\ params?,\s+
    | script\ (?:error|failed):?\s+
    | (?:invalid\ parameters?\ provided|invalid\ params)\.?\ reason:\s*
    | (?:[\w\[\]\-]+\ ){0,4}?\[?\w*(?:error|exception|failure|failed)\]?(?:\ code)?
        (?:\ ?[\[(]?-?[A-Za-z]{0,6}\d{1,6}[\])]?)?\ ?[:\-]\s+(?:-\d{4,6}:\s)?
    | mcp\ error:?\ -?\d{1,6}:\s
    | \[\w*(?:error|failed)\w*\]:?\s+
    | (?:errors?|failed)\s*(?:\n|$)
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
#: A cheap test before the table is tried on a text that is not flagged.
_HINT = re.compile(
    r"error|fail|invalid|missing|unknown|unrecognized|unsupported|unexpected|require|not |no |n't"
    r"|denied|reject"
    r"|declin|cancel|abort|interrupt|timed|timeout|valid|exceed|forbidden|unavailable|unauthor"
    r"|block"
    r"|overload|rate|refuse|closed|must|defined|enoent|eacces|econn|etimed|40[0-9]|42[29]|50[0-9]"
    r"|tool_use|ensure|disabled|retry|tried|permission",
    re.IGNORECASE,
)
#: How quoted content begins: a numbered line, a search hit, a comment, a list, a diff.
_CONTENT = re.compile(
    r"\s*(?:\d{1,6}[\t\u2192|:]|[^\s:()]{0,200}[./][^\s:]{0,80}:\d{1,6}[:\-]"
    r"|[-+*#] |##|//|/\*|>|@@)"
)
#: Answers that runtimes flag as errors although they only say "none".
_PLAIN_NONE = re.compile(
    r"\s*(?:no (?:\w+ ){0,2}(?:matches|results?|files|hits|entries|items|records|tasks)(?:"
    r" were)?(?: found)?"
    r"|found 0 \w+|0 (?:matches|results|hits|files)(?: found)?|\[\]|\{\}|none|\(no"
    r" output\))[.!]?\s*\Z",
    re.IGNORECASE,
)

# -- envelopes -----------------------------------------------------------------------------------

_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_TAGGED = re.compile(r"\s*<(tool_use_error|error|tool_error)>(.*?)(?:</\1>\s*|\Z)", re.DOTALL)
_HEADER = re.compile(
    r"(?:(?:chunk id|wall time|original token count|total output lines|session id|output|command"
    r"|directory|process exited with code|process running with session id|exit code|script"
    r" (?:completed"
    r"|failed|running with cell id))\b[^\n]{0,200}(?:\n|\Z))+",
    re.IGNORECASE,
)
_EXIT_HEAD = re.compile(
    r"(?:process exited with code|exit code|<returncode>|command (?:exited|failed) with"
    r" (?:exit )?(?:code|status))[:= ]*(-?\d{1,5})",
    re.IGNORECASE,
)
_EXIT_TAIL = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)|exit_code|returncode|finished with exit code)"
    r"[:= ]{1,3}(-?\d{1,5})[\])}.\"]{0,4}\s*(?:\Z|\n)",
    re.IGNORECASE,
)
_BRACKETS = (("{", "}"), ("[", "]"))
_TEXT_KEYS = ("output", "result", "content", "text", "stdout")
_EXIT_KEYS = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")


@dataclass(frozen=True, slots=True)
class Envelope:
    """A result without its runtime's wrapping.

    ``text`` is what the tool said, ``exit`` the exit status of a command, ``flagged`` whether the
    wrapping itself says that this is an error, ``value`` the parsed body if it is a JSON container.
    """

    text: str
    exit: int | None = None
    flagged: bool = False
    value: Any = None


def parsed(text: str) -> Any:
    """The JSON object or array that ``text`` is, or None (also where it is too long to bother)."""
    stripped = text.strip()
    if len(stripped) > JSON_CAP or not stripped or (stripped[0], stripped[-1]) not in _BRACKETS:
        return None
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        return None


def unwrap(text: str) -> Envelope:
    """Strip tags, command headers and ``{"output": ...}`` wrappings from a result."""
    if "\x1b" in text[:HEAD]:
        text = _ANSI.sub("", text[: 2 * JSON_CAP])
    if tagged := _TAGGED.match(text):
        return Envelope(tagged[2].strip(), flagged=True)
    value = parsed(text)
    if value is not None:
        return _unwrap_json(text, value)
    return _unwrap_command(text)


def _unwrap_command(text: str) -> Envelope:
    head = text[:400].lstrip()
    code = (
        _EXIT_HEAD.search(head) if _HEADER.match(head) or head.startswith("<returncode>") else None
    )
    body = text
    if code or head[:9].lower() in ("wall time", "chunk id:") or head.startswith("Script "):
        body = _HEADER.sub("", text.lstrip(), count=1)
    code = code or _EXIT_TAIL.search(text[-160:])
    value = parsed(body) if body is not text else None
    return Envelope(body, int(code[1]) if code else None, value=value)


def _unwrap_json(text: str, value: Any) -> Envelope:
    if isinstance(value, list):
        texts = [v["text"] for v in value if isinstance(v, dict) and isinstance(v.get("text"), str)]
        if texts and len(texts) == len(value) and value[0].get("type") == "text":
            return _unwrap_command("\n".join(texts))
        return Envelope(text, value=value)
    flagged = value.get("isError") is True or value.get("is_error") is True
    code = _exit_of(value)
    if code is None and not flagged and len(value) > 1:
        return Envelope(text, value=value)
    for key in _TEXT_KEYS:
        inner = value.get(key)
        if isinstance(inner, list | dict):
            inner = json.dumps(inner)
        if isinstance(inner, str) and (inner or code is not None):
            nested = unwrap(inner) if inner != text else Envelope(inner)
            if code and not nested.text.strip() and isinstance(value.get("stderr"), str):
                nested = Envelope(value["stderr"])
            return Envelope(
                nested.text,
                nested.exit if code is None else code,
                flagged,
                nested.value,
            )
    return Envelope(text, code, flagged, value)


def _exit_of(value: dict[str, Any]) -> int | None:
    for holder in (value, value.get("metadata")):
        if isinstance(holder, dict):
            for key in _EXIT_KEYS:
                if isinstance(holder.get(key), int):
                    return int(holder[key])
    return None


# -- reading -------------------------------------------------------------------------------------


def failure(text: str, failed: bool | None = None) -> Failure | None:
    """What kind of failure a result tells of; None when it is none.

    ``failed`` is the log's own error flag. Set, it makes any text a failure except a plain "none
    found"; unset or absent, the text must begin like an error, or be one as a whole.
    """
    envelope = unwrap(text)
    flagged = failed is True or envelope.flagged or bool(envelope.exit)
    if _PLAIN_NONE.match(envelope.text[:BARE]) and not envelope.exit:
        return None
    if envelope.exit == 0 and failed is not True:
        return None
    if isinstance(envelope.value, dict):
        found = _of_body(envelope.value, 0)
    elif isinstance(envelope.value, list):
        found = _of_issues(envelope.value) if _only_issues(envelope.value) else None
    else:
        found = _of_text(envelope.text, flagged)
    if found is None:
        return _unworded(envelope.exit) if flagged else None
    if envelope.exit and found.kind not in _OF_COMMANDS:
        return Failure(FailureKind.BUSINESS, signature="exit-status")
    return found


def _unworded(code: int | None) -> Failure:
    """A failure whose text says nothing known: the exit status or the flag alone."""
    kind = _EXITS.get(code or 0, FailureKind.BUSINESS)
    return Failure(kind, signature="exit-status" if code else "flag")


#: Exit statuses with a meaning of their own: timeout(1), SIGINT.
_EXITS = {124: FailureKind.TRANSIENT, 130: FailureKind.INTERRUPTED}
#: What a command with a bad exit status can mean; its output may quote anything else.
_OF_COMMANDS = frozenset(
    {
        FailureKind.NOT_FOUND,
        FailureKind.TRANSIENT,
        FailureKind.REFUSED,
        FailureKind.INTERRUPTED,
        FailureKind.BUSINESS,
    }
)


def _of_text(text: str, flagged: bool) -> Failure | None:
    """Classify prose; ``flagged`` texts are searched, others must begin with the wording."""
    head = _last_line(text[:HEAD]) if text.startswith("Traceback (most recent") else text[:HEAD]
    if not flagged and (not _HINT.search(head[:BARE]) or is_content(head)):
        return None
    stages, tool = _stages(head)
    prefixed = len(stages) > 1
    if not flagged and not prefixed and len(text) > BARE and not _telling_start(head):
        return None
    for row in ROWS:
        if match := _match(row, head, stages, flagged or prefixed):
            if row.kind in _SHORT_ONLY and not flagged and len(text) > SHORT:
                return None
            return _found(row, match, head, tool)
    if flagged or (prefixed and len(text) <= SHORT):
        found = _of_embedded(head, tool)
        if found is None and prefixed:
            return Failure(FailureKind.BUSINESS, (), tool, "error-prefix")
        return found
    return None


def is_content(text: str) -> bool:
    """Does a text begin like a piece of a file, a search hit or a list, not like a message?"""
    return _CONTENT.match(text) is not None


#: Kinds whose wordings are everyday words: a long text that begins so is content.
_SHORT_ONLY = frozenset({FailureKind.NOT_FOUND, FailureKind.TRANSIENT, FailureKind.BUSINESS})


def _telling_start(head: str) -> bool:
    """A long text without an error prefix can still be one: schema echoes, received arguments."""
    return any(row.pattern.match(head[:LEAD].lstrip()) for row in ROWS if row.kind in _LONG_KINDS)


_LONG_KINDS = frozenset({FailureKind.VALIDATION, FailureKind.UNKNOWN_TOOL, FailureKind.REFUSED})


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _stages(head: str) -> tuple[list[int], str | None]:
    """Offsets where a wording may begin (at the start, after each error prefix); a tool named."""
    at = len(head) - len(head.lstrip())
    stages, tool = [at], None
    for _ in range(4):
        match = _PREFIX.match(head, at)
        if match is None or match.end() == at:
            break
        tool = tool or match["t1"] or match["t2"]
        at = match.end()
        stages.append(at)
    return stages, tool


def _match(row: Row, head: str, stages: list[int], known: bool) -> re.Match[str] | None:
    for at in stages:
        if match := row.pattern.match(head, at, at + LEAD):
            return match
    if known and row.anywhere:
        return row.pattern.search(head, stages[0], stages[-1] + LEAD)
    return None


def _found(row: Row, match: re.Match[str], head: str, tool: str | None) -> Failure:
    groups = match.groupdict()
    named = groups.get("tool") or groups.get("tool2")
    fields: tuple[str, ...] = ()
    if row.kind is FailureKind.VALIDATION:
        fields = named_fields(head)
    elif name := groups.get("field") or groups.get("field2") or groups.get("field3"):
        fields = (name,)
    return Failure(row.kind, fields, named.rstrip(".:") if named else tool, row.name)


def _of_embedded(head: str, tool: str | None) -> Failure | None:
    """An error of unknown wording: it may still carry a JSON list of schema issues."""
    fields = tuple(_issue_fields(head))
    if fields:
        return Failure(FailureKind.VALIDATION, fields, tool, "json-issues")
    if (at := head.find("{")) >= 0:
        body = _decode(head, at)
        return _of_body(body, 0) if isinstance(body, dict) else None
    return None


# -- fields --------------------------------------------------------------------------------------


def named_fields(text: str) -> tuple[str, ...]:
    """The parameters that a validation error names, in the order of the table, without repeats."""
    head = text[:HEAD]
    lower = head.lower()
    names = dict.fromkeys(_issue_fields(head))
    for hint, pattern in FIELDS:
        if hint in lower:
            for match in pattern.finditer(head):
                names.update(dict.fromkeys(_split(match[1])))
    return tuple(names)


def _split(listed: str) -> Iterator[str]:
    for piece in re.split(r",|\s+and\s+|\s", listed.strip()):
        name = piece.strip("`'\" :").strip(".").replace("/", ".").strip(".")
        if _NAME.match(name) and name.lower() not in _NO_FIELD:
            yield name


def _issue_fields(head: str) -> list[str]:
    """Fields of the first JSON list of issues in a text (zod, MCP, pydantic's JSON form)."""
    if '"path"' not in head and '"loc"' not in head and '"instancePath"' not in head:
        return []
    for at in [m.start() for m in re.finditer(r"[\[{]", head)][:8]:
        value = _decode(head, at)
        if value is not None and (fields := _fields_of(value, 0)):
            return fields
    paths = re.findall(r'"(?:path|loc)":\s{0,4}\[([^\]\n{}]{1,200})\]', head)
    return [_dotted(re.findall(r'"([^"]{1,80})"|(\d{1,6})', path)) for path in paths]


def _decode(text: str, at: int) -> Any:
    try:
        return _DECODER.raw_decode(text, at)[0]
    except (ValueError, RecursionError):
        return None


_DECODER = json.JSONDecoder()


def _dotted(pieces: list[tuple[str, str]]) -> str:
    return ".".join(name or index for name, index in pieces)


def _fields_of(value: Any, depth: int) -> list[str]:
    """Paths named by issue objects anywhere in ``value`` (four levels)."""
    if depth > 4:
        return []
    if isinstance(value, list):
        return [field for item in value[:50] for field in _fields_of(item, depth + 1)]
    if not isinstance(value, dict):
        return []
    own = _issue(value)
    return own or [f for item in list(value.values())[:20] for f in _fields_of(item, depth + 1)]


_NOT_IN_PATHS = frozenset({"body", "query", "header", "params", "arguments"})


def _issue(item: dict[str, Any]) -> list[str]:
    """The fields that one issue object names, empty if it is no issue object."""
    path = item.get("path", item.get("loc"))
    base = ""
    if isinstance(path, list) and _ISSUE_KEYS & item.keys():
        pieces = [str(piece) for piece in path if isinstance(piece, str | int)]
        base = ".".join(pieces[1:] if pieces[:1] and pieces[0] in _NOT_IN_PATHS else pieces)
    elif isinstance(item.get("instancePath"), str) and _ISSUE_KEYS & item.keys():
        base = item["instancePath"].strip("/").replace("/", ".")
    else:
        return []
    params = item.get("params")
    extra = [*_strings(item.get("keys"))]
    if isinstance(params, dict):
        extra += [
            *_strings(params.get("missingProperty")),
            *_strings(params.get("additionalProperty")),
        ]
    if extra:
        return [f"{base}.{name}" if base else name for name in extra]
    return [base] if base else []


_ISSUE_KEYS = frozenset({"message", "msg", "code", "type", "keyword", "expected"})


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _only_issues(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(item, dict) and _issue(item) for item in value[:20])


def _of_issues(value: Any) -> Failure:
    return Failure(
        FailureKind.VALIDATION,
        tuple(dict.fromkeys(_fields_of(value, 0))),
        None,
        "json-issues",
    )


# -- JSON bodies ---------------------------------------------------------------------------------

#: Error types and codes of APIs.
_TYPES: tuple[tuple[re.Pattern[str], FailureKind], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (
            r"validation|invalid_(?:argument|param|input)|missing_(?:param|field|arg)|schema",
            K.VALIDATION,
        ),
        (
            r"rate_?limit|overloaded|timeout|unavailable|internal|api_error|connection",
            K.TRANSIENT,
        ),
        (r"not_?found|no_such|ENOENT", K.NOT_FOUND),
        (r"permission|forbidden|authenti|unauthori|denied", K.REFUSED),
        (r"unknown_tool|no_such_tool|tool_not_found", K.UNKNOWN_TOOL),
    )
)
_STATUSES = {
    422: K.VALIDATION,
    -32602: K.VALIDATION,
    -32601: K.UNKNOWN_TOOL,
    -32700: K.MALFORMED,
    404: K.NOT_FOUND,
    410: K.NOT_FOUND,
    401: K.REFUSED,
    403: K.REFUSED,
    408: K.TRANSIENT,
    429: K.TRANSIENT,
    -32000: K.TRANSIENT,
    -32001: K.TRANSIENT,
}
_FIELD_KEYS = (
    "field",
    "param",
    "parameter",
    "argument",
    "missing",
    "missing_fields",
    "fields",
    "property",
)
_STATUS_KEYS = ("code", "status", "statusCode", "status_code", "httpStatus")
_REQUIRED = re.compile(
    r"required|not a valid|may not be (?:blank|null)|invalid|must be", re.IGNORECASE
)


def _of_body(body: dict[str, Any], depth: int) -> Failure | None:
    """Classify a JSON object; None when it is no error."""
    if depth > 3:
        return None
    if (fields := _form_errors(body)) and depth == 0:
        return Failure(FailureKind.VALIDATION, fields, None, "form-errors")
    error = body.get("error", body.get("errors"))
    status = _status(body)
    if not error and not status and not _says_no(body):
        return _of_detail(body)
    if depth == 0 and not status and _is_record(body):
        return None
    holder = error if isinstance(error, dict) else body
    if holder is not body:
        found = _of_body({"error": "", **holder, "ok": False}, depth + 1)
        if found is not None and found.kind is not FailureKind.BUSINESS:
            return _with_fields(found, body)
    return _of_parts(body, error, status)


def _of_parts(body: dict[str, Any], error: Any, status: int | None) -> Failure:
    """Judge by the message, then by issue lists and field keys, then by type, then by status."""
    message = _message(body, error)
    found = _of_text(message, True) if message else None
    if found is not None and found.kind is not FailureKind.BUSINESS:
        return _with_fields(found, body)
    fields = (*_fields_of(body, 0), *_field_keys(body))
    if fields:
        return Failure(FailureKind.VALIDATION, tuple(dict.fromkeys(fields)), None, "json-fields")
    kind = _by_type(body, error) or _by_status(status)
    if kind is FailureKind.VALIDATION:
        return Failure(kind, named_fields(message), None, "json-type")
    return Failure(kind or FailureKind.BUSINESS, (), None, "json-body")


def _with_fields(found: Failure, body: dict[str, Any]) -> Failure:
    if found.kind is not FailureKind.VALIDATION:
        return found
    fields = dict.fromkeys((*found.fields, *_fields_of(body, 0), *_field_keys(body)))
    return Failure(found.kind, tuple(fields), found.tool, found.signature)


def _of_detail(body: dict[str, Any]) -> Failure | None:
    """FastAPI: ``{"detail": [{"loc": [...], "msg": ...}]}`` or ``{"detail": "Not Found"}``."""
    detail = body.get("detail")
    if isinstance(detail, list) and _only_issues(detail):
        return _of_issues(detail)
    if isinstance(detail, str) and len(body) == 1:
        return _of_text(detail, False)
    return None


def _form_errors(body: dict[str, Any]) -> tuple[str, ...]:
    """Django style: every key is a field, every value a list of complaints."""
    for value in body.values():
        if not (isinstance(value, list) and value and all(isinstance(v, str) for v in value)):
            return ()
        if not _REQUIRED.search(value[0][:LEAD]):
            return ()
    return tuple(body) if len(body) <= 20 else ()


def _is_record(body: dict[str, Any]) -> bool:
    """A record that tells of something else's failure: a job with an id and an error column."""
    return "id" in body and ("status" in body or "state" in body)


def _says_no(body: dict[str, Any]) -> bool:
    if body.get("isError") is True or body.get("is_error") is True:
        return True
    refused = body.get("ok") is False or body.get("success") is False
    status = body.get("status")
    bad = isinstance(status, str) and status.lower() in ("error", "failed", "failure")
    return (refused or bad) and isinstance(body.get("message", body.get("reason", "")), str)


def _status(body: dict[str, Any]) -> int | None:
    for key in _STATUS_KEYS:
        value = body.get(key)
        if isinstance(value, str) and value.isdigit() and len(value) == 3:
            value = int(value)
        if isinstance(value, int) and (400 <= value < 600 or value in _STATUSES):
            return value if "message" in body or "error" in body or "detail" in body else None
    return None


def _by_status(status: int | None) -> FailureKind | None:
    if status is None:
        return None
    return FailureKind.TRANSIENT if 500 <= status < 600 else _STATUSES.get(status)


def _by_type(body: dict[str, Any], error: Any) -> FailureKind | None:
    words = [body.get("type"), body.get("code"), body.get("name")]
    if isinstance(error, str) and " " not in error:
        words.append(error)
    for word in words:
        if isinstance(word, str):
            for pattern, kind in _TYPES:
                if pattern.search(word[:80]):
                    return kind
    return None


def _message(body: dict[str, Any], error: Any) -> str:
    """The words of an error body, wherever it keeps them."""
    pieces = [
        error,
        body.get("message"),
        body.get("reason"),
        body.get("detail"),
        body.get("msg"),
    ]
    if isinstance(error, list):
        pieces += [e.get("message", e.get("msg")) if isinstance(e, dict) else e for e in error[:10]]
    return "\n".join(piece for piece in pieces if isinstance(piece, str) and piece)[:HEAD]


def _field_keys(body: dict[str, Any]) -> list[str]:
    names = []
    errors, details = body.get("errors"), body.get("details")
    several = [v for value in (errors, details) if isinstance(value, list) for v in value[:20]]
    for holder in (body, body.get("error"), details, *several):
        if isinstance(holder, dict):
            for key in _FIELD_KEYS:
                names += [n for n in _strings(holder.get(key)) if _NAME.match(n)]
    return names


# -- proof of a withheld schema ------------------------------------------------------------------

_NOT_SENT = "schema was not sent to the API"
_SELECT = re.compile(r"select:([\w.\-/]{1,128})")
_FAILED_CALL = re.compile(
    r"([\w.\-/]{1,128}) (?:failed due to the following|was called with input)"
)


def schema_not_sent(text: str) -> str | None:
    """The tool whose schema the runtime (Claude Code) says it had not sent, None otherwise.

    The sentence follows a validation error; a page that merely quotes it does not begin like one.
    """
    head = text[:HEAD]
    at = head.find(_NOT_SENT)
    if at < 0:
        return None
    call = _FAILED_CALL.search(head, 0, LEAD)
    if call is None or call.end() > at:
        return None
    select = _SELECT.search(head, at)
    return select[1] if select else call[1]
