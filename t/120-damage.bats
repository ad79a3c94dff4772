# Files of every format, damaged in every way, under --on-damage (t/check/damage.py has the rules). Here every seventh
# kind of damage is tried, by sanitized programs every 21st. All kinds by hand: python3 t/check/damage.py

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
}

damage() { # format, least number of damaged files
    local every=7 least=$2
    if is_sanitized; then
        every=21 least=$(($2 / 3 - 1))
    fi
    run python3 "$TM_SRC/t/check/damage.py" -n $every "$1"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output =~ ^$1:\ ([0-9]+)\ damaged ]]
    [ "${BASH_REMATCH[1]}" -ge "$least" ]
}

@test "protos" {
    damage proto 12
}

@test "Chrome JSON" {
    damage json 40
}

@test "ftrace text" {
    damage systrace 35
}

@test "strace" {
    damage strace 20
}

@test "journal" {
    damage journal_json 40
    damage journal_export 40
}

@test "logcat" {
    damage logcat 20
}

@test "perf script" {
    damage perf_script 45
}

@test "Instruments" {
    damage instruments 60
}

@test "Gecko" {
    damage gecko 8
}

@test "OTLP, a request and lines" {
    damage otlp 25
    damage otlp_lines 45
}

@test "Jaeger, Zipkin" {
    damage jaeger 25
    damage zipkin 25
}

@test "Fuchsia, which goes on at a section" {
    damage fuchsia 10
}
