"""Seed 004: T-DLRP over wireless links (Sreekumari et al., IJDSN 2013, 592502)."""
import numpy

from .judge import experiment
from .results import Sample

OTHERS = ("newreno", "vegas", "veno", "cerl", "newjersey", "dac")


def against_all(number, title, sets, papers, **where):
    """T-DLRP's goodput above that of each other."""
    @experiment(number, title)
    def judge(e):
        with e.run("duration=60 s", *sets, replications=20) as r:
            for other in OTHERS:
                e.above(f"goodput, tdlrp above {other}", r.values("goodput", algorithm="tdlrp", **where),
                        r.values("goodput", algorithm=other, **where), papers.get(other, "T-DLRP highest"), "kbit/s")
    return judge


against_all("4.6", "Throughput against packet loss, 5 %", ["path.w.per=5 %"], {"newreno": "over +50 %", "newjersey": "over +20 %"})
against_all("4.7", "Throughput against connections, 5", ["flows.t.count=5"], {})
against_all("4.8", "Bandwidth, 11 Mbit/s", [], {"newreno": "+70 %", "dac": "+75 %", "newjersey": "over +40 %"}, rate=11e6)


def sent(rows):
    return rows[rows.event == "send"]


@experiment("4.1", "Figure 2 example: the timeout that NewReno can't avoid", quick=True)
def newreno_example(e):
    rows = e.trace()
    timeouts, again = rows[rows.event == "timeout"], rows[rows.event == "fast_retransmit"]
    e.holds("the retransmission is lost too, so the timer must expire", "RTO is inevitable",
            f"{len(again)} fast retransmissions, {len(timeouts)} timeouts", len(timeouts) > 0 and len(again) > 0)


def echo_steps(rows):
    """How far the echoed timestamp moves from an ACK to a duplicate of it, s."""
    acks = rows[rows.event == "ack"]
    number, echo = acks.a.to_numpy(), acks.x.to_numpy(float)
    return (echo[1:] - echo[:-1])[number[1:] == number[:-1]]


@experiment("4.2", "Figure 5: echoed timestamps, old and new", quick=True)
def echoes(e):
    for name, kind, paper, moves in (("old", "rfc7323", "stand still", False), ("new", "trigger", "advance", True)):
        steps = echo_steps(e.trace(f"tcp.timestamp_echo={kind}"))
        share = (steps > 0).mean()  # segments that one ACK releases have the same time
        e.holds(f"{name} values during duplicate ACKs", paper, f"{100 * share:.1f} % of {len(steps)} duplicates advance",
                len(steps) > 100 and (share > 0.8 and (steps >= 0).all() if moves else share < 0.01))


@experiment("4.3", "Figure 6 example: T-DLRP repeats the lost retransmission", quick=True)
def tdlrp_example(e):
    rows = e.trace()
    timeouts, copies = rows[rows.event == "timeout"], sent(rows)[sent(rows).b == "1"]
    again = int((copies.a == copies.a.iloc[0]).sum()) if len(copies) else 0
    e.holds("segment 1 is sent a third time without a timeout", "IFR is triggered", f"{again} copies, {len(timeouts)} timeouts",
            again >= 2 and len(timeouts) == 0)


@experiment("4.4", "Figure 9: NewReno's timeouts", quick=True)
def newreno_behaviour(e):
    with e.run("duration=60 s", replications=20) as newreno, e.run("duration=60 s", of="4.5", replications=20) as tdlrp:
        e.above("timeouts by lost retransmissions in a minute, newreno above tdlrp", newreno.values("timeouts_lost_retransmission"),
                tdlrp.values("timeouts_lost_retransmission"), "4 against 0")


@experiment("4.5", "Figure 10: T-DLRP's timeouts", quick=True)
def tdlrp_behaviour(e):
    with e.run("duration=60 s", replications=20) as r:
        timeouts = r.values("timeouts_lost_retransmission")
    e.holds("no timeout by a lost retransmission between 40 and 100 s", "0",
            f"{timeouts.mean():.2f} a minute, none in {(timeouts == 0).sum()} of {len(timeouts)} runs", numpy.median(timeouts) == 0)


@experiment("4.9", "Figure 12: windows", quick=True)
def window(e):
    with e.run("duration=60 s", replications=20) as r:
        e.above("mean window, tdlrp above dac", r.values("cwnd_mean", algorithm="tdlrp"), r.values("cwnd_mean", algorithm="dac"),
                "T-DLRP sends more")
        e.below("timeouts, tdlrp below dac", r.values("timeouts", algorithm="tdlrp"), r.values("timeouts", algorithm="dac"),
                "T-DLRP fewest", expected="refuted")


# --- chains of radio hops ---------------------------------------------------------------------------------------------
# Three flows over ten hops get 300 kbit/s together whatever the scheme: the radio is the limit, and windows that a random
# loss has halved still fill it. One flow at 5 % loss leaves room: T-DLRP beats what halves its window, not what does not. The
# seed's radio and routing (DSR) are not described.

def goodputs(e, results, verdicts, papers):
    for other, verdict in verdicts.items():
        e.above(f"goodput, tdlrp above {other}", results.values("goodput", algorithm="tdlrp"),
                results.values("goodput", algorithm=other), papers.get(other, "T-DLRP highest"), "kbit/s", verdict)


@experiment("4.10", "Figure 14a: throughput against hops, 10")
def hops(e):
    with e.run("links.air.wlan_hops=10", replications=40) as r:
        goodputs(e, r, dict.fromkeys(OTHERS, "refuted") | {"vegas": "alike"}, {"newjersey": "+47 %", "newreno": "over +50 %"})
    with e.run("links.air.wlan_hops=1,10", replications=10) as r:
        e.above("goodput of newreno, one hop above ten", *(r.values("goodput", algorithm="newreno", wlan_hops=h) for h in (1, 10)),
                "less with each hop", "kbit/s")


@experiment("4.11", "Figure 14b: loss of retransmissions, 0.1 %")
def retransmission_loss(e):
    with e.run("links.air.per_retransmission=0.1 %", replications=40) as r:
        goodputs(e, r, dict.fromkeys(OTHERS, "refuted"), {})


@experiment("4.12", "Figure 15a: packet loss over 10 hops, 5 %")
def chain_loss(e):
    verdicts = dict.fromkeys(OTHERS, "shown") | {"cerl": "open", "newjersey": "open"}
    with e.run("links.air.per=5 %", replications=40) as r:
        goodputs(e, r, verdicts, {"newjersey": "over +85 %"})
        for name in OTHERS:
            e.below(f"goodput of {name} below 300 kbit/s", r.values("goodput", algorithm=name), [300e3], "below 300 kbit/s", "kbit/s")


@experiment("4.13", "Figure 15b: timeouts over 10 hops, 5 %")
def chain_timeouts(e):
    with e.run("links.air.per=5 %", replications=40) as r:
        for other in OTHERS:
            e.below(f"timeouts in a minute, tdlrp below {other}", r.values("timeouts", algorithm="tdlrp"),
                    r.values("timeouts", algorithm=other), "T-DLRP fewest", expected="open" if other == "newjersey" else "shown")


# --- classification of losses -----------------------------------------------------------------------------------------

def accuracy(results, kinds, algorithm):
    """Pooled share of right classifications, averaged over kinds, as a sample: rare events, so the mean of each run's own
    share would weigh few losses as much as many. The error is that of a binomial share."""
    shares, variance = [], 0
    for kind in kinds:
        right, total = (results.values(f"{kind}_{what}", algorithm=algorithm).sum() for what in ("right", "total"))
        guess = (right + 1) / (total + 2)  # keeps the error of 0 or 100 % above 0
        shares.append(right / total)
        variance += guess * (1 - guess) / total
    many = 10**6  # the normal law
    return Sample(float(numpy.mean(shares)), float(numpy.sqrt(variance * many)) / len(kinds), many)


def scored(number, title, kinds, point, paper, expected="shown"):
    @experiment(number, title, quick=number == "4.15")
    def judge(e):
        with e.run("duration=60 s", point, replications=200) as r:
            tdlrp, dac = (accuracy(r, kinds, name) for name in ("tdlrp", "dac"))
            e.above(f"accuracy of {', '.join(kinds)}, tdlrp above dac", tdlrp, dac, paper, "%", expected)
    return judge


scored("4.14", "Accuracy for congestion, 10 flows (DAC takes every loss for congestion)", ["rlc"], "flows.t.count=10",
       "DAC below 60 %, T-DLRP over 75 %", "open")
scored("4.15", "Accuracy for wireless losses, 5 %", ["rlw"], "links.w.per=5 %", "DAC 0 %")
scored("4.16", "Average accuracy", ["rlc", "rlw"], "links.w.per_retransmission=0.6 %", "T-DLRP over 70 %")


@experiment("4.17", "Fairness")
def fairness(e):
    """0.002 is what the two differ by in the table: ours are less even, starts and the first losses of 200 s included."""
    published = {"newreno": {0.001: 0.9999, 0.05: 0.9986, 0.1: 0.9981}, "tdlrp": {0.001: 0.9999, 0.05: 0.9994, 0.1: 0.9989}}
    with e.run(replications=30) as r:
        for name, rates in published.items():
            for per, index in rates.items():
                e.mean(f"Jain's index of {name} at {100 * per:g} %", index, r.sample("jain", algorithm=name, per=per), within=0.002,
                       expected="agrees" if (name, per) == ("tdlrp", 0.001) else "differs")
    with e.run("duration=60 s", "links.w.per=5 %", replications=100) as r:
        e.above("Jain's index at 5 %, tdlrp above newreno", r.values("jain", algorithm="tdlrp"), r.values("jain", algorithm="newreno"),
                "0.9994 against 0.9986", alike=0.001)


@experiment("4.18", "Headline claims: T-DLRP beside others")
def headline(e):
    with e.run(replications=30) as r:
        for other, paper in (("newreno", "over +86 %"), ("dac", "+72 %"), ("newjersey", "+40 %")):
            e.above(f"goodput beside each other, tdlrp above {other}", r.sample("goodput", "tdlrp"), r.sample("goodput", other),
                    paper, "kbit/s")


@experiment("4.19", "Threshold of congestion warnings")
def threshold(e):
    with e.run("duration=60 s", replications=20) as r:
        for name in ("newjersey", "tdlrp"):
            high, low = (r.values("accuracy_first", algorithm=name, mark_threshold=t) for t in (0.9, 0.3))
            e.above(f"accuracy of {name} in %, marks at 90 % above 30 % of the buffer", high, low, "30 % misclassifies")
