"""Seed 000: NetSim experiments with one TCP connection over three links."""
import numpy

from .judge import experiment

SQUARE_ROOT = 1.224744871391589  # sqrt(3/2)
RTT_S = 0.1


def square_root_bps(mss_bytes, ber, header_bytes=40):
    """Kurose and Ross: sqrt(3/(2p)) MSS/RTT, p the packet error rate at the seed's round-trip time of 100 ms."""
    loss = -numpy.expm1(8 * (mss_bytes + header_bytes) * numpy.log1p(-ber))
    return SQUARE_ROOT / numpy.sqrt(loss) * 8 * mss_bytes / RTT_S


def data(rows, event):
    """Rows about the ten segments of the file (the eleventh is the FIN), originals only."""
    rows = rows[(rows.event == event) & (rows.b != "1")]
    return rows[rows.a.astype(int) < 10]


def states(rows, column):
    return [state for state in rows[rows.event == "state"][column] if state]


@experiment("0.1", "Connection management", quick=True)
def connection(e):
    rows = e.trace()
    sent, fins = data(rows, "send"), states(rows, "a")
    e.holds("three-way handshake before data, FIN exchange after it", "SYN, SYN-ACK, ACK; FIN, FIN-ACK, ACK",
            " ".join(fins), fins[:2] == ["syn_sent", "established"] and "fin_wait_1" in fins)
    e.holds("segments of 1460 B in 14600 B", "10", str(len(sent)), len(sent) == 10)


@experiment("0.2", "Link failure", quick=True)
def failure(e):
    rows = e.trace("app.kind=bulk")
    after = rows[(rows.event == "deliver") & (rows.t_s > 5.2)].t_s.min()
    again = (rows.event == "state") & (rows.a == "syn_sent") & (rows.t_s > 1)
    e.holds("the connection goes on without a new handshake", "question of an exercise", f"{again.sum()} new SYNs", not again.any())
    e.mean("data again, s", 12, [after], within=0.1, source="backoff from 1 s: retries at about 6, 8, 12 s")


@experiment("0.3", "Link failure, variations")
def failure_variations(e):
    with e.run() as r:
        done = numpy.ravel(r.select("goodput"))
        e.holds("every variation of routers, rates and failure times recovers: half of the goodput of 0.5 or more", "exercise",
                f"least goodput {done.min() / 1e6:.3g} Mbit/s of {len(done)} cases", bool((done > 0.5 * 4.936e6).all()))


@experiment("0.4", "Reliable data transfer", quick=True)
def reliable(e):
    rows = e.trace("tcp.initial_window=10 segments")
    drops, delivered = rows[rows.event == "drop"], data(rows, "deliver")
    e.holds("packets 1461 and 5841 in error, the whole file delivered", "segments 1 and 4 of 10",
            f"segments {', '.join(drops.a)} lost, {len(delivered)} of 10 delivered",
            list(drops.a) == ["1", "4"] and len(delivered) == 10)
    fast = rows[rows.event == "fast_retransmit"]
    sacked = rows[(rows.event == "ack") & (rows.t_s <= fast.t_s.min())]
    repeated = int((sacked.a == sacked.a.iloc[-1]).sum()) - 1
    e.holds("retransmission at the third duplicate ACK", "3", str(repeated), repeated == 3)
    fin = rows[(rows.event == "state") & (rows.a == "fin_wait_1")].t_s.min()
    last = delivered.t_s.max()
    e.holds("FIN only after the whole file has arrived", "lines 25, 26 of the capture",
            f"FIN sent at {fin:.3f} s, last data delivered at {last:.3f} s", fin >= last)


@experiment("0.5", "Mathematical model, loss-less", quick=True)
def lossless(e):
    with e.run() as r:
        goodput = r.sample("goodput")
    e.mean("throughput, said to be about that of a window of bytes and an RTT of 100 ms (whole segments and store and forward "
           "cost 6 %)", 65535 * 8 / RTT_S, goodput, "Mbit/s", within=0.1)
    e.mean("44 segments a round trip of 104.1 ms", 44 * 1460 * 8 / 0.1041, goodput, "Mbit/s", within=1e-3,
           source="store and forward")


@experiment("0.6", "Mathematical model, lossy")
def lossy(e):
    with e.run() as r:
        e.mean("throughput, said to be near the square root (it knows neither the window of 44 segments, which cuts the "
               "sawtooth, nor timeouts)", 4.12e6, r.sample("goodput"), "Mbit/s", within=0.1, expected="differs")


def table_2(number, algorithm, title, published):
    @experiment(number, title, plot=["--kind", "cdf"], quick=True)
    def judge(e):
        with e.run() as r:
            e.single(f"throughput of {algorithm}, one run of 20 s", published, r.values("goodput"), "Mbit/s")
            if algorithm != "New Reno":
                return
            mine = r.sample("goodput")
        for other, name in (("0.7", "Old Tahoe"), ("0.8", "Tahoe")):
            with e.run(of=other) as r:
                e.above(f"New Reno above {name}", mine, r.sample("goodput"), "4.12 against 2.98 and 2.62", "Mbit/s")
    return judge


table_2("0.7", "Old Tahoe", "Old Tahoe at BER 1e-7", 2.98e6)
table_2("0.8", "Tahoe", "Tahoe at BER 1e-7", 2.62e6)
table_2("0.9", "New Reno", "New Reno at BER 1e-7", 4.12e6)


@experiment("0.10", "Impact of the bit error rate", plot=["--x", "ber", "--by", "algorithm", "--models", "square_root"])
def ber_impact(e):
    """15 %: timeouts, which the square root does not know, and its RTT of 100 instead of 104 ms."""
    with e.run() as r:
        for ber in r.axes["ber"]:
            e.mean(f"New Reno at BER {ber:g}", square_root_bps(1460, ber), r.sample("goodput", algorithm="newreno", ber=ber),
                   "Mbit/s", within=0.15, source="square root", expected="agrees" if ber > 1e-7 else "differs")
            for other in ("old_tahoe", "tahoe"):
                e.above(f"New Reno above {other} at BER {ber:g}", r.sample("goodput", algorithm="newreno", ber=ber),
                        r.sample("goodput", algorithm=other, ber=ber), "exercise", "Mbit/s")


@experiment("0.11", "Impact of the segment size")
def mss_impact(e):
    """15 % as in 0.10."""
    with e.run() as r:
        for mss in (500, 700, 900, 1100):
            where = {"mss": mss, "algorithm": "newreno"}
            if "kind" in r.axes:
                where["kind"] = "bulk"
            e.mean(f"New Reno, MSS {mss} B, bulk", square_root_bps(mss, 1e-7), r.sample("goodput", **where), "Mbit/s",
                   within=0.15, source="square root")


VIDEO_BPS = 5084600  # a normal of 0.52 and 0.23 bits per pixel, cut at 0, on 961538 pixels, 10 frames a second; less half a byte each


@experiment("0.12", "Video over a lossy path")
def video(e):
    with e.run() as r:
        algorithms = {name: r.sample("goodput", algorithm=name) for name in r.axes["algorithm"]}
        for name, sample in algorithms.items():
            e.holds(f"{name} carries less than the video's rate: the send buffer grows", "question of an exercise; expected: at most 4.1 Mbit/s",
                    f"{sample.mean / 1e6:.3g} Mbit/s of {VIDEO_BPS / 1e6:.3g}, mean delay {r.sample('delay_mean', algorithm=name).mean:.3g} s, "
                    f"jitter {1e3 * r.sample('jitter_mad', algorithm=name).mean:.3g} ms", sample.mean < 4.2e6)
        e.above("New Reno above Tahoe", algorithms["newreno"], algorithms["tahoe"], "question of an exercise", "Mbit/s")
        e.above("Tahoe above Old Tahoe", algorithms["tahoe"], algorithms["old_tahoe"], "question of an exercise", "Mbit/s")


def several_videos(number, title, senders, fits):
    """fits: rate of the receiver's link -> whether all videos fit; None: there is one rate only."""
    @experiment(number, title)
    def judge(e):
        with e.run() as r:
            for name in r.axes["algorithm"]:
                for rate, has_room in fits.items():
                    where = {"algorithm": name} | ({"rate": rate} if rate else {})
                    link = f", receiver's link of {rate / 1e6:g} Mbit/s" if rate else ""
                    goodput, jitter = r.sample("goodput", **where), r.sample("jitter_mad", **where)
                    label = f"{senders} videos, {name}{link} (jitter {1e3 * jitter.mean:.3g} ms)"
                    if has_room:
                        e.mean(label, senders * VIDEO_BPS, goodput, "Mbit/s", within=0.01, source="what is offered")
                    else:
                        e.mean(label, rate * 1460 / 1500, goodput, "Mbit/s", within=0.01, source="payload of a full link")
    return judge


several_videos("0.13", "Two videos to one receiver", 2, {None: True})
several_videos("0.14", "Three videos, backbone of 30 Mbit/s", 3, {20e6: True, 30e6: True})
several_videos("0.15", "Four videos, backbone of 40 Mbit/s", 4, {20e6: False, 40e6: True})


@experiment("0.16", "BIC on 20 Mbit/s")
def bic(e):
    with e.run() as r:
        for queue in r.axes["queue"]:
            window = r.sample("cwnd_mean", algorithm="bic", queue=queue).mean
            drops = r.sample("drops_queue", algorithm="bic", queue=queue).mean
            e.holds(f"buffer of {queue}: losses to the buffer, since 29.2 Mbit/s are offered", "plot only",
                    f"{drops:.4g} drops, mean window {window:.3g} segments", drops > 0)
        largest = r.axes["queue"][-1]
        e.holds("BIC is in its own phases, above 14 segments, with a large buffer", "plot only",
                f"{r.sample('cwnd_mean', algorithm='bic', queue=largest).mean:.3g} segments",
                r.sample("cwnd_mean", algorithm="bic", queue=largest).mean > 14)
