# tm-merge --progress: the progress of a merge, on a terminal and elsewhere. t/lib/dialogue.py waits for shown text
# before each step, so a test takes only the time that it needs.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    seq -f '{"ph":"i","ts":%.0f,"pid":1,"tid":1,"s":"t"},' 1 500 | sed '1s/^/[/' >head.json
    echo '{"ph":"i","ts":7,"pid":1,"tid":1,"s":"t"}]' >tail.json
    cat head.json tail.json >a.json
}

# on_terminal STEP... -- COMMAND: runs COMMAND on a terminal. The file shown gets the text on it, $status the exit
# status.
on_terminal() {
    run python3 "$TM_SRC/t/lib/dialogue.py" shown "$@"
    echo "$output"
    [ ! -e shown ] || tr '\r' '\n' <shown | cat -v
    [ "$status" -ne 77 ] || skip "no pseudo-terminals here"
}

# The line was shown, as often as needed until it counted the bytes read.
line='see=\rtm-merge: [0-9]+ kB read, '

# One line was shown any number of times, and is cleared at the end.
clean_line() {
    grep -qF "$(printf '\r')tm-merge: " shown
    [ "$(tr -cd '\n' <shown | wc -l)" -eq 0 ]
    tail -c 4 shown | cmp - <(printf '\r\033[K')
}

# err has at most one line for each second, and one at the end that states the duration.
lines_of_progress() {
    local took='([0-9]+) s|([0-9]+):([0-9]+) min' seconds
    cat err
    grep -qvE '^tm-merge: ' err && return 1
    [[ $(tail -n 1 err) =~ ^"tm-merge: "[0-9]+" kB read, 501 events written in "($took)$ ]]
    seconds=$((10#${BASH_REMATCH[2]:-$((10#${BASH_REMATCH[3]} * 60 + 10#${BASH_REMATCH[4]}))}))
    [ "$(wc -l <err)" -le $((seconds + 1)) ]
    LC_ALL=C grep -q "$(printf '[\033\r]')" err && return 1
    return 0
}

@test "--progress without a terminal prints a line each second and one at the end, and the output is the same" {
    reading='tm-merge: [0-9]+ kB read, [0-9]+ events, [0-9.]+ [kM]?B/s, (the input|tm-[a-z]+) limits'
    tm-merge -o want.csv - <a.json
    run python3 "$TM_SRC/t/lib/dialogue.py" -p err feed=head.json "see=$reading\n" feed=tail.json end \
        -- tm-merge --progress -o got.csv -
    echo "$output"
    [ "$status" -eq 0 ]
    cmp want.csv got.csv
    grep -qxE "$reading" err
    lines_of_progress
    tm-merge --progress -o got.csv - <a.json 2>err
    cmp want.csv got.csv
    lines_of_progress
    tm-merge --progress a.json 2>err >got.txt
    tm-merge a.json | cmp - got.txt
    lines_of_progress
}

@test "progress needs no folder for temporary files" {
    [ "$(uname)" = Linux ] || skip "memory is shared by such a file here"
    tm-merge -o want.csv a.json
    TMPDIR=$PWD/missing tm-merge --progress -o got.csv a.json 2>err
    cmp want.csv got.csv
    lines_of_progress
}

@test "no progress is shown without a terminal, or with -q" {
    # Without a terminal there is a last line, even for a very short merge.
    tm-merge -o got.csv a.json 2>err
    [ ! -s err ]
    tm-merge --progress -q -o got.csv a.json 2>err
    [ ! -s err ]
    on_terminal feed=head.json pause=1.5 feed=tail.json end -- tm-merge -q -o got.csv -
    [ "$status" -eq 0 ]
    [ -e shown ]
    [ ! -s shown ]
}

@test "on a terminal one line is overwritten and removed at the end" {
    on_terminal feed=head.json "$line" feed=tail.json end -- tm-merge -o got.csv -
    [ "$status" -eq 0 ]
    clean_line
    tm-merge -o want.csv - <a.json
    cmp want.csv got.csv
}

@test "on a narrow terminal the line is cut, not folded" {
    run python3 "$TM_SRC/t/lib/dialogue.py" -c 30 shown feed=head.json "$line" feed=tail.json end -- tm-merge -o got.csv -
    [ "$status" -ne 77 ] || skip "no pseudo-terminals here"
    [ "$status" -eq 0 ]
    clean_line
    tr '\r' '\n' <shown | sed 's/\x1b\[K//' | awk 'length($0) > 29 { exit 1 }'
    tr '\r' '\n' <shown | sed 's/\x1b\[K//' | awk 'length($0) == 29 { seen = 1 } END { exit !seen }'
}

@test "ctrl-C and kill leave a clean line and no file" {
    on_terminal feed=head.json "$line" 'type=\x03' -- tm-merge -o out.csv -
    [ "$status" -eq 130 ]
    clean_line
    [ -z "$(ls -A | grep out)" ]
    for signal in TERM:143 HUP:129 INT:130; do
        on_terminal feed=head.json "$line" "kill=SIG${signal%:*}" -- tm-merge -o out.csv -
        [ "$status" -eq "${signal#*:}" ]
        clean_line
        [ -z "$(ls -A | grep out)" ]
    done
}

@test "messages are on lines of their own" {
    echo '{oops' >oops.json
    on_terminal feed=head.json "$line" feed=oops.json end -- tm-merge -o got.csv -
    [ "$status" -eq 1 ]
    grep -qF "$(printf '\r\033[K')tm-unpack: " shown
    [ "$(tr -cd '\n' <shown | wc -l)" -eq 1 ]
}

@test "an invalid TM_PROGRESS does no harm" {
    want=$(tm-merge -f csv a.json | cksum)
    head -c 4096 /dev/zero >page
    for setting in '' x 0,0 1,99 99,1 3,0 3,1x 3,-1; do
        [ "$(TM_PROGRESS=$setting tm-merge -f csv a.json 3<>page | cksum)" = "$want" ]
    done
    tm-unpack a.json | TM_PROGRESS=3,1 tm-manifest 3<>page >/dev/null
    head -c 4096 /dev/zero | cmp - page
}
