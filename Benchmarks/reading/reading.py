"""Times `uwb info` on a file of each text and binary format, and prints a Markdown table of bytes a second.

Run by scripts/reading. With --page it also writes what is short of its bar to Open-points.md. Each file is written from the format's own layout, with whole CIRs where it has CIRs. The readers run one after the
other, round after round; the fastest round of each counts, in processor time less that of a file a fortieth as long.
"""

import base64
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import result_pages

CORPORA = "Fuzz/Corpora"
ROUNDS = 5
# Least rate over the first format's of the same kind. It is not asked of what uwb itself wrote.
BAR = 0.5
OWN = {"csv"}
random.seed(1)


def seed(name):
    with open(f"{CORPORA}/{name}", "rb") as file:
        return file.read()


def noise(count, level=60):
    return [round(random.gauss(0, level)) for _ in range(count)]


def taps(count):
    return list(zip(noise(count), noise(count)))


def octets(values):
    return b"".join(struct.pack("<i", value)[:3] for value in values)


def decaranging(count):
    """The fuzzer's exchange with 1016 taps a frame."""
    lines = seed("decaranging/one").split(b"\r\n")
    body = []
    for line in lines:
        if line.startswith(b"Accum Len"):
            body.append(b"Accum Len 1016")
            body += [b"%d, %d" % tap for tap in taps(1016)]
        elif line not in (b"100, -126", b"-7, 5"):
            body.append(line)
    return b"\r\n".join(body) * count


def sigmf(count):
    """As lines: converted before it is timed."""
    cir = {"samples": "int16", "scale": 1, "tap_spacing_s": 1e-9, "real": [noise(1016)], "imag": [noise(1016)]}
    rows = [{"format": "uwb-capture", "version": 1, "profile": "dw1000"}]
    for index in range(count):
        rows.append({"exchange": index, "time_s": index * 0.1, "peer": "1", "local": "ff", "initiator": "peer",
                     "poll": {"received_ticks": index * 6_000_000_000 % 2**40, "first_path_taps": 19.5, "cir": cir}})
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def csv(count):
    """A poll with 1016 taps an exchange, in the columns that uwb convert writes."""
    columns = "exchange time_s peer initiator message transmitted_ticks received_ticks first_path_taps samples scale tap_count".split()
    columns += [f"{part}{index}" for index in range(1016) for part in ("re", "im")]
    values = ",".join(str(value) for tap in taps(1016) for value in tap)
    rows = [f"{index},{index * 0.1:.1f},1,peer,poll,,{index * 6_000_000_000 % 2**40},19.5,int16,1,1016,{values}" for index in range(count)]
    return ("\n".join([",".join(columns), *rows]) + "\n").encode()


def eth(count):
    frame = seed("eth-dual-antenna/two").splitlines(keepends=True)[:9]
    accumulator = base64.b64encode(b"\0" + octets(noise(4096, 60))[:12287])
    return (b"".join(frame) + b"0010.99002: BLOB / cir / v1 / 12288\nXXXX.XXXXX: Data: " + accumulator + b"\n") * count


def bregar(count):
    head, rest = seed("bregar/two").split(b'"cir": ', 1)
    first = head.rindex(b'{"tag_id"')
    record = head[first:] + b'"cir": ' + json.dumps([str(complex(*tap)) for tap in taps(1016)]).encode() + b"}"
    return head[:first] + b", ".join([record] * count) + b"]}}}}"


def ultrawidelock(count):
    head = b"[ALAB] t=1234567 ev=uwb.diag n=41 sp=1 len=20 ipfp=47168 ippk=1549800500 ipf1=9120 ipf2=11840 ipf3=10210 ipac=63 xtal=-12\n"
    rows = [b"[ALAB] t=1234567 ev=uwb.cir n=41 i=%d re=%d im=%d\n" % (705 + index, *tap) for index, tap in enumerate(taps(64))]
    return (head + b"".join(rows)) * count


def dw3000_hex(count):
    values = octets(value for tap in taps(100) for value in tap)
    return (" ".join(f"{value:02X}" for value in values) + "\n").encode() * count


def repeated(name, head_lines=0):
    lines = seed(name).splitlines(keepends=True)
    head, body = b"".join(lines[:head_lines]), b"".join(lines[head_lines:])
    return lambda count: head + body * count


def pcapng(count):
    """Interface and setup once, then the last quarter, a round's notification, again and again."""
    return seed("uci/session.pcapng") * count


# name: (kind, copies for some 60 MB of text, what makes them)
FORMATS = {
    "decaranging": ("text", 2600, decaranging),
    "eth-dual-antenna": ("text", 3500, eth),
    "bregar": ("text", 3500, bregar),
    "ultrawidelock": ("text", 17_000, ultrawidelock),
    "dw3000-hex": ("text", 33_000, dw3000_hex),
    "dwm3001-cli": ("text", 222_000, repeated("dwm3001-cli/1.1")),
    "uci-log": ("text", 22_000, repeated("uci-log/plain")),
    "twr-table": ("text", 224_000, repeated("twr-table/1", 1)),
    "range-table": ("text", 400_000, repeated("range-table/long", 1)),
    "csv": ("text", 2000, csv),
    "sigmf": ("binary", 8000, sigmf),
    "uci": ("binary", 60_000, pcapng),
    "uci, CIR windows": ("binary", 20_000, lambda count: seed("uci/diagnostics.pcapng") * count),
}


def processor_time(program, path):
    child = subprocess.Popen([program, "info", path], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"reading: uwb info {path}: status {status}")
    return usage.ru_utime + usage.ru_stime


def sizes(path):
    data = path.replace(".sigmf-meta", ".sigmf-data")
    return sum(os.path.getsize(one) for one in {path, data})


def write_open_points(rows):
    """The section of Open-points.md: (format, kind, rate, rate over the first's) of each format."""
    asked = [row for row in rows if row[0] not in OWN]
    short = [(name, kind, f"≥ {BAR}", f"{share:.2f}") for name, kind, _, share in asked if share < BAR]
    lines = ["## Reading", "", result_pages.made("scripts/reading --page"), "",
             f"{len(asked) - len(short)} of {len(asked)} formats hold their bar, of a rate over the first format's of the same kind. "
             "[All rates](Reading.md)." + (" These are short of it:" if short else "")]
    if short:
        lines += ["", *result_pages.table(["format", "kind", "asked", "measured"], short)]
    result_pages.write_section(Path("Documentation/results/Open-points.md"), "reading", lines, "What is short of its bar")


def main():
    program, names = sys.argv[1], sys.argv[2:]
    is_page = names[:1] == ["--page"]
    names = names[is_page:] or list(FORMATS)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        files = {}
        for name in dict.fromkeys(["decaranging", "sigmf", *names]):
            kind, copies, make = FORMATS[name]
            paths = []
            for size, count in (("long", copies), ("short", copies // 40)):
                path = f"{folder}/{name.replace(', ', '-').replace(' ', '-')}-{size}.in"
                with open(path, "wb") as file:
                    file.write(make(count))
                if name == "sigmf":
                    subprocess.run([program, "convert", path, path[:-2] + "sigmf-meta"], check=True, stdout=subprocess.DEVNULL)
                    os.remove(path)
                    path = path[:-2] + "sigmf-meta"
                paths.append(path)
            files[name] = paths
        times = {name: [9e9, 9e9] for name in files}
        for _ in range(ROUNDS):
            for name, paths in files.items():
                times[name] = [min(old, processor_time(program, path)) for old, path in zip(times[name], paths)]
        rates = {name: (sizes(long) - sizes(short)) / (times[name][0] - times[name][1]) / 1e6
                 for name, (long, short) in files.items()}
    first, rows = {}, []
    for name, rate in rates.items():
        kind = FORMATS[name][0]
        rows.append((name, kind, rate, rate / first.setdefault(kind, rate)))
    cells = [(name, kind, f"{rate:.0f}", f"{share:.2f}") for name, kind, rate, share in rows]
    print("\n".join(result_pages.table(["format", "kind", "MB/s", "over the first of its kind"], cells)))
    if is_page:
        write_open_points(rows)


main()
