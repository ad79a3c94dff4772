#!/usr/bin/env bats
# Arguments of track events that are messages of their own. The expected rows are the reference importer's.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

packets() { # writes packets as make-packets.py reads them, after interned names
    { cat <<'END'
1 { 10: 7 13: 1 12 { 2 { 1: 1 2: "run" } 3 { 1: 2 2: "data" } 4 { 1: 3 2: "a\\b.cc" 3: "Go" 4: 49 } 25 { 1: 6 2: "Hist" }
    27 { 1: 4 2: ".perfetto.protos.ChromeMojoEventInfo" } } }
END
    cat; } | python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace
    tm-merge -q -o p.db p.pftrace
}

same() { # WANT
    local have
    have=$(sqlite3 p.db "SELECT key, value_type, display_value FROM slice JOIN args a USING (arg_set_id) ORDER BY ts, a.id")
    [ "$have" = "$1" ] || { diff <(echo "$1") <(echo "$have"); false; }
}

@test "numbers, texts, enums, lists and messages have the paths of their names as keys" {
    packets <<'END'
1 { 10: 7 8: 10 11 { 9: 3 11: 1 10: 1 38 { 1: "IPC Channel" 4: 77 } 49 { 1: 5 1: 6 } 49 { 1 [ 7 8 ] 1: 9 } } }
1 { 10: 7 8: 11 11 { 9: 3 11: 1 10: 1 1010 { 2: 1 5 { } } 1002 { 2: 3 1: 1 } 1006 { 1: -1 } } }
1 { 10: 7 8: 12 11 { 9: 3 11: 1 10: 1 24 { 1 { 1 { 1: 1 2: 4 } } 5: 1 } 40 { 1: 99 } 50 { 1: "four" } } }
END
    same 'chrome_mojo_event_info.watcher_notify_interface_tag|string|IPC Channel
chrome_mojo_event_info.mojo_interface_method_iid|uint|77
chrome_active_processes.pid[0]|int|7
chrome_active_processes.pid[1]|int|8
chrome_active_processes.pid[2]|int|9
frame_tree_node_info.is_main_frame|bool|true
frame_tree_node_info.speculative_frame_host|null|
chrome_task_annotator.task_delay_us|uint|3
chrome_task_annotator.ipc_hash|uint|1
chrome_raster_task.source_frame_number|int|-1
cc_scheduler_state.state_machine.major_state.next_action|string|CC_SCHEDULER_ACTION_NONE
cc_scheduler_state.state_machine.major_state.begin_impl_frame_state|string|4
cc_scheduler_state.skipped_last_frame_missed_exceeded_deadline|bool|true
chrome_renderer_scheduler_state.rail_mode|string|99
screenshot.jpg_image|string|Zm91cg=='
}

@test "interned values are looked up, with the message beside them" {
    packets <<'END'
1 { 10: 7 8: 12 11 { 9: 3 11: 1 10: 1 34: 3 28 { 1: 99 3: 5 4: 6 } 5 { 1: 3 } } }
END
    same 'source.file_name|string|a/b.cc
source.function_name|string|Go
source.line_number|uint|49
chrome_histogram_sample.name|string|Hist
task.posted_from.file_name|string|a/b.cc
task.posted_from.function_name|string|Go
task.posted_from.line_number|uint|49
source_location_iid|uint|3
chrome_histogram_sample.name_hash|uint|99
chrome_histogram_sample.sample|int|5
chrome_histogram_sample.name_iid|uint|6'
}

@test "annotations can be messages of a named type, and messages can have annotations" {
    packets <<'END'
1 { 10: 7 8: 13 11 { 9: 3 11: 1 10: 1 4 { 10: "m" 13: 4 14 { 4: 88 } } 4 { 10: "e" 16: ".perfetto.protos.ChromeRasterTask" 14 { } }
    4 { 10: "d" 16: ".perfetto.protos.DebugAnnotation" 14 { 10: "in" 6: "text" } } 1010 { 99 { 10: "a.b" 4: 1 } } } }
1 { 10: 7 8: 15 11 { 9: 3 11: 1 10: 1 4 { 10: "gone" 16: ".perfetto.protos.NoSuch" 14 { 1: 1 } } } }
END
    same 'frame_tree_node_info.a_b|int|1
debug.m.mojo_interface_method_iid|uint|88
debug.e|null|
debug.d.in|string|text'
    [ "$(sqlite3 p.db "SELECT value FROM stats WHERE name = 'debug_annotation_errors'")" = 1 ]
}

@test "an annotation with a number and a text as its name has the name of the number" {
    packets <<'END'
1 { 10: 7 8: 13 11 { 9: 3 11: 1 10: 1 4 { 1: 2 11 { 10: "x" 4: 3 } 10: "line" 11 { 10: "y" 3: 4 } } 4 { 10: "line" 1: 2 4: 5 } } }
END
    same 'debug.data.x|int|3
debug.data.y|uint|4
debug.data|int|5'
}

@test "bytes that are cut short end the arguments and nothing else" {
    packets <<'END'
1 { 10: 7 8: 13 11 { 9: 3 11: 1 10: 1 38 { 4: 1 } 49: "\x07\x80" 1010: "\x10" } }
1 { 10: 7 8: 14 11 { 9: 3 11: 1 10: 1 1006 { 1: 2 } } }
END
    [ "$(sqlite3 p.db "SELECT group_concat(key) FROM slice JOIN args USING (arg_set_id) WHERE ts = 14")" = chrome_raster_task.source_frame_number ]
}

@test "an end repeats the many args of its begin, and a key has its last value" {
    python3 - >m.json <<'END'
import json
args = {"r%d" % i: i + 0.5 for i in range(100)}
args["long"] = "x" * 1200
print(json.dumps([{"ph": "B", "ts": 1, "pid": 1, "tid": 1, "name": "a", "args": args},
                  {"ph": "E", "ts": 2, "pid": 1, "tid": 1, "args": {"r3": 7.25, "new": 8.5}},
                  {"ph": "B", "ts": 3, "pid": 1, "tid": 1, "name": "b", "args": {"x": 1.5, "y": 2.5}},
                  {"ph": "E", "ts": 4, "pid": 1, "tid": 1, "args": {"x": 3.5, "z": 4.5}}]))
END
    tm-merge -q -o p.db m.json
    [ "$(sqlite3 p.db "SELECT count(*), sum(a.id - a.arg_set_id), count(real_value) FROM slice JOIN args a USING (arg_set_id)
        WHERE slice.name = 'a'")" = '102|5151|101' ]
    [ "$(sqlite3 p.db "SELECT key, real_value, a.id - a.arg_set_id FROM slice JOIN args a USING (arg_set_id)
        WHERE slice.name = 'b' OR key IN ('args.r3', 'args.r99', 'args.new') ORDER BY ts, a.id" | tr '\n' ' ')" = \
        'args.r3|7.25|3 args.r99|99.5|99 args.new|8.5|101 args.x|3.5|0 args.y|2.5|1 args.z|4.5|2 ' ]
}

@test "a number that a repeated argument replaces by NaN is not shown" {
    packets <<'END'
1 { 10: 7 8: 10 11 { 9: 3 11: 1 10: 1 4 { 10: "x" 5: 1.5 } 4 { 10: "y" 5: 2.5 } 4 { 10: "x" 5: 0x7ff8000000000000 } } }
END
    same 'debug.x|real|
debug.y|real|2.5'
    [ "$(sqlite3 p.db 'SELECT count(*) FROM tm_arg_real')" = 1 ]
}

@test "keys of arguments after more keys than are remembered" {
    python3 - >k.json <<'END'
import json
sets = [range(3)] + [range(i, min(i + 2, 65536)) for i in range(3, 65536, 2)] + [[900000, 900001, 2, 1], range(3)]
print(json.dumps([{'ph': 'i', 's': 't', 'pid': 1, 'tid': 1, 'ts': i, 'name': 'n',
                   'args': {'k%06d' % key: i for key in keys}} for i, keys in enumerate(sets)]))
END
    tm-merge -o k.db k.json
    run sqlite3 k.db "SELECT key FROM slice JOIN args USING (arg_set_id)
        WHERE ts > (SELECT max(ts) - 2000 FROM slice) ORDER BY ts, args.id"
    echo "$output"
    [ "$output" = "args.k900000
args.k900001
args.k000002
args.k000001
args.k000000
args.k000001
args.k000002" ]
}

@test "JSON in an annotation that is damaged has the arguments before the damage, and is counted" {
    packets <<'END'
1 { 10: 7 8: 1 11 { 9: 3 23: "e" 4 { 10: "text" 9: "nope" } 4 { 10: "list" 9: "[1,2,,3]" } 4 { 10: "whole" 9: " {\"a\": 1} " }
    4 { 10: "deep" 9: "{\"a\":{\"b\":[3,{\"c\":4},x" } 4 { 10: "after" 9: "5 6" } 4 { 10: "none" 9: "" } } }
END
    same 'debug.list[0]|int|1
debug.list[1]|int|2
debug.whole.a|int|1
debug.deep.a.b[0]|int|3
debug.deep.a.b[1].c|int|4
debug.after|int|5'
    [ "$(sqlite3 p.db "SELECT value FROM stats WHERE name = 'debug_annotation_errors'")" = 4 ]
}
