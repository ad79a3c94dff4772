#!/usr/bin/env bats
# tm-emit -f sqlite: frames of Android's compositor and work of GPUs. The expected rows are the reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
}

packets() { # writes packets as make-packets.py reads them; each { is a packet
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace
    tm-merge -q -o p.db p.pftrace
}

same() { # QUERY WANT
    same_text "$(sqlite3 -nullvalue NULL p.db "$1")" "$2"
}

frames() {
    packets <<'END'
1 { 8: 1000 10: 7 76 { 1 { 1: 11 2: 5 3: 40 } } }
1 { 8: 1010 10: 7 76 { 3 { 1: 12 2: 3 3: 5 4: 50 5: "menu" } } }
1 { 8: 1020 10: 7 76 { 4 { 1: 13 2: 3 3: 5 4: 50 5: "menu" 6: 2 7: 1 8: 0 9: 68 10: 1 11: 1 12: 2 13: 0x40200000 15: 0x3f000000 19: 1 } } }
1 { 8: 1030 10: 7 76 { 4 { 1: 14 2: 4 3: 5 4: 60 5: "clock" 6: 4 9: 1 } } }
1 { 8: 1035 10: 7 76 { 3 { 1: 15 2: 3 3: 5 4: 50 } } }
1 { 8: 1040 10: 7 76 { 2 { 1: 16 2: 5 3: 40 4: 1 5: 1 6: 1 7: 512 8: 1 9: 3 11: 0x3f800000 15: 2 16: 6 } } }
1 { 8: 1100 10: 7 76 { 5 { 1: 13 } } }
1 { 8: 1110 10: 7 76 { 5 { 1: 11 } } }
1 { 8: 1120 10: 7 76 { 5 { 1: 12 } } }
1 { 8: 1130 10: 7 76 { 5 { 1: 16 } } }
1 { 8: 1140 10: 7 76 { 5 { 1: 77 } } }
1 { 8: 1150 10: 7 76 { 1 { 1: 17 2: 9 } } }
END
}

@test "frames are slices of their processes, with all their fields as columns" {
    frames
    same "SELECT ts, dur, s.name, pid, display_frame_token, surface_frame_token, layer_name
        FROM expected_frame_timeline_slice s JOIN process USING (upid) ORDER BY ts" \
        '1000|110|5|40|5|NULL|NULL
1010|110|3|50|5|3|menu'
    same "SELECT ts, dur, s.name, pid, display_frame_token, surface_frame_token, layer_name, present_type, on_time_finish,
        gpu_composition, jank_type, jank_severity_type, prediction_type, jank_tag, jank_tag_experimental, jank_score,
        latched_unsignaled_count, addressable_unsignaled_latch_count, latched_fence_state
        FROM actual_frame_timeline_slice s JOIN process USING (upid) ORDER BY ts" \
        '1020|80|3|50|5|3|menu|Late Present|1|0|Prediction Error, App Deadline Missed|Partial|Valid Prediction|Self Jank|Unspecified|0.5|NULL|NULL|Latched Signaled
1030|-1|4|60|5|4|clock|Dropped Frame|0|0|None|None|Unspecified Prediction|Dropped Frame|Unspecified|0.0|NULL|NULL|NULL
1040|90|5|40|5|NULL|NULL|On-time Present|1|1|SurfaceFlinger Stuffing|Full|Valid Prediction|SurfaceFlinger Stuffing|Unspecified|1.0|2|6|NULL'
    same "SELECT name, type FROM track WHERE type LIKE 'android%' ORDER BY type" 'Actual Timeline|android_actual_frame_timeline
Actual Timeline|android_actual_frame_timeline
Actual Timeline|android_actual_frame_timeline
Expected Timeline|android_expected_frame_timeline
Expected Timeline|android_expected_frame_timeline'
    same "SELECT display_value FROM args JOIN slice USING (arg_set_id) WHERE ts = 1020 AND key LIKE 'Present Delay%'" 2.5
}

@test "arrows lead from the frames of surfaces to that of the display" {
    frames
    same "SELECT a.ts, b.ts FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in ORDER BY 1" \
        '1020|1040
1030|1040'
}

@test "an end without a begin and a frame without a process are counted" {
    frames
    same "SELECT name, value FROM stats WHERE name LIKE 'frame%' ORDER BY 1" 'frame_timeline_event_parser_errors|1
frame_timeline_unpaired_end_event|1'
}

@test "frames of one process that overlap are on lanes" {
    packets <<'END'
1 { 8: 10 10: 7 76 { 2 { 1: 1 2: 1 3: 40 } } }
1 { 8: 20 10: 7 76 { 2 { 1: 2 2: 2 3: 40 } } }
1 { 8: 30 10: 7 76 { 5 { 1: 1 } } }
1 { 8: 40 10: 7 76 { 5 { 1: 2 } } }
END
    same "SELECT s.name, dur, depth, (SELECT group_concat(key || '=' || display_value) FROM args a
        WHERE a.arg_set_id = t.dimension_arg_set_id) FROM slice s JOIN track t ON t.id = track_id ORDER BY s.ts" \
        '1|20|0|upid=1,track_compressor_idx=0
2|20|0|upid=1,track_compressor_idx=1'
}

@test "other outputs show frames too, and a merged trace has the packets unchanged" {
    frames
    tm-merge -q -o p.json p.pftrace
    grep -q '"name":"3".*"Layer name":"menu"' p.json
    tm-merge -q -f text p.pftrace | grep -q '50 .*slice *80ns 3 Surface frame token=3'
    tm-merge -q -o m.pftrace p.pftrace
    tm-merge -q -o m.db m.pftrace
    query="SELECT ts, dur, name, jank_type FROM actual_frame_timeline_slice ORDER BY ts"
    [ "$(sqlite3 m.db "$query")" = "$(sqlite3 p.db "$query")" ]
}

buffers() { # one buffer, drawn twice; the second time the GPU is done before the queue event comes
    packets <<'END'
1 { 10: 1 6 { 1 { 1: 6 2: 1 } } }
1 { 8: 1000 10: 7 57 { 1 { 2: 1 3: "menu" 5: 9 } } }
1 { 8: 1400 10: 7 57 { 1 { 1: 5 2: 5 3: "menu" 5: 9 } } }
1 { 8: 1100 10: 7 57 { 1 { 1: 5 2: 2 3: "menu" 4: 20 5: 9 } } }
1 { 8: 1200 10: 7 57 { 1 { 1: 5 2: 4 3: "menu" 5: 9 } } }
1 { 8: 1500 10: 7 57 { 1 { 1: 5 2: 8 3: "menu" 5: 9 } } }
1 { 8: 2000 10: 7 57 { 1 { 2: 1 3: "menu" 5: 9 } } }
1 { 8: 2050 10: 7 57 { 1 { 1: 6 2: 4 3: "menu" 5: 9 } } }
1 { 8: 2100 10: 7 57 { 1 { 1: 6 2: 2 3: "menu" 5: 9 } } }
1 { 8: 2500 10: 7 57 { 1 { 1: 6 2: 8 3: "menu" 5: 9 } } }
1 { 8: 3000 10: 7 57 { 1 { 2: 1 5: 9 } } }
1 { 8: 3100 10: 7 57 { 1 { 2: 1 5: 9 } } }
1 { 8: 3200 10: 7 57 { 1 { 2: 5 5: 9 } } }
1 { 8: 3300 10: 7 57 { 1 { 2: 77 5: 9 } } }
1 { 8: 3400 10: 7 57 { 1 { 2: 1 } } }
1 { 8: 3500 10: 7 57 { } }
END
}

@test "buffers of graphics are slices by event and by phase, in order of time" {
    buffers
    want='1000|0|Dequeue|Buffer: 9 menu|menu|0|0|0|1000
1000|100|5|APP_9 menu|menu|5|NULL|NULL|NULL
1100|20|Queue|Buffer: 9 menu|menu|5|0|0|1100
1100|100|5|GPU_9 menu|menu|5|NULL|NULL|NULL
1200|0|AcquireFenceSignaled|Buffer: 9 menu|menu|5|100|-1200|1200
1400|0|Latch|Buffer: 9 menu|menu|5|100|200|0
1400|100|5|SF_9 menu|menu|5|NULL|NULL|NULL
1500|0|PresentFenceSignaled|Buffer: 9 menu|menu|5|100|200|100
1500|1000|5|Display_menu|menu|5|NULL|NULL|NULL
2000|0|Dequeue|Buffer: 9 menu|menu|0|100|200|600
2000|100|6|APP_9 menu|menu|6|NULL|NULL|NULL
2050|0|AcquireFenceSignaled|Buffer: 9 menu|menu|6|950|-650|650
2100|0|Queue|Buffer: 9 menu|menu|6|0|-650|700
2500|-1|6|Display_menu|menu|6|NULL|NULL|NULL
2500|0|PresentFenceSignaled|Buffer: 9 menu|menu|6|0|-650|1100
3000|-1|0|APP_9 |no_layer_name|0|NULL|NULL|NULL
3000|0|Dequeue|Buffer: 9 |no_layer_name|0|0|0|3000
3100|-1|0|APP_9 |no_layer_name|0|NULL|NULL|NULL
3100|0|Dequeue|Buffer: 9 |no_layer_name|0|0|0|3100
3200|-1|3200|SF_9 |no_layer_name|0|NULL|NULL|NULL
3200|0|Latch|Buffer: 9 |no_layer_name|0|0|3200|0
3300|0|unknown_event|Buffer: 9 |no_layer_name|0|0|3200|100'
    query="SELECT ts, dur, s.name, t.name, layer_name, frame_number, queue_to_acquire_time, acquire_to_latch_time,
        latch_to_present_time FROM frame_slice s JOIN track t ON t.id = track_id ORDER BY ts, dur, t.name"
    same "$query" "$want"
    same "SELECT depth, count(*) FROM frame_slice GROUP BY 1" '0|21
1|1'
    same "SELECT count(*) FROM gpu_track WHERE type = 'graphics_frame_event'" 8
    same "SELECT name, value FROM stats WHERE name LIKE 'graphics%'" 'graphics_frame_event_parser_errors|4'
    same "SELECT DISTINCT display_value FROM track t JOIN args a ON a.arg_set_id = t.dimension_arg_set_id
        WHERE key = 'name' AND t.name LIKE 'GPU%' ORDER BY 1" 'GPU_9 menu'
    tm-merge -q -o m.pftrace p.pftrace
    tm-merge -q -o p.db m.pftrace
    same "$query" "$want"
}

@test "other outputs show phases of buffers too" {
    buffers
    tm-merge -q -f text p.pftrace | grep -q 'APP_9 menu *slice *100ns 1000 frame_number=5 layer_name="menu"'
    tm-merge -q -o p.json p.pftrace
    [ "$(grep -c '"ph":"b"' p.json)" = 22 ]
}

@test "work of GPUs is slices of their queues, with all its fields as columns" {
    packets <<'END'
1 { 10: 7 13: 1 12 { 23 { 1: 50 2: 400 } 24 { 1: 1 2: "queue A" 3: "about" } 24 { 1: 3 2: "vertex" 3: "vertices" 4: 1 } } }
1 { 10: 7 8: 5 53 { 7 { 2 { 1: "q0" } 2 { 1: "q1" } 3 { 1: "s0" 2: "about s0" } 1 { 2: 500 } } } }
1 { 10: 7 8: 10 53 { 1: 1 2: 20 13: 1 14: 3 5: 50 8: 60 9: 61 12: 77 10: 4 6 { 1: "extra" 2: "v" } 15: 9 15: 1 16: 2 } }
1 { 10: 7 8: 15 53 { 1: 2 2: 10 13: 1 14: 3 17: "own" } }
1 { 10: 7 8: 40 53 { 1: 3 2: 5 3: 1 4: 0 11: 1 } }
1 { 10: 7 8: 50 53 { 1: 4 2: 5 3: 9 4: 7 } }
1 { 10: 7 8: 60 53 { 1: 5 2: 5 13: 8 } }
END
    same "SELECT ts, dur, s.name, depth, t.name, context_id, render_target, render_pass, command_buffer, submission_id,
        hw_queue_id, pid, render_subpasses, render_stage_category FROM gpu_slice s JOIN track t ON t.id = track_id
        JOIN process p USING (upid) ORDER BY ts" \
        '10|20|vertex|0|queue A|50|60|61|77|4|1|400|0,3,64|1
15|10|own|0|queue A|0|0|0|0|0|1|0|NULL|1
40|5|s0|0|q1|0|0|0|0|0|1|0|NULL|NULL
50|5|render stage(7)|0|Unknown GPU Queue 9|0|0|0|0|0|9|0|NULL|NULL'
    same "SELECT group_concat(key || '=' || display_value) FROM slice JOIN args USING (arg_set_id)
        WHERE ts = 10 AND key IN ('extra', 'description', 'correlation_id')" 'description=vertices,correlation_id=rp:#2,extra=v'
    same "SELECT gpu, count(*) FROM gpu JOIN track USING (gpu) GROUP BY 1" '0|3
1|1'
    same "SELECT count(*) FROM gpu_counter_track" 0
    tm-merge -q -o p.json p.pftrace
    python3 -m json.tool p.json | grep -q '"name": "vertex"'
    tm-merge -q -o m.pftrace p.pftrace
    tm-merge -q -o m.db m.pftrace
    [ "$(sqlite3 m.db "SELECT count(*) FROM gpu_slice")" = 4 ]
}
