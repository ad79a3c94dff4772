# tm-emit -f sqlite: facts that a trace states about its machine and cpus. The expected rows are the reference
# importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

packets() { # LIST, as for listed_packets
    listed_packets "$1" >p.pftrace
    tm-merge -o p.db p.pftrace
}

same() { # QUERY WANT
    same_text "$(sqlite3 p.db "$1")" "$2"
}

@test "cpus have processor, capacity, cluster, args and frequencies" {
    packets '[[(67, message((1, message((1, "big"), (2, 300), (2, 200), (3, 1024), (4, message((1, 65), (4, 7))))),
        (1, message((1, "small"), (2, 100), (3, 512), (5, 2))), (1, message((1, "big"), (3, 1024)))))]]'
    same "SELECT id, ucpu, cpu, cluster_id, processor, machine_id, capacity FROM cpu ORDER BY cpu" \
        $'0|0|0|1|big|0|1024\n1|1|1|0|small|0|512\n2|2|2|1|big|0|1024'
    same "SELECT ucpu, freq FROM cpu_available_frequencies ORDER BY ucpu, id" $'0|300\n0|200\n1|100'
    same "SELECT c.cpu, key, value_type, display_value FROM cpu c, args a WHERE a.arg_set_id = c.arg_set_id ORDER BY a.id" \
        '0|arm_cpu_implementer|uint|65
0|arm_cpu_architecture|uint|0
0|arm_cpu_variant|uint|0
0|arm_cpu_part|uint|7
0|arm_cpu_revision|uint|0
1|cpu_features.mte3|bool|true
1|cpu_features.raw_bitmap|uint|2'
}

@test "clusters follow from the highest frequencies if a cpu has no capacity" {
    packets '[[(67, message((1, message((2, 300), (3, 9))), (1, message((2, 100))), (1, message((2, 50), (2, 300)))))]]'
    same "SELECT cpu, cluster_id, capacity FROM cpu ORDER BY cpu" $'0|1|9\n1|0|\n2|1|'
}

@test "a machine has memory, page size and number of cpus, and an undescribed cpu has only its number" {
    packets '[[(45, message((5, 34), (6, 16384), (8, 8), (16, 7500000000)))],
        [(10, 7), (1, field(1, 3) + field(2, field(1, 1000) + field(2, 9) + field(13, message((1, 1), (2, 3))))) ]]'
    same "SELECT num_cpus, android_sdk_version, system_ram_bytes, system_ram_gb, page_size FROM machine" \
        '8|34|7500000000|8|16384'
    same "SELECT ucpu, cluster_id, processor, capacity, arg_set_id FROM cpu" '3|0|||'
}

@test "processes of the process tree state whether they are kernel threads, and only they have a command line" {
    packets '[[(8, 1000), (10, 7), (2, message((1, message((1, 2), (3, "kthreadd"), (8, 1))),
        (1, message((1, 5), (2, 1), (3, "/bin/app"), (3, "-v"), (8, 0)))))],
        [(8, 2000), (10, 7), (60, message((1, 9), (3, message((1, 9), (2, "own"), (6, "other"), (8, "label")))))],
        [(8, 3000), (10, 7), (2, message((1, message((1, 9), (2, 1), (3, "/bin/other"), (8, 0)))))]]'
    same "SELECT pid, name, cmdline, (SELECT group_concat(key || '=' || display_value) FROM args a
        WHERE a.arg_set_id = p.arg_set_id) FROM process p WHERE pid IN (2, 5, 9) ORDER BY pid" \
        '2|kthreadd|kthreadd|is_kthread=true
5|/bin/app|/bin/app -v|is_kthread=false
9|/bin/other|/bin/other|chrome.process_label[0]=label,is_kthread=false'
    packets '[[(8, 2000), (10, 7), (60, message((1, 9), (3, message((1, 9), (2, "own"), (6, "other")))))]]'
    same "SELECT pid, name, cmdline FROM process WHERE pid = 9" '9|other|'
}

@test "frequencies of each GPU are a track of its own" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >p.pftrace <<'END'
1000 0 5 #332 1=0 2=300
1100 0 5 #332 1=1 2=400
1200 0 5 #509 1=500 2=1
END
    tm-merge -o p.db p.pftrace
    same "SELECT c.ts, c.value, t.name, t.type, t.gpu_id FROM counter c JOIN gpu_counter_track t ON t.id = c.track_id" \
        '1000|300.0|gpufreq|gpu_frequency|0
1100|400.0|gpufreq|gpu_frequency|1
1200|500000.0|gpufreq|gpu_frequency|1'
    same "SELECT gpu FROM gpu ORDER BY gpu" $'0\n1'
}

# The rows are the reference importer's: texts of a later packet replace earlier ones, and so do all of its args.
@test "GPUs have the names, texts and args that the machine states" {
    packets '[[(10, 7), (8, 5), (128, message(
            (1, message((1, "A100"), (2, "NVIDIA"), (3, "GA100"), (4, "Ampere"), (5, bytes(range(250, 256))), (7, "0000:01:00.0"),
                (6, message((1, "driver"), (2, "550"))), (6, message((1, "memory"), (2, "80 GB"))), (6, message((1, "none")))))))],
        [(10, 7), (128, message((1, message((3, "GA100B"), (6, message((1, "driver"), (2, "551"))))), (1, b""),
            (1, message((1, ""), (2, "x")))))],
        [(10, 7), (8, 9), (98, 5), (128, message((1, message((1, "other")))))]]'
    want="0|A100|NVIDIA|GA100B|Ampere|fafbfcfdfeff|0000:01:00.0|driver=551
1|||||||
2||x|||||
0|other||||||"
    query="SELECT gpu, name, vendor, model, architecture, uuid, pci_bdf, (SELECT group_concat(key || '=' || display_value)
        FROM args a WHERE a.arg_set_id = g.arg_set_id) FROM gpu g ORDER BY machine_id, gpu"
    same "$query" "$want"
    tm-merge -q -o m.pftrace p.pftrace
    tm-merge -q -o p.db m.pftrace
    same "$query" "$want"
}
