#include "manifest/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The place in the manifest that is being read. Problems state it. */
struct reader {
    struct tm_manifest_fields *fields;
    struct tm_json_text *json;
    struct tm_manifest_problems *problems;
    const cJSON *at;      /* the value that a problem is about */
    size_t machine_count; /* of all files so far */
    char entry[64];       /* the entry being read, "files[3]"; empty outside of entries */
    char where[68];       /* what stands before a problem: "files[3]: " */
    char place[68];       /* what stands after a problem: " (files[3])" */
};

/* Moves to element INDEX of ARRAY. NULL: outside of any element. */
static void set_place(struct reader *r, const char *array, size_t index)
{
    r->entry[0] = r->where[0] = r->place[0] = '\0';
    if (array == NULL)
        return;
    snprintf(r->entry, sizeof r->entry, "%s[%zu]", array, index);
    snprintf(r->where, sizeof r->where, "%s: ", r->entry);
    snprintf(r->place, sizeof r->place, " (%s)", r->entry);
}

/* Gives the next problem the place of the value being read. */
static struct tm_manifest_problems *problems_here(struct reader *r)
{
    if (r->at)
        tm_manifest_problems_at(r->problems, tm_json_text_place(r->json, r->at));
    return r->problems;
}

/* Adds TEXT, a condition in the table of errors of perfetto_manifest(5). The field's place follows if the reference
 * importer states it. */
static void add_condition(struct reader *r, const char *text)
{
    tm_manifest_problems_add(problems_here(r), "%s%s", text, r->place);
}

static void wrong(struct reader *r, const char *field, const char *what)
{
    tm_manifest_problems_add(problems_here(r), "%s %s%s", field, what, r->place);
}

/* Returns the string at NAME of OBJECT, or NULL if there is none. A value of another type is a problem. FIELD is its
 * name in the problem. */
static const char *string_at(struct reader *r, const cJSON *object, const char *name, const char *field)
{
    const cJSON *item = tm_json_text_get(object, name);
    r->at = item ? item : object;
    if (item && !cJSON_IsString(item))
        wrong(r, field, "must be a string");
    return item && cJSON_IsString(item) ? item->valuestring : NULL;
}

uint32_t tm_manifest_clock(const char *name, size_t len)
{
    static const char *const names[] = {"REALTIME",         "REALTIME_COARSE", "MONOTONIC",
                                        "MONOTONIC_COARSE", "MONOTONIC_RAW",   "BOOTTIME"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == len && memcmp(name, names[i], len) == 0)
            return i + 1;
    return 0;
}

/* Returns the id of the clock that OBJECT names. Returns 0, with a problem, if the name is unknown. */
static uint32_t clock_at(struct reader *r, const cJSON *object, const char *name, const char *field)
{
    const cJSON *item = tm_json_text_get(object, name);
    const char *text = cJSON_IsString(item) ? item->valuestring : NULL;
    const char *dot = r->entry[0] ? "." : "";
    r->at = item ? item : object;
    if (item && text == NULL)
        tm_manifest_problems_add(problems_here(r), "clock name must be a string (%s%s%s)", r->entry, dot, field);
    uint32_t clock = text ? tm_manifest_clock(text, strlen(text)) : 0;
    if (text && clock == 0)
        tm_manifest_problems_add(problems_here(r), "unknown clock name: %s. " TM_MANIFEST_CLOCKS " (%s%s%s)",
                                 tm_manifest_quote(text, strlen(text)).text, r->entry, dot, field);
    return clock;
}

static void read_offset(struct reader *r, const cJSON *clocks, int64_t *offset_ns)
{
    const cJSON *item = tm_json_text_get(clocks, "offset_ns");
    if (item == NULL)
        return;
    r->at = item;
    enum tm_status st = tm_json_text_integer(r->json, item, offset_ns);
    if (st == TM_E_INPUT)
        add_condition(r, "clocks: offset_ns must be an integer");
    else if (st == TM_END)
        add_condition(r, "clocks: offset_ns must be an integer of 64 bits - clocks: offset_ns is out of range");
    else if (*offset_ns == INT64_MIN)
        add_condition(r, "clocks: offset_ns is out of range");
}

/* Checks that the offset of CLOCKS, which other readers use, is among those of its points. */
static void check_offset(struct reader *r, const cJSON *item, const struct tm_manifest_clocks *clocks)
{
    int64_t low, high;
    const cJSON *offset = tm_json_text_get(item, "offset_ns");
    if (!tm_manifest_points_range(&clocks->points, &low, &high) ||
        (offset && clocks->offset_ns >= low && clocks->offset_ns <= high))
        return;
    r->at = offset ? offset : item;
    tm_manifest_problems_add(problems_here(r),
                             offset ? "%sclocks.offset_ns must be one of the offsets of x_tracemerge.points, or "
                                      "between them: from %" PRId64 " to %" PRId64
                                    : "%sclocks.offset_ns is required beside x_tracemerge.points, for readers that "
                                      "do not know them: from %" PRId64 " to %" PRId64,
                             r->where, low, high);
}

static void read_sync_to(struct reader *r, const cJSON *sync_to, struct tm_manifest_clocks *clocks)
{
    static const char required[] = "clocks: sync_to.file is required and must be a string";
    const cJSON *file = tm_json_text_get(sync_to, "file");
    clocks->ref_file = cJSON_IsString(file) ? file->valuestring : NULL;
    clocks->ref_machine = string_at(r, sync_to, "machine", "clocks: sync_to.machine");
    clocks->ref_clock = TM_CLOCK_TRACE_FILE;
    if (tm_json_text_get(sync_to, "clock"))
        clocks->ref_clock = clock_at(r, sync_to, "clock", "clocks.sync_to.clock");
    r->at = file ? file : sync_to;
    if (file == NULL && tm_json_text_get(sync_to, "machine"))
        wrong(r, required, "- a machine name alone is ambiguous, name the file too");
    else if (clocks->ref_file == NULL)
        add_condition(r, required);
}

static enum tm_status read_clocks(struct reader *r, const cJSON *item, struct tm_manifest_clocks *clocks)
{
    r->at = item;
    if (!cJSON_IsObject(item)) {
        wrong(r, "clocks", "must be an object");
        return TM_OK;
    }
    clocks->given = true;
    clocks->pins = tm_json_text_get(item, "clock") == NULL;
    clocks->clock = clocks->pins ? TM_CLOCK_TRACE_FILE : clock_at(r, item, "clock", "clocks.clock");
    clocks->machine = string_at(r, item, "machine", "clocks: machine");
    read_offset(r, item, &clocks->offset_ns);
    enum tm_status st = tm_manifest_points_read(&clocks->points, r->json, item, r->where, r->problems);
    if (st == TM_OK)
        check_offset(r, item, clocks);
    const cJSON *sync_to = tm_json_text_get(item, "sync_to");
    clocks->item = item;
    clocks->sync_to = sync_to;
    r->at = sync_to ? sync_to : item;
    if (sync_to == NULL)
        add_condition(r, "clocks: a sync_to block is required");
    else if (!cJSON_IsObject(sync_to))
        wrong(r, "clocks: sync_to", "must be an object");
    else
        read_sync_to(r, sync_to, clocks);
    return st;
}

/* Adds the problem of an element of a list that lacks something. */
static void lacks(struct reader *r, const char *must, const char *what)
{
    tm_manifest_problems_add(problems_here(r), "%s: %s%s", must, what, r->place);
}

static const char machines_must[] = "machines entries need an integer id and a string name";
static const char machine_must[] = "machine must be an object with a string name";
static const char files_must[] = "files entries must be objects with a string path";

/* Returns the machine's name of an object that must have one. MUST is the problem if it has none, EMPTY if the name is
 * empty. */
static const char *machine_name(struct reader *r, const cJSON *object, const char *must, const char *empty)
{
    const cJSON *item = tm_json_text_get(object, "name");
    r->at = item ? item : object;
    if (item == NULL || !cJSON_IsString(item)) {
        lacks(r, must, item ? "name is not a string" : "name is missing");
        return NULL;
    }
    if (*item->valuestring == '\0') {
        add_condition(r, empty);
        return NULL;
    }
    return item->valuestring;
}

static bool machine_id(struct reader *r, const cJSON *object, uint32_t *id)
{
    const cJSON *item = tm_json_text_get(object, "id");
    int64_t value;
    r->at = item ? item : object;
    if (item == NULL) {
        lacks(r, machines_must, "id is missing");
        return false;
    }
    enum tm_status st = tm_json_text_integer(r->json, item, &value);
    if (st == TM_E_INPUT) {
        lacks(r, machines_must, "id is not an integer");
        return false;
    }
    if (st == TM_END || value < 0 || value > UINT32_MAX) {
        add_condition(r, "machines: id must be in [0, 4294967295]");
        return false;
    }
    *id = (uint32_t)value;
    return true;
}

static void read_machines(struct reader *r, const cJSON *item, struct tm_manifest_file *file, size_t index)
{
    char prefix[32];
    size_t i = 0;
    const cJSON *one;
    size_t before = r->problems->count;
    r->at = item;
    if (!cJSON_IsArray(item)) {
        wrong(r, "machines", "must be an array");
        file->has_bad_machine = true;
        return;
    }
    file->has_machines = true;
    file->machines = r->fields->machines + r->machine_count;
    snprintf(prefix, sizeof prefix, "files[%zu].machines", index);
    cJSON_ArrayForEach(one, item) {
        struct tm_manifest_machine machine = {0};
        set_place(r, prefix, i++);
        machine.item = r->at = one;
        if (!cJSON_IsObject(one)) {
            lacks(r, machines_must, "it is not an object");
            continue;
        }
        bool good = machine_id(r, one, &machine.id);
        machine.name = machine_name(r, one, machines_must,
                                    "machines: name must be non-empty - machine: name must be non-empty");
        if (good && machine.name) {
            file->machines[file->machine_count++] = machine;
            r->machine_count++;
        }
    }
    if (r->problems->count > before)
        file->has_bad_machine = true;
    set_place(r, "files", index);
}

static enum tm_status read_file(struct reader *r, const cJSON *item, struct tm_manifest_file *file, size_t index)
{
    set_place(r, "files", index);
    file->item = r->at = item;
    if (!cJSON_IsObject(item)) {
        lacks(r, files_must, "it is not an object");
        return TM_OK;
    }
    const cJSON *path = tm_json_text_get(item, "path");
    file->path = cJSON_IsString(path) ? path->valuestring : NULL;
    r->at = path ? path : item;
    if (file->path == NULL)
        lacks(r, files_must, path ? "path is not a string" : "path is missing");
    const cJSON *machine = tm_json_text_get(item, "machine");
    const cJSON *machines = tm_json_text_get(item, "machines");
    r->at = machine;
    if (machine && machines)
        add_condition(r, "machine and machines are mutually exclusive");
    if (machine && !cJSON_IsObject(machine))
        lacks(r, machine_must, "it is not an object");
    else if (machine)
        file->machine = machine_name(r, machine, machine_must, "machine: name must be non-empty");
    file->has_bad_machine = machine && file->machine == NULL;
    if (machines)
        read_machines(r, machines, file, index);
    const cJSON *clocks = tm_json_text_get(item, "clocks");
    return clocks ? read_clocks(r, clocks, &file->clocks) : TM_OK;
}

/* Allocates the files, and the machines of all files in one piece. */
static enum tm_status make_files(struct tm_manifest_fields *fields, const cJSON *files)
{
    size_t file_count = 0, machine_count = 0;
    const cJSON *file;
    cJSON_ArrayForEach(file, files) {
        const cJSON *machines = tm_json_text_get(file, "machines");
        const cJSON *machine;
        file_count++;
        if (!cJSON_IsArray(machines))
            continue;
        cJSON_ArrayForEach(machine, machines)
            machine_count++;
    }
    fields->files = calloc(file_count + 1, sizeof *fields->files);
    fields->machines = calloc(machine_count + 1, sizeof *fields->machines);
    return fields->files && fields->machines ? TM_OK : TM_E_SYSTEM;
}

static enum tm_status read_files(struct reader *r, const cJSON *manifest)
{
    const cJSON *files = tm_json_text_get(manifest, "files");
    const cJSON *file;
    if (files == NULL)
        return TM_OK;
    r->at = files;
    if (!cJSON_IsArray(files)) {
        wrong(r, "files", "must be an array");
        return TM_OK;
    }
    enum tm_status st = make_files(r->fields, files);
    if (st < 0)
        return st;
    cJSON_ArrayForEach(file, files) {
        size_t index = r->fields->file_count++;
        if ((st = read_file(r, file, &r->fields->files[index], index)) < 0)
            return st;
    }
    set_place(r, NULL, 0);
    return TM_OK;
}

static void read_attribute(struct reader *r, const cJSON *item)
{
    struct tm_manifest_attribute *attribute = &r->fields->attributes[r->fields->attribute_count];
    *attribute = (struct tm_manifest_attribute){.key = item->string};
    r->at = item;
    if (*item->string == '\0') {
        wrong(r, "attributes:", "keys must be non-empty");
        return;
    }
    enum tm_status st = TM_OK;
    if (cJSON_IsString(item))
        attribute->text = item->valuestring;
    else
        st = tm_json_text_integer(r->json, item, &attribute->integer);
    if (st != TM_OK) {
        tm_manifest_problems_add(problems_here(r), "attributes: '%s' %s",
                                 tm_manifest_quote(item->string, strlen(item->string)).text,
                                 st == TM_END ? "must be a string or an integer of 64 bits - it is out of range"
                                              : "must be a string or an integer");
        return;
    }
    r->fields->attribute_count++;
}

static enum tm_status read_attributes(struct reader *r, const cJSON *manifest)
{
    const cJSON *attributes = tm_json_text_get(manifest, "attributes");
    const cJSON *item;
    size_t count = 0;
    if (attributes == NULL)
        return TM_OK;
    r->at = attributes;
    if (!cJSON_IsObject(attributes)) {
        wrong(r, "attributes", "must be an object of string or integer values");
        return TM_OK;
    }
    cJSON_ArrayForEach(item, attributes)
        count++;
    r->fields->attributes = calloc(count + 1, sizeof *r->fields->attributes);
    if (r->fields->attributes == NULL)
        return TM_E_SYSTEM;
    cJSON_ArrayForEach(item, attributes)
        read_attribute(r, item);
    return TM_OK;
}

static void read_trace_time(struct reader *r, const cJSON *manifest)
{
    const cJSON *item = tm_json_text_get(manifest, "trace_time");
    struct tm_manifest_fields *fields = r->fields;
    if (item == NULL)
        return;
    fields->trace_time = r->at = item;
    if (!cJSON_IsObject(item)) {
        wrong(r, "trace_time", "must be an object");
        return;
    }
    if (tm_json_text_get(item, "clock") == NULL)
        wrong(r, "trace_time", "needs a clock");
    fields->trace_time_clock = clock_at(r, item, "clock", "trace_time.clock");
    fields->trace_time_file = string_at(r, item, "file", "trace_time: file");
    fields->trace_time_machine = string_at(r, item, "machine", "trace_time: machine");
    r->at = item;
    const char *machine = fields->trace_time_machine;
    if (tm_json_text_get(item, "machine") && tm_json_text_get(item, "file") == NULL)
        tm_manifest_problems_add(problems_here(r),
                                 "trace_time: machine '%s' needs trace_time: file too - a machine name alone is "
                                 "ambiguous, name the file too",
                                 tm_manifest_quote(machine ? machine : "", machine ? strlen(machine) : 0).text);
}

/* Checks the version. TM_END if the manifest is of another one. */
static enum tm_status read_version(struct reader *r, const cJSON *manifest)
{
    const cJSON *item = tm_json_text_get(manifest, "version");
    int64_t version = 0;
    r->at = item ? item : manifest;
    if (item == NULL) {
        add_condition(r, "missing required field: version");
        return TM_OK;
    }
    enum tm_status st = tm_json_text_integer(r->json, item, &version);
    if (st == TM_E_INPUT) {
        wrong(r, "version", "must be an integer");
        return TM_OK;
    }
    if (st == TM_OK && version == TM_MANIFEST_VERSION)
        return TM_OK;
    struct tm_json_slice number = tm_json_text_number(r->json, item);
    tm_manifest_problems_add(problems_here(r),
                             "unsupported version: %s. Only version 1 is supported; set \"version\": 1",
                             tm_manifest_quote(number.text, number.len).text);
    return TM_END;
}

enum tm_status tm_manifest_fields_read(struct tm_manifest_fields *fields, struct tm_json_text *json,
                                       struct tm_manifest_problems *problems)
{
    static const char document[] = "expected a JSON object with a top-level perfetto_manifest key, itself an object";
    struct reader r = {.fields = fields, .json = json, .problems = problems};
    fields->json = json;
    const cJSON *manifest = cJSON_IsObject(json->root) ? tm_json_text_get(json->root, "perfetto_manifest") : NULL;
    if (manifest == NULL) {
        tm_manifest_problems_add(problems, document);
        return TM_END;
    }
    r.at = manifest;
    if (!cJSON_IsObject(manifest)) {
        add_condition(&r, document);
        return TM_END;
    }
    enum tm_status st = read_version(&r, manifest);
    if (st != TM_OK)
        return st;
    read_trace_time(&r, manifest);
    st = read_files(&r, manifest);
    return st < 0 ? st : read_attributes(&r, manifest);
}

void tm_manifest_fields_release(struct tm_manifest_fields *fields)
{
    for (size_t i = 0; i < fields->file_count; i++)
        tm_manifest_points_release(&fields->files[i].clocks.points);
    free(fields->files);
    free(fields->machines);
    free(fields->attributes);
    *fields = (struct tm_manifest_fields){0};
}
