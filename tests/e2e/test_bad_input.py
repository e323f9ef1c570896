"""Bad sweep files and command lines: exit status 2 (1 for the environment), one line that names the place and what was
expected, and nothing written. One row per mistake."""
import os
import re
import subprocess
import time

import pytest
from conftest import TCPSWEEP, command, environment, start

PATH = """name: good
seed: 1
duration: 1 s
replications: 2
path:
  - {name: in, rate: 10 Mbit/s, delay: 100 us}
  - {name: mid, rate: 10 Mbit/s, delay: 50 ms, ber: 1e-7, queue: 100 packets}
tcp: {algorithm: newreno, mss: 1460 B}
app: {kind: bulk}
axes:
  tcp.algorithm: [tahoe, newreno]
  path.mid.ber: [1e-7, 1e-6]
"""

FLOWS = """duration: 1 s
replications: 2
links:
  access: {rate: 100 Mbit/s, delay: 1 ms}
  mid: {rate: 10 Mbit/s, delay: 48 ms, queue: 99 packets}
flows:
  - {name: a, count: 2, via: [access*, mid], start: 0 s}
  - {name: b, via: [access*, mid], start: {uniform: [0 s, 1 s]}}
axes: {tcp.mss: [500 B, 1460 B]}
"""

# name, base, what is replaced, by what, what stderr must say behind `FILE:`
REPLACED = [
    ("unknown key", PATH, "seed: 1", "sed: 1", r"2: sed: unknown key, expected .*nearest is `seed`"),
    ("unknown key of a link", PATH, "ber: 1e-7, queue", "bre: 1e-7, queue",
     r"7: path\.mid\.bre: unknown key, expected .*`path\.mid\.ber`"),
    ("unknown key of tcp", PATH, "mss: 1460 B", "msss: 1460 B", r"8: tcp\.msss: unknown key, .*`tcp\.mss`"),
    ("unknown section", PATH, "app:", "apps:", r"9: apps: unknown key|9: apps"),
    ("unknown key of replications", PATH, "replications: 2", "replications: {maximum: 3}",
     r"4: replications\.maximum: unknown key, .*`replications\.max`"),
    ("unknown key of a flow", FLOWS, "count: 2", "number: 2", r"7: flows\.a\.number: unknown key, expected"),
    ("duplicate key", PATH, "seed: 1", "seed: 1\nseed: 2", r"3: seed: duplicate key, expected each key once"),
    ("two paths", PATH, "tcp:", "path: [{name: x, rate: 1 Mbit/s}]\ntcp:", r"8: path: duplicate key"),
    ("path and links", PATH, "tcp:", "links: {x: {rate: 1 Mbit/s}}\ntcp:", r"\d+: path: both .*expected one"),
    ("bare rate", PATH, "in, rate: 10 Mbit/s", "in, rate: 10", r"6: path\.in\.rate: `10` has no unit, expected a rate"),
    ("bare time", PATH, "duration: 1 s", "duration: 1", r"3: duration: `1` has no unit, expected a time such as"),
    ("bare bytes", PATH, "mss: 1460 B", "mss: 1460", r"8: tcp\.mss: `1460` has no unit, expected bytes such as"),
    ("bare queue", PATH, "queue: 100 packets", "queue: 100", r"7: path\.mid\.queue: `100` has no unit, expected .*bdp"),
    ("wrong unit", PATH, "duration: 1 s", "duration: 1 MB", r"3: duration: `1 MB` has the wrong unit, expected a time"),
    ("unknown unit", PATH, "delay: 50 ms", "delay: 50 millis", r"7: path\.mid\.delay: unknown unit `millis`, expected"),
    ("ambiguous unit", PATH, "in, rate: 10 Mbit/s", "in, rate: 10 mb/s", r"6: .*unknown unit `mb/s`, expected a rate"),
    ("BER 2", PATH, "ber: 1e-7, queue", "ber: 2, queue", r"7: path\.mid\.ber: `2` is out of range, expected 0 to 0\.5"),
    ("BER of an axis", PATH, "[1e-7, 1e-6]", "[1e-7,\n    0.6]", r"13: path\.mid\.ber: `0\.6` is out of range, expected"),
    ("BER not a number", PATH, "ber: 1e-7, queue", "ber: low, queue", r"7: path\.mid\.ber: `low` is not a number"),
    ("PER", FLOWS, "queue: 99 packets", "per: 101 %", r"5: links\.mid\.per: `101 %` is out of range, expected 0 to 1"),
    ("atm", PATH, "ber: 1e-7, queue: 100 packets", "atm: abr", r"7: path\.mid\.atm: `abr` is not known, expected .*plain, ppd, epd"),
    ("atm_cells", PATH, "queue: 100 packets", "atm: epd, atm_cells: 0",
     r"7: path\.mid\.atm_cells: `0` is out of range, expected 1 to"),
    ("atm_epd_threshold", PATH, "queue: 100 packets", "atm: epd, atm_epd_threshold: 1.2",
     r"7: path\.mid\.atm_epd_threshold: `1\.2` is out of range, expected 0 to 1"),
    ("atm_cbr", PATH, "queue: 100 packets", "atm: epd, atm_cbr: 100", r"7: path\.mid\.atm_cbr: `100` has no unit, expected a rate"),
    ("atm_access", PATH, "queue: 100 packets", "atm: epd, atm_access: 0 Mbit/s",
     r"7: path\.mid\.atm_access: `0 Mbit/s` is out of range, expected"),
    ("atm_llc", PATH, "queue: 100 packets", "atm: epd, atm_llc: maybe", r"7: path\.mid\.atm_llc: `maybe` is neither"),
    ("atm and queue", PATH, "queue: 100 packets", "atm: epd, queue: 100 packets",
     r".*link mid: atm and queue, expected atm_cells for its buffer"),
    ("atm and a shared link", PATH, "queue: 100 packets", "atm: epd, duplex: shared",
     r".*link mid: atm and duplex: shared, expected duplex: full"),
    ("atm and a schedule", PATH, "queue: 100 packets", "atm: epd, schedule: [{at: 1 s, rate: 1 Mbit/s}]",
     r".*link mid: atm and schedule, expected one of them"),
    ("atm and marks", PATH, "queue: 100 packets", "atm: epd, mark_threshold: 20 packets",
     r".*link mid: atm and mark_threshold, expected one of them"),
    ("writes of nothing", PATH, "kind: bulk", "kind: writes",
     r".*app writes needs a packet above 0 that fits into send_buffer, found 0 B and 0 B"),
    ("writes larger than the buffer", PATH, "mss: 1460 B}\napp: {kind: bulk", "send_buffer: 4000 B}\napp: {kind: writes, packet: 5000 B",
     r".*app writes needs a packet above 0 that fits into send_buffer, found 5000 B and 4000 B"),
    ("arq", PATH, "queue: 100 packets", "arq: yes", r"7: path\.mid\.arq: `yes` is not known, expected one of off, shortcut, frame"),
    ("arq_tries", PATH, "queue: 100 packets", "arq: frame, arq_tries: 0", r"7: path\.mid\.arq_tries: `0` is out of range"),
    ("arq_loss", PATH, "queue: 100 packets", "arq: frame, arq_loss: 1.5", r"7: path\.mid\.arq_loss: `1\.5` is out of range"),
    ("arq_ack_time", PATH, "queue: 100 packets", "arq: frame, arq_ack_time: 5", r"7: path\.mid\.arq_ack_time: .*expected a time"),
    ("arq_loss without arq", PATH, "queue: 100 packets", "arq_loss: 0.1", r".*link mid: arq_loss without arq, expected"),
    ("arq_ack_time of the shortcut", PATH, "queue: 100 packets", "arq: shortcut, arq_ack_time: 1 ms",
     r".*link mid: arq_ack_time is for `arq: frame` only"),
    ("arq and a schedule", PATH, "queue: 100 packets", "arq: frame, schedule: [{at: 1 s, rate: 1 Mbit/s}]",
     r".*link mid: arq and schedule, expected one of them"),
    ("arq frame at an ATM port", PATH, "queue: 100 packets", "arq: frame, atm: epd",
     r".*link mid: arq: frame needs a first-in first-out link"),
    ("MSS 0", PATH, "mss: 1460 B", "mss: 0 B", r"8: tcp\.mss: `0 B` is out of range, expected 1 B to 65495 B"),
    ("MSS too large", PATH, "mss: 1460 B", "mss: 64 KiB", r"8: tcp\.mss: `64 KiB` is out of range, expected"),
    ("MSS broken", PATH, "mss: 1460 B", "mss: 1460.5 B", r"8: tcp\.mss: `1460\.5 B` is not whole, expected a whole"),
    ("negative delay", PATH, "delay: 50 ms", "delay: -50 ms", r"7: path\.mid\.delay: `-50 ms` is out of range, expected"),
    ("rate 0", PATH, "in, rate: 10 Mbit/s", "in, rate: 0 Mbit/s", r"6: path\.in\.rate: `0 Mbit/s` is out of range"),
    ("rate missing", PATH, "in, rate: 10 Mbit/s", "in", r"6: path\.in\.rate: missing, expected a rate such as"),
    ("duration missing", PATH, "duration: 1 s\n", "", r"1: duration: missing, expected a time such as"),
    ("path missing", "duration: 1 s\n", "", "", r"1: path: missing, expected `path:`, or `links:` and `flows:`"),
    ("no value", PATH, "seed: 1", "seed:", r"2: seed: no value, expected"),
    ("list for a value", PATH, "duration: 1 s", "duration: [1 s, 2 s]", r"3: duration: a list, expected a time such as"),
    ("value for a section", PATH, "app: {kind: bulk}", "app: bulk", r"9: app: a single value, expected a map"),
    ("seed", PATH, "seed: 1", "seed: -1", r"2: seed: `-1` is not a seed, expected a whole number"),
    ("boolean", PATH, "mss: 1460 B", "nagle: maybe", r"8: tcp\.nagle: `maybe` is neither .*expected true or false"),
    ("unknown algorithm", PATH, "{algorithm: newreno", "{algorithm: newrno",
     r"8: tcp\.algorithm: `newrno` is not known, expected one of `tcpsweep list algorithms`; the nearest is `newreno`"),
    ("unknown algorithm on an axis", PATH, "[tahoe, newreno]", "[tahoe, fastest]",
     r"11: tcp\.algorithm: `fastest` is not known, expected one of"),
    ("unknown dialect", PATH, "mss: 1460 B", "dialect: solaris", r"8: tcp\.dialect: `solaris` is not known, .* rfc, ns2, ns3"),
    ("unknown application", PATH, "kind: bulk", "kind: bulky", r"9: app\.kind: `bulky` is not known, expected one of"),
    ("unknown metric", PATH, "replications: 2", "replications: {until: {metric: speed}}",
     r"4: replications\.until\.metric: `speed` is not known, expected one of `tcpsweep list metrics`; the nearest is `s"),
    ("replications 0", PATH, "replications: 2", "replications: 0", r"4: replications: `0` is out of range, expected 1 to"),
    ("minimum above maximum", PATH, "replications: 2", "replications: {min: 20, max: 10}",
     r"4: replications\.min: 20 is more than the maximum 10, expected"),
    ("unknown model", PATH, "seed: 1", "models: [oracle]", r"2: models: unknown model `oracle`, expected one of"),
    ("empty axis", PATH, "[1e-7, 1e-6]", "[]", r"12: path\.mid\.ber: an empty list, expected at least one value"),
    ("axis with one value", PATH, "[1e-7, 1e-6]", "1e-7", r"12: path\.mid\.ber: a single value, expected a list"),
    ("duplicate axis", PATH, "path.mid.ber: [", "path.mid.ber: [1e-3]\n  path.mid.ber: [", r"13: path\.mid\.ber: duplicate"),
    ("duplicate axis in other words", PATH, "path.mid.ber: [", "links.mid.ber: [1e-3]\n  path.mid.ber: [",
     r"13: path\.mid\.ber: already an axis \(line 12\), expected each key once"),
    ("duplicate value", PATH, "[1e-7, 1e-6]", "[1e-7, 0.1e-6]", r"12: path\.mid\.ber: the value .*twice, expected"),
    ("axis of an unknown key", PATH, "path.mid.ber: [", "path.mid.bear: [", r"12: path\.mid\.bear: unknown key, .*ber`"),
    ("axis of an unknown link", PATH, "path.mid.ber: [", "path.out.ber: [", r"12: path\.out\.ber: unknown link `out`, expected"),
    ("axis of the seed", PATH, "path.mid.ber: [1e-7, 1e-6]", "seed: [1, 2]", r"12: seed: cannot change within a sweep, expected"),
    ("axes as a list", PATH, "axes:\n  tcp.algorithm: [tahoe, newreno]\n  path.mid.ber: [1e-7, 1e-6]\n", "axes: [tcp.mss]\n",
     r"10: axes: a list, expected a map"),
    ("huge axis", PATH, "[1e-7, 1e-6]", "{logspace: [1e-9, 1e-3], points: 1099511627776}",
     r"12: path\.mid\.ber: points: `1099511627776` is out of range, expected 1 to"),
    ("huge grid", PATH, "  path.mid.ber: [1e-7, 1e-6]\n", "".join(
        f"  {key}: {{linspace: [{a}, {b}], points: 20000}}\n" for key, a, b in (
            ("path.mid.ber", "0", "0.1"), ("path.mid.per", "0", "0.1"), ("path.in.ber", "0", "0.1"))),
     r"14: .*more than 2\^40 points .*expected fewer"),
    ("logspace from 0", PATH, "[1e-7, 1e-6]", "{logspace: [0, 1], points: 3}", r"12: path\.mid\.ber: .*expected"),
    ("logspace out of range", PATH, "[1e-7, 1e-6]", "{logspace: [1e-7, 1], points: 3}", r"12: path\.mid\.ber: `1` is out of"),
    ("range without points", PATH, "[1e-7, 1e-6]", "{linspace: [0, 1e-6]}", r"12: path\.mid\.ber: .*expected .*points"),
    ("zip of unequal lengths", FLOWS, "axes: {tcp.mss: [500 B, 1460 B]}",
     "zip: [{tcp.mss: [500 B, 1460 B], links.mid.rate: [1 Mbit/s]}]", r"9: links\.mid\.rate: 1 values, expected 2"),
    ("name clash", FLOWS, "axes: {tcp.mss: [500 B, 1460 B]}", "zip: [{tcp.mss: [500 B, 1460 B], as: goodput}]",
     r"9: goodput: the name `goodput` is taken by a result, expected another"),
    ("sample of an unknown kind", FLOWS, "axes: {tcp.mss: [500 B, 1460 B]}",
     "sample: {kind: random, points: 9, over: {tcp.mss: [500 B, 1460 B]}}", r"9: sample\.kind: random, expected sobol or lhs"),
    ("where", PATH, "seed: 1", "where: path.mid.ber > 1 ms", r"2: where: a comparison of different units, expected"),
    ("where unknown", PATH, "seed: 1", "where: path.mid.beer > 1", r"2: where: path\.mid\.beer: unknown key, expected .*ber`"),
    ("link named twice", PATH, "name: mid", "name: in", r"7: path: two links are called `in` .*expected names that differ"),
    ("link without name", PATH, "name: in, ", "", r"6: path: a link without `name`, expected"),
    ("bad name", PATH, "name: in", "name: a.b", r"6: path: `a\.b` is not a name, expected a letter"),
    ("flow via unknown link", FLOWS, "[access*, mid], start: 0 s", "[access*, midd], start: 0 s",
     r"7: flows\.a\.via: unknown link `midd`, expected .*nearest is `mid`"),
    ("cyclic path", FLOWS, "[access*, mid], start: 0 s", "[access*, mid, access*], start: 0 s",
     r"4: flow a\.0: its path uses link access\.0 twice, expected no cycle"),
    ("cyclic way back", FLOWS, "[access*, mid], start: 0 s", "[access*, mid], back: [mid, mid], start: 0 s",
     r"5: flow a\.0: its way back uses link mid twice, expected no cycle"),
    ("empty path", FLOWS, "[access*, mid], start: 0 s", "[], start: 0 s", r"7: flows\.a\.via: an empty list, expected a list of links"),
    ("empty way back", FLOWS, "[access*, mid], start: 0 s", "[access*, mid], back: [], start: 0 s", r"7: flows\.a\.back: an empty list"),
    ("flow without via", FLOWS, "via: [access*, mid], start: 0 s", "start: 0 s", r"7: flows\.a\.via: missing, expected"),
    ("flow named twice", FLOWS, "name: b", "name: a", r"8: flows: two flows are called `a`, expected names that differ"),
    ("link without use", FLOWS, "links:", "links:\n  other: {rate: 1 Mbit/s}", r"4: links\.other: no flow uses this link"),
    ("too many flows", FLOWS, "count: 2", "count: 1001", r"7: flows\.a\.count: `1001` is out of range, expected 1 to 1000"),
    ("start backwards", FLOWS, "uniform: [0 s, 1 s]", "uniform: [2 s, 1 s]", r"8: flows\.b\.start: .*expected"),
    ("shared and reverse", FLOWS, "queue: 99 packets", "duplex: shared, reverse: {rate: 1 Mbit/s}",
     r"5: link mid: duplex shared has no direction of its own, expected no `reverse`"),
    ("random numbers of a section", FLOWS, "replications: 2", "common_random_numbers: [app]",
     r"2: app: not a key of the scenario, expected"),
    ("endless bad state", FLOWS, "queue: 99 packets", "gilbert: {p: 0.1}", r"5: link mid: gilbert\.p .*expected r above 0"),
    ("aqm", FLOWS, "queue: 99 packets", "aqm: redd", r"5: links\.mid\.aqm: `redd` is not known, expected one of none, mark, red, "),
    ("scheduler", FLOWS, "queue: 99 packets", "scheduler: fair",
     r"5: links\.mid\.scheduler: `fair` is not known, expected one of fifo, priority"),
    ("priority", FLOWS, "count: 2", "priority: 8", r"7: flows\.a\.priority: `8` is out of range, expected 0 to 7"),
    ("RED's probability", FLOWS, "queue: 99 packets", "aqm: red, red_max_p: 2", r"5: links\.mid\.red_max_p: `2` is out of range"),
    ("RED in bytes", FLOWS, "queue: 99 packets", "aqm: red, red_min: 5 kB", r"5: links\.mid\.red_min: .*expected .*packets"),
    ("RED's thresholds", FLOWS, "queue: 99 packets", "aqm: red, red_max: 5 packets",
     r"5: link mid: red_max is 5 packets, expected more than red_min of 5"),
    ("CoDel's target", FLOWS, "queue: 99 packets", "aqm: codel, codel_target: 5", r"5: links\.mid\.codel_target: `5` has no unit"),
    ("PIE's update", FLOWS, "queue: 99 packets", "aqm: pie, pie_update: 0 s", r"5: links\.mid\.pie_update: `0 s` is out of range"),
    ("FQ-CoDel's quantum", FLOWS, "queue: 99 packets", "aqm: fq_codel, fq_codel_quantum: 0 B",
     r"5: links\.mid\.fq_codel_quantum: `0 B` is out of range"),
    ("marks without threshold", FLOWS, "queue: 99 packets", "aqm: mark", r"5: link mid: aqm mark needs a mark_threshold"),
    ("marks twice", FLOWS, "queue: 99 packets", "aqm: red, mark_threshold: 3 packets",
     r"5: link mid: mark_threshold beside another aqm or scheduler, expected one of them"),
    ("aqm by priority", FLOWS, "queue: 99 packets", "aqm: pie, scheduler: priority",
     r"5: link mid: scheduler priority with an aqm, expected aqm none"),
    ("drop list", FLOWS, "queue: 99 packets", "drops: [{packet: 0}]", r"5: links\.mid\.drops: packet: `0` is out of range"),
    ("drop of a segment", FLOWS, "queue: 99 packets", "drops: [{segment: 3}]", r"5: links\.mid\.drops: .*expected .*transmission"),
    ("wlan unknown", FLOWS, "queue: 99 packets", "wlan: mesh", r"5: links\.mid\.wlan: .*expected .*off, chain, star"),
    ("wlan without hops", FLOWS, "queue: 99 packets", "wlan: chain, wlan_hops: 0", r"5: links\.mid\.wlan_hops: `0` is out of range"),
    ("wlan and atm", FLOWS, "queue: 99 packets", "wlan: chain, atm: epd", r"5: link mid: a wlan and atm are two kinds of link"),
    ("wlan shared", FLOWS, "queue: 99 packets", "wlan: chain, duplex: shared", r"5: link mid: a wlan is shared anyway, expected duplex full"),
    ("wlan with a schedule", FLOWS, "queue: 99 packets", "wlan: star, schedule: [{at: 1 s, up: false}]",
     r"5: link mid: a wlan can't have a schedule"),
    ("wlan of two rates", FLOWS, "queue: 99 packets", "wlan: star, reverse: {rate: 2 Mbit/s}",
     r"5: link mid: a wlan has one rate, expected the same"),
    ("wlan of two queues", FLOWS, "queue: 99 packets", "wlan: star, reverse: {queue: 2 packets}",
     r"5: link mid: a wlan has one kind of queue, expected the same"),
    ("wlan queue in bytes", FLOWS, "queue: 99 packets", "wlan: star, queue: 9 KiB", r"5: link mid: a wlan counts packets, expected queue"),
    ("wlan windows", FLOWS, "queue: 99 packets", "wlan: star, wlan_cw_min: 31, wlan_cw_max: 15",
     r"5: link mid: a wlan has wlan_cw_min above wlan_cw_max"),
    ("schedule backwards", FLOWS, "queue: 99 packets", "schedule: [{at: 2 s, up: false}, {at: 1 s, up: true}]",
     r"5: links\.mid\.schedule: .*expected ascending times"),
    ("window below a segment", PATH, "mss: 1460 B", "receive_window: 1000 B", r"8: .*receive_window .*expected at least"),
    ("window without scaling", PATH, "mss: 1460 B", "window_scaling: false, receive_window: 1 MB",
     r"8: .*receive_window .*expected at most 65535 B"),
    ("warmup too long", PATH, "seed: 1", "warmup: 2 s", r"\d+: .*warmup.*"),
    ("file without size", PATH, "kind: bulk", "kind: file", r"\d+: .*size.*"),
    ("short flows without size", PATH, "kind: bulk", "kind: short_flows, interval: 1 s", r"9: .*short_flows needs a size above 0"),
    ("short flows without interval", PATH, "kind: bulk", "kind: short_flows, size: 1 kB", r"9: .*needs an interval above 0"),
    ("empirical without sizes", PATH, "kind: bulk", "kind: file, size_law: empirical", r"9: .*needs sizes to draw from"),
    ("sizes", PATH, "kind: bulk", "kind: file, sizes: [1 kB, 0 B]", r"9: app\.sizes: `0 B` is not a size, expected whole"),
    ("sizes in a missing file", PATH, "kind: bulk", "kind: file, sizes: none.csv", r"9: app\.sizes: .*none\.csv: cannot read: No such"),
    ("sizes as a map", PATH, "kind: bulk", "kind: file, sizes: {a: 1 kB}", r"9: app\.sizes: a map, expected a list"),
    ("unknown law", PATH, "kind: bulk", "kind: file, size_law: zipf", r"9: app\.size_law: `zipf` is not known, expected one of fixed, ex"),
    ("shape", PATH, "kind: bulk", "kind: file, size_shape: 1", r"9: app\.size_shape: `1` is out of range, expected 1\.01 to 100"),
    ("think and interval", PATH, "kind: bulk", "kind: file, size: 1 kB, think: 1 s, interval: 1 s", r"9: .*think and interval both"),
    ("on-off without periods", PATH, "kind: bulk", "kind: udp_onoff, packet: 1 kB, interval: 1 ms, on_time: 1 s",
     r"9: .*udp_onoff needs an off_time above 0"),
    ("Poisson without packet", PATH, "kind: bulk", "kind: udp_poisson, interval: 1 ms", r"9: .*needs a packet above 0"),
    ("video at 0 frames", PATH, "kind: bulk", "kind: video, fps: 0", r"9: app\.fps: `0` is out of range, expected 0\.001 to"),
    ("video without pixels", PATH, "kind: bulk", "kind: video, ppf: 0", r"9: app\.ppf: `0` is out of range"),
    ("video of 0 bits", PATH, "kind: bulk", "kind: video, bpp_mean: 0", r"9: app\.bpp_mean: `0` is out of range"),
    ("video's deviation", PATH, "kind: bulk", "kind: video, bpp_sigma: -1", r"9: app\.bpp_sigma: `-1` is out of range"),
    ("trace missing", PATH, "kind: bulk", "kind: trace", r"9: .*app kind trace needs a trace"),
    ("trace of a missing file", PATH, "kind: bulk", "kind: trace, trace: none.csv", r"9: app\.trace: .*none\.csv: cannot read: No such"),
    ("tabs", PATH, "  - {name: in", "\t- {name: in", r"6: not valid YAML: .*expected"),
    ("open bracket", PATH, "[1e-7, 1e-6]", "[1e-7, 1e-6", r"\d+: not valid YAML: .*expected"),
    ("two documents", PATH, "axes:", "---\naxes:", r"\d+: more than one YAML document, expected one"),
    ("deep nesting", PATH, "seed: 1", "seed: " + "[" * 100 + "]" * 100, r"2: nested too deeply, expected at most 24"),
    ("very deep nesting", PATH, "seed: 1", "seed: " + "[" * 100000, r"2: nested too deeply, expected at most 24"),
    ("very deep blocks", PATH, "seed: 1", "seed:\n" + "- " * 100000, r"3: nested too deeply, expected at most 24"),
    ("loop of anchors", PATH, "seed: 1", "seed: &a [*a]", r"2: nested too deeply, expected"),
    ("exploding anchors", PATH, "seed: 1", "seed: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"k{i}: &{chr(98 + i)} [" + ",".join([f"*{chr(97 + i)}"] * 9) + "]\n" for i in range(9)), r"\d+: .*expected"),
    ("a list", "- 1\n- 2\n", "", "", r"1: a list, expected a map of keys"),
    ("a word", "hello\n", "", "", r"1: a single value, expected a map of keys"),
    ("empty file", "", "", "", r"1: the file is empty, expected keys"),
    ("only comments", "# nothing\n", "", "", r"1: the file is empty, expected keys"),
    ("control characters", PATH, "name: good", "name: \x01\x02", r"1: not valid YAML: control characters"),
]

# name, arguments (FILE and OUT are replaced), what stderr must say
COMMANDS = [
    ("set an unknown key", "run FILE -o OUT --set tcp.mzz=1", r"--set tcp\.mzz: unknown key, expected .*tcp\.mss"),
    ("set a bad value", "run FILE -o OUT --set tcp.mss=big", r"--set tcp\.mss: `big` is not a number, expected bytes"),
    ("set without value", "run FILE -o OUT --set tcp.mss", r"--set tcp\.mss: not a setting, expected KEY=VALUE"),
    ("set an empty value", "run FILE -o OUT --set tcp.mss=", r"--set tcp\.mss: an empty list, expected"),
    ("set a section", "run FILE -o OUT --set path=1", r"--set path: a whole section, expected"),
    ("set brackets", "run FILE -o OUT --set tcp.mss=]", r"--set tcp\.mss: `\]` cannot be read, expected"),
    ("set out of range", "run FILE -o OUT --set path.mid.ber=0.1,0.7", r"--set path\.mid\.ber: `0\.7` is out of range"),
    ("set a value twice", "run FILE -o OUT --set tcp.mss=9~B,9~B", r"--set tcp\.mss: the value `9 B` twice, expected"),
    ("threads 0", "run FILE -o OUT --threads 0", r"--threads: `0`, expected a whole number from 1"),
    ("seed x", "run FILE -o OUT --seed x", r"--seed: `x`, expected a whole number"),
    ("replications -1", "run FILE -o OUT --replications -1", r"--replications: `-1`, expected a whole number from 1"),
    ("shard", "run FILE -o OUT --shard 3/2", r"--shard: `3/2`, expected I/N"),
    ("time limit", "run FILE -o OUT --time-limit 10", r"--time-limit: `10` has no unit, expected a time"),
    ("unknown subcommand", "fly FILE", r"fly.*(expected|--help)"),
    ("unknown option", "run FILE -o OUT --fast", r"--fast: unknown option"),
    ("missing argument", "run -o OUT", r"expected one sweep file"),
    ("two files", "run FILE FILE -o OUT", r"expected one sweep file"),
    ("missing value", "run FILE -o", r"value is missing"),
    ("no output", "run FILE", r"no output, expected -o"),
    ("missing file", "run MISSING -o OUT", r"missing\.yaml: cannot be opened \(No such file or directory\), expected"),
    ("directory as file", "run FOLDER -o OUT", r"a directory, expected a sweep file"),
    ("binary file", "run BINARY -o OUT", r"binary\.yaml:\d+: .*expected"),
    ("zero bytes", "run ZEROS -o OUT", r"zeros\.yaml:\d+: .*expected"),
    ("directory as output", "run FILE -o FOLDER", r"folder: is not a file, expected"),
    ("output in no folder", "run FILE -o MISSING/out.h5", r"missing\.yaml: No such file or directory, expected a folder"),
    ("output in a file", "run FILE -o FILE/out.h5", r"is not a folder, expected"),
    ("plan without file", "plan MISSING", r"missing\.yaml: cannot be opened"),
    ("plan a bad value", "plan FILE --set path.mid.ber=1e-7,x", r"--set path\.mid\.ber: .*expected"),
    ("one of a binary file", "one BINARY", r"binary\.yaml:\d+: .*expected"),
    ("show without file", "show MISSING", r"missing\.yaml"),
    ("show another kind of file", "show FILE", r"good\.yaml"),
    ("merge without file", "merge MISSING", r"missing\.yaml"),
    ("resume and force", "run FILE -o OUT --resume --force", r"--resume and --force: expected at most one"),
]


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def refuse(folder, arguments, pattern, status=2):
    """Runs it, and checks the status, the one line and that nothing changed."""
    before = contents(folder)
    done = subprocess.run(command(*arguments), env=environment(), capture_output=True, timeout=60, check=False)
    error = done.stderr.decode(errors="replace")
    assert done.returncode == status, f"status {done.returncode}: {error}"
    assert error.count("\n") == 1 and error.endswith("\n"), error
    assert re.search(pattern, error), error
    assert not done.stdout
    assert contents(folder) == before
    return error


@pytest.mark.parametrize("name,base,old,new,pattern", REPLACED, ids=[row[0] for row in REPLACED])
def test_file(tmp_path, name, base, old, new, pattern):
    assert not old or base.count(old) == 1
    path = tmp_path / "bad.yaml"
    path.write_text(base.replace(old, new) if old else base)
    refuse(tmp_path, ["run", path, "-o", tmp_path / "out.h5"], r"^(tcpsweep: )?" + re.escape(str(path)) + ":(" + pattern + ")")


@pytest.mark.parametrize("name,text,pattern", COMMANDS, ids=[row[0] for row in COMMANDS])
def test_command(tmp_path, name, text, pattern):
    words = {"FILE": "good.yaml", "OUT": "out.h5", "MISSING": "missing.yaml", "FOLDER": "folder", "BINARY": "binary.yaml",
             "ZEROS": "zeros.yaml"}
    (tmp_path / "good.yaml").write_text(PATH)
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "zeros.yaml").write_bytes(bytes(5000))
    arguments = [re.sub("[A-Z]{3,}", lambda m: str(tmp_path / words[m[0]]) if m[0] in words else m[0], word).replace("~", " ")
                 for word in text.split()]
    refuse(tmp_path, arguments, pattern)


@pytest.mark.parametrize("base", [PATH, FLOWS], ids=["path", "flows"])
def test_good_files_are_good(tmp_path, base):
    (tmp_path / "good.yaml").write_text(base)
    done = subprocess.run(command("run", tmp_path / "good.yaml", "-o", tmp_path / "out.h5", "--quiet"), env=environment(),
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_unreadable_file(tmp_path):
    """As another user when root, who reads everything."""
    path = tmp_path / "secret.yaml"
    path.write_text(PATH)
    path.chmod(0)
    user = {"user": 65534} if os.geteuid() == 0 else {}
    try:
        done = subprocess.run(command("run", path, "-o", tmp_path / "out.h5"), env=environment(), capture_output=True,
                              text=True, timeout=60, check=False, **user)
    except PermissionError:
        pytest.skip("the program is not in reach of another user")
    finally:
        path.chmod(0o600)
    assert done.returncode == 2 and "Permission denied" in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_existing_output(tmp_path):
    (tmp_path / "good.yaml").write_text(PATH)
    (tmp_path / "out.h5").write_text("precious")
    error = refuse(tmp_path, ["run", tmp_path / "good.yaml", "-o", tmp_path / "out.h5"], r"out\.h5: exists, expected")
    assert "--resume" in error and "--force" in error


def test_two_writers(tmp_path):
    """The second one on an output is refused while the first one runs; the first one is not disturbed."""
    path, output = tmp_path / "good.yaml", tmp_path / "out.h5"
    path.write_text(PATH.replace("replications: 2", "replications: 100000").replace("duration: 1 s", "duration: 100 s"))
    first = start("run", path, "-o", output, "--quiet", "--time-limit", "20 s")
    try:
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob("out.h5.journal/*.jrn")) and time.monotonic() < deadline:
            time.sleep(0.05)
        for extra in ([], ["--resume"], ["--force"]):
            done = subprocess.run(command("run", path, "-o", output, *extra), env=environment(), capture_output=True,
                                  text=True, timeout=60, check=False)
            assert done.returncode in (1, 2), done.stderr
            assert done.stderr.count("\n") == 1 and "out.h5" in done.stderr, done.stderr
        assert first.poll() is None
    finally:
        first.terminate()
        first.communicate(timeout=60)
    assert first.returncode == 75


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], check=False,
                                           capture_output=True).returncode:
        pytest.skip("cannot mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_full_disk(tmp_path, small_disk):
    """The run stops with status 1 and says why; with room again, --resume completes it."""
    path, output = tmp_path / "good.yaml", small_disk / "out.h5"
    path.write_text(PATH.replace("replications: 2", "replications: 500"))
    (small_disk / "filler").write_bytes(bytes(40000))
    done = subprocess.run(command("run", path, "-o", output, "--quiet"), env=environment(), capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("\n") == 1 and "No space left on device" in done.stderr, done.stderr
    assert not output.exists()
    (small_disk / "filler").unlink()
    subprocess.run(["mount", "-o", "remount,size=16m", small_disk], check=True)
    done = subprocess.run(command("run", path, "-o", output, "--quiet", "--resume"), env=environment(), capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 0 and output.exists(), done.stderr


def test_program_exists():
    assert os.access(TCPSWEEP, os.X_OK)


# What a trace says, and what is said about it.
TRACES = [
    ("", "no rows, expected at least one"),
    ("time, bytes\n", "no rows, expected at least one"),
    ("0.1, 100\n0.2\n", r"line 2: `0\.2` is not a row, expected 2 numbers"),
    ("0.1, 100, 7\n", r"line 1: `0\.1, 100, 7` is not a row, expected 2 numbers"),
    ("0.1, 100\nzero, 100\n", r"line 2: `zero, 100` is not a row"),
    ("0.1, 100\x00\x01\n0.2, 100\n0.3 abc\n", "cannot read: it has zero bytes, expected a text file"),
    ("0.2, 100\n0.1, 100\n", r"line 2: time 0\.1, expected seconds from 0 to 1000000 in order"),
    ("-1, 100\n", "line 1: time -1, expected seconds"),
    ("0.1, 0\n", "line 1: 0 bytes, expected whole bytes from 1 on"),
    ("0.1, 1.5\n", r"line 1: 1\.5 bytes, expected whole bytes"),
    ("0.1, nan\n", "line 1: `0.1, nan` is not a row"),
]


@pytest.mark.parametrize("rows,pattern", TRACES)
def test_garbled_trace(tmp_path, rows, pattern):
    (tmp_path / "rows.csv").write_text(rows)
    path = tmp_path / "bad.yaml"
    path.write_text(PATH.replace("kind: bulk", "kind: trace, trace: rows.csv"))
    refuse(tmp_path, ["run", path, "-o", tmp_path / "out.h5"], rf"bad\.yaml:9: app\.trace: .*rows\.csv: .*({pattern})")
