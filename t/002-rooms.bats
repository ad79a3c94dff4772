# Checks the code against lib/ROOMS: includes, private headers, names. Checks how many parameters functions have, and the
# width of lines of code and pages.

rooms() {
    python3 - "$TM_SRC" "$@" <<'PY'
import collections, glob, os, re, sys
os.chdir(sys.argv[1])
lines = [line.split() for line in open('lib/ROOMS') if line.strip() and not line.startswith('#')]
order = {words[0]: i for i, words in enumerate(lines)}
faces = {words[0]: words[1:] for words in lines}
files = sorted(glob.glob('lib/**/*.[ch]', recursive=True) + glob.glob('bin/*.c'))


def room(path):
    path = path[4:] if path.startswith('lib/') else path
    return path if path in order else os.path.dirname(path)


def includes(path):
    return re.findall(r'^#include "([^"]+/[^"]+)"', open(path, encoding='utf-8').read(), re.M)


# Names and numbers of parameters of the functions and pointers to functions that are declared or defined.
def declarations(text):
    text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^#(?:[^\n]*\\\n)*[^\n]*', ' ', text, flags=re.S | re.M)
    one = r'\s*(?:\.\.\.|[a-zA-Z_][\w\s*]*[\s*](?:\w+(?:\[\w*\])?|\(\*\w+\)\([^()]*\)))\s*' # a type and a name
    for found in re.finditer(r'(\w+)\)?\((%s(?:,%s)*)\)' % (one, one), text):
        yield found[1], re.sub(r'\([^()]*\)', '', found[2]).count(',') + 1


def wrong():
    if sys.argv[2] == 'order':
        for path in files:
            for i in includes(path):
                if order[room(i)] > order[room(path)]:
                    yield '%s includes %s, which is below it' % (path, i)
    elif sys.argv[2] == 'private':
        for path in files:
            for i in includes(path):
                name = os.path.basename(i)[:-2]
                if os.path.dirname(i) != os.path.dirname(path[4:]) and room(i) != room(path):
                    if name == 'internal' or faces[room(i)] and name not in faces[room(i)]:
                        yield '%s includes %s, which is private' % (path, i)
    elif sys.argv[2] == 'guards':
        for path in files:
            if path.endswith('.h'):
                guard = 'TM_%s_H' % re.sub(r'\W', '_', path[4:-2].upper())
                if not re.search(r'^#ifndef %s\n#define %s$' % (guard, guard), open(path, encoding='utf-8').read(), re.M):
                    yield '%s has no guard %s' % (path, guard)
    elif sys.argv[2] == 'tags':
        found = collections.defaultdict(list)
        for path in files:
            if path.endswith('.h'):
                for tag in re.findall(r'^(?:struct|enum) (tm_\w+) \{', open(path, encoding='utf-8').read(), re.M):
                    found[tag].append(path)
        for tag, paths in found.items():
            if len(paths) > 1:
                yield '%s is declared in %s' % (tag, ' and '.join(paths))
    elif sys.argv[2] == 'width':
        for path in files + sorted(glob.glob('t/**/*.[ch]', recursive=True)):
            for number, line in enumerate(open(path, encoding='utf-8'), 1):
                if len(line.rstrip('\n')) > 120:
                    yield '%s:%d has %d columns' % (path, number, len(line) - 1)
    elif sys.argv[2] == 'intrinsics':
        for path in files:
            if path != 'lib/base/cpu.h':
                for name in re.findall(r'__builtin\w+|\b_mm\d*_\w+|\b__m\d+i\b|<\w*intrin\.h>|__int128', open(path, encoding='utf-8').read()):
                    yield '%s uses %s, which belongs into lib/base/cpu.h' % (path, name)
    elif sys.argv[2] == 'parameters':
        allowed = {'allow'} # SQLite calls it (lib/format/nsight/database.c)
        for path in files:
            for name, parameters in declarations(open(path, encoding='utf-8').read()):
                if parameters > 5 and name not in allowed:
                    yield '%s: %s has %d parameters' % (path, name, parameters)
    elif sys.argv[2] == 'pages':
        # Tables and output of programs are as wide as they are; a macro of a manual page is one line.
        kept = {'.md': r'\||    ', '': '     *[0-9]', '.1': '[. ]', '.5': '[. ]', '.7': '[. ]'}
        pages = glob.glob('doc/*.md') + glob.glob('doc/*.[157]') + ['README', 'HACKING', 'NEWS', 'SECURITY', 't/README',
                                                                   'proto/README', 'doc/recipes/README.md']
        for path in sorted(pages):
            for number, line in enumerate(open(path, encoding='utf-8'), 1):
                line = line.rstrip('\n')
                if len(line) > 120 and not re.match(kept[os.path.splitext(path)[1]], line):
                    yield '%s:%d has %d columns' % (path, number, len(line))
    elif sys.argv[2] == 'listed':
        there = {os.path.dirname(path)[4:] for path in files if path.startswith('lib/')}
        for name in sorted(there ^ {r for r in order if r != 'bin' and not r.endswith('.c')}):
            yield '%s is a room in one of lib and lib/ROOMS alone' % name


found = list(wrong())
print('\n'.join(found) or 'none of %d files' % len(files))
sys.exit(bool(found) or len(files) < 300)
PY
}

@test "no file includes a header of a later room" {
    rooms order
}

@test "private headers are included only in their own room" {
    rooms private
}

@test "lib/ROOMS lists exactly the existing rooms" {
    rooms listed
}

@test "the guard of a header is its path" {
    rooms guards
}

@test "no struct or enum tag is declared in two headers" {
    rooms tags
}

@test "builtins and intrinsics are in one header only" {
    rooms intrinsics
}

@test "no function has more than five parameters" {
    rooms parameters
}

@test "no line of code has more than 120 columns" {
    rooms width
}

@test "no line of a page has more than 120 columns, except tables and output" {
    rooms pages
}

@test "no files of the library call each other in a circle" {
    python3 "$TM_SRC/t/check/circles" "$TM_SRC"
}

@test "no test has a line of two conditions joined by &&, whose first one cannot fail" { # bash's -e ignores it: two lines
    run bash -c 'cd "$TM_SRC/t" && grep -nE "^ *\[\[? .* \]\]? && .* \]\]?( *#.*)?$" *.bats | grep -vF "\$([ "'
    [ "$output" = "" ]
}

@test "no test has a line with a bare negation, which cannot fail" { # bash's -e ignores it: add || false
    run bash -c 'cd "$TM_SRC/t" && grep -nE "^ *! " *.bats | grep -vF "||"'
    [ "$output" = "" ]
}
