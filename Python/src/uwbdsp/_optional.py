"""Packages that only some calls need."""

from __future__ import annotations

import importlib
from typing import Any, Iterable


def needed(module: str, package: str, purpose: str) -> Any:
    """A module of a package that may be missing. Raises `ImportError` that names the package then."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"uwbdsp: {purpose} needs {package}: pip install {package}") from error


def progress(items: Iterable, is_shown: bool, **options: Any) -> Iterable:
    """`items`, with a bar of tqdm where `is_shown`."""
    return needed("tqdm.auto", "tqdm", "progress=True").tqdm(items, **options) if is_shown else items
