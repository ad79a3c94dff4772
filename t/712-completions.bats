#!/usr/bin/env bats
# Each shell completes the options in the programs' --help, and no others.

programs="tm-unpack tm-manifest tm-clocks tm-align tm-plan tm-sort tm-emit tm-merge tm-pack"

setup() {
    dir=$TM_SRC/doc/completions
    cd "$BATS_TEST_TMPDIR"
    touch phone.pftrace phone.json
    mkdir phones
}

# Prints the long options in a program's --help, without their descriptions.
options_of() {
    "$1" --help | sed -n 's/^ \{1,\}-/-/p' | sed 's/  .*//' | grep -oE -- '--[a-z][a-z-]*' | sort -u
}

pages_options() {
    sed -n '/^\.It Fl/p' "$1" | grep -oE -- ' -[a-z][a-z-]+' | sed 's/ -/--/' | sort -u
}

# in_bash WORD...: prints the completions of the last WORD, with words separated as bash does.
in_bash() {
    bash -c '. "$0/tracemerge.bash"
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _tracemerge "$1"
        printf "%s\n" "${COMPREPLY[@]}"' "$dir" "$@"
}

in_fish() {
    fish --no-config -c 'source $argv[1]/tracemerge.fish; complete -C $argv[2]' "$dir" "$1" | cut -f 1
}

need() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
}

@test "--help shows each option that the program's page describes" {
    for p in $programs; do
        diff <(options_of $p) <(pages_options "$TM_SRC/doc/$p.1")
    done
}

@test "bash completes exactly the options of each program" {
    for p in $programs; do
        diff <(options_of $p) <(in_bash $p -- | sort -u)
        for option in $(in_bash $p - | grep '^-.$'); do
            run $p $option --no-such-option </dev/null
            [[ $output != *"unknown option '$option'"* ]]
        done
    done
}

@test "bash completes the arguments of options" {
    [ "$(in_bash tm-emit -f '')" = "$(tm-emit --formats | cut -f 1)" ]
    [ "$(in_bash tm-merge --format = sq)" = sqlite ]
    [ "$(in_bash tm-merge --on-damage =)" = "halt
skip
salvage" ]
    [ "$(in_bash tm-unpack --on-damage s)" = "skip
salvage" ]
    [ "$(in_bash tm-unpack --raw s)" = short-line ]
    [ "$(in_bash tm-merge -o run.p)" = "run.pftrace
run.perfetto-trace" ]
    [ "$(in_bash tm-pack -o run.)" = "run.tar
run.tar.gz
run.zip" ]
    in_bash tm-merge --output = ph >got
    grep -Fx ph.sqlite got
    grep -Fx phones got
    [ "$(in_bash tm-sort -T ph)" = phones ]
    [ "$(in_bash tm-sort --buffer-size '')" = "" ]
    [ "$(in_bash tm-merge --only ma)" = machine= ]
    [ "$(in_bash tm-merge --only p)" = "process=
pid=" ]
    [ "$(in_bash tm-merge --join = '')" = flows ]
    [ "$(in_bash tm-merge --align = f)" = flows ]
    [ "$(in_bash tm-merge --trace-time BOO)" = BOOTTIME ]
    [ "$(in_bash tm-merge --trace-time BOOTTIME @ phone.p)" = phone.pftrace ]
    [ "$(in_bash tm-pack --machine phone = phone.p)" = phone.pftrace ]
    [ "$(in_bash tm-pack --sync phone.json = phone.pftrace : BO)" = BOOTTIME ]
}

@test "bash completes files where files are accepted" {
    for p in tm-unpack tm-manifest tm-sort tm-merge tm-pack; do
        [ "$(in_bash $p phone.p)" = phone.pftrace ]
    done
    [ "$(in_bash tm-merge --strict phone.p)" = phone.pftrace ]
    [ "$(in_bash tm-emit phone.p)" = "" ]
    [ "$(in_bash tm-clocks phone.p)" = "" ]
}

@test "an interactive bash has completions for every program" {
    for p in $programs; do
        [ "$(bash -c '. "$0/tracemerge.bash"; complete -p "$1"' "$dir" $p)" = "complete -F _tracemerge $p" ]
    done
}

@test "fish completes exactly the options of each program" {
    need fish
    for p in $programs; do
        diff <(options_of $p) <(in_fish "$p --" | sort -u)
    done
}

@test "fish completes the arguments of options, and files" {
    need fish
    [ "$(in_fish 'tm-emit -f ' | sort)" = "$(tm-emit --formats | cut -f 1 | sort)" ]
    [ "$(in_fish 'tm-merge --format=sq')" = --format=sqlite ]
    [ "$(in_fish 'tm-unpack --on-damage s' | sort)" = "salvage
skip" ]
    [ "$(in_fish 'tm-unpack --raw s')" = short-line ]
    [ "$(in_fish 'tm-merge -o run.p' | sort)" = "run.perfetto-trace
run.pftrace" ]
    [ "$(in_fish 'tm-pack -o run.' | sort)" = "run.tar
run.tar.gz
run.zip" ]
    [ "$(in_fish 'tm-sort -T ph')" = phones/ ]
    [ "$(in_fish 'tm-merge --only ma')" = machine= ]
    [ "$(in_fish 'tm-merge --trace-time BOO')" = BOOTTIME ]
    [ "$(in_fish 'tm-merge --strict phone.p')" = phone.pftrace ]
    [ "$(in_fish 'tm-clocks phone.p')" = "" ]
}

@test "a completion file of fish that is named like a program completes only that program" {
    need fish
    ln -s "$dir/tracemerge.fish" tm-sort.fish
    run fish --no-config -c 'source ./tm-sort.fish; complete'
    [[ $output == *"tm-sort"* ]]
    [[ $output != *"tm-merge"* ]]
}

@test "zsh has exactly the options of each program" {
    need zsh
    for p in $programs; do
        # The specifications, with stand-ins for the completion system that reads them.
        zsh -f -c '_arguments() { print -l -- "$@" }; _call_program() { shift; "$@" }; service=$2; . $1/_tracemerge' \
            zsh "$dir" $p >specs
        diff <(options_of $p) <(grep -oE '^\*--[a-z-]+' specs | cut -c 2- | sort -u)
        case $p in
        tm-clocks | tm-align | tm-plan | tm-emit) [ "$(grep -Fxc '*:file:_files' specs)" -eq 0 ] ;;
        *) grep -Fx '*:file:_files' specs ;;
        esac
    done
}

@test "an interactive zsh offers completions" {
    need zsh
    type() {
        zsh -f "$TM_SRC/t/check/zsh-complete" "$dir" "$@"
    }
    type 'tm-emit -f ' pftrace
    type 'tm-merge --max' --max-dropped
    type 'tm-unpack --on-damage sk' skip
    type 'tm-unpack --raw proto,sh' short-line
    type 'tm-merge -o run.pf' 'run.pftrace'
    type 'tm-merge --only cat=a,ma' 'machine='
    type 'tm-pack --sync x=phone.pftrace:R' REALTIME_COARSE
    type 'tm-pack --machine a=phone.p' phone.pftrace
}
