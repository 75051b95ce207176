"""Peak rates of devices: what users state, and a table of data center GPUs.

Sources, read from the manufacturers' data sheets (dense rates, without sparsity):
NVIDIA V100 (nvidia.com/en-us/data-center/v100), T4 (tesla-t4), A10 (products/a10-gpu), A100 (a100, the 40 GB
model in its first data sheet), L4 (l4), L40S (l40s), H100 and H200 (h100, h200); AMD Instinct MI250X and
MI300X (amd.com/en/products/accelerators/instinct). float32 is the rate without TF32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from tlparse_bundle.base.errors import BundleError

_UNITS: dict[str, Literal["GB/s", "TFLOP/s"]] = {"gb/s": "GB/s", "tflop/s": "TFLOP/s"}
_EXAMPLE = "Write for example 'GB/s=2039', 'TFLOP/s=19.5' or 'TFLOP/s:bfloat16=312'."
_HALF = ("float16", "bfloat16")


class Peak(NamedTuple):
    """A peak rate. ``dtype``: of its operations; None for all, and for bytes."""

    unit: Literal["GB/s", "TFLOP/s"]
    dtype: str | None
    rate: float
    source: Literal["stated", "device"]


class _Device(NamedTuple):
    gb_per_s: float
    float32: float  # TFLOP/s
    half: float


# By name in deviceProperties of a trace.
_DEVICES = {
    "Tesla V100-SXM2-16GB": _Device(900, 15.7, 125),
    "Tesla V100-SXM2-32GB": _Device(900, 15.7, 125),
    "Tesla T4": _Device(300, 8.1, 65),
    "NVIDIA A10": _Device(600, 31.2, 125),
    "NVIDIA A100-SXM4-40GB": _Device(1555, 19.5, 312),
    "NVIDIA A100-PCIE-40GB": _Device(1555, 19.5, 312),
    "NVIDIA A100-SXM4-80GB": _Device(2039, 19.5, 312),
    "NVIDIA A100 80GB PCIe": _Device(1935, 19.5, 312),
    "NVIDIA L4": _Device(300, 30.3, 121),
    "NVIDIA L40S": _Device(864, 91.6, 362),
    "NVIDIA H100 80GB HBM3": _Device(3350, 67, 989),
    "NVIDIA H100 PCIe": _Device(2000, 51, 756),
    "NVIDIA H200": _Device(4800, 67, 989),
    "AMD Instinct MI250X": _Device(3277, 47.9, 383),
    "AMD Instinct MI300X": _Device(5300, 163.4, 1307),
}


def stated_peaks(texts: Sequence[str]) -> list[Peak]:
    """Read peaks such as 'GB/s=2039'. Raise BundleError for other texts."""
    peaks = []
    for text in texts:
        name, _, number = text.partition("=")
        unit_name, _, dtype = name.strip().partition(":")
        unit = _UNITS.get(unit_name.lower())
        try:
            rate = float(number)
        except ValueError:
            rate = math.nan
        if unit is None or not 0 < rate < 1e9 or (dtype and unit == "GB/s"):
            raise BundleError(f"{text!r} is not a peak rate", hint=_EXAMPLE, code="bad-peak", exit_code=2)
        peaks.append(Peak(unit, dtype.strip().removeprefix("torch.")[:50] or None, rate, "stated"))
    return peaks


def peaks_of(stated: Sequence[Peak], device_names: Sequence[str], on_device: bool) -> list[Peak]:
    """Return the peaks that count for a trace: those stated, else those of its only kind of device."""
    device = _DEVICES.get(device_names[0]) if on_device and len(device_names) == 1 else None
    if stated or device is None:
        return list(stated)
    return [
        Peak("GB/s", None, device.gb_per_s, "device"),
        Peak("TFLOP/s", "float32", device.float32, "device"),
        *(Peak("TFLOP/s", dtype, device.half, "device") for dtype in _HALF),
    ]


def share_of_peak(
    peaks: Sequence[Peak],
    unit: Literal["GB/s", "TFLOP/s"],
    amount: float | None,
    us: float,
    dtype: str | None,
) -> float | None:
    """Return the rate of an amount of bytes or operations in some time, as a share of the peak."""
    rates = {peak.dtype: peak.rate for peak in peaks if peak.unit == unit}
    peak = rates.get(dtype, rates.get(None))
    if amount is None or peak is None or us <= 0:
        return None
    per_second = amount / us * 1e6
    return round(per_second / (peak * (1e9 if unit == "GB/s" else 1e12)), 6)
