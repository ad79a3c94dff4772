/* Virtual devices of a guest: the queues of a GPU, the buffers and commands of a video device. Rules and names:
 * importers/ftrace/virtio_gpu_tracker.cc and virtio_video_tracker.cc of perfetto. */
#include "base/hash.h"
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/effect.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>
#include <string.h>

enum { QUEUE_INPUT = 0x100, QUEUE_OUTPUT = 0x101, COMMAND_NS = 100000 };

/* Names of commands by number, from FIRST on. */
struct commands {
    uint32_t first;
    uint32_t count;
    const char *const *names;
};

#define COMMANDS(first, names)                                                                                         \
    {                                                                                                                  \
        (first), sizeof(names) / sizeof *(names), (names)                                                              \
    }

static const char *const gpu_2d[] = {"GET_DISPLAY_INFO",
                                     "RESOURCE_CREATE_2D",
                                     "RESOURCE_UNREF",
                                     "SET_SCANOUT",
                                     "RESOURCE_FLUSH",
                                     "TRANSFER_TO_HOST_2D",
                                     "RESOURCE_ATTACH_BACKING",
                                     "RESOURCE_DETACH_BACKING",
                                     "GET_CAPSET_INFO",
                                     "GET_CAPSET",
                                     "GET_EDID",
                                     "RESOURCE_ASSIGN_UUID",
                                     "RESOURCE_CREATE_BLOB",
                                     "SET_SCANOUT_BLOB"};
static const char *const gpu_3d[] = {
    "CTX_CREATE",         "CTX_DESTROY",         "CTX_ATTACH_RESOURCE",   "CTX_DETACH_RESOURCE",
    "RESOURCE_CREATE_3D", "TRANSFER_TO_HOST_3D", "TRANSFER_FROM_HOST_3D", "SUBMIT_3D",
    "RESOURCE_MAP_BLOB",  "RESOURCE_UNMAP_BLOB"};
static const char *const gpu_cursor[] = {"UPDATE_CURSOR", "MOVE_CURSOR"};
static const char *const video[] = {"QUERY_CAPABILITY", "STREAM_CREATE",  "STREAM_DESTROY",       "STREAM_DRAIN",
                                    "RESOURCE_CREATE",  "RESOURCE_QUEUE", "RESOURCE_DESTROY_ALL", "QUEUE_CLEAR",
                                    "GET_PARAMS",       "SET_PARAMS",     "QUERY_CONTROL",        "GET_CONTROL",
                                    "SET_CONTROL",      "GET_PARAMS_EXT", "SET_PARAMS_EXT"};
static const struct commands of_gpu[] = {
    COMMANDS(0x100, gpu_2d), COMMANDS(0x200, gpu_3d), COMMANDS(0x300, gpu_cursor), {0, 0, NULL}};
static const struct commands of_video[] = {COMMANDS(0x100, video), {0, 0, NULL}};

static const char *name_of(const struct commands *commands, uint64_t number, const char *unknown)
{
    for (; commands->names; commands++)
        if (number >= commands->first && number - commands->first < commands->count)
            return commands->names[number - commands->first];
    return unknown;
}

struct virtio {
    struct tm_proto_rows *rows;
    const struct tm_proto_event_fields *fields;
    struct tm_event *row;
    struct tm_error *err;
};

static enum tm_status set_name(struct virtio *v, const char *name)
{
    return tm_proto_string(v->rows, name, strlen(name), &v->row->name, v->err);
}

/* Fills the row of a request in a queue of the GPU, or of its answer. The category of an answer is the name of the
 * latency counter. TM_END: the queue is unknown. */
static enum tm_status put_request(struct virtio *v, bool is_answer)
{
    const uint64_t *n = v->fields->number;
    const char *queue = tm_proto_virtio_gpu_queue(v->fields);
    struct tm_buf *key = &v->rows->key, *dimensions = &v->rows->text;
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_VIRTUAL_GPU, .instance = (uint32_t)n[7]};
    if (queue == NULL)
        return TM_END;
    named.second = (uint16_t)queue[1]; /* Control, Cursor */
    key->len = dimensions->len = 0;
    if (tm_buf_addf(key, "Virtgpu %s Queue", queue) != TM_OK ||
        tm_detail_arg_text(dimensions, "virtgpu_name", queue, strlen(queue)) < 0)
        return tm_error_nomem(v->err);
    v->row->kind = TM_KIND_KERNEL;
    v->row->value = is_answer ? TM_KERNEL_ANSWER : TM_KERNEL_REQUEST;
    tm_kernel_set_amount(v->row, !is_answer && n[3] != 0);
    enum tm_status st = tm_proto_named_row(v->rows, &named, v->row, v->err);
    if (st < 0 || !is_answer)
        return st < 0 ? st : set_name(v, name_of(of_gpu, n[8], ""));
    key->len = 0;
    if (tm_buf_addf(key, "Virtgpu %s Latency", queue) != TM_OK)
        return tm_error_nomem(v->err);
    return tm_proto_string(v->rows, key->data, key->len, &v->row->category, v->err);
}

/* Fills the row of a command to a video device, or of its answer. The events state no duration; COMMAND_NS makes the
 * slice visible, as in the reference importer. */
static enum tm_status put_command(struct virtio *v, bool is_answer)
{
    const uint64_t *n = v->fields->number;
    struct tm_buf *key = &v->rows->key, *dimensions = &v->rows->text;
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_VIDEO_COMMANDS, .instance = (uint32_t)n[1]};
    key->len = dimensions->len = 0;
    if (tm_buf_addf(key, "virtio_video stream #%u %s", (unsigned)n[1], is_answer ? "Responses" : "Requests") != TM_OK ||
        tm_detail_arg_int(dimensions, "virtio_stream_id", (uint32_t)n[1]) < 0 ||
        tm_detail_arg_int(dimensions, "is_response", is_answer) < 0)
        return tm_error_nomem(v->err);
    v->row->kind = TM_KIND_SLICE_COMPLETE;
    v->row->dur_ns = COMMAND_NS;
    enum tm_status st = tm_proto_named_row(v->rows, &named, v->row, v->err);
    v->row->flags &= ~(uint32_t)TM_EVENT_ASYNC;
    return st < 0 ? st : set_name(v, name_of(of_video, (uint32_t)n[2], "Unknown"));
}

static const char *queue_type(uint64_t type)
{
    return type == QUEUE_INPUT ? "INPUT" : type == QUEUE_OUTPUT ? "OUTPUT" : "Unknown";
}

static enum tm_status put_resource_args(struct virtio *v)
{
    static const char *const sizes[] = {"data_size0", "data_size1", "data_size2", "data_size3"};
    const uint64_t *n = v->fields->number;
    struct tm_buf *detail = &v->rows->detail;
    const char *type = queue_type(n[5]);
    enum tm_status st = tm_detail_arg_int(detail, "stream_id", (int32_t)(uint32_t)n[7]);
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "resource_id", (int32_t)(uint32_t)n[6]);
    if (st == TM_OK)
        st = tm_detail_arg_text(detail, "queue_type", type, strlen(type));
    for (int i = 0; i < 4 && st == TM_OK; i++)
        st = tm_detail_arg_int(detail, sizes[i], (uint32_t)n[1 + i]);
    return st < 0 ? st : tm_detail_arg_uint(detail, "timestamp", n[8]);
}

/* Fills the row of a buffer of a stream that enters the queue or leaves it. */
static enum tm_status put_resource(struct virtio *v, bool is_done)
{
    const uint64_t *n = v->fields->number;
    struct tm_buf *key = &v->rows->key, *dimensions = &v->rows->text;
    const uint64_t queue[] = {(uint32_t)n[7], n[5]};
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_VIDEO_QUEUE,
                                       .second = (uint16_t)tm_hash64_numbers(queue, 2, 0),
                                       .instance = (uint32_t)n[6]};
    char name[32];
    key->len = dimensions->len = 0;
    if (tm_buf_addf(key, "virtio_video stream #%u %s", (unsigned)n[7], queue_type(n[5])) != TM_OK ||
        tm_detail_arg_int(dimensions, "virtio_stream_id", (uint32_t)n[7]) < 0 ||
        tm_detail_arg_int(dimensions, "virtio_queue_type", (uint32_t)n[5]) < 0)
        return tm_error_nomem(v->err);
    v->row->kind = is_done ? TM_KIND_SLICE_END : TM_KIND_SLICE_BEGIN;
    enum tm_status st = tm_proto_named_row(v->rows, &named, v->row, v->err);
    if (st < 0 || is_done)
        return st < 0 || put_resource_args(v) == TM_OK ? st : tm_error_nomem(v->err);
    snprintf(name, sizeof name, "Resource #%d", (int)(uint32_t)n[6]);
    return set_name(v, name);
}

const char *tm_proto_virtio_gpu_queue(const struct tm_proto_event_fields *fields)
{
    enum { NAME = 5 };
    struct tm_text name = {fields->text[NAME] ? fields->text[NAME] : (const uint8_t *)"", fields->len[NAME]};
    return tm_text_is(name, "control") ? "Control" : tm_text_is(name, "cursor") ? "Cursor" : NULL;
}

enum tm_status tm_proto_ftrace_virtio(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err)
{
    struct tm_proto_event_fields fields;
    struct virtio v = {.rows = rows, .fields = &fields, .row = row, .err = err};
    tm_proto_event_fields_read(&fields, f);
    switch (f->id) {
    case TM_FTRACE_EVENT_VIRTIO_VIDEO_CMD:
    case TM_FTRACE_EVENT_VIRTIO_VIDEO_CMD_DONE: return put_command(&v, f->id == TM_FTRACE_EVENT_VIRTIO_VIDEO_CMD_DONE);
    case TM_FTRACE_EVENT_VIRTIO_VIDEO_RESOURCE_QUEUE:
    case TM_FTRACE_EVENT_VIRTIO_VIDEO_RESOURCE_QUEUE_DONE:
        return put_resource(&v, f->id == TM_FTRACE_EVENT_VIRTIO_VIDEO_RESOURCE_QUEUE_DONE);
    default: return put_request(&v, f->id != TM_FTRACE_EVENT_VIRTIO_GPU_CMD_QUEUE);
    }
}
