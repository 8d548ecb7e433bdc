"""Refuses a model that does not fit before anything large is downloaded or loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import torch
import transformers

from ..errors import ModelMissing
from .job import Options
from .probe import Machine

_library: Any = transformers
"""Any, because the library's automatic classes are untyped."""

BYTES = {"float32": 4.0, "bfloat16": 2.0, "float16": 2.0}
FOUR_BIT_BYTES = 0.8
"""The bytes of each parameter in 4 bits, with scales and the parts that stay in 16 bits."""
EIGHT_BIT_BYTES = 1.3
"""The same for parameters in 8 bits."""
OVERHEAD, WORKSPACE = 1.1, 256 << 20
"""OVERHEAD is the factor for buffers while loading; WORKSPACE is the bytes of activations and a first cache."""
CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)
"""The files with a container's memory limit and use, of both versions of control groups."""


def needed_bytes(config: Any, machine: Machine, options: Options) -> int:
    """Returns the bytes for the weights and one generation. The model's configuration is enough for this; no weight is
    read."""
    with torch.device("meta"):
        empty: Any = _library.AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    parameters = sum(part.numel() for part in empty.parameters())
    each = FOUR_BIT_BYTES if options.use_4bit else BYTES[machine.dtype]
    if getattr(config, "quantization_config", None):
        each = min(each, EIGHT_BIT_BYTES)  # published in 8 bits or fewer
    return int(parameters * each * OVERHEAD) + WORKSPACE


def free_bytes(machine: Machine, options: Options) -> int:
    """Returns the bytes that may still be taken on the device, by the setting, the container's limit or the machine."""
    if options.memory_gb is not None:
        return int(options.memory_gb * (1 << 30))
    if machine.device == "cuda":
        return torch.cuda.mem_get_info()[0]
    return min([psutil.virtual_memory().available, *_container_rest()])


def check_fits(model: str, needed: int, free: int, machine: Machine) -> None:
    """Raises ModelMissing, with the figures and what to do, if the model does not fit."""
    if needed > free:
        ways = "a smaller model" if machine.device == "cpu" else "a smaller model or USE_4BIT=true"
        raise ModelMissing(
            f"{model} needs about {_gb(needed)} GB in {machine.dtype} on {machine.device} and {_gb(free)} GB are free: "
            f"choose {ways}, or a quantised one behind llama.cpp's server (provider llamacpp)."
        )


def _container_rest() -> list[int]:
    for limit_file, used_file in CGROUPS:
        try:
            return [int(Path(limit_file).read_text()) - int(Path(used_file).read_text())]
        except (OSError, ValueError):
            continue  # it is not this kind of container, or it has no limit
    return []


def _gb(size: int) -> str:
    return f"{size / (1 << 30):.1f}"
