# Traces written in another form, and relations stated by another file, give the same times: t/check/relations.py.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
}

@test "random traces, manifests and machines give the times that follow with certainty" {
    local scenes
    scenes=$(drawn 10)
    run python3 "$TM_SRC/t/check/relations.py" "$scenes" 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$output" = "$((25 * scenes)) relations hold, 0 do not" ]
}

@test "the check detects a wrong time" {
    mkdir bin
    cat >bin/tm-merge <<-END
	#!/bin/sh
	"$(command -v tm-merge)" "\$@" && python3 - "\$3" <<-PY
	import sqlite3, sys
	sqlite3.connect(sys.argv[1], isolation_level=None).execute("UPDATE slice SET ts = ts + 1 WHERE name = 'b1'")
	PY
	END
    chmod +x bin/tm-merge
    PATH=$PWD/bin:$PATH run python3 "$TM_SRC/t/check/relations.py" 1 1
    [ "$status" -eq 1 ]
    [[ $output == *"offset: not [('b1', "*" relations hold, "* ]]
}
