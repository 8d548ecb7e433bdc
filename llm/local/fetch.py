"""Brings a model's files to this machine, from a folder or from a repository of the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import huggingface_hub
from huggingface_hub import errors
from tqdm import tqdm

from ..errors import AuthFailed, ModelMissing, Unreachable
from .job import Options

_hub: Any = huggingface_hub
_tqdm: Any = tqdm
"""Any, because tqdm is typed only in part."""

Tell = Callable[[str], None]
"""Takes a sentence about the progress."""

DESCRIPTION = ["*.json", "*.jinja", "*.txt", "*.model"]
WEIGHTS = ["*.safetensors"]
SURPLUS = ["*/*", "consolidated*"]
"""Files with the same weights in other formats, which are not fetched."""


def describe_only(model: str, options: Options, progress: Tell) -> Path:
    """Returns the folder with configuration and tokenizer; the weights may still be missing. Raises errors of
    `llm.errors`."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelMissing(f"{model} is a folder without config.json: not a model in transformers' format.")
        return folder
    if model.startswith((".", "/", "~")) or model.count("/") > 1:
        raise ModelMissing(f"There is no folder {model}.")
    return _snapshot(model, options, DESCRIPTION, progress)


def with_weights(model: str, folder: Path, options: Options, progress: Tell) -> Path:
    """Returns the same folder with the weights in it. Only safetensors are taken, because pickled weights can run code.
    Raises errors of `llm.errors`."""
    if not Path(model).expanduser().is_dir():
        folder = _snapshot(model, options, [*DESCRIPTION, *WEIGHTS], progress)
    if not any(folder.glob("*.safetensors")):
        raise ModelMissing(f"{model} has no weights in the safetensors format; other formats are not opened.")
    return folder


def _snapshot(model: str, options: Options, patterns: list[str], progress: Tell) -> Path:
    try:
        folder = _hub.snapshot_download(
            model,
            allow_patterns=patterns,
            ignore_patterns=SURPLUS,
            token=options.token or False,
            local_files_only=options.offline,
            tqdm_class=bars(model, progress),
        )
    except errors.GatedRepoError:
        raise AuthFailed(
            f"{model} asks for its terms to be accepted on huggingface.co and for HF_TOKEN to be set."
        ) from None
    except errors.RepositoryNotFoundError:
        raise ModelMissing(
            f"huggingface.co has no model {model} (or it is private and HF_TOKEN does not open it)."
        ) from None
    except errors.HFValidationError:
        raise ModelMissing(f"{model!r} is neither a folder nor a name like Qwen/Qwen2.5-Coder-0.5B-Instruct.") from None
    except errors.LocalEntryNotFoundError:
        where = "and downloads are switched off" if options.offline else "and huggingface.co cannot be reached"
        raise ModelMissing(f"{model} is not on this machine, {where}: download it first, or name a folder.") from None
    except (OSError, errors.HfHubHTTPError) as error:
        raise Unreachable(f"Downloading {model} failed: {first_line(error)}") from error
    return Path(folder)


def first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def bars(model: str, progress: Tell) -> Any:
    """Returns a progress bar class for the hub's client that reports in sentences instead of drawing."""

    class Bar(_tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs.pop("name", None)
            self._shown = -1
            super().__init__(*args, **{**kwargs, "disable": False})

        def display(self, msg: str | None = None, pos: int | None = None) -> None:  # noqa: ARG002
            if self.unit == "B" and self.total:
                percent = 5 * int(20 * self.n / self.total)
                if percent > self._shown:
                    self._shown = percent
                    progress(f"downloading {model}: {percent} % of {self.total / 1e9:.1f} GB")

        def close(self) -> None:
            self.disable = True

    return Bar
