#!/usr/bin/env bats
# tm-unpack --raw: raw bytes that no output needs stay out of the stream.

setup() {
    cd "$BATS_TEST_TMPDIR"
    { # every kind of line that has a row of its own
        echo '# tracer: nop'
        echo '  a-7 ( 7) [000] d..2 1.000001: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=b next_pid=8 next_prio=99'
        echo '  b-8 ( 7) [000] d..2 1.000002: sched_waking: comm=a pid=7 prio=120 target_cpu=001'
        echo '  b-8 ( 7) [000] ...1 1.000003: tracing_mark_write: B|7|print: one'
        echo '  b-8 ( 7) [000] ...1 1.000004: print: 0xffff8: E|7'
        echo '  print: x-9 ( 7) [001] ...1 1.000005: tracing_mark_write: C|7|n|3'
        echo '  b-8 ( 7) [000] ...1 1.000006: tracing_mark_write: S|7|async|44'
        echo '  b-8 ( 7) [000] ...1 1.000007: task_newtask: pid=11 comm=c clone_flags=10000 oom_score_adj=0'
        echo '  c-11 ( 7) [000] ...1 1.000008: task_rename: pid=11 oldcomm=c newcomm=d oom_score_adj=0'
        echo '  d-11 ( 7) [000] ...1 1.000009: sched_process_free: comm=d pid=11 prio=120'
        echo '  b-8 ( 7) [000] d..2 1.000010: cpu_frequency: state=300 cpu_id=1'
        echo '  b-8 ( 7) [000] d..2 1.000011: cpu_frequency_limits: min=55 max=67 cpu_id=1'
        echo '  b-8 ( 7) [000] d..2 1.000012: cpu_idle: state=4294967295 cpu_id=0'
        echo '  b-8 ( 7) [000] d..2 1.000013: clock_set_rate: clk state=7 cpu_id=0'
        echo '  b-8 ( 7) [000] d..2 1.000014: rss_stat: mm_id=33 curr=1 member=1 size=8437760B'
        echo '  b-8 ( 7) [000] ...1 1.000015: workqueue_execute_start: work struct ff80: function foo [mod]'
        echo '  b-8 ( 7) [000] ...1 1.000016: workqueue_execute_end: work struct ff80: function foo [mod]'
        echo '  b-8 ( 7) [000] ...1 1.000017: binder_transaction: transaction=7 dest_node=5 dest_proc=7 dest_thread=0 reply=0 flags=0x10 code=0x3'
        echo '  a-7 ( 7) [001] ...1 1.000018: binder_transaction_received: transaction=7'
        echo '  b-8 ( 7) [000] ...1 1.000019: some_event: unknown=1'
        echo '  b-8 ( 7) [000] d..2 1.000020: sched_switch: nothing that can be read'
        echo '  b-8 ( 7) [000] ...1 1.000021: tracing_mark_write: no mark of any kind'
    } >lines.txt
    echo '[{"ph":"X","name":"n","ts":1,"dur":2,"pid":1,"tid":2,"args":{"a":[1,2]}},{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]' >a.json
    tm-merge -q -o a.pftrace a.json
}

# raws OPTION... FILE: prints each kind of raw bytes with its total size.
raws() {
    tm-unpack "$@" | tm-emit -f frames | sed -n 's/.* raw=\([a-z_]*\)\( raw_bytes=\([0-9]*\)\)\?.*/\1 0\3/p' |
        awk '{bytes[$1] += $2} END {for (k in bytes) print k, bytes[k]}' | sort
}

@test "the stream has the raw bytes that --raw names, and no others" {
    tar cf all.tar lines.txt a.json a.pftrace
    all=$(raws all.tar)
    echo "$all"
    [ "$(wc -l <<<"$all")" -eq 3 ]
    ! grep -q ' 0$' <<<"$all" || false
    [ "$(raws --raw all all.tar)" = "$all" ]
    [ "$(raws --raw proto,json,line all.tar)" = "$all" ]
    [ "$(raws --no-raw all.tar | grep -v ' 0$')" = "" ]
    [ "$(raws --raw none all.tar | grep -v ' 0$')" = "" ]
    [ "$(raws --raw json all.tar | grep -v ' 0$')" = "$(grep json <<<"$all")" ]
    [ "$(raws --raw proto all.tar | grep -v ' 0$')" = "$(grep packet <<<"$all")" ]
    [ "$(raws --raw line all.tar | grep -v ' 0$')" = "$(grep line <<<"$all")" ]
    [ "$(raws --raw json,line all.tar | grep -v ' 0$')" = "$(grep -v packet <<<"$all")" ]
    [ "$(raws --no-raw --raw json all.tar | grep -v ' 0$')" = "$(grep json <<<"$all")" ]
    for bad in lines '' json, ,json 'json line' short_line; do
        run tm-unpack --raw "$bad" a.json
        [ "$status" -eq 2 ]
        [[ "$output" == *"--raw: '$bad' is not a list of"* ]]
    done
}

@test "a short line begins with its event; it is empty if the columns hold all of it, and whole if they hold none" {
    tm-unpack --raw short-line lines.txt | tm-emit -f frames --hex >short
    tm-unpack lines.txt | tm-emit -f frames --hex >whole
    python3 - <<'END'
import re
def lines(path):
    rows = [l for l in open(path) if ' raw=line' in l]
    return [(re.search(r'kind=(\w+)', l).group(1), bytes.fromhex((re.search(r'raw_hex=([0-9a-f]*)', l) or [0, ''])[1])) for l in rows]
short, whole = lines('short'), lines('whole')
assert len(short) == len(whole) == 21 and [k for k, _ in short] == [k for k, _ in whole], (short, whole)
given = [l.rstrip('\n').encode() for l in open('lines.txt')][1:]
for (kind, s), (_, w), line in zip(short, whole, given):
    assert w == line, (w, line)
    if kind == 'ftrace':
        assert s == line, (kind, s)
    elif kind in ('sched_switch', 'sched_waking', 'task_newtask', 'task_rename', 'task_new', 'process_exit'):
        assert s == b'', (kind, s)
    else:
        assert line.endswith(s) and re.match(rb'\w+: ', s) and line[-len(s) - 2:-len(s)] == b': ', (kind, s)
assert sum(s == b'' for _, s in short) == 5 and sum(s == w for (_, s), (_, w) in zip(short, whole)) >= 2
END
}

@test "outputs that write raw bytes are the same with only the raw bytes that they need" {
    tar cf all.tar lines.txt a.json a.pftrace
    for in in lines.txt a.json a.pftrace all.tar "$TM_SRC"/t/data/*.txt "$TM_SRC"/t/data/*.json; do
        for format in pftrace json; do
            [ $format = json ] && raw=json || raw=proto,short-line
            tm-unpack "$in" | tm-manifest | tm-clocks | tm-sort | tm-emit -q -f $format >whole || continue
            tm-unpack --raw $raw "$in" | tm-manifest | tm-clocks | tm-sort | tm-emit -q -f $format | cmp - whole
            tm-merge -q -f $format "$in" | cmp - whole
            n=$((n + 1))
        done
    done
    [ "$n" -ge 16 ]
}

@test "--raw: none stands alone" {
    tm-unpack --raw=none "$TM_SRC/doc/examples/phone-watch-app.tar" >none
    tm-unpack --no-raw "$TM_SRC/doc/examples/phone-watch-app.tar" | cmp - none
    for raw in none,json json,none nonsense; do
        run tm-unpack --raw=$raw none
        [ "$status" -eq 2 ]
        [[ $output == "tm-unpack: --raw: '$raw' is not a list of proto, ftrace, json, line, short-line, nor all or none"* ]]
    done
}
