#!/usr/bin/env bats
# Libraries that few traces or outputs need are loaded when one does (lib/os/library.h).

bats_require_minimum_version 1.5.0

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    demo=$TM_SRC/doc/examples/phone-watch-app.tar
    mkdir broken
    export LD_LIBRARY_PATH="$PWD/broken"
}

# Puts a file that is no library before the one that config.h names by MACRO. Sets $file.
break_library() {
    file=$(sed -n "s/^#define $1 \"\(.*\)\"$/\1/p" "$TM_BIN/../config.h")
    [ -n "$file" ] || skip "built without it"
    echo "no library" >"broken/$file"
}

# Runs "$@", which must fail because of the broken library.
refuses() {
    run --separate-stderr "$@"
    echo "$stderr"
    [ "$status" -eq 3 ]
    [[ $stderr == *"cannot load a library: "*"broken/$file: "* ]]
}

@test "without SQLite all other outputs are written, and a database is refused" {
    break_library SQLITE_SONAME
    tm-merge -q -o merged.pftrace -o merged.json -o merged.txt "$demo"
    [ -s merged.pftrace ]
    [ -s merged.json ]
    [ -s merged.txt ]
    refuses tm-merge -q -o merged.db "$demo"
    [ ! -e merged.db ]
}

# needs MACRO FILE: FILE cannot be read without the library that config.h names by MACRO; the demo can.
needs() {
    break_library "$1"
    tm-unpack "$demo" >/dev/null
    refuses tm-unpack "$2"
}

@test "without SQLite an export of Nsight is refused, in the sandbox of tm-unpack" {
    needs SQLITE_SONAME "$TM_SRC/t/data/nsight.sqlite"
}

@test "without expat an export of Instruments is refused" {
    needs EXPAT_SONAME "$TM_SRC/t/data/instruments.xml"
}

@test "without libseccomp a trace with system calls is refused" {
    kernel <<<"1000 0 5 sys_enter 1=1"
    needs SECCOMP_SONAME k.pftrace
}

@test "without libtracecmd a trace.dat is refused" {
    needs TRACECMD_SONAME "$TM_SRC/t/data/trace-dat-7.dat"
}

@test "without libbabeltrace2 a trace in the Common Trace Format is refused" {
    needs BABELTRACE2_SONAME "$TM_SRC/t/data/ctf-ust.tar.gz"
}

@test "a library without the functions that are called is refused" {
    # cJSON is there in any case; it serves as a library of that name.
    file=$(sed -n 's/^#define SQLITE_SONAME "\(.*\)"$/\1/p' "$TM_BIN/../config.h")
    cjson=$(LD_LIBRARY_PATH='' ldd "$TM_BIN/tm-manifest" | sed -n 's/^.*libcjson\.so.* => \([^ ]*\).*$/\1/p')
    [ -n "$cjson" ] || skip "cJSON is linked statically"
    cp "$cjson" "broken/$file"
    run --separate-stderr tm-merge -q -o merged.db "$demo"
    [ "$status" -eq 3 ]
    [[ $stderr == *"$file: has no function sqlite3_auto_extension"* ]]
    [ ! -e merged.db ]
}

@test "without ISA-L gzip is refused, and a ZIP whose members are not compressed is read" {
    gzip -c "$demo" >demo.tar.gz
    tar -xf "$demo"
    zip -q0 demo.zip ./*.pftrace ./*.json
    needs ISAL_SONAME demo.tar.gz
    tm-unpack demo.zip >/dev/null
}

@test "a stage needs no library but libc and cJSON if archives are linked" {
    [ "$(grep -c '^[A-Z_]*_LINK = STATIC_LINK$' "$TM_BIN/../Makefile")" = 5 ] || skip "not all archives are linked"
    ! grep -q '^TM_SANITIZE = .' "$TM_BIN/../Makefile" || skip "sanitizers have libraries of their own"
    for program in tm-merge tm-unpack tm-sort tm-emit tm-manifest tm-clocks; do
        LD_LIBRARY_PATH='' ldd "$TM_BIN/$program" |
            sed -E '/linux-vdso|ld-linux|ld64|lib(c|dl|pthread)\.so/d; /libcjson/d' >"$program.libraries"
    done
    [ -z "$(cat ./*.libraries)" ]
}

@test "tm-merge has no code of an output" {
    nm "$TM_BIN/tm-merge" >symbols
    grep -q ' tm_emit_pftrace$' symbols
    ! grep -q ' tm_emit_pftrace_functions$' symbols || false
}
