"""The same networks in RLlib's words and in ours: weights carried from one to the other."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hotlap.training.session import TrainingSession

Weights = dict[str, NDArray[Any]]
# RLlib's name of a part -> ours.
PARTS = {
    "encoder.actor_encoder.net.mlp.": "mlp_extractor.policy_net.",
    "encoder.critic_encoder.net.mlp.": "mlp_extractor.value_net.",
    "pi.net.mlp.0.": "action_net.",
    "vf.net.mlp.0.": "value_net.",
    "pi.log_std": "log_std",
}


def our_name(name: str) -> str | None:
    """What we call a tensor of RLlib's; None for its constants."""
    for theirs, ours in PARTS.items():
        rest = name.removeprefix(theirs)
        if rest != name and (theirs.endswith(".") or not rest):
            return ours + rest
    return None


def for_rllib(session: TrainingSession, like: Mapping[str, Any]) -> Weights:
    """The run's weights under RLlib's names; its constants as they are."""
    ours = session.model.policy.state_dict()
    names = {name: our_name(name) for name in like}
    return {name: np.array(like[name] if own is None else ours[own].numpy()) for name, own in names.items()}


def take_weights(session: TrainingSession, theirs: Mapping[str, Any]) -> None:
    """Put what RLlib learned into the run's networks; every one of them must be there."""
    named = {our_name(name): torch.as_tensor(np.array(array)) for name, array in theirs.items()}
    named.pop(None, None)
    session.model.policy.load_state_dict({str(name): tensor for name, tensor in named.items()})
