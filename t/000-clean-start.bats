# t/lib/clean-start: the results of tests do not depend on the process that starts them.

@test "signals, descriptors, mode and variables of a test do not depend on the process that starts it" {
    cat >"$BATS_TEST_TMPDIR/hostile.py" <<'PY'
import os, resource, signal, subprocess, sys
for signum in (signal.SIGINT, signal.SIGPIPE, signal.SIGHUP, signal.SIGTERM, signal.SIGXFSZ):
    signal.signal(signum, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGCHLD))
os.umask(0o777)
extra = os.open("/dev/null", os.O_RDONLY)
os.set_inheritable(extra, True)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
env = dict(os.environ, LC_ALL="tr_TR", LANG="tr_TR", TZ="Asia/Kolkata", GREP_OPTIONS="-v", BASH_ENV="/no", PYTHONOPTIMIZE="1",
           http_proxy="http://127.0.0.1:1", MAKEFLAGS="-n", TM_PROGRESS="3,0", TM_KEPT="1", HOME="/no")
said = ""
for look in (["grep", "^Sig.*[kn]:", "/proc/self/status"], ["ls", "/proc/self/fd"],
             ["sh", "-c", "umask; ulimit -n; readlink /proc/$$/fd/0"], ["env"]):
    said += subprocess.run(["python3", "-I", "-S", sys.argv[1] + "/t/lib/clean-start", *look], env=env, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True, restore_signals=False, close_fds=False, check=True).stdout
print(said)
lines = said.splitlines()
assert [int(line.split()[1], 16) & 0x7fffffff for line in lines[:2]] == [0, 0] # higher bits are those of the C library
assert lines[2:6] == ["0", "1", "2", "3"] # the last is the descriptor of the listing
assert lines[6] == "0022" and int(lines[7]) >= 64 and lines[8] == "/dev/null"
seen = dict(line.split("=", 1) for line in lines[9:] if "=" in line)
assert seen["LC_ALL"] == "C" and seen["TM_KEPT"] == "1" and seen["PATH"] == os.environ["PATH"]
assert not seen.keys() & {"LANG", "TZ", "GREP_OPTIONS", "BASH_ENV", "PYTHONOPTIMIZE", "http_proxy", "MAKEFLAGS", "TM_PROGRESS"}
PY
    python3 "$BATS_TEST_TMPDIR/hostile.py" "$TM_SRC"
}

@test "python3 is looked up in PATH once, and bin/python3 comes before that lookup but after earlier folders" {
    mkdir -p "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/looks"
    printf '#!/bin/sh\necho asked >>"%s"\nexec "%s" "$@"\n' "$BATS_TEST_TMPDIR/asked" "$(command -v python3)" \
        >"$BATS_TEST_TMPDIR/looks/python3"
    chmod +x "$BATS_TEST_TMPDIR/looks/python3"
    PATH="$BATS_TEST_TMPDIR/first:$BATS_TEST_TMPDIR/looks:$PATH" run python3 -I -S "$TM_SRC/t/lib/clean-start" \
        bash -c 'python3 -c pass; python3 -c pass; echo "$PATH"'
    [ "$status" -eq 0 ]
    [[ $output == "$BATS_TEST_TMPDIR/first:$(realpath "$TM_SRC")/t/lib/bin:$BATS_TEST_TMPDIR/looks:"* ]]
    [ "$(cat "$BATS_TEST_TMPDIR/asked")" = asked ]
}

@test "python3 has the standard library alone, and \$TM_PYTHON is the interpreter with the packages of the machine" {
    [ "$(command -v python3)" = "$(realpath "$TM_SRC")/t/lib/bin/python3" ]
    [ "$(python3 -c 'import sys; print(sys.flags.no_site, sys.executable)')" = "1 $TM_PYTHON" ]
    [ "$("$TM_PYTHON" -c 'import sys; print(sys.flags.no_site, sys.executable)')" = "0 $TM_PYTHON" ]
}

@test "compiled modules of Python are in the build folder and not in the source" {
    mkdir "$BATS_TEST_TMPDIR/source"
    echo 'import sys' >"$BATS_TEST_TMPDIR/source/module.py"
    cd "$BATS_TEST_TMPDIR/source"
    TM_BIN=$BATS_TEST_TMPDIR/build/bin python3 -I -S "$TM_SRC/t/lib/clean-start" \
        bash -c 'cd "$1" && python3 -c "import module"' - "$PWD"
    [ "$(echo *)" = module.py ]
    [ -e "$BATS_TEST_TMPDIR/build/t/modules$PWD"/module.*.pyc ]
}

@test "temporary files are in memory if there is room, or where TMPDIR says" {
    local there=no
    [ "$(df -P -B 1M /dev/shm 2>/dev/null | awk 'NR == 2 { print ($4 >= 2048) }')" != 1 ] ||
        findmnt -n -o OPTIONS --target /dev/shm | grep -q noexec || there=/dev/shm
    run env -u TMPDIR python3 -I -S "$TM_SRC/t/lib/clean-start" bash -c 'echo "${TMPDIR-no}"'
    [ "$output" = "$there" ]
    TMPDIR=/var/tmp run python3 -I -S "$TM_SRC/t/lib/clean-start" bash -c 'echo "$TMPDIR"'
    [ "$output" = /var/tmp ]
}

@test "a test that writes to its first working directory fails" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' '@test "writes" {' 'echo >left' '}' >writes.bats
    run python3 -I -S "$TM_SRC/t/lib/clean-start" bats --formatter tap ./writes.bats
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"not ok 1 writes"* ]]
    [ "$(echo *)" = writes.bats ]
}

@test "clean-start returns the exit status of the test" {
    run python3 -I -S "$TM_SRC/t/lib/clean-start" bash -c 'exit 7'
    [ "$status" -eq 7 ]
}

@test "make check lists every test file, and each number of a bats file is used once" {
    cd "$TM_SRC"
    for test in t/[0-9]*.bats; do
        grep -q "^	$test\( \|$\)" Makefile.am || { echo "$test is not listed"; return 1; }
    done
    for test in t/unit/*.c; do
        case $test in *_bench.c) continue ;; esac
        grep -q "^	${test%.c}\( \|$\)\|$test" Makefile.am || { echo "$test is not listed"; return 1; }
    done
    [ -z "$(ls t/*.bats | sed 's,^t/\([0-9]*\).*,\1,' | uniq -d)" ]
}
