#include "format/perfetto/track_event.h"

/* Reads the fields that say which async event it is. */
static void read_legacy_id(struct tm_proto_legacy *legacy, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_LEGACY_EVENT_UNSCOPED_ID:
        legacy->id_kind = TM_LEGACY_UNSCOPED_ID;
        legacy->id = f->value;
        break;
    case TM_LEGACY_EVENT_LOCAL_ID:
        legacy->id_kind = TM_LEGACY_LOCAL_ID;
        legacy->id = f->value;
        break;
    case TM_LEGACY_EVENT_GLOBAL_ID:
        legacy->id_kind = TM_LEGACY_GLOBAL_ID;
        legacy->id = f->value;
        break;
    case TM_LEGACY_EVENT_ID_SCOPE:
        legacy->id_scope = f->data;
        legacy->id_scope_len = f->len;
        break;
    default:
        break;
    }
}

static void read_legacy_field(struct tm_proto_legacy *legacy, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_LEGACY_EVENT_NAME_IID:
        legacy->name_iid = f->value;
        break;
    case TM_LEGACY_EVENT_PHASE:
        legacy->has_phase = true;
        legacy->phase = (uint8_t)f->value;
        break;
    case TM_LEGACY_EVENT_DURATION_US:
        legacy->duration_us = (int64_t)f->value;
        break;
    case TM_LEGACY_EVENT_THREAD_DURATION_US:
        legacy->thread_duration_us = (int64_t)f->value;
        break;
    case TM_LEGACY_EVENT_THREAD_INSTRUCTION_DELTA:
        legacy->thread_instruction_delta = (int64_t)f->value;
        break;
    case TM_LEGACY_EVENT_BIND_ID:
        legacy->has_bind_id = true;
        legacy->bind_id = f->value;
        break;
    case TM_LEGACY_EVENT_BIND_TO_ENCLOSING:
        legacy->bind_to_enclosing = f->value != 0;
        break;
    case TM_LEGACY_EVENT_FLOW_DIRECTION:
        legacy->flow_direction = (uint32_t)f->value;
        break;
    case TM_LEGACY_EVENT_INSTANT_SCOPE:
        legacy->instant_scope = (uint32_t)f->value;
        break;
    case TM_LEGACY_EVENT_PID:
        legacy->has_pid = true;
        legacy->pid = (int32_t)(uint32_t)f->value;
        break;
    case TM_LEGACY_EVENT_TID:
        legacy->has_tid = true;
        legacy->tid = (int32_t)(uint32_t)f->value;
        break;
    default:
        read_legacy_id(legacy, f);
        break;
    }
}

static enum tm_status read_legacy(struct tm_proto_track_event *event, const struct tm_pb_field *field)
{
    struct tm_pb pb = tm_pb_of(field->data, field->len);
    struct tm_pb_field f;
    enum tm_status st;
    event->has_legacy = true;
    event->legacy_read = (struct tm_proto_legacy){0};
    event->legacy = &event->legacy_read;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK)
        read_legacy_field(&event->legacy_read, &f);
    return st;
}

/* Reads the fields that few events have. */
static enum tm_status read_rare_field(struct tm_proto_track_event *event, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_TRACK_EVENT_TIME_DELTA_US:
    case TM_TRACK_EVENT_TIME_ABSOLUTE_US:
        event->has_delta = f->id == TM_TRACK_EVENT_TIME_DELTA_US;
        event->has_absolute = !event->has_delta;
        event->time_us = (int64_t)f->value;
        break;
    case TM_TRACK_EVENT_THREAD_DELTA_US:
    case TM_TRACK_EVENT_THREAD_ABSOLUTE_US:
        event->has_thread_delta = f->id == TM_TRACK_EVENT_THREAD_DELTA_US;
        event->has_thread_absolute = !event->has_thread_delta;
        event->thread_us = (int64_t)f->value;
        break;
    case TM_TRACK_EVENT_INSTRUCTIONS_DELTA:
    case TM_TRACK_EVENT_INSTRUCTIONS_ABSOLUTE:
        event->has_instructions_delta = f->id == TM_TRACK_EVENT_INSTRUCTIONS_DELTA;
        event->has_instructions_absolute = !event->has_instructions_delta;
        event->instructions = (int64_t)f->value;
        break;
    case TM_TRACK_EVENT_EXTRA_VALUES:
    case TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES:
        event->has_extra = true;
        break;
    case TM_TRACK_EVENT_EXTRA_TRACKS:
    case TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS:
        break;
    case TM_TRACK_EVENT_FLOWS:
    case TM_TRACK_EVENT_FLOWS_OLD:
    case TM_TRACK_EVENT_ENDING_FLOWS:
    case TM_TRACK_EVENT_ENDING_FLOWS_OLD:
        event->has_flows = true;
        break;
    case TM_TRACK_EVENT_LEGACY:
        return f->type == TM_PB_LEN ? read_legacy(event, f) : TM_E_INPUT; /* fields before the damage are valid */
    default:
        event->has_args = true;
    }
    return TM_OK;
}

static enum tm_status read_field(struct tm_proto_track_event *event, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_TRACK_EVENT_TYPE:
        event->has_type = true;
        event->type = (uint32_t)f->value;
        break;
    case TM_TRACK_EVENT_NAME_IID:
        event->name_iid = f->value;
        break;
    case TM_TRACK_EVENT_NAME:
        event->name = f->data;
        event->name_len = f->len;
        break;
    case TM_TRACK_EVENT_TRACK_UUID:
        event->has_track = true;
        event->track = f->value;
        break;
    case TM_TRACK_EVENT_CATEGORY_IIDS:
        event->category_count += f->type == TM_PB_LEN ? 2 : 1; /* packed: counts as several categories */
        event->category_iid = f->value;
        break;
    case TM_TRACK_EVENT_CATEGORIES:
        event->category_count++;
        event->category = f->data;
        event->category_len = f->len;
        break;
    case TM_TRACK_EVENT_COUNTER:
        event->has_int = true;
        event->counter = f->value;
        break;
    case TM_TRACK_EVENT_DOUBLE_COUNTER:
        event->has_double = true;
        event->counter = f->value;
        break;
    default:
        return read_rare_field(event, f);
    }
    return TM_OK;
}

/* Clears each member. Clearing the whole struct, most of which is not read, would cost more than the rest of
 * decoding. */
static void clear(struct tm_proto_track_event *event)
{
    static const struct tm_proto_legacy no_legacy;
    event->has_type = event->has_track = event->has_int = event->has_double = false;
    event->has_delta = event->has_absolute = false;
    event->has_thread_delta = event->has_thread_absolute = false;
    event->has_instructions_delta = event->has_instructions_absolute = false;
    event->has_extra = event->has_flows = event->has_args = event->has_legacy = false;
    event->type = 0;
    event->fields = 0;
    event->category_count = 0;
    event->track = 0;
    event->name_iid = 0;
    event->category_iid = 0;
    event->name = event->category = NULL;
    event->name_len = event->category_len = 0;
    event->counter = 0;
    event->time_us = event->thread_us = event->instructions = 0;
    event->legacy = &no_legacy;
}

enum tm_status tm_proto_track_event_decode(struct tm_proto_track_event *event, const struct tm_pb_field *body)
{
    struct tm_pb pb = tm_pb_of(body->data, body->len);
    struct tm_pb_field f;
    enum tm_status st;
    clear(event);
    event->body = pb;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        event->fields |= TM_TRACK_EVENT_BIT(f.id < TM_TRACK_EVENT_OTHERS ? f.id : TM_TRACK_EVENT_OTHERS);
        if ((st = read_field(event, &f)) < 0) {
            event->fields |= TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_OTHERS); /* the fields after it are not known */
            return st;
        }
    }
    return st == TM_END ? TM_OK : st;
}
