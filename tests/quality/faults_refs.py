"""Orphaned references: handles, pairs, placeholders and pointers without what explains them."""

from __future__ import annotations

import json

from tests.quality.conversations import change, fill, find, item, opening
from tests.quality.policies import PLACEHOLDERS, clear_results, compact, evict
from tests.quality.scene import DONE, Call, Message, Scene

GONE = (
    "Error: {0} {1} not found",
    '{{"error": "unknown {0}: {1}"}}',
    "404 Not Found: {1}",
    "No {0} with id {1} exists",
)


def _learned(scene: Scene, *, used: bool = False) -> tuple[str, Call]:
    """A handle learned from a result; ``used``: passed on once."""
    opening(scene)
    scene.user(f"Get me the {scene.names.word()} {scene.domain.noun} ready.")
    handle, call = find(scene, scene.rng.choice(("search", "create")))
    if used:
        scene.call("update", change(scene, handle), '{"ok": true}', touches=[handle])
    scene.say(scene.rng.choice(DONE))
    return handle, call


def _use(scene: Scene, handle: str, outcome: str = "ok") -> Call:
    """A mutation of the thing that a handle names."""
    result, about = '{"ok": true}', None
    if outcome == "missing":
        result = scene.rng.choice(GONE).format(scene.domain.noun, handle)
        about = handle
    call = scene.call("update", change(scene, handle), result, outcome=outcome, about=about)
    scene.say(scene.rng.choice(DONE) if outcome == "ok" else "That failed, sorry.")
    return call


def orphan(scene: Scene, twin: str | None) -> None:
    """A handle's only binding is evicted, and the handle is used again."""
    if twin == "computed-or-plain-values":
        _plain(scene)
        return
    used = twin is None and scene.rng.random() < 0.5
    handle, call = _learned(scene, used=used)
    fill(scene, 3)
    again = f"Now move that {scene.domain.noun} on to the next state."
    if twin == "user-typed":
        again = f"Now move {handle} on to the next state."
    if twin == "told-to-the-user":
        scene.say(f"For your notes: the {scene.domain.noun} is {handle}.", [call])
    scene.user(again)
    if twin == "restated-in-the-summary":
        facts = f"The {scene.domain.noun} in question was found: {handle}. The user wants more."
        compact(scene, facts, [call])
    elif twin == "told-to-the-user":
        clear_results(scene, 1)
    elif twin is None and used:
        evict(scene, call, scene.rng.choice(("clear", "drop")))
    else:
        evict(scene, call)
    failing = twin is None and scene.rng.random() < 0.5
    _use(scene, handle, "missing" if failing else "ok")


def _plain(scene: Scene) -> None:
    """Dates, amounts, words and states from an evicted result are no handles."""
    opening(scene)
    scene.user("What is planned?")
    rng = scene.rng
    day = f"2025-{rng.randrange(1, 13):02d}-{rng.randrange(1, 28):02d}"
    amount = rng.randrange(100, 99999) / 100
    plan = {"day": day, "amount": amount, "state": scene.domain.states[0]}
    scene.call("search", {"query": scene.names.word()}, json.dumps(plan))
    scene.say(rng.choice(DONE))
    fill(scene, 3)
    handle = scene.mint()
    scene.user(f"Note that on {handle}.")
    clear_results(scene, 1)
    body = f"{day} {amount}"
    scene.call("part", {**scene.domain.ref(handle), "body": body}, "added")
    scene.say(rng.choice(DONE))


def minted(scene: Scene, twin: str | None) -> None:
    """The twin of ``orphan`` in which the model chose the identifier by itself."""
    opening(scene)
    scene.user("Set up a new branch of work.")
    slug = f"{scene.names.word()}-{scene.rng.randrange(10, 99)}"
    scene.call("part", {**scene.domain.ref(slug), "body": "first"}, f"added to {slug}")
    scene.say(scene.rng.choice(DONE))
    fill(scene, 3)
    scene.user("And a second remark, please.")
    clear_results(scene, 1)
    scene.call("part", {**scene.domain.ref(slug), "body": "second"}, "added")
    scene.say(scene.rng.choice(DONE))


def _near(scene: Scene, handle: str) -> str:
    """The handle with one character of its second half changed."""
    places = [n for n, char in enumerate(handle) if char.isalnum() and n >= len(handle) // 2]
    place = scene.rng.choice(places)
    old = handle[place]
    pool = "23456789" if old.isdigit() else "bcdefa" if old.islower() else "BCDEFA"
    new = scene.rng.choice([c for c in pool if c != old])
    return handle[:place] + new + handle[place + 1 :]


def mutated(scene: Scene, twin: str | None) -> None:
    """A handle is used from memory, and comes out slightly wrong."""
    handle, call = _learned(scene)
    near = _near(scene, handle)
    if twin == "another-one":
        scene.handles.add(near)
        scene.user(f"There is also {near}; what about it?")
    fill(scene, 3)
    scene.user(f"Now move that {scene.domain.noun} on.")
    if twin != "original-in-sight":
        evict(scene, call, scene.rng.choice(("clear", "drop", "inputs")))
    failing = scene.rng.random() < 0.5
    result = scene.rng.choice(GONE).format(scene.domain.noun, near) if failing else "ok"
    scene.call(
        "update",
        change(scene, near),
        result,
        outcome="missing" if failing else "ok",
        about=near if failing else None,
        spoils=handle if twin is None else None,
    )
    scene.say("I tried." if failing else scene.rng.choice(DONE))


def severed(scene: Scene, twin: str | None) -> None:
    """Pruning takes one half of a call and its result."""
    opening(scene, 2)
    if twin == "interrupted":
        scene.user("Look it up.")
        call = scene.write("search", {"query": scene.names.word()})
        text = "[Tool call was interrupted and did not return a result.]"
        scene.calls((call, text))
    scene.user("Have a look at two more things.")
    fill(scene, 2)
    scene.say(scene.rng.choice(DONE))
    scene.user("And then?")
    calls = [c for m in scene.messages for c in m.calls]
    target = scene.rng.choice(calls)
    maker = scene.message_of(target)
    halves = {maker.uid, *(scene.result_of(call).uid for call in maker.calls)}
    if twin is None:
        scene.view.hidden.add(scene.rng.choice(sorted(halves)))
    elif twin == "whole-pair":
        scene.view.hidden |= halves
    else:
        clear_results(scene, 1)
    fill(scene, 1)
    if twin == "pending-at-the-end":
        scene.calls((scene.write("search", {"query": scene.names.word()}), None))
    else:
        scene.say(scene.rng.choice(DONE))


def placeholder(scene: Scene, twin: str | None) -> None:
    """The model writes a pruner's placeholder into a file."""
    opening(scene, 1)
    names, path = scene.names, scene.names.path()
    scene.user(f"Read {path} and copy it with a header.")
    body = "\n".join(f"{names.word()} = {scene.rng.randrange(99)}" for _ in range(4))
    scene.placeholder = scene.rng.choice(PLACEHOLDERS)
    if twin == "it-was-in-the-file":
        body = f"{body}\nLEFT = '{scene.placeholder}'"
    scene.call("read", {"path": path}, body)
    fill(scene, 3)
    if twin != "it-was-in-the-file":
        clear_results(scene, 1)
    copy, mark = body, ""
    if twin is None:
        head = f"# copied by {names.word()}\n" if scene.rng.random() < 0.5 else ""
        copy, mark = head + scene.placeholder, "placeholder"
    elif twin == "discussed-in-prose":
        copy = (
            f"# How we prune\n\nWhen a result is old, our runtime shows the model the words "
            f"`{scene.placeholder}` in its place. {names.word().title()} looks after this.\n"
        )
    scene.call("write", {"path": names.path("md"), "content": copy}, "written", mark=mark)
    scene.say(scene.rng.choice(DONE))


POINTERS = (
    "The full conversation history has been saved to {0} should you need to refer back to it "
    "for details.",
    "Full output saved to: {0}",
    "Older results were offloaded; see {0} for them.",
)
ABSENT = (
    "Error: File '{0}' not found",
    "ENOENT: no such file or directory, open '{0}'",
    "cat: {0}: No such file or directory",
    "File not found: {0}",
)


def pointer(scene: Scene, twin: str | None) -> None:
    """A summary points at a file that is not there."""
    opening(scene, 3)
    scene.user("Go on with what we had.")
    rng, names = scene.rng, scene.names
    path = f"/{rng.choice(('conversation_history', 'large_tool_results', 'tmp'))}/{names.word()}.md"
    facts = f"The {scene.domain.noun} was looked into. " + rng.choice(POINTERS).format(path)
    compact(scene, facts)
    if twin == "not-followed":
        fill(scene, 1)
    elif twin == "resolves":
        text = "\n".join(f"{names.word()} {names.word()}" for _ in range(3))
        scene.call("read", {"path": path}, text)
    else:
        gone = rng.choice(ABSENT).format(path)
        scene.call("read", {"path": path}, gone, outcome="missing", about=path, mark="pointer")
    scene.say(rng.choice(DONE))


UNCHANGED = (
    "File unchanged since last read. The content from the earlier Read tool_result in this "
    "conversation is still current — refer to that instead of re-reading.",
    '{"status": "unchanged", "message": "File unchanged since last read. The content from the '
    'earlier read_file result in this conversation is still current."}',
)


def back_reference(scene: Scene, twin: str | None) -> None:
    """A stub says "unchanged since the last read", and the last read was cleared."""
    opening(scene)
    path = scene.names.path()
    scene.user(f"Tidy up {path}.")
    body = f"def {scene.names.word()}():\n    return {scene.rng.randrange(9)}\n"
    scene.call("read", {"path": path}, body)
    scene.say("I have read it.")
    fill(scene, 3)
    scene.user("Go ahead.")
    if twin != "still-in-sight":
        clear_results(scene, 1)
    stub = scene.rng.choice(UNCHANGED)
    mark = "back-reference" if twin is None else ""
    if twin == "content-again":
        stub = body
    scene.call("read", {"path": path}, stub, mark=mark)
    scene.call("write", {"path": path, "content": body + "\n"}, "written", touches=[path])
    scene.say(scene.rng.choice(DONE))


def opaque(scene: Scene, twin: str | None) -> None:
    """A summary that nobody can read: whether the handle is in it is unknown."""
    handle, _ = _learned(scene)
    fill(scene, 2)
    message = scene.user(f"Now move that {scene.domain.noun} on.")
    scene.view.hidden |= {
        m.uid for m in scene.messages if m.kind != "system" and m.uid < message.uid
    }
    blob = "".join(
        scene.rng.choice("abcdefghijklmnopqrstuvwxyzABCDEF0123456789+/") for _ in "x" * 400
    )
    scene.insert(Message(scene.uid(), "summary", blob, opaque=True))
    _use(scene, handle)
    scene.call("get", scene.domain.ref(handle), json.dumps(item(scene, handle)))
    scene.say(scene.rng.choice(DONE))
