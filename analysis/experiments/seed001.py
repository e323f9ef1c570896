"""Seed 001: Vegas-A, and SACK over satellites."""
from .judge import experiment

VEGAS = "tcp.algorithm=vegas,vegas_a"


def both(results, metric, flow=None, **where):
    """Samples of Vegas-A and of Vegas."""
    return [results.sample(metric, flow, algorithm=name, **where) for name in ("vegas_a", "vegas")]


# --- SACK over satellites: goodput of a transfer is size / completion_time ---------------------------------------------

def by_window(e, results, per, sizes, falls, sack, alike=0.02):
    """Whether goodput rises with the window up to 512 KiB, falls at 1024 KiB, and SACK is faster."""
    def time(algorithm, window, **where):
        return results.sample("completion_time", algorithm=algorithm, receive_window=window * 1024.0, **where)
    for where, text in sizes:
        e.below(f"time of {text}{per}, window 64 KiB below 32 KiB", time("sack", 64, **where), time("sack", 32, **where),
                "goodput grows with the window", "s")
        e.above(f"time of {text}{per}, window 1024 KiB above 512 KiB", time("sack", 1024, **where), time("sack", 512, **where),
                "goodput falls beyond the bandwidth-delay product", "s", falls[text], alike)
        e.below(f"time of {text}{per}, window 1024 KiB, SACK below New Reno", time("sack", 1024, **where),
                time("newreno", 1024, **where), "SACK better", "s", sack[text], alike)


SLOW_START = {"1 MB": "alike", "10 MB": "shown"}  # 1 MB is sent before the window matters
SIZES = [({"size": 1e6}, "1 MB"), ({"size": 1e7}, "10 MB")]


@experiment("1.1", "SACK emulator, no corruption", plot=["--y", "completion_time", "--x", "receive_window", "--by", "algorithm", "--select", "size=10000000"])
def sack_window(e):
    with e.run() as r:
        by_window(e, r, "", SIZES, SLOW_START, SLOW_START)
        for window in (32, 64, 128):
            time = r.sample("completion_time", algorithm="sack", size=1e7, receive_window=window * 1024.0)
            # 8 %: slow start and the handshake, which W/RTT does not know
            e.mean(f"goodput of 10 MB, window {window} KiB, kB/s", window * 1024 / 0.51, [1e7 / time.mean], "kB/s", within=0.08,
                   source="W/RTT")


@experiment("1.2", "SACK emulator, corruption 1 %")
def sack_corruption(e):
    """Random losses keep the window near 13 segments, so that it never gets to the bandwidth-delay product."""
    alike = {"1 MB": "alike", "10 MB": "alike"}
    with e.run("tcp.receive_window=32 KiB,64 KiB,512 KiB,1024 KiB", replications=1000) as r:
        by_window(e, r, " at 1 %", SIZES, alike, alike, alike=0.08)


@experiment("1.3", "Corruption levels")
def corruption_levels(e):
    with e.run("tcp.receive_window=512 KiB", replications=1000) as r:
        for per in (0.005, 0.01, 0.02):
            where = {"per": per}
            e.below(f"time of 10 MB at {100 * per:g} %, SACK below New Reno", r.sample("completion_time", algorithm="sack", **where),
                    r.sample("completion_time", algorithm="newreno", **where), "SACK better unless corruption very high", "s",
                    "refuted" if per < 0.02 else "alike")


@experiment("1.4", "Real satellite link")
def satellite(e):
    with e.run("tcp.receive_window=32 KiB,64 KiB,512 KiB,1024 KiB", replications=400) as r:
        by_window(e, r, "", SIZES, SLOW_START, SLOW_START, alike=0.05)


# --- Vegas-A ----------------------------------------------------------------------------------------------------------

@experiment("1.6", "Rerouting", quick=True)
def rerouting(e):
    with e.run(VEGAS, replications=10) as r:
        for start in (20, 100):
            e.above(f"goodput after the change, {start}-200 s: Vegas-A above Vegas", *both(r, "goodput", **{"from": start}),
                    "Vegas-A adapts, Vegas does not", "kbit/s")


def sharing(number, title, flows, replications):
    @experiment(number, title)
    def judge(e):
        for queue, runs in replications.items():
            with e.run(f"flows.v.{VEGAS}", f"links.mid.queue={queue - 1} packets", replications=runs) as r:
                e.above(f"Jain's index, buffer {queue}: Vegas-A above Vegas", *both(r, "jain"), f"{flows} against New Reno: fairer",
                        expected="refuted" if queue == 10 else "shown")
    return judge


sharing("1.7", "Sharing with New Reno 1+1", "one", {10: 30, 50: 30})
sharing("1.8", "Sharing with New Reno 3+1", "three", {10: 100, 20: 100, 30: 100, 50: 60})


@experiment("1.9", "Old versus new")
def old_and_new(e):
    with e.run(VEGAS, replications=30) as r:
        e.above("Jain's index: Vegas-A above Vegas", *both(r, "jain"), "Vegas-A fairer", expected="refuted")
        e.above("goodput of the oldest flow: Vegas-A above Vegas", *both(r, "goodput", 0), "Vegas-A fairer", "kbit/s",
                expected="refuted")


@experiment("1.10", "Bias against high bandwidth", quick=True)
def fast_access(e):
    with e.run(VEGAS, replications=100) as r:
        e.above("goodput of the fastest source, buffer 50: Vegas-A above Vegas", *both(r, "goodput", 2, queue=49.0),
                "Vegas-A better", "kbit/s")
        for queue in (10, 50):
            e.above(f"Jain's index, buffer {queue}: Vegas-A above Vegas", *both(r, "jain", queue=queue - 1.0), "Vegas-A better",
                    expected="refuted")


def kept(number, title, queues):
    """What Vegas-A keeps of Vegas. With one or two places in the buffer it loses more, as Vegas does."""
    @experiment(number, title, quick=number == "1.11")
    def judge(e):
        limits = ",".join(f"{queue - 1} packets" for queue in queues)
        with e.run(f"path.mid.queue={limits}", "tcp.algorithm=vegas_a,newreno", replications=5) as r:
            for queue in queues:
                def pair(metric, queue=queue):
                    return [r.sample(metric, algorithm=name, queue=queue - 1.0) for name in ("vegas_a", "newreno")]
                e.above(f"goodput, buffer {queue}: Vegas-A above New Reno", *pair("goodput"), "properties kept", "kbit/s")
                e.below(f"retransmissions, buffer {queue}: Vegas-A below New Reno", *pair("retransmitted"), "properties kept",
                        expected="refuted" if queue < 4 else "shown")
    return judge


kept("1.11", "Properties kept, RTT 100 ms", (10, 50))
kept("1.12", "Buffer size", (2, 3, 4, 5, 8, 20, 50))


@experiment("1.13", "GEO, packet loss")
def geo(e):
    cases = {"1e-4": (200, "refuted"), "3e-4": (200, "refuted"), "1e-3": (500, "alike"), "3e-3": (500, "alike"),
             "1 %": (1000, "alike"), "2 %": (1500, "alike"), "3 %": (1500, "alike"), "5 %": (2000, "shown")}
    for rate, (replications, expected) in cases.items():
        with e.run(f"path.satellite.per={rate}", VEGAS, replications=replications) as r:
            e.above(f"goodput, loss {rate}: Vegas-A above Vegas", *both(r, "goodput"), "Vegas-A better", "kbit/s", expected)


# --- compact SACK -----------------------------------------------------------------------------------------------------

def blocks(number, title):
    @experiment(number, title, quick=True)
    def judge(e):
        with e.run() as r:
            spurious = r.select("spurious_retransmits")
            for count in (3, 4):
                e.below(f"needless retransmissions: compact below {count} blocks", [spurious[4]], [spurious[count - 1]], "better")
            if number == "1.17":
                times = r.select("completion_time")
                e.below("completion time: compact below 4 blocks", [times[4]], [times[3]], "better", "s")
    return judge


blocks("1.16", "SACK worst case, example")
blocks("1.17", "SACK simulation 1: list of losses")


@experiment("1.18", "SACK simulation 2: two-state Markov losses")
def markov(e):
    rates = ["path.mid.gilbert.p=0.001", "path.mid.reverse.gilbert.p=0.2"]
    with e.run(*rates, replications=30) as r:
        algorithm = next(iter(r.axes))
        few, compact = (r.values("spurious_retransmits", **{algorithm: value}) for value in r.axes[algorithm])
        e.paired_above("needless retransmissions: 3 blocks above compact", few, compact, "better")
    rates[0] = "path.mid.gilbert.p=0.0003"
    with e.run(*rates, replications=400) as r:
        few, compact = (r.values("goodput", **{algorithm: value}) for value in r.axes[algorithm])
        e.paired_above("goodput: compact above 3 blocks", compact, few, "better", "kbit/s", expected="alike")


# --- a constellation in low orbit -------------------------------------------------------------------------------------

@experiment("1.14", "LEO: Vegas-A, Vegas and New Reno over a constellation")
def leo(e):
    with e.run() as r:
        e.above("goodput: Vegas-A above Vegas", *both(r, "goodput"), "Vegas-A better", "kbit/s")
        e.above("goodput: New Reno above Vegas-A", r.sample("goodput", algorithm="newreno"), r.sample("goodput", algorithm="vegas_a"),
                "", "kbit/s")


@experiment("1.15", "LEO: round-trip time over a day")
def leo_rtt(e):
    with e.run() as r:
        e.mean("mean round-trip time", 2 * 53.9e-3 + 4 * 210 * 8 / 1.5e6 + 2 * 210 * 8 / 25e6, [float(r.select("rtt_mean"))], "ms", within=0.01,
               source="ns-2, with the time on the links")
