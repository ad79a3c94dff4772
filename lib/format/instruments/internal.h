/* The state of an Instruments document being read, shared by instruments.c (the XML), cells.c (elements and their ids)
 * and rows.c (rows of the stream). */
#ifndef TM_FORMAT_INSTRUMENTS_INTERNAL_H
#define TM_FORMAT_INSTRUMENTS_INTERNAL_H

#include "stream/detail_fields.h"
#include "format/instruments/instruments.h"
#include "format/instruments/refs.h"

enum tm_instruments_kind {
    TM_IK_OTHER, /* ignored */
    TM_IK_ROW,
    TM_IK_SAMPLE_TIME,
    TM_IK_EVENT_TIME,
    TM_IK_START_TIME, /* of rows of tables that are not shown */
    TM_IK_THREAD,
    TM_IK_TID,
    TM_IK_PROCESS,
    TM_IK_PID,
    TM_IK_CORE,
    TM_IK_WEIGHT,
    TM_IK_CYCLES,
    TM_IK_COUNTS,
    TM_IK_BACKTRACE, /* a backtrace, or the tagged-backtrace around one */
    TM_IK_FRAME,
    TM_IK_BINARY,
    TM_IK_SOURCE,
    TM_IK_PATH,
    TM_IK_SUBSYSTEM,
    TM_IK_LOG,
    TM_IK_EVENT_TYPE,
    TM_IK_SIGNPOST_NAME,
    TM_IK_SIGNPOST_ID,
    TM_IK_CATEGORY,
    TM_IK_UINT64
};

struct tm_instruments_element {
    uint8_t kind; /* enum tm_instruments_kind */
    bool is_ref;
    uint64_t id; /* 0: none */
};

/* The row being read. The value of a cell is a number or the place of a record; 0: none. */
struct tm_instruments_row {
    bool has_time, has_start, is_sample, has_core, has_weight, is_cycles, has_log;
    int64_t time_ns;
    uint64_t core, weight, log;
    uint64_t thread, process, backtrace, counts;
    uint64_t subsystem, category, type, name, identifier, message; /* of a signpost */
    uint64_t byte; /* its start in the input */
};

/* What is read so far of the open thread, process or frame. Names of threads and processes are those formatted for
 * people. */
struct tm_instruments_thread {
    bool has_tid;
    int64_t tid;
    uint64_t process;
    struct tm_buf name;
};

struct tm_instruments_process {
    bool has_pid;
    int64_t pid;
    struct tm_buf name;
};

/* Layout of the records. Thread and process: a byte "definition written", a byte "has a number", 8 bytes number, 8
 * bytes process (of a thread), name. Frame: a byte "has an address", 8 bytes address in the binary, fields of a
 * StackFrame. Binary: 8 bytes address, a byte length of the build id, the build id, the path. Backtrace: 8 bytes for
 * each frame, innermost first. os-log-metadata: a byte "has a uint64", 8 bytes for it, the text. Other elements: 8
 * bytes number, or the text. */
enum {
    TM_OWNER_NUMBER = 2,
    TM_OWNER_PROCESS = 10,
    TM_OWNER_NAME = 18,
    TM_FRAME_RECORD_FIELDS = 9,
    TM_BINARY_BUILD_ID_LENGTH = 8,
    TM_BINARY_BUILD_ID = 9,
    TM_LOG_TEXT = 9
};
struct tm_instruments_frame {
    uint64_t address, binary, path;
    bool has_address;
    uint32_t line;
    struct tm_buf name;
};

struct tm_instruments {
    struct tm_format_context context;
    struct tm_instruments_refs refs;
    uint64_t start; /* of the document, in the input */
    struct tm_error *err; /* of the current call */
    enum tm_status status; /* result of a handler: TM_OK, or the status that ends the reading */
    struct XML_ParserStruct *xml;
    uint64_t fed, seen;   /* bytes given to the XML parser, and of these the bytes up to the last tag */
    /* the elements that are open */
    struct tm_instruments_element open[TM_INSTRUMENTS_DEPTH_MAX];
    uint32_t depth;
    struct tm_buf text; /* of the innermost element */
    struct tm_instruments_row row;
    struct tm_instruments_thread thread;
    struct tm_instruments_process process;
    struct tm_instruments_frame frame;
    struct tm_buf frames; /* 8 bytes for each frame: its record */
    uint64_t binary_address;
    struct tm_buf build_id, binary_path;
    uint64_t log;
    bool has_log;
    struct tm_buf log_text;
    /* scratch */
    struct tm_buf record, other, detail;
    uint64_t stack_backtrace; /* the backtrace whose frames are in stack */
    struct tm_buf stack;
    /* accounts and statistics */
    uint64_t no_time, first_no_time, no_stack, first_no_stack, no_thread, first_no_thread, other_rows, first_other_row;
    uint64_t unknown_refs, stacks_cut, sync_backwards;
    bool has_sync;
    uint64_t last_sync;
};

/* The kind of the parent of the innermost element. */
static inline enum tm_instruments_kind tm_instruments_parent(const struct tm_instruments *x)
{
    return x->depth > 1 ? (enum tm_instruments_kind)x->open[x->depth - 2].kind : TM_IK_OTHER;
}

/* begin: the innermost element, x->open[x->depth - 1], begins with ATTRIBUTES (names and values, ended by NULL).
 * finish: it ends. TM_OK or an error. */
enum tm_status tm_instruments_begin(struct tm_instruments *x, const char **attributes);
enum tm_status tm_instruments_finish(struct tm_instruments *x);

/* Sets the thread and process of EVENT to those of the row. Defines them the first time. TM_OK; TM_END: the row has no
 * thread; or an error. */
enum tm_status tm_instruments_thread_of(struct tm_instruments *x, struct tm_event *event);

/* Adds the row, which is a signpost, as an event. TM_OK or an error. */
enum tm_status tm_instruments_signpost_add(struct tm_instruments *x);

/* Converts the complete row to events, a snapshot or an account. TM_OK or an error. */
enum tm_status tm_instruments_row_add(struct tm_instruments *x);

/* Writes accounts and statistics of the document. TM_OK or an error. */
enum tm_status tm_instruments_accounts(struct tm_instruments *x);

#endif
