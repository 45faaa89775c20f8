"""Proximal policy optimisation on one device: rollout and update as torch operations beside the world's own kernel.

On a GPU both are recorded once and replayed: nothing is launched or decided by Python within an iteration, and nothing
is copied to the host. Weights and Adam's moments are flat, laid out as `hotlap.learning` has them, so that a run may go
on with either learner. What is seen is scaled with the statistics from before the rollout, as there.
`hotlap.devices.fused_ppo` does the same for networks of the usual shape in a tenth of the time.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch.nn import functional

from hotlap.devices.imitation import Imitation
from hotlap.devices.statistics import Scaling, Statistics
from hotlap.devices.torch_env import TorchEnv
from hotlap.learning.adam import FIRST_DECAY, SECOND_DECAY
from hotlap.learning.lessons import LEAST_SPREAD, PpoRules
from hotlap.learning.network import NetworkShape
from hotlap.learning.passes import TINY

Tensor = torch.Tensor
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "tanh": torch.tanh, "elu": functional.elu}
PIECE = 16
"""Bytes that a column kept for whoever looks begins at a multiple of."""
WATCHED, SHOWN = "watched", ("seen", "actions", "rewards", "ended")
"""What the host sees of a rollout: the watched columns, and these arrays of the first cars."""
FIGURES = 7
EXPLAINED, LARGEST_WEIGHT, TAUGHT_LOSS = 4, 5, 6
"""Added to the spread of advantages before they are divided by it."""


class DevicePpo:
    """Two networks that drive and learn from the cars of an environment on its device."""

    def __init__(self, env: TorchEnv, shape: NetworkShape, ticks: int, rules: PpoRules, scaling: Scaling) -> None:
        self.env, self.shape, self.ticks, self.rules, self.scaling = env, shape, ticks, rules, scaling
        self.device, cars = env.device, env.num_envs
        self.value_shape = NetworkShape(shape.inputs, shape.hidden, 1, shape.activation)
        count = shape.parameter_count + self.value_shape.parameter_count + shape.outputs
        self.parameters, self.first_moments, self.second_moments = (self._zeros(count) for _ in range(3))
        self.gradients, self.moves = self._zeros(count), torch.ones(count, device=self.device)
        """Moves: 1 for each parameter that learns, 0 for those that stay."""
        self.adam_steps = self._zeros(count)
        self.rate, self.clip_range = self._zeros(1), self._zeros(1)
        self.layers = self._views()
        self.observed = Statistics(shape.inputs, self.device)
        self.returned = Statistics(1, self.device)
        self.discounted = self._zeros(cars)
        self.mean, self.scale = self._zeros(shape.inputs), torch.ones(shape.inputs, device=self.device)
        low, high = env.world.action_bounds
        self.low, self.high = (torch.as_tensor(bound, dtype=torch.float32, device=self.device) for bound in (low, high))
        self.mixing: Tensor | None = None
        self.imitation: Imitation | None = None
        """What a teacher shows, where there is one."""
        self.shown_actions, self.say = self._zeros(0), torch.ones(1, device=self.device)
        """What the teacher would have done in a rollout; how far PPO has a say, 0 or 1."""
        self.watched_memory = torch.zeros(0, dtype=torch.uint8, device=self.device)
        self._shown: dict[str, tuple[Tensor, Tensor]] = {}
        self._copied: Any = None
        self.watched: dict[str, tuple[Tensor, Tensor]] = {}
        """Columns of the first cars that are kept for whoever looks: where each is read, and (ticks, cars) of it."""
        self._make_room(cars)
        self.seed = torch.zeros(1, dtype=torch.int64, device=self.device)
        self.figures = self._zeros(FIGURES)
        """Of an update: losses, approximate KL and share of clipped samples, added up over its steps; the share of
        the returns' variance that the values explained; the largest weight; the mean distance to the teacher."""
        self._recorded: dict[str, Any] = {}

    def _zeros(self, *sizes: int) -> Tensor:
        return torch.zeros(*sizes, device=self.device)

    def _make_room(self, cars: int) -> None:
        """Samples of a rollout, element (tick, car)."""
        ticks, shape = self.ticks, self.shape
        self.raw, self.final = self._zeros(ticks, cars, shape.inputs), self._zeros(ticks, cars, shape.inputs)
        self.seen, self.actions = self._zeros(ticks, cars, shape.inputs), self._zeros(ticks, cars, shape.outputs)
        self.log_probs, self.rewards, self.values = (self._zeros(ticks, cars) for _ in range(3))
        self.ended, self.cut = self._zeros(ticks, cars), self._zeros(ticks, cars)
        self.advantages, self.returns, self.sums = (self._zeros(ticks, cars) for _ in range(3))

    def _views(self) -> dict[str, list[tuple[Tensor, Tensor]]]:
        """Each layer's weights and biases: leaves over the flat parameters, with gradients over the flat gradients."""
        parameters, gradients = self.parameters.detach(), self.gradients
        starts = {"policy": (self.shape, 0), "value": (self.value_shape, self.shape.parameter_count)}
        found: dict[str, list[tuple[Tensor, Tensor]]] = {}
        for name, (shape, first) in starts.items():
            pairs: Any = zip(shape.views(parameters, first), shape.views(gradients, first), strict=True)  # type: ignore[arg-type]
            found[name] = [tuple(_leaf(part, slope) for part, slope in zip(*pair, strict=True)) for pair in pairs]  # type: ignore[misc]
        outputs = self.shape.outputs
        self.log_std = _leaf(parameters[-outputs:], gradients[-outputs:])
        return found

    def take_teacher(self, imitation: Imitation) -> None:
        """Learn from a teacher, from the next rollout on."""
        self.imitation = imitation
        self.shown_actions = torch.zeros_like(self.actions)

    def forward(self, name: str, inputs: Tensor) -> Tensor:
        """What a network gives for some rows."""
        activation = ACTIVATIONS[self.shape.activation]
        *hidden, last = self.layers[name]
        for weights, biases in hidden:
            inputs = activation(functional.linear(inputs, weights, biases))
        return functional.linear(inputs, *last)

    def watch(self, columns: Mapping[str, Tensor], cars: int) -> None:
        """Keep some columns of the first cars in every rollout, from the next one on, in one piece of memory."""
        sizes = [self.ticks * cars * column.element_size() for column in columns.values()]
        starts = [0, *itertools.accumulate(-(-size // PIECE) * PIECE for size in sizes)]
        self.watched_memory = torch.zeros(starts[-1], dtype=torch.uint8, device=self.device)
        for (name, column), first, size in zip(columns.items(), starts, sizes, strict=False):
            kept = self.watched_memory[first : first + size].view(column.dtype).view(self.ticks, cars)
            self.watched[name] = column[:cars], kept
        sources = {WATCHED: self.watched_memory} | {name: getattr(self, name)[:, :cars] for name in SHOWN}
        self._shown = {name: (source, self._on_host(source)) for name, source in sources.items()}

    def _on_host(self, source: Tensor) -> Tensor:
        """Memory of the host that the device can write to while both work."""
        return torch.empty(source.shape, dtype=source.dtype, pin_memory=self.device.type == "cuda")

    def show(self) -> None:
        """Begin to copy what is watched of the last rollout to the host, in the order of what was begun before."""
        for source, target in self._shown.values():
            target.copy_(source, non_blocking=True)
        self._copied = self._now()

    def shown(self) -> dict[str, NDArray[Any]]:
        """What is watched of the last rollout, as soon as it is there; overwritten when the next one is shown."""
        _wait_for(self._copied)
        found = {name: target.numpy() for name, (_, target) in self._shown.items()}
        memory, first = self._shown[WATCHED][1], self.watched_memory.data_ptr()
        for name, (_, kept) in self.watched.items():
            begin = kept.data_ptr() - first
            piece = memory[begin : begin + kept.numel() * kept.element_size()]
            found[name] = piece.view(kept.dtype).view(kept.shape).numpy()
        return found

    def report(self) -> Tensor:
        """The figures of the last update and the logarithms of the spread, as soon as it is done."""
        return torch.cat([self.figures, self.log_std.detach()]).cpu()

    def _now(self) -> Any:
        """Where the device is when all that was begun is done; None on the cores, where it is."""
        if self.device.type == "cpu":
            return None
        event = torch.cuda.Event()  # type: ignore[no-untyped-call]
        event.record()
        return event

    def prepare(self) -> None:
        """Record on a GPU what is replayed in every iteration, unless that is done."""
        if self.device.type != "cpu" and not self._recorded:
            self._record()

    def drive(self, seed: int) -> None:
        """Drive a rollout with what the seed draws."""
        self._run("rollout", seed)

    def learn(self, seed: int, rate: float, clip_range: float, *, has_say: bool = True) -> None:
        """Learn from the rollout, in an order that the seed draws; where PPO has no say, the critic alone does."""
        self.rate.fill_(rate)
        self.clip_range.fill_(clip_range)
        self.say.fill_(float(has_say))
        self._run("update", seed)

    def imitate(self, seed: int, rate: float) -> None:
        """Draw the policy towards what the teacher showed in the rollout, in an order that the seed draws."""
        self.rate.fill_(rate)
        torch.manual_seed(seed)  # the order is torch's draw, in subclasses with draws of their own too
        self._run("imitation", seed)

    def _run(self, part: str, seed: int) -> None:
        self.prepare()
        self._draw_by(seed)
        begin = self._recorded[part].replay if self._recorded else self._parts()[part]
        begin()

    def _draw_by(self, seed: int) -> None:
        """Let what comes next be drawn by a seed."""
        torch.manual_seed(seed)

    def _parts(self) -> dict[str, Callable[[], None]]:
        """What is recorded, in the order in which it is run."""
        if self.imitation is None:
            return {"rollout": self._rollout, "update": self._learn}
        update = {} if self.imitation.alone else {"update": self._learn}
        return {"rollout": self._rollout, "imitation": self._imitate, **update}

    def _record(self) -> None:
        """Run all parts once aside, as recording wants it, and record them; all that they changed is put back."""
        kept = [tensor.clone() for tensor in self._state()]
        world = self.env.state()
        aside = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(aside):
            for part in self._parts().values():
                part()
        torch.cuda.current_stream(self.device).wait_stream(aside)
        for name, part in self._parts().items():
            self._recorded[name] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._recorded[name]):
                part()
        self.env.put_state(world)
        for tensor, before in zip(self._state(), kept, strict=True):
            tensor.copy_(before)

    def _state(self) -> Sequence[Tensor]:
        """What an iteration changes and the next one reads, beside the world."""
        weights = [self.parameters, self.first_moments, self.second_moments, self.adam_steps]
        known = [part for of in (self.observed, self.returned) for part in (of.mean, of.variance, of.count)]
        return [*weights, *known, self.discounted, self.mean, self.scale]

    @torch.no_grad()
    def _rollout(self) -> None:
        env = self.env
        if self.scaling.learns:
            self.mean.copy_(self.observed.mean)
            self.scale.copy_((self.observed.variance + self.scaling.epsilon).rsqrt())
        spread = self.log_std.exp()
        for tick in range(self.ticks):
            self.raw[tick].copy_(env.observation)
            self._show(tick)
            seen = self.scaled(self.raw[tick], out=self.seen[tick])
            noise = torch.randn_like(self.actions[tick])
            torch.addcmul(self.forward("policy", seen), noise, spread, out=self.actions[tick])
            self.log_probs[tick].copy_(_log_density(noise, self.log_std))
            _, rewards, terminated, truncated, info = env.step(self._controls(self.actions[tick]))
            self.rewards[tick].copy_(rewards)
            self.ended[tick].copy_(terminated | truncated)
            self.cut[tick].copy_(truncated & ~terminated)
            self.final[tick].copy_(info["final_observation"])
            for column, kept in self.watched.values():
                kept[tick].copy_(column)

    def _show(self, tick: int) -> None:
        """Keep what the teacher would do now."""
        if self.imitation is not None:
            self.imitation.show(self.shown_actions[tick])

    def scaled(self, raw: Tensor, out: Tensor | None = None) -> Tensor:
        """What the networks see of some observations."""
        clip = self.scaling.clip_observations
        return torch.mul(raw - self.mean, self.scale, out=out).clamp_(-clip, clip)

    def _controls(self, actions: Tensor) -> Tensor:
        mixed = actions if self.mixing is None else actions @ self.mixing
        return torch.minimum(torch.maximum(mixed, self.low), self.high)

    def _imitate(self) -> None:
        """All passes over what was shown; where nothing else is learned, the statistics of the rollout too."""
        imitation: Any = self.imitation
        rows, size, distance = self.ticks * self.env.num_envs, self.rules.batch_size, self._zeros(1)
        for _ in range(imitation.epochs):
            order = torch.rand(rows, device=self.device).argsort()
            for first in range(0, rows, size):
                distance += self._imitation_step(order[first : first + size])
        with torch.no_grad():
            self.figures[TAUGHT_LOSS : TAUGHT_LOSS + 1] = distance / (imitation.epochs * -(-rows // size))
            self.figures[LARGEST_WEIGHT] = self.parameters.abs().max()
            if imitation.alone:
                self._scaled_rewards()
                self._take_in_seen()

    def _imitation_step(self, chosen: Tensor) -> Tensor:
        """One gradient step of the policy towards the teacher, as long as it likes; how far it was."""
        imitation: Any = self.imitation
        seen, shown = self.seen.view(-1, self.shape.inputs), self.shown_actions.view(-1, self.shape.outputs)
        distance: Tensor = imitation.distance(self.forward("policy", seen[chosen]), shown[chosen])
        self.gradients.zero_()
        distance.backward()  # type: ignore[no-untyped-call]
        self._adam(self.shape.parameter_count, math.inf)
        return distance.detach()

    def _learn(self) -> None:
        with torch.no_grad():
            self._finish_rollout()
            if self.imitation is not None:
                self.advantages.mul_(self.say)
        self.figures[:EXPLAINED].zero_()
        rows, size = self.ticks * self.env.num_envs, self.rules.batch_size
        for _ in range(self.rules.epochs):
            order = torch.rand(rows, device=self.device).argsort()
            for first in range(0, rows, size):
                self._step(order[first : first + size])
        self._write_figures()

    @torch.no_grad()
    def _write_figures(self) -> None:
        """How much of the returns the values explained, and how large weights are: no number where one is none."""
        missed = (self.returns - self.values).var(correction=0)
        self.figures[EXPLAINED] = 1.0 - missed / self.returns.var(correction=0)
        self.figures[LARGEST_WEIGHT] = self.parameters.abs().max()

    def _finish_rollout(self) -> None:
        """Values, scaled rewards, advantages, and what was seen taken into the statistics."""
        rules, gamma = self.rules, self.rules.gamma
        self.values.copy_(self.forward("value", self.seen).squeeze(-1))
        last = self.forward("value", self.scaled(self.env.observation)).squeeze(-1)
        rewards = self._scaled_rewards()
        rewards = rewards + gamma * self.cut * self.forward("value", self.scaled(self.final)).squeeze(-1)
        following, advantage = last, torch.zeros_like(last)
        for tick in reversed(range(self.ticks)):
            goes_on = 1.0 - self.ended[tick]
            surprise = rewards[tick] + gamma * following * goes_on - self.values[tick]
            advantage = surprise + gamma * rules.gae_lambda * goes_on * advantage
            self.advantages[tick].copy_(advantage)
            following = self.values[tick]
        torch.add(self.advantages, self.values, out=self.returns)
        self._take_in_seen()

    def _take_in_seen(self) -> None:
        if self.scaling.learns:
            self.observed.add(self.raw.view(-1, self.shape.inputs).double())

    def _scaled_rewards(self) -> Tensor:
        """Rewards by the spread of the discounted returns."""
        if not self.scaling.learns:
            return self.rewards
        for tick in range(self.ticks):
            self.discounted.mul_(self.scaling.gamma).add_(self.rewards[tick])
            self.sums[tick].copy_(self.discounted)
            self.discounted.mul_(1.0 - self.ended[tick])
        self.returned.add(self.sums.view(-1, 1).double())
        by = (self.returned.variance + self.scaling.epsilon).rsqrt().float()
        return (self.rewards * by).clamp(-self.scaling.clip_rewards, self.scaling.clip_rewards)

    def _step(self, chosen: Tensor) -> None:
        """One gradient step with some of the samples."""
        shape, rules = self.shape, self.rules
        seen, actions = self.seen.view(-1, shape.inputs)[chosen], self.actions.view(-1, shape.outputs)[chosen]
        advantages = self.advantages.view(-1)[chosen]
        advantages = (advantages - advantages.mean()) / (advantages.std() + LEAST_SPREAD)
        apart = (actions - self.forward("policy", seen)) * (-self.log_std).exp()
        change = _log_density(apart, self.log_std) - self.log_probs.view(-1)[chosen]
        ratio = change.exp()
        clipped = torch.minimum(torch.maximum(ratio, 1.0 - self.clip_range), 1.0 + self.clip_range)
        policy_loss = -torch.minimum(ratio * advantages, clipped * advantages).mean()
        value_loss = (self.forward("value", seen).squeeze(-1) - self.returns.view(-1)[chosen]).square().mean()
        loss = policy_loss + rules.vf_coef * value_loss - rules.ent_coef * self.log_std.sum()
        self.gradients.zero_()
        loss.backward()  # type: ignore[no-untyped-call]
        self._adam(len(self.parameters), rules.max_grad_norm)
        with torch.no_grad():
            far = ((ratio - 1.0).abs() > self.clip_range).float().mean()
            self.figures[:EXPLAINED] += torch.stack([policy_loss, value_loss, (ratio - 1.0 - change).mean(), far])

    @torch.no_grad()
    def _adam(self, count: int, longest: float) -> None:
        """Move the first parameters against their gradient, which is shortened where it is too long."""
        flat = (self.moves, self.gradients, self.adam_steps, self.first_moments, self.second_moments, self.parameters)
        moves, gradients, steps, first_moments, second_moments, parameters = (part[:count] for part in flat)
        steps += moves
        gradients *= moves
        slopes = gradients * (longest / (gradients.norm() + 1e-6)).clamp(max=1.0)
        first_moments.lerp_(slopes, 1.0 - FIRST_DECAY)
        second_moments.mul_(SECOND_DECAY).addcmul_(slopes, slopes, value=1.0 - SECOND_DECAY)
        made = steps.clamp(min=1.0)
        first, second = 1.0 - torch.pow(FIRST_DECAY, made), (1.0 - torch.pow(SECOND_DECAY, made)).sqrt()
        step = self.rate / first * first_moments / (second_moments.sqrt() / second + TINY)
        parameters.sub_(step * moves)


def _wait_for(moment: Any) -> None:
    if moment is not None:
        moment.synchronize()


def _leaf(part: Tensor, slopes: Tensor) -> Tensor:
    """A part of the parameters that collects its gradient in place."""
    leaf = part.requires_grad_()
    leaf.grad = slopes
    return leaf


def _log_density(apart: Tensor, log_std: Tensor) -> Tensor:
    """Of a Gaussian, of what is so many deviations from its mean, all actions together."""
    return (-0.5 * apart * apart - log_std - 0.5 * math.log(2.0 * math.pi)).sum(-1)
