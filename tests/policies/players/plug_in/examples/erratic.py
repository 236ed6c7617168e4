"""Decides at random, by all kinds of numbers that are drawn globally."""

import random

import numpy as np


class Erratic:
    def challenge_bid(self, seen):
        return random.random() < 0.3

    def make_bid(self, seen):
        if random.random() < 0.5:
            return random.choice(seen.legal_bids)
        return seen.legal_bids[np.random.randint(len(seen.legal_bids))]  # noqa: NPY002
