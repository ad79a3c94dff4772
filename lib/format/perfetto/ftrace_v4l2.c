/* Buffers of Video4Linux: when a thread gives them to a device and gets them back. Rules and names:
 * importers/ftrace/v4l2_tracker.cc of perfetto; numbers: linux/videodev2.h. */
#include "base/hash.h"
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/effect.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>
#include <string.h>

/* The fields of an event about a buffer. The events of vb2 lack BYTES_USED, INDEX and TYPE. */
enum {
    BYTES_USED = 1,
    FIELD,
    FLAGS,
    INDEX,
    MINOR,
    SEQUENCE,
    CODE_FLAGS,
    CODE_FRAMES,
    CODE_HOURS,
    CODE_MINUTES,
    CODE_SECONDS,
    CODE_TYPE,
    CODE_BITS,
    TIMESTAMP = 17,
    TYPE,
    FIELDS
};

static void read_buffer(uint64_t n[FIELDS], const struct tm_pb_field *f)
{
    static const uint8_t of_vb2[] = {0,          FIELD,       FLAGS,         MINOR,         SEQUENCE,
                                     CODE_FLAGS, CODE_FRAMES, CODE_HOURS,    CODE_MINUTES,  CODE_SECONDS,
                                     CODE_TYPE,  CODE_BITS,   CODE_BITS + 1, CODE_BITS + 2, CODE_BITS + 3,
                                     TIMESTAMP};
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field;
    memset(n, 0, FIELDS * sizeof *n);
    while (tm_pb_next(&pb, &field) == TM_OK) {
        uint32_t id = f->id >= TM_FTRACE_EVENT_VB2_V4L2_BUF_QUEUE ? (field.id < sizeof of_vb2 ? of_vb2[field.id] : 0)
                                                                  : field.id;
        if (id < FIELDS && field.type == TM_PB_VARINT)
            n[id] = field.value;
    }
}

/* Adds an arg whose value is the name of NUMBER. If NUMBER has no name, the arg has no value. */
static enum tm_status put_named(struct tm_buf *detail, const char *key, const char *const *names, size_t count,
                                uint64_t number)
{
    struct tm_buf at = {.data = (uint8_t *)(uintptr_t)key, .len = strlen(key)};
    const char *name = number < count ? names[number] : NULL;
    return name ? tm_detail_arg_text(detail, key, name, strlen(name))
                : tm_detail_arg_number(detail, &at, TM_ARG_NULL, 1);
}

struct flag {
    /* The flag is set if the bits of MASK equal IS; for IS 0, if any bit of MASK is set; for MASK 0, if no bit is. */
    uint32_t mask, is;
    const char *name;
};

/* Adds an arg with the names of all FLAGS that are set in BITS. */
static enum tm_status put_flags(struct tm_buf *detail, const char *key, const struct flag *flags, uint32_t bits)
{
    char text[400] = "";
    size_t len = 0;
    for (; flags->name; flags++) {
        bool is_set = flags->mask == 0 ? bits == 0
                      : flags->is      ? (bits & flags->mask) == flags->is
                                       : (bits & flags->mask) != 0;
        if (is_set)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", len ? "|" : "", flags->name);
    }
    return tm_detail_arg_text(detail, key, text, len);
}

static const struct flag buffer_flags[] = {
    {0x1, 0, "MAPPED"},
    {0x2, 0, "QUEUED"},
    {0x4, 0, "DONE"},
    {0x8, 0, "KEYFRAME"},
    {0x10, 0, "PFRAME"},
    {0x20, 0, "BFRAME"},
    {0x40, 0, "ERROR"},
    {0x80, 0, "IN_REQUEST"},
    {0x100, 0, "TIMECODE"},
    {0x200, 0, "M2M_HOLD_CAPTURE_BUF"},
    {0x400, 0, "PREPARED"},
    {0x800, 0, "NO_CACHE_INVALIDATE"},
    {0x1000, 0, "NO_CACHE_CLEAN"},
    {0xe000, 0, "TIMESTAMP_MASK"},
    {0, 0, "TIMESTAMP_UNKNOWN"},
    {0x2000, 0, "TIMESTAMP_MONOTONIC"},
    {0x4000, 0, "TIMESTAMP_COPY"},
    {0x70000, 0, "TSTAMP_SRC_MASK"},
    {0, 0, "TSTAMP_SRC_EOF"},
    {0x10000, 0, "TSTAMP_SRC_SOE"},
    {0x100000, 0, "LAST"},
    {0x800000, 0, "REQUEST_FD"},
    {0, 0, NULL},
};

static const struct flag code_flags[] = {
    {0, 0, "USERBITS_USERDEFINED"},   {0x1, 0, "FLAG_DROPFRAME"},
    {0x2, 0, "FLAG_COLORFRAME"},      {0xc, 0x4, "USERBITS_field(01)"},
    {0xc, 0x8, "USERBITS_field(10)"}, {0xc, 0xc, "USERBITS_field(11)"},
    {0x8, 0, "USERBITS_8BITCHARS"},   {0, 0, NULL},
};

#define PUT_NAMED(detail, key, names, number) put_named(detail, key, names, sizeof(names) / sizeof *(names), number)

static enum tm_status put_type(struct tm_buf *detail, uint64_t type)
{
    enum { PRIVATE = 0x80 };
    static const char *const types[] = {NULL,
                                        "VIDEO_CAPTURE",
                                        "VIDEO_OUTPUT",
                                        "VIDEO_OVERLAY",
                                        "VBI_CAPTURE",
                                        "VBI_OUTPUT",
                                        "SLICED_VBI_CAPTURE",
                                        "SLICED_VBI_OUTPUT",
                                        "VIDEO_OUTPUT_OVERLAY",
                                        "VIDEO_CAPTURE_MPLANE",
                                        "VIDEO_OUTPUT_MPLANE",
                                        "SDR_CAPTURE",
                                        "SDR_OUTPUT",
                                        "META_CAPTURE",
                                        "META_OUTPUT"};
    return type == PRIVATE ? tm_detail_arg_text(detail, "type", "PRIVATE", 7) : PUT_NAMED(detail, "type", types, type);
}

/* Puts the args of a buffer. HAS_INDEX: the event states its index, type and size. */
static enum tm_status put_args(struct tm_buf *detail, const uint64_t n[FIELDS], bool has_index)
{
    static const char *const fields[] = {"ANY",    "NONE",   "TOP",       "BOTTOM",        "INTERLACED",
                                         "SEQ_TB", "SEQ_BT", "ALTERNATE", "INTERLACED_TB", "INTERLACED_BT"};
    static const char *const codes[] = {NULL, "24FPS", "25FPS", "30FPS", "50FPS", "60FPS"};
    static const struct {
        const char *key;
        uint8_t field;
    } numbers[] = {{"timecode_frames", CODE_FRAMES},
                   {"timecode_seconds", CODE_SECONDS},
                   {"timecode_minutes", CODE_MINUTES},
                   {"timecode_hours", CODE_HOURS},
                   {"timecode_userbits0", CODE_BITS},
                   {"timecode_userbits1", CODE_BITS + 1},
                   {"timecode_userbits2", CODE_BITS + 2},
                   {"timecode_userbits3", CODE_BITS + 3},
                   {"sequence", SEQUENCE}};
    enum tm_status st = tm_detail_arg_int(detail, "minor", (int32_t)(uint32_t)n[MINOR]);
    if (st == TM_OK && has_index && (st = tm_detail_arg_int(detail, "index", (uint32_t)n[INDEX])) == TM_OK &&
        (st = put_type(detail, n[TYPE])) == TM_OK)
        st = tm_detail_arg_int(detail, "bytesused", (uint32_t)n[BYTES_USED]);
    if (st == TM_OK)
        st = put_flags(detail, "flags", buffer_flags, (uint32_t)n[FLAGS]);
    if (st == TM_OK)
        st = PUT_NAMED(detail, "field", fields, n[FIELD]);
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "timestamp", (int64_t)n[TIMESTAMP]);
    if (st == TM_OK)
        st = PUT_NAMED(detail, "timecode_type", codes, n[CODE_TYPE]);
    if (st == TM_OK)
        st = put_flags(detail, "timecode_flags", code_flags, (uint32_t)n[CODE_FLAGS]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && st == TM_OK; i++)
        st = tm_detail_arg_int(detail, numbers[i].key, (uint32_t)n[numbers[i].field]);
    return st;
}

/* Puts a flow from the event that gives a buffer to the device to the event that gets it back. */
static enum tm_status put_flow(struct tm_proto_rows *rows, uint32_t event, const uint64_t n[FIELDS],
                               struct tm_event *row)
{
    const uint64_t buffer[] = {(uint32_t)n[MINOR], (uint32_t)n[SEQUENCE], (uint32_t)n[TYPE], (uint32_t)n[INDEX]};
    uint64_t flow = tm_hash64_numbers(buffer, sizeof buffer / sizeof *buffer, TM_FTRACE_EVENT_V4L2_QBUF);
    row->kind = TM_KIND_KERNEL;
    row->value = event == TM_FTRACE_EVENT_V4L2_QBUF ? TM_KERNEL_JOB_QUEUED : TM_KERNEL_JOB_TAKEN;
    tm_kernel_set_amount(row, flow);
    return tm_pb_put_i64(
        &rows->detail, event == TM_FTRACE_EVENT_V4L2_QBUF ? TM_DETAIL_FLOW_IDS : TM_DETAIL_TERMINATING_FLOW_IDS, flow);
}

enum tm_status tm_proto_ftrace_v4l2(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                    struct tm_error *err)
{
    static const char category[] = "Video 4 Linux 2";
    /* vb2_v4l2_dqbuf has the name of vb2_v4l2_qbuf, as in the reference importer. */
    static const char *const names[] = {"VIDIOC_QBUF",       "VIDIOC_DQBUF",  "vb2_v4l2_buf_queue",
                                        "vb2_v4l2_buf_done", "vb2_v4l2_qbuf", "vb2_v4l2_qbuf"};
    uint64_t n[FIELDS];
    char name[96];
    bool has_index = f->id < TM_FTRACE_EVENT_VB2_V4L2_BUF_QUEUE;
    read_buffer(n, f);
    row->kind = TM_KIND_INSTANT;
    row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    int len = snprintf(name, sizeof name, "%s minor=%d seq=%u type=%u index=%u",
                       names[f->id - TM_FTRACE_EVENT_V4L2_QBUF], (int)(uint32_t)n[MINOR], (unsigned)n[SEQUENCE],
                       has_index ? (unsigned)n[TYPE] : 0, has_index ? (unsigned)n[INDEX] : 0);
    if (len >= 64) /* longer names are cut, as in the reference importer */
        len = 63;
    enum tm_status st = tm_proto_string(rows, name, (size_t)len, &row->name, err);
    if (st >= 0)
        st = tm_proto_string(rows, category, sizeof category - 1, &row->category, err);
    if (st >= 0 && (put_args(&rows->detail, n, has_index) < 0 || (has_index && put_flow(rows, f->id, n, row) < 0)))
        return tm_error_nomem(err);
    return st;
}
