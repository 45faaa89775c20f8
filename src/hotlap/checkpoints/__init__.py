"""What a run leaves on disk: checkpoints that cannot be lost and cannot run code (the format: docs/checkpoints.md)."""

from hotlap.checkpoints.checkpoint import Checkpoint
from hotlap.checkpoints.documents import read_document, write_document, write_file
from hotlap.checkpoints.history import (
    checkpoint_at,
    checkpoints_after,
    discard_checkpoints_after,
    has_checkpoint,
    list_checkpoints,
    newest_checkpoint,
    prune_checkpoints,
)
from hotlap.checkpoints.loading import load_checkpoint, verify_checkpoint
from hotlap.checkpoints.lock import RunLock, check_held
from hotlap.checkpoints.names import check_run_name, step_of
from hotlap.checkpoints.past import PastPolicies, list_past_policies, past_step
from hotlap.checkpoints.run_folder import check_writable, new_run_folder
from hotlap.checkpoints.saving import save_checkpoint

__all__ = [
    "Checkpoint",
    "PastPolicies",
    "RunLock",
    "check_held",
    "check_run_name",
    "check_writable",
    "checkpoint_at",
    "checkpoints_after",
    "discard_checkpoints_after",
    "has_checkpoint",
    "list_checkpoints",
    "list_past_policies",
    "load_checkpoint",
    "new_run_folder",
    "newest_checkpoint",
    "past_step",
    "prune_checkpoints",
    "read_document",
    "save_checkpoint",
    "step_of",
    "verify_checkpoint",
    "write_document",
    "write_file",
]
