/* Strings, frames and stacks of a thread, or those that all threads of a profile share. */
#ifndef TM_FORMAT_GECKO_TABLES_H
#define TM_FORMAT_GECKO_TABLES_H

#include "format/gecko/columns.h"
#include "format/gecko/process.h"

struct tm_gecko_strings {
    bool present;
    bool torn; /* by damage: a number from count on is one of a string that was lost */
    uint32_t count;
    /* private */
    struct tm_paged_file bytes;
    struct tm_paged_file ends; /* 8 bytes a string: where it ends in bytes */
};

/* Zero-initialise, then init. */
struct tm_gecko_tables {
    struct tm_gecko_strings strings;
    bool has_stacks;
    uint64_t broken_stacks; /* whose prefix is not before them: they begin there */
    /* private */
    struct tm_gecko_rows stacks; /* prefix, frame */
    uint32_t frame_count;
    struct tm_gecko_strings frames; /* a code byte, 8 bytes address, fields of a StackFrame; empty: lost to damage */
    struct tm_gecko_rows raw_frames, funcs, resources, symbols, sources; /* while frames are made */
    struct tm_buf text, name, record;
    bool torn, lost; /* a table was cut by damage; it had what the frame being made refers to */
};

void tm_gecko_tables_init(struct tm_gecko_tables *tables);
void tm_gecko_tables_release(struct tm_gecko_tables *tables);

/* Reads what SOURCE has; frames are named by its strings, or where it has none by SHARED's (may be
 * NULL). PROCESS has the libraries. TM_OK or an error. */
enum tm_status tm_gecko_tables_read(struct tm_gecko_tables *tables, const struct tm_gecko_source *source,
                                    struct tm_gecko_strings *shared, const struct tm_gecko_process *process,
                                    struct tm_error *err);

/* Appends string I to OUT. TM_END: there is none. */
enum tm_status tm_gecko_strings_get(struct tm_gecko_strings *strings, uint32_t i, struct tm_buf *out,
                                    struct tm_error *err);

/* Replaces OUT by the frames of stack I, outermost first, as frames of a Detail message; *IS_CUT when
 * there are more than may be. TM_END: there is no such stack, or damage has taken a frame of it. */
enum tm_status tm_gecko_tables_stack(struct tm_gecko_tables *tables, uint32_t i, struct tm_buf *out, bool *is_cut,
                                     struct tm_error *err);

#endif
