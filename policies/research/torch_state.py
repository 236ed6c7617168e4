"""Convert the state of networks and optimisers to arrays for files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from zhaifei.solver.files.state import SAFE, StateError, array_of, verify_between, verify_names

_LARGEST_WEIGHT = float(np.finfo(np.float16).max)
"""The largest weight in magnitude: files of weights hold float16."""
_ADAM = ("step", "exp_avg", "exp_avg_sq")
"""The arrays that Adam stores for each parameter: the number of updates, and averages of the
gradient and of its square."""
_MOST_STEPS = 2.0**24
"""The most updates: single precision does not count further."""
_MOST_DEVIATIONS, _ROUNDING = 10.0, 1e-15
"""Adam averages the last ten gradients and the last thousand squares. So whatever the gradients
are, their average is at most 7.3 times the root of the average square."""

State = dict[str, NDArray[Any]]
Layers = tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]


def layers_of(module: torch.nn.Module) -> Layers:
    """Return the linear layers in the order in which they are applied: weights [input, unit] and
    biases [unit], float32."""
    linear = [one for one in module.modules() if isinstance(one, torch.nn.Linear)]
    return tuple(
        (one.weight.detach().numpy().T.copy(), one.bias.detach().numpy().copy()) for one in linear
    )


def module_state(name: str, module: torch.nn.Module) -> State:
    """Return the parameters; the key of each is `name`, a dot, and the parameter's name."""
    return {f"{name}.{key}": one.numpy().copy() for key, one in module.state_dict().items()}


def load_module(module: torch.nn.Module, state: Mapping[str, NDArray[Any]]) -> None:
    """Set the parameters to the arrays of the same names in `state`. Raise StateError unless they
    fit, and are numbers that a file of weights can hold."""
    parameters = module.state_dict()
    verify_names(state, parameters)
    module.load_state_dict(
        {
            key: _tensor(state, key, parameter, -_LARGEST_WEIGHT, _LARGEST_WEIGHT)
            for key, parameter in parameters.items()
        }
    )


def _tensor(
    state: Mapping[str, NDArray[Any]], key: str, like: torch.Tensor, least: float, most: float
) -> torch.Tensor:
    """Return the array `key` as a float32 tensor of the shape of `like`, with entries from `least`
    to `most`. Raise StateError for any other array."""
    array = array_of(state, key, np.float32, *like.shape)
    verify_between(key, array, least, most)
    return torch.from_numpy(array.copy())


def optimiser_state(name: str, optimiser: torch.optim.Optimizer) -> State:
    """Return Adam's arrays for each parameter; a key is `name`, the parameter's place and the
    array's name, separated by dots."""
    return {
        f"{name}.{place}.{key}": np.atleast_1d(value.numpy().copy())
        for place, values in optimiser.state_dict()["state"].items()
        for key, value in values.items()
    }


def load_optimiser(optimiser: torch.optim.Optimizer, state: Mapping[str, NDArray[Any]]) -> None:
    """Set the state of `optimiser`, which is Adam, to one that `optimiser_state` returned, with
    keys without `name`. Raise StateError for any other state."""
    groups = optimiser.state_dict()["param_groups"]
    parameters = optimiser.param_groups[0]["params"] if state else []
    verify_names(state, [f"{place}.{key}" for place in range(len(parameters)) for key in _ADAM])
    remembered = {}
    for place, parameter in enumerate(parameters):
        names = [f"{place}.{key}" for key in _ADAM]
        step = _tensor(state, names[0], torch.empty(1), 0.0, _MOST_STEPS)[0]
        mean = _tensor(state, names[1], parameter, -SAFE, SAFE)
        square = _tensor(state, names[2], parameter, 0.0, SAFE)
        if (mean.abs() > _MOST_DEVIATIONS * square.sqrt() + _ROUNDING).any():
            raise StateError("{name} is too large for its variance", name=names[1])
        remembered[place] = dict(zip(_ADAM, (step, mean, square), strict=True))
    optimiser.load_state_dict({"state": remembered, "param_groups": groups})
