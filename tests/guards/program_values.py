"""Classes and functions that generated programs use as arguments."""

from __future__ import annotations

import collections
import enum
from dataclasses import dataclass
from typing import Any

import torch

POINT = collections.namedtuple("POINT", ("x", "n"))


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


@dataclass
class Settings:
    scale: int
    how: str
    extra: float | None


class Holder:
    def __init__(self, value: Any, numbers: list[int]):
        self.value = value
        self.numbers = numbers

    def doubled(self) -> int:
        return self.numbers[0] * 2


def twice(x):
    return x * 2


def half(x):
    return x / 2


MODULES = (torch.nn.ReLU(), torch.nn.Tanh(), torch.nn.Dropout(0.0))


def ordered(values):
    return collections.OrderedDict(values)
