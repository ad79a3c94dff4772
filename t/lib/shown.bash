# Runs the commands that a page shows: "$ COMMAND", its further lines, and the lines that it prints.

# shown_blocks FILE [FROM TO]: prints the indented blocks that begin with a command, between the lines that match the
# patterns FROM and TO.
shown_blocks() {
    sed -n "/${2-^}/,/${3-no such line}/p" "$1" | awk '
        !/^    / { in_block = 0; next }
        !in_block { in_block = 1; shown = /^    \$ / }
        shown { print substr($0, 5) }'
}

# True if the text of FILE is a whole command: quotes closed, no backslash at the end.
is_whole_command() {
    ! tail -n 1 "$1" | grep -q '\\$' && [ -z "$(bash -n "$1" 2>&1)" ]
}

# run_shown FILE: runs the commands of FILE one after another in the current folder. Compares the output of each,
# standard error included, with the lines below it. Blanks at the ends of lines are ignored. Reports how many commands
# were run.
run_shown() {
    local page=$1 line state=before count=0
    : >"$page.command"
    while IFS= read -r line || [ -n "$line" ]; do
        if [ "$state" = command ]; then
            printf '%s\n' "$line" >>"$page.command"
        elif [[ $line == '$ '* ]]; then
            [ "$state" = before ] || compare_shown "$page" || return 1
            count=$((count + 1))
            printf '%s\n' "${line#'$ '}" >"$page.command"
            : >"$page.wanted"
        else
            [ "$state" = before ] || printf '%s\n' "$line" >>"$page.wanted"
            continue
        fi
        state=command
        ! is_whole_command "$page.command" || state=output
    done <"$page"
    [ "$state" = before ] || compare_shown "$page" || return 1
    echo "$count"
}

compare_shown() {
    local status=0
    bash -o pipefail "$1.command" </dev/null >"$1.printed" 2>&1 || status=$?
    if ! diff <(sed 's/ *$//' "$1.wanted") <(sed 's/ *$//' "$1.printed") || [ "$status" -ne 0 ]; then
        echo "status $status:"
        cat "$1.command"
        return 1
    fi >&2
}
