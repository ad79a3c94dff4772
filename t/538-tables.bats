# tm-emit -o DIR/: the tables of the database as CSV files.

bats_require_minimum_version 1.5.0

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    demo=$TM_SRC/doc/examples/phone-watch-app.tar
}

# A trace with texts that need quotes, real numbers, and missing values.
odd() {
    cat >odd.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"a,\"b\"\r\nc","cat":"","args":{"r":0.1,"whole":2.0,"s":"","i":-7,"b":true}},
{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"é\u0000"},
{"ph":"C","pid":1,"ts":2,"name":"n","args":{"v":3,"w":1e300}}]
END
}

# has_unfinished FOLDER: true if it has a file that is not complete.
has_unfinished() {
    find "$1" -name '.whole*' 2>/dev/null | grep -q .
}

same_as_database() { # FOLDER DATABASE
    python3 - "$@" <<'END'
import csv, os, sqlite3, sys
folder, database = sys.argv[1:]
db = sqlite3.connect(database)
names = sorted(name[:-4] for name in os.listdir(folder))
for name in names:
    with open('%s/%s.csv' % (folder, name), newline='', encoding='utf-8') as f:
        text = f.read()
    rows = list(csv.reader(text.splitlines(True)))
    cursor = db.execute('SELECT * FROM ' + name)
    assert rows[0] == [c[0] for c in cursor.description], name
    wanted = [['' if v is None else v if isinstance(v, str) else repr(v) for v in row] for row in cursor]
    have = rows[1:]
    assert len(have) == len(wanted), (name, len(have), len(wanted))
    for a, b in zip(have, wanted):
        for x, y in zip(a, b):
            assert x == y or '.' in y and x.strip('0123456789-') and float(x) == float(y), (name, x, y)
print(' '.join(names))
END
}

@test "each file has the rows of its table, with one type for each column" {
    for input in "$demo" odd.json; do
        odd
        tm-merge -q -o out/ -o run.db "$input"
        same_as_database out run.db >names
    done
    [ "$(head -c 12 out/slice.csv)" = '"id","ts","d' ]
    grep -q '"a,""b""' out/slice.csv
    grep -q ',1e+300,' out/counter.csv
    grep -q 'args.whole,.*,2.0,real' out/args.csv
    grep -q 'args.s,args.s,,"",,string,""' out/args.csv
}

@test "all tables are written except those that the views args and package_list read" {
    tm-merge -q -o out/ -o run.db "$demo"
    sqlite3 run.db "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'tm_arg_*'
        AND name <> 'tm_package' ORDER BY 1" >wanted
    ls out | sed 's/\.csv$//' | LC_ALL=C sort | comm -13 - <(LC_ALL=C sort wanted) >missing
    [ ! -s missing ]
    for view in args package_list thread_track process_track counter_track stack_sample; do
        [ -s out/$view.csv ]
    done
    [ -z "$(find out -name '.*' -type f)" ]
}

@test "the stages write what tm-merge writes, -f chooses the output too, and old files are replaced" {
    tm-merge -q -o out/ "$demo"
    mkdir piped
    echo old >piped/slice.csv
    echo mine >piped/mine.txt
    tm-unpack "$demo" | tm-manifest | tm-clocks | tm-sort | tm-emit -q -f tables -o piped
    [ "$(cat piped/mine.txt)" = mine ]
    rm piped/mine.txt
    diff -r out piped
    (umask 027 && tm-merge -q -o strict/ "$demo")
    [ "$(stat -c %a strict/slice.csv)" = 640 ]
}

@test "after a failure no file is left" {
    mkdir out
    echo old >out/slice.csv
    tm-unpack "$demo" | tm-manifest | tm-clocks | tm-sort >s
    run -1 bash -c "head -c -20 s | tm-emit -q -o out/"
    [ "$(ls -A out)" = slice.csv ]
    [ "$(cat out/slice.csv)" = old ]
    echo '[{"ph":"X","pid":1,"tid":1,"ts":-5,"dur":1,"name":"a"}]' >a.json
    run -4 tm-merge -q --strict -o out/ a.json
    [ "$(ls -A out)" = slice.csv ]
    mkfifo pipe
    exec 9<>pipe
    tm-emit -q -o out/ <pipe 3>&- 9>&- &
    head -c 2000 s >&9
    await $! has_unfinished out
    kill -TERM $!
    ! wait $! || false
    exec 9>&-
    [ "$(ls -A out)" = slice.csv ]
    run -4 tm-merge -q --strict -o new/ a.json
    [ ! -e new ]
    run -1 bash -c "head -c -20 s | tm-emit -q -o new/"
    [ ! -e new ]
    mkdir empty
    run -1 bash -c "head -c -20 s | tm-emit -q -o empty/"
    [ -d empty ]
    exec 9<>pipe
    tm-emit -q -o new/ <pipe 3>&- 9>&- &
    head -c 2000 s >&9
    await $! has_unfinished new
    kill -TERM $!
    ! wait $! || false
    exec 9>&-
    [ ! -e new ]
    echo file >file
    run -3 tm-merge -q -f tables -o file "$demo"
    [[ "$output" == *"file: cannot write"* ]]
    run -2 tm-merge -f tables "$demo"
    [[ "$output" == *"tables needs a folder to write"* ]]
}

@test "the recipe for pandas runs" {
    "$TM_PYTHON" -c 'import pandas' 2>/dev/null || skip "Python has no pandas"
    tm-merge -q -o run/ "$demo"
    sed -n '/^    import pandas/,/^$/s/^    //p' "$TM_SRC/doc/recipes/README.md" >recipe.py
    diff <("$TM_PYTHON" recipe.py | tr -s ' ') - <<'END'
name
RenderThread 17.0
HeartRate 110.0
logger 220.4
END
}

@test "the recipe for DuckDB runs" {
    "$TM_PYTHON" -c 'import duckdb' 2>/dev/null || skip "Python has no duckdb"
    tm-merge -q -o run/ "$demo"
    sed -n '/^    import duckdb/,/^$/s/^    //p' "$TM_SRC/doc/recipes/README.md" >recipe.py
    diff <("$TM_PYTHON" recipe.py) - <<'END'
[('wait for watch', 220.4), ('sensor batch', 110.0)]
END
}
