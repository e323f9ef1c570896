#!/usr/bin/python3
"""Instructions per data packet of each benchmark case, counted by callgrind around one replication.

bench_instructions.py [--algorithms]: with the option the cases of the algorithms instead, each against its limit relative
to sack. TCPSWEEP names the program (default ./tcpsweep). Exit 1 if a case is above its limit or valgrind is missing.
"""
import os
import re
import shutil
import subprocess
import sys

LIMITS = {"newreno-1": 330, "sack-1": 450, "newreno-10": 800}
BASELINE = "sack"
RELATIVE_LIMIT, PACED_LIMIT = 2, 3
PACED = {"bbr", "bbr3"}  # each of their packets has a timer of its own
# Above those limits, and not to get worse: they keep a record of each segment and set the timer of a probe at each send
# (rack_tlp), and with that compute a window and a rate at each ACK. In time, which is not the same (tcpsweep bench):
# rack_tlp 1.5 to 1.8, bbr and bbr3 2.9 to 3.2 times sack.
ABOVE = {"rack_tlp": 2.25, "bbr": 3.4, "bbr3": 3.4}


def count(program, case):
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null",
               program, "bench", "--callgrind", case]
    run = subprocess.run(command, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not collected:
        sys.exit(f"{case}: {run.stderr.strip()}")
    return int(collected.group(1)), int(run.stdout)


def algorithms(program):
    lines = subprocess.run([program, "list", "algorithms"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\w+)", lines, re.M)


def algorithm_limits(program):
    """Case -> instructions per packet that it may cost."""
    instructions, packets = count(program, BASELINE)
    usual = {name: PACED_LIMIT if name in PACED else RELATIVE_LIMIT for name in algorithms(program)}
    return {name: limit * instructions / packets for name, limit in (usual | ABOVE).items()}


def main():
    program = os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep"))
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing: apt-get install valgrind")
    limits = algorithm_limits(program) if "--algorithms" in sys.argv[1:] else LIMITS
    failed = 0
    print(f"{'case':16} {'instructions/packet':>20} {'limit':>8} {'packets':>10}")
    for case, limit in limits.items():
        instructions, packets = count(program, case)
        failed += instructions > limit * packets
        print(f"{case:16} {instructions / packets:20.1f} {limit:8.1f} {packets:10}", flush=True)
    print(f"{len(limits) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
