#include "format/instruments/internal.h"

#include "config.h"

#include "os/library.h"

#include <expat.h>
#include <stdlib.h>

#define FUNCTIONS(X)                                                                                                   \
    X(ErrorString) X(GetCurrentByteCount) X(GetCurrentByteIndex) X(GetErrorCode) X(Parse) X(ParserCreate)              \
    X(ParserFree) X(ParserReset) X(SetCharacterDataHandler) X(SetDefaultHandler) X(SetElementHandler)                  \
    X(SetStartDoctypeDeclHandler) X(SetUserData) X(StopParser)

static struct {
#define MEMBER(name) __typeof__(XML_##name) *name;
    FUNCTIONS(MEMBER)
} xml;

#define NAME(name) "XML_" #name,
static const char *const names[] = {FUNCTIONS(NAME)};
static struct tm_library library = {EXPAT_SONAME, names, sizeof names / sizeof *names, &xml, false};

enum { FEED_BYTES = 64 << 10 };

struct kind {
    const char *name;
    enum tm_instruments_kind kind;
};

/* Sorted by name. */
static const struct kind kinds[] = {
    {"backtrace", TM_IK_BACKTRACE},
    {"binary", TM_IK_BINARY},
    {"category", TM_IK_CATEGORY},
    {"core", TM_IK_CORE},
    {"cycle-weight", TM_IK_CYCLES},
    {"event-time", TM_IK_EVENT_TIME},
    {"event-type", TM_IK_EVENT_TYPE},
    {"frame", TM_IK_FRAME},
    {"os-log-metadata", TM_IK_LOG},
    {"os-signpost-identifier", TM_IK_SIGNPOST_ID},
    {"path", TM_IK_PATH},
    {"pid", TM_IK_PID},
    {"pmc-events", TM_IK_COUNTS},
    {"process", TM_IK_PROCESS},
    {"row", TM_IK_ROW},
    {"sample-time", TM_IK_SAMPLE_TIME},
    {"signpost-name", TM_IK_SIGNPOST_NAME},
    {"source", TM_IK_SOURCE},
    {"start-time", TM_IK_START_TIME},
    {"subsystem", TM_IK_SUBSYSTEM},
    {"tagged-backtrace", TM_IK_BACKTRACE},
    {"thread", TM_IK_THREAD},
    {"tid", TM_IK_TID},
    {"uint64", TM_IK_UINT64},
    {"weight", TM_IK_WEIGHT},
};

static int compare_kind(const void *name, const void *kind)
{
    return strcmp(name, ((const struct kind *)kind)->name);
}

/* Returns the position of the XML parser in the input. */
static uint64_t here(const struct tm_instruments *x)
{
    XML_Index at = xml.GetCurrentByteIndex(x->xml);
    return x->start + (at < 0 ? x->fed : (uint64_t)at);
}

static void stop(struct tm_instruments *x, enum tm_status status)
{
    x->status = status;
    (void)xml.StopParser(x->xml, XML_FALSE);
}

static enum tm_status refuse(struct tm_instruments *x, const char *cause)
{
    return tm_error_at(x->err, here(x), "%s", cause);
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    struct tm_instruments *x = data;
    if (x->status != TM_OK)
        return;
    x->seen = here(x) - x->start;
    if (x->depth == TM_INSTRUMENTS_DEPTH_MAX) {
        stop(x, refuse(x, "elements are nested too deeply"));
        return;
    }
    const struct kind *found = bsearch(name, kinds, sizeof kinds / sizeof *kinds, sizeof *kinds, compare_kind);
    struct tm_instruments_element *e = &x->open[x->depth++];
    *e = (struct tm_instruments_element){0};
    if (found)
        e->kind = (uint8_t)found->kind;
    if (e->kind == TM_IK_ROW)
        x->row = (struct tm_instruments_row){.byte = here(x)};
    else if (e->kind != TM_IK_OTHER && tm_instruments_begin(x, attributes) < 0)
        stop(x, x->err->status);
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
    struct tm_instruments *x = data;
    (void)name;
    if (x->status != TM_OK)
        return;
    x->seen = here(x) - x->start;
    if (tm_instruments_finish(x) < 0) {
        stop(x, x->err->status);
        return;
    }
    if (--x->depth == 0) {
        /* The document ends with its end tag; the bytes after it do not belong to it. */
        x->seen += (uint64_t)xml.GetCurrentByteCount(x->xml);
        stop(x, TM_END);
    }
}

static void XMLCALL on_text(void *data, const XML_Char *text, int len)
{
    struct tm_instruments *x = data;
    if (x->status != TM_OK)
        return;
    x->seen = here(x) - x->start;
    if (x->depth == 0 || x->open[x->depth - 1].kind == TM_IK_OTHER)
        return;
    if (x->text.len + (size_t)len > TM_INSTRUMENTS_TEXT_MAX)
        stop(x, refuse(x, "the text of an element is too long"));
    else if (tm_buf_add(&x->text, text, (size_t)len) != TM_OK)
        stop(x, tm_error_nomem(x->err));
}

/* Refuses a document type declaration, because only that can declare entities. */
static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system_id, const XML_Char *public_id,
                               int has_internal_subset)
{
    struct tm_instruments *x = data;
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    stop(x, refuse(x, "a document type declaration is refused"));
}

static void XMLCALL on_other(void *data, const XML_Char *text, int len)
{
    struct tm_instruments *x = data;
    (void)text;
    (void)len;
    if (x->status == TM_OK)
        x->seen = here(x) - x->start;
}

static void set_handlers(struct tm_instruments *x)
{
    xml.SetUserData(x->xml, x);
    xml.SetElementHandler(x->xml, on_start, on_end);
    xml.SetCharacterDataHandler(x->xml, on_text);
    xml.SetDefaultHandler(x->xml, on_other);
    xml.SetStartDoctypeDeclHandler(x->xml, on_doctype);
}

static enum tm_status instruments_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    enum tm_status st = tm_library_load(&library, err);
    if (st < 0)
        return st;
    struct tm_instruments *x = calloc(1, sizeof *x);
    if (x == NULL || (x->xml = xml.ParserCreate(NULL)) == NULL) {
        free(x);
        return tm_error_nomem(err);
    }
    x->context = *context;
    x->start = context->input->offset;
    tm_instruments_refs_init(&x->refs, context->temporary_dir);
    set_handlers(x);
    *state = x;
    return TM_OK;
}

static void instruments_close(void *state)
{
    struct tm_instruments *x = state;
    if (x == NULL)
        return;
    struct tm_buf *bufs[] = {&x->text,     &x->thread.name, &x->process.name, &x->frame.name, &x->frames,
                             &x->build_id, &x->binary_path, &x->log_text,     &x->record,     &x->other,
                             &x->detail,   &x->stack};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        tm_buf_release(bufs[i]);
    tm_instruments_refs_release(&x->refs);
    xml.ParserFree(x->xml);
    free(x);
}

/* Consumes the input up to the last byte that the parser has handled. The XML parser may buffer what it gets, and bytes
 * after the document must stay in the input. */
static void take_seen(struct tm_instruments *x)
{
    uint64_t at = x->context.input->offset;
    if (x->start + x->seen > at)
        tm_input_skip(x->context.input, (size_t)(x->start + x->seen - at));
}

/* Skips to the next row after byte AT. TM_END: there is none, and all is skipped. */
static enum tm_status find_row(struct tm_instruments *x, uint64_t at)
{
    struct tm_input *in = x->context.input;
    enum { TAG = 5 }; /* "<row>" */
    enum tm_status st = at < in->offset ? TM_OK : tm_input_advance(in, at + 1 - in->offset, x->err);
    while (st == TM_OK && (st = tm_input_fill(in, TAG, x->err)) == TM_OK) {
        if (memcmp(in->data, "<row>", TAG) == 0 || memcmp(in->data, "<row ", TAG) == 0)
            return TM_OK;
        const uint8_t *next = memchr(in->data + 1, '<', in->len - 1);
        tm_input_skip(in, next ? (size_t)(next - in->data) : in->len);
    }
    if (st == TM_END)
        tm_input_skip(in, in->len);
    return st;
}

/* Resumes at the row at the front of the input, as the first row of a new XML document. Ids keep their meaning. */
static enum tm_status resume(struct tm_instruments *x)
{
    static const char head[] = "<trace-query-result><node>";
    if (!xml.ParserReset(x->xml, NULL))
        return tm_error_nomem(x->err);
    set_handlers(x);
    x->start = x->context.input->offset - (sizeof head - 1);
    x->fed = sizeof head - 1;
    x->depth = 0;
    x->status = TM_OK;
    tm_buf_clear(&x->text);
    (void)xml.Parse(x->xml, head, (int)x->fed, 0);
    x->seen = x->fed;
    return x->status;
}

/* Handles damage at byte AT. Depending on on_damage, returns an error, skips the rest of the file, or resumes at the
 * next row. */
static enum tm_status damaged(struct tm_instruments *x, uint64_t at, const char *cause)
{
    struct tm_input *in = x->context.input;
    enum tm_status st;
    take_seen(x);
    uint64_t first = in->offset;
    if (x->context.options == NULL || x->context.options->on_damage == TM_DAMAGE_HALT) {
        tm_error_at(x->err, at, "%s", cause);
        return tm_error_recoverable(x->err);
    }
    if (x->context.options->on_damage == TM_DAMAGE_SALVAGE)
        st = find_row(x, at);
    else
        while ((st = tm_input_fill(in, 1, x->err)) == TM_OK)
            tm_input_skip(in, in->len);
    bool ends = st == TM_END;
    if (st < 0 ||
        (st = tm_event_sink_account(x->context.sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, at}, x->err)) < 0)
        return st;
    if (in->offset > first &&
        (st = tm_event_sink_account(x->context.sink,
                                    (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, in->offset - first, first}, x->err)) < 0)
        return st;
    if (!ends)
        return resume(x);
    st = tm_instruments_accounts(x);
    return st < 0 ? st : TM_END;
}

/* Converts the result PARSED of XML_Parse to a status. */
static enum tm_status outcome(struct tm_instruments *x, enum XML_Status parsed)
{
    if (x->status == TM_END) {
        take_seen(x);
        enum tm_status st = tm_instruments_accounts(x);
        return st < 0 ? st : TM_END;
    }
    if (x->status == TM_E_INPUT && x->context.options && x->context.options->on_damage != TM_DAMAGE_HALT) {
        *x->err = (struct tm_error){0};
        return damaged(x, here(x), "");
    }
    if (x->status < 0) {
        (void)tm_error_recoverable(x->err);
        return x->status;
    }
    if (parsed != XML_STATUS_OK)
        return damaged(x, here(x), xml.ErrorString(xml.GetErrorCode(x->xml)));
    take_seen(x);
    return TM_OK;
}

static enum tm_status instruments_read(void *state, struct tm_error *err)
{
    struct tm_instruments *x = state;
    struct tm_input *in = x->context.input;
    size_t given = (size_t)(x->start + x->fed - in->offset);
    x->err = err;
    if (given > TM_INSTRUMENTS_TAG_MAX)
        return damaged(x, in->offset, "a tag or a text is too long");
    enum tm_status st = tm_input_fill(in, given + FEED_BYTES, err);
    if (st < 0)
        return st;
    size_t n = in->len - given < FEED_BYTES ? in->len - given : FEED_BYTES;
    if (n > 0) {
        x->fed += n;
        return outcome(x, xml.Parse(x->xml, (const char *)in->data + given, (int)n, 0));
    }
    (void)xml.Parse(x->xml, NULL, 0, 1);
    return x->status == TM_OK ? damaged(x, in->offset + in->len, "the document is cut short")
                              : outcome(x, XML_STATUS_ERROR);
}

/* Accepts only the exact bytes that xctrace writes first. */
static bool instruments_sniff(const uint8_t *head, size_t len)
{
    static const char want[] = "<?xml version=\"1.0\"?>\n<trace-query-result>";
    return len >= sizeof want - 1 && memcmp(head, want, sizeof want - 1) == 0;
}

const struct tm_format tm_format_instruments = {
    .type = TM_INPUT_INSTRUMENTS,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .sniff = instruments_sniff,
    .open = instruments_open,
    .read = instruments_read,
    .close = instruments_close,
    .is_text = true,
};
