"""Pictures of results, by Matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._names import Event, PathStatus, UpdateStatus, address
from ._optional import needed

_DELIVERED, _RAW, _TRUTH, _REFUSED = "#1f5fa8", "#9db7d5", "#222222", "#c8402f"
_ANTENNAS = ("#1f5fa8", "#e08a1e", "#3a8f5c", "#8a4fa3")


def _panel(axes: Any) -> Any:
    if axes is not None:
        return axes
    return needed("matplotlib.pyplot", "matplotlib", "plot()").subplots(figsize=(9, 4), layout="constrained")[1]


def _refuse(axes: Any, places: np.ndarray, statuses: list) -> None:
    """Marks at the lower edge, one colour for all, where there is no value; the legend counts the reasons."""
    if not len(places):
        return
    counts = ", ".join(f"{statuses.count(name)} {name}" for name in sorted(set(statuses)))
    axes.plot(
        places, np.zeros(len(places)), "|", color=_REFUSED, markersize=9, transform=axes.get_xaxis_transform(), clip_on=False,
        label=f"none: {counts}")


def _legend(axes: Any) -> Any:
    """Above the picture, where it hides nothing."""
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, fontsize="small", frameon=False)
    return axes


def paths(table: Any, axes: Any) -> Any:
    """First paths over the number of the CIR, one colour an antenna."""
    axes = _panel(axes)
    rows = table if table.ndim == 2 else table.reshape(-1, 1)
    numbers = np.arange(len(rows))
    for antenna in range(rows.shape[1]):
        column = rows[:, antenna]
        axes.errorbar(
            numbers, column["first_path_taps"], column["first_path_std_taps"], fmt=".", markersize=4, linewidth=0.8,
            color=_ANTENNAS[antenna % len(_ANTENNAS)], label=f"antenna {antenna}" if rows.shape[1] > 1 else "first path ± 1 σ")
    failed = np.any(rows["status"] != PathStatus.ok, axis=1)
    worst = rows["status"][failed].max(axis=1, initial=0)
    _refuse(axes, numbers[failed], [PathStatus(code).name for code in worst])
    axes.set(xlabel="CIR", ylabel="first path (taps)")
    return _legend(axes)


def _stretches(rows: np.ndarray) -> list:
    """Parts of a peer's rows without long gaps, which a line would hide."""
    steps = np.diff(rows["time_s"])
    return np.split(rows, np.flatnonzero(steps > 10 * np.median(steps)) + 1) if len(steps) else [rows]


def updates(table: Any, axes: Any) -> Any:
    """Distances over time, a line a peer of a capture."""
    axes = _panel(axes)
    has_many = len({(row["capture"], row["peer"]) for row in table}) > 1
    is_labelled = False
    for capture in np.unique(table["capture"]):
        for peer in np.unique(table["peer"][table["capture"] == capture]):
            rows = table[(table["capture"] == capture) & (table["peer"] == peer)]
            measured = rows[~np.isnan(rows["distance_m"])]
            name = f"{address(peer)}, {table.captures[capture]}" if has_many else "delivered ± 1 σ"
            axes.plot(rows["time_s"], rows["raw_distance_m"], ".", color=_RAW, markersize=3, label=None if is_labelled else "raw")
            color = None if has_many else _DELIVERED
            for part in _stretches(measured):
                line, = axes.plot(part["time_s"], part["distance_m"], color=color, label=name)
                low, high = (part["distance_m"] + sign * part["distance_std_m"] for sign in (-1, 1))
                axes.fill_between(part["time_s"], low, high, color=line.get_color(), alpha=0.2, linewidth=0)
                color, name = line.get_color(), None
            if np.any(~np.isnan(rows["true_distance_m"])):
                for number, part in enumerate(_stretches(rows)):
                    label = None if is_labelled or number else "true"
                    axes.plot(part["time_s"], part["true_distance_m"], "--", color=_TRUTH, linewidth=0.9, label=label)
            is_labelled = True
    refused = table[table["event"] == Event.rejected]
    _refuse(axes, refused["time_s"], [UpdateStatus(code).name for code in refused["status"]])
    axes.set(xlabel="time (s)", ylabel="distance (m)")
    return _legend(axes)
