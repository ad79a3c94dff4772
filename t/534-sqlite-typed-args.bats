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

@test "extensions of Android and of GPUs have names, and bits of flags are values of their enum" {
    packets <<'END'
1 { 10: 7 8: 10 11 { 9: 3 11: 1 10: 1 2004 { 1: "main" 4: 20 } 2001: "activity" 3001: 2 3000 { 1: 4 1: 5 } } }
1 { 10: 7 8: 11 11 { 9: 3 11: 1 10: 1 2012 { 5: -2147483645 6: 0 } } }
1 { 10: 7 8: 12 11 { 9: 3 11: 1 10: 1 2010 { 1: 10123 2: 77 3: "com.example.shop" } } }
END
    same 'message_queue.sending_thread_name|string|main
message_queue.message_delay_ms|uint|20
binder_service_name|string|activity
gpu_api|string|GPU_API_VULKAN
gpu_correlation.render_stage_submission_event_ids[0]|uint|4
gpu_correlation.render_stage_submission_event_ids[1]|uint|5
process_state_changed_event.prev_capability_flags[0]|string|PROCESS_CAPABILITY_FOREGROUND_LOCATION
process_state_changed_event.prev_capability_flags[1]|string|PROCESS_CAPABILITY_FOREGROUND_CAMERA
process_state_changed_event.prev_capability_flags[2]|string|0x80000000
process_start_event.uid|int|10123
process_start_event.pid|int|77
process_start_event.process_name|string|com.example.shop'
    [ "$(sqlite3 p.db 'SELECT name, uid FROM process WHERE pid = 77')" = 'com.example.shop|10123' ]
    [ -z "$(sqlite3 p.db "SELECT * FROM stats WHERE name = 'unknown_extension_fields'")" ]
}

@test "a process whose death Android states has ended, and its number belongs to another one afterwards" {
    packets <<'END'
1 { 10: 7 8: 10 11 { 9: 3 11: 1 10: 1 2010 { 1: 10123 2: 77 3: "com.example.shop" } } }
1 { 10: 7 8: 20 11 { 9: 3 11: 1 10: 1 2013 { 1: 10123 2: 77 3: "com.example.shop" } } }
1 { 10: 7 8: 30 11 { 9: 3 11: 1 10: 1 2013 { 1: 10123 3: "com.example.shop" } } }
1 { 10: 7 8: 30 11 { 9: 3 11: 1 10: 1 2013 { 1: 10124 2: 99 } } }
1 { 10: 7 8: 40 11 { 9: 3 11: 1 10: 1 2010 { 2: 77 3: "com.example.mail" } 2013 { 2: 78 } } }
END
    # The rows of the reference importer.
    tm-merge -q -o m.pftrace p.pftrace
    for input in p.pftrace m.pftrace; do
        tm-merge -q -o p.db $input
        run sqlite3 p.db "SELECT pid, name, end_ts, (SELECT group_concat(tid) FROM thread t WHERE t.upid = p.upid)
            FROM process p WHERE pid > 0 ORDER BY upid"
        [ "$output" = '77|com.example.shop|20|77
77|com.example.mail||77' ] || { echo "$input: $output"; false; }
    done
}

@test "extensions that a trace describes have the names of their fields, from the description on" {
    described() { # FIELD_OF_SET: 1, or 2 for gzip; a packet with the description, after one event and before another
        python3 - "$1" >p.pftrace <<'END'
import gzip, os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message

def member(name, number, kind, *more, repeated=False):
    return message((1, name), (3, number), (4, 3 if repeated else 1), (5, kind), *more)

COLOR = message((1, 'Color'), (2, message((1, 'RED'), (2, 0))), (2, message((1, 'BLUE'), (2, -5))))
BITS = message((1, 'Bits'), (2, message((1, 'A'), (2, 1))), (2, message((1, 'B'), (2, 4))))
INNER = message((1, 'Inner'), (2, member('self', 1, 11, (6, '.my.pkg.Outer.Inner'))), (2, member('n', 2, 17)))
OUTER = message(
    (1, 'Outer'), (3, INNER), (2, member('inner', 1, 11, (6, '.my.pkg.Outer.Inner'), repeated=True)),
    (2, member('colors', 2, 14, (6, '.my.pkg.Color'), repeated=True)), (2, member('ratio', 3, 1)),
    (2, member('flags', 4, 5, (8, message((73921, '.my.pkg.Bits'))))),
    (2, member('ann', 5, 11, (6, '.perfetto.protos.DebugAnnotation'))),
    (6, member('outer', 70000, 11, (2, '.perfetto.protos.TrackEvent'), (6, '.my.pkg.Outer'))))
# A known message with one more field; a field that is known keeps its name.
KNOWN = message((1, 'ChromeRasterTask'), (2, member('other', 1, 9)), (2, member('added', 90, 9)))
SET = message((1, message((2, 'my.pkg'), (4, OUTER), (5, COLOR), (5, BITS),
                          (7, member('flat', 70001, 3, (2, '.perfetto.protos.TrackEvent'))))),
              (1, message((2, 'perfetto.protos'), (4, KNOWN))))

def event(time, *fields):
    return message((8, time), (10, 1), (11, message((9, 3), (23, 'e'), *fields)))

packets = [event(1, (70001, 8)),
           message((72, message((int(sys.argv[1]), SET if sys.argv[1] == '1' else gzip.compress(SET))))),
           event(2, (70000, message((1, message((1, message((2, 3))))), (1, ''), (2, bytes([0, 7])), (2, -5), (3, 1.5),
                                    (4, 13), (5, message((10, 'q'), (4, 5)))))),
           event(3, (70001, -8), (1006, message((1, 2), (90, 'x'))))]
for packet in packets:
    sys.stdout.buffer.write(field(1, packet))
END
        tm-merge -q -o p.db p.pftrace
        same 'outer.inner[0].self.n|int|-2
outer.inner[1]|null|
outer.colors[0]|string|RED
outer.colors[1]|string|7
outer.colors[2]|string|BLUE
outer.ratio|real|1.5
outer.flags[0]|string|A
outer.flags[1]|string|B
outer.flags[2]|string|0x8
outer.q|int|5
flat|int|-8
chrome_raster_task.source_frame_number|int|2
chrome_raster_task.added|string|x'
        [ "$(sqlite3 p.db "SELECT value FROM stats WHERE name = 'unknown_extension_fields'")" = 1 ]
    }
    described 1
    described 2
}

@test "a damaged description of extensions is counted, and what comes before the damage holds" {
    packets <<'END'
1 { 72 { 2: "no gzip" } }
1 { 72 { 1: "\x0a\x1d\x3a\x19\x0a\x04flat\x12\x1b" } }
1 { 10: 7 8: 3 11 { 9: 3 11: 1 10: 1 70001: 5 } }
END
    [ "$(sqlite3 p.db "SELECT name, value FROM stats WHERE name IN ('tm_proto_damaged_messages', 'unknown_extension_fields')
        ORDER BY 1" | tr '\n' ' ')" = 'tm_proto_damaged_messages|2 unknown_extension_fields|1 ' ]
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
    [ "$(sqlite3 p.db "SELECT value FROM stats WHERE name = 'track_event_parser_errors'")" = 1 ]
}

@test "arrays in annotations of one name are one array" {
    packets <<'END'
1 { 10: 7 8: 13 11 { 9: 3 11: 1 10: 1 4 { 10: "a" 12 { 3: 1 } 12 { 3: 2 } } 4 { 10: "b" 12 { 12 { 3: 5 } } 12 { 12 { 3: 6 } } }
    4 { 10: "a" 12 { 3: 3 } 12 { 99: 1 } 12 { 11 { 10: "k" 3: 4 } } } } }
1 { 10: 7 8: 14 11 { 9: 3 11: 1 10: 1 4 { 10: "a" 8 { 1: 2 4 { 5: 1 } } } 4 { 10: "a" 8 { 1: 2 4 { 5: 2 } } } } }
END
    same 'debug.a[0]|uint|1
debug.a[1]|uint|2
debug.b[0][0]|uint|5
debug.b[1][0]|uint|6
debug.a[2]|uint|3
debug.a[3].k|uint|4
debug.a[0]|int|1
debug.a[1]|int|2'
}

@test "elements of any number of lists in a message are counted" {
    python3 - >p.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
lists = [(2, message((1, 'list%d' % i), (3, i), (4, 3), (5, 3))) for i in range(1, 21)]
types = message((1, message((2, 'my'), (4, message((1, 'Lists'), *lists)), (7, message(
    (1, 'lists'), (3, 70000), (4, 1), (5, 11), (2, '.perfetto.protos.TrackEvent'), (6, '.my.Lists'))))))
event = message((9, 3), (23, 'e'), (70000, message(*((i, 10 * i + k) for k in range(2) for i in range(1, 21)))))
for packet in ((72, message((1, types))),), ((8, 5), (10, 1), (11, event)):
    sys.stdout.buffer.write(field(1, message(*packet)))
END
    tm-merge -q -o p.db p.pftrace
    [ "$(sqlite3 p.db "SELECT group_concat(key || '=' || int_value, ' ') FROM (SELECT * FROM args
        WHERE key GLOB 'lists.list1*' OR key GLOB 'lists.list20*' ORDER BY key) WHERE key GLOB '*.list[12][0789]*'")" = \
        'lists.list10[0]=100 lists.list10[1]=101 lists.list17[0]=170 lists.list17[1]=171 lists.list18[0]=180 lists.list18[1]=181 lists.list19[0]=190 lists.list19[1]=191 lists.list20[0]=200 lists.list20[1]=201' ]
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

@test "what is wrong in an annotation ends it, and is counted if the event is shown" {
    packets <<'END'
1 { 10: 7 8: 1 11 { 9: 3 23: "e" 4 { 10: "d" 11 { 10: "a" 4: 1 } 11 { 10: "b" 17: 9 } 11 { 10: "c" 4: 2 } } 4 { 10: "z" 4: 3 } } }
1 { 10: 7 8: 2 11 { 9: 3 23: "e" 4 { 10: "l" 12 { 4: 1 } 12 { 11 { 4: 7 } } 12 { 4: 2 } } 4 { 1: 9 4: 1 } } }
1 { 10: 7 8: 3 11 { 9: 3 23: "e" 4 { 10: "short" 8 { 1: 1 2: "k" 2: "l" 3 { 5: 1 } } } 4 { 10: "n" 8 { 1: 1 2: "k" 3 { 5: 1 } } } } }
1 { 10: 7 8: 4 11 { 9: 4 11: 5 30: 1 4 { 1: 9 4: 1 } } }
END
    same 'debug.d.a|int|1
debug.z|int|3
debug.l[0]|int|1
debug.n.k|int|1'
    [ "$(sqlite3 p.db "SELECT name, value FROM stats WHERE name GLOB '*_errors'")" = 'track_event_parser_errors|4' ]
}

@test "log messages of threads are rows of android_logs" {
    packets <<'END'
1 { 10: 7 12 { 4 { 1: 4 2: "c\d.cc" 3: "Stop" 4: 50 } 20 { 1: 5 2: "hello" } 20 { 1: 6 2: "bye" } } }
1 { 10: 7 60 { 1: 1 4 { 1: 5 2: 6 5: "worker" } } }
1 { 10: 7 60 { 1: 2 3 { 1: 5 } } }
1 { 10: 7 60 { 1: 3 5: 99 4 { 1: 5 2: 8 } } }
1 { 10: 7 8: 10 11 { 9: 3 11: 1 23: "i" 21 { 1: 4 2: 5 3: 6 } } }
1 { 10: 7 8: 20 11 { 9: 1 11: 1 23: "s" 21 { 2: 6 } } }
1 { 10: 7 8: 30 11 { 9: 2 11: 1 21 { 1: 3 2: 5 3: 0 } } }
1 { 10: 7 8: 40 11 { 9: 2 11: 1 21 { 1: 3 2: 5 } } }
1 { 10: 7 8: 50 11 { 9: 3 11: 2 23: "of a process" 21 { 2: 5 } } }
1 { 10: 7 8: 60 11 { 9: 3 11: 3 23: "on no track" 21 { 2: 5 } } }
1 { 10: 7 8: 70 11 { 9: 3 11: 1 23: "no text" 21 { 2: 9 } } }
1 { 10: 7 8: 80 11 { 9: 3 11: 1 23: "no place" 21 { 1: 9 2: 5 3: 99 } } }
1 { 10: 7 8: 90 11 { 11: 1 23: "of a process" 6 { 2: 73 14: 2 } 21 { 2: 5 } } }
1 { 10: 7 8: 95 11 { 9: 3 11: 1 23: "odd" 21 { 2: 5 3: 99 } } }
END
    want="$(sqlite3 p.db "SELECT ts, prio, tag, msg, t.name FROM android_logs l JOIN thread t USING (utid) ORDER BY ts")"
    [ "$want" = '10|6|c\d.cc:50|hello|worker
20|4||bye|worker
30|0|a\b.cc:49|hello|worker
95|0||hello|worker' ]
    [ "$(sqlite3 p.db "SELECT ts, substr(key, 13), display_value FROM slice JOIN args a USING (arg_set_id)
        WHERE key GLOB 'track_event.*' ORDER BY ts, a.id")" = '10|log_message.message|hello
10|log_message.file_name|c\d.cc
10|log_message.function_name|Stop
10|log_message.line_number|50
10|priority|6
20|log_message.message|hello
20|log_message.file_name|a\b.cc
20|log_message.function_name|Go
20|log_message.line_number|49
20|priority|0
80|log_message.message|hello
95|log_message.message|hello
95|priority|0' ]
    [ "$(sqlite3 p.db "SELECT sum(value) FROM stats WHERE name = 'track_event_parser_errors'")" = 6 ]
}
