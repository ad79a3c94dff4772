/* Refused manifests with their messages. */
#ifndef TM_T_UNIT_MANIFEST_REFUSALS_H
#define TM_T_UNIT_MANIFEST_REFUSALS_H

#define M(body) "{\"perfetto_manifest\": {\"version\": 1, " body "}}"
#define F(body) M("\"files\": [" body "]")
#define CLOCKS "Use one of REALTIME, REALTIME_COARSE, MONOTONIC, MONOTONIC_COARSE, MONOTONIC_RAW, BOOTTIME"
#define PHONE "{\"path\": \"p\", \"machine\": {\"name\": \"phone\"}}"
#define RELAY "{\"path\": \"r\", \"machines\": [{\"id\": 0, \"name\": \"host\"}, {\"id\": 9, \"name\": \"vm\"}]}"
#define POINTS "clocks.x_tracemerge.points"
#define LINE(points)                                                                                                   \
    F(PHONE ", {\"path\": \"a\", \"clocks\": {\"offset_ns\": 5, \"sync_to\": {\"file\": \"p\"}, "                      \
            "\"x_tracemerge\": {\"points\": " points "}}}")
#define DOCUMENT "expected a JSON object with a top-level perfetto_manifest key, itself an object\n"
#define MACHINES_MUST "machines entries need an integer id and a string name: "
#define FILES_MUST "files entries must be objects with a string path: "
#define MACHINE_MUST "machine must be an object with a string name: "
#define MATCH " It must match the path of an entry in the files array"

/* A manifest and all its problems, one on each line, without their prefix. */
struct refusal {
    const char *text;
    const char *problems;
};

/* The conditions of the specification's table that depend on the manifest alone. */
static const struct refusal conditions[] = {
    {"{\"perfetto_manifest\": {}}", "missing required field: version\n"},
    {"{\"perfetto_manifest\": {\"Version\": 1}}", "missing required field: version\n"},
    {"{\"perfetto_manifest\": {\"version\": 2, \"files\": 3}}",
     "unsupported version: 2. Only version 1 is supported; set \"version\": 1\n"},
    {"{\"perfetto_manifest\": {\"version\": -12345678901234567890}}",
     "unsupported version: -12345678901234567890. Only version 1 is supported; set \"version\": 1\n"},
    {M("\"trace_time\": {\"clock\": \"TSC\"}"), "unknown clock name: TSC. " CLOCKS " (trace_time.clock)\n"},
    {M("\"trace_time\": {\"clock\": \"boottime\"}"), "unknown clock name: boottime. " CLOCKS " (trace_time.clock)\n"},
    {F("{\"path\": \"a\", \"clocks\": {\"clock\": \"\", \"sync_to\": {\"file\": \"a\", \"clock\": \"X\"}}}"),
     "unknown clock name: . " CLOCKS " (files[0].clocks.clock)\n"
     "unknown clock name: X. " CLOCKS " (files[0].clocks.sync_to.clock)\n"},
    {F("{\"path\": \"a\", \"machine\": {\"name\": \"x\"}, \"machines\": []}"),
     "machine and machines are mutually exclusive (files[0])\n"},
    {F(PHONE ", {\"path\": \"a\", \"machine\": {\"name\": \"\"}}"), "machine: name must be non-empty (files[1])\n"},
    {F("{\"path\": \"a\", \"machines\": [{\"id\": 1, \"name\": \"\"}]}"),
     "machines: name must be non-empty - machine: name must be non-empty (files[0].machines[0])\n"},
    {F("{\"path\": \"a\", \"machines\": [{\"id\": 0, \"name\": \"h\"}, {\"id\": 4294967296, \"name\": \"x\"}]}"),
     "machines: id must be in [0, 4294967295] (files[0].machines[1])\n"},
    {F("{\"path\": \"a\", \"machines\": [{\"id\": -1, \"name\": \"x\"}]}"),
     "machines: id must be in [0, 4294967295] (files[0].machines[0])\n"},
    {F("{\"path\": \"a\", \"machines\": [{\"id\": 99999999999999999999, \"name\": \"x\"}]}"),
     "machines: id must be in [0, 4294967295] (files[0].machines[0])\n"},
    {F("{\"path\": \"a\", \"clocks\": {}}"), "clocks: a sync_to block is required (files[0])\n"},
    {F("{\"path\": \"a\", \"clocks\": {\"sync_to\": {}}}"),
     "clocks: sync_to.file is required and must be a string (files[0])\n"},
    {F("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"x\"}}}"),
     "clocks: sync_to.file names unknown file 'x'." MATCH " (files[0].clocks.sync_to)\n"},
    {F("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"machine\": \"x\"}}}"),
     "clocks: sync_to.file is required and must be a string - a machine name alone is ambiguous, name the file too "
     "(files[0])\n"},
    {F(RELAY ", {\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"r\"}}}"),
     "clocks: sync_to.file 'r' is a multi-machine trace; also name the machine with clocks: sync_to.machine "
     "(files[1].clocks.sync_to)\n"},
    {F(RELAY ", {\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"r\", \"machine\": \"VM\"}}}"),
     "clocks: sync_to.machine 'VM' is not a machine declared by file 'r'. (files[1].clocks.sync_to)\n"},
    {F(PHONE ", {\"path\": \"r\", \"machines\": [{\"id\": 9, \"name\": \"vm\"}], "
             "\"clocks\": {\"clock\": \"BOOTTIME\", \"sync_to\": {\"file\": \"p\"}}}"),
     "clocks: file 'r' is a multi-machine trace; name which machine the clock is on (files[1].clocks)\n"},
    {F(PHONE ", {\"path\": \"a\", \"clocks\": {\"machine\": \"phone\", \"sync_to\": {\"file\": \"p\"}}}"),
     "clocks: machine 'phone' is not a machine declared by file 'a'. (files[1].clocks)\n"},
    {F(PHONE ", {\"path\": \"a\", \"clocks\": {\"offset_ns\": 1.0, \"sync_to\": {\"file\": \"p\"}}}"),
     "clocks: offset_ns must be an integer (files[1])\n"},
    {F(PHONE ", {\"path\": \"a\", \"clocks\": {\"offset_ns\": 1e3, \"sync_to\": {\"file\": \"p\"}}}"),
     "clocks: offset_ns must be an integer (files[1])\n"},
    {F(PHONE ", {\"path\": \"a\", \"clocks\": {\"offset_ns\": \"5\", \"sync_to\": {\"file\": \"p\"}}}"),
     "clocks: offset_ns must be an integer (files[1])\n"},
    {F(PHONE ", {\"path\": \"a\", \"clocks\": {\"offset_ns\": -9223372036854775808, \"sync_to\": {\"file\": \"p\"}}}"),
     "clocks: offset_ns is out of range (files[1])\n"},
    {F(PHONE ", {\"path\": \"a\", \"clocks\": {\"offset_ns\": 9223372036854775808, \"sync_to\": {\"file\": \"p\"}}}"),
     "clocks: offset_ns must be an integer of 64 bits - clocks: offset_ns is out of range (files[1])\n"},
};

/* Errors beyond the table. */
static const struct refusal others[] = {
    {"[]", DOCUMENT},
    {"{\"Perfetto_Manifest\": {\"version\": 1}}", DOCUMENT},
    {"{\"perfetto_manifest\": [1]}", DOCUMENT},
    {"{\"perfetto_manifest\": {\"version\": \"1\"}}", "version must be an integer\n"},
    {"{\"perfetto_manifest\": {\"version\": 1.0}}", "version must be an integer\n"},
    {"{\"perfetto_manifest\": {\"version\": 1e0}}", "version must be an integer\n"},
    {"{\"perfetto_manifest\": {\"version\": true}}", "version must be an integer\n"},
    {M("\"files\": {}"), "files must be an array\n"},
    {M("\"files\": null"), "files must be an array\n"},
    {M("\"trace_time\": \"BOOTTIME\""), "trace_time must be an object\n"},
    {M("\"trace_time\": {}"), "trace_time needs a clock\n"},
    {M("\"trace_time\": {\"clock\": 3}"), "clock name must be a string (trace_time.clock)\n"},
    {M("\"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": 1}"), "trace_time: file must be a string\n"},
    {M("\"trace_time\": {\"clock\": \"BOOTTIME\", \"machine\": \"m\"}"),
     "trace_time: machine 'm' needs trace_time: file too - a machine name alone is ambiguous, name the file too\n"},
    {M("\"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": \"X\"}"),
     "trace_time: file names unknown file 'X'." MATCH "\n"},
    {M("\"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": \"p\", \"machine\": \"M\"}, \"files\": [" PHONE "]"),
     "trace_time: machine 'M' is not a machine declared by file 'p'. (trace_time)\n"},
    {M("\"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": \"r\"}, \"files\": [" RELAY "]"),
     "trace_time: file 'r' is a multi-machine trace; also name the machine with trace_time: machine (trace_time)\n"},
    {F("3"), FILES_MUST "it is not an object (files[0])\n"},
    {F("{}"), FILES_MUST "path is missing (files[0])\n"},
    {F("{\"path\": null}"), FILES_MUST "path is not a string (files[0])\n"},
    {F(PHONE ", {\"path\": \"p\"}"), "files[1]: path 'p' is also that of files[0]\n"},
    {F("{\"path\": \"a\", \"machine\": \"phone\"}"), MACHINE_MUST "it is not an object (files[0])\n"},
    {F("{\"path\": \"a\", \"machine\": {}}"), MACHINE_MUST "name is missing (files[0])\n"},
    {F("{\"path\": \"a\", \"machine\": {\"name\": 1}}"), MACHINE_MUST "name is not a string (files[0])\n"},
    {F("{\"path\": \"a\", \"machines\": {}}"), "machines must be an array (files[0])\n"},
    {F("{\"path\": \"a\", \"machines\": [1, {}, {\"id\": \"1\", \"name\": 2}]}"),
     MACHINES_MUST "it is not an object (files[0].machines[0])\n"
     MACHINES_MUST "id is missing (files[0].machines[1])\n"
     MACHINES_MUST "name is missing (files[0].machines[1])\n"
     MACHINES_MUST "id is not an integer (files[0].machines[2])\n"
     MACHINES_MUST "name is not a string (files[0].machines[2])\n"},
    {F("{\"path\": \"a\", \"machines\": [{\"id\": 1, \"name\": \"x\"}, {\"id\": 1, \"name\": \"y\"}]}"),
     "files[0].machines[1]: id 1 is already declared\n"},
    {F("{\"path\": \"a\", \"clocks\": []}"), "clocks must be an object (files[0])\n"},
    {F("{\"path\": \"a\", \"clocks\": {\"sync_to\": \"a\"}}"), "clocks: sync_to must be an object (files[0])\n"},
    {F("{\"path\": \"a\", \"clocks\": {\"clock\": 6, \"machine\": 1, \"sync_to\": {\"file\": 1}}}"),
     "clock name must be a string (files[0].clocks.clock)\n"
     "clocks: machine must be a string (files[0])\n"
     "clocks: sync_to.file is required and must be a string (files[0])\n"},
    {F("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"a\"}}}"),
     "files[0]: clocks relate the file's own timeline to itself\n"},
    {F(PHONE ", {\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"p\"}, \"x_tracemerge\": 1}}"),
     "files[1]: clocks.x_tracemerge must be an object\n"},
    {LINE("{}"), "files[1]: " POINTS " must be an array of pairs of integers\n"},
    {LINE("[]"), "files[1]: " POINTS " must have at least one point\n"},
    {LINE("[[1, 5], [2]]"), "files[1]: " POINTS "[1] must be [own_ns, offset_ns], two integers\n"},
    {LINE("[[1, 5, 6]]"), "files[1]: " POINTS "[0] must be [own_ns, offset_ns], two integers\n"},
    {LINE("[[1, 5.0]]"), "files[1]: " POINTS "[0] must be [own_ns, offset_ns], two integers\n"},
    {LINE("[[1, 9223372036854775808]]"), "files[1]: " POINTS "[0] is out of range\n"},
    {LINE("[[1, 9223372036854775807]]"), "files[1]: " POINTS "[0] is out of range\n"},
    {LINE("[[1, 5], [1, 5]]"), "files[1]: " POINTS "[1] must have a greater own_ns than the point before it\n"},
    {LINE("[[1, 7], [3, 4]]"),
     "files[1]: " POINTS "[1] lets the reference run backwards: a step is two points 1 ns apart\n"},
    {LINE("[[1, 6], [30, 7]]"), "files[1]: clocks.offset_ns must be one of the offsets of x_tracemerge.points, or "
                                "between them: from 6 to 7\n"},
    {F(PHONE ", {\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"p\"}, "
             "\"x_tracemerge\": {\"points\": [[1, 0]]}}}"),
     "files[1]: clocks.offset_ns is required beside x_tracemerge.points, for readers that do not know them: from 0 to "
     "0\n"},
    {LINE("[[1, 5]], \"uncertainty_ns\": -1, \"rule\": 7"),
     "files[1]: clocks.x_tracemerge.uncertainty_ns must be an integer, 0 or more\n"
     "files[1]: clocks.x_tracemerge.rule must be a string\n"},
    {LINE("[[1, 5]], \"uncertainty_ns\": 9223372036854775808"),
     "files[1]: clocks.x_tracemerge.uncertainty_ns is out of range\n"},
    {M("\"attributes\": []"), "attributes must be an object of string or integer values\n"},
    {M("\"attributes\": {\"\": 1}"), "attributes: keys must be non-empty\n"},
    {M("\"attributes\": {\"a\": 1.5, \"b\": null, \"c\": [], \"d\": 9223372036854775808, \"e\": 1}"),
     "attributes: 'a' must be a string or an integer\n"
     "attributes: 'b' must be a string or an integer\n"
     "attributes: 'c' must be a string or an integer\n"
     "attributes: 'd' must be a string or an integer of 64 bits - it is out of range\n"},
};

static const struct refusal syntax[] = {
    {"", "line 1, column 1: expected a value, but the text ends here\n"},
    {"{", "line 1, column 2: expected a key in double quotes, but the text ends here\n"},
    {"{\"a\": 1", "line 1, column 8: expected ',' or '}', but the text ends here\n"},
    {"{\n  \"\xc3\xa9\": 01}", "line 2, column 8: a number with a leading zero\n"},
    {"{\"a\": 1,}", "line 1, column 9: expected a key in double quotes, not '}'\n"},
    {"[1,]", "line 1, column 4: expected a value, not ']'\n"},
    {"[1.]", "line 1, column 4: expected a digit after the decimal point, not ']'\n"},
    {"[1e]", "line 1, column 4: expected a digit of the exponent, not ']'\n"},
    {"[.5]", "line 1, column 2: expected a value, not '.'\n"},
    {"[+1]", "line 1, column 2: expected a value, not '+'\n"},
    {"[-]", "line 1, column 3: expected a digit, not ']'\n"},
    {"[NaN]", "line 1, column 2: expected a value, not 'N'\n"},
    {"[truE]", "line 1, column 2: expected a value, not 't'\n"},
    {"{\"a\" 1}", "line 1, column 6: expected ':', not '1'\n"},
    {"{a: 1}", "line 1, column 2: expected a key in double quotes, not 'a'\n"},
    {"{} {}", "line 1, column 4: expected the end of the document, not '{'\n"},
    {"{}\v", "line 1, column 3: expected the end of the document, not byte 0x0b\n"},
    {"\xef\xbb\xbf\xef\xbb\xbf{}",
     "line 1, column 1: a byte order mark that is not at the beginning, which JSON does not allow\n"},
    {"\xef\xbb\xbf{]", "line 1, column 2: expected a key in double quotes, not ']'\n"},
    {"[\"a\nb\"]", "line 1, column 4: raw control byte 0x0a in a string\n"},
    {"[\"\x1b[2J\"]", "line 1, column 3: raw control byte 0x1b in a string\n"},
    {"[\"\\u0000\"]", "line 1, column 3: \\u0000 in a string\n"},
    {"[\"\\ud800\"]", "line 1, column 3: unpaired surrogate in a string\n"},
    {"[\"\\ud800\\u0041\"]", "line 1, column 3: unpaired surrogate in a string\n"},
    {"[\"\\udc00\"]", "line 1, column 3: unpaired surrogate in a string\n"},
    {"[\"\\u12G4\"]", "line 1, column 7: expected a hexadecimal digit, not 'G'\n"},
    {"[\"\\x\"]", "line 1, column 4: expected a JSON escape after the backslash, not 'x'\n"},
    {"[\"\xff\"]", "line 1, column 3: invalid UTF-8\n"},
    {"[\"\xc0\x80\"]", "line 1, column 3: invalid UTF-8\n"},
    {"[\"\xed\xa0\x80\"]", "line 1, column 3: invalid UTF-8\n"},
    {"[\"a", "line 1, column 2: the string that begins here does not end\n"},
    {"{\"a\": 1,\n \"a\": 2, \"\\u0061\": 3, \"A\": 4, \"b\": {\"a\": 5}}",
     "line 2, column 2: duplicate key 'a'\nline 2, column 10: duplicate key 'a'\n"},
};

#endif
