"""Runs make targets, some at a time: run_steps.py JOBS TARGET...

Prints each one's output when it is done, counts the tests that it reports, and sums up in one last line.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import time

CMOCKA = re.compile(r"^\[  (PASSED|FAILED)  \] (\d+) test\(s\)", re.M)
PLAIN = re.compile(r"(?:^|[ =])(\d+) (passed|failed|error|errors|skipped)\b")


def count(text):
    """Tests passed and failed according to cmocka's and pytest's summary lines."""
    passed = failed = 0
    for word, number in CMOCKA.findall(text):
        if word == "PASSED":
            passed += int(number)
        else:
            failed += int(number)
    for line in text.splitlines():
        if re.search(r"\d+ (passed|failed|error)", line) and not CMOCKA.match(line):
            for number, word in PLAIN.findall(line):
                passed += int(number) if word == "passed" else 0
                failed += int(number) if word in ("failed", "error", "errors") else 0
    return passed, failed


def run(step):
    """One target: its counts, time and output. One that dies counts as at least one failure."""
    began = time.monotonic()
    done = subprocess.run([os.environ.get("MAKE", "make"), "--no-print-directory", step], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    passed, failed = count(done.stdout)
    if done.returncode != 0 or passed + failed == 0:
        failed = max(failed, 1)
    return step, passed, failed, time.monotonic() - began, done.stdout


def main(jobs, steps):
    total = [0, 0]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run, step) for step in steps]):
            step, passed, failed, seconds, output = future.result()
            print(f"--- {step}\n{output}", flush=True)
            rows.append(f"{step:<16} {passed:5d} passed {failed:4d} failed {seconds:7.1f} s")
            total = [total[0] + passed, total[1] + failed]
    print("\n".join(rows))
    print(f"{total[0]} passed, {total[1]} failed")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main(min(2, int(sys.argv[1])), sys.argv[2:]))
