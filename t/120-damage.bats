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

@test "damaged protos are handled by the rules of each --on-damage" {
    damage proto 12
}

@test "damaged Chrome JSON is handled by the rules of each --on-damage" {
    damage json 40
}

@test "damaged ftrace text is handled by the rules of each --on-damage" {
    damage systrace 35
}

@test "damaged strace output is handled by the rules of each --on-damage" {
    damage strace 20
}

@test "damaged journals are handled by the rules of each --on-damage" {
    damage journal_json 40
    damage journal_export 40
}

@test "damaged logcat output is handled by the rules of each --on-damage" {
    damage logcat 20
}

@test "damaged perf script output is handled by the rules of each --on-damage" {
    damage perf_script 45
}

@test "damaged Instruments exports are handled by the rules of each --on-damage" {
    damage instruments 60
}

@test "damaged Gecko profiles are handled by the rules of each --on-damage" {
    damage gecko 8
}

@test "damaged OTLP, a request and lines, is handled by the rules of each --on-damage" {
    damage otlp 25
    damage otlp_lines 45
}

@test "damaged Jaeger and Zipkin files are handled by the rules of each --on-damage" {
    damage jaeger 25
    damage zipkin 25
}

@test "damaged Fuchsia traces are handled by the rules of each --on-damage, and salvage continues at a section" {
    damage fuchsia 10
}
