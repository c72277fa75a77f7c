"""Ghost tools: schemas that left, shrank or changed while calls stay; and sound ways to do it."""

from __future__ import annotations

import json
from typing import Any

from tests.quality.conversations import change, fill, find, item, opening
from tests.quality.policies import (
    clear_results,
    drop_pairs,
    drop_schema,
    restore,
    rewrite,
    tombstone,
    without_descriptions,
)
from tests.quality.scene import DONE, Call, Scene

#: What runtimes say of a missing field: {0} is the field, {1} the tool.
REJECTIONS = (
    "Input validation error: '{0}' is a required property",
    "InputValidationError: {1} failed due to the following issue:\n"
    "The required parameter `{0}` is missing",
    "1 validation error for {1}\n{0}\n  Field required [type=missing, input_value={{}}, "
    "input_type=dict]",
    "MCP error -32602: Input validation error: Invalid arguments for tool {1}: [\n"
    '  {{"code": "invalid_type", "expected": "string", "received": "undefined", '
    '"path": ["{0}"], "message": "Required"}}\n]',
    "ERROR: Your input to the tool was invalid (must have required property '{0}')",
    'Validation failed for tool "{1}":\n  - {0}: must have required properties {0}',
    "Invoking `{1}()` failed as the following mandatory input parameters are not present:\n{0}\n"
    "You could retry calling this tool, but it is IMPORTANT for you to provide all the mandatory "
    "parameters.",
    "Missing value for required parameter '{0}'. Please retry with complete response.",
    "missing required parameter: {0}",
    "TypeError: {1}() missing 1 required positional argument: '{0}'",
    '{{"error": {{"code": "INVALID_ARGUMENT", "message": "field {0} is required"}}}}',
    "400 Bad Request: {0} is required",
)
#: What a business rule says: the arguments were well-formed.
REFUSALS = (
    "Error: this {0} is locked until the review is over",
    "Error: the owner has to approve this first",
    '{{"error": "a {0} in this state cannot be changed"}}',
    "Error: payment amount does not add up",
    "Rejected by policy: changes are frozen this week",
)


def _prior(scene: Scene) -> tuple[str, Call]:
    """An update that succeeds while its schema is offered."""
    opening(scene)
    word = scene.names.word()
    scene.user(f"Please set the right state of the {word} {scene.domain.noun}.")
    handle, _ = find(scene)
    prior = scene.call("update", change(scene, handle), '{"ok": true}', touches=[handle])
    scene.say(scene.rng.choice(DONE))
    return handle, prior


def _next_request(scene: Scene) -> str:
    """A second thing of the same kind, named by the user, so that no handle is at stake."""
    handle = scene.mint()
    scene.user(f"Now do the same for {handle}: it moved on as well.")
    return handle


def _short(scene: Scene, handle: str) -> tuple[dict[str, Any], str]:
    """Arguments that lack a required field, and the field."""
    arguments = change(scene, handle)
    field = scene.rng.choice(("notify", "reason", "status"))
    del arguments[field]
    return arguments, field


def _other_tools(scene: Scene) -> list[str]:
    """A few tools that leave along with the one that matters."""
    keep = {"search", "read", "grep", "update", "part"}
    names = [t.name for role, t in scene.domain.tools.items() if role not in keep]
    return scene.rng.sample(names, min(len(names), scene.rng.randrange(3)))


def ghost(scene: Scene, twin: str | None) -> None:
    """The triad: a call from memory, a validation error, a way around through a sibling."""
    _, prior = _prior(scene)
    fill(scene, scene.rng.randrange(2))
    handle = _next_request(scene)
    tool = prior.tool
    if twin == "business-error-in-sight":
        clear_results(scene, 1)
        _refused(scene, handle)
        return
    drop_schema(scene, tool, *_other_tools(scene))
    if twin == "arguments-evicted-too":
        drop_pairs(scene, [prior])
        scene.say(f"I cannot change a {scene.domain.noun} any more; shall I leave a remark?")
        return
    if twin == "tombstone-obeyed":
        tombstone(scene, tool)
        _reloaded(scene, tool, handle)
        return
    if twin == "restored-before-the-call":
        fill(scene, 1)
        restore(scene, tool)
        scene.call("update", change(scene, handle), '{"ok": true}', touches=[handle])
        scene.say(scene.rng.choice(DONE))
        return
    if twin == "business-error":
        _refused(scene, handle)
        return
    fill(scene, scene.rng.randrange(2))
    arguments, field = _short(scene, handle)
    error = scene.rng.choice(REJECTIONS).format(field, tool)
    ghostly = scene.call("update", arguments, error, outcome="validation")
    _work_around(scene, ghostly, handle)


def _reloaded(scene: Scene, tool: str, handle: str) -> None:
    definition = json.dumps({"tools": [{"name": tool, "status": "loaded"}]})
    scene.call("tool_search", {"query": tool}, definition)
    restore(scene, tool)
    scene.call("update", change(scene, handle), '{"ok": true}', touches=[handle])
    scene.say(scene.rng.choice(DONE))


def _refused(scene: Scene, handle: str) -> None:
    refusal = scene.rng.choice(REFUSALS).format(scene.domain.noun)
    scene.call("update", change(scene, handle), refusal, outcome="refusal")
    scene.say(f"The system refused it: {refusal}")


def _work_around(scene: Scene, ghostly: Call, handle: str) -> None:
    body = f"state to be changed: {scene.names.word()}"
    scene.call(
        "part", {**scene.domain.ref(handle), "body": body}, '{"added": true}', recovers=ghostly.uid
    )
    scene.say("I left it as a remark.")


def ghost_success(scene: Scene, twin: str | None) -> None:
    """The call from memory succeeds: the mutation fails open."""
    _, prior = _prior(scene)
    handle = _next_request(scene)
    drop_schema(scene, prior.tool, *_other_tools(scene))
    if twin == "restored-at-once":
        restore(scene, prior.tool)
    elif twin == "user-offered-the-choice":
        drop_pairs(scene, [prior])
        scene.say("That tool is out of reach for me at present.")
        return
    scene.call("update", change(scene, handle), '{"ok": true}', touches=[handle])
    scene.say(scene.rng.choice(DONE))


def memory_call(scene: Scene, twin: str | None) -> None:
    """The schema and the old arguments are gone, and the tool is called all the same."""
    _, prior = _prior(scene)
    handle = _next_request(scene)
    drop_schema(scene, prior.tool)
    drop_pairs(scene, [prior])
    if twin == "restored-before-the-call":
        fill(scene, 1)
        restore(scene, prior.tool)
    elif twin == "never-called":
        fill(scene, 2)
        scene.say("I have no tool for that now.")
        return
    scene.call("update", change(scene, handle), '{"ok": true}', touches=[handle])
    scene.say(scene.rng.choice(DONE))


def lossy(scene: Scene, twin: str | None) -> None:
    """The schema is compressed, and loses constraints."""
    _, prior = _prior(scene)
    handle = _next_request(scene)

    def shrink(function: dict[str, Any]) -> None:
        without_descriptions(function)
        parameters = function["parameters"]
        loss = scene.rng.choice(("required", "properties", "enum", "types"))
        if loss == "required":
            parameters.pop("required")
        elif loss == "properties":
            function["parameters"] = {"type": "object", "properties": {}}
        elif loss == "enum":
            parameters["properties"]["status"] = {"type": "string"}
        else:
            for name in parameters["properties"]:
                parameters["properties"][name] = {}

    def reorder(function: dict[str, Any]) -> None:
        parameters = function["parameters"]
        parameters["properties"] = dict(reversed(list(parameters["properties"].items())))
        parameters["required"] = list(reversed(parameters["required"]))

    ways = {
        "descriptions-only": without_descriptions,
        "reordered": reorder,
        None: shrink,
    }
    rewrite(scene, prior.tool, ways[twin])
    scene.call("update", change(scene, handle), '{"ok": true}', touches=[handle])
    scene.say(scene.rng.choice(DONE))


def migrated(scene: Scene, twin: str | None) -> None:
    """The schema changes incompatibly, and the next call follows the old shape."""
    _, prior = _prior(scene)
    handle = _next_request(scene)
    key = scene.domain.key
    new, way = f"{scene.names.word()}_key", scene.rng.choice(("renamed", "added", "typed"))

    def alter(function: dict[str, Any]) -> None:
        properties, required = function["parameters"]["properties"], function["parameters"]
        if way == "renamed":
            properties[new] = properties.pop(key)
            required["required"] = [new if r == key else r for r in required["required"]]
        elif way == "added":
            properties[new] = {"type": "string", "description": "who asks"}
            required["required"] = [*required["required"], new]
        else:
            properties["notify"] = {"type": "array", "items": {"type": "string"}}

    def widen(function: dict[str, Any]) -> None:
        function["parameters"]["properties"][new] = {"type": "string"}

    rewrite(scene, prior.tool, widen if twin == "compatible" else alter)
    arguments = change(scene, handle)
    if twin == "new-shape":
        if way == "renamed":
            arguments[new] = arguments.pop(key)
        elif way == "added":
            arguments[new] = scene.names.word()
        else:
            arguments["notify"] = [scene.names.word()]
    result, outcome = '{"ok": true}', "ok"
    if twin is None and scene.rng.random() < 0.5:
        field = "notify" if way == "typed" else new
        result, outcome = scene.rng.choice(REJECTIONS).format(field, prior.tool), "validation"
    scene.call("update", arguments, result, outcome=outcome, touches=[handle])
    scene.say("I tried." if outcome != "ok" else scene.rng.choice(DONE))


def unpruned_noise(scene: Scene, twin: str | None) -> None:
    """Nothing is pruned; whatever goes wrong here is the model's or the world's doing."""
    handle, prior = _prior(scene)
    arguments, field = _short(scene, _next_request(scene))
    error = scene.rng.choice(REJECTIONS).format(field, prior.tool)
    for _ in range(2):
        scene.call("update", arguments, error, outcome="validation")
    scene.call("search", {"query": scene.names.word()}, "[]", outcome="negative")
    scene.call("get", scene.domain.ref(handle), json.dumps(item(scene, handle)))
    invented = scene.domain.names.handle(scene.domain.noun)
    gone = f"no {scene.domain.noun} {invented}"
    scene.call("get", scene.domain.ref(invented), gone, outcome="missing", about=invented)
    scene.say("That did not work out.")
