#include "format/perfetto/ftrace_event.h"

void tm_proto_event_fields_read(struct tm_proto_event_fields *fields, const struct tm_pb_field *f)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field;
    *fields = (struct tm_proto_event_fields){0};
    while (tm_pb_next(&pb, &field) == TM_OK) {
        if (field.id >= TM_PROTO_EVENT_FIELDS)
            continue;
        fields->has[field.id] = true;
        fields->number[field.id] = field.type == TM_PB_LEN ? 0 : field.value;
        fields->text[field.id] = field.data;
        fields->len[field.id] = field.len;
    }
}
