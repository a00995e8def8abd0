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


def bar(items: Iterable | None = None, **options: Any) -> Any:
    """A bar of tqdm over `items`, or one to be moved by hand."""
    return needed("tqdm.auto", "tqdm", "progress=True").tqdm(items, **options)
