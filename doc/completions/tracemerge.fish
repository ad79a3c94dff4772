# Completion of tracemerge's programs for fish. The options and their arguments are read from --help.

function __tm_formats
    tm-emit --formats 2>/dev/null
end

function __tm_clocks
    printf '%s\n' REALTIME REALTIME_COARSE MONOTONIC MONOTONIC_COARSE MONOTONIC_RAW BOOTTIME
end

# Completes names for a new output: the word with each ending that chooses a format, and existing files.
function __tm_outputs
    set -l word (commandline -ct)
    set -l stem (string replace -r '\..*' '' -- $word)
    if test -n "$stem"
        printf "$stem%s\n" $argv
    end
    __fish_complete_path $word
end

function __tm_endings --argument-names program
    if test $program = tm-pack
        printf '%s\n' .tar .tar.gz .zip
    else
        tm-emit --formats 2>/dev/null | string match -ar '\.[^ \t]+'
    end
end

# Completes the argument PLACEHOLDER of PROGRAM's option.
function __tm_argument --argument-names program placeholder
    switch $placeholder
        case FORMAT
            echo -- -xa "'(__tm_formats)'"
        case OUT
            echo -- -xa "'(__tm_outputs (__tm_endings $program))'"
        case DIR
            echo -- -xa "'(__fish_complete_directories)'"
        case WHAT
            echo -- -xa "'halt skip salvage'"
        case LINKS
            echo -- -xa flows
        case STYLE
            echo -- -xa "'text json svg'"
        case 'RULES*'
            echo -- -xa "'flows spans collectives recorded-twice key:args. name:'"
        case 'KIND*'
            echo -- -xa "'proto ftrace json line short-line all none'"
        case 'KEY=*'
            echo -- -xa "'machine= file= process= thread= pid= tid= cat= name= kind= dur= from= to='"
        case 'CLOCK*'
            echo -- -xa "'(__tm_clocks)'"
        case SIZE N
            echo -- -x
        case '*'
            echo -- -r
    end
end

function __tm_register --argument-names program
    contains -- $program tm-clocks tm-align tm-plan tm-emit; and complete -c $program -f
    $program --help 2>/dev/null | string match -r '^ +-.*' | while read -l line
        set -l parts (string split -m 1 '  ' -- (string trim -- $line))
        set -l text (string trim -- "$parts[2]")
        set -l short
        for form in (string split ', ' -- $parts[1])
            set -l words (string match -r '^(\S+)(?: (.*))?$' -- (string replace -r '[= ]' ' ' -- $form))
            set -l argument
            test -n "$words[3]"; and set argument (__tm_argument $program $words[3])
            switch $words[2]
                case '--*'
                    eval complete -c $program $short -l (string sub -s 3 -- $words[2]) $argument -d (string escape -- $text)
                    set short
                case '-?'
                    set short -s (string sub -s 2 -- $words[2])
            end
        end
        test -n "$short"; and complete -c $program $short -d $text
    end
end

# Installed once for each program, by its name.
set -l programs tm-unpack tm-manifest tm-clocks tm-align tm-plan tm-sort tm-emit tm-merge tm-pack
set -l own (string replace -r '.*/|\.fish$' '' -a -- (status filename))
contains -- $own $programs; and set programs $own
for program in $programs
    __tm_register $program
end
