"""Counts the instructions that `uwb` takes for inputs of n, 2n and 4n parts, and fails where they grow faster than the input.

Run by scripts/cost. With I(n) = a + b·n + c·n², r = (I(4n) − I(2n)) / (I(2n) − I(n)) is 2 where c = 0, whatever a is, and goes to 4. Sorting
n parts gives up to 2.2. Beyond LIMIT the quadratic part of I(n) is a seventeenth of the linear one. Instructions repeat but for what threads
spin: NOISE.
"""

import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

LIMIT = 2.3
NOISE = 4_000_000
CORPORA = "Fuzz/Corpora"


def seed(name):
    with open(f"{CORPORA}/{name}", "rb") as file:
        return file.read()


def repeated(name, head_lines=0):
    """A seed of the fuzzer's n times, its first lines once."""
    lines = seed(name).splitlines(keepends=True)
    if not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    head, body = lines[:head_lines], lines[head_lines:]
    return lambda n: b"".join(head + body * n)


HEADER = {"format": "uwb-capture", "version": 1, "profile": "dw1000"}


def exchange(index, peer=1, taps=8, spacing=1e-9, antennas=1):
    samples = {
        "samples": "int16", "scale": 1, "tap_spacing_s": spacing,
        "real": [[t * 37 % 11 + round(3000 * math.exp(-((t - 20) ** 2) / 2)) for t in range(taps)]] * antennas,
        "imag": [[t * 53 % 13 for t in range(taps)]] * antennas}
    start = index * 6_000_000_000

    def message(sent, received, **fields):
        return {"transmitted_ticks": (start + sent) % 2**40, "received_ticks": (start + received) % 2**40} | fields

    return {
        "exchange": index, "time_s": index * 0.1, "peer": f"{peer:x}", "local": "ff", "initiator": "peer",
        "poll": message(1_000_000, 501_000_640, first_path_taps=19.5, cir=samples),
        "response": message(601_000_640, 101_001_280), "final": message(201_001_280, 701_001_920),
    }


def ndjson(exchanges, **header):
    rows = [HEADER | header] + list(exchanges)
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows).encode()


def capture(n, taps=8):
    return ndjson(exchange(i, taps=taps) for i in range(n))


def fitted(n):
    return capture(n, taps=64)


def numpy_array(n):
    head = "{'descr': '<i2', 'fortran_order': False, 'shape': (%d, 1, 8, 2), }" % n
    head += " " * (117 - len(head)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(range(32)) * n


def yaml(body):
    return ("name: x\nduration_s: 0.05\nrate_hz: 10\n" + body).encode()


DEVICE = "devices: [{name: a, motion: {position_m: [0, 0, 0]}, sessions: []}]\n"


def yaml_waypoints(n):
    points = ", ".join(f"[{i}, {i % 7}, 1, 0]" for i in range(n))
    return yaml("devices: [{name: a, motion: {waypoints_s_m: [%s]}, sessions: []}]\n" % points)


def yaml_events(n):
    return yaml(DEVICE + "events:\n" + "".join("  - {at_s: 0.01, device: a, do: background}\n" for _ in range(n)))


def yaml_aliases(n):
    """Keys that are aliases of maps of such keys: written out they double with each line."""
    lines = ["k0: &k0 {a: b}\n"] + [f"k{i}: &k{i} {{? *k{i - 1} : *k{i - 1}}}\n" for i in range(1, n)]
    return yaml(DEVICE + "".join(lines))


def manifold(n):
    return json.dumps({
        "carrier_hz": 7.9872e9, "positions_m": [[0, 0, 0], [0.0188, 0, 0]],
        "manifold": {"azimuth_deg": {"first": -90, "step": 180 / n, "count": n}, "elevation_deg": {"first": 0, "count": 1},
                     "responses": [[1, 0]] * n + [[0, 1]] * n}}).encode()


def pulse(n):
    return json.dumps({"spacing_s": 1e-10, "peak_index": n // 2, "samples": [1 / (1 + abs(i - n // 2)) for i in range(n)]}).encode()


def calibration(n):
    devices = [{"address": f"{i:x}", "delay_s": 1e-8} for i in range(n)]
    return json.dumps({"version": 1, "delay": {
        "devices": devices, "line_of_sight": {"power_dbm": [-90, -80], "bias_m": [0.1, 0], "deviation_m": 0.04}}}).encode()


def truth(n):
    return "".join(["capture,distance_m,label\n", "few.ndjson,3,LOS\n"] + [f"c{i}.log,{i % 50}.5,LOS\n" for i in range(n)]).encode()


def pose(n):
    return "".join(["time_s,yaw_deg,pitch_deg,roll_deg\n"] + [f"{i * 0.01:.2f},{i % 90},0,0\n" for i in range(n)]).encode()


def pose_in_room(n):
    return "".join(["time,x,y,z\n"] + [f"{i * 0.01:.2f},{i % 90},0,0\n" for i in range(n)]).encode()


def bregar(n):
    """The records of one place n times."""
    head, end = seed("bregar/two").split(b"}, {", 1)
    first = head.rindex(b'{"tag_id"')
    return head[:first] + b", ".join([head[first:] + b"}"] * n) + b"]}}}}"


def accessory(n):
    return b"".join(b"010001001945554f4f00000b090600100eb400031baf75655238d891c800\n" for _ in range(n))


# name: (verb's arguments, parts, what makes IN of n parts). IN is the input, OUT a name for outputs, FEW a capture of three exchanges, RANGES a table of three;
# MANY stands for n captures. A list of commands runs in turn, and the last one counts.
INFO = ["info", "IN"]
CASES = {
    "decaranging": (INFO, 60, repeated("decaranging/one")),
    "uwb-core": (INFO, 200, repeated("uwb-core/two")),
    "contiki-uwb": (INFO, 400, repeated("contiki-uwb/two")),
    "dw3000-cir": (INFO, 400, repeated("dw3000-cir/hex")),
    "dw3000-hex": (INFO, 20, repeated("dw3000-hex/two")),
    "ultrawidelock": (INFO, 20, repeated("ultrawidelock/one")),
    "eth-dual-antenna": (INFO, 100, repeated("eth-dual-antenna/two")),
    "bregar": (INFO, 100, bregar),
    "dwm3001-cli": (INFO, 200, repeated("dwm3001-cli/1.1")),
    "ewine": (INFO, 300, repeated("ewine/one", 1)),
    "npy": (INFO, 2000, numpy_array),
    "ndjson": (INFO, 200, capture),
    "phase-table": (INFO, 500, repeated("phase-table/1", 1)),
    "twr-table": (INFO, 300, repeated("twr-table/1", 1)),
    "range-table": (INFO, 500, repeated("range-table/long", 1)),
    "range-table, a column a pair": (INFO, 500, repeated("range-table/pairs", 1)),
    "uci-log": (INFO, 200, repeated("uci-log/plain")),
    "uci": (INFO, 200, lambda n: seed("uci/session.pcapng") * n),
    "sigmf": ([["convert", "IN", "OUT.sigmf-meta"], ["info", "OUT.sigmf-meta"]], 200, capture),
    "archive": ([["convert", "IN", "OUT.sigmf"], ["info", "OUT.sigmf"]], 200, capture),
    # Another number of antennas begins another recording.
    "collection": ([["convert", "IN", "OUT", "--split", "1"], ["info", "OUT.sigmf-collection"]], 20,
                   lambda n: ndjson(exchange(i, antennas=1 + i % 2) for i in range(n))),
    "write sigmf": (["convert", "IN", "OUT.sigmf-meta"], 200, capture),
    "write csv": (["convert", "IN", "OUT.csv"], 200, capture),
    "write npy": (["convert", "IN", "OUT.npy"], 200, capture),
    "write ndjson": (["convert", "IN", "OUT.ndjson"], 200, capture),
    "one line": (INFO + ["--format", "contiki-uwb"], 100_000, lambda n: b"7" * n),
    "nested": (INFO, 50_000, lambda n: ndjson([]) + b'{"exchange":0,"x":' + b"[" * n + b"]" * n + b"}\n"),
    "notes": (INFO, 10_000, lambda n: ndjson([], notes=["a note"] * n)),
    "skipped": (INFO, 10_000, lambda n: ndjson([]) + b"{nothing}\n" * n),
    "replay": (["replay", "IN", "--threads", "1"], 20, fitted),
    "paths": (["paths", "IN", "--threads", "1", "--paths"], 20, fitted),
    "report": (["replay", "IN", "--threads", "1", "--report", "OUT.html"], 20, fitted),
    "peers": (["replay", "IN", "--threads", "1", "--delay", "chip"], 1200,
              lambda n: ndjson(exchange(i, peer=i + 1, taps=1) for i in range(n))),
    "peers in info": (INFO, 300, lambda n: ndjson(exchange(i, peer=i + 1, taps=1) for i in range(n))),
    "tap spacings": (["replay", "IN", "--threads", "1"], 4,
                     lambda n: ndjson(exchange(i, taps=64, spacing=1e-9 + i * 1e-13) for i in range(n))),
    "captures": (["info", "MANY"], 40, capture),
    "truth": (["evaluate", "ranging", "FEW", "--truth", "IN"], 500, truth),
    "score": (["evaluate", "delay", "--trials", "1", "--snr", "20", "--score", "a=IN"], 2000,
              lambda n: b"case,trial,first_path_taps\n" + b"0,0,\n" * n),
    "pose": (["replay", "FEW", "--threads", "1", "--pose", "IN"], 1000, pose),
    "trajectory": (["replay", "RANGES", "--threads", "1", "--truth-offset", "0", "--anchors", "0,0,0", "--truth-trajectory", "IN"],
                   1000, pose_in_room),
    "anchors": (["replay", "FEW", "--threads", "1", "--anchors", "IN"], 1000,
                lambda n: "".join(["id,x,y,z\n"] + [f"{i},{i},0,1\n" for i in range(n)]).encode()),
    "calibration": (["replay", "FEW", "--threads", "1", "--calibration", "IN"], 150, calibration),
    "array": (["replay", "FEW", "--threads", "1", "--array", "IN"], 150, manifold),
    "pulse": (["replay", "FEW", "--threads", "1", "--pulse", "IN"], 300, pulse),
    "shard": ([["replay", "IN", "--threads", "1", "--shard", "1/1", ">OUT.shard"], ["merge", "OUT.shard"]], 60, capture),
    "scenario waypoints": (["evaluate", "scenarios", "IN"], 100, yaml_waypoints),
    "scenario events": (["evaluate", "scenarios", "IN"], 60, yaml_events),
    "scenario aliases": (["evaluate", "scenarios", "IN"], 5, yaml_aliases),
    "accessory": (["accessory", "decode", "-", "<IN"], 200, accessory),
}
# What may be refused, and then takes no time: the refusal is what is counted.
REFUSED = {"scenario aliases", "one line", "nested", "notes", "skipped"}
ENDINGS = {"scenario": ".yaml", "npy": ".npy", "array": ".json", "pulse": ".json", "calibration": ".json", "truth": ".csv", "score": ".csv", "pose": ".csv", "trajectory": ".csv", "anchors": ".csv"}


class Case:
    def __init__(self, name, program, checker, folder):
        self.name, self.program, self.checker = name, program, checker
        self.folder = os.path.join(folder, name.replace(" ", "-"))
        os.makedirs(self.folder)

    def run(self):
        commands, parts, make = CASES[self.name]
        if isinstance(commands[0], str):
            commands = [commands]
        counts = [self.count(commands, n, make(n)) for n in (parts, 2 * parts, 4 * parts)]
        first, second = counts[1] - counts[0], counts[2] - counts[1]
        return counts, second / max(first, 1), second > LIMIT * max(first, 0) + NOISE

    def count(self, commands, n, content):
        base = os.path.join(self.folder, str(n))
        kind = self.name.split()[0]
        names = {"IN": base + ENDINGS.get(kind, ".in"), "OUT": base + "-out", "FEW": os.path.join(self.folder, "few.ndjson"),
                 "RANGES": os.path.join(self.folder, "ranges.csv")}
        with open(names["IN"], "wb") as file:
            file.write(content)
        with open(names["FEW"], "wb") as file:
            file.write(fitted(3))
        with open(names["RANGES"], "wb") as file:
            file.write(b"time_s,peer,distance_m\n0,0,1\n1,0,1\n2,0,1\n")
        for index, command in enumerate(commands):
            streams, arguments = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}, []
            for word in command:
                if word == "MANY":
                    for one in range(n):
                        arguments.append(f"{base}-{one}.ndjson")
                        with open(arguments[-1], "wb") as file:
                            file.write(capture(1))
                    continue
                path = re.sub("^([<>]|a=|)(IN|OUT|FEW|RANGES)", lambda found: found[1] + names[found[2]], word)
                if path[0] == "<":
                    streams["stdin"] = open(path[1:], "rb")
                elif path[0] == ">":
                    streams["stdout"] = open(path[1:], "wb")
                else:
                    arguments.append(path)
            counted = index == len(commands) - 1
            prefix = self.checker if counted else []
            run = subprocess.run(
                prefix + [self.program] + arguments, stderr=subprocess.PIPE, env=self.environment(counted), timeout=600, **streams)
            if run.returncode != 0 and not (counted and self.name in REFUSED and run.returncode == 1):
                sys.exit(f"cost: {self.name}, {n} parts: status {run.returncode}: uwb {' '.join(arguments)}\n"
                         + run.stderr.decode(errors="replace")[-2000:])
        return int(re.search(rb"Collected : (\d+)", run.stderr)[1])

    def environment(self, counted):
        environment = {"SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no", "HOME": self.folder}
        if counted:
            environment["LD_PRELOAD"] = os.environ["UWB_COST_PRELOAD"]
        return environment


def main():
    program, checker, names = sys.argv[1], sys.argv[2].split(), sys.argv[3:] or list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"cost: there is no case {unknown[0]!r}. There are: {', '.join(CASES)}")
    failed = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = [Case(name, program, checker, folder) for name in names]
        print(f"{'':20} {'parts':>8} {'instructions for n, 2n, 4n parts (millions)':>45} {'growth':>8}")
        for case, (counts, growth, is_faster) in zip(cases, pool.map(Case.run, cases)):
            millions = ", ".join(f"{count / 1e6:.1f}" for count in counts)
            failed += [case.name] * is_faster
            word = "  FASTER THAN THE INPUT" if is_faster else ""
            print(f"{case.name:20} {CASES[case.name][1]:8} {millions:>45} {growth:8.2f}{word}", flush=True)
    if failed:
        sys.exit(f"cost: instructions grow faster than the input (growth over {LIMIT}): {', '.join(failed)}")


if __name__ == "__main__":
    main()
