/* Requests to Windows' file systems and disks. Names and rules: importers/etw/file_io_tracker.cc and
 * disk_io_tracker.cc of Perfetto; opcodes and classes: FileIo of learn.microsoft.com/windows/win32/etw, and
 * FILE_INFORMATION_CLASS of its driver pages. */
#include "format/perfetto/etw.h"

#include "base/hash.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/effect.h"
#include "perfetto/etw_fields.h"
#include "stream/detail_arg.h"

#include <stdio.h>

enum { FILE_OPCODE_FIRST = 64, DISK_OPCODE_FIRST = 10 };

static const char *const file_opcodes[] = {"CreateFile",
                                           "Cleanup",
                                           "Close",
                                           "ReadFile",
                                           "WriteFile",
                                           "SetInformation",
                                           "DeleteFile",
                                           "RenameFile",
                                           "DirectoryEnumeration",
                                           "Flush",
                                           "QueryFileInformation",
                                           "FilesystemControlEvent",
                                           "EndOperation",
                                           "DirectoryNotification",
                                           NULL,
                                           "DeletePath",
                                           "RenamePath",
                                           NULL,
                                           NULL,
                                           "FltRead",
                                           " FltWrite", /* the reference has this blank, too */
                                           "FltSetInfo",
                                           "FltQueryInfo"};

static const char *const disk_opcodes[] = {"DiskRead",      "DiskWrite", "DiskReadInit",
                                           "DiskWriteInit", "DiskFlush", "DiskFlushInit"};

enum { CLASS_ALLOCATION = 19, CLASS_DISPOSITION = 13, CLASS_END_OF_FILE = 20 };

/* Names of classes, from class 1 on: "File" NAME "Information" AFTER. */
static const struct {
    const char *name, *after;
} classes[] = {
    {"Directory", ""},
    {"FullDirectory", ""},
    {"BothDirectory", ""},
    {"Basic", ""},
    {"Standard", ""},
    {"Internal", ""},
    {"Ea", ""},
    {"Access", ""},
    {"Name", ""},
    {"Rename", ""},
    {"Link", ""},
    {"Names", ""},
    {"Disposition", ""},
    {"Position", ""},
    {"FullEa", ""},
    {"Mode", ""},
    {"Alignment", ""},
    {"All", ""},
    {"Allocation", ""},
    {"EndOfFile", ""},
    {"AlternateName", ""},
    {"Stream", ""},
    {"Pipe", ""},
    {"PipeLocal", ""},
    {"PipeRemote", ""},
    {"MailslotQuery", ""},
    {"MailslotSet", ""},
    {"Compression", ""},
    {"ObjectId", ""},
    {"Completion", ""},
    {"MoveCluster", ""},
    {"Quota", ""},
    {"ReparsePoint", ""},
    {"NetworkOpen", ""},
    {"AttributeTag", ""},
    {"Tracking", ""},
    {"IdBothDirectory", ""},
    {"IdFullDirectory", ""},
    {"ValidDataLength", ""},
    {"ShortName", ""},
    {"IoCompletionNotification", ""},
    {"IoStatusBlockRange", ""},
    {"IoPriorityHint", ""},
    {"SfioReserve", ""},
    {"SfioVolume", ""},
    {"HardLink", ""},
    {"ProcessIdsUsingFile", ""},
    {"NormalizedName", ""},
    {"NetworkPhysicalName", ""},
    {"IdGlobalTxDirectory", ""},
    {"IsRemoteDevice", ""},
    {"Unused", ""},
    {"NumaNode", ""},
    {"StandardLink", ""},
    {"RemoteProtocol", ""},
    {"Rename", "BypassAccessCheck"},
    {"Link", "BypassAccessCheck"},
    {"VolumeName", ""},
    {"Id", ""},
    {"IdExtdDirectory", ""},
    {"ReplaceCompletion", ""},
    {"HardLinkFullId", ""},
    {"IdExtdBothDirectory", ""},
    {"Disposition", "Ex"},
    {"Rename", "Ex"},
    {"Rename", "ExBypassAccessCheck"},
    {"DesiredStorageClass", ""},
    {"Stat", ""},
    {"MemoryPartition", ""},
    {"StatLx", ""},
    {"CaseSensitive", ""},
    {"Link", "Ex"},
    {"Link", "ExBypassAccessCheck"},
    {"StorageReserveId", ""},
    {"CaseSensitive", "ForceAccessCheck"},
    {"KnownFolder", ""},
    {"StatBasic", ""},
    {"Id64ExtdDirectory", ""},
    {"Id64ExtdBothDirectory", ""},
    {"IdAllExtdDirectory", ""},
    {"IdAllExtdBothDirectory", ""},
};

enum { CLASSES = sizeof classes / sizeof *classes };

/* How a field of a message becomes an arg. NUMBER is unsigned, SIGNED is signed. CLASS is a class of information, by
 * name. EXTRA is an unsigned number whose key depends on the class. */
enum form { POINTER, NUMBER, SIGNED, TEXT, CLASS, EXTRA };

struct arg {
    uint8_t field; /* 0: no more args */
    uint8_t form;
    const char *key;
};

enum { ARGS_MAX = 8 };

/* A kind of message. */
struct shape {
    uint32_t event;   /* enum tm_etw_event_field */
    uint8_t opcode;   /* the field of the opcode; 0: none */
    uint8_t class;    /* the field of the class of information; 0: none */
    const char *name; /* of an event without a known opcode */
    struct arg args[ARGS_MAX];
};

static const char irp[] = "I/O Request Packet", object[] = "File Object", key[] = "File Key", thread[] = "Thread ID",
                  info[] = "Info Class", extra[] = "Extra Info";

static const struct shape shapes[] = {
    {TM_ETW_EVENT_FILE_CREATE,
     0,
     0,
     "CreateFile",
     {{1, POINTER, irp},
      {2, POINTER, object},
      {3, NUMBER, thread},
      {4, POINTER, "Create Options"},
      {5, POINTER, "File Attributes"},
      {6, POINTER, "Share Access"},
      {7, TEXT, "Open Path"}}},
    {TM_ETW_EVENT_FILE_LIST,
     9,
     6,
     "DirEnum",
     {{1, POINTER, irp},
      {2, POINTER, object},
      {3, POINTER, key},
      {4, NUMBER, thread},
      {6, CLASS, info},
      {7, NUMBER, "File Index"},
      {8, TEXT, "Enumeration Path"}}},
    {TM_ETW_EVENT_FILE_INFO,
     7,
     6,
     "Info",
     {{1, POINTER, irp},
      {2, POINTER, object},
      {3, POINTER, key},
      {4, EXTRA, extra},
      {5, NUMBER, thread},
      {6, CLASS, info}}},
    {TM_ETW_EVENT_FILE_TRANSFER,
     8,
     0,
     "ReadOrWrite",
     {{2, POINTER, irp},
      {1, NUMBER, "Offset"},
      {3, POINTER, object},
      {4, POINTER, key},
      {5, NUMBER, thread},
      {6, NUMBER, "I/O Size"},
      {7, POINTER, "I/O Flags"}}},
    {TM_ETW_EVENT_FILE_SIMPLE,
     5,
     0,
     "SimpleOp",
     {{1, POINTER, irp}, {2, POINTER, object}, {3, POINTER, key}, {4, NUMBER, thread}}},
    {TM_ETW_EVENT_FILE_END, 0, 0, "EndOperation", {{2, NUMBER, extra}, {3, POINTER, "NT Status"}}},
    {TM_ETW_EVENT_FILE_PATH,
     8,
     6,
     "PathOperation",
     {{1, POINTER, irp},
      {2, POINTER, object},
      {3, POINTER, key},
      {4, NUMBER, extra},
      {5, NUMBER, thread},
      {6, CLASS, info},
      {7, TEXT, "File Name"}}},
    {TM_ETW_EVENT_DISK,
     9,
     0,
     NULL,
     {{6, POINTER, "Irp Ptr"},
      {1, NUMBER, "Disk Number"},
      {2, POINTER, "Irp Flags"},
      {3, NUMBER, "Transfer Size"},
      {4, SIGNED, "Byte Offset"},
      {5, POINTER, object},
      {7, SIGNED, "Response Time (microseconds)"},
      {8, NUMBER, "Issuing Thread ID"}}},
};

static const struct shape *shape_of(uint32_t event)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].event == event)
            return &shapes[i];
    return NULL;
}

/* A message that is being read. */
struct request {
    struct tm_proto_rows *rows;
    const struct shape *shape;
    struct tm_proto_event_fields fields;
    struct tm_event *row;
    struct tm_error *err;
};

static uint32_t number(const struct request *r, uint32_t field)
{
    return (uint32_t)r->fields.number[field];
}

static enum tm_status put_class(struct tm_buf *detail, const char *name, uint32_t class)
{
    char text[64];
    if (class == 0 || class > CLASSES)
        return tm_detail_arg_uint(detail, name, class);
    int len = snprintf(text, sizeof text, "File%sInformation%s", classes[class - 1].name, classes[class - 1].after);
    return tm_detail_arg_text(detail, name, text, (size_t)len);
}

/* Returns the key of the number beside a class of information. */
static const char *extra_key(const struct request *r)
{
    const uint32_t class = r->fields.has[r->shape->class] ? number(r, r->shape->class) : 0;
    return class == CLASS_DISPOSITION                                ? "Disposition"
           : class == CLASS_END_OF_FILE || class == CLASS_ALLOCATION ? "File Size"
                                                                     : extra;
}

static enum tm_status put_arg(const struct request *r, const struct arg *arg)
{
    struct tm_buf *detail = &r->rows->detail;
    const uint64_t value = r->fields.number[arg->field];
    const uint8_t *text = r->fields.text[arg->field];
    struct tm_buf name = {.data = (uint8_t *)(uintptr_t)arg->key, .len = strlen(arg->key)};
    if (arg->form == TEXT)
        return text ? tm_detail_arg_text(detail, arg->key, text, r->fields.len[arg->field]) : TM_OK;
    if (!r->fields.has[arg->field])
        return TM_OK;
    switch ((enum form)arg->form) {
    case POINTER: return tm_detail_arg_number(detail, &name, TM_ARG_POINTER, value);
    case SIGNED: return tm_detail_arg_int(detail, arg->key, (int64_t)value);
    case CLASS: return put_class(detail, arg->key, (uint32_t)value);
    case EXTRA: return tm_detail_arg_uint(detail, extra_key(r), value);
    default: return tm_detail_arg_uint(detail, arg->key, value);
    }
}

static enum tm_status put_args(const struct request *r)
{
    const struct arg *arg = r->shape->args;
    enum tm_status st = TM_OK;
    if (!r->rows->sink->want_packet_args)
        return TM_OK;
    for (int i = 0; st == TM_OK && i < ARGS_MAX && arg[i].field; i++)
        st = put_arg(r, &arg[i]);
    return st < 0 ? tm_error_nomem(r->err) : TM_OK;
}

static enum tm_status set_name(const struct request *r, const char *name)
{
    return tm_proto_string(r->rows, name, strlen(name), &r->row->name, r->err);
}

/* Fills the row of a request to a file system. A request without the number of an I/O request packet is an instant,
 * because nothing relates its begin and its end. */
static enum tm_status read_file(const struct request *r)
{
    const struct shape *shape = r->shape;
    const uint32_t packet = shape->event == TM_ETW_EVENT_FILE_TRANSFER ? 2 : 1;
    const uint32_t opcode = number(r, shape->opcode) - FILE_OPCODE_FIRST;
    const bool has_opcode = shape->opcode && r->fields.has[shape->opcode] &&
                            opcode < sizeof file_opcodes / sizeof *file_opcodes;
    struct tm_event *row = r->row;
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_FILE_REQUESTS, .second = TM_NAMED_TRACK_ALONE};
    enum tm_status st = tm_proto_named_row(r->rows, &named, row, r->err);
    row->kind = TM_KIND_INSTANT;
    if (r->fields.has[packet]) {
        const uint64_t identity[] = {r->fields.number[packet]};
        row->kind = TM_KIND_KERNEL;
        row->value = shape->event == TM_ETW_EVENT_FILE_END ? TM_KERNEL_FILE_REQUEST_DONE : TM_KERNEL_FILE_REQUEST;
        row->track = tm_hash64_numbers(identity, 1, TM_NAMED_TRACK_FILE_REQUESTS);
    }
    if (st >= 0)
        st = put_args(r);
    const char *name = has_opcode ? file_opcodes[opcode] : shape->name;
    return st < 0 || name == NULL ? st : set_name(r, name);
}

static enum tm_status read_disk(const struct request *r, const struct tm_proto_packet *packet)
{
    enum { RESPONSE_TIME = 7 };
    static const char category[] = "ETW Disk I/O";
    const uint32_t opcode = number(r, r->shape->opcode) - DISK_OPCODE_FIRST;
    struct tm_event *row = r->row;
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_DISK_REQUESTS};
    if (!r->fields.has[r->shape->opcode])
        return TM_END;
    if (opcode >= sizeof disk_opcodes / sizeof *disk_opcodes) {
        enum tm_status st =
            tm_proto_count_stat(&r->rows->counts, TM_PROTO_STAT_DISK_NO_NAME, packet->machine, 1, r->err);
        return st < 0 ? st : TM_END;
    }
    enum tm_status st = tm_proto_named_row(r->rows, &named, row, r->err);
    row->flags &= ~(uint32_t)TM_EVENT_ASYNC;
    row->kind = TM_KIND_SLICE_COMPLETE;
    /* The reference shows the number unchanged as microseconds in the args and as nanoseconds here. */
    row->dur_ns = (int64_t)r->fields.number[RESPONSE_TIME];
    if (st >= 0)
        st = put_args(r);
    if (st >= 0)
        st = tm_proto_string(r->rows, category, sizeof category - 1, &row->category, r->err);
    return st < 0 ? st : set_name(r, disk_opcodes[opcode]);
}

enum tm_status tm_proto_etw_request(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                    const struct tm_proto_packet *packet, struct tm_event *row, struct tm_error *err)
{
    struct request r = {.rows = rows, .shape = shape_of(f->id), .row = row, .err = err};
    if (r.shape == NULL)
        return TM_END;
    tm_proto_event_fields_read(&r.fields, f);
    rows->key.len = rows->text.len = 0;
    enum tm_status st = f->id == TM_ETW_EVENT_DISK ? read_disk(&r, packet) : read_file(&r);
    if (st == TM_OK)
        row->flags = (row->flags & ~tm_event_scope_flags((enum tm_scope)15)) | tm_event_scope_flags(TM_SCOPE_THREAD);
    return st;
}
