#!/usr/bin/env bats
# make install puts all files for users below DESTDIR, and make uninstall removes them. file(1) recognises a stream.

setup() {
    cd "$BATS_TEST_TMPDIR"
    # A separate make, not part of the one that runs the tests.
    unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
    build=${TM_BIN%/bin}
    # The default folders, whatever the configuration of this build.
    completions="bashcompletiondir=/usr/share/bash-completion/completions
        zshcompletiondir=/usr/share/zsh/site-functions fishcompletiondir=/usr/share/fish/vendor_completions.d"
}

programs="tm-unpack tm-manifest tm-clocks tm-align tm-plan tm-sort tm-emit tm-merge tm-pack"

installed() {
    (cd stage && find . ! -type d | sed 's/^..//' | sort)
}

@test "make install with DESTDIR installs all files, and make uninstall removes them" {
    make -s -C "$build" install DESTDIR="$PWD/stage" prefix=/usr $completions >log 2>&1 || { cat log; false; }
    {
        for p in $programs; do
            echo usr/bin/$p
            echo usr/share/bash-completion/completions/$p
            echo usr/share/fish/vendor_completions.d/$p.fish
        done
        echo usr/lib/tracemerge/tracemerge.so
        echo usr/share/doc/tracemerge/tracemerge.spdx
        echo usr/share/zsh/site-functions/_tracemerge
        echo usr/share/tracemerge/perfetto_manifest.schema.json
        echo usr/share/tracemerge/tracemerge.magic
        for page in "$TM_SRC"/doc/*.[0-9]; do
            echo usr/share/man/man${page##*.}/${page##*/}
        done
        for page in $(sed -n '/^dist_doc_DATA/,/[^\\]$/p' "$TM_SRC/Makefile.am" | grep -oE 'README|NEWS|SECURITY|doc/[a-z]+\.md'); do
            echo usr/share/doc/tracemerge/${page##*/}
        done
        for recipe in "$TM_SRC"/doc/recipes/*; do
            echo usr/share/doc/tracemerge/examples/recipes/${recipe##*/}
        done
        echo usr/share/doc/tracemerge/examples/phone-watch-app.tar
    } | sort >wanted
    installed | diff wanted -
    # Installed programs work in their folder and find their stages beside them.
    run env PATH=/usr/bin:/bin stage/usr/bin/tm-merge "$TM_SRC/doc/examples/phone-watch-app.tar"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 19 ]
    run sqlite3 :memory: ".load stage/usr/lib/tracemerge/tracemerge" "SELECT to_timecode(1)"
    [ "$output" = "00:00:00 000 000 001" ]
    for f in place-rank merge-ranks submit-ranks part-step parallel-parts submit-parts open-in-perfetto; do
        [ -x stage/usr/share/doc/tracemerge/examples/recipes/$f ]
    done
    make -s -C "$build" uninstall DESTDIR="$PWD/stage" prefix=/usr $completions >log 2>&1 || { cat log; false; }
    [ -z "$(installed)" ]
}

@test "completions are installed where configure was told, or not at all" {
    make -s -C "$build" install-data DESTDIR="$PWD/stage" prefix=/usr zshcompletiondir= fishcompletiondir='/else where' \
        >log 2>&1 || { cat log; false; }
    [ ! -e stage/usr/share/zsh ]
    [ ! -e stage/usr/share/fish ]
    [ -s 'stage/else where/tm-sort.fish' ]
}

@test "file(1) recognises a stream and its stage" {
    command -v file >/dev/null || skip "file is not installed"
    demo=$TM_SRC/doc/examples/phone-watch-app.tar
    look() {
        file -b -m "$TM_SRC/doc/tracemerge.magic" "$@"
    }
    tm-unpack "$demo" >s
    [ "$(look s)" = "tracemerge stream version 1, unpacked, by tm-unpack" ]
    tm-manifest <s >t
    [ "$(look t)" = "tracemerge stream version 1, configured, by tm-manifest" ]
    tm-clocks <t >u
    [ "$(look u)" = "tracemerge stream version 1, placed, by tm-clocks" ]
    tm-sort <u >v
    [ "$(look v)" = "tracemerge stream version 1, placed, sorted, by tm-sort" ]
    [ "$(look --mime-type v)" = application/x-tracemerge ]
    # A Perfetto trace begins with the same byte.
    tm-merge -o run.pftrace "$demo"
    [ "$(look run.pftrace)" = data ]
}
