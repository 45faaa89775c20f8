"""Small networks with their gradients and Adam written out: what SAC's updates are computed with.

The weights stay where torch and SB3 look for them: each parameter is a window into one long vector, so that optimisers,
targets and checkpoints find what they expect, and one operation reaches all of them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

Layers = Sequence[Sequence[nn.Linear]]
STEP, FIRST, SECOND = "step", "exp_avg", "exp_avg_sq"
"""What torch's Adam calls its count and its moments."""


def _through_relu(gradient: Tensor, output: Tensor) -> Tensor:
    before: Tensor = torch.ops.aten.threshold_backward(gradient, output, 0)
    return before


def _through_tanh(gradient: Tensor, output: Tensor) -> Tensor:
    before: Tensor = torch.ops.aten.tanh_backward(gradient, output)
    return before


def _through_elu(gradient: Tensor, output: Tensor) -> Tensor:
    before: Tensor = torch.ops.aten.elu_backward(gradient, 1.0, 1.0, 1.0, True, output)
    return before


ACTIVATIONS: dict[Any, tuple[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor], Tensor]]] = {
    nn.ReLU: (torch.relu_, _through_relu),
    nn.Tanh: (torch.tanh_, _through_tanh),
    nn.ELU: (lambda inputs: nn.functional.elu(inputs, inplace=True), _through_elu),
}
"""Each in place, and how a gradient comes back through it, given what came out."""


def windows(vector: Tensor, parameters: Sequence[Tensor]) -> list[Tensor]:
    """Parts of a vector, one after the other, in the shapes of parameters."""
    parts = torch.split(vector, [parameter.numel() for parameter in parameters])
    return [part.view(parameter.shape) for part, parameter in zip(parts, parameters, strict=True)]


class FlatParameters:
    """Parameters as windows into one vector, and their gradients as windows into another."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.parameters = list(parameters)
        self.values = torch.cat([parameter.detach().reshape(-1) for parameter in parameters])
        self.gradients = torch.zeros_like(self.values)
        shown = windows(self.values, parameters), windows(self.gradients, parameters)
        for parameter, value, gradient in zip(parameters, *shown, strict=True):
            parameter.data, parameter.grad = value, gradient


class FlatAdam:
    """Adam on all parameters at once; count and moments stay those of torch's optimiser."""

    def __init__(self, flat: FlatParameters, optimizer: torch.optim.Optimizer) -> None:
        self.flat, self.optimizer = flat, optimizer
        self.count = torch.zeros(())
        self.first, self.second = torch.zeros_like(flat.values), torch.zeros_like(flat.values)

    def take_over(self) -> None:
        """Take the optimiser's count and moments, where somebody has put others there or it has none yet."""
        states, parameters = self.optimizer.state, self.flat.parameters
        if states[parameters[0]].get(STEP) is self.count:
            return
        shown = windows(self.first, parameters), windows(self.second, parameters)
        for parameter, first, second in zip(parameters, *shown, strict=True):
            state = states[parameter]
            self.count.copy_(state.get(STEP, torch.zeros(())))
            first.copy_(state.get(FIRST, torch.zeros(()))), second.copy_(state.get(SECOND, torch.zeros(())))
            state[STEP], state[FIRST], state[SECOND] = self.count, first, second

    def step(self) -> None:
        """One step along the gradients as they are, as torch's own fused Adam makes it."""
        group = self.optimizer.param_groups[0]
        beta1, beta2 = group["betas"]
        self.count += 1
        torch._fused_adam_(
            [self.flat.values],
            [self.flat.gradients],
            [self.first],
            [self.second],
            [],
            [self.count],
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=False,
            maximize=False,
        )


class StackedNetworks:
    """Several perceptrons of the same shape, computed together: (networks, samples, units)."""

    def __init__(self, layers: Layers, count: int, activation: Any) -> None:
        """From the linear modules of each layer; each network has its share of them."""
        self.activate, self.through = ACTIVATIONS[activation]
        self.flat = FlatParameters([part for layer in layers for part in _parts(layer)])
        self.weights, self.biases = _stacked(self.flat.values, layers, count)
        self.weight_gradients, self.bias_gradients = _stacked(self.flat.gradients, layers, count)
        self.turned = [weights.transpose(1, 2) for weights in self.weights]

    def forward(self, inputs: Tensor) -> list[Tensor]:
        """What goes into each layer, and last what comes out."""
        passed = [inputs.expand(len(self.weights[0]), -1, -1)]
        for turned, bias in zip(self.turned[:-1], self.biases[:-1], strict=True):
            passed.append(self.activate(torch.baddbmm(bias, passed[-1], turned)))
        passed.append(torch.baddbmm(self.biases[-1], passed[-1], self.turned[-1]))
        return passed

    def backward(self, passed: Sequence[Tensor], gradient: Tensor) -> None:
        """Set the gradients of all parameters, given that of what came out."""
        for number in reversed(range(len(self.weights))):
            torch.bmm(gradient.transpose(1, 2), passed[number], out=self.weight_gradients[number])
            torch.sum(gradient, 1, keepdim=True, out=self.bias_gradients[number])
            if number > 0:
                gradient = self.through(torch.bmm(gradient, self.weights[number]), passed[number])

    def input_gradient(self, passed: Sequence[Tensor], gradient: Tensor, first: int) -> Tensor:
        """The gradient of the inputs from a column on, summed over the networks; parameters keep theirs."""
        for number in reversed(range(1, len(self.weights))):
            gradient = self.through(torch.bmm(gradient, self.weights[number]), passed[number])
        return torch.bmm(gradient, self.weights[0][:, :, first:]).sum(0)


def _parts(layer: Sequence[nn.Linear]) -> list[Tensor]:
    """Weights side by side, then biases."""
    return [module.weight for module in layer] + [module.bias for module in layer]


def _stacked(vector: Tensor, layers: Layers, count: int) -> tuple[list[Tensor], list[Tensor]]:
    """Weights and biases of each layer, (networks, outputs, inputs) and (networks, 1, outputs)."""
    sizes = [size for layer in layers for size in _sizes(layer)]
    parts = torch.split(vector, sizes)
    weights = [part.view(count, -1, layer[0].in_features) for part, layer in zip(parts[::2], layers, strict=True)]
    return weights, [part.view(count, 1, -1) for part in parts[1::2]]


def _sizes(layer: Sequence[nn.Linear]) -> tuple[int, int]:
    outputs = sum(module.out_features for module in layer)
    return outputs * layer[0].in_features, outputs
