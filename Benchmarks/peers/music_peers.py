"""MUSIC over a row of eight antennas, 64 snapshots, one source: ours beside NumPy's and pyroomacoustics', on the same snapshots.

    music_peers.py UWB FOLDER

Ours is off the grid and states deviations; the others search 361 points. One JSON object for each.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # Set before NumPy loads.

import numpy as np

import angle_peers


def grid_music(x, row, sources):
    """As the quickest way in NumPy that is known here: the signal's projection in place of the noise's, no parabola."""
    covariance = x @ x.conj().T
    _, vectors = np.linalg.eigh(covariance)
    seen = np.abs(vectors[:, -1].conj() @ row.grid)
    return angle_peers.GRID[[int(seen.argmax())]]


def main():
    uwb, folder = sys.argv[1], Path(sys.argv[2])
    command = [uwb, "evaluate", "angle", "--array", "ula8", "--sources", "17.3", "--snapshots", "64", "--snr", "10"]
    command += ["--trials", "2000", "--seed", "1", "--estimators", "music", "--output", "ndjson", "--export", folder]
    output = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
    ours = [json.loads(line) for line in output.splitlines()]
    ours = next(row for row in ours if row.get("estimator") == "music")
    print(json.dumps({"estimator": "ours", "us": ours["microseconds"], "rms_deg": ours["rmse_deg"]}))

    truth = json.loads((folder / "0.json").read_text())
    shape = truth["trials"], truth["antennas"], truth["snapshots"]
    trials = np.fromfile(folder / "0.cf64", dtype="<c16").reshape(shape)
    peers = {
        "numpy, signal space on the grid": grid_music,
        "numpy, noise space and a parabola": angle_peers.music,
        "pyroomacoustics": angle_peers.room_music,
    }
    for name, estimator in peers.items():
        row = angle_peers.score(name, estimator, trials, truth)
        print(json.dumps({"estimator": name, "us": row["microseconds"], "rms_deg": row["rmse_deg"]}))


if __name__ == "__main__":
    main()
