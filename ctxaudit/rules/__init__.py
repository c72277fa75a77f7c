"""The rules, in order of their codes."""

from __future__ import annotations

from ctxaudit.rule import Rule
from ctxaudit.rules.arbitration_order import ArbitrationOrder
from ctxaudit.rules.broken_chain import BrokenChain
from ctxaudit.rules.contradicted_negative import ContradictedNegative
from ctxaudit.rules.dangling_pointer import DanglingPointer
from ctxaudit.rules.ghost_call import GhostCall
from ctxaudit.rules.ghost_rejection import GhostRejection
from ctxaudit.rules.ghost_tool import GhostTool
from ctxaudit.rules.ghost_workaround import GhostWorkaround
from ctxaudit.rules.irreducible_eviction import IrreducibleEviction
from ctxaudit.rules.lossy_compression import LossyCompression
from ctxaudit.rules.memory_call import MemoryCall
from ctxaudit.rules.mutated_handle import MutatedHandle
from ctxaudit.rules.orphaned_argument import OrphanedArgument
from ctxaudit.rules.orphaned_binding import OrphanedBinding
from ctxaudit.rules.placeholder_as_data import PlaceholderAsData
from ctxaudit.rules.rederived_hypothesis import RederivedHypothesis
from ctxaudit.rules.rederived_negative import RederivedNegative
from ctxaudit.rules.rejected_orphan import RejectedOrphan
from ctxaudit.rules.repeated_side_effect import RepeatedSideEffect
from ctxaudit.rules.retried_dead_end import RetriedDeadEnd
from ctxaudit.rules.severed_pair import SeveredPair
from ctxaudit.rules.stale_after_migration import StaleAfterMigration

RULES: tuple[type[Rule], ...] = (
    GhostTool,
    GhostCall,
    GhostRejection,
    GhostWorkaround,
    LossyCompression,
    StaleAfterMigration,
    ArbitrationOrder,
    MemoryCall,
    OrphanedBinding,
    OrphanedArgument,
    RejectedOrphan,
    SeveredPair,
    BrokenChain,
    PlaceholderAsData,
    MutatedHandle,
    DanglingPointer,
    IrreducibleEviction,
    RederivedNegative,
    ContradictedNegative,
    RepeatedSideEffect,
    RetriedDeadEnd,
    RederivedHypothesis,
)
