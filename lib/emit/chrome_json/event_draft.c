#include "emit/chrome_json/event_draft.h"

#include "base/pb.h"
#include "emit/chrome_json/args.h"
#include "stream/detail_fields.h"

#include <stddef.h>

/* Returns the bytes of TEXT plus 1; 0: it has no data. */
static uint32_t member_bytes(struct tm_text text)
{
    return text.data ? (uint32_t)text.len + 1 : 0;
}

void tm_json_event_draft_record(const struct tm_json_event_draft *d, bool follows, struct tm_json_event_record *record)
{
    struct tm_json_event_head *head = &record->head;
    uint64_t *end = head->numbers;
    head->ts_ns = d->ts_ns;
    head->pid = d->pid;
    head->tid = d->tid;
    head->category_bytes = member_bytes(d->category);
    head->name_bytes = member_bytes(d->name);
    head->form = d->form;
    head->follows = follows;
    if (d->form.dur)
        *end++ = (uint64_t)d->dur_ns;
    if (d->form.id)
        *end++ = d->id;
    if (d->form.bind)
        *end++ = d->bind_id;
    if (d->form.value)
        *end++ = d->value;
    record->pieces[0] = (struct tm_text){(const uint8_t *)head, (size_t)((uint8_t *)end - (uint8_t *)head)};
    record->pieces[1] = d->category;
    record->pieces[2] = d->name;
    record->pieces[3] = d->detail;
    record->pieces[4] = d->more_detail;
}

void tm_json_event_set_follows(uint8_t *record, bool follows)
{
    memcpy(record + offsetof(struct tm_json_event_head, follows), &follows, sizeof follows);
}

/* Reads numbers and texts, which are at P. */
static uint64_t take_number(const uint8_t **p)
{
    uint64_t number;
    memcpy(&number, *p, sizeof number);
    *p += sizeof number;
    return number;
}

static struct tm_text take_text(const uint8_t **p, uint32_t member)
{
    struct tm_text text = {member ? *p : NULL, member ? member - 1 : 0};
    *p += text.len;
    return text;
}

static void put_member(struct tm_out *out, const char *member, struct tm_text text)
{
    if (text.data == NULL)
        return;
    tm_out_str(out, member);
    tm_out_json(out, text);
}

static void put_dur(struct tm_out *out, uint64_t dur_ns)
{
    tm_out_str(out, ",\"dur\":");
    tm_out_micros(out, (int64_t)dur_ns);
}

static void put_id(struct tm_out *out, enum tm_json_id_form form, uint64_t id)
{
    static const char *const texts[][2] = {[TM_JSON_ID_NONE] = {"", ""},
                                           [TM_JSON_ID_GLOBAL] = {",\"scope\":\"track\",\"id\":", ""},
                                           [TM_JSON_ID_LOCAL] = {",\"scope\":\"track\",\"id2\":{\"local\":", "}"},
                                           [TM_JSON_ID_TEXT] = {",\"id\":\"", "\""}};
    tm_out_str(out, texts[form][0]);
    tm_out_u64(out, id);
    tm_out_str(out, texts[form][1]);
}

static void put_bind(struct tm_out *out, enum tm_json_bind bind, uint64_t id)
{
    static const char *const directions[] = {[TM_JSON_BIND_NONE] = "",
                                             [TM_JSON_BIND_OUT] = ",\"flow_out\":true",
                                             [TM_JSON_BIND_STEP] = ",\"flow_in\":true,\"flow_out\":true",
                                             [TM_JSON_BIND_IN] = ",\"flow_in\":true"};
    tm_out_str(out, ",\"bind_id\":");
    tm_out_u64(out, id);
    tm_out_str(out, directions[bind]);
}

static void put_value(struct tm_out *out, enum tm_json_value_form form, uint64_t value)
{
    tm_out_str(out, ",\"args\":{\"value\":");
    if (form == TM_JSON_VALUE_DOUBLE)
        tm_out_json_double(out, value);
    else
        tm_out_i64(out, (int64_t)value);
    tm_out_char(out, '}');
}

static struct tm_text function_of(const struct tm_pb_field *frame)
{
    struct tm_pb pb = tm_pb_of(frame->data, frame->len);
    struct tm_pb_field f;
    struct tm_text function = {0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_STACK_FRAME_FUNCTION && f.type == TM_PB_LEN)
            function = (struct tm_text){f.data, f.len};
    return function.data ? function : tm_text_str("[unknown]");
}

/* Puts the stack of DETAIL, outermost first, in the form that Perfetto and chrome://tracing read. */
static void put_stack(struct tm_out *out, struct tm_text detail)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    struct tm_pb_field f;
    bool has_frames = false;
    tm_out_str(out, ",\"stack\":[");
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_DETAIL_FRAMES || f.type != TM_PB_LEN)
            continue;
        tm_out_str(out, has_frames ? "," : "");
        tm_out_json(out, function_of(&f));
        has_frames = true;
    }
    tm_out_char(out, ']');
}

/* Puts the members before the texts. */
static void put_head(struct tm_out *out, const struct tm_json_event_head *head)
{
    const char phase[] = {'{', '"', 'p', 'h', '"', ':', '"', head->form.phase, '"', ',', '"', 't', 's', '"', ':'};
    tm_out_str(out, head->follows ? ",\n" : "\n");
    tm_out_bytes(out, phase, sizeof phase);
    tm_out_micros(out, head->ts_ns);
    if (head->form.dur == TM_JSON_DUR_AFTER_TS)
        put_dur(out, head->numbers[0]);
    tm_out_str(out, ",\"pid\":");
    tm_out_i64(out, head->pid);
    tm_out_str(out, ",\"tid\":");
    tm_out_i64(out, head->tid);
}

void tm_json_event_format(struct tm_out *out, struct tm_text text, const uint8_t *data, size_t len)
{
    (void)text;
    struct tm_json_event_head head;
    const uint8_t *p = data + offsetof(struct tm_json_event_head, numbers);
    memcpy(&head, data, offsetof(struct tm_json_event_head, numbers));
    const struct tm_json_event_form form = head.form;
    const uint64_t dur_ns = form.dur ? take_number(&p) : 0, id = form.id ? take_number(&p) : 0,
                   bind_id = form.bind ? take_number(&p) : 0, value = form.value ? take_number(&p) : 0;
    head.numbers[0] = dur_ns;
    put_head(out, &head);
    put_member(out, ",\"cat\":", take_text(&p, head.category_bytes));
    put_member(out, ",\"name\":", take_text(&p, head.name_bytes));
    if (form.dur == TM_JSON_DUR_AFTER_NAME)
        put_dur(out, dur_ns);
    if (form.has_thread_scope)
        tm_out_str(out, ",\"s\":\"t\"");
    if (form.id)
        put_id(out, (enum tm_json_id_form)form.id, id);
    if (form.binds_enclosing)
        tm_out_str(out, ",\"bp\":\"e\"");
    if (form.value)
        put_value(out, (enum tm_json_value_form)form.value, value);
    else if (form.has_stack)
        put_stack(out, (struct tm_text){p, (size_t)(data + len - p)});
    else
        tm_json_args_put(out, p, (size_t)(data + len - p));
    if (form.bind)
        put_bind(out, (enum tm_json_bind)form.bind, bind_id);
    tm_out_char(out, '}');
}
