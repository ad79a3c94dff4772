# tm-merge --progress: how far it is, on a terminal and elsewhere.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    seq -f '{"ph":"i","ts":%.0f,"pid":1,"tid":1,"s":"t"},' 1 500 | sed '1s/^/[/' >head.json
    echo '{"ph":"i","ts":7,"pid":1,"tid":1,"s":"t"}]' >tail.json
    cat head.json tail.json >a.json
}

# A trace that takes its time, on standard output.
slowly() {
    cat head.json
    sleep "${1:-1.3}"
    cat tail.json
}

needs_script() {
    command -v script >/dev/null || skip "script is not installed"
}

# Runs COMMAND on a terminal; what it showed is in the file shown.
on_terminal() {
    script -qec "$1" /dev/null </dev/null >shown
}

@test "--progress where no terminal is: a line a second, one at the end, and the same output" {
    tm-merge -o want.csv a.json
    slowly | tm-merge --progress -o got.csv - 2>err
    cmp want.csv got.csv
    cat err
    [ "$(wc -l <err)" -ge 2 ]
    grep -qE '^tm-merge: [0-9]+ kB read, 500 events, [0-9. k]+B/s, the input limits$' err || grep -qE '^tm-merge: [0-9]+ kB read, 0 events, ' err
    tail -n 1 err | grep -qE '^tm-merge: [0-9]+ kB read, 501 events written in [0-9]+ s$'
    ! LC_ALL=C grep -q "$(printf '[\033\r]')" err
    tm-merge --progress -o got.csv a.json 2>err
    [ "$(wc -l <err)" -eq 1 ]
    tm-merge --progress a.json 2>err >got.txt
    tm-merge a.json | cmp - got.txt
}

@test "nothing is shown where nobody looks, nor with -q" {
    slowly | tm-merge -o got.csv - 2>err
    [ ! -s err ]
    slowly | tm-merge --progress -q -o got.csv - 2>err
    [ ! -s err ]
}

@test "on a terminal one line that is written over, and nothing is left of it" {
    needs_script
    on_terminal "cat head.json | (cat; sleep 1.3; cat tail.json) | tm-merge -o got.csv -"
    tr '\r' '\n' <shown | cat -v
    grep -qF "$(printf '\r')tm-merge: " shown
    grep -qF ' read, ' shown
    [ "$(grep -c . shown)" -eq 1 ] # one line, however often
    tail -c 4 shown | cmp - <(printf '\r\033[K')
    on_terminal "cat head.json | (cat; sleep 1.3; cat tail.json) | tm-merge -q -o got.csv -"
    [ ! -s shown ]
}

@test "a narrow terminal: the line is cut, not folded" {
    needs_script
    on_terminal "stty cols 30; cat head.json | (cat; sleep 1.3; cat tail.json) | tm-merge -o got.csv -"
    tr '\r' '\n' <shown | sed 's/\x1b\[K//' | awk 'length($0) > 29 { exit 1 }'
    grep -qF 'tm-merge: ' shown
}

@test "ctrl-C, and being killed, leave a clean line and no file" {
    needs_script
    mkfifo in
    (sleep 1; printf '\003'; sleep 0.5) | script -qec "exec 3<>in; cat head.json >&3; exec tm-merge -o out.csv - <&3" /dev/null >shown || true
    tr '\r' '\n' <shown | cat -v
    grep -qF "$(printf '\r')tm-merge: " shown
    tail -c 4 shown | cmp - <(printf '\r\033[K')
    [ -z "$(ls -A | grep out)" ]
    on_terminal "exec 3<>in; cat head.json >&3; tm-merge -o out.csv - <&3 & sleep 1; kill -TERM \$!; wait \$!; echo status \$?"
    tr '\r' '\n' <shown | cat -v
    grep -qF "$(printf '\r\033[K')status 143" shown
    [ -z "$(ls -A | grep out)" ]
}

@test "messages stand on lines of their own" {
    needs_script
    on_terminal "cat head.json | (cat; sleep 1.3; echo '{oops') | tm-merge -o got.csv -; echo status \$?"
    tr '\r' '\n' <shown | cat -v
    grep -qF "$(printf '\r\033[K')tm-unpack: " shown
    grep -qF 'status 1' shown
}

@test "a variable that is not meant for it does no harm" {
    want=$(tm-merge -f csv a.json | cksum)
    head -c 4096 /dev/zero >page
    for setting in '' x 0,0 1,99 99,1 3,0 3,1x 3,-1; do
        [ "$(TM_PROGRESS=$setting tm-merge -f csv a.json 3<>page | cksum)" = "$want" ]
    done
    tm-unpack a.json | TM_PROGRESS=3,1 tm-manifest 3<>page >/dev/null
    head -c 4096 /dev/zero | cmp - page
}
