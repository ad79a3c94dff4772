/* Unit tests of the drafts of a Chrome JSON output (emit/chrome_json/event_draft.h, running_draft.h, object_draft.h):
 * the text of each form of event. */
#include "base/pb.h"
#include "emit/chrome_json/event_draft.h"
#include "emit/chrome_json/object_draft.h"
#include "emit/chrome_json/running_draft.h"
#include "emit/out.h"
#include "stream/detail_fields.h"

#include "tap.h"


/* The text of DRAFT, which follows another event, must be ",\n" and WANTED. */
static void gives(const struct tm_json_event_draft *draft, const char *wanted)
{
    struct tm_json_event_record record;
    struct tm_buf joined = {0};
    struct tm_out out;
    tm_out_init(&out, -1, NULL);
    tm_json_event_draft_record(draft, false, &record);
    for (int i = 0; i < TM_JSON_EVENT_PIECES; i++)
        tm_buf_add(&joined, record.pieces[i].data, record.pieces[i].len);
    tm_json_event_set_follows(joined.data, true);
    tm_json_event_format(&out, (struct tm_text){0}, joined.data, joined.len);
    tm_out_bytes(&out, "", 1);
    ok(strncmp((const char *)out.buf.data, ",\n", 2) == 0);
    is_str((const char *)out.buf.data + 2, wanted);
    tm_out_release(&out);
    tm_buf_release(&joined);
}

/* Returns a Detail with an arg KEY of 7, or with a stack of one frame, KEY. It is valid until the next call. */
static struct tm_text detail(const char *key, bool is_frame)
{
    static uint8_t bytes[64];
    struct tm_buf buf = {0};
    size_t mark;
    tm_pb_begin(&buf, is_frame ? TM_DETAIL_FRAMES : TM_DETAIL_ARGS, &mark);
    tm_pb_put_str(&buf, is_frame ? TM_STACK_FRAME_FUNCTION : TM_ARG_KEY, key);
    if (!is_frame)
        tm_pb_put_varint(&buf, TM_ARG_UINT, 7);
    tm_pb_end(&buf, mark);
    memcpy(bytes, buf.data, buf.len);
    struct tm_text text = {bytes, buf.len};
    tm_buf_release(&buf);
    return text;
}

static void test_slices(void)
{
    struct tm_json_event_draft d = {.form = {.phase = 'B'}, .ts_ns = 1500, .pid = -2, .tid = 3};
    gives(&d, "{\"ph\":\"B\",\"ts\":1.5,\"pid\":-2,\"tid\":3}");
    d.name = tm_text_str("a \"b\"");
    d.detail = detail("debug.key", false);
    gives(&d, "{\"ph\":\"B\",\"ts\":1.5,\"pid\":-2,\"tid\":3,\"name\":\"a \\\"b\\\"\",\"args\":{\"key\":7}}");
    d.category = tm_text_str("");
    d.form.phase = 'X';
    d.form.dur = TM_JSON_DUR_AFTER_TS;
    d.form.bind = TM_JSON_BIND_IN;
    d.dur_ns = 20;
    d.bind_id = 9;
    gives(&d, "{\"ph\":\"X\",\"ts\":1.5,\"dur\":0.02,\"pid\":-2,\"tid\":3,\"cat\":\"\",\"name\":\"a \\\"b\\\"\","
              "\"args\":{\"key\":7},\"bind_id\":9,\"flow_in\":true}");
    d.form.dur = TM_JSON_DUR_AFTER_NAME;
    d.form.bind = TM_JSON_BIND_STEP;
    d.more_detail = d.detail;
    d.detail = (struct tm_text){0};
    gives(&d, "{\"ph\":\"X\",\"ts\":1.5,\"pid\":-2,\"tid\":3,\"cat\":\"\",\"name\":\"a \\\"b\\\"\",\"dur\":0.02,"
              "\"args\":{\"key\":7},\"bind_id\":9,\"flow_in\":true,\"flow_out\":true}");
}

static void test_points(void)
{
    struct tm_json_event_draft d = {.form = {.phase = 'i', .has_thread_scope = true}, .name = tm_text_str("n")};
    gives(&d, "{\"ph\":\"i\",\"ts\":0,\"pid\":0,\"tid\":0,\"name\":\"n\",\"s\":\"t\"}");
    d.form = (struct tm_json_event_form){.phase = 'f', .id = TM_JSON_ID_GLOBAL, .binds_enclosing = true};
    d.id = 5;
    gives(&d, "{\"ph\":\"f\",\"ts\":0,\"pid\":0,\"tid\":0,\"name\":\"n\",\"scope\":\"track\",\"id\":5,\"bp\":\"e\"}");
    d.form = (struct tm_json_event_form){.phase = 'n', .id = TM_JSON_ID_LOCAL, .bind = TM_JSON_BIND_OUT};
    gives(&d, "{\"ph\":\"n\",\"ts\":0,\"pid\":0,\"tid\":0,\"name\":\"n\",\"scope\":\"track\",\"id2\":{\"local\":5},"
              "\"bind_id\":0,\"flow_out\":true}");
}

static void test_values(void)
{
    struct tm_json_event_draft d = {.form = {.phase = 'C', .value = TM_JSON_VALUE_INT}, .name = tm_text_str("n")};
    d.value = (uint64_t)-4;
    gives(&d, "{\"ph\":\"C\",\"ts\":0,\"pid\":0,\"tid\":0,\"name\":\"n\",\"args\":{\"value\":-4}}");
    d.form.value = TM_JSON_VALUE_DOUBLE;
    d.value = tm_pb_bits(0.5);
    gives(&d, "{\"ph\":\"C\",\"ts\":0,\"pid\":0,\"tid\":0,\"name\":\"n\",\"args\":{\"value\":0.5}}");
    d.form = (struct tm_json_event_form){.phase = 'P', .has_stack = true};
    gives(&d, "{\"ph\":\"P\",\"ts\":0,\"pid\":0,\"tid\":0,\"name\":\"n\",\"stack\":[]}");
    d.detail = detail("main", true);
    gives(&d, "{\"ph\":\"P\",\"ts\":0,\"pid\":0,\"tid\":0,\"name\":\"n\",\"stack\":[\"main\"]}");
}

static void test_running(void)
{
    const struct tm_json_running_draft draft = {
        .ts_ns = 2000, .dur_ns = 1001, .pid = 1, .tid = -5, .cpu = 3, .priority = -1};
    uint8_t record[sizeof draft + 4];
    struct tm_out out;
    memcpy(record, &draft, sizeof draft);
    memcpy(record + sizeof draft, "init", 4);
    tm_out_init(&out, -1, NULL);
    tm_json_running_format(&out, (struct tm_text){0}, record, sizeof record);
    tm_out_bytes(&out, "", 1);
    is_str((const char *)out.buf.data, "\n{\"ph\":\"X\",\"cat\":\"sched\",\"ts\":2,\"dur\":1.001,\"pid\":1,\"tid\":3,"
                                       "\"name\":\"init\",\"args\":{\"tid\":-5,\"prio\":-1}}");
    tm_out_release(&out);
}

/* An object is its text with other times and pids; what follows the gaps is copied too. */
static void test_object(void)
{
    const char *text = "{\"ts\":\"1\",\"pid\":22,\"ts\":3}";
    const struct tm_json_object_draft draft = {
        .ts_ns = 4500, .pid = 6, .times = 5, .gap_count = 3, .gaps = {{6, 3}, {16, 2}, {24, 1}}};
    const struct tm_json_object_draft whole = {.follows = true};
    struct tm_out out;
    tm_out_init(&out, -1, NULL);
    tm_json_object_format(&out, tm_text_str(text), (const uint8_t *)&draft, tm_json_object_draft_bytes(&draft));
    tm_json_object_format(&out, tm_text_str("{}"), (const uint8_t *)&whole, tm_json_object_draft_bytes(&whole));
    tm_out_bytes(&out, "", 1);
    is_str((const char *)out.buf.data, "\n{\"ts\":4.5,\"pid\":6,\"ts\":4.5},\n{}");
    tm_out_release(&out);
}

/* Short strings are put without a look at each byte: with any special character at any place they are the same. */
static void test_short_strings(void)
{
    static const char specials[] = "\"\\\x01\x1f\x7f\x80";
    bool is_same = true;
    for (size_t len = 1; len < 20; len++)
        for (size_t at = 0; at <= len; at++)
            for (size_t i = 0; i < sizeof specials - 1; i++) {
                uint8_t text[41];
                struct tm_out out;
                memset(text, 'x', sizeof text);
                text[at < len ? at : 40] = (uint8_t)specials[i];
                tm_out_init(&out, -1, NULL);
                tm_out_json(&out, (struct tm_text){text, len});
                const size_t short_len = out.buf.len;
                tm_out_json(&out, (struct tm_text){text, 40}); /* the long way: the same, and then more */
                is_same = is_same && memcmp(out.buf.data, out.buf.data + short_len, short_len - 1) == 0;
                is_same = is_same && out.buf.data[short_len - 1] == '"' && (at == len || short_len > len + 2);
                tm_out_release(&out);
            }
    ok(is_same);
}

int main(void)
{
    test_slices();
    test_points();
    test_values();
    test_running();
    test_object();
    test_short_strings();
    return tap_done();
}
