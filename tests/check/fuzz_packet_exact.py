#!/usr/bin/python3
"""fuzz_packet_exact.py - kernel against model (ns2_model.py) on random cases, packet by packet.

  fuzz_packet_exact.py [N] [SEED]        N random cases (200), environment PACKET_EXACT: the program that compares

Drop lists of data and ACKs, windows, initial windows, limited transmit, delayed ACK, SACK blocks, timestamps, files and
full queues are drawn at random. The model plays ns-2: its rows become a folder of vectors for packet_exact. Such a
folder is kept if something differs, and named.
"""
import csv
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ns2_model  # noqa: E402

COLUMNS = ("case agent profile iw limited_transmit window ssthresh0 sink stop_s maxpkts minrto_s ts maxsack queue "
           "access_bps bugfix drops data_drop_ordinals ack_drop_ordinals").split()


def drop_list(rng, arrivals):
    """Ordinals of lost packets: none, independent, one run, every second, or a retransmission some time later."""
    kind = rng.choice(["none", "independent", "few", "run", "alternate", "again"])
    first = rng.randrange(arrivals)
    if kind == "none":
        return []
    if kind == "independent":
        rate = rng.choice([0.01, 0.03, 0.1])
        return [number for number in range(2500) if rng.random() < rate]
    if kind == "few":
        return sorted(rng.sample(range(arrivals), rng.randint(1, 6)))
    if kind == "run":
        return list(range(first, first + rng.randint(1, 12)))
    if kind == "alternate":
        return list(range(first, first + 2 * rng.randint(1, 10), 2))
    return sorted({first} | {first + rng.randint(1, 60) for _ in range(rng.randint(1, 4))})


def random_row(rng, number):
    """One line of index.csv."""
    agent = rng.choice(ns2_model.AGENTS)
    timestamps = rng.random() < 0.3
    # Without timestamps the RTO must stay at its minimum of 1 s (ns-2's tick has a random phase): RTT well below 1 s.
    window = rng.choice([1, 2, 3, 4, 6, 10, 16, 24, 40, 64])
    overflow = rng.random() < 0.15
    delayed = rng.random() < 0.25
    base = "sack" if agent == "Sack1" else "plain"
    return {
        "case": f"fuzz{number}-{agent.lower()}", "agent": agent, "profile": "random",
        "iw": rng.choice([1, 2, 3, 4, 10]), "limited_transmit": rng.randint(0, 1), "window": window,
        "ssthresh0": rng.choice([2, 4, 8, 16, 32, 64]),
        "sink": {True: {"sack": "sack-delack", "plain": "delack"}[base], False: base}[delayed],
        "stop_s": rng.choice([4, 6, 12]), "maxpkts": rng.choice(["", "", "", 1, 2, rng.randint(3, 300)]),
        "minrto_s": rng.choice([0.2, 0.5, 1.0]) if timestamps else 1.0, "ts": int(timestamps),
        "maxsack": rng.randint(1, 3), "queue": rng.randint(2, 16) if overflow else 100,
        "access_bps": 12500000 if overflow else 8000000, "bugfix": int(rng.random() < 0.85), "drops": "",
        "data_drop_ordinals": " ".join(map(str, drop_list(rng, 150))),
        "ack_drop_ordinals": " ".join(map(str, drop_list(rng, 150) if rng.random() < 0.4 else [])),
    }


def write_cases(directory, rows):
    with open(os.path.join(directory, "index.csv"), "w", newline="") as file:
        index = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        index.writeheader()
        index.writerows(rows)
    for row in rows:
        case = ns2_model.case_from_row({key: str(value) for key, value in row.items()})
        with open(os.path.join(directory, row["case"] + ".csv"), "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["t_us", "ev", "a", "b"])
            for t_us, event, a, b in ns2_model.run(case):
                table.writerow([t_us, event, f"{a:.15g}" if isinstance(a, float) else a, b])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    program = os.environ.get("PACKET_EXACT", "build/tests/check/packet_exact")
    rng = random.Random(seed)
    directory = tempfile.mkdtemp(prefix="packet_fuzz_")
    write_cases(directory, [random_row(rng, number) for number in range(count)])
    status = subprocess.run([program, directory], check=False).returncode
    if status:
        print(f"the cases are kept in {directory}", file=sys.stderr)
    else:
        shutil.rmtree(directory)
    return status


if __name__ == "__main__":
    sys.exit(main())
