"""MUSIC over a row of eight antennas, 64 snapshots, one source: ours beside what people use in Python, on the same snapshots.

    music_peers.py UWB MEASURE FOLDER

Ours (`measure directions`) is off the grid and states deviations; the others search 361 points. Each goes over the trials in memory, one
after the other, ours and theirs in turn; the best of three rounds counts. One JSON object for each.
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
    uwb, measure, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    command = [uwb, "evaluate", "angle", "--array", "ula8", "--sources", "17.3", "--snapshots", "64", "--snr", "10"]
    command += ["--trials", "2000", "--seed", "1", "--estimators", "music", "--output", "ndjson", "--export", folder]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    truth = json.loads((folder / "0.json").read_text())
    shape = truth["trials"], truth["antennas"], truth["snapshots"]
    trials = np.fromfile(folder / "0.cf64", dtype="<c16").reshape(shape)
    peers = {
        "numpy, signal space on the grid": grid_music,
        "numpy, noise space and a parabola": angle_peers.music,
        "pyroomacoustics": angle_peers.room_music,
    }
    best = {}

    def keep(name, us, rms):
        best[name] = min(best.get(name, (us, rms)), (us, rms))

    for _ in range(3):
        azimuths = folder / "azimuths"
        line = subprocess.run([measure, "directions", folder / "0", azimuths, "--method", "music"], check=True, capture_output=True, text=True)
        errors = np.loadtxt(azimuths) - np.array(truth["azimuths_deg"]).ravel()
        keep("ours", json.loads(line.stdout)["us"], float(np.sqrt(np.mean(errors**2))))
        for name, estimator in peers.items():
            row = angle_peers.score(name, estimator, trials, truth)
            keep(name, row["microseconds"], row["rmse_deg"])
    for name, (us, rms) in best.items():
        print(json.dumps({"estimator": name, "us": us, "rms_deg": rms}))


if __name__ == "__main__":
    main()
