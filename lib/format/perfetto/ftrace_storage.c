/* File systems and disks: reads of files, checkpoints, commands to UFS devices. Rules and names:
 * importers/ftrace/ftrace_parser.cc of perfetto. */
#include "base/hash.h"
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/effect.h"
#include "kernel/tracks.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>
#include <string.h>

struct storage {
    struct tm_proto_rows *rows;
    struct tm_proto_event_fields fields;
    struct tm_event *row;
    struct tm_error *err;
};

/* Fills the row of the begin or end of a read of a file. The inode and the offset relate the two. */
static enum tm_status put_read(struct storage *s, bool is_end)
{
    static const char name[] = "android_fs_data_read", track[] = "android_fs";
    const uint64_t *n = s->fields.number;
    const uint64_t place[] = {n[is_end ? 2 : 4], n[is_end ? 3 : 5]};
    struct tm_buf *detail = &s->rows->detail;
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_FILE_READS, .instance = (uint32_t)s->row->tid};
    s->rows->key.len = s->rows->text.len = 0;
    if (tm_buf_add(&s->rows->key, track, sizeof track - 1) != TM_OK)
        return tm_error_nomem(s->err);
    s->row->kind = TM_KIND_KERNEL;
    s->row->value = is_end ? TM_KERNEL_READ_DONE : TM_KERNEL_READ;
    tm_kernel_set_amount(
        s->row, tm_hash64_numbers(place, sizeof place / sizeof *place, TM_FTRACE_EVENT_ANDROID_FS_DATAREAD_START));
    enum tm_status st = tm_proto_named_row(s->rows, &named, s->row, s->err);
    if (st >= 0 && !is_end)
        st = tm_proto_string(s->rows, name, sizeof name - 1, &s->row->name, s->err);
    if (st >= 0 && !is_end && tm_detail_arg_text(detail, "file_path", s->fields.text[6], s->fields.len[6]) < 0)
        return tm_error_nomem(s->err);
    if (st >= 0 &&
        (tm_detail_arg_int(detail, is_end ? "offset_end" : "offset_start", (int64_t)place[1]) < 0 ||
         tm_detail_arg_int(detail, is_end ? "bytes_read_end" : "bytes_read_start", (int32_t)(uint32_t)n[1]) < 0))
        return tm_error_nomem(s->err);
    return st;
}

/* Puts the reasons of a checkpoint: one arg for each bit. */
static enum tm_status put_reasons(struct tm_buf *detail, uint32_t reasons)
{
    static const char *const names[] = {"Umount",  "Fastboot", "Sync",  "Recovery",
                                        "Discard", "Trimmed",  "Pause", "Resize"};
    char key[24];
    unsigned count = 0;
    enum tm_status st = tm_detail_arg_int(detail, "reason_int", (int32_t)reasons);
    if (st == TM_OK && reasons == 0)
        return tm_detail_arg_text(detail, "reason_str", "Unknown", 7);
    for (unsigned i = 0; i < sizeof names / sizeof *names && st == TM_OK; i++) {
        if (!(reasons >> i & 1))
            continue;
        snprintf(key, sizeof key, "reason_str[%u]", count++);
        st = tm_detail_arg_text(detail, key, names[i], strlen(names[i]));
    }
    return st;
}

static enum tm_status put_checkpoint(struct storage *s)
{
    enum { START, BLOCKED, FINISH }; /* phases */
    static const char name[] = "F2fs Write Checkpoint";
    const uint64_t *n = s->fields.number;
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_CHECKPOINTS, .instance = (uint32_t)s->row->tid};
    if (n[5] != START && n[5] != FINISH)
        return TM_END;
    s->rows->key.len = s->rows->text.len = 0;
    if (tm_buf_addf(&s->rows->key, "f2fs_ckpt %u", (unsigned)s->row->tid) != TM_OK)
        return tm_error_nomem(s->err);
    s->row->kind = TM_KIND_KERNEL;
    s->row->value = n[5] == START ? TM_KERNEL_STATE : TM_KERNEL_STATE_DONE;
    enum tm_status st = tm_proto_named_row(s->rows, &named, s->row, s->err);
    s->row->flags |= tm_event_scope_flags(TM_SCOPE_PROCESS) | TM_EVENT_HAS_PID;
    s->row->pid = s->row->tid;
    if (st < 0 || n[5] != START)
        return st;
    st = tm_proto_string(s->rows, name, sizeof name - 1, &s->row->name, s->err);
    if (st >= 0 &&
        (tm_detail_arg_uint(&s->rows->detail, "dev", n[1]) < 0 || put_reasons(&s->rows->detail, (uint32_t)n[4]) < 0))
        return tm_error_nomem(s->err);
    return st;
}

/* Returns the name of a SCSI command by its operation code. */
static const char *command_name(uint32_t code)
{
    static const struct {
        uint8_t code;
        const char *name;
    } commands[] = {
        {0x00, "TEST UNIT READY"},        {0x03, "REQUEST SENSE"},          {0x04, "FORMAT UNIT"},
        {0x08, "READ (6)"},               {0x0a, "WRITE (6)"},              {0x12, "INQUIRY"},
        {0x1b, "START STOP UNIT"},        {0x1d, "SEND DIAGNOSTIC"},        {0x25, "READ CAPACITY (10)"},
        {0x28, "READ (10)"},              {0x2a, "WRITE (10)"},             {0x2f, "VERIFY"},
        {0x34, "PRE-FETCH (10)"},         {0x35, "SYNCHRONIZE CACHE (10)"}, {0x3b, "WRITE BUFFER"},
        {0x3c, "READ BUFFER"},            {0x42, "UNMAP"},                  {0x55, "MODE SELECT (10)"},
        {0x5a, "MODE SENSE (10)"},        {0x88, "READ (16)"},              {0x8a, "WRITE (16)"},
        {0x90, "PRE-FETCH (16)"},         {0x91, "SYNCHRONIZE CACHE (16)"}, {0x9e, "READ CAPACITY (16)"},
        {0xa0, "REPORT LUNS"},            {0xa2, "SECURITY PROTOCOL IN"},   {0xb5, "SECURITY PROTOCOL OUT"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].code == code)
            return commands[i].name;
    return "UNDEFINED";
}

/* Fills the row of a command that is sent to a UFS device, or whose answer has come. Commands in progress differ by
 * their tags. */
static enum tm_status put_command(struct storage *s)
{
    enum { CODE = 5, TAG = 7, GROUP = 9, STAGE = 10 };
    const uint64_t *n = s->fields.number;
    const uint32_t group = (uint32_t)n[GROUP];
    char name[48];
    s->row->kind = n[STAGE] == 0 ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    s->row->flags |= TM_EVENT_HAS_TRACK;
    s->row->track = tm_kernel_track_number(TM_KERNEL_TRACK_UFS_COMMAND, (uint32_t)n[TAG]);
    if (n[STAGE] != 0)
        return TM_OK;
    snprintf(name, sizeof name, group ? "%s (GID=0x%x)" : "%s", command_name((uint32_t)n[CODE]), (unsigned)group);
    return tm_proto_string(s->rows, name, strlen(name), &s->row->name, s->err);
}

enum tm_status tm_proto_ftrace_storage(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                       struct tm_error *err)
{
    struct storage s = {.rows = rows, .row = row, .err = err};
    tm_proto_event_fields_read(&s.fields, f);
    switch (f->id) {
    case TM_FTRACE_EVENT_UFSHCD_COMMAND: return put_command(&s);
    case TM_FTRACE_EVENT_F2FS_WRITE_CHECKPOINT: return put_checkpoint(&s);
    default: return put_read(&s, f->id == TM_FTRACE_EVENT_ANDROID_FS_DATAREAD_END);
    }
}
