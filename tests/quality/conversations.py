"""Conversations that nobody pruned: seeded ones, and recorded ones where they are at hand."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.quality.scene import DONE, Call, Message, Scene, Sent, Trial, View
from tests.quality.world import Domain

GREETINGS = (
    "Good morning. I look after {0}s here and need some help today.",
    "Hi! Can you help me with our {0}s?",
    "We have a few {0} topics to get through. Please start by getting an overview.",
    "I'm covering for {1} this week, so please bear with me. It is about {0}s.",
)
PROMPTS = (
    "You are an assistant for {0} staff. Use the tools; be brief.",
    "You are the {0} agent. Policy: confirm before you change anything that cannot be undone.",
    "You help operators with {0} work. Today is a working day. Answer in plain words.",
)


def opening(scene: Scene, filler: int = 1) -> None:
    """System prompt, greeting, and some reading."""
    what = scene.domain.thing.replace("_", " ")
    scene.system(scene.rng.choice(PROMPTS).format(what))
    scene.user(scene.rng.choice(GREETINGS).format(what, scene.names.word().title()))
    fill(scene, filler)
    scene.say(scene.rng.choice(("Sure, what is first?", "I had a look around. Go ahead.")))


def fill(scene: Scene, count: int) -> None:
    """Reading of which nothing is used later, and which can be done again at any time."""
    left = count
    while left > 0:
        together = 2 if left > 1 and scene.rng.random() < 0.25 else 1
        reads = [scene.rng.choice((_search, _read, _grep))(scene) for _ in range(together)]
        scene.calls(*((scene.write(role, arguments), text) for role, arguments, text in reads))
        left -= together


Reading = tuple[str, dict[str, Any], str]


def _search(scene: Scene) -> Reading:
    rows = [item(scene, scene.mint()) for _ in range(scene.rng.randrange(1, 4))]
    arguments: dict[str, Any] = {"query": scene.names.word()}
    if scene.rng.random() < 0.5:
        arguments["limit"] = scene.rng.choice((5, 10, 20))
    return "search", arguments, json.dumps(rows)


def _read(scene: Scene) -> Reading:
    names = scene.names
    lines = "\n".join(f"def {names.word()}(self):\n    return self.{names.word()}" for _ in "ab")
    return "read", {"path": names.path()}, lines


def _grep(scene: Scene) -> Reading:
    word = scene.names.word()
    line = scene.rng.randrange(3, 90)
    return "grep", {"pattern": word}, f"{scene.names.path()}:{line}: {word} = load()"


def item(scene: Scene, handle: str, **more: Any) -> dict[str, Any]:
    """A record of the domain."""
    domain = scene.domain
    return {
        domain.key: domain.value(handle),
        "title": f"{scene.names.word()} {scene.names.word()}",
        "status": scene.rng.choice(domain.states),
        "owner": scene.names.word().title(),
        **more,
    }


def find(scene: Scene, role: str = "search") -> tuple[str, Call]:
    """A handle that the model learns from a result, and the call that gave it."""
    handle = scene.mint()
    row = json.dumps(item(scene, handle))
    shape = scene.rng.choice(("list", "object", "text"))
    if role == "create":
        call = scene.call(
            "create", new_thing(scene), json.dumps({scene.domain.key: scene.domain.value(handle)})
        )
    else:
        found = {
            "list": f"[{row}]",
            "object": f'{{"results": [{row}], "total": 1}}',
            "text": f"1 match: {handle} ({scene.names.word()} {scene.names.word()})",
        }
        call = scene.call(role, {"query": scene.names.word()}, found[shape])
    return handle, call


def new_thing(scene: Scene) -> dict[str, Any]:
    """Arguments to create a thing with."""
    names = scene.names
    return {
        "title": f"{names.word()} {names.word()}",
        "owner": names.word().title(),
        "priority": scene.rng.choice(scene.domain.levels),
        "details": f"Asked for by {names.word().title()}; see the {names.word()} sheet.",
    }


def change(scene: Scene, handle: str) -> dict[str, Any]:
    """Arguments to update a thing with."""
    return {
        **scene.domain.ref(handle),
        "status": scene.rng.choice(scene.domain.states),
        "notify": scene.rng.random() < 0.5,
        "reason": f"{scene.names.word()} {scene.names.word()}",
    }


def natural(scene: Scene, tasks: int) -> None:
    """A whole working session of several tasks, with nothing wrong in it."""
    opening(scene)
    kinds: list[tuple[Callable[[Scene], None], str]] = [
        (_handed_on, "update"),
        (_added, "part"),
        (_job, "start poll"),
        (_not_there, "search"),
        (_edited, "write test"),
        (_mailed, "send"),
        (_reopened, "get update"),
    ]
    able = [f for f, roles in kinds if all(role in scene.domain.tools for role in roles.split())]
    for _ in range(tasks):
        scene.rng.choice(able)(scene)
        if scene.rng.random() < 0.5:
            fill(scene, 1)
        scene.say(scene.rng.choice(DONE))


def _handed_on(scene: Scene) -> None:
    scene.user(f"Find the {scene.domain.noun} about {scene.names.word()} and move it along.")
    handle, _ = find(scene)
    made = change(scene, handle)
    scene.call("update", made, '{"ok": true}', touches=[handle])


def _added(scene: Scene) -> None:
    scene.user(f"Put two remarks on the {scene.names.word()} {scene.domain.noun}.")
    handle, _ = find(scene)
    for _ in range(2):
        body = f"{scene.names.word()} {scene.names.word()} seen"
        scene.call("part", {**scene.domain.ref(handle), "body": body}, "added", touches=[handle])


def _job(scene: Scene) -> None:
    scene.user(f"Export the {scene.names.word()} {scene.domain.noun} for me.")
    handle, _ = find(scene)
    job = scene.mint("job")
    profile = scene.rng.choice(scene.domain.levels)
    scene.call(
        "start",
        {**scene.domain.ref(handle), "profile": profile},
        json.dumps({"job_id": job, "state": "queued"}),
    )
    for state in ("running", "running", "finished"):
        scene.call("poll", {"job_id": job}, json.dumps({"state": state}), mark="poll")


def _not_there(scene: Scene) -> None:
    word = scene.names.word()
    scene.user(f"Do we have any {scene.domain.noun} about {word}?")
    scene.call("search", {"query": word}, scene.rng.choice(NOTHING), outcome="negative")
    handle, _ = find(scene)
    scene.say(f"Nothing about {word}, but {handle} comes close.", keeps=_last_negative(scene))


NOTHING = (
    "[]",
    '{"results": []}',
    "No results found",
    "0 results",
    "No matches found.",
    '{"items": [], "total": 0}',
)


def _last_negative(scene: Scene) -> list[Call]:
    calls = [c for m in scene.messages for c in m.calls]
    return [next(c for c in reversed(calls) if c.outcome == "negative")]


def _edited(scene: Scene) -> None:
    path = scene.names.path()
    scene.user(f"The tests of {path} fail; please repair it.")
    failed = f"1 failed, 3 passed\nFAILED {path}::test_{scene.names.word()} - AssertionError"
    reads = [path]
    scene.call("test", {"target": path}, failed, outcome="negative", reads=reads)
    scene.call("read", {"path": path}, f"def {scene.names.word()}():\n    return 1\n")
    body = f"def {scene.names.word()}():\n    return 2\n"
    scene.call("write", {"path": path, "content": body}, "written", touches=[path])
    scene.call("test", {"target": path}, "4 passed", reads=reads)


def _mailed(scene: Scene) -> None:
    who = scene.names.word().title()
    scene.user(f"Tell {who} that the {scene.domain.noun} review is over.")
    arguments = {
        "recipient": who,
        "subject": f"{scene.domain.noun} review",
        "body": f"The review is over. Regards, {scene.names.word().title()}",
    }
    sent = scene.call("send", arguments, "sent")
    scene.say(f"{who} has been told.", keeps=[sent])


def _reopened(scene: Scene) -> None:
    handle = scene.mint()
    scene.user(f"Please look at {handle} and change its state.")
    scene.call("get", scene.domain.ref(handle), json.dumps(item(scene, handle)))
    scene.call("update", change(scene, handle), '{"ok": true}', touches=[handle])


def seeded(seed: int, policy: Callable[[Scene], None] | None = None, tasks: int = 6) -> Scene:
    """One whole made-up conversation under a pruner."""
    rng = random.Random(f"conversation {seed}")
    scene = Scene(rng, Domain(rng, ("search", "read", "grep", "update", "part")), policy)
    natural(scene, tasks)
    return scene


# Recorded conversations: not part of the repository.

#: What the recorded tools do; all others only read.
WRITES = {
    "book_reservation": "add",
    "send_certificate": "add",
    "transfer_to_human_agents": "add",
    "cancel_reservation": "set",
    "update_reservation_baggages": "set",
    "update_reservation_flights": "set",
    "update_reservation_passengers": "set",
}


def recorded_folder() -> Path | None:
    """Where recorded conversations are, or None."""
    root = Path(os.environ.get("CTXAUDIT_LOGS", Path(__file__).parents[2].parent / "shared/logs"))
    return root if (root / "requests/gpt-4o-airline.json").is_file() else None


class Recorded:
    """Recorded conversations, to be sent again under a pruner."""

    def __init__(self, root: Path) -> None:
        folder = root / "requests"
        self.runs = json.loads((folder / "gpt-4o-airline.json").read_text())
        self.tools = json.loads((folder / "tools_airline.json").read_text())

    def scenes(self, policy: Callable[[Scene], None] | None, limit: int) -> Iterator[Scene]:
        """The first ``limit`` of them."""
        for run in self.runs[:limit]:
            scene = Scene(random.Random(run["task_id"]), _Offered(self.tools), policy)
            _replay(scene, run["traj"])
            yield scene


class _Offered(Domain):
    """A recorded tool list in the place of a made-up domain."""

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        super().__init__(random.Random(0))
        self.noun = self.thing = "reservation"
        self.tools = {}
        self.offered = tools


def _replay(scene: Scene, trajectory: list[dict[str, Any]]) -> None:
    offered: list[dict[str, Any]] = scene.domain.offered  # type: ignore[attr-defined]
    scene.view = View({t["function"]["name"]: t for t in offered})
    pending: list[Call] = []
    for message in trajectory:
        content = message.get("content") or ""
        if message["role"] == "assistant":
            pending = [_recorded(scene, raw) for raw in message.get("tool_calls") or ()]
            scene._reply(Message(scene.uid(), "assistant", content, tuple(pending)))
        elif message["role"] == "tool":
            _answer(scene, pending, message)
        else:
            scene.messages.append(Message(scene.uid(), message["role"], content))


def _recorded(scene: Scene, raw: dict[str, Any]) -> Call:
    name = raw["function"]["name"]
    arguments = json.loads(raw["function"]["arguments"])
    return Call(scene.uid(), raw["id"], name, arguments, WRITES.get(name, "read"))


def _answer(scene: Scene, pending: list[Call], message: dict[str, Any]) -> None:
    call = next(c for c in pending if c.id == message["tool_call_id"])
    text = message["content"] or ""
    scene.messages.append(Message(scene.uid(), "result", text, (), call.uid, call.id))


def recorded_outcome(call: Call, text: str) -> str:
    """What a recorded result says."""
    if text.startswith("Error"):
        return "missing" if "not found" in text else "refusal"
    return "negative" if text.strip() in ("", "[]") and call.effect == "read" else "ok"


def recorded_trial(scene: Scene, name: str, kind: str) -> Trial:
    """A recorded conversation as a trial: its ledger is read from the results."""
    texts = {m.answers: m.text for m in scene.messages if m.kind == "result"}

    def settle(message: Message) -> Message:
        if not message.calls:
            return message
        return replace(message, calls=tuple(_settled(c, texts) for c in message.calls))

    sent = tuple(
        Sent(tuple(settle(m) for m in s.prompt), s.tools, settle(s.reply)) for s in scene.sent
    )
    messages = tuple(settle(m) for m in scene.messages)
    return Trial(name, kind, None, sent, None, messages, strict=False)


def _settled(call: Call, texts: dict[int | None, str]) -> Call:
    if call.uid not in texts:
        return replace(call, outcome="pending")
    return replace(call, outcome=recorded_outcome(call, texts[call.uid]))
