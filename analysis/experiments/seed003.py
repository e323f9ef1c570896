"""Seed 003: TCP over ATM-UBR, dynamic granularity control (DGC).

1000 cells are 53 Kbytes, and 44.69 Mbit/s of payload is what CBR of 100 Mbit/s leaves at MTU 9180.

Its Linux (2.4.0-test10) is simulated with FACK, which it has, and with Reno's recovery, which comes nearer to what it measured.
"""
from .judge import experiment
from .results import Sample

RENO, FACK = "Linux with Reno's recovery", "Linux with FACK"


def rows(results, metric, flow=None, **where):
    """Samples of the senders that a file lists in `zip`, in its order."""
    group = "" if flow is None else "flow/"
    where = where if flow is None else {**where, "flow": flow}
    parts = [results.select(f"{group}{metric}{part}", **where) for part in ("", "_sd", "_n")]
    return [Sample(float(mean), float(sd), int(n)) for mean, sd, n in zip(*parts)]


def ceiling(e, label, sample, mbit):
    e.mean(label, mbit * 1e6, sample, "Mbit/s", within=0.002, source="cells left, all payload used")


@experiment("3.1", "Throughput against buffer")
def throughput_buffer(e):
    with e.run() as r:
        for row, mtu, cells, mbit in ((2, 9180, 1344, 44.694), (3, 1500, 1408, 42.836), (4, 512, 1518, 40.286)):
            ceiling(e, f"goodput at MTU {mtu}, {cells} cells", rows(r, "goodput", atm_cells=cells)[row], mbit)
            drops = rows(r, "drops_queue", atm_cells=cells)[row].mean
            e.holds(f"losses at MTU {mtu}, {cells} cells", "none (the window fits)", f"{drops:g}", drops == 0)
        for cells, reno, fack in ((500, "shown", "shown"), (1000, "refuted", "refuted")):
            share = rows(r, "available_share", atm_cells=cells)
            e.below(f"Reno below 2 % of what is left, {cells} cells", share[0], [0.02], "less than 2 %", "%", reno)
            e.below(f"{RENO} below 20 %, {cells} cells", share[1], [0.2], "less than 20 %, 14 to 16 %", "%")
            e.below(f"{FACK} below 20 %, {cells} cells", share[2], [0.2], "less than 20 %, 14 to 16 %", "%", fack)
            e.above(f"{RENO} above Reno, {cells} cells", share[1], share[0], "Linux better", "%")
            e.above(f"{FACK}, MTU 1500 above 9180, {cells} cells", *(rows(r, "goodput", atm_cells=cells)[row] for row in (3, 2)),
                    "small MTU better under loss", "Mbit/s")


@experiment("3.2", "Throughput against CBR")
def throughput_cbr(e):
    with e.run() as r:
        for row, who in ((1, RENO), (2, FACK)):
            ceiling(e, f"goodput without CBR, {who}", rows(r, "goodput", atm_cbr=0)[row], 134.51)
        for cbr in (40, 100, 140):
            goodput = rows(r, "goodput", atm_cbr=cbr * 1e6)
            e.above(f"{RENO} above Reno, CBR {cbr}", goodput[1], goodput[0], "Linux better", "Mbit/s")


@experiment("3.3", "Linux, 10 s")
def linux_progress(e):
    with e.run() as r:
        goodput, timeouts, wait = (rows(r, metric) for metric in ("goodput", "timeouts", "rto_first_mean"))
        for row, who in ((0, RENO), (1, FACK)):
            e.mean(f"goodput, {who}", 7.06e6, goodput[row], "Mbit/s", expected="differs")
        idle = timeouts[0].mean * wait[0].mean / 10
        e.holds(f"time that timeouts take, {RENO}", "recovery and timeouts more than 50 %", f"{100 * idle:.0f} %", idle > 0.5)


def dgc_against(e, goodput, label, published, fack="shown"):
    e.above(f"DGC above {RENO}, {label}", goodput[0], goodput[1], published, "Mbit/s")
    e.above(f"DGC above {FACK}, {label}", goodput[0], goodput[2], published, "Mbit/s", fack)


@experiment("3.4", "DGC against buffer")
def dgc_buffer(e):
    with e.run() as r:
        for cells in (200, 500, 1000):
            goodput = rows(r, "goodput", atm_cells=cells)
            dgc_against(e, goodput, f"{cells} cells", "DGC near the line of what is left", "refuted" if cells == 1000 else "shown")
        ceiling(e, "DGC at 1000 cells and its MSS of 512", goodput[0], 40.058)


@experiment("3.5", "DGC against CBR")
def dgc_cbr(e):
    with e.run() as r:
        for cbr in (60, 100, 140):
            goodput, share = (rows(r, metric, atm_cbr=cbr * 1e6) for metric in ("goodput", "available_share"))
            dgc_against(e, goodput, f"CBR {cbr}", "DGC better", "refuted")
            e.above(f"DGC above 98 % of what MTU 9180 could have, CBR {cbr}", share[0], [0.98], "more than 98 %", "%", "refuted")
        timeouts = rows(r, "timeouts", atm_cbr=100e6)[0].mean
        e.holds("DGC's timeouts, CBR 100", "none", f"{timeouts:g}", timeouts == 0)


@experiment("3.6", "DGC and Linux, 10 s", quick=True)
def dgc_progress(e):
    with e.run() as r:
        goodput = rows(r, "goodput")
        e.mean("DGC's goodput", 41.71e6, goodput[0], "Mbit/s")
        e.mean(f"goodput, {RENO}", 7.06e6, goodput[1], "Mbit/s", expected="differs")
        e.mean(f"goodput, {FACK}", 7.06e6, goodput[2], "Mbit/s", expected="differs")
        dgc_against(e, goodput, "53 Kbytes", "41.71 against 7.06 Mbit/s", "refuted")


@experiment("3.7", "Two streams, no CBR and CBR 100", plot=["--x", "atm_cells", "--by", "algorithm,count,atm_cbr"])
def two_streams(e):
    with e.run() as r:
        for cbr, mbit in ((0, 134.51), (100, 44.694)):
            ceiling(e, f"two streams, CBR {cbr}, 2688 cells", rows(r, "goodput", atm_cbr=cbr * 1e6, count=2, atm_cells=2688)[0], mbit)
        pair = [rows(r, "goodput", atm_cbr=100e6, count=count, atm_cells=1000)[0] for count in (2, 1)]
        e.above(f"two streams above one, CBR 100, 1000 cells, {RENO}", *pair, "curves only", "Mbit/s")
        pair = [rows(r, "goodput", atm_cbr=0, count=count, atm_cells=1344)[0] for count in (1, 2)]
        e.above(f"one stream above two, no CBR, 1344 cells, {RENO}", *pair, "curves only", "Mbit/s")


@experiment("3.8", "Two Linux streams, CBR 100")
def two_linux(e):
    with e.run() as r:
        for row, who in ((0, RENO), (1, FACK)):
            ceiling(e, f"both together, 2688 cells, {who}", rows(r, "goodput", atm_cells=2688)[row], 44.694)
            e.below(f"both together at 1000 cells below 44.7 Mbit/s, {who}", rows(r, "goodput", atm_cells=1000)[row], [44.7e6],
                    "curves only", "Mbit/s")


@experiment("3.9", "DGC beside Linux, buffer")
def dgc_and_linux(e):
    with e.run("links.port.atm_cells=500,1000") as r:
        for cells in (500, 1000):
            def pair(metric, linux, cells=cells):
                return [r.sample(metric, flows_dgc_tcp_algorithm=name, flows_linux_tcp_algorithm=linux, atm_cells=cells)
                        for name in ("dgc", "sack")]
            e.above(f"Jain's index, {cells} cells: DGC and {RENO} above Linux (FACK) in its place", *pair("jain", "reno"),
                    "fairness thoroughly better", expected="refuted")
            e.above(f"both together, {cells} cells: DGC and {FACK} above two with FACK", *pair("goodput", "sack"), "curves only", "Mbit/s",
                    "shown" if cells == 500 else "alike", alike=0.05)


@experiment("3.10", "DGC beside Linux, CBR")
def dgc_and_linux_cbr(e):
    with e.run("links.port.atm_cbr=60 Mbit/s,100 Mbit/s,140 Mbit/s") as r:
        for cbr in (60, 100, 140):
            flows = [r.sample("goodput", name, algorithm="reno", atm_cbr=cbr * 1e6) for name in ("dgc", "linux")]
            e.above(f"DGC above {RENO} beside it, CBR {cbr}", *flows, "curves only", "Mbit/s")


@experiment("3.11", "Plain UBR, PPD, EPD (Romanow and Floyd 1995)")
def discard(e):
    with e.run("tcp.mss=472 B,9140 B", "links.port.atm_cells=256,1000,2000", replications=10) as r:
        def share(atm, mss, cells):
            return r.sample("available_share", atm=atm, mss=mss, atm_cells=cells)
        e.mean("plain UBR's share, MTU 9180, 256 cells", 0.34, share("plain", 9140, 256), "%", within=0.3)
        for mtu in (512, 9180):
            for better, worse in (("epd", "ppd"), ("ppd", "plain")):
                e.above(f"{better} above {worse}, MTU {mtu}, 2000 cells", share(better, mtu - 40, 2000), share(worse, mtu - 40, 2000),
                        "EPD above PPD above plain", "%")
        e.above("plain: MTU 512 above 9180, 1000 cells", share("plain", 472, 1000), share("plain", 9140, 1000),
                "larger packets, smaller throughput", "%")
        e.above("EPD above 90 %, MTU 9180, 1000 cells", share("epd", 9140, 1000), [0.9], "near packet TCP", "%")


@experiment("3.12", "Reno and the MTU", quick=True)
def reno_mtu(e):
    with e.run() as r:
        for cells, expected in ((4000, "shown"), (1000, "refuted")):
            goodput = [r.sample("goodput", mss=mss, atm_cells=cells) for mss in (9140, 1460, 472)]
            e.above(f"MTU 9180 above 1500, {cells} cells", goodput[0], goodput[1], "large MTU better", "Mbit/s", expected)
            e.above(f"MTU 1500 above 512, {cells} cells", goodput[1], goodput[2], "large MTU better", "Mbit/s", expected)


@experiment("3.13", "Throughput deadlock", quick=True)
def deadlock(e):
    with e.run("tcp.send_buffer=16 KiB,64 KiB", "tcp.mss=1460 B,9140 B") as r:
        def goodput(nagle, mss, kib):
            return r.sample("goodput", nagle=nagle, mss=mss, send_buffer=kib * 1024)
        stalled = goodput("true", 9140, 16)
        e.mean("MTU 9180, 16 KiB, Nagle", 8 * 9140 / 0.2, stalled, "Mbit/s", within=0.05, source="a segment each 200 ms")
        for label, other in (("64 KiB", ("true", 9140, 64)), ("without Nagle", ("false", 9140, 16)), ("MTU 1500", ("true", 1460, 16))):
            e.below(f"MTU 9180, 16 KiB, Nagle below the same: {label}", stalled, goodput(*other), "large MTU causes deadlock", "Mbit/s")


@experiment("3.14", "1 Gbit/s, N flows")
def gigabit(e):
    with e.run() as r:
        for count, cells in ((1, 23585), (4, 11792), (16, 5896), (64, 2948)):
            share = r.sample("available_share", count=count, atm_cells=cells)
            e.holds(f"share of the possible, {count} flows, {cells} cells", "nearly all (product / sqrt(n))", f"{100 * share.mean:.1f} %",
                    share.mean > 0.95)
        e.above("64 flows above one, 1474 cells", *(r.sample("available_share", count=count, atm_cells=1474) for count in (64, 1)),
                "curves only", "%")
