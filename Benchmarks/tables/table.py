"""Turns what the benchmark library exports (JMH's JSON, among other words) into one table."""
import json
import re
import sys


def number(value):
    """Three figures with a unit prefix."""
    for limit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g} {name}"
    return f"{value:.3g} "


def duration(microseconds):
    if microseconds < 1:
        return f"{1e3 * microseconds:.0f} ns"
    return f"{microseconds:.3g} µs" if microseconds < 1e4 else f"{microseconds / 1e3:.3g} ms"


def main():
    text = sys.stdin.read()
    rows = []
    for part in re.findall(r"^\[\n.*?^\]", text, re.S | re.M) or [text[text.index("[") :]]:
        rows += json.loads(part)
    if not rows:
        sys.exit("benchmark: no part has such a name")
    table = [("part", "items a second", "median", "99 %")]
    for row in rows:
        # "package.benchmark.EngineBenchmarks.<name>_(<items>_<unit>)"
        name, items, unit = re.fullmatch(r".*?EngineBenchmarks\.(.*)_\((\d+)_(\w+)\)", row["benchmark"]).groups()
        time = next(value for key, value in row["secondaryMetrics"].items() if "wall" in key.lower())
        percentiles = {key: value / int(items) for key, value in time["scorePercentiles"].items()}
        median = percentiles["50.0"]
        table.append(
            (name, f"{number(1e6 / median)}{unit}s/s", duration(median), duration(percentiles["99.0"]))
        )
    widths = [max(len(line[column]) for line in table) for column in range(4)]
    for line in [table[0]] + sorted(table[1:]):
        print(line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:])), sep="  ")


if __name__ == "__main__":
    main()
