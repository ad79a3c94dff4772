/* Writes the manifest with the result: perfetto_manifest(5), with the member x_tracemerge of `clocks', which other
 * readers ignore. */
#include "align/alignment.h"

#include "base/checked.h"
#include "base/map.h"
#include "json/scan.h"
#include "stream/clock_id.h"
#include "stream/clock_name.h"

#include <inttypes.h>
#include <stdlib.h>

/* The points of a file's line. */
struct points {
    struct tm_buf text;
    int64_t more_ns; /* added to all offsets: the placement of the reference, or 0 */
    /* What placed the file and its reference if that was not one offset; NULL: the line is in readings of the clock */
    const Tracemerge__Placement *own, *reference;
};

/* Returns the reading of a clock that PLACED put at TIME, exactly at its first and last event, and between and beyond
 * them on the line through both. Without PLACED, TIME is a reading already. */
static int64_t reading_at(const Tracemerge__Placement *placed, int64_t time_ns)
{
    if (placed == NULL)
        return time_ns;
    const tm_i128 span = (tm_i128)placed->last_ns - placed->first_ns;
    const tm_i128 change = tm_clamp((tm_i128)placed->last_offset_ns - placed->first_offset_ns, TM_OFFSET_MAX);
    const tm_i128 more = span > 0 ? change * ((tm_i128)time_ns - placed->first_ns) / span : 0;
    return tm_clamp((tm_i128)time_ns - placed->first_offset_ns - more, INT64_MAX);
}

/* Returns the offset of LINE at X, between readings of both clocks. */
static int64_t offset_at(const struct points *p, const struct tm_line *line, int64_t x)
{
    const tm_i128 there = reading_at(p->reference, tm_clamp((tm_i128)x + tm_line_at(line, x), INT64_MAX));
    return tm_clamp(there - reading_at(p->own, x) + p->more_ns, INT64_MAX);
}

/* Puts [own_ns, offset_ns] of LINE at X, or BEFORE ns earlier. */
static void put_point(struct points *p, const struct tm_line *line, int64_t x, int64_t before)
{
    (void)tm_buf_addf(&p->text, "%s[%" PRId64 ", %" PRId64 "]", p->text.len ? ", " : "",
                      reading_at(p->own, x) - before, offset_at(p, line, x - before));
}

/* Returns the reading of F at which its line I begins. */
static int64_t start_of(const struct tm_align_file *f, uint32_t i)
{
    return f->steps[i].at_ns < f->first_ns ? f->first_ns : f->steps[i].at_ns;
}

/* False if a later line begins where line I does or before: the clock was set back by more than it had counted. */
static bool holds(const struct tm_align_file *f, uint32_t i)
{
    for (uint32_t k = i + 1; k < f->step_count; k++)
        if (start_of(f, k) <= start_of(f, i) + 1)
            return false;
    return true;
}

/* Puts the points of F, whose clock was set, in order of its readings. Returns the offset just before the second line
 * that holds, or at the first reading. */
static int64_t put_steps(struct points *out, const struct tm_align_file *f)
{
    const struct tm_line *line = NULL;
    int64_t offset = 0;
    uint32_t lines = 0;
    for (uint32_t i = 0; i < f->step_count; i++) {
        const int64_t start = line ? start_of(f, i) : f->first_ns;
        if (!holds(f, i))
            continue;
        if (line)
            put_point(out, line, start, 1);
        if (lines == 1)
            offset = offset_at(out, line, start - 1);
        line = &f->steps[i].line;
        if (lines++ == 0)
            offset = offset_at(out, line, start);
        put_point(out, line, start, 0);
    }
    if (f->last_ns > start_of(f, f->step_count - 1)) /* the last line holds */
        put_point(out, line, f->last_ns, 0);
    return offset;
}

/* Puts the points of F. Returns the offset at at_ns, or that of put_steps. It is one of the points' or between them. */
static int64_t put_points(struct points *out, const struct tm_align_file *f)
{
    const struct tm_line rounded = {f->at_ns, f->offset_ns, tm_slope_of_ppb(f->drift_ppb)};
    if (f->verdict != TM_VERDICT_STEPPED) {
        put_point(out, &rounded, f->first_ns, 0);
        if (f->last_ns > f->first_ns)
            put_point(out, &rounded, f->last_ns, 0);
        return offset_at(out, &rounded, rounded.at_ns);
    }
    return put_steps(out, f);
}

static bool has_line(const struct tm_align_file *f)
{
    return f->verdict == TM_VERDICT_ALIGNED || f->verdict == TM_VERDICT_STEPPED;
}

/* Returns the manifest's name for CLOCK; NULL: it has none. */
static const char *clock_name(uint32_t clock)
{
    return tm_clock_has_manifest_name(clock) ? tm_name_of_clock(clock) : NULL;
}

/* Returns the name of the clock of most events of FILE; NULL if that is the file's own timeline. */
static const char *clock_of(const struct tm_alignment *a, uint32_t file)
{
    const Tracemerge__Placement *most = tm_alignment_placement(a, file);
    return most ? clock_name(most->clock) : NULL;
}

/* Returns the path of the entry that names FILE: that of the input's manifest, which can be another than its name. */
static struct tm_text path_of(const struct tm_alignment *a, uint32_t file)
{
    const Tracemerge__Config *c = a->candidates.config;
    uint32_t entry;
    if (c && tm_map_find(&a->candidates.entries, file, &entry) && entry < c->n_entries)
        return tm_text_at(c->entries[entry]->path.data, c->entries[entry]->path.len);
    return tm_alignment_name(a, file);
}

/* Returns what placed FILE if that is not one offset; NULL: it is one, or FILE has no events. */
static const Tracemerge__Placement *steps_of(const struct tm_alignment *a, uint32_t file)
{
    return tm_alignment_is_placed_by_one(a, file) ? NULL : tm_alignment_placement(a, file);
}

/* The reference of a relation that is written. */
struct reference {
    struct tm_text path;
    const char *clock; /* NULL: the file's own timeline */
};

static void put_clocks(const struct tm_alignment *a, const struct tm_align_file *f, const struct reference *trace_time,
                       struct tm_buf *out)
{
    const struct reference own = {path_of(a, f->reference), clock_of(a, f->reference)};
    struct points points = {.more_ns = trace_time ? f->reference_placed_ns : 0,
                            .own = steps_of(a, f->file),
                            .reference = steps_of(a, f->reference)};
    struct tm_buf rules = {0};
    int64_t offset = put_points(&points, f);
    const char *clock = clock_of(a, f->file);
    (void)tm_buf_add_str(out, ",\n    \"clocks\": {");
    if (clock)
        (void)tm_buf_addf(out, "\n     \"clock\": \"%s\",", clock);
    const struct reference *to = trace_time ? trace_time : &own;
    (void)tm_buf_add_str(out, "\n     \"sync_to\": {\"file\": ");
    (void)tm_json_put_string(out, to->path.data, to->path.len);
    if (to->clock)
        (void)tm_buf_addf(out, ", \"clock\": \"%s\"", to->clock);
    (void)tm_buf_addf(out, "},\n     \"offset_ns\": %" PRId64 ",\n     \"x_tracemerge\": {\"points\": [", offset);
    (void)tm_buf_add(out, points.text.data, points.text.len);
    (void)tm_buf_add_str(out, "]");
    if (f->has_uncertainty && !points.own && !points.reference)
        (void)tm_buf_addf(out, ", \"uncertainty_ns\": %" PRId64, f->uncertainty_ns);
    (void)tm_alignment_rules(a, f->rules, &rules);
    (void)tm_buf_add_str(out, ", \"rule\": ");
    (void)tm_align_json_string(out, tm_buf_cstr(&rules) ? (const char *)rules.data : "");
    (void)tm_buf_add_str(out, "}\n    }");
    tm_buf_release(&points.text);
    tm_buf_release(&rules);
}

/* Places in lists, by number. Of several with one number the first counts. */
struct places {
    struct tm_map referred; /* files that others are aligned to */
    struct tm_map machines; /* raw ids of machines of the input's manifest */
    struct tm_map entries;  /* raw ids of machines, to the entry whose file represents the machine */
    struct tm_map edges;    /* entries, to their first relation; those of an entry follow each other */
};

static bool represents_machine(const Tracemerge__ConfigEntry *e)
{
    return !e->has_machines && !e->own_clock;
}

/* Sets PLACES for A and C, the input's manifest, or NULL. */
static enum tm_status find_places(struct places *places, const struct tm_alignment *a, const Tracemerge__Config *c)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < a->file_count && st >= 0; i++)
        if (has_line(&a->files[i]))
            st = tm_map_add(&places->referred, a->files[i].reference, i);
    for (uint32_t i = 0; c && i < c->n_machines && st >= 0; i++)
        st = tm_map_add(&places->machines, (uint64_t)c->machines[i]->raw_id, i);
    for (uint32_t i = 0; c && i < c->n_entries && st >= 0; i++)
        if (represents_machine(c->entries[i]))
            st = tm_map_add(&places->entries, (uint64_t)c->entries[i]->machine_raw_id, i);
    for (uint32_t i = 0; c && i < c->n_edges && st >= 0; i++)
        if (c->edges[i]->has_entry)
            st = tm_map_add(&places->edges, c->edges[i]->entry, i);
    return st < 0 ? st : TM_OK;
}

static void release_places(struct places *places)
{
    tm_map_release(&places->referred);
    tm_map_release(&places->machines);
    tm_map_release(&places->entries);
    tm_map_release(&places->edges);
}

/* True if another file is aligned to F, which then needs an entry to refer to. */
static bool is_referred_to(const struct places *places, const struct tm_align_file *f)
{
    uint32_t by;
    return !has_line(f) && tm_map_find(&places->referred, f->file, &by);
}

static const Tracemerge__ConfigMachine *find_machine(const Tracemerge__Config *c, const struct places *places,
                                                     int64_t raw_id)
{
    uint32_t i;
    return tm_map_find(&places->machines, (uint64_t)raw_id, &i) ? c->machines[i] : NULL;
}

static void put_bytes(struct tm_buf *out, ProtobufCBinaryData text)
{
    (void)tm_json_put_string(out, text.data, text.len);
}

/* Puts the machines of an entry of the input's manifest. */
static void put_machines(const Tracemerge__Config *c, const struct places *places, const Tracemerge__ConfigEntry *e,
                         struct tm_buf *out)
{
    const Tracemerge__ConfigMachine *m = find_machine(c, places, e->machine_raw_id);
    if (e->whole_file && m) {
        (void)tm_buf_add_str(out, ",\n    \"machine\": {\"name\": ");
        put_bytes(out, m->name);
        (void)tm_buf_add_str(out, "}");
    }
    if (!e->has_machines)
        return;
    (void)tm_buf_add_str(out, ",\n    \"machines\": [");
    for (size_t i = 0; i < e->n_machines; i++) {
        m = find_machine(c, places, e->machines[i]->raw_id);
        (void)tm_buf_addf(out, "%s{\"id\": %" PRIu32 ", \"name\": ", i ? ", " : "", e->machines[i]->id);
        put_bytes(out, m ? m->name : (ProtobufCBinaryData){0, NULL});
        (void)tm_buf_add_str(out, "}");
    }
    (void)tm_buf_add_str(out, "]");
}

/* Which files the entries of the input's manifest configure, and what they refer to. */
struct entry_files {
    struct places places;
    const struct tm_align_file **of_entry; /* owned; NULL for an entry without a file that has events */
    bool *is_configured;                   /* owned; by number in the list of files */
};

/* Sets FILES for the entries of C. Of files with the same entry the first counts. */
static enum tm_status find_files(struct entry_files *files, const struct tm_alignment *a, const Tracemerge__Config *c,
                                 struct tm_error *err)
{
    files->of_entry = calloc(c->n_entries + 1, sizeof(const struct tm_align_file *));
    files->is_configured = calloc((size_t)a->file_count + 1, sizeof *files->is_configured);
    if (files->of_entry == NULL || files->is_configured == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < a->file_count; i++) {
        uint32_t entry;
        if (!tm_map_find(&a->candidates.entries, a->files[i].file, &entry) || entry >= c->n_entries)
            continue;
        files->is_configured[i] = true;
        if (files->of_entry[entry] == NULL)
            files->of_entry[entry] = &a->files[i];
    }
    return TM_OK;
}

static void release_files(struct entry_files *files)
{
    release_places(&files->places);
    free(files->of_entry);
    free(files->is_configured);
}

/* Returns an entry whose file represents the machine RAW_ID, or NULL. */
static const Tracemerge__ConfigEntry *entry_of(const Tracemerge__Config *c, const struct places *places, int64_t raw_id)
{
    uint32_t i;
    return tm_map_find(&places->entries, (uint64_t)raw_id, &i) ? c->entries[i] : NULL;
}

/* Puts the relation of entry NUMBER of the input's manifest. False if it is more than one offset between two files. */
static bool put_edge(const Tracemerge__Config *c, const struct places *places, uint32_t number, struct tm_buf *out)
{
    uint32_t i;
    if (c->entries[number]->own_clock)
        return false;
    if (!tm_map_find(&places->edges, number, &i))
        return true;
    for (; i < c->n_edges && c->edges[i]->has_entry && c->edges[i]->entry == number; i++) {
        const Tracemerge__ConfigEdge *e = c->edges[i];
        int64_t offset_ns;
        if (e->n_points || !e->source || !e->reference || c->entries[number]->has_machines ||
            !tm_sub_i64(e->reference_ns, e->source_ns, &offset_ns))
            return false;
        const char *own = clock_name(e->source->clock), *other = clock_name(e->reference->clock);
        const Tracemerge__ConfigEntry *to = entry_of(c, places, e->reference->machine_raw_id);
        if (e->reference->has_entry)
            to = e->reference->entry < c->n_entries ? c->entries[e->reference->entry] : NULL;
        if (to == NULL || to->has_machines || (own == NULL && e->source->clock != TM_CLOCK_TRACE_FILE) ||
            (other == NULL && e->reference->clock != TM_CLOCK_TRACE_FILE))
            return false;
        (void)tm_buf_add_str(out, ",\n    \"clocks\": {");
        if (own)
            (void)tm_buf_addf(out, "\"clock\": \"%s\", ", own);
        (void)tm_buf_add_str(out, "\"sync_to\": {\"file\": ");
        put_bytes(out, to->path);
        if (other)
            (void)tm_buf_addf(out, ", \"clock\": \"%s\"", other);
        (void)tm_buf_addf(out, "}, \"offset_ns\": %" PRId64 "}", offset_ns);
    }
    return true;
}

/* Puts the clock of the timeline that the input's manifest chose. False if no file's clock stands for it. */
static bool put_trace_time(const Tracemerge__Config *c, const struct places *places, struct tm_buf *out)
{
    if (c == NULL || c->trace_time == NULL)
        return true;
    const Tracemerge__ConfigTraceTime *t = c->trace_time;
    bool first = t->has_first_machine && t->first_machine;
    const Tracemerge__ConfigEntry *e = first ? NULL : entry_of(c, places, t->machine_raw_id);
    const char *name = clock_name(t->clock);
    if (name == NULL || (!first && e == NULL))
        return false;
    (void)tm_buf_addf(out, "  \"trace_time\": {\"clock\": \"%s\"", name);
    if (e) {
        (void)tm_buf_add_str(out, ", \"file\": ");
        put_bytes(out, e->path);
    }
    (void)tm_buf_add_str(out, "},\n");
    return true;
}

/* Puts the entries of the input's manifest. The line of a file replaces the relation of its entry. False if another
 * relation cannot be stated. */
static bool put_entries(const struct tm_alignment *a, const struct entry_files *files,
                        const struct reference *trace_time, struct tm_buf *out, bool *any)
{
    const Tracemerge__Config *c = a->candidates.config;
    bool holds = true;
    for (uint32_t i = 0; c && i < c->n_entries && holds; i++) {
        const struct tm_align_file *f = files->of_entry[i];
        (void)tm_buf_add_str(out, *any ? ",\n   {\n    \"path\": " : "   {\n    \"path\": ");
        put_bytes(out, c->entries[i]->path);
        put_machines(c, &files->places, c->entries[i], out);
        if (f && has_line(f))
            put_clocks(a, f, trace_time, out);
        else
            holds = put_edge(c, &files->places, i, out);
        (void)tm_buf_add_str(out, "\n   }");
        *any = true;
    }
    return holds;
}

/* Puts the entries of files that the input's manifest does not configure. */
static void put_other_files(const struct tm_alignment *a, const struct entry_files *files,
                            const struct reference *trace_time, struct tm_buf *out, bool *any)
{
    for (uint32_t i = 0; i < a->file_count; i++) {
        const struct tm_align_file *f = &a->files[i];
        if ((files->is_configured && files->is_configured[i]) || (!has_line(f) && !is_referred_to(&files->places, f)))
            continue;
        const struct tm_text path = tm_alignment_name(a, f->file);
        (void)tm_buf_add_str(out, *any ? ",\n   {\n    \"path\": " : "   {\n    \"path\": ");
        (void)tm_json_put_string(out, path.data, path.len);
        if (has_line(f))
            put_clocks(a, f, trace_time, out);
        (void)tm_buf_add_str(out, "\n   }");
        *any = true;
    }
}

/* Finds the clock of trace time as the input's manifest names it. Checks that each line can be stated against it. */
static enum tm_status find_trace_time(const struct tm_alignment *a, const struct places *places, struct reference *to,
                                      struct tm_error *err)
{
    const Tracemerge__Config *c = a->candidates.config;
    const Tracemerge__ConfigTraceTime *t = c ? c->trace_time : NULL;
    const bool is_of_file = t && !(t->has_first_machine && t->first_machine);
    const Tracemerge__ConfigEntry *e = is_of_file ? entry_of(c, places, t->machine_raw_id) : NULL;
    to->clock = t ? clock_name(t->clock) : NULL;
    if (e == NULL || to->clock == NULL)
        return tm_error_set(err, TM_E_INPUT,
                            "--absolute: the manifest of the input chooses no clock of a file as trace time");
    to->path = tm_text_at(e->path.data, e->path.len);
    for (uint32_t i = 0; i < a->file_count; i++) {
        const struct tm_align_file *f = &a->files[i];
        if (!has_line(f) || f->is_placed_by_one)
            continue;
        char path[TM_ERROR_TEXT_MAX / 2];
        tm_alignment_path(a, f->file, path, sizeof path);
        return tm_error_set(err, TM_E_INPUT, "--absolute: %s: no single offset places the file and its reference",
                            path);
    }
    return TM_OK;
}

enum tm_status tm_alignment_manifest(const struct tm_alignment *a, struct tm_buf *out, struct tm_error *err)
{
    struct reference absolute;
    const struct reference *trace_time = a->absolute ? &absolute : NULL;
    const Tracemerge__Config *c = a->candidates.config;
    struct entry_files files = {0};
    bool any = false;
    enum tm_status st = find_places(&files.places, a, c) < 0 ? tm_error_nomem(err) : TM_OK;
    if (st == TM_OK && a->absolute)
        st = find_trace_time(a, &files.places, &absolute, err);
    if (st == TM_OK && c)
        st = find_files(&files, a, c, err);
    (void)tm_buf_add_str(out, "{\n \"perfetto_manifest\": {\n  \"version\": 1,\n");
    bool holds = put_trace_time(c, &files.places, out);
    (void)tm_buf_add_str(out, "  \"files\": [\n");
    if (st == TM_OK && (!holds || !put_entries(a, &files, trace_time, out, &any)))
        st = tm_error_set(err, TM_E_INPUT,
                          "the manifest of the input states relations of clocks that cannot be written together with "
                          "the result");
    if (st == TM_OK)
        put_other_files(a, &files, trace_time, out, &any);
    release_files(&files);
    if (st < 0)
        return st;
    return tm_buf_add_str(out, any ? "\n  ]\n }\n}\n" : "  ]\n }\n}\n") == TM_OK ? TM_OK : tm_error_nomem(err);
}
