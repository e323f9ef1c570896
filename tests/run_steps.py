"""Runs make targets one after the other, counts the tests that each reports, and sums up in one last line."""
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
    """One target: prints its output as it comes and returns its counts. One that dies counts as at least one failure."""
    lines = []
    with subprocess.Popen([os.environ.get("MAKE", "make"), "--no-print-directory", step], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line)
    passed, failed = count("".join(lines))
    if process.returncode != 0 or passed + failed == 0:
        failed = max(failed, 1)
    return passed, failed


def main(steps):
    total = [0, 0]
    rows = []
    for step in steps:
        start = time.monotonic()
        passed, failed = run(step)
        rows.append(f"{step:<16} {passed:5d} passed {failed:4d} failed {time.monotonic() - start:7.1f} s")
        total = [total[0] + passed, total[1] + failed]
    print()
    print("\n".join(rows))
    print(f"{total[0]} passed, {total[1]} failed")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
