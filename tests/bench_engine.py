#!/usr/bin/python3
"""What the engine costs beside the kernel, on a sweep of 20 s instances: CPU shares, and speed-up on two threads or ranks.

TCPSWEEP names the program (default ./tcpsweep). The speed-up is the best of five, since machines are shared.
"""
import os
import re
import resource
import subprocess
import tempfile
import time

SWEEP = """
duration: 20 s
replications: 6000
path:
  - {name: in, rate: 10 Mbit/s, delay: 100 us}
  - {name: backbone, rate: 10 Mbit/s, delay: 50 ms, errors: both}
  - {name: out, rate: 10 Mbit/s, delay: 100 us}
tcp: {receive_window: 65535 B, delayed_ack: false}
app: {kind: bulk}
axes:
  tcp.algorithm: [tahoe, newreno, sack]
  path.backbone.ber: [1e-7, 2e-7, 5e-7, 1e-6]
"""
MPI_ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMPI_MCA_hwloc_base_binding_policy": "none"}
CASES = {"1 thread": ([], 1), "2 threads": ([], 2), "2 ranks": (["mpirun", "-n", "2"], 1)}
REPEATS = 5


def children_cpu_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(launcher, threads, folder):
    """Seconds of work, share of the kernel in the CPU of the work, and in that of all processes with start and output."""
    output = os.path.join(folder, "out.h5")
    command = [*launcher, os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep")), "run",
               os.path.join(folder, "sweep.yaml"), "-o", output, "--force", "--threads", str(threads)]
    cpu_s, began = children_cpu_s(), time.monotonic()
    done = subprocess.run(command, env=os.environ | MPI_ENV, capture_output=True, text=True, check=True)
    wall_s, cpu_s = time.monotonic() - began, children_cpu_s() - cpu_s
    work_cpu_s, share = re.search(r", ([\d.]+) s of CPU, ([\d.]+) % of it in the kernel", done.stderr).groups()
    return wall_s, float(share) / 100, float(share) / 100 * float(work_cpu_s) / cpu_s


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "sweep.yaml"), "w", encoding="utf-8") as file:
            file.write(SWEEP)
        best = {}
        print(f"{'case':10} {'kernel / CPU of the work':>25} {'kernel / CPU of everything':>27} {'best speed-up':>14}")
        for case, (launcher, threads) in CASES.items():
            runs = [measure(launcher, threads, folder) for _ in range(REPEATS)]
            best[case] = min(wall_s for wall_s, _, _ in runs)
            print(f"{case:10} {sorted(share for _, share, _ in runs)[REPEATS // 2]:25.3f} "
                  f"{sorted(share for _, _, share in runs)[REPEATS // 2]:27.3f} {best['1 thread'] / best[case]:14.2f}")


if __name__ == "__main__":
    main()
