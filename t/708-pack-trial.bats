# tm-pack merges its archive on trial and reports the result. With --strict it checks that nothing would be lost.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    tar xf "$TM_SRC/doc/examples/phone-watch-app.tar"
    rm perfetto_manifest.json
    echo '[{"ph":"i","ts":5,"pid":1,"tid":1,"s":"t"},{"ph":"i","ts":50,"pid":1,"tid":1,"s":"t"}]' >late.json
    says="--machine phone=phone.pftrace --machine watch=watch.pftrace --machine phone=app_log.json
        --sync app_log.json=phone.pftrace:BOOTTIME+250ms --trace-time BOOTTIME@phone.pftrace"
}

@test "a trial prints a line for each file on standard error and nothing on standard output, and -q silences it" {
    tm-pack -o run.tar $says *.pftrace app_log.json >out 2>err
    [ ! -s out ]
    diff - err <<-'END'
	  phone.pftrace on phone: 14 events on BOOTTIME, its clock is the timeline
	  watch.pftrace on watch: 7 events on BOOTTIME, by REALTIME rendezvous, offset -4899.8s
	  app_log.json on phone: 5 events on TRACE_FILE, by the manifest, offset +250ms
	  26 events on the timeline, BOOTTIME of phone; 0 dropped
	END
    tm-pack -q -o quiet.tar $says *.pftrace app_log.json 2>err
    [ ! -s err ]
    cmp run.tar quiet.tar
    tm-pack -q --strict -o strict.zip $says *.pftrace app_log.json 2>err
    [ ! -s err ]
    [ -s strict.zip ]
    tm-merge -f summary run.tar >summary
    grep -q '^  26 events on the timeline' summary
    tm-pack -o run.tar $says *.pftrace app_log.json 2>err
    cmp err summary
}

@test "events that would be dropped are reported, and with --strict there is no archive" {
    sync="--sync late.json=app_log.json-6us"
    tm-pack -o run.tar $sync app_log.json late.json 2>err
    grep -qx '  late.json: 1 event dropped, negative_time' err
    [ -s run.tar ]
    rm run.tar
    run tm-pack --strict -o run.tar $sync app_log.json late.json
    echo "$output"
    [ "$status" -eq 4 ]
    [[ $output == *"  late.json: 1 event dropped, negative_time"* ]]
    [[ ${lines[-1]} == "tm-pack: run.tar: not written, as it would not merge without loss" ]]
    [ -z "$(ls -A | grep run)" ]
    run tm-pack -q --strict -o run.tar $sync app_log.json late.json
    [ "$status" -eq 4 ]
    [[ $output != *"negative_time"* ]]
}

@test "an archive that would not merge is a warning, and an error with --strict" {
    head -c 300 phone.pftrace >cut.pftrace
    tm-pack -o run.tar cut.pftrace 2>err
    cat err
    grep -q '^tm-unpack: run.tar: cut.pftrace: byte ' err
    grep -qx 'tm-pack: warning: run.tar: tm-merge would fail on it' err
    [ -s run.tar ]
    rm run.tar
    run tm-pack --strict -o run.tar cut.pftrace
    [ "$status" -eq 1 ]
    [ ! -e run.tar ]
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "nobody.json"}]}}' >m.json
    run tm-pack --strict -o run.tar m.json app_log.json
    [ "$status" -eq 4 ]
    [[ $output == *nobody.json* ]]
    [ ! -e run.tar ]
}

@test "a trial that cannot be made is a warning, and an error with --strict" {
    echo '[{"name":"x","ph":"i","ts":1,"pid":1,"tid":1}]' >x.json
    TMPDIR=$PWD/missing tm-pack -o x.tar x.json 2>err
    [[ $(cat err) == "tm-pack: warning: x.tar: cannot be merged on trial: $PWD/missing: cannot make a temporary file: "* ]]
    tm-merge -q -f csv x.tar | grep -q x.json
    rm x.tar
    TMPDIR=$PWD/missing run tm-pack --strict -o x.tar x.json
    [ "$status" -eq 3 ]
    [ ! -e x.tar ]
}

@test "--strict needs an archive with a file name" {
    for how in "-o -" --manifest-only; do
        run tm-pack --strict $how app_log.json
        [ "$status" -eq 2 ]
        [[ $output == *"--strict tries the archive before it appears; give its name with -o"* ]]
    done
}
