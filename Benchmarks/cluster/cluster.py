"""Times replays on Dask clusters of one and two workers beside one process, and kills workers. Run by scripts/cluster-scale."""

import os
import pathlib
import signal
import sys
import threading
import time

import dask.distributed
import uwbdsp
import uwbdsp.distributed

TASKS = 500


def killing(client, count):
    """Kills so many workers, each while it works."""
    killed = []

    def kill():
        while len(killed) < count:
            time.sleep(0.5)
            busy = [address for address, tasks in client.processing().items() if tasks]
            for process in client.run(os.getpid, workers=busy[:1]).values() if busy else ():
                if process not in killed:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return killed


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.sigmf-meta"))
    size = sum(path.stat().st_size for path in files[0].parent.iterdir())
    begin = time.perf_counter()
    whole = uwbdsp.replay(files, threads=1)
    times, same = {"one process": time.perf_counter() - begin}, {"one process": True}
    for workers, kills in ((1, 0), (2, 0), (2, 2)):
        cluster = dask.distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")
        with cluster, dask.distributed.Client(cluster) as client:
            # Workers have loaded what they need.
            uwbdsp.distributed.replay(files[:1] * 2 * workers, client=client)
            if workers == 1:
                begin = time.perf_counter()
                client.gather(client.map(int, range(TASKS), pure=False))
                overhead = (time.perf_counter() - begin) / TASKS
            killed = killing(client, kills)
            begin = time.perf_counter()
            updates = uwbdsp.distributed.replay(files, client=client)
            name = f"{workers} worker{'s' * (workers > 1)}" + (f", {kills} of them killed" if kills else "")
            times[name] = time.perf_counter() - begin
            same[name] = updates.tobytes() == whole.tobytes() and updates.summary == whole.summary and len(killed) == kills
    print(f"| {len(files)} captures, {size / 1e9:.2f} GB, {len(whole):,} updates | s | times one worker | the same bytes |\n|---|---|---|---|")
    for name, seconds in times.items():
        print(f"| {name} | {seconds:.1f} | {times['1 worker'] / seconds:.2f} | {'yes' if same[name] else 'no'} |")
    print(f"\nA task that does nothing takes {1000 * overhead:.1f} ms.")
    sys.exit(not all(same.values()))


if __name__ == "__main__":
    main()
