/* Allocations of contiguous memory. Rules and names: importers/ftrace/ftrace_parser.cc of perfetto. */
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/sched_state.h"
#include "perfetto/ftrace_event_fields.h"

#include <string.h>

enum { MIGRATIONS_MAX = 1 << 16 };

/* The page counts of an allocation: migrated, reclaimed, mapped. */
enum { MOVED_KINDS = 3 };

enum tm_status tm_proto_note_kernel(struct tm_proto_kernels *kernels, uint32_t machine, struct tm_text system,
                                    struct tm_text release)
{
    struct tm_proto_map_entry *entry;
    if (tm_proto_map_add(&kernels->versions, machine, 0, UINT32_MAX, &entry) != TM_OK)
        return TM_E_SYSTEM;
    entry->v1 = tm_text_is(system, "Linux") ? tm_kernel_version_parse((const char *)release.data, release.len) : 0;
    return TM_OK;
}

static uint64_t kernel_of(const struct tm_proto_kernels *kernels, uint32_t machine)
{
    const struct tm_proto_map_entry *entry = tm_proto_map_find(&kernels->versions, machine, 0);
    return entry ? entry->v1 : 0;
}

static uint64_t key_of(const struct tm_event *row, uint32_t kind)
{
    return (uint64_t)(uint32_t)row->tid << 2 | kind;
}

/* Remembers the page counts N of the current allocation of ROW's thread. */
static enum tm_status note_moved(struct tm_proto_kernels *kernels, const struct tm_event *row,
                                 const uint64_t n[MOVED_KINDS], struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    for (uint32_t i = 0; i < MOVED_KINDS; i++) {
        enum tm_status st =
            tm_proto_map_add(&kernels->migrations, row->machine, key_of(row, i), MIGRATIONS_MAX, &entry);
        if (st == TM_E_SYSTEM)
            return tm_error_nomem(err);
        if (st == TM_OK)
            entry->v1 = n[i];
    }
    return TM_OK;
}

static uint64_t moved(const struct tm_proto_kernels *kernels, const struct tm_event *row, uint32_t kind)
{
    const struct tm_proto_map_entry *entry = tm_proto_map_find(&kernels->migrations, row->machine, key_of(row, kind));
    return entry ? entry->v1 : 0;
}

/* Puts the args of an end: the name of the area in text field NAME, and NUMBERS. */
static enum tm_status put_end(struct tm_proto_rows *rows, const struct tm_proto_event_fields *fields, uint32_t name,
                              const uint64_t numbers[8], struct tm_error *err)
{
    static const char *const keys[] = {
        "cma_pfn",       "cma_req_pages",       "cma_nr_migrated",     "cma_nr_reclaimed",
        "cma_nr_mapped", "cma_nr_isolate_fail", "cma_nr_migrate_fail", "cma_nr_test_fail"};
    const size_t count = name == 6 ? 8 : 5;
    enum tm_status st = tm_detail_arg_text(&rows->detail, "cma_name", fields->text[name], fields->len[name]);
    for (size_t i = 0; i < count && st == TM_OK; i++)
        st = tm_detail_arg_uint(&rows->detail, keys[i], numbers[i]);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

/* In Linux 5.10 the end of an allocation states the page counts. From 6.1 on an event before the end does. */
enum tm_status tm_proto_ftrace_cma(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                   const struct tm_pb_field *f, struct tm_event *row, struct tm_error *err)
{
    static const char name[] = "mm_cma_alloc";
    static const uint64_t none[MOVED_KINDS] = {0};
    struct tm_proto_event_fields fields;
    const uint64_t *n = fields.number, kernel = kernel_of(kernels, row->machine);
    const bool is_new = kernel >= TM_KERNEL_VERSION(6, 1);
    tm_proto_event_fields_read(&fields, f);
    if (kernel < TM_KERNEL_VERSION(5, 10) || (f->id == TM_FTRACE_EVENT_CMA_ALLOC_INFO && is_new) ||
        (f->id == TM_FTRACE_EVENT_CMA_ALLOC_FINISH && !is_new))
        return TM_END;
    if (f->id == TM_FTRACE_EVENT_MM_ALLOC_CONTIG_MIGRATE_RANGE_INFO) {
        enum tm_status st = is_new ? note_moved(kernels, row, &n[3], err) : TM_OK;
        return st < 0 ? st : TM_END;
    }
    row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    row->kind = f->id == TM_FTRACE_EVENT_CMA_ALLOC_START ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    if (f->id == TM_FTRACE_EVENT_CMA_ALLOC_START) {
        enum tm_status st = is_new ? note_moved(kernels, row, none, err) : TM_OK;
        return st < 0 ? st : tm_proto_string(rows, name, sizeof name - 1, &row->name, err);
    }
    if (f->id == TM_FTRACE_EVENT_CMA_ALLOC_INFO) {
        const uint64_t numbers[] = {n[10], n[2], n[8], n[9], n[7], n[3], n[4], n[5]};
        return put_end(rows, &fields, 6, numbers, err);
    }
    const uint64_t numbers[8] = {n[2], n[4], moved(kernels, row, 0), moved(kernels, row, 1), moved(kernels, row, 2)};
    return put_end(rows, &fields, 1, numbers, err);
}
