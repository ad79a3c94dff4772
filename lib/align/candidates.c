#include "align/candidates.h"

#include "align/line.h"

#include "base/checked.h"
#include "base/pb.h"
#include "stream/detail_arg.h"
#include "stream/detail_fields.h"

#include <stdlib.h>
#include <string.h>

/* Takes ",begin" or ",end" from the end of USE. */
static void cut_qualifier(struct tm_align_use *use)
{
    char *comma = strrchr(use->given, ',');
    use->begin_only = comma && strcmp(comma, ",begin") == 0;
    use->end_only = comma && strcmp(comma, ",end") == 0;
    if (use->begin_only || use->end_only)
        *comma = '\0';
}

static enum tm_status add_use(struct tm_candidates *c, const char *text, size_t len, struct tm_error *err)
{
    if (c->use_count == TM_CANDIDATES_USES_MAX)
        return tm_error_set(err, TM_E_USAGE, "more than %d rules", TM_CANDIDATES_USES_MAX);
    struct tm_align_use *use = &c->uses[c->use_count];
    *use = (struct tm_align_use){.given = malloc(len + 1)};
    if (use->given == NULL)
        return tm_error_nomem(err);
    memcpy(use->given, text, len);
    use->given[len] = '\0';
    c->use_count++;
    char *colon = strchr(use->given, ':');
    size_t name_len = colon ? (size_t)(colon - use->given) : len;
    for (const struct tm_align_rule *rule = tm_align_rules; rule->name; rule++)
        if (strlen(rule->name) == name_len && memcmp(rule->name, use->given, name_len) == 0)
            use->rule = rule;
    if (use->rule == NULL)
        return tm_error_set(err, TM_E_USAGE, "'%s' is not a rule; the rules are flows, spans, collectives, "
                                             "recorded-twice, key:args.NAME and name:REGEX", use->given);
    for (uint32_t i = 0; i + 1 < c->use_count; i++)
        if (strcmp(c->uses[i].given, use->given) == 0)
            return tm_error_set(err, TM_E_USAGE, "rule %s is given twice", use->given);
    if ((use->rule->parameter != NULL) != (colon != NULL && colon[1] != '\0'))
        return tm_error_set(err, TM_E_USAGE,
                            use->rule->parameter ? "rule %s needs %s, as in %s:%s" : "rule %s takes no parameter",
                            use->rule->name, use->rule->parameter, use->rule->name, use->rule->parameter);
    use->parameter = colon ? colon + 1 : NULL;
    if (use->rule->take != tm_align_take_name)
        return TM_OK;
    cut_qualifier(use);
    use->has_pattern = regcomp(&use->pattern, use->parameter, REG_EXTENDED | REG_NOSUB) == 0;
    return use->has_pattern ? TM_OK : tm_error_set(err, TM_E_USAGE, "'%s' is not a regular expression", use->parameter);
}

/* Returns the last character of the bracket expression at P, a '['; P itself if it does not end. A ']' at its begin and
 * those of classes such as [:alpha:] are in it (POSIX.1-2008, XBD 9.3.5). */
static const char *bracket_end(const char *p)
{
    const char *at = p + 1 + (p[1] == '^');
    for (at += *at == ']'; *at && *at != ']'; at++) {
        const bool is_class = *at == '[' && at[1] && strchr(":.=", at[1]);
        const char close[] = {is_class ? at[1] : ']', ']', '\0'};
        const char *end = is_class ? strstr(at + 2, close) : NULL;
        at = end ? end + 1 : at;
    }
    return *at ? at : p;
}

/* True if "begin" or "end" is at TEXT, before a comma or the end. */
static bool is_qualifier(const char *text)
{
    size_t word = strcspn(text, ",");
    return (word == 5 && memcmp(text, "begin", 5) == 0) || (word == 3 && memcmp(text, "end", 3) == 0);
}

const char *tm_align_rule_end(const char *rules)
{
    uint32_t depth = 0;
    for (; *rules; rules++) {
        if (*rules == ',' && depth == 0 && !is_qualifier(rules + 1))
            break;
        if (*rules == '\\' && rules[1])
            rules++;
        else if (*rules == '[')
            rules = bracket_end(rules);
        else if (*rules == '(' || *rules == '{')
            depth++;
        else if (depth > 0 && (*rules == ')' || *rules == '}'))
            depth--;
    }
    return rules;
}

enum tm_status tm_candidates_use(struct tm_candidates *c, const char *rules, struct tm_error *err)
{
    c->numbered.block_records = TM_CANDIDATES_PART_RECORDS;
    c->ordinal.block_records = c->marks.block_records = TM_CANDIDATES_BLOCK_RECORDS; /* there may be many files */
    for (const struct tm_align_rule *rule = tm_align_rules; rules == NULL && rule->name; rule++)
        if (rule->parameter == NULL && add_use(c, rule->name, strlen(rule->name), err) < 0)
            return err->status;
    while (rules) {
        const char *end = tm_align_rule_end(rules);
        if (add_use(c, rules, (size_t)(end - rules), err) < 0)
            return err->status;
        rules = *end ? end + 1 : NULL;
    }
    return TM_OK;
}

struct put_context {
    struct tm_candidates *candidates;
    const struct tm_align_event *event;
    uint32_t use;
    bool is_used;
    struct tm_error *err;
};

static void put(void *context, const struct tm_record *given, bool ordinal)
{
    struct put_context *p = context;
    struct tm_candidates *c = p->candidates;
    struct tm_record record = *given;
    struct tm_align_node *node = &c->nodes.nodes[c->node];
    record.node = c->node;
    record.name = p->event->name_string;
    record.rule = (uint8_t)p->use;
    node->operations |= record.operation;
    p->is_used = true;
    if (record.form == TM_MATCH_NOTHING)
        return;
    if (record.grade > node->grade)
        node->grade = record.grade;
    tm_align_nodes_note(&c->nodes, c->node, record.begin_ns);
    if (record.role == TM_ROLE_MARK) {
        node->marks++;
        if (c->watch == NULL)
            (void)tm_record_store_add(&c->marks, c->node, &record, p->err);
        return;
    }
    c->has_kernel_marks |= record.form == TM_MATCH_SAME && p->event->event->kind != TM_KIND_SCHED_SWITCH;
    if (c->watch)
        return;
    if (ordinal)
        (void)tm_record_store_add(&c->ordinal, c->node, &record, p->err);
    else
        (void)tm_record_store_add(&c->numbered, tm_candidates_part(record.key), &record, p->err);
}

static void read_arg(struct tm_align_event *event, struct tm_pb arg)
{
    struct tm_align_arg *to = &event->args[event->arg_count];
    struct tm_pb_field f;
    *to = (struct tm_align_arg){.number = 0};
    while (tm_pb_next(&arg, &f) == TM_OK)
        switch (f.id) {
        case TM_ARG_KEY:
            if (f.type == TM_PB_LEN)
                to->key = tm_detail_arg_name((struct tm_text){f.data, f.len});
            break;
        case TM_ARG_STRING:
        case TM_ARG_JSON:
            if (f.type == TM_PB_LEN)
                to->text = tm_text_given(f.data, f.len);
            break;
        case TM_ARG_INT:
            to->number = (uint64_t)tm_unzigzag(f.value);
            break;
        case TM_ARG_DOUBLE: break;
        default: to->number = f.value;
        }
    event->arg_count += to->key.data != NULL;
}

static void read_bind(struct tm_align_event *event, uint64_t id, enum tm_role role)
{
    event->has_bind = true;
    event->bind = id;
    event->bind_role = role;
}

static void read_detail(struct tm_align_event *event)
{
    struct tm_pb detail = tm_pb_of(event->event->detail, event->event->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&detail, &f) == TM_OK)
        switch (f.id) {
        case TM_DETAIL_ARGS:
            if (f.type == TM_PB_LEN && event->arg_count < TM_ALIGN_ARGS_MAX)
                read_arg(event, tm_pb_of(f.data, f.len));
            break;
        case TM_DETAIL_FLOW_IDS:
            if (f.type == TM_PB_I64 && event->flow_count < TM_ALIGN_FLOWS_MAX)
                event->flows[event->flow_count++] = f.value;
            break;
        case TM_DETAIL_TERMINATING_FLOW_IDS:
            if (f.type == TM_PB_I64 && event->ending_flow_count < TM_ALIGN_FLOWS_MAX)
                event->ending_flows[event->ending_flow_count++] = f.value;
            break;
        case TM_DETAIL_BIND_OUT:
            if (f.type != TM_PB_LEN)
                read_bind(event, f.value, TM_ROLE_CAUSE);
            break;
        case TM_DETAIL_BIND_STEP:
            if (f.type != TM_PB_LEN)
                read_bind(event, f.value, TM_ROLE_STEP);
            break;
        case TM_DETAIL_BIND_IN:
            if (f.type != TM_PB_LEN)
                read_bind(event, f.value, TM_ROLE_EFFECT);
            break;
        default: break;
        }
}

/* Finds the thread of an event: its own, or that of its track. */
static void find_thread(const struct tm_candidates *c, struct tm_align_event *event)
{
    const struct tm_event *e = event->event;
    const struct tm_key key = {e->file, e->track, 0};
    event->has_tid = e->flags & TM_EVENT_HAS_TID;
    event->tid = e->tid;
    if (event->has_tid || tm_event_scope(e->flags) != TM_SCOPE_TRACK || c->threads.count == 0)
        return;
    int64_t tid = tm_table_find(&c->threads, &key);
    event->has_tid = tid != TM_TABLE_NONE;
    event->tid = tid;
}

static enum tm_status note_thread(struct tm_candidates *c, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_key key = {e->file, e->track, 0};
    if (e->kind != TM_KIND_TRACK || !(e->flags & TM_EVENT_HAS_TID) || !(e->flags & TM_EVENT_HAS_TRACK) || e->tid < 0)
        return TM_OK;
    return tm_table_set(&c->threads, &key, e->tid, err);
}

/* Passes the event BEGIN, which lasts until END_NS, to all rules. */
static enum tm_status take(struct tm_candidates *c, const struct tm_event *begin, int64_t end_ns, bool is_slice,
                           struct tm_error *err)
{
    struct tm_align_event event;
    event.event = begin;
    event.begin_ns = begin->time_ns;
    event.end_ns = end_ns;
    event.is_slice = is_slice;
    event.arg_count = event.flow_count = event.ending_flow_count = 0;
    event.has_bind = false;
    event.name = tm_catalog_string(&c->catalog, begin->name, begin);
    event.category = tm_catalog_string(&c->catalog, begin->category, begin);
    event.name_string = begin->name & TM_STRING_INLINE ? 0 : begin->name;
    event.wants_mark = c->nodes.nodes[c->node].marks <
                       (uint32_t)(c->has_kernel_marks ? TM_CANDIDATES_MARKS_MAX : TM_CANDIDATES_EARLY_MARKS_MAX);
    find_thread(c, &event);
    if (begin->detail_bytes)
        read_detail(&event);
    struct put_context p = {.candidates = c, .event = &event, .err = err};
    for (p.use = 0; p.use < c->use_count; p.use++)
        c->uses[p.use].rule->take(&c->uses[p.use], &event, put, &p);
    return p.is_used && c->watch ? c->watch->used(c->watch->self, &event, err) : err->status;
}

bool tm_candidates_end_of(const struct tm_event *e, int64_t *end_ns)
{
    *end_ns = e->time_ns;
    return tm_is_reading(e->time_ns) && (e->kind != TM_KIND_SLICE_COMPLETE ||
                                         (tm_add_i64(e->time_ns, e->dur_ns, end_ns) && tm_is_reading(*end_ns)));
}

enum tm_status tm_candidates_event(struct tm_candidates *c, const struct tm_event *e, struct tm_error *err)
{
    struct tm_event begin;
    int64_t end_ns;
    if (e->flags & TM_EVENT_DEFINITION)
        return note_thread(c, e, err);
    if (!tm_event_is_timed(e->flags))
        return TM_OK;
    if (e->file != c->file || !c->has_file) {
        if (tm_align_nodes_get(&c->nodes, e->file, &c->node, err) < 0)
            return err->status;
        c->file = e->file;
        c->has_file = true;
    }
    bool is_near = tm_candidates_end_of(e, &end_ns);
    if (is_near)
        tm_align_nodes_extend(&c->nodes, c->node, e->time_ns, end_ns);
    else
        c->nodes.nodes[c->node].out_of_range++;
    if (e->kind == TM_KIND_SLICE_BEGIN) /* even if out of range, so that its end finds it */
        return tm_open_spans_begin(&c->open, e, err);
    if (e->kind == TM_KIND_SLICE_END) {
        bool is_span = tm_open_spans_end(&c->open, e, &begin) && is_near && tm_is_reading(begin.time_ns);
        return is_span ? take(c, &begin, e->time_ns, true, err) : TM_OK;
    }
    if (!is_near)
        return TM_OK;
    switch (e->kind) {
    case TM_KIND_SLICE_COMPLETE: return take(c, e, end_ns, !(e->flags & TM_EVENT_OPEN_ENDED), err);
    case TM_KIND_INSTANT:
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END:
    case TM_KIND_SCHED_SWITCH: return take(c, e, e->time_ns, false, err);
    default: return TM_OK;
    }
}

static enum tm_status take_file_config(struct tm_candidates *c, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__FileConfig *m =
        (Tracemerge__FileConfig *)tm_frame_message(frame, &tracemerge__file_config__descriptor, err);
    if (m == NULL)
        return err->status;
    enum tm_status st = tm_map_set(&c->entries, m->file, m->entry);
    protobuf_c_message_free_unpacked(&m->base, NULL);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Files are numbered by the order of their turns, not of their events, so that sorting does not change the result. */
static enum tm_status take_frame(struct tm_candidates *c, const struct tm_frame *frame, struct tm_error *err)
{
    uint32_t node;
    if (frame->type == TM_FRAME_CONFIG && c->config == NULL) {
        c->config = (Tracemerge__Config *)tm_frame_message(frame, &tracemerge__config__descriptor, err);
        return c->config ? TM_OK : err->status;
    }
    if (frame->type == TM_FRAME_FILE_CONFIG)
        return take_file_config(c, frame, err);
    if (tm_catalog_add(&c->catalog, frame, err) < 0 || frame->type != TM_FRAME_FILE_BEGIN)
        return err->status;
    Tracemerge__FileBegin *begin =
        (Tracemerge__FileBegin *)tm_frame_message(frame, &tracemerge__file_begin__descriptor, err);
    if (begin == NULL)
        return err->status;
    if (begin->clock_policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK)
        (void)tm_align_nodes_get(&c->nodes, begin->id, &node, err);
    protobuf_c_message_free_unpacked(&begin->base, NULL);
    return err->status;
}

enum tm_status tm_candidates_add(struct tm_candidates *c, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event event;
    enum tm_status st = TM_OK;
    if (frame->type != TM_FRAME_BATCH)
        return take_frame(c, frame, err);
    if (c->args.find == NULL)
        c->args = tm_catalog_expander(&c->catalog);
    while (st == TM_OK && tm_batch_next(&walk, &event))
        if ((st = tm_arg_expand(&c->args, &event, err)) == TM_OK)
            st = tm_candidates_event(c, &event, err);
    return st;
}

enum tm_status tm_candidates_read(struct tm_candidates *c, int fd, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st = tm_stream_reader_open(&reader, fd, err);
    if (st == TM_OK && reader.header.stage != TRACEMERGE__STAGE__PLACED)
        st = tm_error_set(err, TM_E_INPUT, "the stream has not passed through tm-clocks");
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK)
        st = tm_candidates_add(c, &frame, &batch, err);
    tm_stream_reader_release(&reader);
    return st == TM_END ? TM_OK : st;
}

void tm_candidates_release(struct tm_candidates *c)
{
    for (uint32_t i = 0; i < c->use_count; i++) {
        free(c->uses[i].given);
        if (c->uses[i].has_pattern)
            regfree(&c->uses[i].pattern);
    }
    tm_catalog_release(&c->catalog);
    tm_arg_expander_release(&c->args);
    if (c->config)
        protobuf_c_message_free_unpacked(&c->config->base, NULL);
    tm_map_release(&c->entries);
    tm_align_nodes_release(&c->nodes);
    tm_record_store_release(&c->numbered);
    tm_record_store_release(&c->ordinal);
    tm_record_store_release(&c->marks);
    tm_table_release(&c->threads);
    tm_open_spans_release(&c->open);
}
