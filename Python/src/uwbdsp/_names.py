"""What the codes in tables stand for, by the command line's names. −1 in a table stands for none."""

from collections import Counter
from enum import IntEnum


class PathStatus(IntEnum):
    """How the search for a first path ended."""

    ok = 0
    noFirstPath = 1
    emptyImpulseResponse = 2
    beyondLimits = 3
    didNotConverge = 4


class Event(IntEnum):
    """What a row of a replay tells."""

    update = 0
    rejected = 1
    removed = 2


class UpdateStatus(IntEnum):
    """Of an update, a rejected exchange, or a removed peer."""

    ok = 0
    outlier = 1
    noFirstPath = 2
    emptyImpulseResponse = 3
    beyondLimits = 4
    didNotConverge = 5
    missingTimestamps = 6
    noDirection = 7
    failedRound = 8
    impossibleDistance = 9
    timeout = 10
    peerEnded = 11


class DirectionStatus(IntEnum):
    """How good a direction is."""

    ok = 0
    ambiguous = 1
    outsideFieldOfView = 2
    unusable = 3
    didNotConverge = 4


#: Names of the delay estimators, by the code in `fallback`.
ESTIMATORS = (
    "chip", "peak", "edge-fit", "pulse-fit", "dense-onset", "rice-fit", "adaptive", "leading-edge", "jump-back",
    "serial-backward", "search-subtract", "search-subtract-readjust", "clean", "music", "root-music", "esprit",
    "matrix-pencil",
)


def address(peer: int) -> str:
    """A device's address as the command line writes it: 4 or 16 hexadecimal digits."""
    return f"{int(peer):016x}" if peer > 0xFFFF else f"{int(peer):04x}"


def capture_names(paths: list) -> list:
    """The shortest ends of paths that tell captures apart, as the command line names them. What is given twice is numbered."""
    ends = [
        [name for name in path.split("/") if name not in ("", ".")][::-1] + ([""] if path.startswith("/") else []) for path in paths]
    counts = Counter(tuple(end[:length]) for end in {tuple(end) for end in ends} for length in range(1, len(end) + 1))
    seen: Counter = Counter()
    names = []
    for end in ends:
        length = next((length for length in range(1, len(end)) if counts[tuple(end[:length])] == 1), len(end))
        name = "/".join(end[:length][::-1])
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names
