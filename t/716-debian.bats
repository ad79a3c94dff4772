#!/usr/bin/env bats
# The Debian source package agrees with the rest of the tree.

setup() {
    cd "$TM_SRC"
}

# Prints the packages of the field Build-Depends, without restrictions and versions.
build_depends() {
    sed -n '/^Build-Depends:/,/^[A-Z][A-Za-z-]*:/p' debian/control | grep -v '^[A-Z]' |
        sed 's/^ *//; s/[ ,(<].*//' | sort
}

@test "Build-Depends lists the packages that bootstrap installs" {
    # build-essential contains the packages that are not listed here.
    diff <(build_depends) \
        <(sed -n "/^PACKAGES='/,/'\$/p" bootstrap | tr -d "'" | sed 's/^PACKAGES=//' | tr -s ' ' '\n' | grep . |
            grep -vx -e gcc -e libc6-dev -e make | sort)
}

@test "Build-Depends lists every package that configure names" {
    for package in $(grep -ohE '\(Debian package: [a-z0-9-]+\)|TM_NEED_[A-Z]+\(.*\)' configure.ac |
        sed -E 's/\(Debian package: (.*)\)/\1/; s/.*\[([a-z0-9-]+)\]\)$/\1/' | grep -vx -e gcc -e linux-libc-dev | sort -u); do
        build_depends | grep -qx "$package" || { echo "$package"; false; }
    done
}

@test "Depends lists the packages of the libraries that programs load themselves" {
    # Debian's policy, 8.1: the name and version of the soname, with a hyphen between digits.
    sed -nE 's/^#define [A-Z0-9]+_SONAME "(.*)\.so\.(.*)"$/\1+\2/p' "$TM_BIN/../config.h" |
        sed -E 's/([0-9])\+/\1-/; s/\+//' >packages
    [ -s packages ]
    for package in $(cat packages); do
        sed -n '/^Depends:/,/^Suggests:/p' debian/control | grep -w -e "$package" || { echo "$package"; false; }
    done
}

@test "all files have one version" {
    version=$(sed -n 's/^AC_INIT(\[tracemerge\], \[\(.*\)\])$/\1/p' configure.ac)
    [ -n "$version" ]
    head -n 1 debian/changelog | grep -F "tracemerge ($version) "
    grep -E "^${version//./\\.}( |$)" NEWS
}

@test "control files can be parsed, and scripts are valid" {
    command -v dpkg-parsechangelog >/dev/null || skip "dpkg-dev is not installed"
    [ "$(dpkg-parsechangelog -l debian/changelog -S Source)" = tracemerge ]
    run dpkg-parsechangelog -l debian/changelog
    [[ $output != *warning* ]]
    [ -x debian/rules ]
    sh -n debian/tests/smoke
}

@test "the smoke test passes on the files that make install installs" {
    unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
    cd "$BATS_TEST_TMPDIR"
    make -s -C "${TM_BIN%/bin}" install DESTDIR="$PWD/stage" prefix=/usr >log 2>&1 || { cat log; false; }
    mkdir tmp
    sed "s,doc=/usr,doc=$PWD/stage/usr,; s,/usr/lib/,$PWD/stage/usr/lib/,g" "$TM_SRC/debian/tests/smoke" >smoke
    PATH=$PWD/stage/usr/bin:$PATH AUTOPKGTEST_TMP=$PWD/tmp sh smoke
}

@test "configure names in one sentence what a 32-bit machine lacks" {
    cd "$BATS_TEST_TMPDIR"
    run "$TM_SRC/configure" -q CC='gcc -D__int128=none'
    [ "$status" -ne 0 ]
    [ "$(grep -c . <<<"$output")" -eq 1 ]
    [[ $output == *"128-bit integers are needed"* ]]
}

@test "the list of linked software names each library" {
    command -v readelf >/dev/null || skip "binutils is not installed"
    cd "$BATS_TEST_TMPDIR"
    sed -n 's/^PackageName: //p' "$TM_BIN/../doc/tracemerge.spdx" | sort >listed
    for program in "$TM_BIN"/tm-*; do
        readelf -d "$program" | sed -n 's/.*NEEDED.*\[\(lib[^.]*\)\..*/\1/p'
    done | sort -u | grep -vx -e libc -e libm -e libpthread -e libgcc_s -e 'lib[au][bs]*san' >linked
    [ -s linked ]
    diff <(comm -13 listed linked) /dev/null
    [ "$(grep -c '^PackageVersion: .' "$TM_BIN/../doc/tracemerge.spdx")" -eq "$(wc -l <listed)" ]
}
