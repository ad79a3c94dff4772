#include "format/perf_data/internal.h"

enum { MISC_DATA_MAPPING = 1 << 13, MISC_BUILD_ID = 1 << 14 };
enum { MMAP2_FILE_LEN = 24, KSYMBOL_UNREGISTERED = 1, UPDATE_NAME = 2 };
enum { ATTR_VERSION_0 = 64 };

bool tm_perf_comm_read(const struct tm_perf *p, const struct tm_perf_record *record, struct tm_perf_comm *comm)
{
    struct tm_perf_cursor c = record->body;
    if (!tm_perf_sample_read_end(tm_perf_attrs_of(&p->attrs, &c, false), &c, &comm->at))
        return false;
    comm->pid = (int32_t)tm_perf_u32(&c);
    comm->tid = (int32_t)tm_perf_u32(&c);
    comm->name = tm_perf_text(&c, (uint64_t)(c.end - c.p));
    return !c.failed;
}

bool tm_perf_fork_read(const struct tm_perf *p, const struct tm_perf_record *record, struct tm_perf_fork *fork)
{
    struct tm_perf_cursor c = record->body;
    if (!tm_perf_sample_read_end(tm_perf_attrs_of(&p->attrs, &c, false), &c, &fork->at))
        return false;
    fork->pid = (int32_t)tm_perf_u32(&c);
    fork->maker_pid = (int32_t)tm_perf_u32(&c);
    fork->tid = (int32_t)tm_perf_u32(&c);
    fork->maker_tid = (int32_t)tm_perf_u32(&c);
    fork->time = tm_perf_u64(&c);
    return !c.failed;
}

static void note_time(struct tm_perf *p, const struct tm_perf_sample *at)
{
    if (at->has_time && at->time > 0 && at->time < p->first_time)
        p->first_time = at->time;
}

static enum tm_status note_comm(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_comm comm;
    if (!tm_perf_comm_read(p, record, &comm))
        return TM_OK;
    note_time(p, &comm.at);
    return tm_perf_task_names_add(&p->names, comm.tid, comm.at.time, comm.name, err);
}

static void note_sample(struct tm_perf *p, const struct tm_perf_record *record)
{
    struct tm_perf_sample s;
    const struct tm_perf_attr *attr = tm_perf_attrs_of(&p->attrs, &record->body, true);
    if (attr && tm_perf_sample_read(attr, record->body, &s))
        note_time(p, &s);
}

/* Notes a fork. Tasks that existed before the recording have a fork without a time, which states nothing about their
 * mappings. */
static enum tm_status note_fork(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_fork fork;
    if (!tm_perf_fork_read(p, record, &fork) || fork.time == 0)
        return TM_OK;
    note_time(p, &fork.at);
    enum tm_status st = tm_perf_task_names_inherit(&p->names, fork.tid, fork.maker_tid, fork.time, err);
    if (st == TM_OK && fork.pid != fork.maker_pid)
        st = tm_perf_mappings_space(&p->mappings, fork.pid, fork.maker_pid, fork.time, err);
    return st;
}

/* True for memory that belongs to no file. Addresses in it are not relative to its start. */
static bool is_anonymous(struct tm_text name)
{
    static const char *const names[] = {"//anon", "/dev/zero", "/anon_hugepage", "[heap]", "[stack", "/SYSV"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tm_text_begins(name, names[i]))
            return true;
    return false;
}

/* Returns the name of what is mapped, and corrects the offset of MAPPING. "[kernel.kallsyms]_text" is the kernel: a
 * symbol follows the name, and the offset is the symbol's address, not an offset in a file. */
static struct tm_text mapped_name(struct tm_text name, struct tm_perf_mapping *mapping)
{
    static const char kernel[] = "[kernel.kallsyms]";
    if (tm_text_begins(name, kernel)) {
        name.len = sizeof kernel - 1;
        mapping->offset = 0;
    } else if (is_anonymous(name)) {
        mapping->offset = mapping->start;
    }
    return name;
}

/* Notes MMAP or MMAP2, which states more about the file. */
static enum tm_status note_mapping(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_mapping mapping = {.build_id = TM_PERF_NO_TEXT};
    struct tm_perf_cursor c = record->body;
    struct tm_perf_sample at;
    enum tm_status st = TM_OK;
    if (record->misc & MISC_DATA_MAPPING)
        return TM_OK;
    if (!tm_perf_sample_read_end(tm_perf_attrs_of(&p->attrs, &c, false), &c, &at))
        return TM_END;
    int32_t pid = (int32_t)tm_perf_u32(&c);
    (void)tm_perf_u32(&c);
    mapping.start = tm_perf_u64(&c);
    uint64_t len = tm_perf_u64(&c);
    mapping.offset = tm_perf_u64(&c);
    mapping.time = at.time;
    if (record->type == TM_PERF_RECORD_MMAP2) {
        const uint8_t *file = tm_perf_take(&c, MMAP2_FILE_LEN);
        (void)tm_perf_u64(&c); /* protection, flags */
        if (file && record->misc & MISC_BUILD_ID)
            st = tm_perf_build_id_text(p, file + 4, file[0], &mapping.build_id, err);
    }
    struct tm_text name = tm_perf_text(&c, (uint64_t)(c.end - c.p));
    if (c.failed || len == 0 || st < 0)
        return st == TM_OK && c.failed ? TM_END : st;
    name = mapped_name(name, &mapping);
    mapping.end = len - 1 > UINT64_MAX - mapping.start ? UINT64_MAX : mapping.start + len - 1;
    st = tm_perf_mappings_text(&p->mappings, name, &mapping.name, err);
    return st < 0 ? st : tm_perf_mappings_add(&p->mappings, pid, &mapping, err);
}

/* Notes a function that the kernel made for a BPF program or a trampoline: address, length, kind, flags and name. */
static enum tm_status note_symbol(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_mapping mapping = {.build_id = TM_PERF_NO_TEXT, .is_symbol = true};
    struct tm_perf_cursor c = record->body;
    struct tm_perf_sample at;
    if (!tm_perf_sample_read_end(tm_perf_attrs_of(&p->attrs, &c, false), &c, &at))
        return TM_END;
    mapping.start = tm_perf_u64(&c);
    uint64_t len = tm_perf_u32(&c);
    (void)tm_perf_u16(&c);
    bool is_unregistered = tm_perf_u16(&c) & KSYMBOL_UNREGISTERED;
    struct tm_text name = tm_perf_text(&c, (uint64_t)(c.end - c.p));
    if (c.failed || len == 0 || is_unregistered)
        return c.failed ? TM_END : TM_OK;
    mapping.end = len - 1 > UINT64_MAX - mapping.start ? UINT64_MAX : mapping.start + len - 1;
    mapping.time = at.time;
    enum tm_status st = tm_perf_mappings_text(&p->mappings, name, &mapping.name, err);
    return st < 0 ? st : tm_perf_mappings_add(&p->mappings, TM_PERF_KERNEL_PID, &mapping, err);
}

/* Notes an event of a file that was written to a pipe: its attr, which states its own length, and its ids. */
static enum tm_status note_attr(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_cursor c = record->body, sizes = record->body;
    (void)tm_perf_u32(&sizes);
    uint64_t size = tm_perf_u32(&sizes);
    size = size == 0 ? ATTR_VERSION_0 : size;
    enum tm_status st = tm_perf_attrs_add(&p->attrs, &c, size, err);
    while (st == TM_OK && c.end - c.p >= 8)
        st = tm_perf_attrs_id(&p->attrs, tm_perf_u64(&c), p->attrs.count - 1, err);
    return st;
}

/* Notes a part of an event's description that comes after its attr: kind, id, value. */
static enum tm_status note_update(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_cursor c = record->body;
    uint64_t what = tm_perf_u64(&c);
    struct tm_perf_attr *attr = tm_perf_attrs_find(&p->attrs, tm_perf_u64(&c));
    struct tm_text name = tm_perf_text(&c, (uint64_t)(c.end - c.p));
    if (c.failed)
        return TM_END;
    return what == UPDATE_NAME && attr ? tm_perf_attrs_name(&p->attrs, attr, name, err) : TM_OK;
}

/* Reads the formats of tracepoints, which follow their record, or are its body in files of simpleperf. */
static enum tm_status note_tracing_data(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_cursor c = record->body;
    uint64_t len = tm_perf_u32(&c);
    if (record->size == 0 || len == 0)
        return TM_OK;
    if (record->trailing == 0) {
        const uint8_t *data = tm_perf_take(&c, len);
        c.end = c.p;
        c.p = data;
        return data ? tm_perf_feature_read(p, TM_PERF_FEATURE_TRACING_DATA, c, err) : TM_END;
    }
    struct tm_perf_section section = {record->byte + record->size - record->trailing, len};
    if (section.at > p->context.whole.len || len > p->context.whole.len - section.at)
        return TM_OK; /* the file is cut short there, which the next record shows */
    enum tm_status st = tm_perf_section_read(section, &p->context.whole, &p->text, err);
    if (st < 0)
        return st;
    c = (struct tm_perf_cursor){p->text.data, p->text.data + p->text.len, p->header.is_big, false};
    return tm_perf_feature_read(p, TM_PERF_FEATURE_TRACING_DATA, c, err);
}

enum tm_status tm_perf_survey(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_cursor c = record->body;
    switch (record->type) {
    case TM_PERF_RECORD_SAMPLE:
        note_sample(p, record);
        return TM_OK;
    case TM_PERF_RECORD_COMM:
        return note_comm(p, record, err);
    case TM_PERF_RECORD_FORK:
        return note_fork(p, record, err);
    case TM_PERF_RECORD_MMAP:
    case TM_PERF_RECORD_MMAP2:
        return note_mapping(p, record, err);
    case TM_PERF_RECORD_KSYMBOL:
        return note_symbol(p, record, err);
    case TM_PERF_RECORD_ATTR:
        return note_attr(p, record, err);
    case TM_PERF_RECORD_EVENT_UPDATE:
        return note_update(p, record, err);
    case TM_PERF_RECORD_TRACING_DATA:
    case TM_PERF_RECORD_SIMPLEPERF_TRACING_DATA:
        return note_tracing_data(p, record, err);
    case TM_PERF_RECORD_BUILD_ID:
        return tm_perf_build_id_read(p, record->misc, c, err);
    case TM_PERF_RECORD_FEATURE: {
        uint64_t id = tm_perf_u64(&c);
        return c.failed ? TM_END : id >= TM_PERF_FEATURES ? TM_OK : tm_perf_feature_read(p, (uint32_t)id, c, err);
    }
    default:
        return TM_OK;
    }
}
