#include "emit/chrome_json/running_draft.h"

#include "emit/out.h"

void tm_json_running_format(struct tm_out *out, struct tm_text text, const uint8_t *data, size_t len)
{
    (void)text;
    struct tm_json_running_draft r;
    memcpy(&r, data, sizeof r);
    tm_out_str(out, r.follows ? ",\n" : "\n");
    tm_out_str(out, "{\"ph\":\"X\",\"cat\":\"sched\",\"ts\":");
    tm_out_micros(out, r.ts_ns);
    tm_out_str(out, ",\"dur\":");
    tm_out_micros(out, r.dur_ns);
    tm_out_str(out, ",\"pid\":");
    tm_out_i64(out, r.pid);
    tm_out_str(out, ",\"tid\":");
    tm_out_u64(out, r.cpu);
    tm_out_str(out, ",\"name\":");
    tm_out_json(out, (struct tm_text){data + sizeof r, len - sizeof r});
    tm_out_str(out, ",\"args\":{\"tid\":");
    tm_out_i64(out, r.tid);
    tm_out_str(out, ",\"prio\":");
    tm_out_i64(out, r.priority);
    tm_out_str(out, "}}");
}
