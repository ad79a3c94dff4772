/* The state of a file with spans being read. Shared by its three formats (otlp.c, jaeger.c, zipkin.c), and by service.c
 * (processes and tracks), span.c (rows), args.c (typed values), document.c (lists, pending text) and salvage.c
 * (damage). */
#ifndef TM_FORMAT_SPANS_INTERNAL_H
#define TM_FORMAT_SPANS_INTERNAL_H

#include "base/map.h"
#include "format/json_args.h"
#include "format/spans/members.h"
#include "format/spans/service.h"
#include "format/spans/span_id.h"
#include "format/spans/spans.h"
#include "format/spans/window.h"
#include "json/cursor.h"
#include "os/paged_input.h"

/* COUNT events without rows, the first at BYTE. */
struct tm_spans_account {
    uint64_t count, byte;
};

/* Adds N events, the first at BYTE of the input, to ACCOUNT. */
static inline void tm_spans_count(struct tm_spans_account *account, uint64_t n, uint64_t byte)
{
    if (account->count == 0)
        account->byte = byte;
    account->count += n;
}

/* The fields of a span's row. Its args and its flows are in struct tm_spans. */
struct tm_spans_span {
    struct tm_span_id trace, span, parent;
    bool is_called; /* by a span in another process */
    bool is_shared; /* it has the id of the span that called it */
    bool is_open;   /* its end was not recorded */
    bool has_time;
    struct tm_json_value name;
    int64_t start_ns, end_ns;
    uint64_t byte; /* its place in the input, for accounts */
};

struct tm_spans;

/* The functions of one format. */
struct tm_spans_grammar {
    /* Reads the document at the cursor. TM_OK or an error. */
    enum tm_status (*read)(struct tm_spans *x);
    /* Handles OBJECT, a complete object in a damaged text. TM_OK: it is a span, or has facts about spans; TM_END: it is
     * something else; or an error. */
    enum tm_status (*found)(struct tm_spans *x, const struct tm_json_value *object, uint64_t byte);
    /* Handles the first member of an object in a damaged text; the object may be incomplete. VALUE NULL: it is not
     * readable. TM_OK; TM_END: it has no facts about spans; or an error. NULL: no such member exists in the format. */
    enum tm_status (*head)(struct tm_spans *x, const struct tm_json_value *key, const struct tm_json_value *value);
    /* Shows what is pending in the paged file. TM_OK or an error. */
    enum tm_status (*show_pending)(struct tm_spans *x);
    bool (*begins)(const uint8_t *head, size_t len);
    bool has_lines;  /* one document may follow another */
    bool needs_later_text; /* pending text may need a later part of a damaged text */
};

struct tm_spans {
    struct tm_format_context context;
    const struct tm_spans_grammar *grammar;
    struct tm_error *err;          /* of the current call */
    struct tm_json_cursor main;    /* over the input */
    struct tm_json_cursor *cursor; /* main, or a cursor over pending text */
    bool is_damaged;               /* the text is searched for spans */
    struct tm_spans_services services;
    struct tm_spans_window window;
    struct tm_spans_service service; /* the service whose spans are read */
    struct tm_buf scope;             /* the instrumentation scope; it is the category of its spans */
    struct tm_buf key, prefix, text, detail;
    struct tm_buf args; /* of the span or event: Arg messages */
    size_t args_max;    /* limit of args */
    struct tm_json_args values;
    uint64_t flows[TM_SPANS_LINKS_MAX];
    uint32_t flow_count;
    struct tm_paged_file pending; /* text of spans whose service is stated after them */
    uint64_t pending_byte;        /* its first byte in the input */
    /* The processes of a Jaeger trace. */
    struct tm_spans_service *processes;
    struct tm_map process_ids; /* hash of an id to its index */
    uint32_t process_count, process_cap;
    bool has_processes, has_processes_first; /* has_processes_first: they precede the spans */
    uint64_t pending_trace;                  /* hash of the trace whose spans are pending, in a damaged text */
    /* accounts and statistics, written at the end */
    struct tm_spans_account damaged, skipped, no_time, not_shown;
    uint64_t args_cut, links_cut, lists_missing;
};

/* Checks that the next value has TYPE; skips any other. TM_OK; TM_END: it was skipped; or an error. */
enum tm_status tm_spans_expect(struct tm_spans *x, enum tm_json_type type);

/* Reads the next object of the list at the cursor, and its place. Other elements are counted as damaged. TM_OK, TM_END
 * at the end of the list, or an error. */
enum tm_status tm_spans_next_object(struct tm_spans *x, struct tm_json_value *object, uint64_t *byte);

/* Appends the next array to the pending text; any other value is skipped. BY_ELEMENT: parses its elements one by one,
 * which finds the element that is damaged. TM_OK or an error. */
enum tm_status tm_spans_make_pending(struct tm_spans *x, bool by_element);

/* Runs READ with the cursor on the pending text, then removes that text. TM_OK or an error. */
enum tm_status tm_spans_read_pending(struct tm_spans *x, enum tm_status (*read)(struct tm_spans *x));

/* True if damage does not halt the run. */
bool tm_spans_salvages(const struct tm_spans *x);

/* Counts the damage that x->err describes, and clears x->err. */
void tm_spans_count_damage(struct tm_spans *x);

/* Searches the text under the cursor for spans, to its end or up to a document that the format can read again. TM_OK:
 * such a document is next; TM_END: the end; or an error other than TM_E_INPUT. */
enum tm_status tm_spans_salvage(struct tm_spans *x);

/* Begins the args of a span or an event. Its text has LEN bytes, which limit the args. */
void tm_spans_args_begin(struct tm_spans *x, size_t len);

/* The type to which a value is converted. */
enum tm_spans_type { TM_SPANS_AS_IT_IS, TM_SPANS_INT, TM_SPANS_DOUBLE };

/* Adds the argument VALUE under x->key. TYPE says whether a string contains a number. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_spans_arg(struct tm_spans *x, const struct tm_json_value *value, enum tm_spans_type type);

/* Adds the argument KEY if VALUE exists, or TEXT as the argument KEY. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_spans_arg_named(struct tm_spans *x, const char *key, const struct tm_json_value *value);
enum tm_status tm_spans_arg_text(struct tm_spans *x, const char *key, const char *text);

/* Sets x->key to the text of KEY. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_spans_set_key(struct tm_spans *x, const struct tm_json_value *key);

/* Sets x->text to the text of VALUE, a string or number; empty for other types. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_spans_text(struct tm_spans *x, const struct tm_json_value *value);

/* Reads a time, a string or number in units of 10^-9 * 10^SCALE seconds. False: not a time, or not after 1970. */
bool tm_spans_time(const struct tm_json_value *value, int scale, int64_t *ns);

/* Adds the link number INDEX of the current span: a flow from the linked span, and args that name it. A link without a
 * valid id is ignored. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_spans_link(struct tm_spans *x, unsigned index, const struct tm_span_id *trace,
                             const struct tm_span_id *span);

/* Add the rows of SPAN, or of an event in the span added last, with the args added since tm_spans_args_begin. TM_OK or
 * an error. */
enum tm_status tm_spans_add(struct tm_spans *x, const struct tm_spans_span *span);
enum tm_status tm_spans_add_event(struct tm_spans *x, const struct tm_spans_span *span, int64_t time_ns,
                                  const struct tm_json_value *name);

extern const struct tm_spans_grammar tm_spans_otlp, tm_spans_jaeger, tm_spans_zipkin;

/* True if the LEN bytes at HEAD, the first of a file, look like the format's. */
bool tm_spans_sniff_otlp(const uint8_t *head, size_t len);
bool tm_spans_sniff_jaeger(const uint8_t *head, size_t len);
bool tm_spans_sniff_zipkin(const uint8_t *head, size_t len);

#endif
