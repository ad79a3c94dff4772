#!/usr/bin/env bats
# The manual pages are well-formed and complete, and their examples work as shown.

setup() {
    . "$TM_SRC/t/lib/shown.bash"
    cd "$BATS_TEST_TMPDIR"
    pages=$(ls "$TM_SRC"/doc/*.[0-9])
}

# examples_of PAGE: writes its EXAMPLES as text, one file for each command or display: example.1, example.2, ...
examples_of() {
    rm -f example.*
    awk -v q="'" '
        function plain(s) { gsub(/\\e/, "\\", s); gsub(/\\\(dq/, "\"", s); gsub(/\\&/, "", s); gsub(/\\-/, "-", s); gsub(/\\\(aq/, q, s); return s }
        /^\.Sh / { inside = $2 == "EXAMPLES"; next }
        !inside { next }
        /^\.Dl / { n++; sub(/^\.Dl /, ""); print plain($0) >("example." n) }
        /^\.Bd -literal/ { n++; display = 1; next }
        /^\.Ed/ { display = 0 }
        display { print plain($0) >("example." n) }' "$1"
}

# The files that examples name, and stand-ins for programs that need a person, a network or a diagram.
prepare() {
    mkdir bin files
    cd files
    mkdir scratch
    tar xf "$TM_SRC/doc/examples/phone-watch-app.tar"
    touch -- *
    mv app_log.json app.json
    sed -i s/app_log.json/app.json/ perfetto_manifest.json
    tar cf run.tar perfetto_manifest.json phone.pftrace watch.pftrace app.json
    gzip -k run.tar
    mkdir run
    cp perfetto_manifest.json phone.pftrace watch.pftrace app.json run
    cp perfetto_manifest.json manifest.json
    tm-pack --manifest-only --machine phone=phone.pftrace phone.pftrace app.json >m.json
    for f in manifest.json phone.pftrace watch.pftrace; do
        gzip -kN $f
    done
    cd ..
    printf '#!/bin/sh\ncat >/dev/null\n' >bin/less
    printf '#!/bin/sh\nshift; exec sh -c "$*"\n' >bin/ssh
    command -v dot >/dev/null || cp bin/less bin/dot
    chmod +x bin/*
    PATH=$PWD/bin:$PATH
    export hosts="one two"
}

@test "mandoc or groff has no warnings about the pages" {
    for page in $pages; do
        if command -v mandoc >/dev/null; then
            run mandoc -T lint -W warning "$page"
        else
            run man --warnings -E UTF-8 -l -Tutf8 -Z "$page"
            output=$(grep -i warning <<<"$output") || true
        fi
        echo "$output"
        [ "$status" -eq 0 ]
        [ -z "$output" ]
    done
}

@test "every page that another refers to exists, and every program has one" {
    for page in $(sed -n 's/^\.Xr \([a-z_]*manifest\|tm-[a-z]*\|tracemerge\) \([0-9]\).*/\1.\2/p' $pages | sort -u); do
        [ -s "$TM_SRC/doc/$page" ]
    done
    for p in "$TM_BIN"/tm-*; do
        case $p in *.o | *.gcno | *.gcda) continue ;; esac
        [ -s "$TM_SRC/doc/${p##*/}.1" ]
        # The overview has a line for each program.
        grep -q "^\.It Xr ${p##*/} 1" "$TM_SRC/doc/tracemerge.7"
    done
}

@test "pages have their title and the required sections" {
    for page in $pages; do
        name=${page##*/}
        grep -qx "\.Dt $(tr a-z A-Z <<<"${name%.*}") ${name##*.}" "$page"
        for section in NAME DESCRIPTION 'SEE ALSO'; do
            grep -qx "\.Sh $section" "$page"
        done
        case $name in
        *.1)
            for section in SYNOPSIS 'EXIT STATUS' EXAMPLES; do
                grep -qx "\.Sh $section" "$page"
            done
            ;;
        esac
    done
}

@test "the synopses of tm-pack and tm-sort --cut have the options of the run" {
    synopsis() { sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$TM_SRC/doc/$1"; }
    synopsis tm-pack.1 | grep -qx '\.Op Fl -no-sync'
    [ "$(synopsis tm-sort.1 | grep -cx '\.Op Fl -max-memory Ns = Ns Ar size')" = 2 ]
}

@test "the examples of all pages run" {
    prepare
    for page in $pages; do
        rm -rf here
        cp -r files here
        cd here
        examples_of "$page"
        cd ..
        case $page in
        # 106-stream-page.bats compares these bytes.
        *tm-stream.5) continue ;;
        *perfetto_manifest.5) continue ;;
        esac
        grep -qx '\.Sh EXAMPLES' "$page" || continue
        cd here
        [ -s example.1 ]
        for example in $(ls example.* | sort -V); do
            sed -i 's,/scratch,scratch,' $example
            if head -n 1 $example | grep -q '^\$ '; then
                run_shown $example
            elif grep -q jq $example && ! command -v jq; then
                continue
            else
                echo "${page##*/}: $(cat $example)"
                bash -eo pipefail $example </dev/null >out || [ $? -eq 141 ]
            fi
        done
        cd ..
    done
}

@test "each document in perfetto_manifest(5) is a valid manifest" {
    awk '/^\.Bd -literal/ { n++; inside = 1; next } /^\.Ed/ { inside = 0 } inside { print >("m" n ".json") }' \
        "$TM_SRC/doc/perfetto_manifest.5"
    [ -s m3.json ]
    tm-manifest --check m*.json
    # Two recordings of one machine are both placed without a guess.
    grep -q boot2 m2.json
    for name in boot1 boot2; do tar xOf "$TM_SRC/doc/examples/phone-watch-app.tar" phone.pftrace >$name.pftrace; done
    tm-merge --no-guess -f summary -m m2.json boot1.pftrace boot2.pftrace | grep 'boot2.pftrace .* by the manifest, .*7200s'
    # The check would find a text that is no manifest.
    sed -i 's/"version"/"Version"/' m1.json
    run tm-manifest --check m1.json
    [ "$status" -eq 1 ]
}

@test "the files of the library that pages name exist" {
    cd "$TM_SRC"
    run python3 - <<'END'
import glob, os, re
missing = []
for page in glob.glob('doc/*.md') + ['HACKING', 'README', 'SECURITY']:
    text = open(page, encoding='utf-8').read()
    named = set(re.findall(r'(?<![/\w])((?:lib|bin)/[a-z0-9_/-]+\.[ch])\b', text))
    rooms = '|'.join(sorted(d for d in os.listdir('lib') if os.path.isdir('lib/' + d)))
    named |= {'lib/' + name for name in re.findall(r'`((?:%s)/[a-z0-9_/]+)`' % rooms, text)}
    missing += [(page, n) for n in sorted(named) if not any(os.path.exists(n + end) for end in ('', '.c', '.h'))]
    if page == 'doc/architecture.md':
        assert len(named) > 40, named
print(missing)
END
    [ "$output" = "[]" ]
}

@test "the table of parallel.md has every file of the library that starts a thread" {
    grep -rlE 'tm_thread_start\(|tm_handoff_start\(|tm_async_writer_new\(' "$TM_SRC/lib" --include='*.c' |
        sed "s|^$TM_SRC/lib/||; s|\.c\$||" | grep -vxE 'os/(thread|handoff|async_writer)' | sort >want
    sed -n 's/^| `\([a-z_/]*\)` | tm-.*/\1/p' "$TM_SRC/doc/parallel.md" | sort | diff -u want -
}
