#include "format/art_method/internal.h"

#include "stream/clock_id.h"

#include <stdlib.h>

enum { PARTS_AT_ONCE = 1024 };

static const char text_magic[] = "*version\n", records_magic[] = "SLOW";

static bool has_blocks(const struct tm_art *a)
{
    return a->version > 3;
}

static enum tm_status next_part(struct tm_art *a, bool wants_facts, enum tm_art_part *part, struct tm_art_call *call,
                                struct tm_error *err)
{
    return (has_blocks(a) ? tm_art_blocks_next : tm_art_records_next)(a, wants_facts, part, call, err);
}

/* Reads all facts. Damage of them, or after them, is reported when the records are read. */
static enum tm_status read_facts(struct tm_art *a, struct tm_error *err)
{
    struct tm_error damage = {0};
    struct tm_art_call call;
    enum tm_art_part part;
    enum tm_status st;
    while ((st = next_part(a, true, &part, &call, &damage)) == TM_OK)
        continue;
    if (st == TM_E_INPUT || st == TM_END)
        return TM_OK;
    *err = damage;
    return st;
}

/* Opens the input over FILE, at the records. */
static enum tm_status open_at(struct tm_art *a, const struct tm_extent *file, struct tm_error *err)
{
    enum tm_status st = tm_extent_open(file, &a->in, err);
    return st == TM_OK ? tm_input_advance(&a->in, a->records_at, err) : st;
}

/* Makes the state of a parser whose header and facts are read by OPEN. */
static enum tm_status open_by(const struct tm_format_context *context, void **state,
                              enum tm_status (*open)(struct tm_art *, struct tm_error *), struct tm_error *err)
{
    struct tm_art *a = calloc(1, sizeof *a);
    if (a == NULL)
        return tm_error_nomem(err);
    *state = a;
    a->context = *context;
    struct tm_extent first = context->whole;
    first.is_temporary = true; /* so that the bytes count once */
    enum tm_status st = open_at(a, &first, err);
    if (st == TM_OK)
        st = open(a, err);
    if (st != TM_OK)
        return st;
    a->records_at = a->in.offset;
    if (has_blocks(a) || a->is_streaming)
        st = read_facts(a, err);
    a->has_own_numbers = tm_art_facts_have_own_numbers(&a->facts);
    a->has_summary = false;
    a->block = (struct tm_art_block){0};
    tm_input_release(&a->in);
    a->in = (struct tm_input){0};
    return st == TM_OK ? open_at(a, &context->whole, err) : st;
}

static enum tm_status records_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    return open_by(context, state, tm_art_records_open, err);
}

static enum tm_status blocks_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    return open_by(context, state, tm_art_blocks_open, err);
}

/* Reports the damage WHY, after which nothing can be read. */
static enum tm_status give_up(struct tm_art *a, struct tm_error *why, struct tm_error *err)
{
    const uint64_t byte = why->byte, end = a->context.whole.len;
    if (a->context.options->on_damage == TM_DAMAGE_HALT) {
        *err = *why;
        return tm_error_recoverable(err);
    }
    enum tm_status st = tm_art_damage(a, byte, byte < end ? end - byte : 0, why->text, err);
    return st == TM_OK ? tm_art_end(a, err) : st;
}

/* Reports the facts whose text is damaged, at the first one. */
static enum tm_status report_damaged_facts(struct tm_art *a, struct tm_error *err)
{
    const struct tm_loss loss = {TM_DROP_DAMAGED, TM_CLOCK_MONOTONIC, a->damaged_facts, a->damaged_fact_at};
    if (a->context.options->on_damage != TM_DAMAGE_HALT)
        return tm_event_sink_account(a->context.sink, loss, err);
    *err = a->fact_damage;
    return tm_error_recoverable(err);
}

static enum tm_status art_read(void *state, struct tm_error *err)
{
    struct tm_art *a = state;
    struct tm_error why = {0};
    enum tm_status st = TM_OK;
    for (int i = 0; i < PARTS_AT_ONCE && st == TM_OK; i++) {
        struct tm_art_call call;
        enum tm_art_part part = TM_ART_PART_FACT;
        if ((st = next_part(a, false, &part, &call, &why)) != TM_OK)
            break;
        if (part == TM_ART_PART_DAMAGED)
            st = tm_art_damage(a, call.byte, a->block.bytes_left, "a record that is damaged", err);
        else if (part == TM_ART_PART_DAMAGED_FACT)
            st = report_damaged_facts(a, err);
        else if (part == TM_ART_PART_CALL)
            st = tm_art_call(a, &call, err);
        if (st < 0)
            return st;
    }
    if (st == TM_END)
        return tm_art_end(a, err);
    if (st == TM_E_INPUT)
        return give_up(a, &why, err);
    if (st < 0)
        *err = why;
    return st;
}

static void art_close(void *state)
{
    struct tm_art *a = state;
    if (a == NULL)
        return;
    tm_input_release(&a->in);
    tm_art_facts_release(&a->facts);
    tm_buf_release(&a->detail);
    tm_buf_release(&a->message);
    free(a);
}

/* Returns the version of the records that HEAD begins with, without the mark of streaming; 0: it begins with none. */
static unsigned version_of(const uint8_t *head, size_t len)
{
    return len >= 6 && memcmp(head, records_magic, 4) == 0 && head[5] == 0 ? head[4] & 0x0f : 0;
}

static bool records_sniff(const uint8_t *head, size_t len)
{
    const unsigned version = version_of(head, len);
    return (version > 0 && version < 4) ||
           (len >= sizeof text_magic - 1 && memcmp(head, text_magic, sizeof text_magic - 1) == 0);
}

static bool blocks_sniff(const uint8_t *head, size_t len)
{
    const unsigned version = version_of(head, len);
    return version == 4 || version == 5;
}

const struct tm_format tm_format_art_method = {
    .type = TM_INPUT_ART_METHOD,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = records_sniff,
    .open = records_open,
    .read = art_read,
    .close = art_close,
    .by_place = true,
};

const struct tm_format tm_format_art_method_v2 = {
    .type = TM_INPUT_ART_METHOD_V2,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = blocks_sniff,
    .open = blocks_open,
    .read = art_read,
    .close = art_close,
    .by_place = true,
};
