# tm-emit -f sqlite: owners of the memory that the kernel counts, and frequencies. The expected rows are the reference
# importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

merged_kernel() { # LINES of t/gen/make-kernel.py
    kernel
    tm-merge -o k.db k.pftrace
}

counters() { # prints time, name, type, value, pid of a process's counter, tid of a thread's
    sqlite3 k.db "SELECT c.ts, t.name, t.type, CAST(c.value AS INTEGER), p.pid, h.tid FROM counter c
        JOIN track t ON t.id = c.track_id LEFT JOIN process_counter_track pt ON pt.id = t.id LEFT JOIN process p USING (upid)
        LEFT JOIN thread_counter_track tt ON tt.id = t.id LEFT JOIN thread h ON h.utid = tt.utid ORDER BY c.ts"
}

unknown() {
    sqlite3 k.db "SELECT value FROM stats WHERE name = 'rss_stat_unknown_thread_for_mm_id'"
}

@test "memory of another task belongs to the thread that last reported the address space as its own" {
    merged_kernel <<'END'
process 9 nine
1000 0 5 #313 1=1 2=4096 3=1 4=77
1100 0 6 #313 1=1 2=8192 3=0 4=77
1200 0 6 #313 1=1 2=100 3=0 4=78
1300 0 7 #313 1=0 2=300
1400 0 8 #313 1=9 2=301
1500 0 8 #313 1=1 2=-5 3=1 4=80
1700 0 9 #313 1=1 2=900 3=1 4=90
2100 0 6 #313 1=2 2=902 3=0 4=90
2200 0 22 #359 1=1 2=1 3=60 4=77
2300 0 23 #359 1=0 2=1 3=60 4=78
END
    same_text "$(counters)" '1000|mem.rss.anon|process_memory_thread_fallback|4096||5
1100|mem.rss.anon|process_memory_thread_fallback|8192||5
1300|mem.rss.file|process_memory_thread_fallback|300||7
1400|mem.unknown|process_memory_thread_fallback|301||8
1700|mem.rss.anon|process_memory|900|9|
2100|mem.swap|process_memory|902|9|
2200|mem.rss.anon|process_memory_thread_fallback|77||22
2300|mem.rss.anon|process_memory_thread_fallback|78||22'
    same_text "$(unknown)" 1
}

@test "the address space of a thread that ended has no owner until a thread reports it" {
    merged_kernel <<'END'
process 9 nine
1000 0 9 #313 1=1 2=1 3=1 4=90
1100 0 9 #240 1=nine 2=9
1200 0 6 #313 1=1 2=2 3=0 4=90
1300 0 12 #313 1=1 2=3 3=1 4=90
1400 0 6 #313 1=1 2=4 3=0 4=90
END
    same_text "$(counters)" '1000|mem.rss.anon|process_memory|1|9|
1300|mem.rss.anon|process_memory_thread_fallback|3||12
1400|mem.rss.anon|process_memory_thread_fallback|4||12'
    same_text "$(unknown)" 1
}

@test "the order of time decides, not that of the file" {
    merged_kernel <<'END'
3100 0 20 #313 1=1 2=10 3=0 4=55
3050 0 21 #313 1=1 2=11 3=1 4=55
3020 0 22 #313 1=1 2=12 3=0 4=55
END
    same_text "$(counters)" '3050|mem.rss.anon|process_memory_thread_fallback|11||21
3100|mem.rss.anon|process_memory_thread_fallback|10||21'
    same_text "$(unknown)" 1
}

@test "a process that becomes known later has the counters of all its threads on one track" {
    merged_kernel <<'END'
4000 0 30 #313 1=1 2=1 3=1 4=60
4050 0 31 #313 1=1 2=2 3=1 4=60
4100 0 30 #3 1=1 2=B|30|x
4200 0 30 #313 1=1 2=3 3=1 4=60
4300 0 31 #3 1=1 2=B|30|y
END
    same_text "$(counters | grep mem)" '4000|mem.rss.anon|process_memory|1|30|
4050|mem.rss.anon|process_memory|2|30|
4200|mem.rss.anon|process_memory|3|30|'
    same_text "$(sqlite3 k.db "SELECT count(*) FROM track WHERE name = 'mem.rss.anon'")" 1
    same_text "$(sqlite3 k.db "PRAGMA integrity_check")" ok
}

@test "frequencies of kernels other than Linux are those of cpus and GPUs" {
    python3 - >k.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
for packet in ([(8, 100), (118, message((1, 2), (2, 1500500)))], [(8, 200), (129, message((1, 1), (2, 700)))]):
    sys.stdout.buffer.write(field(1, message(*packet)))
END
    tm-merge -o k.db k.pftrace
    same_text "$(sqlite3 k.db "SELECT c.ts, t.name, t.type, c.value, t.cpu, t.gpu FROM counter c JOIN track t ON t.id = c.track_id
        ORDER BY c.ts")" '100|cpufreq|cpu_frequency|1500.5|2|
200|gpufreq|gpu_frequency|700.0||1'
}

@test "events of f2fs and UFS are counters" {
    merged_kernel <<'END'
1000 0 5 #419 1=5 2=6 8=9 9=65026 15=3 23=7
2000 0 5 #420 1=1 3=2 10=65026 28=9
3000 0 5 #406 2=7 7=1 10=0
3100 0 5 #406 2=0 7=1 10=1
3200 0 5 #406 7=1 10=0
END
    same_text "$(counters | cut -d'|' -f1-4 | grep -v '|0$')" '1000|f2fs_iostat.[254:2].write_app_buffered|f2fs_iostat|5
1000|f2fs_iostat.[254:2].read_app_buffered|f2fs_iostat|6
1000|f2fs_iostat.[254:2].write_app_total|f2fs_iostat|9
1000|f2fs_iostat.[254:2].other_fs_discard|f2fs_iostat|3
1000|f2fs_iostat.[254:2].read_fs_node|f2fs_iostat|7
2000|f2fs_iostat_latency.[254:2].read_data_avg|f2fs_iostat_latency|1
2000|f2fs_iostat_latency.[254:2].read_data_peak|f2fs_iostat_latency|2
2000|f2fs_iostat_latency.[254:2].write_sync_node_peak|f2fs_iostat_latency|9
3000|io.ufs.command.count|ufs_command_count|3
3200|io.ufs.command.count|ufs_command_count|1'
    same_text "$(sqlite3 k.db "SELECT count(*) FROM counter")" 52
}

@test "counters of unsigned numbers from 2^63 on are positive, others of signed ones negative" {
    kernel <<'END'
1000 0 5 #16 1=core 2=18446744073709551615
1100 0 5 #351 1=7 2=-5 3=9223372036854775808
1200 0 5 #326 1=x 2=-900 3=5
1300 0 5 #341 1=1 2=-40 4=skin
1400 0 5 #315 1=sys 2=8 3=18446744073709551615
1500 0 5 #340 1=0 2=0 3=9223372036854775807
END
    tm-merge -o k.db k.pftrace
    # The values are those of the reference importer.
    same_text "$(sqlite3 k.db "SELECT t.name, c.value FROM counter c JOIN track t ON t.id = c.track_id ORDER BY c.ts, c.id")" \
        'core Frequency|1.84467440737096e+19
mem.dma_heap|9.22337203685478e+18
mem.dma_heap_change|-5.0
oom_score_adj|-900.0
skin Temperature|-40.0
mem.ion.sys|7.0
mem.ion_change.sys|8.0
GPU Memory|9.22337203685478e+18'
    # The reader of merged.json finds the same numbers.
    tm-merge -o k.json k.pftrace
    grep -q '1.8446744073709552e+19\|18446744073709551616' k.json || { cat k.json; false; }
}
