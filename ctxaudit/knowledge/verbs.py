"""What a tool does, judged by the verbs in its name.

get_order_details READ    send_certificate MUTATION, adds    deploy_status READ
update_task_status MUTATION    get_or_create_user MUTATION    visualize_chart UNKNOWN
"""

from __future__ import annotations

from functools import lru_cache

from ctxaudit.knowledge.calls import short
from ctxaudit.knowledge.tables import word_set
from ctxaudit.patterns import regex

READ = word_set(
    """get list read search find grep glob fetch view show describe check query lookup look
    inspect poll wait tail count calculate compute calculator calc math validate verify
    compare analyze analyse summarize summarise explain translate think reflect evaluate diff
    stat exists is has can preview retrieve recall suggest recommend estimate monitor watch
    ping ls cat head detect extract parse scan audit review lint measure filter match rank
    classify predict forecast ask see peek discover enumerate examine introspect probe lookfor
    whoami browse crawl scrape locate identify test load debug trace profile lists gets reads"""
)
#: A second call with the same arguments adds again.
ADDS = word_set(
    """create add send post book pay append increment decrement spawn dispatch submit publish
    insert reply comment notify email mail message charge refund order buy purchase enqueue
    schedule launch invite register transfer deposit withdraw tweet broadcast announce
    escalate trigger emit record log duplicate fork commit reserve donate sell trade refuel
    topup give remind delegate generate sms dm forward enroll hire new prepend accrue bill
    invoice credit debit redeem mint reorder handoff"""
)
#: It changes something, and doing it again leaves the same state.
SETS = word_set(
    """update set delete remove edit write modify change put patch replace rename move cancel
    close reopen enable disable toggle start stop kill terminate restart reboot reset resume
    suspend promote demote pause assign unassign grant revoke approve reject merge rebase deploy
    undeploy publishall release rollback revert restore archive unarchive lock unlock mark unmark
    subscribe unsubscribe follow unfollow star unstar like upsert ensure save store upload
    sync install uninstall migrate apply configure connect disconnect link unlink attach
    detach activate deactivate dismiss accept decline return exchange clear purge wipe drop
    truncate push pull checkout click type press navigate drag fill select reseat overwrite
    touch mkdir rm mv cp copy chmod mount unmount transition convert expire evict swap
    redirect resize scale bump pin unpin block unblock mute unmute ban provision deprovision
    destroy erase flush seed import bind unbind join leave login logout memorize remember
    forget finalize confirm execute_write resolve"""
)
#: Verbs that are as often the noun of what is read: ``order_status``, ``post_details``.
NOUNISH = word_set(
    """book post order comment message mail email charge refund invoice record log transfer
    release deploy schedule build run commit merge trade import bill credit invite reply
    forward review match store link block test start head load type trace profile copy lock
    filter new fork select exchange return star like bind pin sync register checkout diff is
    can see has touch drop reserve report convert"""
)
#: A last word that says something is looked at.
READ_NOUNS = word_set(
    """status info information details detail list history logs log search stats statistics
    lookup state metadata schema summary count overview contents results result report metrics
    health progress query checks preview options availability price prices balance statement
    reviews errors diagnostics weather forecast id ids finder reader viewer stat news"""
)
#: First words that say nothing.
FILLERS = word_set(
    """bulk batch mcp tool do try please agent auto quick async my the a an to api user multi
    safe fast simple tools function functions com"""
)
#: What makes a run, start or request something that adds: jobs, not servers or queries.
JOBS = word_set(
    """job jobs task tasks workflow workflows pipeline pipelines session thread agent agents
    subagent execution deployment campaign batch conversation run"""
)
ASKED_FOR = word_set("approval transfer refund review access payment permission change")
MADE = word_set(
    """payment reservation booking appointment order purchase donation transfer call copy"""
)
PUSHED = word_set("notification notifications message messages alert alerts event item")
CHECKS = word_set("test tests lint linter check checks typecheck build benchmark")

_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
MAX_NAME = 200


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of a snake, kebab, camel or dotted name, in lower case."""
    return tuple(word.lower() for word in _WORD.findall(name[:MAX_NAME]))


@lru_cache(maxsize=4096)
def letter(tool: str) -> str:
    """What the name says: ``r``, ``m``, ``a`` or ``u`` (see ``verdict.LETTERS``)."""
    own = words(short(tool))
    for start, word in enumerate(own):
        if word not in FILLERS or word in READ:
            own = own[start:]
            break
    if not own:
        return "u"
    return _alternative(own) or _special(own) or _leading(own) or _anywhere(own)


def _alternative(own: tuple[str, ...]) -> str:
    """``find_or_create``: it may change something, and once is enough."""
    for at, word in enumerate(own[1:-1], 1):
        if word == "or" and own[at + 1] in ADDS | SETS:
            return "m"
    return ""


def _special(own: tuple[str, ...]) -> str:
    """Verbs that need their object to be understood."""
    first, rest = own[0], frozenset(own[1:])
    if first in ("run", "execute", "perform"):
        if rest & CHECKS:
            return "r"
        return "a" if rest & JOBS else "r" if rest & {"query", "search"} else "u"
    if first in ("start", "resume", "rerun", "retry"):
        return "a" if first == "start" and rest & JOBS else "m"
    if first == "request":
        return "a" if rest & ASKED_FOR else "u"
    if first == "make":
        return "a" if rest & MADE else "u"
    if first == "push":
        return "a" if rest & PUSHED else "m"
    if first == "transfer" and own[1:2] == ("to",):
        return "m"
    if first == "apply" and own[1:2] == ("for",):
        return "a"
    if first == "return" and rest & {"result", "results", "answer", "value", "output"}:
        return "r"
    if first in ("resolve", "load", "select") and rest & {
        "id",
        "library",
        "tool",
        "tools",
        "schema",
    }:
        return "r"
    return ""


def _leading(own: tuple[str, ...]) -> str:
    first = own[0]
    if len(own) > 1 and own[-1] in READ_NOUNS and first in NOUNISH:
        return "r"
    if len(own) > 1 and own[-1] in READ and first in NOUNISH and own[-1] not in NOUNISH:
        return "r"
    if first == "log" and len(own) == 1:
        return "u"
    return _verb(first)


def _anywhere(own: tuple[str, ...]) -> str:
    """The first clear verb after a leading noun (``issue_create``), else a noun for a look."""
    for word in own[1:]:
        if word not in NOUNISH and (found := _verb(word)):
            return found
    # A server's name in front (``acme-post-message``): what may be a noun is a verb before one.
    object_ = len(own) > 2 and (own[2] in NOUNISH or not _verb(own[2]))
    if object_ and (found := _verb(own[1])):
        return found
    return "r" if own[-1] in READ_NOUNS else "u"


def _verb(word: str) -> str:
    if word in ADDS:
        return "a"
    if word in SETS:
        return "m"
    return "r" if word in READ else ""
