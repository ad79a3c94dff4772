#!/usr/bin/env bats
# Options that all programs answer in the same way.

programs="tm-unpack tm-manifest tm-clocks tm-align tm-plan tm-sort tm-emit tm-merge tm-pack"

@test "--version prints the version that configure was made for" {
    version=$(sed -n 's/^AC_INIT(\[tracemerge\], \[\(.*\)\])$/\1/p' "$TM_SRC/configure.ac")
    [ -n "$version" ]
    for p in $programs; do
        run "$p" --version
        [ "$status" -eq 0 ]
        [ "$output" = "$p (tracemerge) $version" ]
    done
}

@test "--help names each long option that the program accepts" {
    for p in $programs; do
        run "$p" --help
        [ "$status" -eq 0 ]
        [ "${lines[0]#usage: $p }" != "${lines[0]}" ]
        for word in $(printf '%s\n' "$output" | grep -E '^ *-' |
            grep -oE -- '--[a-z][a-z-]+' | sort -u); do
            case $word in --help | --version) continue ;; esac
            run "$p" "$word" --no-such-option </dev/null
            [[ "$output" != *"unknown option '$word'"* ]] || { echo "$p: $word"; return 1; }
        done
    done
}

@test "an unknown option, long or short, is exit 2 with a hint at --help" {
    for p in $programs; do
        run "$p" --nonsense </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: unknown option '--nonsense'" ]
        [ "${lines[1]}" = "$p: try '$p --help'" ]
        run "$p" -QZ </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: unknown option '-Q'" ]
    done
}

@test "a missing or a superfluous argument of an option is exit 2" {
    for p in tm-unpack tm-clocks tm-sort tm-emit tm-merge; do
        run "$p" -T </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: option '-T' needs an argument" ]
    done
    for p in $programs; do
        run "$p" --version=2 </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: '--version=2': the option takes no argument" ]
    done
}
