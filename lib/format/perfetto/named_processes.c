/* Memory dumps of Chrome, smaps, memory of Vulkan, processes of Android's runtime (ART); starts and deaths of processes
 * that Android states in track events. Rules: plugins/android_framework_track_event and
 * plugins/art_process_metadata_importer of perfetto. */
#include "format/perfetto/named_processes.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

enum { PROCESS_START_EVENT = 2010, BINDER_DIED_EVENT = 2013 };
enum { LIFE_UID = 1, LIFE_PID = 2, LIFE_NAME = 3 }; /* of both */
enum { SNAPSHOT_PROCESSES = 3, SNAPSHOT_PID = 1, SMAPS_PID = 1, VULKAN_PID = 4 };
enum { ART_PID = 1, ART_UID = 2, ART_NAME = 3, ART_PACKAGE = 4 };
enum { LIST_PACKAGE = 1, PACKAGE_NAME = 1, PACKAGE_UID = 2 }; /* of PackagesList and PackageInfo */

/* What a packet says about a process. */
struct named {
    int64_t pid;
    struct tm_text name;                    /* without data: none */
    enum tm_process_name_priority priority; /* of the name; 0: that of a process tree */
    struct tm_pb_field uid;                 /* id 0: none */
    const struct tm_proto_flag *arg;        /* NULL: none */
};

static enum tm_status put_arg(struct tm_buf *detail, const struct tm_proto_flag *arg)
{
    size_t mark;
    return tm_pb_begin(detail, TM_PROCESS_DESCRIPTION_ARGS, &mark) == TM_OK &&
                   tm_pb_put_str(detail, TM_ARG_KEY, arg->key) == TM_OK &&
                   tm_pb_put_varint(detail, TM_ARG_BOOL, arg->value) == TM_OK && tm_pb_end(detail, mark) == TM_OK
               ? TM_OK
               : TM_E_SYSTEM;
}

static enum tm_status put_named(struct tm_buf *detail, const struct named *named)
{
    size_t mark;
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_PROCESS, &mark);
    if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_PROCESS_DESCRIPTION_PID, tm_zigzag(named->pid));
    if (st == TM_OK && named->name.data)
        st = tm_pb_put_bytes(detail, TM_PROCESS_DESCRIPTION_NAME, named->name.data, named->name.len);
    if (st == TM_OK && named->priority)
        st = tm_pb_put_varint(detail, TM_PROCESS_DESCRIPTION_NAME_PRIORITY, named->priority);
    if (st == TM_OK && named->uid.id)
        st = tm_pb_put_varint(detail, TM_PROCESS_DESCRIPTION_UID, tm_zigzag((uint32_t)named->uid.value));
    if (st == TM_OK && named->arg)
        st = put_arg(detail, named->arg);
    return st == TM_OK ? tm_pb_end(detail, mark) : st;
}

static enum tm_status add(struct tm_proto_rows *rows, const struct named *named, const struct tm_event *like,
                          struct tm_error *err)
{
    struct tm_event row = tm_proto_derived(like, TM_KIND_PROCESS);
    if (put_named(&rows->detail, named) != TM_OK)
        return tm_error_nomem(err);
    row.flags |= TM_EVENT_HAS_PID;
    row.pid = named->pid;
    return tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_process_name(struct tm_proto_rows *rows, int64_t pid, const struct tm_proto_flag *arg,
                                     const struct tm_event *like, struct tm_error *err)
{
    return add(rows, &(struct named){.pid = pid, .arg = arg}, like, err);
}

/* Reads MESSAGE, the start or the death of a process. False: it has no pid. */
static bool read_life(const struct tm_pb_field *message, struct named *named)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    bool has_pid = false;
    *named = (struct named){.pid = 0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == LIFE_PID && f.type == TM_PB_VARINT) {
            named->pid = (int64_t)(uint32_t)f.value;
            has_pid = true;
        } else if (f.id == LIFE_NAME && f.type == TM_PB_LEN) {
            named->name = tm_text_at(f.data, f.len);
        } else if (f.id == LIFE_UID && f.type == TM_PB_VARINT) {
            named->uid = f;
        }
    return has_pid;
}

enum tm_status tm_proto_process_life_add(struct tm_proto_rows *rows, struct tm_pb event, const struct tm_event *like,
                                         struct tm_error *err)
{
    struct tm_event death = tm_proto_derived(like, TM_KIND_PROCESS_EXIT);
    struct tm_pb_field f, started = {0}, died = {0};
    struct named named;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&event, &f) == TM_OK)
        if (f.id == PROCESS_START_EVENT && f.type == TM_PB_LEN)
            started = f;
        else if (f.id == BINDER_DIED_EVENT && f.type == TM_PB_LEN)
            died = f;
    if (read_life(&started, &named))
        st = add(rows, &named, like, err);
    if (st < 0 || !read_life(&died, &named))
        return st;
    death.flags |= TM_EVENT_HAS_TID;
    death.tid = named.pid;
    return tm_proto_add(rows, &death, err);
}

/* Adds a definition of the app PACKAGE, whose field is of LIKE's packet, and that has the number UID. */
static enum tm_status add_package(struct tm_proto_rows *rows, const struct tm_pb_field *package,
                                  const struct tm_pb_field *uid, const struct tm_event *like, struct tm_error *err)
{
    struct tm_event row = tm_proto_derived(like, TM_KIND_METADATA);
    size_t list, app;
    row.flags |= TM_EVENT_DEFINITION | TM_EVENT_UNTIMED;
    enum tm_status st = tm_pb_begin(&rows->detail, TM_DETAIL_PACKAGES, &list);
    if (st == TM_OK)
        st = tm_pb_begin(&rows->detail, LIST_PACKAGE, &app);
    if (st == TM_OK)
        st = tm_pb_put_bytes(&rows->detail, PACKAGE_NAME, package->data, package->len);
    if (st == TM_OK)
        st = tm_pb_put_varint(&rows->detail, PACKAGE_UID, uid->value);
    if (st == TM_OK)
        st = tm_pb_end(&rows->detail, app);
    if (st == TM_OK)
        st = tm_pb_end(&rows->detail, list);
    return st < 0 ? tm_error_nomem(err) : tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_art_process_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                         struct tm_error *err)
{
    struct tm_event like = tm_proto_packet_event(packet);
    struct named named = {.priority = TM_PROCESS_NAME_DESCRIPTOR};
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f, package = {0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == ART_PID && f.type == TM_PB_VARINT)
            named.pid = (int64_t)(uint32_t)f.value;
        else if (f.id == ART_UID && f.type == TM_PB_VARINT)
            named.uid = f;
        else if (f.id == ART_NAME && f.type == TM_PB_LEN)
            named.name = tm_text_at(f.data, f.len);
        else if (f.id == ART_PACKAGE && f.type == TM_PB_LEN)
            package = f;
    enum tm_status st = add(rows, &named, &like, err);
    return st < 0 || package.id == 0 || named.uid.id == 0 || !rows->sink->want_packet_args
               ? st
               : add_package(rows, &package, &named.uid, &like, err);
}

/* Adds the process whose pid is field ID of MESSAGE. The pid is 0 if the field is absent. */
static enum tm_status name_in(struct tm_proto_rows *rows, const struct tm_pb_field *message, uint32_t id,
                              const struct tm_event *like, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    uint32_t pid = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == id && f.type == TM_PB_VARINT)
            pid = (uint32_t)f.value;
    return tm_proto_process_name(rows, pid, NULL, like, err);
}

enum tm_status tm_proto_named_processes_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                             struct tm_error *err)
{
    struct tm_event row = tm_proto_packet_event(packet);
    enum tm_status st = TM_OK;
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    if (packet->body.id != TM_PACKET_MEMORY_SNAPSHOT)
        return name_in(rows, &packet->body, packet->body.id == TM_PACKET_SMAPS ? SMAPS_PID : VULKAN_PID, &row, err);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == SNAPSHOT_PROCESSES && f.type == TM_PB_LEN)
            st = name_in(rows, &f, SNAPSHOT_PID, &row, err);
    return st;
}
