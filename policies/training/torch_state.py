"""Convert the state of networks and optimisers to arrays for files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

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
    """Return the parameters, each under the key `name`.its name."""
    return {f"{name}.{key}": one.numpy().copy() for key, one in module.state_dict().items()}


def load_module(module: torch.nn.Module, name: str, state: Mapping[str, NDArray[Any]]) -> None:
    """Set the parameters to those that `module_state` returned. Raises KeyError or RuntimeError if
    they do not fit."""
    module.load_state_dict(
        {key: torch.from_numpy(state[f"{name}.{key}"].copy()) for key in module.state_dict()}
    )


def optimiser_state(name: str, optimiser: torch.optim.Optimizer) -> State:
    """Return what Adam stores for each parameter, under the key `name`.place.its name."""
    return {
        f"{name}.{place}.{key}": np.atleast_1d(value.numpy().copy())
        for place, values in optimiser.state_dict()["state"].items()
        for key, value in values.items()
    }


def load_optimiser(
    optimiser: torch.optim.Optimizer, name: str, state: Mapping[str, NDArray[Any]]
) -> None:
    """Set the state of `optimiser` to one that `optimiser_state` returned."""
    remembered: dict[int, dict[str, torch.Tensor]] = {}
    for key, array in state.items():
        if key.startswith(f"{name}."):
            place, what = key.removeprefix(f"{name}.").split(".")
            value = torch.from_numpy(array.copy())
            remembered.setdefault(int(place), {})[what] = value[0] if what == "step" else value
    groups = optimiser.state_dict()["param_groups"]
    optimiser.load_state_dict({"state": remembered, "param_groups": groups})
