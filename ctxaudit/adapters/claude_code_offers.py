"""How tools come and go in a lane: announcements, instructions of servers, exact schemas."""

from __future__ import annotations

from ctxaudit.adapters.claude_code_events import Announced, Instructions, Offered
from ctxaudit.adapters.claude_code_state import State
from ctxaudit.model import DecisionKind, Kind

SERVER = "mcp server"


def announce(state: State, announced: Announced) -> None:
    """Deferred tools came or went."""
    state.waiting = frozenset(announced.pending)
    _disconnect(state, announced.removed)
    state.tools.announce(announced.added)
    if announced.text:
        state.tell(Kind.SYSTEM, announced.text)


def instruct(state: State, instructions: Instructions) -> None:
    """Servers came or went; one that connects again has no tools until it is back."""
    for server in instructions.removed:
        if span := state.servers.pop(server, None):
            state.withdraw(span)
        if server in state.waiting:
            mine = f"mcp__{server}__"
            _disconnect(state, tuple(n for n in state.tools.names() if n.startswith(mine)))
    for server, text in instructions.added:
        state.servers[server] = state.tell(Kind.SYSTEM, text)


def offer(state: State, offered: Offered) -> None:
    """Tools with their schemas, and the system prompt where it is logged with them."""
    known = (name for name in state.tools.names() if name not in offered.schemas)
    _disconnect(state, tuple(name for name in known if name.startswith(offered.dead)))
    state.tools.offer(offered)
    if offered.system is None:
        return
    for span in state.prompt.fixed:
        state.withdraw(span)
    state.turns.system_known = True
    state.prompt.fixed = {state.tell(Kind.SYSTEM, offered.system)}


def _disconnect(state: State, names: tuple[str, ...]) -> None:
    if not names:
        return
    state.tools.remove(names)
    server = any(name.startswith("mcp__") for name in names)
    state.decide(
        DecisionKind.SCHEMA_PRUNED,
        tools=tuple(dict.fromkeys(names)),
        actor=SERVER if server else None,
        reason="the server disconnected" if server else "no longer available",
        external=True,
    )
