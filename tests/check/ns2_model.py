#!/usr/bin/python3
"""ns2_model.py - a slow, plain model of ns-2's TCP agents, written from the rules in tests/reference/ns2/README.md.

It shares no code with the kernel: one event list, one event per packet and hop. It must itself meet the packet-exact
vectors (`ns2_model.py REFDIR [CASE...]` checks that), and then judges the kernel on cases that ns-2 was never asked
about (fuzz_packet_exact.py).

Topology S-R1-R2-D, times in integer ns. Rows are (t_us, event, a, b) as in the vectors' CSV files.
"""
import csv
import heapq
import os
import sys

MS = 1_000_000
S = 1_000 * MS
DATA_BYTES = 1000
ACK_BYTES = 40
SACK_BLOCK_BYTES = 8
ACCESS_DELAY, MIDDLE_DELAY = 100_000, 100 * MS
MIDDLE_BPS, OUT_BPS = 800_000, 8_000_000
TICK = 10 * MS
DELACK = 100 * MS
INITIAL_RTO, MAX_RTO = 1 * S, 60 * S
DUPACKS = 3
FAR = 10**9  # packets of a bulk transfer
VEGAS_ALPHA, VEGAS_BETA, VEGAS_GAMMA = 1, 3, 1
AGENTS = ("Tahoe", "Reno", "Newreno", "Sack1", "Vegas")


def case_from_row(row):
    """Settings of one line of index.csv."""
    numbers = lambda text: frozenset(int(word) for word in text.split())
    return {
        "case": row["case"], "agent": row["agent"], "iw": int(row["iw"]), "window": int(row["window"]),
        "limited_transmit": row["limited_transmit"] == "1", "ssthresh": int(row["ssthresh0"]), "sink": row["sink"],
        "stop": round(float(row["stop_s"]) * S), "packets": int(row["maxpkts"] or FAR),
        "min_rto": round(float(row["minrto_s"]) * S), "ts": row["ts"] == "1", "maxsack": int(row["maxsack"]),
        "queue": int(row["queue"]), "access_bps": int(row["access_bps"]), "bugfix": row["bugfix"] == "1",
        "data_drops": numbers(row["data_drop_ordinals"]), "ack_drops": numbers(row["ack_drop_ordinals"]),
    }


class Simulation:
    """Event list and trace."""

    def __init__(self):
        self.now = 0
        self.heap = []
        self.count = 0
        self.rows = []

    def at(self, time, action, *args, late=False):
        """Schedules a call; `late`: after all others of the same instant."""
        self.count += 1
        heapq.heappush(self.heap, (time, late, self.count, action, args))

    def trace(self, event, a="", b=""):
        self.rows.append(((self.now + 500) // 1000, event, a, b))

    def run(self, stop):
        while self.heap and self.heap[0][0] <= stop:
            self.now, _, _, action, args = heapq.heappop(self.heap)
            action(*args)


class Link:
    """A FIFO server with `limit` - 1 waiting places and the one in service, then a fixed delay."""

    def __init__(self, sim, bps, delay, deliver, limit=None):
        self.sim, self.bps, self.delay, self.deliver, self.limit = sim, bps, delay, deliver, limit
        self.free_at = 0
        self.starts = []  # when the packets in the queue start to be sent

    def accept(self, size, packet):
        """Takes the packet, or returns False when the queue is full."""
        now = self.sim.now
        self.starts = [start for start in self.starts if start > now]
        if self.limit is not None and self.free_at > now and len(self.starts) >= self.limit - 1:
            return False
        if self.limit is not None and self.limit < 2:
            return False
        start = max(now, self.free_at)
        self.starts.append(start)
        self.free_at = start + round(size * 8 * S / self.bps)
        self.sim.at(self.free_at + self.delay, self.deliver, packet)
        return True


class Network:
    """Two chains of three links, with drop lists at R1 (data) and R2 (ACKs), both by number of arrival."""

    def __init__(self, sim, case):
        self.sim, self.case = sim, case
        access = case["access_bps"]
        self.data_arrivals = self.ack_arrivals = 0
        self.out = Link(sim, OUT_BPS, ACCESS_DELAY, lambda packet: self.receiver.receive(*packet))
        self.middle = Link(sim, MIDDLE_BPS, MIDDLE_DELAY, lambda packet: self.out.accept(DATA_BYTES, packet),
                           case["queue"])
        self.access = Link(sim, access, ACCESS_DELAY, self.data_at_r1)
        self.ack_out = Link(sim, access, ACCESS_DELAY, lambda ack: self.sender.receive(*ack))
        self.ack_middle = Link(sim, MIDDLE_BPS, MIDDLE_DELAY, lambda ack: self.ack_out.accept(self.ack_size(ack), ack))
        self.ack_in = Link(sim, OUT_BPS, ACCESS_DELAY, self.ack_at_r2)
        self.sender = self.receiver = None

    @staticmethod
    def ack_size(ack):
        return ACK_BYTES + SACK_BLOCK_BYTES * len(ack[1])

    def data_at_r1(self, packet):
        number = self.data_arrivals
        self.data_arrivals += 1
        if number in self.case["data_drops"] or not self.middle.accept(DATA_BYTES, packet):
            self.sim.trace("D", packet[0])

    def ack_at_r2(self, ack):
        number = self.ack_arrivals
        self.ack_arrivals += 1
        if number in self.case["ack_drops"]:
            self.sim.trace("L", ack[0])
        else:
            self.ack_middle.accept(self.ack_size(ack), ack)


class Receiver:
    def __init__(self, sim, network, case):
        self.sim, self.network = sim, network
        self.sack_blocks = case["maxsack"] if case["sink"].startswith("sack") else 0
        self.delayed = case["sink"].endswith("delack")
        self.last = -1  # last in order
        self.highest = -1
        self.above = set()  # received beyond `last`
        self.recent = []  # SACK blocks (left, right), most recent first
        self.pending = None  # number of the delayed-ACK timer that counts
        self.timers = 0
        self.echo, self.last_acked = -1, -1

    def receive(self, seq, sent_at):
        if seq <= self.last_acked + 1 and sent_at >= self.echo:
            self.echo = sent_at
        if seq > self.last:
            self.above.add(seq)
        self.highest = max(self.highest, seq)
        while self.last + 1 in self.above:
            self.last += 1
            self.above.discard(self.last)
        if self.delayed and self.pending is None and seq == self.last == self.highest and seq > 0:
            self.timers += 1
            self.pending = self.timers
            self.sim.at(self.sim.now + DELACK, self.expire, self.timers, seq)
            return
        self.pending = None
        self.acknowledge(seq)

    def expire(self, timer, seq):
        if timer == self.pending:
            self.pending = None
            self.acknowledge(seq)

    def acknowledge(self, seq):
        self.last_acked = self.last
        ack = (self.last, self.blocks(seq), self.echo)
        self.network.ack_in.accept(Network.ack_size(ack), ack)

    def blocks(self, seq):
        """The run that holds `seq`, if it is out of order, then the most recent others."""
        if self.sack_blocks == 0 or not self.above:
            self.recent = []
            return ()
        old = [(left, right) for left, right in self.recent if left > self.last]
        if seq > self.last:
            left = right = seq
            while left - 1 in self.above:
                left -= 1
            while right in self.above:
                right += 1
            old = [(left, right)] + [block for block in old if not (left <= block[0] and block[1] <= right)]
        self.recent = old[:self.sack_blocks]
        return tuple(self.recent)


class Estimator:
    """Integer ticks: s = 8 srtt, v = 4 rttvar."""

    def __init__(self, sim, case):
        self.sim, self.min_rto, self.traced = sim, case["min_rto"], case["ts"]
        self.s = self.v = 0
        self.base = INITIAL_RTO
        self.backoff = 1

    def sample(self, rtt, exact):
        ticks = max(1, (rtt + TICK // 2) // TICK if exact else rtt // TICK)
        if self.s == 0:
            self.s, self.v = 8 * ticks, 2 * ticks
        else:
            delta = ticks - self.s // 8
            self.s = max(1, self.s + delta)
            self.v = max(1, self.v + abs(delta) - self.v // 4)
        self.base = (8 * self.v + self.s) // 8 * TICK
        if self.traced:
            self.sim.trace("m", ticks)
            self.sim.trace("s", self.s)
            self.sim.trace("v", self.v)

    def back_off(self):
        if self.backoff < 64:
            self.backoff *= 2
        self.sim.trace("B", self.backoff)
        if self.backoff > 8:
            self.v += self.s // 8
            self.s = 0

    def rto(self):
        return min(max(self.base, self.min_rto) * self.backoff, MAX_RTO)


class Sender:
    """Tahoe, and what the others share."""

    restart_cwnd = 1.0  # after a timeout

    def __init__(self, sim, network, case):
        self.sim, self.network, self.case = sim, network, case
        self.window, self.packets = case["window"], case["packets"]
        self.limited_transmit, self.bugfix = case["limited_transmit"], case["bugfix"]
        self.cwnd, self.ssthresh = float(case["iw"]), case["ssthresh"]
        self.next, self.hi, self.last, self.maxseq = 0, -1, -1, -1
        self.dup = self.infl = self.recover = 0
        self.estimator = Estimator(sim, case)
        self.timed = None  # (packet, when sent)
        self.timer = 0  # number of the timer that counts, 0 = none runs
        self.timers = 0

    # --- sending

    def allowed(self):
        return int(min(self.cwnd + self.infl, self.window))

    def send_all(self, burst=FAR):
        while self.next <= self.hi + self.allowed() and self.next < self.packets and burst > 0:
            self.output(self.next)
            self.next += 1
            burst -= 1

    def send_one(self):
        if self.next <= self.hi + min(self.window, self.cwnd + self.dup) and self.next < self.packets:
            self.output(self.next)
            self.next += 1

    def output(self, seq):
        again = seq <= self.maxseq
        nothing_outstanding = self.hi == self.maxseq
        self.sim.trace("S", seq, int(again))
        if not again:
            self.maxseq = seq
            if self.timed is None:
                self.timed = (seq, self.sim.now)
        self.network.access.accept(DATA_BYTES, (seq, self.sim.now))
        if not self.timer or nothing_outstanding:
            self.start_timer()

    # --- timer

    def start_timer(self):
        self.timers += 1
        self.timer = self.timers
        self.sim.at(self.sim.now + self.estimator.rto(), self.expire, self.timer, late=True)

    def restart_timer(self, ack):
        if ack < self.maxseq:
            self.start_timer()
        else:
            self.timer = 0

    def expire(self, timer):
        if timer == self.timer:
            self.timer = 0
            self.timeout()

    def timeout(self):
        self.infl = 0
        self.recover = self.maxseq
        self.sim.trace("T")
        self.halve()
        self.set_cwnd(self.restart_cwnd)
        self.estimator.back_off()
        self.start_timer()
        self.timed = None
        self.next = self.hi + 1
        self.send_all()

    # --- windows

    def set_cwnd(self, cwnd):
        self.cwnd = cwnd
        self.sim.trace("C", cwnd)

    def halve(self):
        """Sets ssthresh from the window; returns half the window."""
        half = min(self.cwnd, self.window) / 2
        self.ssthresh = max(2, int(half))
        self.sim.trace("H", self.ssthresh)
        return half

    def grow(self):
        self.set_cwnd(self.cwnd + (1.0 if self.cwnd < self.ssthresh else 1.0 / self.cwnd))

    # --- ACKs

    def receive(self, ack, blocks, echo):
        self.sim.trace("A", ack)
        if ack > self.last:
            self.new_ack(ack, echo)
        elif ack == self.last and self.hi < self.maxseq:  # ns-2 also counts duplicates once all is acknowledged
            self.duplicate(blocks)
        if self.may_send():
            self.send_all()

    def may_send(self):
        return True

    def acknowledged(self, ack, echo):
        """Moves the left edge and takes the RTT sample, from timestamps (echo) or the timed packet."""
        self.last = self.hi = ack
        self.next = max(self.next, ack + 1)
        if self.case["ts"] and echo is not None:
            self.estimator.sample(self.sim.now - echo, exact=True)
        if self.timed and ack >= self.timed[0]:
            self.estimator.backoff = 1
            if not self.case["ts"] and echo is not None:
                self.estimator.sample(self.sim.now - self.timed[1], exact=False)
            self.timed = None

    def new_ack(self, ack, echo):
        self.dup = 0
        self.acknowledged(ack, echo)
        self.restart_timer(ack)
        self.grow()

    def duplicate(self, _blocks):
        self.dup += 1
        if self.dup == DUPACKS:
            if self.may_fast_retransmit():
                self.fast_retransmit()
        elif self.dup < DUPACKS and self.limited_transmit:
            self.send_one()

    def may_fast_retransmit(self):
        return self.hi > self.recover or self.hi == 0 or not self.bugfix

    def enter(self):
        """What every fast retransmit begins with; returns the new window before rounding."""
        self.recover = self.maxseq
        self.sim.trace("F")
        self.timed = None
        half = self.halve()
        self.start_timer()
        return half

    def fast_retransmit(self):
        self.enter()
        self.set_cwnd(1.0)
        self.next = self.hi + 1


class Reno(Sender):
    def __init__(self, *args):
        super().__init__(*args)
        self.recovering = False

    def may_send(self):
        return self.dup == 0 or self.dup >= DUPACKS

    def fast_retransmit(self):
        self.set_cwnd(max(1.0, self.enter()))
        self.recovering = True
        self.output(self.hi + 1)
        self.infl = DUPACKS

    def duplicate(self, blocks):
        super().duplicate(blocks)
        if self.dup > DUPACKS and self.recovering:
            self.infl += 1

    def new_ack(self, ack, echo):
        self.recovering = False
        self.infl = 0
        super().new_ack(ack, echo)

    def timeout(self):
        self.dup = 0
        self.recovering = False
        super().timeout()


class Newreno(Reno):
    def __init__(self, *args):
        super().__init__(*args)
        self.first_partial = True

    def new_ack(self, ack, echo):
        if not self.recovering or ack >= self.recover:
            self.first_partial = True
            super().new_ack(ack, echo)
            return
        if self.first_partial:
            self.restart_timer(ack)
            self.first_partial = False
        self.deflate(ack - self.last)
        self.acknowledged(ack, None)  # ns-2 takes no RTT sample from a partial ACK
        self.output(ack + 1)

    def send_all(self, burst=FAR):
        """At most two packets an ACK while duplicates are counted (the README's rules do not say so; ns-2 does it)."""
        super().send_all(2 if self.dup >= DUPACKS else burst)

    def deflate(self, packets):
        if self.infl > packets:
            self.infl -= packets - 1
        else:
            self.set_cwnd(max(1.0, self.cwnd - (packets - self.infl)))
            self.infl = 1


class Sack1(Sender):
    """The pipe algorithm of 1996. In recovery `last` stands still while `hi` moves."""

    def __init__(self, *args):
        super().__init__(*args)
        self.recovering = self.after_timeout = False
        self.pipe = 0
        self.sacked = set()
        self.resent = -1  # the last hole retransmitted

    def clear_board(self):
        self.sacked = set()
        self.resent = -1

    def note(self, blocks):
        """Enters SACK blocks; returns whether they told anything new."""
        before = len(self.sacked)
        for left, right in blocks:
            self.sacked.update(seq for seq in range(left, right) if seq > self.hi)
        return len(self.sacked) != before

    def next_hole(self):
        top = max(self.sacked, default=-1)
        for seq in range(max(self.hi, self.resent) + 1, top):
            if seq not in self.sacked:
                return seq
        return None

    def receive(self, ack, blocks, echo):
        self.sim.trace("A", ack)
        if self.recovering:
            self.in_recovery(ack, blocks, echo)
            self.send_all()
            return
        if ack > self.last:
            self.new_ack(ack, echo)
            self.after_timeout = False
            self.clear_board()
        elif ack == self.last and not self.after_timeout and self.note(blocks):
            self.duplicate(blocks)
        if self.dup == 0:
            self.send_all()

    def in_recovery(self, ack, blocks, echo):
        self.pipe -= 1
        if ack >= self.recover:
            self.recover = 0
            self.recovering = self.after_timeout = False
            self.dup = 0
            self.acknowledged(ack, echo)
            self.restart_timer(ack)
            self.clear_board()
        elif ack > self.hi:
            self.hi = ack
            self.sacked = {seq for seq in self.sacked if seq > ack}
            self.note(blocks)
            self.pipe -= 1
            self.restart_timer(ack)
            self.estimator.backoff = 1
        else:
            self.note(blocks)

    def send_all(self, burst=FAR):
        if not self.recovering:
            super().send_all(burst)
            return
        while self.pipe < int(self.cwnd):
            hole = self.next_hole()
            if hole is not None and hole <= self.hi + self.window:
                self.resent = hole
                self.output(hole)
            elif hole is None and self.next <= self.hi + self.window and self.next < self.packets:
                self.output(self.next)
                self.next += 1
            else:
                return
            self.pipe += 1

    def fast_retransmit(self):
        self.pipe = self.maxseq - self.hi - DUPACKS
        self.set_cwnd(max(1.0, self.enter()))
        self.recovering = True
        self.resent = self.hi + 1
        self.output(self.hi + 1)

    def timeout(self):
        self.dup = 0
        self.recovering = False
        self.after_timeout = True
        self.last = self.hi
        self.clear_board()
        super().timeout()


class Vegas(Sender):
    """Vegas with its own recovery. The fine timeout is a real number of seconds as in ns-2; the difference once per RTT is
    computed in whole ps, as ties happen. ns-2's arrays are sized by the window and cleared wrongly where a cumulative
    ACK wraps them; here each packet has its entry."""

    restart_cwnd = 2.0

    def __init__(self, *args):
        super().__init__(*args)
        self.sent_at, self.transmits = {}, {}
        self.sa = self.sd = 0.0
        self.fine_timeout = 1000.0
        self.base = 10**21
        self.sum, self.count = 0, 0
        self.begin, self.begin_time = 0, 0
        self.step, self.grows = 0.0, True
        self.worried = 0
        self.new_cwnd = self.cut_at = 0.0
        self.has_ack = self.last_was_timeout = False

    def clock(self):
        return self.sim.now / S

    def output(self, seq):
        self.sent_at[seq] = self.clock()
        self.transmits[seq] = self.transmits.get(seq, 0) + 1
        super().output(seq)

    def receive(self, ack, blocks, echo):
        if not self.has_ack:
            self.has_ack = True
            first = self.clock()
            self.base, self.sa, self.sd = self.sim.now * 1000, 8 * first, first
            self.fine_timeout = (self.sa / 4 + self.sd) / 2
        super().receive(ack, blocks, echo)

    def may_send(self):
        return self.dup == 0 or self.dup >= DUPACKS

    def expired(self, seq):
        return seq in self.sent_at and self.clock() - self.sent_at[seq] >= self.fine_timeout

    def new_ack(self, ack, echo):
        if self.dup > DUPACKS and self.cwnd > self.new_cwnd:
            self.set_cwnd(self.new_cwnd)
            self.set_ssthresh(2)
        self.dup = 0
        self.acknowledged(ack, echo)
        self.restart_timer(ack)
        if ack >= self.begin:
            self.once_per_rtt()
        if self.step == 1 and self.cwnd >= self.ssthresh:
            self.step = 0
        if self.step > 0 and self.cwnd - (self.next - self.last) <= 2:
            self.set_cwnd(self.cwnd + self.step)
        if self.transmits.get(ack) == 1:
            self.sample(round((self.clock() - self.sent_at[ack]) * S))
        if self.worried > 0:
            self.worried -= 1
            if self.expired(ack + 1):
                self.dup = DUPACKS
                self.output(ack + 1)
            else:
                self.worried = 0

    def once_per_rtt(self):
        total, count = (self.sum, self.count) if self.count else (self.sim.now * 1000 - self.begin_time, 1)
        self.sum, self.count = 0, 0
        sent = self.next - self.begin
        if total > 0:
            if total // count < self.base or sent <= 1:
                self.base = total // count
            queued = (self.next - self.last) * total - sent * self.base * count
            delta = 2 * queued + total
            self.decide(delta // (2 * total) if delta > 0 else -(-delta // (2 * total)))
        self.begin, self.begin_time = self.next, self.sim.now * 1000

    def decide(self, delta):
        self.step, slow_start = 0, self.cwnd < self.ssthresh
        if slow_start:
            self.grows = not self.grows
            if self.grows and delta > VEGAS_GAMMA:
                self.set_ssthresh(2)
                self.set_cwnd(max(2.0, self.cwnd - self.cwnd / 8))
            elif self.grows:
                self.step = 1
        elif delta > VEGAS_BETA:
            self.set_cwnd(max(2.0, self.cwnd - 1))
        elif delta < VEGAS_ALPHA:
            self.step = 1 / self.cwnd

    def set_ssthresh(self, ssthresh):
        self.ssthresh = ssthresh
        self.sim.trace("H", ssthresh)

    def sample(self, rtt_ns):
        self.sum += rtt_ns * 1000
        self.count += 1
        self.base = min(self.base, rtt_ns * 1000)
        rtt = rtt_ns / S
        difference = rtt - self.sa / 8
        self.sa += difference
        self.sd += abs(difference) - self.sd / 4
        self.fine_timeout = (self.sa / 4 + self.sd) / 2
        self.fine_timeout += self.fine_timeout / 16

    def duplicate(self, _blocks):
        self.dup += 1
        seq = self.hi + 1
        if not self.expired(seq) and self.dup != DUPACKS:
            if self.dup > DUPACKS:
                self.set_cwnd(self.cwnd + 1)
            return
        if self.bugfix and self.hi <= self.recover and self.last_was_timeout:
            return
        transmits = self.transmits[seq]
        self.last_was_timeout = False
        self.recover = self.maxseq
        self.worried = min(2, self.next - self.last)
        self.fine_timeout += self.fine_timeout if transmits > 1 else self.fine_timeout / 8
        if self.cut_at < self.sent_at[seq]:
            self.cut(transmits)
        self.timed = None
        self.estimator.back_off()
        self.start_timer()
        self.output(seq)
        if transmits == 1:
            self.dup = DUPACKS

    def cut(self, transmits):
        window = self.allowed()
        if window <= 3:
            window = 2
        else:
            window = window // 2 if transmits > 1 else window - window // 4
        self.new_cwnd = float(window)
        self.set_cwnd(self.new_cwnd + self.dup)
        self.cut_at = self.clock()

    def timeout(self):
        self.dup = 0
        self.last_was_timeout = True
        self.cut_at = self.clock()
        super().timeout()


SENDERS = {"Tahoe": Sender, "Reno": Reno, "Newreno": Newreno, "Sack1": Sack1, "Vegas": Vegas}


def run(case):
    """Rows of one case, in order of time."""
    sim = Simulation()
    network = Network(sim, case)
    network.receiver = Receiver(sim, network, case)
    network.sender = SENDERS[case["agent"]](sim, network, case)
    sim.trace("C", float(case["iw"]))
    sim.trace("H", case["ssthresh"])
    sim.at(0, network.sender.send_all)
    sim.run(case["stop"])
    return sim.rows


def events(rows, kinds):
    """The rows of some kinds as text. Drops first within an instant: they have no order against the ends' events."""
    chosen = [row for row in rows if row[1] in kinds]
    chosen.sort(key=lambda row: (row[0], row[1] not in "DL"))
    return [" ".join(map(str, row)).strip() for row in chosen]


def states(rows, kind):
    """Value of C, H, m, s or v in force after each instant, where it changes after the set-up at 0."""
    last = {row[0]: f"{float(row[2]):g}" for row in rows if row[1] == kind}
    out, before = [], None
    for t_us, value in sorted(last.items()):
        if value != before and t_us > 0:
            out.append(f"{t_us} {kind} {value}")
        before = value
    return out


def difference(expected, got):
    """First difference of two traces as text, or None. What was not recorded (A, C in `rand` files) is not compared."""
    recorded = {row[1] for row in expected}
    ends = "SDLA" if "A" in recorded else "SDL"
    parts = [(events(expected, ends), events(got, ends))]
    for kind in "FTB":
        instants = lambda rows: events([row for row in rows if row[0] > 0], kind)
        parts.append((instants(expected), instants(got)))
    parts += [(states(expected, kind), states(got, kind)) for kind in "CHmsv" if kind in recorded]
    for want, have in parts:
        for number, (left, right) in enumerate(zip(want + ["end"], have + ["end"])):
            if left != right:
                return f"row {number}: expected `{left}`, got `{right}`"
            if left == "end":
                break
    return None


def read_rows(path):
    with open(path, newline="") as file:
        return [(int(row["t_us"]), row["ev"], row["a"], row["b"]) for row in csv.DictReader(file)]


def read_index(directory):
    with open(os.path.join(directory, "index.csv"), newline="") as file:
        return [case_from_row(row) for row in csv.DictReader(file) if row["agent"] in AGENTS]


def check(directory, wanted):
    """Number of cases in which the model differs from the vectors."""
    failed = passed = 0
    for case in read_index(directory):
        if wanted and case["case"] not in wanted:
            continue
        expected = read_rows(os.path.join(directory, case["case"] + ".csv"))
        problem = difference(expected, run(case))
        if problem:
            failed += 1
            print(f"{case['case']}: {problem}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: ns2_model.py REFDIR [CASE...]")
    sys.exit(1 if check(sys.argv[1], set(sys.argv[2:])) else 0)
