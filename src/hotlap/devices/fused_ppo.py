"""PPO of two small networks on a GPU in a few kernels of its own: `ppo.cu`, compiled for the shape of the networks.

What torch does with some hundred operations for each tick and each gradient step are two kernels for a tick, beside
the world's own, and three for a step. `hotlap.devices.ppo` is the same in torch, for every other shape.
"""

import ctypes
import logging
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from hotlap.devices.driver import Gpu, Launch
from hotlap.devices.gpu_memory import current_stream
from hotlap.devices.nvrtc import compiled
from hotlap.devices.ppo import EXPLAINED, DevicePpo
from hotlap.devices.statistics import Scaling, Statistics
from hotlap.devices.torch_env import TorchEnv
from hotlap.errors import GpuError
from hotlap.learning.driving import CONTROLS
from hotlap.learning.lessons import PpoRules
from hotlap.learning.network import NetworkShape

LOG = logging.getLogger(__name__)
Tensor = torch.Tensor
SOURCE = "ppo.cu"
KERNELS = ("act", "record", "value", "discount", "estimate", "add_up", "shuffle", "learn", "reduce", "adam")
ACTIVATIONS = {"relu": 0, "tanh": 1, "elu": 2}
THREADS, ROWS, PARTS, LANES = 256, 64, 16, 32
"""Of a block, samples of a tile, parts of a batch, parameters that a block adds up: as the source has them."""
BLOCKS_THAT_ADD = 128
MOST_INPUTS = 128
UNITS = (16, 32, 48, 64)


def fits(shape: NetworkShape) -> bool:
    """Whether the kernels are made for networks like these: two equal layers that a block has room for."""
    units = shape.hidden[0]
    alike = len(shape.hidden) == 2 and shape.hidden[1] == units
    return alike and units in UNITS and shape.outputs * units <= THREADS and shape.inputs <= MOST_INPUTS


def shared_bytes(shape: NetworkShape) -> int:
    """The memory that a block takes, as the source lays it out."""
    units, outputs, line = shape.hidden[0], shape.outputs, ROWS + 4
    padded = -(-shape.inputs // 16) * 16
    weights = units * (padded + 4) + units * (units + 4) + outputs * units + 2 * units + -(-outputs // 4) * 4
    lines = padded + 3 * units + 2 * outputs + THREADS // ROWS * outputs
    return 4 * (weights + lines * line + ROWS)


def make_device_ppo(env: TorchEnv, shape: NetworkShape, ticks: int, rules: PpoRules, scaling: Scaling) -> DevicePpo:
    """The fastest learner for networks of a shape on the environment's device."""
    if env.device.type == "cuda" and fits(shape) and shared_bytes(shape) <= _most_shared_bytes(env.device):
        try:
            return FusedPpo(env, shape, ticks, rules, scaling)
        except GpuError as problem:
            LOG.warning("%s Learning goes on with torch's own kernels, which takes several times as long.", problem)
    return DevicePpo(env, shape, ticks, rules, scaling)


class FusedPpo(DevicePpo):
    """The learner with kernels of its own."""

    def __init__(self, env: TorchEnv, shape: NetworkShape, ticks: int, rules: PpoRules, scaling: Scaling) -> None:
        super().__init__(env, shape, ticks, rules, scaling)
        cars, rows, count = env.num_envs, ticks * env.num_envs, len(self.parameters)
        self._gpu, self._shared = Gpu(self.device.index or 0), shared_bytes(shape)
        self._functions = self._gpu.functions(compiled(*_source_for(shape, self.device)), KERNELS, self._shared)
        self.most_blocks = _multiprocessors(self.device)
        self.batches = -(-rows // rules.batch_size)
        self.order = torch.zeros((rules.epochs, rows), dtype=torch.int32, device=self.device)
        self.cut_values, self.last_values, self.reward_scale = (self._zeros(n) for n in (rows, cars, 1))
        self._partial, self._squares = self._zeros(self.most_blocks, count + 4), self._zeros(count + 4 + LANES)
        self._moments = torch.zeros((rules.epochs, self.batches, PARTS, 2), dtype=torch.float64, device=self.device)
        self._sums = torch.zeros((BLOCKS_THAT_ADD, shape.inputs, 2), dtype=torch.float64, device=self.device)
        self._columns = torch.zeros((0, 4), dtype=torch.int64, device=self.device)
        self.mixing = torch.eye(shape.outputs, CONTROLS, device=self.device)
        self.reward_scale.fill_(1.0)

    def watch(self, columns: Mapping[str, Tensor], cars: int) -> None:
        """Keep some columns of the first cars in every rollout, from the next one on."""
        super().watch(columns, cars)
        pairs = self.watched.values()
        table = [[column.data_ptr(), kept.data_ptr(), column.element_size(), cars] for column, kept in pairs]
        self._columns = torch.tensor(table, dtype=torch.int64, device=self.device)

    def _draw_by(self, seed: int) -> None:
        self.seed.fill_(seed)

    def _begin(self, name: str, blocks: tuple[int, int, int], *values: Any) -> None:
        launch = Launch(blocks, THREADS, self._shared)
        self._gpu.begin(self._functions[name], launch, [_argument(value) for value in values], self._stream())

    def _stream(self) -> int:
        return current_stream(self.device)

    @torch.no_grad()
    def _rollout(self) -> None:
        if self.scaling.learns:
            self.mean.copy_(self.observed.mean)
            self.scale.copy_((self.observed.variance + self.scaling.epsilon).rsqrt())
        for tick in range(self.ticks):
            self._show(tick)
            self._act(tick)
            self.env.memory.tick()
            self._keep(tick)

    def _act(self, tick: int) -> None:
        """Choose the actions of a tick."""
        env, cars, mixing = self.env, self.env.num_envs, self.mixing
        scales = (self.mean, self.scale, self.low, self.high, mixing, self.seed)
        own = (self.raw[tick], self.seen[tick], self.actions[tick], self.log_probs[tick])
        acting = (env.observation, *scales, *own, env.memory.controls)
        clip = float(self.scaling.clip_observations)
        self._begin("act", _tiles(cars), acting, self.parameters, clip, tick, cars)

    def _keep(self, tick: int) -> None:
        """Keep what a tick gave."""
        env, cars = self.env, self.env.num_envs
        given = (env.reward, env.outputs["terminated"], env.outputs["truncated"], env.info["final_observation"])
        own = (self.rewards[tick], self.ended[tick], self.cut[tick], self.final[tick])
        self._begin("record", _threads(cars), (*given, self._columns, *own), len(self._columns), tick, cars)

    @torch.no_grad()
    def _learn(self) -> None:
        self._finish_rollout()
        if self.imitation is not None:
            self.advantages.mul_(self.say)
        self.figures[:EXPLAINED].zero_()
        rows, size = self.ticks * self.env.num_envs, self.rules.batch_size
        shuffled = (self.seed, self.advantages, self.order, self._moments, size, rows)
        self._begin("shuffle", (PARTS, self.batches, self.rules.epochs), *shuffled)
        for epoch in range(self.rules.epochs):
            for batch, first in enumerate(range(0, rows, size)):
                self._gradient_step(epoch, batch, min(size, rows - first))
        self._write_figures()

    def _finish_rollout(self) -> None:
        """Values, scaled rewards, advantages, and what was seen taken into the statistics."""
        rules, cars, ticks = self.rules, self.env.num_envs, self.ticks
        if self.scaling.learns:
            sums = (self.rewards, self.ended, self.discounted, self.sums, float(self.scaling.gamma), ticks, cars)
            self._begin("discount", _threads(cars), *sums)
            self._add(self.returned, self.sums, 1)
            self.reward_scale.copy_((self.returned.variance + self.scaling.epsilon).rsqrt())
        self._write_values(self.raw, None, self.values)
        self._write_values(self.final, self.cut, self.cut_values)
        self._write_values(self.env.observation, None, self.last_values)
        known = (self.rewards, self.ended, self.cut, self.values, self.cut_values, self.last_values, self.reward_scale)
        numbers = (float(rules.gamma), float(rules.gae_lambda), float(self.scaling.clip_rewards), ticks, cars)
        self._begin("estimate", _threads(cars), (*known, self.advantages, self.returns), *numbers)
        if self.scaling.learns:
            self._add(self.observed, self.raw, self.shape.inputs)

    def _write_values(self, rows: Tensor, only: Tensor | None, values: Tensor) -> None:
        """Values of some rows as the cars see them; those without a mark may be left out."""
        blocks = min(_tiles(values.numel())[0], 2 * self.most_blocks), 1, 1
        scales = (self.mean, self.scale, float(self.scaling.clip_observations))
        self._begin("value", blocks, self.parameters, rows, scales, only, values, values.numel())

    def _add(self, statistics: Statistics, rows: Tensor, columns: int) -> None:
        """Take rows into statistics."""
        count = rows.numel() // columns
        parts = self._sums.view(-1)[: BLOCKS_THAT_ADD * columns * 2].view(BLOCKS_THAT_ADD, columns, 2)
        self._begin("add_up", (BLOCKS_THAT_ADD, 1, 1), rows, statistics.mean, parts, columns, count)
        apart, squares = (parts.sum(0) / count).unbind(-1)
        statistics.merge(apart, (squares - apart * apart).clamp(min=0.0), count)

    def _gradient_step(self, epoch: int, batch: int, size: int) -> None:
        """One gradient step with some of the samples."""
        rules, blocks = self.rules, min(_tiles(size)[0], self.most_blocks)
        order = self.order[epoch, batch * rules.batch_size :]
        samples = (self.seen, self.actions, self.log_probs, self.advantages, self.returns, order)
        how = (self._moments[epoch, batch], self.parameters, self.clip_range, self._partial)
        self._begin("learn", (blocks, 2, 1), (*samples, *how, float(rules.vf_coef), size))
        given = (self._partial, self.moves, self.rate, self.gradients, self._squares, self.figures)
        kept = (self.parameters, self.first_moments, self.second_moments, self.adam_steps)
        stepping = (*given, *kept, float(rules.ent_coef), float(rules.max_grad_norm), blocks, size)
        count = len(self.parameters)
        self._begin("reduce", (-(-(count + 4) // LANES), 1, 1), stepping)
        self._begin("adam", _threads(count), stepping)


def _source_for(shape: NetworkShape, device: torch.device) -> tuple[str, list[str]]:
    """The source, and what it is compiled with."""
    major, minor = _capability(device)
    numbers = {"INPUTS": shape.inputs, "HIDDEN": shape.hidden[0], "OUTPUTS": shape.outputs}
    named = [f"-D{name}={number}" for name, number in numbers.items()]
    how = [f"--gpu-architecture=sm_{major}{minor}", "-std=c++17", f"-DACTIVATION={ACTIVATIONS[shape.activation]}"]
    return Path(__file__).with_name(SOURCE).read_text(encoding="utf-8"), [*how, *named]


def _capability(device: torch.device) -> tuple[int, int]:
    return torch.cuda.get_device_capability(device)


def _multiprocessors(device: torch.device) -> int:
    return int(torch.cuda.get_device_properties(device).multi_processor_count)


def _most_shared_bytes(device: torch.device) -> int:
    properties: Any = torch.cuda.get_device_properties(device)
    return int(properties.shared_memory_per_block_optin)


def _tiles(rows: int) -> tuple[int, int, int]:
    return -(-rows // ROWS), 1, 1


def _threads(count: int) -> tuple[int, int, int]:
    return -(-count // THREADS), 1, 1


def _argument(value: Any) -> Any:
    """An argument of a kernel: a tensor's address, a number, or a struct of such."""
    parts = value if isinstance(value, tuple) else (value,)
    return ctypes.create_string_buffer(struct.pack("".join(map(_code, parts)) + "0Q", *map(_number, parts)))


def _code(part: Any) -> str:
    return "Q" if isinstance(part, Tensor) or part is None else "f" if isinstance(part, float) else "i"


def _number(part: Any) -> Any:
    if isinstance(part, Tensor) and not part.is_contiguous():
        raise GpuError("a kernel of the learner was given memory with gaps.")
    return part.data_ptr() if isinstance(part, Tensor) else part or 0
