"""What an audit of a trial must say and may say, by brute force over the prompts really sent.

For every turn all of the prompt is searched again; nothing is kept from turn to turn that could be
wrong. Nothing here comes from the product. What a text means (which outcome it restates, whether a
user asked for a repeat) is taken from the ledger of the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.quality.scene import Call, Message, Sent, Trial


@dataclass(frozen=True, slots=True)
class Truth:
    """One expected finding: of any of ``codes``, at any of ``turns``.

    ``must`` is False where it is open whether the thing is a fault: a finding of it is neither
    needed nor wrong. None for tool and handle means that any will do. ``calm``: as a note
    only. ``least`` is the lowest severity that will do: 0 note, 1 warning, 2 error, 3 critical.
    """

    codes: tuple[str, ...]
    turns: tuple[int, ...]
    tool: str | None = None
    handle: str | None = None
    must: bool = True
    calm: bool = False
    least: int = 0


def truth(trial: Trial) -> list[Truth]:
    """Everything that is to be said of a trial."""
    found: list[Truth] = []
    for compute in (schemas, ghosts, handles, pairs, marks, losses, repeats):
        found += compute(trial)
    return [replace(t, least=max(t.least, LEAST.get(t.codes[0], 0))) for t in found]


#: Severities that the catalogue of rules promises without a condition.
LEAST = {"GT103": 2, "OR204": 2, "OR206": 2, "RN302": 2, "RN303": 3, "RN304": 3, "RN305": 2}
ERROR, CRITICAL = 2, 3


# What a prompt holds.


def texts(sent: Sent) -> Iterator[Message]:
    """Everything readable in a prompt but arguments of calls."""
    return (m for m in sent.prompt if m.text)


def answered(sent: Sent) -> set[int]:
    """Uids of the calls whose results stand whole in a prompt."""
    return {m.answers for m in sent.prompt if m.answers is not None and m.whole}


def called(sent: Sent) -> list[Call]:
    """The calls that stand in a prompt with their arguments."""
    return [c for m in sent.prompt if not m.bare for c in m.calls]


def kept(sent: Sent, call: Call) -> bool:
    """Whether a text in the prompt restates the outcome of a call."""
    return any(call.uid in m.keeps for m in sent.prompt)


def hinted(sent: Sent, call: Call) -> bool:
    """Whether a text in the prompt could be taken for a report on a call."""
    return any(call.uid in m.hints for m in sent.prompt)


def unreadable(sent: Sent) -> bool:
    """Whether the prompt holds a summary that only the provider can read."""
    return any(m.opaque for m in sent.prompt)


def before(trial: Trial, turn: int) -> list[Message]:
    """All that had been said when the model was called for the ``turn``-th time, from 0."""
    reply = trial.sent[turn].reply.uid
    return [m for m in trial.messages if m.uid < reply] + [
        m for sent in trial.sent[: turn + 1] for m in sent.prompt if m.kind == "summary"
    ]


# Ghost tools.


def schemas(trial: Trial) -> Iterator[Truth]:
    """GT101, GT105, GT106 (the state): what happened to the definitions between two prompts."""
    opened: set[str] = set()
    for turn in range(1, len(trial.sent)):
        old, now = trial.sent[turn - 1], trial.sent[turn]
        for tool in old.tools if now.tools else ():
            prior = [c for c in called(now) if c.tool == tool]
            if not prior:
                continue
            must = any(c.outcome == "ok" for c in prior)
            if tool not in now.tools:
                if not _entombed(now, tool):
                    yield Truth(("GT101",), (turn + 1,), tool, must=must and tool not in opened)
                    opened.add(tool)
            elif code := _change(old.tools[tool], now.tools[tool]):
                yield Truth((code,), (turn + 1,), tool, must=must, calm=code == "GT106")


def _entombed(sent: Sent, tool: str) -> bool:
    return any(tool in m.tombstones for m in sent.prompt)


def _constraints(definition: dict[str, Any]) -> set[tuple[str, ...]]:
    parameters = definition["function"]["parameters"]
    found = {("required", name) for name in parameters.get("required", ())}
    for name, schema in parameters.get("properties", {}).items():
        found.add(("property", name))
        if "type" in schema:
            found.add(("type", name, str(schema["type"])))
        found |= {("enum", name, value) for value in schema.get("enum", ())}
    return found


def _change(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """GT105 if constraints were only lost, GT106 if old calls no longer fit, None if neither."""
    lost = _constraints(old) - _constraints(new)
    gained = _constraints(new) - _constraints(old)
    known = {name for kind, name, *_ in _constraints(old) if kind == "property"}
    stricter = any(kind == "required" or name in known for kind, name, *_ in gained)
    if stricter:
        return "GT106"
    return "GT105" if lost else None


def ghosts(trial: Trial) -> Iterator[Truth]:
    """GT102, GT103, GT104, GT106 (the call), GT108: calls without the schema that they need."""
    offered: set[str] = set()
    for turn, sent in enumerate(trial.sent):
        offered |= set(sent.tools)
        for call in sent.reply.calls:
            if call.tool in sent.tools:
                yield from _outdated(trial, turn, call)
            elif call.tool in offered and sent.tools:
                yield from _ghost(trial, turn, call)
            elif sent.tools and any(c.tool == call.tool for c in called(sent)):
                yield Truth(("GT102",), (turn + 1,), call.tool)  # known from the history only


def _ghost(trial: Trial, turn: int, call: Call) -> Iterator[Truth]:
    sent, here = trial.sent[turn], turn + 1
    prior = [c for c in called(sent) if c.tool == call.tool]
    if _entombed(sent, call.tool) or (prior and all(c.outcome != "ok" for c in prior)):
        for code in ("GT102", "GT103", "GT104", "GT108"):
            yield Truth((code,), (here, here + 1), call.tool, must=False)
        return
    if not prior:
        yield Truth(("GT108",), (here,), call.tool)
        return
    yield Truth(("GT102",), (here,), call.tool, least=ERROR if call.effect == "set" else 0)
    if call.outcome == "validation":
        yield Truth(("GT103",), (here, here + 1), call.tool)
        for later, after in enumerate(trial.sent[turn + 1 :], here + 1):
            if any(c.recovers == call.uid for c in after.reply.calls):
                yield Truth(("GT104",), tuple(range(here, later + 2)), least=CRITICAL)


def _outdated(trial: Trial, turn: int, call: Call) -> Iterator[Truth]:
    first = next(s for s in trial.sent if call.tool in s.tools).tools[call.tool]
    now = trial.sent[turn].tools[call.tool]
    if _change(first, now) != "GT106" or _fits(call.arguments, now):
        return
    must = any(c.tool == call.tool and c.outcome == "ok" for c in called(trial.sent[turn]))
    yield Truth(("GT106",), (turn + 1, turn + 2), call.tool, must=must, least=ERROR)


TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}


def _fits(arguments: dict[str, Any], definition: dict[str, Any]) -> bool:
    parameters = definition["function"]["parameters"]
    if not set(parameters.get("required", ())) <= set(arguments):
        return False
    types = {k: TYPES.get(str(s.get("type"))) for k, s in parameters["properties"].items()}
    return all(
        isinstance(value, expected)
        for name, value in arguments.items()
        if (expected := types.get(name)) is not None
    )


# Orphaned references.


def leaves(value: Any) -> Iterator[str]:
    """All single values in a JSON value, as text."""
    if isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        yield str(value)


def holds(text: str, handle: str) -> bool:
    """Whether a text names a handle, not just a longer word around it."""
    edge = r"[A-Za-z0-9_-]"
    return handle in text and bool(re.search(f"(?<!{edge}){re.escape(handle)}(?!{edge})", text))


CODE = re.compile(r"(?=.*\d)[A-Za-z][A-Za-z0-9_]{4,60}|(?=.*[A-Z])[A-Z0-9]{6}")


def handles_in(trial: Trial, call: Call) -> list[str]:
    """The handles among a call's arguments."""
    values = dict.fromkeys(leaves(call.arguments))
    if trial.handles is None:
        return [v for v in values if CODE.fullmatch(v)]
    return [v for v in values if v in trial.handles]


def mentioned(trial: Trial, call: Call) -> list[str]:
    """Handles within longer texts: nobody looks them up there, so whether they count is open."""
    prose = " ".join(v for v in leaves(call.arguments) if " " in v)
    words = dict.fromkeys(re.findall(r"[A-Za-z0-9_-]{5,}", prose))
    if trial.handles is None:
        return [w for w in words if CODE.fullmatch(w)]
    return [w for w in words if w in trial.handles]


def orphanable(trial: Trial, turn: int, handle: str) -> bool:
    """Whether a handle came to the model through a result, and not from the user or itself."""
    past = before(trial, turn)
    if any(m.kind in ("user", "system") and handle.lower() in m.text.lower() for m in past):
        return False
    bound = [m.uid for m in past if m.kind in ("result", "summary") and holds(m.text, handle)]
    made = [
        m.uid for m in past if any(holds(v, handle) for c in m.calls for v in leaves(c.arguments))
    ]
    said = [m.uid for m in past if m.kind == "assistant" and holds(m.text, handle)]
    return bool(bound) and min(bound) < min([*made, *said, 10**9])


def bound(sent: Sent, handle: str) -> bool:
    """Whether anything but a call's arguments explains a handle in a prompt."""
    return any(holds(m.text, handle) for m in texts(sent))


def handles(trial: Trial) -> Iterator[Truth]:
    """OR201, OR202, OR203, OR207."""
    for turn, sent in enumerate(trial.sent):
        if unreadable(sent):
            continue
        here = turn + 1
        if turn:
            used = dict.fromkeys(h for c in called(sent) for h in handles_in(trial, c))
            told = dict.fromkeys(h for c in called(sent) for h in mentioned(trial, c))
            for handle in {**told, **used}:
                if _lost(trial, turn, handle):
                    yield Truth(("OR201",), (here,), handle=handle, must=handle in used)
        for call in sent.reply.calls:
            for handle in mentioned(trial, call):
                if not bound(sent, handle):
                    yield Truth(("OR202", "OR203"), (here, here + 1), handle=handle, must=False)
            for handle in handles_in(trial, call):
                if orphanable(trial, turn, handle) and not bound(sent, handle):
                    yield from _orphan(trial, call, here, handle)
            if call.spoils and not bound(sent, call.spoils):
                yield Truth(("OR207",), (here,))
                yield Truth(("OR203",), (here, here + 1), must=False)


def _orphan(trial: Trial, call: Call, here: int, handle: str) -> Iterator[Truth]:
    mutates = call.effect == "set"
    yield Truth(("OR202",), (here,), handle=handle, least=ERROR if mutates else 1)
    if call.outcome in ("missing", "refusal"):
        error = next((m.text for m in trial.messages if m.answers == call.uid), "")
        must, least = holds(error, handle), CRITICAL if mutates else ERROR
        yield Truth(("OR203",), (here, here + 1), handle=handle, must=must, least=least)


def _lost(trial: Trial, turn: int, handle: str) -> bool:
    """Whether the binding of a handle left with this prompt."""
    sent, last = trial.sent[turn], trial.sent[turn - 1]
    if bound(sent, handle) or not orphanable(trial, turn, handle):
        return False
    fresh = [m for m in trial.messages if last.reply.uid <= m.uid < sent.reply.uid]
    return bound(last, handle) or any(holds(m.text, handle) for m in fresh)


def pairs(trial: Trial) -> Iterator[Truth]:
    """OR204: a call without its result or a result without its call, for each pair once."""
    arrived = {m.answers: m.uid for m in trial.messages if m.answers is not None}
    told: set[int] = set()
    for turn, sent in enumerate(trial.sent):
        calls = {c.uid for m in sent.prompt for c in m.calls}
        results = {m.answers for m in sent.prompt if m.answers is not None}
        due = {uid for uid in calls if arrived.get(uid, 10**9) < sent.reply.uid}
        torn = {uid for uid in due ^ results if uid is not None}
        if torn:
            yield Truth(("OR204",), (turn + 1,), must=bool(torn - told))
        told |= torn


def marks(trial: Trial) -> Iterator[Truth]:
    """OR206 and OR208: only the writer of the conversation knows."""
    for here, sent in enumerate(trial.sent, 1):
        for call in sent.reply.calls:
            if call.mark == "placeholder":
                yield Truth(("OR206",), (here,), call.tool)
            elif call.mark == "pointer":
                yield Truth(("OR208",), (here, here + 1))
            elif call.mark == "back-reference":
                yield Truth(("OR208",), (here, here + 1, here + 2))


# Irreducible and repeated results.


def losses(trial: Trial) -> Iterator[Truth]:
    """RN301: results that left the prompt and that nothing can bring back; one a turn will do."""
    by_uid = {c.uid: c for s in trial.sent for c in s.reply.calls}
    for turn in range(1, len(trial.sent)):
        sent, last = trial.sent[turn], trial.sent[turn - 1]
        fresh = {m.answers for m in trial.messages if last.reply.uid < m.uid < sent.reply.uid}
        gone = (answered(last) | (fresh - {None})) - answered(sent)
        lost = [by_uid[uid] for uid in gone if uid is not None]
        open_or_sure = [_loss(trial, turn, call) for call in lost]
        if any(verdict is not None for verdict in open_or_sure):
            yield Truth(("RN301",), (turn + 1,), must=any(open_or_sure))


def _loss(trial: Trial, turn: int, call: Call) -> bool | None:
    """Whether a result that left is a loss. None: no. False: open."""
    sent = trial.sent[turn]
    if call.mark == "poll" or unreadable(sent) or kept(sent, call):
        return None
    verdict = _irreducible(call)
    return verdict and _certain(trial, turn, call)


def _irreducible(call: Call) -> bool | None:
    """None: it can be had again. False: open."""
    if call.mark in ("once", "decision") or (call.effect == "add" and call.outcome == "ok"):
        return True
    if call.outcome in ("negative", "refusal", "missing"):
        return True
    return False if call.outcome in ("validation", "transient") else None


def _certain(trial: Trial, turn: int, call: Call) -> bool:
    """Whether nothing in the prompt hints at the outcome, and nothing has overtaken it."""
    sent = trial.sent[turn]
    later = [c for s in trial.sent[:turn] for c in s.reply.calls if c.uid > call.uid]
    overtaken = any(c.key == call.key or c.touches & call.reads for c in later)
    if overtaken or hinted(sent, call):
        return False
    return trial.strict or not any(
        m.kind in ("assistant", "user") and m.text and m.uid > call.uid for m in sent.prompt
    )


def repeats(trial: Trial) -> Iterator[Truth]:
    """RN302 to RN305: what is done again because its outcome was evicted."""
    past: list[Call] = []
    for turn, sent in enumerate(trial.sent):
        for call in sent.reply.calls:
            if call.mark != "poll" and not unreadable(sent):
                same = [c for c in past if c.key == call.key or c.uid == call.again]
                yield from _repeat(trial, turn, call, same, past)
        past += sent.reply.calls


def _repeat(
    trial: Trial, turn: int, call: Call, same: list[Call], past: list[Call]
) -> Iterator[Truth]:
    sent, here = trial.sent[turn], turn + 1
    if not same or any(c.uid in answered(sent) or kept(sent, c) for c in same):
        return
    prior = same[-1]
    between = [m for m in trial.messages if prior.uid < m.uid < sent.reply.uid]
    if any(call.tool in m.asks for m in between):
        return
    codes = _offence(prior)
    done = [c for c in past if c.uid > prior.uid and c.outcome == "ok"]
    if not codes or any(c.touches & prior.reads for c in done):
        return
    must = prior.outcome not in ("validation", "transient") and not hinted(sent, prior)
    if not trial.strict:
        spoken = any(m.kind in ("assistant", "user") and m.text for m in between)
        must = must and not spoken and not any(c.effect != "read" for c in done)
    yield Truth(codes, (here,), call.tool, must=must)
    if "RN302" in codes and call.outcome == "ok":
        yield Truth(("RN303",), (here, here + 1), call.tool, must=must)


OFFENCES: tuple[tuple[Callable[[Call], bool], tuple[str, ...]], ...] = (
    (lambda c: c.effect == "add" and c.outcome == "ok", ("RN304",)),
    (lambda c: c.effect == "read" and c.outcome in ("negative", "missing"), ("RN302", "RN305")),
    (lambda c: c.outcome in ("refusal", "missing"), ("RN305",)),
    (lambda c: c.outcome == "validation", ("RN305",)),
)


def _offence(prior: Call) -> tuple[str, ...]:
    """The rules that forbid a repeat of a call with such an outcome."""
    return next((codes for applies, codes in OFFENCES if applies(prior)), ())
