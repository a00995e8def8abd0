"""First paths, distances and directions from ultra-wideband channel impulse responses (CIRs).

    import numpy as np, uwbdsp
    paths = uwbdsp.first_paths(np.load("cirs.npy"), profile="dw1000")
    for exchange in uwbdsp.read("12.log"): ...
    updates = uwbdsp.replay(["12.log"], calibration="cal.json")
"""

from . import evaluate
from ._capture import CIR, Capture, Exchange, Message, Updates, read, replay
from ._engine import PATH, UPDATE, Engine, Paths, Tracker, first_paths
from ._library import ArgumentError, InputError, UwbError, UwbWarning
from ._names import ESTIMATORS, DirectionStatus, Event, PathStatus, UpdateStatus, address

__version__ = "1.0.0rc1"
__all__ = [
    "ArgumentError", "CIR", "Capture", "DirectionStatus", "ESTIMATORS", "Engine", "Event", "Exchange", "InputError", "Message", "PATH",
    "PathStatus", "Paths", "Tracker", "UPDATE", "UpdateStatus", "Updates", "UwbError", "UwbWarning", "address", "evaluate", "first_paths", "read", "replay",
]
