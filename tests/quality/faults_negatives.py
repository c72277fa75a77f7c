"""Negative results and successes that were evicted, and what was done a second time for it."""

from __future__ import annotations

import json
from typing import Any

from tests.quality.conversations import NOTHING, change, fill, find, item, new_thing, opening
from tests.quality.faults_ghost import REFUSALS
from tests.quality.policies import clear_results, compact, evict
from tests.quality.scene import DONE, ON, Scene

TRANSIENT = (
    "429 Too Many Requests: retry later",
    "Error: request timed out after 30s",
    "503 Service Unavailable",
    "Error: rate limit exceeded, try again in 20 seconds",
    "upstream connect error: connection reset by peer",
)


def _check(scene: Scene) -> tuple[str, dict[str, Any], str, str, str]:
    """A check that says no: role, arguments, its no, its yes, and what it reads."""
    names, rng = scene.names, scene.rng
    kind = rng.choice(("search", "grep", "grep", "test", "read"))
    if kind == "search":
        word = names.word()
        yes = json.dumps([item(scene, scene.mint())])
        return "search", {"query": word, "limit": 10}, rng.choice(NOTHING), yes, word
    path, word = names.path(), names.word()
    if kind == "grep":
        no = rng.choice(("No matches found", "0 matches", "", "No files found"))
        return "grep", {"pattern": word, "path": path}, no, f"{path}:4: {word}()", path
    if kind == "test":
        no = f"2 failed, 5 passed\nFAILED {path}::test_{word} - AssertionError: {word}"
        return "test", {"target": path}, no, "7 passed", path
    no = f"Error: File not found: {path}"
    return "read", {"path": path}, no, f"def {word}():\n    pass\n", path


def _unrelated_edit(scene: Scene) -> None:
    path = scene.names.path()
    body = f"def {scene.names.word()}():\n    pass\n"
    scene.call("write", {"path": path, "content": body}, "written", touches=[path])


def renegative(scene: Scene, twin: str | None) -> None:
    """A check that said no is run again after its answer was evicted."""
    opening(scene)
    role, arguments, no, yes, subject = _check(scene)
    ask = f"Is there anything in it about {scene.names.word()}? Find out what is wrong."
    scene.user(ask)
    outcome = "transient" if twin == "transient-error" else "negative"
    first = scene.rng.choice(TRANSIENT) if outcome == "transient" else no
    told = [subject] if role == "search" else [subject, arguments.get("pattern", subject)]
    check = scene.call(role, arguments, first, outcome=outcome, reads=[subject])
    words = f"{' '.join(told)}: looked, nothing there; ruled out."
    if twin == "told-to-the-user":
        scene.say(words, [check])
    else:
        scene.say(scene.rng.choice(ON))
    fill(scene, 3)
    if twin == "subject-edited":
        _edit(scene, role, subject)
    elif role != "test" and scene.rng.random() < 0.5:
        _unrelated_edit(scene)  # a test may depend on any file; what the others read is named
    if twin == "user-asked-again":
        scene.user(scene.rng.choice(ONCE_MORE).format(subject), [check.tool])
    else:
        scene.user("Go on; what else can it be?")
    if twin == "kept-in-the-summary":
        compact(scene, f"The user looks for a cause. Checked so far: {words}", [check])
    elif twin == "told-to-the-user":
        clear_results(scene, 1)
    elif twin != "still-in-sight":
        evict(scene, check)
    contradicted = twin is None and scene.rng.random() < 0.4
    same = dict(reversed(list(arguments.items())))
    changed = twin == "subject-edited" and role != "test"
    if contradicted or changed or twin == "transient-error":
        scene.call(role, same, yes, reads=[subject])
    else:
        scene.call(role, same, no, outcome="negative", reads=[subject])
    scene.say("I see.")


ONCE_MORE = (
    "Please run the check of {0} once more.",
    "Could you look at {0} again?",
    "Re-run what you did for {0}, I want to be sure.",
    "Let's repeat the check on {0}.",
    "Check {0} a second time, please.",
)


def _edit(scene: Scene, role: str, subject: str) -> None:
    """A mutation of what the check looks at."""
    if role == "search":
        made = {**new_thing(scene), "title": f"{subject} {scene.names.word()}"}
        created = json.dumps({scene.domain.key: scene.domain.value(scene.mint())})
        scene.call("create", made, created, touches=[subject])
    else:
        body = f"def {scene.names.word()}():\n    pass\n"
        scene.call("write", {"path": subject, "content": body}, "written", touches=[subject])


def polling(scene: Scene, twin: str | None) -> None:
    """A job that is asked after until it is done, while old answers are cleared."""
    opening(scene)
    handle = scene.mint()
    scene.user(f"Export {handle} and tell me when it is done.")
    job = scene.mint("job")
    arguments = {**scene.domain.ref(handle), "profile": scene.domain.levels[0]}
    started = scene.call("start", arguments, json.dumps({"job_id": job, "state": "queued"}))
    scene.say(f"The job is {job}.", [started])
    scene.user("Keep an eye on it.")
    for state in ("queued", "not ready", "running", "running", "finished"):
        clear_results(scene, 1)
        scene.call("poll", {"job_id": job}, json.dumps({"state": state}), mark="poll")
    scene.say("It is finished.")


def _deed(scene: Scene) -> tuple[str, dict[str, Any], dict[str, Any], str, str]:
    """Something that adds each time: role, arguments, the same in other words, answer, what."""
    names, rng = scene.names, scene.rng
    kind = rng.choice(("create", "send", "part"))
    if kind == "create":
        made = new_thing(scene)
        asker, sheet = names.word().title(), names.word()
        made["details"] = f"Asked for by {asker}; see the {sheet} sheet."
        other = {**made, "details": f"{asker} asked for this. The {sheet} sheet has the rest."}
        return (
            kind,
            made,
            other,
            json.dumps({scene.domain.key: scene.domain.value(scene.mint())}),
            made["title"],
        )
    if kind == "send":
        body = f"the {scene.domain.noun} {names.word()} was moved to {names.word()}"
        who = names.word().title()
        mail = {"recipient": who, "subject": f"{names.word()} moved", "body": f"Hello, {body}."}
        return kind, mail, {**mail, "body": f"Hi there! Note that {body}."}, "sent", who
    handle = scene.mint()
    note = {**scene.domain.ref(handle), "body": f"{names.word()} {names.word()} checked on site"}
    other = {**note, "body": f"on site, {note['body']}"}
    return kind, note, other, '{"added": true}', handle


def side_effect(scene: Scene, twin: str | None) -> None:
    """A deed is done a second time after its success was evicted."""
    opening(scene)
    if twin == "set-same-value":
        _set_twice(scene)
        return
    role, arguments, other, answer, what = _deed(scene)
    scene.user(f"Please see to {what} and then to the rest.")
    if twin == "first-one-failed":
        done = scene.call(role, arguments, scene.rng.choice(TRANSIENT), outcome="transient")
    else:
        done = scene.call(role, arguments, answer, touches=[what])
    words = f"{what} is taken care of ({done.tool} succeeded)."
    if twin == "told-to-the-user":
        scene.say(words, [done])
    else:
        scene.say(scene.rng.choice(ON))
    fill(scene, 3)
    if twin == "user-asked-for-another":
        scene.user(scene.rng.choice(ANOTHER).format(what), [done.tool])
    else:
        scene.user("Carry on until everything is through.")
    if twin == "kept-in-the-summary":
        compact(scene, f"The user has a list of things to do. Done: {words}", [done])
    elif twin == "told-to-the-user":
        clear_results(scene, 1)
    else:
        evict(scene, done)
    if twin in ("kept-in-the-summary", "told-to-the-user"):
        fill(scene, 1)
    elif twin is None and scene.rng.random() < 0.4:
        scene.call(role, other, answer, again=done.uid)
    else:
        scene.call(role, arguments, answer)
    scene.say(scene.rng.choice(DONE))


ANOTHER = (
    "Please do that for {0} a second time; we need two.",
    "We need another one for {0}, exactly like the first.",
    "Once more for {0}, please: the first one was used up.",
    "Do {0} again, the same way.",
    "Make it two for {0}.",
)


def _set_twice(scene: Scene) -> None:
    handle = scene.mint()
    scene.user(f"Set {handle} right.")
    arguments = change(scene, handle)
    done = scene.call("update", arguments, '{"ok": true}', touches=[handle])
    scene.say(scene.rng.choice(ON))
    fill(scene, 3)
    scene.user(f"Is {handle} as it should be?")
    evict(scene, done)
    scene.call("update", arguments, '{"ok": true}', touches=[handle])
    scene.say(scene.rng.choice(DONE))


AFTER_ALL = (
    "All right, I agree now: change {0} after all.",
    "I have thought about it. You may go ahead with {0}.",
    "Okay, try {0} again; I will approve it this time.",
    "The approval for {0} has come through, please proceed.",
    "{0} is unlocked now, so change it.",
)
HUMAN = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    "User declined to run this tool. Don't try to make the same tool call again.",
    "Rejected by approver",
    "Permission for this action has been denied.",
)


def dead_end(scene: Scene, twin: str | None) -> None:
    """An attempt that was refused is made again, unchanged, after the refusal was evicted."""
    opening(scene)
    handle = scene.mint()
    scene.user(f"Please bring {handle} to its next state.")
    arguments = change(scene, handle)
    refusal = scene.rng.choice((*HUMAN, *REFUSALS)).format(scene.domain.noun)
    outcome = "refusal"
    if twin == "transient-error":
        refusal, outcome = scene.rng.choice(TRANSIENT), "transient"
    attempt = scene.call("update", arguments, refusal, outcome=outcome, reads=[handle])
    words = f"Changing {handle} was refused: {refusal}"
    if twin == "told-to-the-user":
        scene.say(words, [attempt])
    else:
        scene.say(scene.rng.choice(ON))
    fill(scene, 3)
    if twin == "user-changed-their-mind":
        scene.user(scene.rng.choice(AFTER_ALL).format(handle), [attempt.tool])
    else:
        scene.user("Carry on, please.")
    if twin == "kept-in-the-summary":
        compact(scene, f"The user wants {handle} changed. {words}", [attempt])
    elif twin == "told-to-the-user":
        clear_results(scene, 1)
    elif twin != "still-in-sight":
        evict(scene, attempt)
    if twin in ("kept-in-the-summary", "told-to-the-user"):
        fill(scene, 1)
    elif twin in ("transient-error", "user-changed-their-mind"):
        scene.call("update", arguments, '{"ok": true}', touches=[handle])
    else:
        scene.call("update", arguments, refusal, outcome="refusal", reads=[handle])
    scene.say("I see.")


SECRETS = (
    '{{"confirm_token": "{0}", "expires_in": 900}}',
    "One-time code: {0} (shown only once)",
    '{{"secret": "{0}", "note": "store it now, it will not be shown again"}}',
)


def irreducible(scene: Scene, twin: str | None) -> None:
    """What cannot be had again is evicted: the answer of a deed, or a token shown once."""
    opening(scene)
    if twin == "pure-read":
        scene.user("Have a look around.")
        _, call = find(scene)
    elif scene.rng.random() < 0.5 and twin is None:
        role, arguments, _, answer, what = _deed(scene)
        scene.user(f"See to {what}.")
        call = scene.call(role, arguments, answer, touches=[what])
    else:
        handle = scene.mint()
        scene.user(f"Prepare the export of {handle}.")
        token = scene.mint("tok")
        arguments = {**scene.domain.ref(handle), "profile": scene.domain.levels[0]}
        call = scene.call("start", arguments, scene.rng.choice(SECRETS).format(token), mark="once")
        if twin == "told-to-the-user":
            scene.say(f"The export of {handle} was started; your code is {token}.", [call])
    if twin != "told-to-the-user":
        scene.say(scene.rng.choice(ON))
    fill(scene, 3)
    scene.user("Thanks. What else is new?")
    evict(scene, call, scene.rng.choice(("clear", "drop")))
    fill(scene, 1)
    scene.say("That is all there is.")
