/* The reader of one Fuchsia trace, shared by the files of the format. */
#ifndef TM_FORMAT_FUCHSIA_INTERNAL_H
#define TM_FORMAT_FUCHSIA_INTERNAL_H

#include "format/format.h"
#include "format/fuchsia/args.h"
#include "format/fuchsia/blob.h"
#include "format/fuchsia/flows.h"

/* Reasons why a record has no row. Each is a reason of the accounts. All but TM_FXT_LOSS_UNREAD are also statistics. */
enum tm_fxt_loss {
    TM_FXT_LOSS_READ,     /* the record ends before its content does */
    TM_FXT_LOSS_STRING,   /* no such string in the table */
    TM_FXT_LOSS_THREAD,   /* no such thread */
    TM_FXT_LOSS_TIME,     /* a time or duration that does not fit */
    TM_FXT_LOSS_TYPE,     /* an argument whose type does not fit its name */
    TM_FXT_LOSS_PROVIDER, /* no provider was announced for it */
    TM_FXT_LOSS_VALUE,    /* a counter without numbers */
    TM_FXT_LOSS_UNREAD,   /* records that have no place on a timeline, or of unknown types */
    TM_FXT_LOSS_COUNT
};

struct tm_fxt {
    struct tm_format_context context;
    struct tm_fxt_tables tables;
    struct tm_fxt_flows flows;
    struct tm_fxt_blob blob;
    struct tm_fxt_args args; /* of the record being read */
    struct tm_buf detail, text;
    uint64_t losses[TM_FXT_LOSS_COUNT], first_loss[TM_FXT_LOSS_COUNT];
    uint64_t buffers_full; /* number of times that a provider reported a full buffer */
    uint64_t non_numeric;  /* arguments of counters that are no numbers, as the reference counts them */
    uint64_t damaged, first_damaged, skipped_bytes;
    bool all_read; /* except the blobs */
    struct tm_error *err;
};

/* A record: its first word, and what follows it. */
struct tm_fxt_record {
    uint64_t header;
    struct tm_fxt_cursor rest;
};

/* Counts the record at the front of the input as lost for the reason LOSS. TM_OK. */
enum tm_status tm_fxt_lose(struct tm_fxt *x, enum tm_fxt_loss loss);

/* Counts the record as lost because of READ, which is not TM_FXT_READ_OK. TM_OK. */
enum tm_status tm_fxt_unread(struct tm_fxt *x, enum tm_fxt_read read);

/* Reads the next word as a time. False: the record was counted as lost. */
bool tm_fxt_time(struct tm_fxt *x, struct tm_fxt_cursor *c, int64_t *ns);

/* Sets *STRING for TEXT in a string column of a row whose detail is x->detail. TM_OK or an error. */
enum tm_status tm_fxt_string(struct tm_fxt *x, struct tm_text text, uint32_t *string);

/* Adds ROW with x->detail as its detail. TM_OK or an error. */
enum tm_status tm_fxt_add(struct tm_fxt *x, struct tm_event *row);

/* Each adds the rows of a record: of type 4 (events), 7 (kernel objects), 8 (scheduling) or 9 (log). TM_OK or an
 * error. */
enum tm_status tm_fxt_event(struct tm_fxt *x, struct tm_fxt_record *r);
enum tm_status tm_fxt_kernel_object(struct tm_fxt *x, struct tm_fxt_record *r);
enum tm_status tm_fxt_scheduling(struct tm_fxt *x, struct tm_fxt_record *r);
enum tm_status tm_fxt_log(struct tm_fxt *x, struct tm_fxt_record *r);

/* Writes x->losses and the other counts as accounts and statistics. TM_OK or an error. */
enum tm_status tm_fxt_count_flush(struct tm_fxt *x);

#endif
