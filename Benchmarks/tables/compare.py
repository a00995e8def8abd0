"""Runs two builds of `measure` in turn over the same workloads and prints the second's time over the first's."""
import argparse
import json
import statistics
import subprocess


def names(program):
    return subprocess.run([program, "list"], check=True, capture_output=True, text=True).stdout.split()


def times(program, group, seconds):
    """ns an item of each workload whose name begins with `group`."""
    command = [program, "time", "--seconds", str(seconds), group]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {row["name"]: row["ns"] for row in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("wanted", nargs="*")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.1)
    options = parser.parse_args()

    other = set(names(options.second))
    common = [name for name in names(options.first) if name in other]
    common = [name for name in common if not options.wanted or name.startswith(tuple(options.wanted))]
    # Kind and method together: short enough that drift meets both builds alike.
    groups = list(dict.fromkeys("/".join(name.split("/")[:2]) + "/" * (name.count("/") > 1) for name in common))
    results = {name: ([], []) for name in common}
    for turn in range(options.rounds):
        for group in groups:
            sides = [(0, options.first), (1, options.second)]
            for side, program in sides if turn % 2 == 0 else sides[::-1]:
                for name, time in times(program, group, options.seconds).items():
                    if name in results:
                        results[name][side].append(time)
    width = max(map(len, common), default=4)
    print("part".ljust(width), " first    second   second/first  (lowest … highest round)", sep="")
    for name, (first, second) in results.items():
        ratios = [b / a for a, b in zip(first, second)]
        print(
            f"{name.ljust(width)} {statistics.median(first) / 1e3:7.3f}  {statistics.median(second) / 1e3:7.3f} µs"
            f"  {statistics.median(ratios):6.3f}      ({min(ratios):.3f} … {max(ratios):.3f})"
        )


if __name__ == "__main__":
    main()
