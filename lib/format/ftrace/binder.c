/* Events of Android's binder in ftrace text. */
#include "format/ftrace/binder_event.h"
#include "format/ftrace/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_TEXT_MAX = 24, CODE_MAX = 64 };

/* Sets *NUMBER to the value of KEY, an unsigned number of 32 bits in BASE (as for strtoul). False: there is none. */
static bool number_of(struct tm_text args, const char *key, int base, uint32_t *number)
{
    struct tm_text v;
    char text[NUMBER_TEXT_MAX], *end;
    if (!tm_ftrace_arg(args, key, &v) || v.len == 0 || v.len >= sizeof text)
        return false;
    memcpy(text, v.data, v.len);
    text[v.len] = '\0';
    unsigned long long n = strtoull(text, &end, base);
    *number = (uint32_t)n;
    return end == text + v.len && text[0] != '-' && text[0] != '+' && n <= UINT32_MAX;
}

static bool i32_of(struct tm_text args, const char *key, int32_t *number)
{
    int64_t n;
    if (!tm_ftrace_arg_int(args, key, INT32_MIN, INT32_MAX, &n))
        return false;
    *number = (int32_t)n;
    return true;
}

static enum tm_status fill(struct tm_ftrace_row_builder *w, const struct tm_binder_facts *facts)
{
    return tm_binder_fill(facts, w->text->sink, w->event, &w->text->detail, w->err);
}

/* "transaction=1 dest_node=2 dest_proc=3 dest_thread=4 reply=0 flags=0x10 code=0x3" */
enum tm_status tm_ftrace_binder_transaction(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    struct tm_binder_facts facts = {.event = TM_BINDER_TRANSACTION};
    struct tm_text code = tm_text_str("");
    char text[CODE_MAX];
    int32_t reply;
    if (!i32_of(args, "transaction", &facts.transaction) || !i32_of(args, "dest_node", &facts.node) ||
        !number_of(args, "dest_proc", 10, &facts.process) || !number_of(args, "dest_thread", 10, &facts.thread) ||
        !i32_of(args, "reply", &reply))
        return TM_END;
    if (!number_of(args, "flags", 16, &facts.flags))
        facts.flags = 0;
    (void)tm_ftrace_arg(args, "code", &code);
    facts.is_reply = reply == 1;
    facts.code = text;
    facts.code_len =
        (size_t)snprintf(text, sizeof text, "%.*s Java Layer Dependent",
                         code.len < 24 ? (int)code.len : 24, tm_text_chars(code));
    return fill(w, &facts);
}

enum tm_status tm_ftrace_binder_received(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    struct tm_binder_facts facts = {.event = TM_BINDER_RECEIVED};
    return i32_of(args, "transaction", &facts.transaction) ? fill(w, &facts) : TM_END;
}

/* "cmd=0x40406300 BC_TRANSACTION" */
static enum tm_status command(struct tm_ftrace_row_builder *w, struct tm_text args, enum tm_binder_event event)
{
    struct tm_binder_facts facts = {.event = event};
    return number_of(args, "cmd", 0, &facts.command) ? fill(w, &facts) : TM_END;
}

enum tm_status tm_ftrace_binder_command(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    return command(w, args, TM_BINDER_COMMAND);
}

enum tm_status tm_ftrace_binder_return(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    return command(w, args, TM_BINDER_RETURN);
}

/* "transaction=1 data_size=100 offsets_size=0 extra_buffers_size=0" */
enum tm_status tm_ftrace_binder_alloc_buf(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    int64_t data, offsets;
    if (!tm_ftrace_arg_int(args, "data_size", 0, INT64_MAX, &data) ||
        !tm_ftrace_arg_int(args, "offsets_size", 0, INT64_MAX, &offsets))
        return TM_END;
    struct tm_binder_facts facts = {
        .event = TM_BINDER_ALLOC, .data_bytes = (uint64_t)data, .offsets_bytes = (uint64_t)offsets};
    return fill(w, &facts);
}

/* "tag=binder_ioctl" */
enum tm_status tm_ftrace_binder_lock(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    (void)args;
    return fill(w, &(struct tm_binder_facts){.event = TM_BINDER_LOCK});
}

enum tm_status tm_ftrace_binder_locked(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    (void)args;
    return fill(w, &(struct tm_binder_facts){.event = TM_BINDER_LOCKED});
}

enum tm_status tm_ftrace_binder_unlock(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    (void)args;
    return fill(w, &(struct tm_binder_facts){.event = TM_BINDER_UNLOCK});
}
