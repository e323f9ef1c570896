# Two-way traffic over one bottleneck: goodput of each flow in ns-2 2.35.   ns two_way.tcl DELAY_MS QUEUE START2_S AGENT
lassign $argv delay queue start2 agent
Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 1000
Agent/TCP set windowInit_ 2
Agent/TCP set overhead_ 0
Agent/TCP set minrto_ 1
Agent/TCP set tcpTick_ 0.01
Agent/TCP set singledup_ 1
Agent/TCP set rfc2988_ true
set ns [new Simulator]
foreach n {s1 s2 r1 r2} { set $n [$ns node] }
$ns duplex-link $s1 $r1 12.5Mb 0.1ms DropTail
$ns duplex-link $r2 $s2 12.5Mb 0.1ms DropTail
$ns duplex-link $r1 $r2 0.8Mb ${delay}ms DropTail
$ns queue-limit $r1 $r2 $queue
$ns queue-limit $r2 $r1 $queue
foreach link [list [list $s1 $r1] [list $r1 $s1] [list $s2 $r2] [list $r2 $s2]] { $ns queue-limit [lindex $link 0] [lindex $link 1] 10000 }
proc flow {from to at} {
    global ns agent
    set tcp [new Agent/TCP/$agent]
    set sink [new Agent/TCPSink[expr {$agent eq "Sack1" ? "/Sack1" : ""}]]
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $at "$ftp start"
    return [list $tcp $sink]
}
set a [flow $s1 $s2 0]
set b [flow $s2 $s1 $start2]
proc mark {} { global a b base; set base [list [[lindex $a 0] set ack_] [[lindex $b 0] set ack_]] }
proc finish {} {
    global a b base delay queue start2 agent
    set rates {}
    foreach flow [list $a $b] first $base { lappend rates [expr {([[lindex $flow 0] set ack_] - $first) * 8000.0 / 150}] }
    puts "$agent,$delay,$queue,$start2,[join $rates ,]"
    exit 0
}
$ns at 50 mark
$ns at 200 finish
$ns run
