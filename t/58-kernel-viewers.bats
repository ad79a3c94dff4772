#!/usr/bin/env bats
# What a viewer shows of the kernel in merged.pftrace is what it shows of the inputs.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

kernel() { # FILE, LINES of t/gen/make-kernel.py
    python3 "$TM_SRC/t/gen/make-kernel.py" >"$1"
}

shown() {
    python3 "$TM_SRC/t/check/kernel-shown" "$@"
}

# same_shown FILE...: merged they show what each of them shows.
same_shown() {
    tar cf in.tar "$@"
    tm-merge -o m.pftrace in.tar 2>warnings
    diff <(shown "$@") <(shown m.pftrace)
    tm-merge -o n.pftrace m.pftrace 2>again
    [ ! -s again ]
    diff <(shown m.pftrace) <(shown n.pftrace)
    if [ -n "${TRACE_PROCESSOR-}" ]; then
        diff <(asked in.tar) <(asked m.pftrace)
    fi
}

# All that the file holds, shown or not.
kernel_rows() {
    tm-merge -f jsonl "$1" | jq -r 'select(.cpu != null and .ts != null) | "\(.ts) \(.cpu) \(.kind)"'
}

asked() {
    "$TRACE_PROCESSOR" -Q "SELECT ts, dur, ucpu, utid FROM sched ORDER BY 1, 3; SELECT ts, name, ucpu FROM ftrace_event
        ORDER BY 1, 3" "$1" 2>"$1.log"
}

early() { # START: one file
    printf '%s\n' "$1" '1000 0 5 print 2=B|5|a' '1500 0 5 print 2=E|5' 'compact 1 1100:7:seven 1200:8:eight 1700:7:seven' \
        'compact 1 1900:8:eight 2100:7:seven 2300:0:idle' '2000 0 5 print 2=B|5|b' '2500 0 5 print 2=E|5'
}

@test "the start of one file's tracing leaves nothing of another file out" {
    early 'started 900' | kernel a.pftrace
    echo 'started 2200' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    [ "$(shown m.pftrace | wc -l)" = 9 ]
    [ ! -s warnings ]
}

@test "what a reader leaves out of its file stays in the merged trace, and out of view" {
    early 'started 1400' | kernel a.pftrace
    echo 'started 2200' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    [ ! -s warnings ]
    [ "$(shown m.pftrace | head -n 1)" = '1500 0 3' ]
    diff <(kernel_rows a.pftrace) <(kernel_rows m.pftrace)
}

@test "two files with kernel data that began at different times: each from its start on, the rest is told" {
    early 'started 1400' | kernel a.pftrace
    early 'started 1800' | sed 's/compact 1/compact 2/; s/ 0 5 / 3 5 /' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    grep -q '^tm-[a-z]*: .*b.pftrace: 5 ftrace events from before its tracing started were left out, as readers of it do$' \
        warnings || { cat warnings; false; }
}

@test "what was in the buffer at the start counts where the data source says so, in its file" {
    { echo preserve; early 'started 1400'; } | kernel a.pftrace
    early 'started 1800' | sed 's/compact 1/compact 2/; s/ 0 5 / 3 5 /' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    grep -q 'b.pftrace: 5 ftrace events' warnings
}

@test "what is before a cpu's buffer began to be read is a record alone, in its file" {
    { echo whole 0 1200; echo whole 1 1600; early 'started 900'; echo 'whole 0 2600'; } | kernel a.pftrace
    echo 'started 800' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    [ "$(shown m.pftrace | grep -c record)" = 3 ]
}

@test "ftrace text has no start, and none of another file's" {
    early 'started 1400' | kernel a.pftrace
    printf '%s\n' '# tracer: nop' '  app-100 (  100) [004] ..... 0.000001: tracing_mark_write: B|100|work' \
        '  app-100 (  100) [004] ..... 0.000002: tracing_mark_write: E|100' >t.systrace
    printf '{"perfetto_manifest":{"version":1,"files":[{"path":"a.pftrace"},{"path":"t.systrace",
        "clocks":{"sync_to":{"file":"a.pftrace","clock":"BOOTTIME"}}}]}}' >manifest
    tar cf in.tar manifest a.pftrace t.systrace
    tm-merge -o m.pftrace in.tar 2>warnings
    [ "$(shown m.pftrace | grep -c ' 4 3')" = 2 ]
    diff <(shown a.pftrace) <(shown m.pftrace | grep -v ' 4 3')
}

@test "machines have their own starts" {
    early 'started 1400' | kernel a.pftrace
    early 'started 1800' | kernel b.pftrace
    printf '{"perfetto_manifest":{"version":1,"files":[{"path":"a.pftrace","machine":{"name":"a"}},
        {"path":"b.pftrace","machine":{"name":"b"}}]}}' >manifest
    tar cf in.tar manifest a.pftrace b.pftrace
    tm-merge -o m.pftrace in.tar
    diff <(shown a.pftrace b.pftrace) <(shown m.pftrace)
}
