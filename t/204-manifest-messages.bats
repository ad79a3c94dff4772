#!/usr/bin/env bats
# Messages about a bad manifest have the words of the specification and of the reference importer, after the field.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    echo '{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]}' >a.json
    printf 'snap 6=1000 1=5000\ninstant x 2000 seq=1\ninstant y 3000 seq=2 m=7\n' | proto many.pftrace
    printf 'snap 6=1000 1=5000\ninstant x 2000 seq=1\nsync client 6=1000 host 6=900 m=7\n' | proto synced.pftrace
    printf 'instant x 2000 seq=1\ninstant y 3000 seq=2 m=7\n' | proto bare.pftrace
    printf 'instant x 2000 seq=1\nsync client 6=1000 host 6=900 m=7\n' | proto bare-synced.pftrace
    tar cf inner.tar a.json
}

# Reads cases: the body of a manifest, the words of the reference importer and of the specification (- for none, = for
# the same words), and the files of the archive, separated by #. If the importer is available, its words are compared
# too.
cases() {
    n=0
    while IFS='#' read -r body reference specification files; do
        echo "{\"perfetto_manifest\":{$body}}" >m.json
        tar cf run.tar m.json $files
        run tm-merge -o out.db run.tar
        echo "$body: $output"
        [ "$status" -eq 1 ]
        [[ "$output" == *"perfetto_manifest: $reference"* ]]
        [ "$specification" = - ] || [ "$specification" = = ] || [[ "$output" == *"$specification"* ]]
        if [ -x "${TRACE_PROCESSOR:-}" ]; then
            run "$TRACE_PROCESSOR" -Q 'SELECT 1' run.tar
            echo "the importer: $output"
            [ "$status" -ne 0 ]
            [[ "$output" == *"$reference"* ]]
        fi
        n=$((n + 1))
    done
    [ "$n" -eq "$1" ]
}

@test "errors of fields have the words of specification and importer" {
    cases 23 <<'END'
"files":[]#missing required field: version#=#a.json
"version":2#unsupported version: 2. Only version 1 is supported; set "version": 1#unsupported version: 2. Only version 1 is supported#a.json
"version":"1"#version must be an integer#-#a.json
"version":1,"files":{}#files must be an array#-#a.json
"version":1,"files":[3]#files entries must be objects with a string path#-#a.json
"version":1,"files":[{}]#files entries must be objects with a string path#-#a.json
"version":1,"files":[{"path":"a.json","machine":"x"}]#machine must be an object with a string name#-#a.json
"version":1,"files":[{"path":"a.json","machine":{}}]#machine must be an object with a string name#-#a.json
"version":1,"files":[{"path":"a.json","machine":{"name":""}}]#machine: name must be non-empty#=#a.json
"version":1,"files":[{"path":"a.json","machine":{"name":"x"},"machines":[]}]#machine and machines are mutually exclusive#=#a.json
"version":1,"files":[{"path":"a.json","machines":{}}]#machines must be an array#-#a.json
"version":1,"files":[{"path":"a.json","machines":[{"name":"x"}]}]#machines entries need an integer id and a string name#-#a.json
"version":1,"files":[{"path":"a.json","machines":[{"id":0}]}]#machines entries need an integer id and a string name#-#a.json
"version":1,"files":[{"path":"a.json","machines":[{"id":-1,"name":"x"}]}]#machines: id must be in [0, 4294967295]#=#a.json
"version":1,"files":[{"path":"a.json","machines":[{"id":1,"name":""}]}]#machines: name must be non-empty#machine: name must be non-empty#a.json
"version":1,"files":[{"path":"a.json","clocks":[]}]#clocks must be an object#-#a.json
"version":1,"files":[{"path":"a.json","clocks":{}}]#clocks: a sync_to block is required#=#a.json
"version":1,"files":[{"path":"a.json","clocks":{"sync_to":[]}}]#clocks: sync_to must be an object#-#a.json
"version":1,"files":[{"path":"a.json","clocks":{"sync_to":{}}}]#clocks: sync_to.file is required#=#a.json
"version":1,"files":[{"path":"a.json","clocks":{"sync_to":{"file":1}}}]#clocks: sync_to.file is required and must be a string#-#a.json
"version":1,"files":[{"path":"a.json","clocks":{"sync_to":{"machine":"m"}}}]#clocks: sync_to.file is required#a machine name alone is ambiguous, name the file too#a.json
"version":1,"files":[{"path":"a.json","clocks":{"clock":3,"sync_to":{"file":"a.json"}}}]#clock name must be a string#-#a.json
"version":1,"files":[{"path":"a.json","clocks":{"clock":"TSC","sync_to":{"file":"a.json"}}}]#unknown clock name: TSC. Use one of REALTIME, #=#a.json
END
}

@test "errors of offsets, trace time and attributes have the words of specification and importer" {
    cases 13 <<'END'
"version":1,"files":[{"path":"a.json","clocks":{"offset_ns":9223372036854775808,"sync_to":{"file":"a.json"}}}]#clocks: offset_ns must be an integer#offset_ns is out of range#a.json
"version":1,"files":[{"path":"a.json","clocks":{"offset_ns":-9223372036854775809,"sync_to":{"file":"a.json"}}}]#clocks: offset_ns must be an integer#offset_ns is out of range#a.json
"version":1,"attributes":{"k":9223372036854775808}#attributes: 'k' must be a string or an integer#-#a.json
"version":1,"files":[{"path":"a.json","clocks":{"offset_ns":1.5,"sync_to":{"file":"a.json"}}}]#clocks: offset_ns must be an integer#offset_ns must be an integer#a.json
"version":1,"files":[{"path":"a.json","clocks":{"offset_ns":-9223372036854775808,"sync_to":{"file":"a.json"}}}]#clocks: offset_ns is out of range#offset_ns is out of range#a.json
"version":1,"trace_time":3#trace_time must be an object#-#a.json
"version":1,"trace_time":{}#trace_time needs a clock#-#a.json
"version":1,"trace_time":{"clock":"BOOTTIME","machine":"m"}#trace_time: machine 'm' needs trace_time: file too#a machine name alone is ambiguous, name the file too#a.json
"version":1,"trace_time":{"clock":"BOOTTIME","file":"x"}#trace_time: file names unknown file 'x'#-#a.json
"version":1,"trace_time":{"clock":"BOOTTIME","file":"a.json","machine":"m"},"files":[{"path":"a.json"}]#trace_time: machine 'm' is not a machine declared by file 'a.json'.#-#a.json
"version":1,"attributes":[]#attributes must be an object of string or integer values#-#a.json
"version":1,"attributes":{"":1}#attributes: keys must be non-empty#-#a.json
"version":1,"attributes":{"k":[]}#attributes: 'k' must be a string or an integer#-#a.json
END
}

@test "errors of references have the words of specification and importer" {
    many='"path":"many.pftrace","machines":[{"id":0,"name":"h"},{"id":7,"name":"v"}]'
    cases 6 <<END
"version":1,"files":[{"path":"a.json","clocks":{"sync_to":{"file":"X"}}}]#clocks: sync_to.file names unknown file 'X'#sync_to.file names unknown file 'X'. It must match the path of an entry in the files array#a.json
"version":1,"files":[{$many},{"path":"a.json","clocks":{"sync_to":{"file":"many.pftrace","machine":"M"}}}]#clocks: sync_to.machine 'M' is not a machine declared by file 'many.pftrace'#'M' is not a machine declared by file 'many.pftrace'#a.json many.pftrace
"version":1,"files":[{$many},{"path":"a.json","clocks":{"sync_to":{"file":"many.pftrace"}}}]#clocks: sync_to.file 'many.pftrace' is a multi-machine trace; also name the machine#'many.pftrace' is a multi-machine trace; also name the machine#a.json many.pftrace
"version":1,"files":[{$many,"clocks":{"clock":"BOOTTIME","sync_to":{"file":"a.json"}}},{"path":"a.json"}]#clocks: file 'many.pftrace' is a multi-machine trace; name which machine#file 'many.pftrace' is a multi-machine trace; name which machine the clock is on#a.json many.pftrace
"version":1,"files":[{"path":"a.json"},{$many,"clocks":{"machine":"M","clock":"BOOTTIME","sync_to":{"file":"a.json"}}}]#clocks: machine 'M' is not a machine declared by file 'many.pftrace'.#'M' is not a machine declared by file 'many.pftrace'#a.json many.pftrace
"version":1,"trace_time":{"clock":"BOOTTIME","file":"many.pftrace"},"files":[{$many}]#trace_time: file 'many.pftrace' is a multi-machine trace; also name the machine#'many.pftrace' is a multi-machine trace; also name the machine#a.json many.pftrace
END
}

@test "errors that show only in packets have the words of specification and importer" {
    cases 1 <<'END'
"version":1,"files":[{"path":"many.pftrace","machines":[{"id":0,"name":"h"}]}]#machines: trace has a packet from undeclared machine id 7#undeclared machine id 7#many.pftrace
END
    for file in many synced; do
        echo '{"perfetto_manifest":{"version":1,"files":[{"path":"'$file'.pftrace","machine":{"name":"h"}}]}}' >m.json
        tar cf run.tar m.json $file.pftrace
        says run.tar 'Replace `machine` with a `machines` block'
    done
    for file in bare bare-synced; do
        echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json"},{"path":"'$file'.pftrace",
            "clocks":{"sync_to":{"file":"a.json"}}}]}}' >m.json
        tar cf run.tar m.json a.json $file.pftrace
        says run.tar 'a `clocks` override applies only to a single-machine file'
    done
}

# says ARCHIVE WORDS: tm-merge reports WORDS, and so does the importer if it is available.
says() {
    run tm-merge -o out.db "$1"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"perfetto_manifest: "*"$2"* ]]
    if [ -x "${TRACE_PROCESSOR:-}" ]; then
        run "$TRACE_PROCESSOR" -Q 'SELECT 1' "$1"
        echo "the importer: $output"
        [[ "$output" == *"$2"* ]]
    fi
}

@test "an override of an archive or of a manifest is reported before a second manifest" {
    words='overrides are not supported for trace files which are themselves archives or perfetto_manifest files'
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"inner.tar","machine":{"name":"x"}}]}}' >m.json
    tar cf run.tar m.json inner.tar
    says run.tar "$words"
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"n.json","machine":{"name":"x"}}]}}' >m.json
    echo '{"perfetto_manifest":{"version":1}}' >n.json
    tar cf run.tar m.json n.json a.json
    says run.tar "$words"
    echo '{"perfetto_manifest":{"version":1,"files":[]}}' >m.json
    tar cf run.tar m.json n.json a.json
    says run.tar 'multiple perfetto_manifest files in archive'
}

@test "a bad manifest is reported beside a member of unknown type" {
    echo what is this >x
    echo '{"perfetto_manifest":{"version":2}}' >m.json
    tar cf run.tar m.json x
    says run.tar 'unsupported version: 2'
    echo '{"perfetto_manifest":{"version":1}}' >m.json
    tar cf run.tar m.json x
    run tm-merge -o out.db run.tar
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == "tm-unpack: run.tar: x: unknown trace type"* ]]
}
