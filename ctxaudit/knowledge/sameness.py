"""Whether two calls are the same call: exactly, and in other words.

Bash {"command": "cd /w && npm test | tail"}  ==  Bash {"command": "npm test"}
message "Night build 8841 is green."          ~   message "The night build (8841) is green."
Task "Audit unit 7"                           !=  Task "Audit unit 8"
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b

from ctxaudit.knowledge.calls import MAX_DEPTH, leaves, unwrap
from ctxaudit.knowledge.shell import command_of, directory_of, is_shell_tool, normalise
from ctxaudit.knowledge.shell_syntax import MAX_TEXT, Simple, split
from ctxaudit.knowledge.tables import word_set
from ctxaudit.patterns import regex

#: From here on two calls are worth being called the same in other words.
NEAR = 0.75

#: Arguments that steer a call and are no part of what it asks for.
NOISE_KEYS = word_set(
    """timeout timeout_ms timeoutMs timeout_seconds yield_time_ms max_output_tokens security_risk
    toolSummary toolAction waitForPreviousTools _meta requires_approval run_in_background
    is_background dangerouslyDisableSandbox sandbox_permissions justification blocking
    SafeToAutoRun request_id idempotency_key"""
)
#: Arguments that tell how much or in which form to answer.
#: Arguments that say what is done, not to whom or what.
DEED_KEYS = word_set("action method operation op mode type kind command priority status")
OPTION_KEYS = word_set(
    """limit max_results maxResults top_k per_page page_size pageSize verbose format head_limit
    output_mode sort order sort_by count num_results numResults description explanation model
    reason include_details language lang summary_only mode"""
)
MAX_KEY = 240
MAX_PROSE = 4_000
MAX_LABEL = 64
STOP_WORDS = word_set(
    """a an the is are was were be been to of in on at for and or with by from as it its this
    that these those has have had will would please now then so into your you we i our my
    their there just also do does did done file new"""
)
NEGATIONS = word_set("not no never none without cannot dont didnt doesnt isnt wont cant fails")
_TOKEN = regex(r"[^\s,;:!?\"'`()<>\[\]{}|*]+")
_CONTRACTION = regex(r"n['\u2019]t\b")
_IDENTIFIER = regex(r".*[\d/\\_@#=$]|.+\.\w{1,5}\Z|.*[a-z][A-Z]|[A-Z]{2,}")
_NUMBER = regex(r"-?\d+(?:\.0+)?\Z")


# --- exactly the same -------------------------------------------------------------------------


def key(tool: str, arguments: object) -> str:
    """The identity of a call: equal keys are the same call. At most ~300 characters.

    Key order, white space, trailing slashes, numbers as text and, for a shell, ``cd``, output
    filters and quoting make no difference. See ``same`` for two shells in different directories.
    """
    tool, arguments = unwrap(tool, arguments)
    command = command_of(tool, arguments)
    if command is not None:
        return _brief(f"{tool}\0{normalise(command)}")
    body = json.dumps(_canonical(arguments, 0), sort_keys=True, ensure_ascii=False)
    return _brief(f"{tool}\0{body}")


def same(tool_a: str, arguments_a: object, tool_b: str, arguments_b: object) -> bool:
    """Equal keys, and not run in two different directories."""
    if key(tool_a, arguments_a) != key(tool_b, arguments_b):
        return False
    a = directory_of(*unwrap(tool_a, arguments_a))
    b = directory_of(*unwrap(tool_b, arguments_b))
    return not _apart(a, b)


def _apart(a: str | None, b: str | None) -> bool:
    """Two directories that are both known and cannot be the same place."""
    if a is None or b is None:
        return False
    a, b = _tidy(a).replace("\\", "/"), _tidy(b).replace("\\", "/")
    return a != b and not a.endswith("/" + b) and not b.endswith("/" + a)


def _brief(text: str) -> str:
    if len(text) <= MAX_KEY:
        return text
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return text[:60] + digest


def _canonical(value: object, depth: int) -> object:
    if depth > MAX_DEPTH:
        return str(type(value))
    if isinstance(value, Mapping):
        return {
            str(name): _canonical(child, depth + 1)
            for name, child in value.items()
            if child is not None and name not in NOISE_KEYS
        }
    if isinstance(value, list | tuple):
        return [_canonical(child, depth + 1) for child in value]
    if isinstance(value, bool) or value is None:
        return value
    return _tidy(str(value))


def _tidy(text: str) -> str:
    """A value without what makes no difference: white space, ``./``, a last slash, ``.0``."""
    text = " ".join(text.split())
    if len(text) > MAX_KEY:
        return text
    if _NUMBER.match(text):
        return text.partition(".")[0]
    if len(text) > 1 and " " not in text:
        text = text.removeprefix("./") or text
        text = text.rstrip("/") or "/"
    return text


# --- the same in other words ------------------------------------------------------------------


def near_same(tool_a: str, args_a: object, tool_b: str, args_b: object) -> float:
    """How much two calls ask for the same thing, 0 to 1; ``NEAR`` is a sound threshold.

    Targets (ids, paths, names, numbers) must be equal, in arguments as within prose; the wording
    of prose and the options may differ.
    """
    tool_a, args_a = unwrap(tool_a, args_a)
    tool_b, args_b = unwrap(tool_b, args_b)
    if tool_a != tool_b:
        return 0.0
    if key(tool_a, args_a) == key(tool_b, args_b):
        return 1.0 if same(tool_a, args_a, tool_b, args_b) else 0.0
    if is_shell_tool(tool_a):
        a, b = command_of(tool_a, args_a), command_of(tool_b, args_b)
        if a is not None and b is not None:
            apart = _apart(directory_of(tool_a, args_a), directory_of(tool_b, args_b))
            return 0.0 if apart else _near_commands(normalise(a), normalise(b))
    return _near_arguments(_grouped(args_a), _grouped(args_b))


def _grouped(arguments: object) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for path, value in leaves(arguments):
        name = path.rpartition(".")[2]
        if value is not None and value != "" and name not in NOISE_KEYS:
            found.setdefault(path, []).append(value)
    return found


def _near_arguments(a: dict[str, list[object]], b: dict[str, list[object]]) -> float:
    score = 1.0
    vouched = _vouched(a, b)
    for path in sorted(a.keys() | b.keys()):
        option = path.rpartition(".")[2].removesuffix("[]") in OPTION_KEYS
        if path not in a or path not in b:
            score *= 0.95 if option or _is_flag(a.get(path, b.get(path))) else 0.8
            continue
        found = _near_values(a[path], b[path])
        if vouched and 0.5 <= found < NEAR:
            found = NEAR
        score *= max(found, 0.9) if option else found
        if not score:
            return 0.0
    return round(score, 4)


def _vouched(a: dict[str, list[object]], b: dict[str, list[object]]) -> bool:
    """Whether two targets are named alike beside the prose: who and what leave little doubt."""
    alike = [
        path
        for path in a.keys() & b.keys()
        if path.rpartition(".")[2].removesuffix("[]") not in OPTION_KEYS | DEED_KEYS
        and not _is_flag(a[path])
        and [*map(_plain, a[path])] == [*map(_plain, b[path])]
    ]
    return len(alike) >= 2


def _is_flag(values: list[object] | None) -> bool:
    return values is not None and all(isinstance(value, bool) for value in values)


def _near_values(a: list[object], b: list[object]) -> float:
    if len(a) == len(b) == 1 and _is_prose(a[0]) and _is_prose(b[0]):
        return near_text(str(a[0]), str(b[0]))
    if Counter(map(_plain, a)) == Counter(map(_plain, b)):
        return 1.0 if [*map(_plain, a)] == [*map(_plain, b)] else 0.95
    if len(a) != len(b) or not all(map(_is_prose, a + b)):
        return 0.0
    return min(near_text(str(x), str(y)) for x, y in zip(a, b, strict=True))


def _plain(value: object) -> str:
    return _tidy(str(value))


def _is_prose(value: object) -> bool:
    return isinstance(value, str) and (len(value) > MAX_LABEL or " " in value.strip())


def near_text(a: str, b: str) -> float:
    """How much two texts say the same: names and numbers strictly, the other words loosely."""
    if a == b:
        return 1.0
    if max(len(a), len(b)) > MAX_PROSE and a[MAX_PROSE:] != b[MAX_PROSE:]:
        return 0.0
    ids_a, words_a = _tokens(a[:MAX_PROSE])
    ids_b, words_b = _tokens(b[:MAX_PROSE])
    if ids_a != ids_b and not (ids_a & ids_b and (ids_a <= ids_b or ids_b <= ids_a)):
        return 0.0
    if words_a & NEGATIONS != words_b & NEGATIONS:
        return 0.0
    total = len(words_a) + len(words_b)
    score = 2 * len(words_a & words_b) / total if total else 1.0
    if words_a - words_b and words_b - words_a:
        # A word was put in another's place. Without a shared name that may be another thing.
        score = score * 0.8 if ids_a & ids_b else min(score, 0.5)
    elif ids_a & ids_b:
        score = (1 + score) / 2
    elif words_a != words_b:
        score *= 0.9
    return score if ids_a == ids_b else score * 0.7


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The identifiers of a text, and its other telling words, roughly stemmed."""
    ids: set[str] = set()
    rest: set[str] = set()
    for token in _TOKEN.findall(_CONTRACTION.sub(" not", text)):
        token = token.strip(".-/\u2014\u2013\u2026")
        if _IDENTIFIER.match(token):
            ids.add(token.lower().removeprefix("./").lstrip("#"))
        elif token and token.lower() not in STOP_WORDS:
            rest.add(_stem(token.lower()))
    return frozenset(ids), frozenset(rest)


def _stem(word: str) -> str:
    for suffix in ("ing", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word.removesuffix(suffix)
    return word.removesuffix("e") if len(word) > 4 else word


# --- shell commands ---------------------------------------------------------------------------


def _near_commands(a: str, b: str) -> float:
    if max(len(a), len(b)) > MAX_TEXT:
        return 0.0
    parts_a, parts_b = _parts(a), _parts(b)
    if len(parts_a) != len(parts_b) or not parts_a:
        return 0.0
    scores = [_near_simple(x, y) for x, y in zip(parts_a, parts_b, strict=True)]
    return round(min(scores), 4)


def _parts(command: str) -> list[Simple]:
    return [item for item in split(command) if item.joined != "$("]


def _near_simple(a: Simple, b: Simple) -> float:
    """The same program on the same operands; options and quoted prose may differ."""
    if a.words[:1] != b.words[:1] or a.stdin != b.stdin or a.redirects != b.redirects:
        return 0.0
    flags_a, targets_a, prose_a = _sorted_words(a.words[1:])
    flags_b, targets_b, prose_b = _sorted_words(b.words[1:])
    if targets_a != targets_b or len(prose_a) != len(prose_b):
        return 0.0
    score = 1.0
    for x, y in zip(prose_a, prose_b, strict=True):
        score *= near_text(x, y)
    union = flags_a | flags_b
    return score * (0.6 + 0.4 * len(flags_a & flags_b) / len(union) if union else 1.0)


def _sorted_words(words: list[str]) -> tuple[set[str], Counter[str], list[str]]:
    flags: set[str] = set()
    targets: Counter[str] = Counter()
    prose: list[str] = []
    for word in words:
        if word.startswith("--"):
            name, _, value = word.partition("=")
            flags.add(name)
            if value:
                targets[_tidy(value)] += 1
        elif word.startswith("-") and len(word) > 1:
            flags.update(word[1:] if word[1:].isalpha() and len(word) < 6 else (word[1:],))
        elif " " in word:
            prose.append(word)
        else:
            targets[_tidy(word)] += 1
    return flags, targets, prose
