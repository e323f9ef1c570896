#!/usr/bin/python3
"""Instructions per data packet of each benchmark case, counted by callgrind around one replication.

TCPSWEEP names the program (default ./tcpsweep). Exit 1 if a case is above its limit or valgrind is missing.
"""
import os
import re
import shutil
import subprocess
import sys

LIMITS = {"newreno-1": 330, "sack-1": 450, "newreno-10": 800}


def count(program, case):
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null",
               program, "bench", "--callgrind", case]
    run = subprocess.run(command, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not collected:
        sys.exit(f"{case}: {run.stderr.strip()}")
    return int(collected.group(1)), int(run.stdout)


def main():
    program = os.path.abspath(os.environ.get("TCPSWEEP", "./tcpsweep"))
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing: apt-get install valgrind")
    failed = 0
    print(f"{'case':12} {'instructions/packet':>20} {'limit':>6} {'packets':>10}")
    for case, limit in LIMITS.items():
        instructions, packets = count(program, case)
        failed += instructions > limit * packets
        print(f"{case:12} {instructions / packets:20.1f} {limit:6} {packets:10}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
