#!/usr/bin/env bats
# tm-plan: a plan has the events that tm-align needs and the times of all; plans merge; one manifest places a job on
# many machines.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
}

# job RANKS COLLECTIVES: generates job/rankN.json, profiles that meet in all-reduces, on clocks that are milliseconds
# apart.
job() {
    local file
    python3 "$TM_SRC/t/gen/make-ranks.py" "$1" "$2" 5 job >clocks
    for file in job/*; do
        sed '1s/^{/{"baseTimeNanoseconds":1700000000000000000,/' "$file" >"job/rank${file#job/rank000}"
        rm "$file"
    done
}

# placed RANK: writes a rank's stream, placed on REALTIME.
placed() {
    tm-pack -q -o - --machine "$1=job/$1.json" --trace-time "REALTIME@job/$1.json" "job/$1.json" |
        tm-unpack --hints | tm-manifest | tm-clocks --hints
}

# text STREAM: prints its rows and frames without their places, sorted.
text() {
    tm-emit -f frames <"$1" | sed 's/^@[0-9]* //' | grep -v -e '^Header' -e '^End' -e '^Batch' -e '^Strings' | sort
}

@test "tm-align finds the same from plans of ranks, merged in any groups, as from the whole job" {
    job 5 60
    for n in 0 1 2 3 4; do
        placed rank$n >placed
        tm-sort <placed >rank$n.tms
        tm-plan <placed | tm-sort >rank$n.plan
        [ "$(stat -c %s rank$n.plan)" -lt "$(stat -c %s rank$n.tms)" ]
    done
    tm-sort -m rank?.tms >all.tms
    tm-sort -m rank?.plan >all.plan
    tm-align -f json <all.tms >whole.json
    jq -e '[.alignment[] | select(.verdict == "aligned")] | length == 4' whole.json
    tm-align -f json <all.plan | cmp - whole.json
    # A plan of the merged streams, and merges of merges, give the same result.
    tm-plan <all.tms | tm-sort | tm-align -f json | cmp - whole.json
    tm-sort -m rank0.plan rank1.plan >g0.plan
    tm-sort -m rank2.plan rank3.plan >g1.plan
    tm-sort -m g0.plan g1.plan rank4.plan | cmp - all.plan
    for parts in 2 7 50; do
        tm-plan --parts=$parts <all.plan >times
        tm-plan <all.tms | tm-plan --parts=$parts | cmp - times
        tm-sort -m rank4.plan rank1.plan rank0.plan rank3.plan rank2.plan | tm-plan --parts=$parts | cmp - times
        [ "$(tr , '\n' <times | wc -l)" -eq $((parts - 1)) ]
    done
}

@test "plans by any rules, sorted or not, and by each rule alone give the result of the stream" {
    local long
    long=$(printf 'a%.0s' {1..300})
    job 3 40
    for n in 0 1 2; do placed rank$n | tm-sort >$n.tms; done
    tm-sort -m ?.tms >all.tms
    # The last two are names of arguments that no list of names can have.
    for rules in collectives flows,spans recorded-twice key:args.Seq 'name:^nccl,begin' key:args._ "key:args.$long"; do
        tm-align -r "$rules" -f json <all.tms >whole.json
        tm-plan -r "$rules" <all.tms | tm-align -r "$rules" -f json | cmp - whole.json
        tm-plan -r "$rules" <all.tms | tm-sort | tm-align -r "$rules" -f json | cmp - whole.json
    done
    # A plan does not have events that its rule does not use.
    [ "$(tm-plan -r spans <all.tms | wc -c)" -lt "$(tm-plan -r collectives <all.tms | wc -c)" ]
}

# Begins, ends, complete slices, marks, flows and spans of two programs.
programs() {
    python3 - <<'END'
import json, random
rng = random.Random(3)
for file in 'ab':
    events = []
    for i in range(300):
        t = i * 50 + rng.randrange(20)
        events.append({'ph': rng.choice('BXi'), 'pid': 1, 'tid': i % 3, 'ts': t, 'dur': 7, 'name': f'frame {i}',
                       'args': {'trace_id': 'x%d' % (i // 4), 'span_id': f'{file}{i}', 'parent_id': f'a{i - i % 4}', 'n': i}})
        if i % 2:
            events.append({'ph': 'E', 'pid': 1, 'tid': rng.randrange(3), 'ts': t + 9})
        if i % 5 == 0:
            events.append({'ph': 's' if file == 'a' else 'f', 'pid': 1, 'tid': 1, 'ts': t + 1, 'id': i, 'cat': 'c',
                           'name': 'f', 'bp': 'e'})
    json.dump(events, open(f'{file}.json', 'w'))
END
}

@test "plans of recordings of all kinds balance, and tm-align finds the same from them" {
    programs
    cp "$TM_SRC/t/data/ftrace-tgid.txt" text.txt
    cp "$TM_SRC/doc/examples/phone-watch-app.tar" .
    for files in "a.json b.json" "text.txt a.json" phone-watch-app.tar; do
        tm-unpack $files | tm-manifest -q | tm-clocks >placed
        tm-plan <placed >plan
        tm-sort <plan >sorted
        tm-sort -c sorted
        tm-emit -f report <sorted >report
        grep 'the accounts balance' report
        read_of() { sed -n 's/^ *total: \([0-9]*\) events read.*/\1/p'; }
        [ "$(read_of <report)" -eq "$(tm-emit -f report <placed | read_of)" ]
        tm-align -f json <placed >whole.json
        tm-align -f json <plan | cmp - whole.json
        tm-align -f json <sorted | cmp - whole.json
        # A plan of a plan gives the same result.
        tm-plan <sorted | tm-sort >again
        same_text "$(text again)" "$(text sorted)"
    done
}

@test "derived rows of packets are used, and the accounts balance" {
    # Slices of frames are parts of packets, and have flows.
    python3 "$TM_SRC/t/gen/make-packets.py" >frames.pb <<'END'
1 { 8: 1000 10: 7 76 { 1 { 1: 11 2: 5 3: 40 } } }
1 { 8: 1010 10: 7 76 { 3 { 1: 12 2: 3 3: 5 4: 50 5: "menu" } } }
1 { 8: 1020 10: 7 76 { 4 { 1: 13 2: 3 3: 5 4: 50 5: "menu" 6: 2 7: 1 8: 0 9: 68 10: 1 11: 1 12: 2 19: 1 } } }
1 { 8: 1040 10: 7 76 { 2 { 1: 16 2: 5 3: 40 4: 1 5: 1 6: 1 7: 512 8: 1 9: 3 15: 2 16: 6 } } }
1 { 8: 1100 10: 7 76 { 5 { 1: 13 } } }
1 { 8: 1110 10: 7 76 { 5 { 1: 11 } } }
1 { 8: 1130 10: 7 76 { 5 { 1: 16 } } }
END
    tm-unpack frames.pb | tm-manifest | tm-clocks >placed
    tm-plan <placed | tm-sort >plan
    [ "$(tm-emit -f frames <plan | grep -c 'kind=slice .*flow_ids')" -ge 2 ]
    tm-emit -f report <plan | grep 'the accounts balance'
    tm-align -f json <plan | cmp - <(tm-align -f json <placed)
}

@test "a file whose events no rule uses still has its first and last time" {
    echo '[{"ph":"C","name":"c","pid":1,"ts":100,"args":{"v":1}},{"ph":"C","name":"c","pid":1,"ts":700,"args":{"v":2}}]' >c.json
    tm-unpack c.json | tm-manifest | tm-clocks >placed
    tm-plan <placed | tm-sort >plan
    tm-emit -f frames <plan >text
    [ "$(grep -c '^  \[' text)" -eq 1 ]
    grep '\[0\] time_ns=100000 dur_ns=600000' text
    grep 'Account file=0 .*reason="filtered" count=1$' text
    tm-align -f json <plan | cmp - <(tm-align -f json <placed)
    # One event is one row.
    echo '[{"ph":"C","name":"c","pid":1,"ts":100,"args":{"v":1}}]' >one.json
    tm-unpack one.json | tm-manifest | tm-clocks | tm-plan | tm-sort | tm-emit -f report | grep 'the accounts balance'
}

@test "parts of a stream with equal events have the same number each" {
    job 2 400
    placed rank0 | tm-sort >r.tms
    times=$(tm-plan <r.tms | tm-plan --parts=4)
    tm-sort --cut=$times --into=parts r.tms
    [ "$(ls parts | wc -l)" -eq 4 ]
    tm-emit --events -f jsonl <r.tms | jq 'select(.ts).ts' >at
    python3 - "$times" <<'END'
import sys
points = [int(t) for t in sys.argv[1].split(',')]
counts = [0] * (len(points) + 1)
for line in open('at'):
    counts[sum(int(line) >= p for p in points)] += 1
print(counts)
assert len(counts) == 4 and max(counts) - min(counts) <= sum(counts) / 50
END
}

@test "one manifest places each rank on its own node as it places all of them together" {
    job 4 60
    for n in 0 1 2 3; do placed rank$n | tm-plan | tm-sort >rank$n.plan; done
    tm-sort -m rank?.plan | tm-align --absolute --write-manifest=offsets.json
    tm-manifest --check offsets.json
    for n in 0 1 2 3; do
        tm-unpack --hints job/rank$n.json | tm-manifest --present -m offsets.json 2>err | tm-clocks --hints |
            tm-sort >rank$n.tms
        [ ! -s err ]
        # The stream does not contain the other entries.
        [ "$(tm-emit -f frames <rank$n.tms | grep -c ' Machine ')" -le 2 ]
    done
    tm-sort -m rank?.tms >all.tms
    tm-align --check <all.tms
    rows() { jq -c '[.ts, .dur, .machine, .pid, .tid, .name]' | sort; }
    tm-merge -q --hints -m offsets.json -f jsonl job/rank?.json | rows >together
    tm-emit -f jsonl <all.tms | rows >apart
    [ -s together ]
    cmp together apart
    # A manifest against the reference's clock, as tm-align writes it by default, gives the same times.
    tm-sort -m rank?.plan | tm-align --write-manifest=relative.json
    tm-merge -q --hints -m relative.json -f jsonl job/rank?.json | rows | cmp - together
}

@test "tm-manifest --present takes the entries that the files need, by any of their names" {
    tar xf "$TM_SRC/doc/examples/phone-watch-app.tar"
    mkdir away
    mv app_log.json away
    config() { tm-manifest "$@" | tm-emit -f frames | grep -e Config -e Manifest; }
    tm-unpack away/app_log.json | config -m perfetto_manifest.json --present >got
    grep -o 'path="[^"]*"' got | tr '\n' ' ' | grep -Fx 'path="phone.pftrace" path="app_log.json" '
    [ "$(grep -o 'machines={' got | wc -l)" -eq 1 ]
    # The clock of trace time is the phone's.
    tm-unpack watch.pftrace | config -m perfetto_manifest.json --present >got
    grep -o 'path="[^"]*"' got | tr '\n' ' ' | grep -Fx 'path="phone.pftrace" path="watch.pftrace" '
    # If none of the files exists, only the entry of that clock is left. Without the option the others are reported.
    cp watch.pftrace other
    run --separate-stderr bash -c 'tm-unpack other | tm-manifest -m perfetto_manifest.json --present >/dev/null'
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    run --separate-stderr bash -c 'tm-unpack other | tm-manifest -m perfetto_manifest.json >/dev/null'
    [[ $stderr == *"matches no file"* ]]
    # That part is written as a manifest and gives the same result. Braces and quotes in strings are no ends.
    sed 's/"path": "app_log.json"/"x_note": "}\\\\\\"{", &/' perfetto_manifest.json >noted.json
    grep -F '"x_note": "}\\\"{"' noted.json
    for wanted in away/app_log.json watch.pftrace other; do
        tm-unpack $wanted | tm-manifest -m noted.json --present --write-manifest used.json >one
        tm-manifest --check used.json
        tm-unpack $wanted | tm-manifest -q -m used.json >two
        cmp one two
    done
    tm-unpack away/app_log.json | tm-manifest -m noted.json --present --write-manifest used.json >/dev/null
    grep -F x_note used.json
    grep -c '"path"' used.json | grep -x 2
    run tm-manifest --present </dev/null
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-manifest: --present needs the manifest to take, by -m" ]
    run tm-manifest --present --check perfetto_manifest.json
    [ "$status" -eq 2 ]
}

@test "invalid input and options of tm-plan are reported, and leave no stream or manifest" {
    job 2 30
    placed rank0 >p
    run bash -c 'head -c 2000 p | tm-plan >cut'
    [ "$status" -eq 1 ]
    run tm-sort cut
    [ "$status" -eq 1 ]
    run bash -c 'tm-unpack job/rank0.json | tm-plan >/dev/null'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-plan: the stream's times are not trace time yet: pipe it through tm-clocks first" ]
    run bash -c 'tm-sort p | tm-sort --cut=,1s 2>/dev/null | tm-plan >/dev/null'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-plan: the stream is a part by time: make the plan of the whole" ]
    run bash -c 'tm-plan -r nonsense <p >/dev/null'
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-plan: 'nonsense' is not a rule; the rules are flows, spans, collectives, recorded-twice, key:args.NAME and name:REGEX" ]
    run tm-plan --parts=3 <p
    [ "$status" -eq 1 ]
    [ "$output" = "tm-plan: the stream is not a plan: pipe it through tm-plan first" ]
    tm-plan <p >plan
    run bash -c 'head -c 500 plan | tm-plan --parts=3'
    [ "$status" -eq 1 ]
    [[ $output != *,* ]]
    for bad in 1 0 -1 x 65538 ''; do
        run tm-plan --parts=$bad <plan
        [ "$status" -eq 2 ]
    done
    run tm-plan --parts=2 -r flows <plan
    [ "$status" -eq 2 ]
    run tm-plan p
    [ "$status" -eq 2 ]
    # --absolute: there is no trace time in the manifest, and nothing is written.
    run bash -c 'tm-unpack --hints job/rank?.json | tm-manifest -q | tm-clocks --hints |
        tm-align --absolute --write-manifest=m.json'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-align: --absolute: the manifest of the input chooses no clock of a file as trace time" ]
    [ ! -e m.json ]
    run tm-align --absolute <p
    [ "$status" -eq 2 ]
}
