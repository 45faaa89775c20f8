"""A policy that knows no left or right: whatever it does on a road, it does mirrored on the mirrored road.

Left alone, a learner falls in love with one side of the road and loses time in every corner of the other hand. Here
one network looks at the observation and at its mirror image; the steering is driven by the difference of what it makes
of them, throttle, brake and value by the sum. Such a network is at the same time a plain one of twice the width, and
that is how it is exported.
"""

from typing import Any

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.vec_env import VecNormalize
from torch import Tensor, nn

from hotlap.racer.sensors import mirror_image

STEER = 0


class MirrorExtractor(nn.Module):
    """The hidden layers, seen from both sides: differences first, then sums."""

    order: Tensor
    signs: Tensor

    def __init__(self, inputs: int, hidden: list[int], activation: type[nn.Module]) -> None:
        super().__init__()
        order, signs = mirror_image()
        self.register_buffer("order", torch.tensor(order), persistent=False)
        self.register_buffer("signs", torch.tensor(signs, dtype=torch.float32), persistent=False)
        self.policy_net = _layers(inputs, hidden, activation)
        self.value_net = _layers(inputs, hidden, activation)
        self.latent_dim_pi, self.latent_dim_vf = 2 * hidden[-1], hidden[-1]

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Latent values for the actor and for the critic."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        """What differs between the two views, and what they share."""
        seen, mirrored = self._both(self.policy_net, features)
        return torch.cat([seen - mirrored, seen + mirrored], dim=1)

    def forward_critic(self, features: Tensor) -> Tensor:
        """What the two views share."""
        seen, mirrored = self._both(self.value_net, features)
        return seen + mirrored

    def _both(self, net: nn.Module, features: Tensor) -> tuple[Tensor, Tensor]:
        both = torch.cat([features, features[:, self.order] * self.signs])
        seen, mirrored = net(both).split(len(features))
        return seen, mirrored


class MirrorHead(nn.Linear):
    """Steering reads only the differences and has no bias; the other actions read only the sums."""

    allowed: Tensor
    straight: Tensor

    def __init__(self, latent: int, actions: int) -> None:
        super().__init__(latent, actions)
        allowed = torch.zeros(actions, latent)
        allowed[:, latent // 2 :] = 1.0
        allowed[STEER] = 1.0 - allowed[STEER]
        straight = torch.ones(actions)
        straight[STEER] = 0.0
        self.register_buffer("allowed", allowed, persistent=False)
        self.register_buffer("straight", straight, persistent=False)
        nn.init.orthogonal_(self.weight, gain=0.01)

    def forward(self, latent: Tensor) -> Tensor:
        """Mean actions."""
        return nn.functional.linear(latent, self.weight * self.allowed, self.bias * self.straight)


class MirrorPolicy(ActorCriticPolicy):
    """SB3's actor-critic with mirrored eyes."""

    def _build_mlp_extractor(self) -> None:
        hidden: Any = self.net_arch["pi"] if isinstance(self.net_arch, dict) else self.net_arch
        self.mlp_extractor: Any = MirrorExtractor(self.features_dim, list(hidden), self.activation_fn)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = MirrorHead(self.mlp_extractor.latent_dim_pi, self.action_space.shape[0])  # type: ignore[index]
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def plain_layers(self) -> list[nn.Module]:
        """The actor as ordinary layers of twice the width: one half sees the road, the other its mirror image."""
        extractor: Any = self.mlp_extractor
        head: Any = self.action_net
        weight = head.weight * head.allowed
        half = weight.shape[1] // 2
        difference, total = weight[:, :half], weight[:, half:]
        both = torch.cat([total + difference, total - difference], dim=1)
        return [*_doubled(extractor.policy_net, extractor), _linear(both, head.bias * head.straight)]

    def plain_state(self) -> dict[str, Tensor]:
        """The weights of SB3's own policy of twice the width that does the same."""
        extractor: Any = self.mlp_extractor
        value: Any = self.value_net
        *actor, head = self.plain_layers()
        layers = {f"mlp_extractor.policy_net.{k}": layer for k, layer in enumerate(actor)}
        critic = _doubled(extractor.value_net, extractor)
        layers |= {f"mlp_extractor.value_net.{k}": layer for k, layer in enumerate(critic)}
        layers |= {"action_net": head, "value_net": _linear(value.weight.repeat(1, 2), value.bias)}
        state = {f"{name}.{key}": part for name, layer in layers.items() for key, part in layer.state_dict().items()}
        return {"log_std": self.log_std.detach(), **state}


def plain_twin(model: Any) -> PPO:
    """A plain SB3 model that acts and values as a mirrored one does."""
    policy = model.policy
    wide = [2 * layer.out_features for layer in policy.mlp_extractor.policy_net if isinstance(layer, nn.Linear)]
    shape = {"net_arch": {"pi": wide, "vf": wide}, "activation_fn": policy.activation_fn}
    sizes = {"n_steps": model.n_steps, "batch_size": model.batch_size, "n_epochs": model.n_epochs}
    twin = PPO("MlpPolicy", model.env, policy_kwargs=shape, gamma=model.gamma, device="cpu", **sizes)
    twin.policy.load_state_dict(policy.plain_state())
    twin.num_timesteps = model.num_timesteps
    return twin


class EvenStatistics(BaseCallback):
    """Makes the normaliser's statistics their own mirror image before each rollout, so that the mirror is exact."""

    def __init__(self, normalizer: VecNormalize) -> None:
        super().__init__()
        self.normalizer = normalizer

    def _on_rollout_start(self) -> None:
        statistics: Any = self.normalizer.obs_rms
        order, signs = mirror_image()
        mean, square = statistics.mean, statistics.var + statistics.mean**2
        # A resumed run comes here twice; the second time must not change the last bit.
        if (mean == mean[order] * signs).all() and (statistics.var == statistics.var[order]).all():
            return
        statistics.mean = (mean + mean[order] * signs) / 2.0
        statistics.var = (square + square[order]) / 2.0 - statistics.mean**2

    def _on_step(self) -> bool:
        return True


def _layers(inputs: int, hidden: list[int], activation: type[nn.Module]) -> nn.Sequential:
    modules: list[nn.Module] = []
    for outputs in hidden:
        modules += [nn.Linear(inputs, outputs), activation()]
        inputs = outputs
    return nn.Sequential(*modules)


def _doubled(net: nn.Module, mirror: MirrorExtractor) -> list[nn.Module]:
    """Hidden layers side by side with themselves, the second time behind the mirror."""
    found: list[nn.Module] = []
    side_by_side: Any = torch.block_diag
    for module in net.children():
        if not isinstance(module, nn.Linear):
            found.append(module)
        elif not found:
            mirrored = torch.zeros_like(module.weight)
            mirrored[:, mirror.order] = module.weight * mirror.signs
            found.append(_linear(torch.cat([module.weight, mirrored]), module.bias.repeat(2)))
        else:
            found.append(_linear(side_by_side(module.weight, module.weight), module.bias.repeat(2)))
    return found


def _linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    with torch.no_grad():
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    return layer
