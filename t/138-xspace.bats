#!/usr/bin/env bats
# Profiles of JAX and TensorFlow: names, times, arguments, arrows, clocks. The machines that run these tests have no
# such profiler. t/gen/make-xspace.py generates profiles by the public schema.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

make_xspace() {
    python3 "$TM_SRC/t/gen/make-xspace.py" "$@"
}

# Prints the slices of x.db: time since the recording started, duration, depth, name, line, plane.
slices() {
    sqlite3 x.db "SELECT s.ts - 1763900000123456789, s.dur, s.depth, s.name, t.name, p.name FROM slice s
        JOIN thread_track k ON s.track_id = k.id JOIN thread t USING (utid) JOIN process p USING (upid)
        ORDER BY s.ts, s.dur DESC, t.name"
}

@test "xspace: planes are processes, lines are threads, and picoseconds are rounded down" {
    make_xspace >a.xplane.pb
    tm-merge -q -o x.db a.xplane.pb
    slices >got
    diff - got <<'END'
1000|20000|0|train|python|/host:CPU
2000|2000|1|a|python|/host:CPU
2000|0|2|tiny|python|/host:CPU
3500|4000|0|Region|tf_XLAEigen/102|/host:CPU
5000|1001|1|cuLaunchKernel|python|/host:CPU
6000|0|2|instant|python|/host:CPU
7000|3000|0|fusion.1|Ops|/device:GPU:0
7000|3000|0|fusion_1|Stream #14(Compute)|/device:GPU:0
7000|1|1|event 99|python|/host:CPU
9500|1000|0|Region|tf_XLAEigen/102|/host:CPU
11500|1000|0|Region|tf_XLAEigen/102|/host:CPU
END
    [ "$(sqlite3 x.db "SELECT reason || ' ' || events FROM tm_accounting WHERE reason != 'placed'")" = 'not_shown 1' ]
}

@test "xspace: stats of events and of their metadata are arguments, and flows are arrows" {
    make_xspace >a.xplane.pb
    tm-merge -q -o x.db a.xplane.pb
    [ "$(sqlite3 x.db "SELECT group_concat(s.name || ':' || key || '=' || display_value, ' ') FROM args a
        JOIN slice s USING (arg_set_id) WHERE s.name IN ('train', 'a', 'cuLaunchKernel', 'fusion.1')")" = \
        "train:step_num=-3 a:tf_op=of the metadata a:_p=9 a:_pt=12 cuLaunchKernel:correlation_id=77 cuLaunchKernel:tf_op=jit(step) cuLaunchKernel:share=0.5 fusion.1:long_name=%fusion.1 = f32[8]{0} fusion(...)" ]
    [ "$(sqlite3 x.db "SELECT group_concat(o.name || '>' || i.name || ' ' || (i.ts - o.ts), ',') FROM flow f
        JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in")" = 'a>Region 1500,cuLaunchKernel>fusion_1 2000,Region>Region 2000' ]
    [ "$(sqlite3 x.db "SELECT value FROM stats WHERE name = 'xspace_stats_not_shown'")" = 1 ]
    tm-merge -q -f report a.xplane.pb >report
    grep -qF 'xspace./device:GPU:0.core_count = 132' report
    grep -qF 'xspace_error.0 = an error' report
    grep -qF 'xspace_warning.0 = a warning' report
    grep -qF 'xspace_warning.1 = another' report
    grep -qF 'xspace_hostname.0 = worker-0' report
    grep -qF 'xspace_events_without_name = 1 ' report # event 99
}

@test "xspace: a merged trace that is read again has the same times" {
    make_xspace >a.xplane.pb
    tm-merge -q -o x.db a.xplane.pb
    slices | cut -d'|' -f1,2,4 | sort >first
    tm-merge -q -o again.pftrace a.xplane.pb
    rm x.db
    tm-merge -q -o x.db again.pftrace
    sqlite3 x.db "SELECT ts - 1763900000123456789, dur, name FROM slice" | sort >again
    diff first again
    [ "$(sqlite3 x.db "SELECT COUNT(*) FROM flow")" -eq 3 ]
    [ "$(sqlite3 x.db "SELECT display_value FROM args JOIN slice USING (arg_set_id) WHERE key LIKE '%kernel_details'")" = grid:1,1,1 ]
}

@test "xspace: the wall clock is used if the profile states it, and relates traces that have it" {
    make_xspace >started.pb
    make_xspace epoch >epoch.pb
    make_xspace bare >bare.pb
    printf '100 1763900000.123461 getppid() = 8\n' >s.strace
    tm-merge -q -o x.db s.strace started.pb epoch.pb
    [ "$(sqlite3 x.db "SELECT group_concat(name || ' ' || (ts - 1763900000123456789), ',') FROM slice
        WHERE name IN ('getppid', 'cuLaunchKernel') ORDER BY ts")" = 'getppid 4211,cuLaunchKernel 5000,cuLaunchKernel 5000' ]
    # two profiles are four processes, whatever the names of their planes
    [ "$(sqlite3 x.db "SELECT COUNT(*) FROM process WHERE name LIKE '/%'")" -eq 4 ]
    [ "$(sqlite3 x.db "SELECT DISTINCT rule FROM tm_placement")" = trace_time ]
    tm-merge -q -f report bare.pb | grep -qF 'TRACE_FILE of host, claimed by bare.pb'
    tm-merge -q -f report s.strace bare.pb | grep -qF 's.strace, host, REALTIME: private'
}

@test "xspace: events are at the times of a kernel trace whose snapshot has the wall clock" {
    make_xspace >a.xplane.pb
    python3 - "$TM_SRC/t/gen" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from wire import field as f
clock = lambda i, t: f(1, f(1, i) + f(2, t))
packet = f(1, f(6, clock(6, 50_000) + clock(1, 1763900000123456789)) + f(10, 1))
event = f(1, f(8, 55_000) + f(10, 1) + f(11, f(9, 3) + f(11, 7) + f(23, b'from the proto')))
open('p.pftrace', 'wb').write(packet + event)
PY
    tm-merge -q -o x.db p.pftrace a.xplane.pb
    [ "$(sqlite3 x.db "SELECT group_concat(name || ' ' || ts, ',') FROM slice WHERE name IN ('from the proto', 'cuLaunchKernel')")" = \
        'cuLaunchKernel 55000,from the proto 55000' ] ||
        [ "$(sqlite3 x.db "SELECT group_concat(name || ' ' || ts, ',') FROM slice WHERE name IN ('from the proto', 'cuLaunchKernel')")" = \
        'from the proto 55000,cuLaunchKernel 55000' ]
}

@test "xspace: a profile from a pipe, in gzip and in an archive gives the same rows" {
    make_xspace >a.xplane.pb
    gzip -k a.xplane.pb
    tar cf a.tar a.xplane.pb
    rows() { tm-merge -q -f csv "$1" | cut -d, -f1-4,8-10; }
    rows a.xplane.pb >want
    cat a.xplane.pb | rows - | diff want -
    rows a.xplane.pb.gz | diff want -
    rows a.tar | diff want -
    [ "$(wc -l <want)" -eq 12 ]
    tm-unpack --list a.tar | grep -q $'xspace\t.*a.xplane.pb'
}

@test "xspace: a cut or damaged profile is an error, or is read as far as possible" {
    make_xspace cut >cut.pb
    run tm-merge -o x.db cut.pb
    [ "$status" -eq 1 ]
    [[ $output == *"cut.pb: byte 300: the profile is cut short (--on-damage=skip or salvage goes on)"* ]]
    tm-merge -q --on-damage=salvage -f csv cut.pb | grep -q 'event 3'
    make_xspace broken >broken.pb
    run tm-merge -o x.db broken.pb
    [ "$status" -eq 1 ]
    [[ $output == *"broken.pb: byte 27: an event with damaged fields"* ]]
    tm-merge -q --on-damage=skip -f report broken.pb >report
    grep -q 'damaged: 1, first at byte 27' report
    grep -q '12 events read, 10 placed, 2 dropped' report
}
