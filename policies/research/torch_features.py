"""The first module of a network, which computes features of observations."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from zhaifei.game.rules import Rules
from zhaifei.policies.players.features import feature_tables


def features_of(rules: Rules) -> nn.Module:
    """Return the module, without parameters, that maps observations (`self_play.observations`) to
    the inputs of a network."""
    return Features(rules) if rules.players == 2 else nn.Identity()


class Features(nn.Module):
    """Computes the features `policies.players.features` of information state tensors."""

    # The tables of `policies.players.features`.
    counts: Tensor
    steps: Tensor
    stronger: Tensor
    kind: Tensor
    claimed: Tensor
    needs: Tensor

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._players, self._dice = rules.players, rules.players + rules.dice * rules.faces
        for name, table in feature_tables(rules)._asdict().items():
            self.register_buffer(name, torch.tensor(table), persistent=False)

    def forward(self, tensors: Tensor) -> Tensor:
        """Return [decision, feature] for `tensors` [decision, bit]."""
        player, hand, made = torch.tensor_split(tensors, (self._players, self._dice), dim=1)
        counts = hand @ self.counts
        at_least = (counts.unsqueeze(2) >= self.steps).float().flatten(1)
        bids = made[:, : len(self.claimed)]
        later = bids @ self.stronger
        last, before = bids * (later == 0), bids * (later == 1)
        need = last @ self.claimed - ((last @ self.kind) * counts).sum(1)
        needs = (need.unsqueeze(1) >= self.needs).float()
        return torch.cat([at_least, player, made, last, before, needs], dim=1)
