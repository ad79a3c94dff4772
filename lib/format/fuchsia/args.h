/* Arguments of a Fuchsia record: typed values with names. */
#ifndef TM_FORMAT_FUCHSIA_ARGS_H
#define TM_FORMAT_FUCHSIA_ARGS_H

#include "base/buf.h"
#include "format/fuchsia/tables.h"

enum { TM_FXT_ARGS_MAX = 15 };

enum tm_fxt_arg_type {
    TM_FXT_NULL = 0,
    TM_FXT_INT32 = 1,
    TM_FXT_UINT32 = 2,
    TM_FXT_INT64 = 3,
    TM_FXT_UINT64 = 4,
    TM_FXT_DOUBLE = 5,
    TM_FXT_STRING = 6,
    TM_FXT_POINTER = 7,
    TM_FXT_KOID = 8,
    TM_FXT_BOOL = 9 /* higher numbers are types that this reader does not know */
};

struct tm_fxt_arg {
    uint32_t type; /* enum tm_fxt_arg_type */
    struct tm_text name;
    struct tm_text text; /* of TM_FXT_STRING */
    uint64_t bits;       /* of the other types: sign-extended, or the bits of a double */
};

struct tm_fxt_args {
    uint32_t count;
    struct tm_fxt_arg args[TM_FXT_ARGS_MAX];
};

/* The result of reading a record. */
enum tm_fxt_read { TM_FXT_READ_OK, TM_FXT_READ_CUT, TM_FXT_READ_NO_STRING, TM_FXT_READ_NO_THREAD };

/* Resolves REF to a text: an entry of the current provider's table, or bytes at the cursor. */
enum tm_fxt_read tm_fxt_string_ref(const struct tm_fxt_tables *tables, struct tm_fxt_cursor *c, uint64_t ref,
                                   struct tm_text *text);

/* Resolves REF to a thread: an entry of the table, or the next two words. */
enum tm_fxt_read tm_fxt_thread_ref(const struct tm_fxt_tables *tables, struct tm_fxt_cursor *c, uint64_t ref,
                                   struct tm_fxt_thread *thread);

/* Reads COUNT arguments, at most TM_FXT_ARGS_MAX. */
enum tm_fxt_read tm_fxt_args_read(const struct tm_fxt_tables *tables, struct tm_fxt_cursor *c, uint32_t count,
                                  struct tm_fxt_args *args);

/* The argument called NAME, or NULL. */
const struct tm_fxt_arg *tm_fxt_args_find(const struct tm_fxt_args *args, const char *name);

/* Appends ARGS to a Detail message, with their names as keys. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_fxt_args_put(const struct tm_fxt_args *args, struct tm_buf *detail);

#endif
