# Completion of tracemerge's programs for bash. The options and their arguments are read from --help.

# _tm_option_argument PROGRAM OPTION: prints the placeholder of OPTION's argument, such as FILE, or nothing.
# _tm_option_argument PROGRAM: prints all options, one on each line.
_tm_option_argument() {
    "$1" --help 2>/dev/null | awk -v wanted="$2" '
        /^ +-/ {
            sub(/^ +/, "")
            sub(/  .*/, "")
            n = split($0, forms, /, /)
            argument = forms[n] ~ /[ =]/ ? forms[n] : ""
            sub(/^[^ =]*[ =]/, "", argument)
            for (i = 1; i <= n; i++) {
                option = forms[i]
                sub(/[ =].*/, "", option)
                own = forms[i] ~ /[ =]/ ? substr(forms[i], length(option) + 2) : ""
                if (wanted == "")
                    print option
                else if (option == wanted) {
                    own = own != "" ? own : (option ~ /^-.$/ ? argument : "")
                    if (own != "")
                        print own
                }
            }
        }'
}

# Completes files that begin with the word; with -d only directories.
_tm_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "${1:--f}" -- "$cur")
}

_tm_words() {
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
}

# Completes names for a new output: the word with each ending that chooses a format, and existing files.
_tm_outputs() {
    local stem=${cur%%.*} endings
    _tm_files
    [ -n "${stem##*/}" ] || return 0
    if [ "$program" = tm-pack ]; then
        endings='.tar .tar.gz .zip'
    else
        endings=$(tm-emit --formats 2>/dev/null | cut -f 2-)
    fi
    local ending
    for ending in $endings; do
        case $stem$ending in "$cur"*) COMPREPLY+=("$stem$ending") ;; esac
    done
}

_tracemerge() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} program=${1##*/} argument=
    local clocks='REALTIME REALTIME_COARSE MONOTONIC MONOTONIC_COARSE MONOTONIC_RAW BOOTTIME'
    COMPREPLY=()
    # Bash cuts words at = and : and @; the cut may be the word under the cursor.
    case $cur in = | : | @) prev=$cur cur= ;; esac
    case $prev in
    :) _tm_words "$clocks"; return ;;
    @) _tm_files; return ;;
    =)
        local at=$((COMP_CWORD - 1))
        [ "${COMP_WORDS[at]}" = = ] && at=$((at - 1))
        prev=${COMP_WORDS[at]}
        ;;
    esac
    case $prev in -*) argument=$(_tm_option_argument "$1" "$prev") ;; esac
    case $argument in
    FORMAT) _tm_words "$(tm-emit --formats 2>/dev/null | cut -f 1)" ;;
    OUT) _tm_outputs ;;
    DIR) _tm_files -d ;;
    WHAT) _tm_words halt skip salvage ;;
    LINKS) _tm_words flows ;;
    STYLE) _tm_words text json svg ;;
    RULES*) _tm_words flows spans collectives recorded-twice key:args. name: ;;
    CLOCK*) _tm_words "$clocks" ;;
    KIND*) _tm_words proto ftrace json line short-line all none ;;
    KEY=*)
        compopt -o nospace 2>/dev/null
        _tm_words machine= file= process= thread= pid= tid= cat= name= kind= dur= from= to=
        ;;
    SIZE | N) ;;
    *)
        case $cur in
        -*) _tm_words "$(_tm_option_argument "$1")" ;;
        *) case $program in tm-clocks | tm-align | tm-plan | tm-emit) ;; *) _tm_files ;; esac ;;
        esac
        ;;
    esac
}

complete -F _tracemerge tm-unpack tm-manifest tm-clocks tm-align tm-plan tm-sort tm-emit tm-merge tm-pack
