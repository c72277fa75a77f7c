"""Wordings, types and statuses by which executors and providers say that a call failed.

Data only: seen in public logs. A kind stands here by its value (``FailureKind`` in ``errors``).
"""

from __future__ import annotations

import re

from ctxaudit.frozen import frozen
from ctxaudit.patterns import regex

#: Characters in which a wording must fit.
LEAD = 600


@frozen
class Row:
    """One wording. ``anywhere``: telling enough to be searched for in a text known to be an error;
    the others must begin the text (or what follows an error prefix)."""

    name: str
    kind: str
    pattern: re.Pattern[str]
    anywhere: bool = False


def _row(name: str, kind: str, pattern: str, *, anywhere: bool = False) -> Row:
    return Row(name, kind, regex(pattern, re.IGNORECASE | re.DOTALL), anywhere)


_Q = "[\"'`\u201c\u2018]?"
_E = "[\"'`\u201d\u2019]?"
_TOOL = rf"{_Q}(?P<tool>[A-Za-z_][\w.\-/:]{{0,127}}?){_E}"
_WORD = r"[A-Za-z_$][\w.$\[\]/-]{0,80}"
_TYPE = r"(?:a |an |of type )?(?:string|number|integer|boolean|bool|array|object|list|dict|null)"
_PARAM = r"(?:parameters?|arguments?|propert(?:y|ies)|fields?|params?|inputs?|keys?)"
#: The first row that matches decides, so the telling ones stand before the general ones.
ROWS: tuple[Row, ...] = (
    # the user or the runtime stopped the call
    _row(
        "interrupted",
        "interrupted",
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
        "refused",
        r"the user doesn't want to (?:proceed|take this action)|(?:the )?user (?:has )?"
        r"(?:declined|rejected|denied|refused)\b|(?:rejected|denied|declined|vetoed|refused) by "
        r"(?:the )?(?:user|approver|reviewer|human|policy|manager|owner|operator|admin\w*)"
        r"|(?:the )?tool use was rejected|\w+ requested permissions? to .{0,300}haven't granted"
        r"|request (?:was )?(?:declined|rejected|denied) by",
        anywhere=True,
    ),
    _row(
        "refused-by-policy",
        "refused",
        r"permission (?:for this action|to use .{0,80}) has been den|permission .{0,80}denied by"
        r"|(?:\S+: ){0,3}permission denied|(?:bash|shell|write|edit)?\s?(?:operation|command|tool"
        r"|call)"
        r" (?:was )?(?:blocked|denied|not permitted) by|\W{0,4}blocked[: ]"
        r"|(?:\S+ ){0,4}hook (?:blocked|denied)|operation (?:blocked|denied) by .{0,40}hook"
        r"|(?:forbidden|unauthorized|access denied|not authorized|unauthenticated)\b"
        r"|(?:http |status )?(?:code )?(?:40[13]|451)\b|E(?:ACCES|PERM)\b"
        r"|(?:http|api|(?:request failed with )?status|error)(?: error)?(?: code)?[: ]{1,2}\(?"
        r"(?:40[13]|451)\b|unavailable for legal reasons"
        r"|authenti?cation (?:is )?(?:required|failed)",
    ),
    # the runtime wants the model to have read something first
    _row(
        "read-guard",
        "guard",
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
        "pairing",
        r"`?tool_use`? ids were found without|tool results are missing for tool calls"
        r"|AI_MissingToolResultsError|no tool output found for function call"
        r"|must be followed by tool messages responding to",
        anywhere=True,
    ),
    _row(
        "result-without-tool-use",
        "pairing",
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
        "pairing",
        r"(?:please ensure that (?:the )?)?(?:number of function response parts is equal to"
        r"|function call turn comes immediately after)"
        r"|INVALID_CHAT_HISTORY",
        anywhere=True,
    ),
    # the tool is not there
    _row(
        "no-such-tool",
        "unknown-tool",
        rf"no such tool(?: available)?:? ?{_TOOL}(?=[\s.,;<\"'`)]|$)",
        anywhere=True,
    ),
    _row(
        "unavailable-tool",
        "unknown-tool",
        rf"(?:model |you )?tried to (?:call|use) (?:the |an )?(?:unavailable )?tool {_TOOL}"
        r"(?:\. |, but|\s*$|[\s.,])",
        anywhere=True,
    ),
    _row(
        "no-tool-named",
        "unknown-tool",
        rf"(?:there is )?no tool (?:named|called) {_TOOL}(?:\s|\.|$)",
    ),
    _row(
        "not-a-valid-tool",
        "unknown-tool",
        rf"(?:tool |function )?{_TOOL} is not a (?:valid|known|registered) (?:tool|function)\b",
    ),
    _row(
        "unknown-tool",
        "unknown-tool",
        rf"(?:unknown|unrecognized|undefined|invalid|unsupported) (?:tool|function|custom tool"
        rf"|method)"
        rf"(?: name| call)?:? {_TOOL}(?=[\s.,;<\"'`)]|$)",
    ),
    _row(
        "unsupported-call",
        "unknown-tool",
        rf"unsupported (?:custom tool )?call:? {_TOOL}(?=\s|$)",
    ),
    _row(
        "tool-not-found",
        "unknown-tool",
        rf"(?:the )?(?:requested )?(?:tool|function|method)(?: named)? {_TOOL}:? (?:is |was )?"
        r"(?:not found|currently disabled|not (?:currently )?(?:available|registered|enabled)"
        r"|no longer available|called but was not available|unavailable|does(?: not|n't) exist"
        r"|has been (?:removed|disabled))",
    ),
    _row(
        "tool-not-enabled",
        "unknown-tool",
        rf"{_TOOL} exists but is not enabled in this context",
    ),
    _row(
        "tool-reference",
        "unknown-tool",
        rf"tool reference {_TOOL} not found in available tools",
        anywhere=True,
    ),
    _row(
        "tool-unavailable",
        "unknown-tool",
        r"tool (?:does not exist on server|(?:is )?no longer available)|ACTION_DISABLED\b"
        r"|(?:mcp error )?-32601\b|method not found(?:: (?P<tool>[\w./-]{1,128}))?\s*$",
    ),
    _row(
        "tools-not-defined",
        "unknown-tool",
        r"requests which include `?tool_use`? or `?tool_result`? blocks must define tools"
        r"|the toolconfig field must be defined when",
        anywhere=True,
    ),
    # the arguments are no JSON
    _row(
        "malformed-arguments",
        "malformed",
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
        "transient",
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
        "transient",
        r"(?:\S+ ){0,6}timed[ -]?out\b|(?:\S+ ){0,4}timeout(?:error)?\b(?: (?:of|after|exceeded"
        r"|error)|"
        r"[:.]|\s*$)|(?:context )?deadline exceeded|.{0,120}: (?:command|request|operation) timed"
        r" out",
    ),
    _row(
        "overload",
        "transient",
        r"rate[ _-]?limit(?:ed|ing|s)?\b.{0,40}(?:exceed|error|reach|hit|retry|try)"
        r"|rate_limit_error"
        r"|rate limited|too many requests|overloaded(?:_error)?\b|service (?:is )?(?:temporarily )?"
        r"unavailable|internal server error|bad gateway|gateway time-?out|resource[ _]exhausted"
        r"|quota exceeded|temporarily unavailable|try again (?:later|in \d)",
        anywhere=True,
    ),
    _row(
        "status-transient",
        "transient",
        r"(?:(?:http|api)(?: error)?|(?:request failed with )?status(?: code)?|error code)[: ]{0,2}"
        r"\(?(?:5\d\d|429|408)\b|\b(?:5\d\d|429|408) (?:\{|service |bad gateway"
        r"|internal server|gateway time|too many|request time)",
        anywhere=True,
    ),
    # the schema says no
    _row(
        "issue-list",
        "validation",
        r"(?P<tool>[\w.\-/:]{1,128}) failed due to the following issues?(?:\(s\))?:",
    ),
    _row(
        "pydantic",
        "validation",
        r"(?:found )?\d{1,4} validation errors?(?: (?:for|in|parsing)\b|:)"
        r"(?: call\[(?P<tool>[\w.-]{1,128})\]| (?P<tool2>\w{1,120})Arguments\b)?",
    ),
    _row(
        "invalid-arguments-for",
        "validation",
        rf"(?:input validation error: )?invalid (?:tool )?(?:arguments?|inputs?|parameters?|params)"
        rf" (?:provided )?(?:for|to) (?:the )?(?:tool |function )?{_TOOL}(?=[\s:.,(]|$)",
        anywhere=True,
    ),
    _row(
        "called-with-invalid-arguments",
        "validation",
        rf"the {_TOOL} tool was called with invalid arguments",
    ),
    _row(
        "validation-failed-for",
        "validation",
        rf"(?:parameter |argument |input )?validation (?:failed|error) (?:for|in) (?:tool "
        rf"|function )?"
        rf"{_TOOL}(?=[\s:.,(]|$)|(?:tool ){_Q}(?P<tool2>[\w.\-/]{{1,128}}){_E} (?:parameter"
        rf"|argument"
        r"|input) validation failed",
    ),
    _row(
        "mandatory-not-present",
        "validation",
        r"invoking `?(?P<tool>[\w.\-/]{1,128})(?:\(\))?`? failed as the following mandatory input",
    ),
    _row(
        "json-schema-go",
        "validation",
        r"(?:invalid params: )?validating (?:\"arguments\"|root|/\S{0,80}):|(?:unexpected"
        r" additional"
        r"|missing) properties: ?\[",
        anywhere=True,
    ),
    _row(
        "zod",
        "validation",
        r"(?:[\w.\[\]]{1,80}: )?(?:unrecognized keys?(?:\(s\))?(?: in object)?:"
        r"|(?:invalid (?:input|type): )?expected [a-z]{3,10}, received [a-z]{3,10})",
        anywhere=True,
    ),
    _row(
        "json-schema",
        "validation",
        r"['\"][^'\"\n]{1,80}['\"] is a required property"
        r"|additional properties are not allowed \(|[^\n]{1,160}? is not of types? ['\"]"
        r"|[^\n]{1,160}? is not one of \[|output does not match required schema",
    ),
    _row(
        "ajv",
        "validation",
        r"your input to the tool was invalid|(?:[\w/.\[\]'-]{0,80}:? )?(?:must|should) (?:have"
        r" required"
        r" propert|not have additional propert|be equal to one of the allowed)"
        rf"|(?:data|body|args|arguments|params|input|instance|root)?/?[\w./\[\]'-]{{0,80}}:? must"
        rf" be "
        rf"{_TYPE}\b",
    ),
    _row(
        "field-message",
        "validation",
        rf"{_WORD}: (?:field required|extra inputs are not permitted|input should be |required"
        rf" value\b"
        r"|this field is required|required\s*$)|(?:field required|extra inputs are not permitted"
        r"|this field is required)\b",
    ),
    _row(
        "serde",
        "validation",
        r"(?:failed to (?:parse|deserialize) [\w ]{0,40}: )?(?:missing field [`\"']|unknown field"
        r" [`\"']"
        r"|unknown variant [`\"']|invalid type: [^\n]{1,120}, expected )|json: (?:unknown field"
        r"|cannot unmarshal \w+ into go)",
    ),
    _row(
        "missing-parameter",
        "validation",
        rf"(?:missing (?:value for )?(?:the |a )?(?:required|mandatory) (?:\w+ )?{_PARAM}\b"
        rf"|(?:the )?(?:required|mandatory) {_PARAM} .{{0,90}}?(?:is|are|was|were) "
        rf"(?:missing|absent|not (?:provided|present|set|given))|required {_PARAM} (?:is |are"
        rf" )?missing"
        rf"|missing {_PARAM}[: ]|{_PARAM} {_Q}{_WORD}{_E} (?:is|are) (?:required|missing|mandatory)"
        rf"|missing (?:or invalid )?required\b|param is missing)",
    ),
    _row(
        "unexpected-parameter",
        "validation",
        rf"(?:an )?(?:unexpected|unknown|unsupported|unrecognized) {_PARAM}:? {_Q}{_WORD}",
    ),
    _row(
        "bad-parameter",
        "validation",
        rf"(?:the )?{_PARAM} {_Q}{_WORD}{_E} (?:type is expected|must be|should be|is invalid"
        rf"|is not (?:valid|allowed))|invalid {_Q}{_WORD}{_E} {_PARAM}\b"
        rf"|invalid (?:type|value) for (?:{_PARAM} )?{_Q}{_WORD}|invalid {_PARAM}: {_Q}{_WORD}"
        rf"|{_Q}{_WORD}{_E} must be {_TYPE}\b|invalid parameters? provided"
        r"|(?:argument|input|parameter|params|schema|type) validation (?:error|failed)",
    ),
    _row(
        "python-arguments",
        "validation",
        r"(?:typeerror: )?[\w.<>]{0,80}(?:\(\))? ?(?:got an unexpected keyword argument '"
        r"|missing \d{1,2} required (?:positional|keyword-only) arguments?: )",
        anywhere=True,
    ),
    _row(
        "key-error",
        "validation",
        r"\(keyerror\) key \"?:?\w|tool execution failed: keyerror: |error (?:executing|calling|in)"
        r" (?:tool|function) [^\n:]{1,130}: (?:keyerror: )?'[\w.-]{1,60}'\s*$",
        anywhere=True,
    ),
    _row(
        "validating-arguments",
        "validation",
        r"error validating json arguments|error repairing tool call|input ?validation ?error\b"
        r"|tool loaded\W{1,5}retry required",
    ),
    _row(
        "quoted-is-required",
        "validation",
        r"[\"'`][A-Za-z_][\w.\[\]-]{0,60}[\"'`] (?:is|are) (?:a )?(?:required|mandatory|missing)\b",
    ),
    _row(
        "is-required",
        "validation",
        r"(?-i:(?!(?:auth\w*|login|approval|confirmation|permission|payment|restart|review"
        r"|access)\b)"
        r"[a-z_][\w.\[\]]{0,60}) (?:is|are) (?:a )?(?:required|mandatory)(?: \w+)?[.!]?\s*$",
    ),
    # a name or thing that is not there
    _row(
        "name-error",
        "not-found",
        r"(?:nameerror: )?(?:free |cannot access )?(?:name|variable) '(?P<field>\w{1,80})' is not"
        r" defined"
        r"|referenceerror: (?P<field2>[\w$]{1,80}) is not defined"
        r"|attributeerror: [^\n]{1,120} has no attribute '(?P<field3>\w{1,80})'",
        anywhere=True,
    ),
    _row(
        "missing-file",
        "not-found",
        r"[^\n]{0,200}?(?:no such file or directory|\bENOENT\b|no such (?:key|bucket|table|column"
        r"|container|process|object)\b|command not found)|filenotfounderror"
        r"|(?:file|path|directory) does not exist",
    ),
    _row(
        "unknown-id",
        "not-found",
        r"[^\n]{0,80}?\b(?:unknown|no|invalid) (?:\w+ ){0,2}(?:id|identifier|session|task|process"
        r"|job"
        r"|run|handle|user|order)\b(?: id)?(?: (?:found|with|for|named|matching))?[: ]{1,2}\S"
        r"|no \w{1,30} (?:found )?(?:with|for|named|matching) (?:the )?(?:id|identifier|name"
        r"|key)\b",
    ),
    _row(
        "not-found",
        "not-found",
        r"[^\n{}]{0,160}?\b(?:not[ _]found|(?:does|do|did)(?: not|n't) exist|(?:could|can)(?:not"
        r"|n't| not)"
        r" (?:find|be found)|(?:unable|failed) to find|no longer exists|has expired)\b",
    ),
    _row(
        "status-not-found",
        "not-found",
        r"(?:(?:http|api)(?: error)?|(?:request failed with )?status(?: code)?|error code)[: ]{0,2}"
        r"\(?4(?:04|10)\b|404\b",
    ),
)

#: Error types and codes of APIs.
TYPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (regex(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (
            r"validation|invalid_(?:argument|param|input)|missing_(?:param|field|arg)|schema",
            "validation",
        ),
        (r"legal_?reasons|blocked", "refused"),
        (
            r"rate_?limit|overloaded|timeout|unavailable|internal|api_error|connection",
            "transient",
        ),
        (r"not_?found|no_such|ENOENT", "not-found"),
        (r"permission|forbidden|authenti|unauthori|denied", "refused"),
        (r"unknown_tool|no_such_tool|tool_not_found", "unknown-tool"),
    )
)
STATUSES = {
    422: "validation",
    -32602: "validation",
    -32601: "unknown-tool",
    -32700: "malformed",
    404: "not-found",
    410: "not-found",
    401: "refused",
    403: "refused",
    451: "refused",
    408: "transient",
    429: "transient",
    -32000: "transient",
    -32001: "transient",
}
