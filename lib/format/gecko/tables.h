/* Strings, frames and stacks of a thread, or those shared by all threads of a profile. */
#ifndef TM_FORMAT_GECKO_TABLES_H
#define TM_FORMAT_GECKO_TABLES_H

#include "format/gecko/columns.h"
#include "format/gecko/process.h"

struct tm_gecko_strings {
    bool present;
    bool torn; /* damage cut the table: a number of COUNT or above may mean a lost string */
    uint32_t count;
    /* private */
    struct tm_paged_file bytes;
    struct tm_paged_file ends; /* 8 bytes for each string: its end in bytes */
};

/* Zero-initialise, then init. */
struct tm_gecko_tables {
    struct tm_gecko_strings strings;
    bool has_stacks;
    size_t stack_bytes; /* that tm_gecko_tables_stack may put into its result; init: TM_GECKO_STACK_BYTES */
    uint64_t names_cut;     /* names of frames beyond TM_GECKO_NAME_BYTES */
    uint64_t broken_stacks; /* stacks whose prefix does not precede them; their prefix is ignored */
    /* private */
    struct tm_gecko_rows stacks; /* prefix, frame */
    struct tm_gecko_strings frames; /* a code byte, 8 bytes address, fields of a StackFrame; empty: lost to damage */
    struct tm_gecko_rows raw_frames, funcs, resources, symbols, sources; /* used while frames are made */
    struct tm_buf text, name, record;
    bool torn, lost; /* torn: damage cut a table; lost: damage removed something that the current frame refers to */
};

/* Temporary files are made in DIR (borrowed; NULL: as tm_io_temporary). */
void tm_gecko_tables_init(struct tm_gecko_tables *tables, const char *dir);
void tm_gecko_tables_release(struct tm_gecko_tables *tables);

/* Reads the tables of SOURCE. Its own strings name its frames; without them SHARED does (may be NULL). PROCESS has the
 * libraries. TM_OK or an error. */
enum tm_status tm_gecko_tables_read(struct tm_gecko_tables *tables, const struct tm_gecko_source *source,
                                    struct tm_gecko_strings *shared, const struct tm_gecko_process *process,
                                    struct tm_error *err);

/* Appends up to MAX bytes of string I to OUT. TM_END if there is none. */
enum tm_status tm_gecko_strings_get(struct tm_gecko_strings *strings, uint32_t i, size_t max, struct tm_buf *out,
                                    struct tm_error *err);

/* Replaces OUT by the frames of stack I, as frames of a Detail message, outermost first. *IS_CUT: the stack has more
 * frames than fit. TM_END: there is no such stack, or damage removed one of its frames. */
enum tm_status tm_gecko_tables_stack(struct tm_gecko_tables *tables, uint32_t i, struct tm_buf *out, bool *is_cut,
                                     struct tm_error *err);

#endif
