#!/usr/bin/env bats
# CTF: a recording of LTTng's user-space tracer as babeltrace2 shows it (t/data/ctf-ust.tar.gz), made ones of a kernel, in
# both byte orders; what is given otherwise than as a directory; damage.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    made k
    tm-merge -q k >/dev/null 2>log || ! grep -q 'without libbabeltrace2' log || skip 'this build has no libbabeltrace2'
}

# made [WORD] FOLDER: a made trace.
made() {
    python3 "$TM_SRC/t/gen/make-ctf.py" "$@"
}

@test "a kernel's: switches, wakings and calls as of ftrace, on MONOTONIC, with the time of day" {
    tm-merge --absolute -q k | sed 's/  */ /g; s/ $//' >got
    diff -u - got <<'END'
 TIME MACHINE PROCESS/THREAD KIND DURATION NAME = VALUE [CATEGORY] ARGS
 5.000000000 host app:100 sched 9us app:100 priority=120 end_state="S"
 5.000001000 host app:100 slice 2us sys_openat dfd=-100 filename="/etc/hosts" ret=3
 5.000004000 host peer:200 waking peer:200 by app:100 prio=120 target_cpu=1
 5.000004000 host app:100 task_rename
 5.000005000 host peer:200 sched 3us peer:200 priority=120 end_state="D"
 5.000008000 host 0 sched open swapper/1:0 priority=120
 5.000009000 host 0 sched open swapper/0:0 priority=120
END
    tm-merge -q -f report k >report
    grep -q 'MONOTONIC of host, claimed by metadata' report
    grep -q 'ctf_lost_events = 1' report
    tm-unpack k | tm-emit -f frames | grep Snapshot | grep -q 'clock=3 value=5000000000 .* clock=1 value=1700000005000000000 '
    made big b
    tm-merge --absolute -q b | sed 's/  */ /g; s/ $//' | diff -u got -
}

@test "another clock is the time of day where its origin is 1970, and none is the file's own" {
    made other-clock a
    tm-merge -q -f report a | grep -q 'REALTIME of host, claimed by metadata'
    made no-clock b
    tm-merge -q -f report b | grep -q 'TRACE_FILE of host, claimed by metadata'
}

@test "with ftrace text of the same machine" {
    cat >text <<'END'
# tracer: nop
             app-100   [000] .....     5.000002: tracing_mark_write: B|100|inside
             app-100   [000] .....     5.000003: tracing_mark_write: E|100
END
    tm-merge -q -f report k text >report
    [ "$(grep -c 'MONOTONIC: trace_time' report)" -eq 2 ]
    tm-merge -q --absolute k text | grep -A 1 sys_openat | grep -q inside
}

@test "a recording of LTTng: the events and times of babeltrace2, and threads" {
    mkdir ust
    tar xzf "$TM_SRC/t/data/ctf-ust.tar.gz" -C ust
    tm-merge -q --events -f jsonl ust >events
    [ "$(jq -r 'select(.kind == "instant") | .kind' events | wc -l)" = 39 ]
    jq -r 'select(.name == "lttng_ust_tracef:event") | [.tid, .args.msg] | @tsv' events >got
    [ "$(grep -c 'worker 0' got)" = 5 ]
    [ "$(cut -f 1 got | sort -u | wc -l)" = 3 ]
    tm-merge -q -f report ust >report
    grep -q 'ust/uid/0/64-bit/metadata: 39 events read, 39 placed' report
    type babeltrace2 || skip 'babeltrace2 is not installed'
    babeltrace2 --clock-cycles ust | sed -E 's/^\[0*([0-9]*)\] [^ ]* [^ ]* ([^ ]*): .*/\1 \2/' >want
    jq -r 'select(.kind == "instant") | "\(.ts) \(.name)"' events | diff -u want -
}

@test "out of an archive and by its parts it is refused, with what helps" {
    tar cf k.tar k
    run tm-merge k.tar
    [ "$status" -eq 1 ]
    [[ $output == *"give the trace's directory"* ]]
    tm-merge -q --ignore-unknown -f report k.tar >report 2>&1 || true
    [ "$(grep -c 'unknown_type: 1' report)" -eq 3 ]
    mkdir lone
    cp k/channel0_0 lone
    run tm-merge lone
    [ "$status" -eq 1 ]
    [[ $output == *'nothing without the file metadata'* ]]
}

@test "damaged: an error of the trace, or an account" {
    made bad
    sed -i 's/event {/evnt {/' bad/metadata
    run tm-merge -q bad
    [ "$status" -eq 1 ]
    [[ $output == *'metadata: byte 0: libbabeltrace2 cannot read this trace beyond 0 events: '* ]]
    tm-merge -q --on-damage=skip -f report bad | grep -q 'damaged: 1'
    made cut
    head -c 60 k/channel0_0 >cut/channel0_0
    run tm-merge -q cut
    [ "$status" -eq 1 ]
    [[ $output == *'libbabeltrace2 cannot read this trace'* ]]
    tm-merge -q --on-damage=skip -f report cut | grep -q 'damaged: 1'
}
