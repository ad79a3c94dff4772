# Functions that several test files use.

# proto FILE: makes the trace that the lines on standard input describe (t/gen/make-proto.py).
proto() {
    python3 "$TM_SRC/t/gen/make-proto.py" >"$1"
}

# kernel: writes the trace that the lines on standard input describe (t/gen/make-kernel.py) to k.pftrace.
kernel() {
    python3 "$TM_SRC/t/gen/make-kernel.py" >k.pftrace
}

# frames_anywhere [OPTION]... FILE: prints its frames without values that depend on its place: offsets and given names.
frames_anywhere() {
    tm-unpack "$@" | tm-emit -f frames | sed 's/^@[0-9]* //; s/ given_name=.*//' | grep -v '^Header'
}

# placed_frames FILE...: writes to frames.txt all frames of tm-clocks, for an archive of FILEs or for a lone file.
placed_frames() {
    tar cf run.tar "$@"
    tm-unpack run.tar | tm-manifest | tm-clocks | tm-emit -f frames >frames.txt
}

# pipe COMMAND: runs it. The status is that of the first program that fails.
pipe() {
    run bash -o pipefail -c "$1"
}

# await PID COMMAND...: runs COMMAND until it succeeds. Fails if process PID ends before that.
await() {
    local pid=$1
    shift
    until "$@"; do
        kill -0 "$pid" || return 1
        sleep 0.05
    done
}

# is_sanitized: the programs under test are built with --enable-sanitize.
is_sanitized() {
    grep -q '^TM_SANITIZE = -f' "$TM_BIN/../Makefile"
}

# cpu_seconds SECONDS COMMAND...: runs COMMAND. A process of it that needs more than SECONDS of the processor's time, or
# four times as much if it is sanitized, is ended, and fails. Unlike `timeout' this hardly depends on what else the
# machine does.
cpu_seconds() {
    local seconds=$1
    if is_sanitized; then
        seconds=$((seconds * 4))
    fi
    (ulimit -t "$seconds" && "${@:2}")
}

# same_text HAVE WANT: both are the same; otherwise the differences are shown.
same_text() {
    [ "$1" = "$2" ] || {
        diff <(echo "$2") <(echo "$1")
        false
    }
}

# drawn N: prints the number of random cases to try: N, or a quarter of N if the programs are sanitized. Sanitizers find
# memory errors, which a quarter of the cases shows. Only unsanitized tests compare the results of all N.
drawn() {
    if is_sanitized; then
        echo $((($1 + 3) / 4))
    else
        echo "$1"
    fi
}

# only_unsanitized REASON: skips the test if the programs are sanitized.
only_unsanitized() {
    ! is_sanitized || skip "$1"
}

# python_packets DEFINITIONS: writes a Perfetto trace of the packets that standard input lists in Python, each a field
# of t/gen/wire.py. They are on sequence 7, at the times 100, 101, ... They follow a reset of the sequence's state and the
# packets that DEFINITIONS, lines of Python, add to `packets'.
python_packets() {
    {
        printf '%s\n' 'import os, sys' 'sys.path.insert(0, os.environ["TM_SRC"] + "/t/gen")' \
            'from wire import field, message' 'packets = [(13, 1)]' "$1" 'packets += ['
        cat
        printf '%s\n' ']' 'for i, packet in enumerate(packets):' \
            '    sys.stdout.buffer.write(field(1, message((8, 100 + i), (10, 7), packet)))'
    } | python3 -
}

# listed_packets LIST: writes a Perfetto trace of the packets in LIST, a list in Python. Each is a list of fields of
# t/gen/wire.py.
listed_packets() {
    python3 - "$1" <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
for packet in eval(sys.argv[1].strip()):
    sys.stdout.buffer.write(field(1, message(*packet)))
END
}

# for_seeds FIRST LAST GENERATOR OUT [ARGUMENT]...: runs the GENERATOR of t/gen, which takes a seed and OUT, for each seed
# from FIRST to LAST, all in one process of Python. % in OUT stands for the seed.
for_seeds() {
    python3 - "$TM_SRC/t/gen" "$@" <<'END'
import os, sys
folder, first, last, name, out, *arguments = sys.argv[1:]
sys.path.insert(0, folder)
with open(os.path.join(folder, name)) as f:
    program = compile(f.read(), name, 'exec')
for seed in map(str, range(int(first), int(last) + 1)):
    sys.argv = [name, seed, out.replace('%', seed), *arguments]
    exec(program, {'__name__': '__main__'})
END
}

# stand_in NAME SCRIPT: makes bin/NAME, which runs SCRIPT.
stand_in() {
    printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

# Makes an sbatch that runs tasks immediately. A task that depends on others runs only if all of them succeeded.
stand_in_for_sbatch() {
    stand_in sbatch 'tasks=0
        for word; do case $word in
        --array=*) tasks=${word#--array=} ;;
        --dependency=afterok:*) dependency=${word#--dependency=afterok:} ;;
        --parsable | --kill-on-invalid-dep=yes | --job-name=*) ;;
        *) echo "sbatch: $word?" >&2; exit 1 ;;
        esac; done
        cat >script
        job=$(($(cat jobs 2>/dev/null || echo 40) + 1))
        echo $job | tee jobs
        [ -z "$dependency" ] || [ -e "done.$dependency" ] || exit 0
        for n in $(seq ${tasks%-*} ${tasks#*-}); do
            SLURM_ARRAY_TASK_ID=$n bash script >/dev/null || failed=1
        done
        [ "$failed" ] || touch done.$job'
}
