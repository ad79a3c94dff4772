#include "format/ctf/library.h"

#include "base/time_units.h"
#include "config.h"

#include "format/child_event.h"
#include "os/io.h"
#include "os/library.h"
#include "os/subprocess.h"

#ifdef HAVE_BABELTRACE2

#include <babeltrace2/babeltrace.h>

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FUNCTIONS(X)                                                                                                   \
    X(clock_class_get_frequency) X(clock_class_get_name) X(clock_class_origin_is_unix_epoch)                           \
    X(clock_snapshot_get_ns_from_origin) X(clock_snapshot_get_value)                                                   \
    X(component_filter_borrow_input_port_by_index_const) X(component_filter_borrow_output_port_by_index_const)         \
    X(component_sink_borrow_input_port_by_index_const) X(component_source_borrow_output_port_by_index_const)           \
    X(component_source_get_output_port_count) X(current_thread_take_error) X(error_borrow_cause_by_index)              \
    X(error_cause_get_message) X(error_get_cause_count) X(event_borrow_class_const)                                    \
    X(event_borrow_common_context_field_const) X(event_borrow_packet_const) X(event_borrow_payload_field_const)        \
    X(event_borrow_specific_context_field_const) X(event_borrow_stream_const)                                          \
    X(event_class_borrow_stream_class_const) X(event_class_get_name)                                                   \
    X(field_array_borrow_element_field_by_index_const) X(field_array_get_length)                                       \
    X(field_bit_array_get_value_as_integer) X(field_bool_get_value) X(field_borrow_class_const)                        \
    X(field_class_structure_borrow_member_by_index_const) X(field_class_structure_get_member_count)                    \
    X(field_class_structure_member_get_name) X(field_get_class_type) X(field_integer_signed_get_value)                 \
    X(field_integer_unsigned_get_value) X(field_option_borrow_field_const) X(field_real_double_precision_get_value)    \
    X(field_real_single_precision_get_value) X(field_string_get_value)                                                 \
    X(field_structure_borrow_member_field_by_index_const) X(field_variant_borrow_selected_option_field_const)          \
    X(graph_add_filter_component) X(graph_add_simple_sink_component) X(graph_add_source_component)                     \
    X(graph_connect_ports) X(graph_create) X(graph_run) X(message_discarded_events_get_count)                          \
    X(message_discarded_packets_get_count)                                                                             \
    X(message_event_borrow_default_clock_snapshot_const) X(message_event_borrow_event_const) X(message_get_type)       \
    X(message_iterator_next) X(message_iterator_put_ref) X(message_put_ref) X(packet_borrow_context_field_const)       \
    X(plugin_borrow_filter_component_class_by_name_const) X(plugin_borrow_source_component_class_by_name_const)        \
    X(plugin_find) X(stream_borrow_class_const) X(stream_borrow_trace_const)                                           \
    X(stream_class_borrow_default_clock_class_const) X(stream_class_supports_packets)                                  \
    X(trace_borrow_environment_entry_value_by_name_const) X(value_array_append_string_element) X(value_get_type)       \
    X(value_map_create) X(value_map_insert_empty_array_entry) X(value_string_get)

static struct {
#define MEMBER(name) __typeof__(bt_##name) *name;
    FUNCTIONS(MEMBER)
} bt;

#define NAME(name) "bt_" #name,
static const char *const names[] = {FUNCTIONS(NAME)};
static struct tm_library library = {BABELTRACE2_SONAME, names, sizeof names / sizeof *names, &bt, false};

enum { FLUSH_BYTES = 64 << 10, DEPTH_MAX = 8, ELEMENTS_MAX = 64 };

struct reader {
    bt_message_iterator *messages; /* owned from initialize to finalize */
    struct tm_buf args, key, written;
    struct tm_child_event event;
    struct tm_buf task;
    bool has_clock;
    bool is_kernel;     /* the trace is one of the kernel; its events become lines, which have no contexts */
    bool shows_context; /* fields of the context that is read are arguments */
    bool is_broken; /* a write failed: nothing more is written */
    uint64_t lost, lost_packets; /* since the last event */
    uint64_t events_left; /* as many as the trace has bits: events without any would never end */
    int out;
};

static bool flush(struct reader *r)
{
    if (!r->is_broken && r->written.len)
        r->is_broken = tm_io_write(r->out, r->written.data, r->written.len, NULL) != TM_OK;
    tm_buf_clear(&r->written);
    return !r->is_broken;
}

static struct tm_text text_of(const char *text)
{
    return tm_text_at(text, text ? strlen(text) : 0);
}

static bool key_is(const struct reader *r, const char *key)
{
    return r->key.len == strlen(key) && memcmp(r->key.data, key, r->key.len) == 0;
}

/* Notes a field of a context if it states the event's task or CPU. */
static bool note_number(struct reader *r, uint64_t value)
{
    int32_t *number = key_is(r, "cpu_id")                        ? &r->event.cpu
                      : key_is(r, "vtid") || key_is(r, "tid") ? &r->event.tid
                      : key_is(r, "vpid") || key_is(r, "pid") ? &r->event.pid
                                                                : NULL;
    if (number)
        *number = value > INT32_MAX ? -1 : (int32_t)value;
    return number != NULL;
}

/* Adds an argument with the current key, which is that of a context's field if IS_CONTEXT. */
static void add_arg(struct reader *r, enum tm_ctf_arg_letter letter, const char *text, bool is_context)
{
    const char *front = is_context ? "context." : "";
    if (r->args.len + strlen(front) + r->key.len + strlen(text) + 3 > TM_CHILD_EVENT_TEXT_MAX) {
        r->event.is_cut = true;
        return;
    }
    if (tm_buf_add_byte(&r->args, (uint8_t)letter) != TM_OK || tm_buf_add_str(&r->args, front) != TM_OK ||
        tm_buf_add(&r->args, r->key.data, r->key.len) != TM_OK ||
        tm_buf_add_byte(&r->args, 0) != TM_OK || tm_buf_add(&r->args, text, strlen(text) + 1) != TM_OK)
        abort(); /* ends only the child process */
}

static void add_field(struct reader *r, const bt_field *field, bool is_context, int depth);

/* Adds the member NAME of the field with the current key. */
static void add_member(struct reader *r, const bt_field *field, const char *name, bool is_context, int depth)
{
    size_t len = r->key.len;
    if ((len > 0 ? tm_buf_addf(&r->key, ".%s", name) : tm_buf_add_str(&r->key, name)) != TM_OK)
        abort();
    add_field(r, field, is_context, depth + 1);
    r->key.len = len;
}

/* Adds element NUMBER of the field with the current key. */
static void add_element(struct reader *r, const bt_field *field, uint64_t number, bool is_context, int depth)
{
    size_t len = r->key.len;
    if (tm_buf_addf(&r->key, "[%" PRIu64 "]", number) != TM_OK)
        abort();
    add_field(r, field, is_context, depth + 1);
    r->key.len = len;
}

static void add_text(struct reader *r, const char *text, bool is_context)
{
    const bool is_name = is_context && key_is(r, "procname");
    if (is_name && tm_buf_add_str(&r->task, text) != TM_OK)
        abort();
    if (!is_name && (!is_context || r->shows_context))
        add_arg(r, TM_CTF_ARG_TEXT, text, is_context);
}

static void add_number(struct reader *r, bool is_signed, uint64_t value, bool is_context)
{
    char text[24];
    if (is_context && (note_number(r, value) || !r->shows_context))
        return;
    if (is_signed)
        (void)snprintf(text, sizeof text, "%" PRId64, (int64_t)value);
    else
        (void)snprintf(text, sizeof text, "%" PRIu64, value);
    add_arg(r, is_signed ? TM_CTF_ARG_INT : TM_CTF_ARG_UINT, text, is_context);
}

static void add_structure(struct reader *r, const bt_field *field, bool is_context, int depth)
{
    const bt_field_class *class = bt.field_borrow_class_const(field);
    uint64_t count = bt.field_class_structure_get_member_count(class);
    for (uint64_t i = 0; i < count; i++) {
        const bt_field_class_structure_member *member =
            bt.field_class_structure_borrow_member_by_index_const(class, i);
        add_member(r, bt.field_structure_borrow_member_field_by_index_const(field, i),
                   bt.field_class_structure_member_get_name(member), is_context, depth);
    }
}

/* Elements from ELEMENTS_MAX on are left out. */
static void add_array(struct reader *r, const bt_field *field, bool is_context, int depth)
{
    uint64_t count = bt.field_array_get_length(field);
    for (uint64_t i = 0; i < count && i < ELEMENTS_MAX; i++)
        add_element(r, bt.field_array_borrow_element_field_by_index_const(field, i), i, is_context, depth);
    r->event.is_cut = r->event.is_cut || (count > ELEMENTS_MAX && (!is_context || r->shows_context));
}

static void add_real(struct reader *r, double value, bool is_context)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.17g", value);
    add_text(r, text, is_context);
}

/* Adds FIELD under the current key. A field of a context sets the event's task or CPU, or is an argument if the reader
 * shows_context. Fields nested deeper than DEPTH_MAX are left out. */
static void add_field(struct reader *r, const bt_field *field, bool is_context, int depth)
{
    bt_field_class_type type = field ? bt.field_get_class_type(field) : BT_FIELD_CLASS_TYPE_BOOL;
    if (depth > DEPTH_MAX)
        r->event.is_cut = r->event.is_cut || (field && (!is_context || r->shows_context));
    if (field == NULL || depth > DEPTH_MAX)
        return;
    if (type == BT_FIELD_CLASS_TYPE_BOOL)
        add_number(r, false, bt.field_bool_get_value(field) == BT_TRUE, is_context);
    else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY)
        add_number(r, false, bt.field_bit_array_get_value_as_integer(field), is_context);
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        add_number(r, false, bt.field_integer_unsigned_get_value(field), is_context);
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        add_number(r, true, (uint64_t)bt.field_integer_signed_get_value(field), is_context);
    else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)
        add_real(r, (double)bt.field_real_single_precision_get_value(field), is_context);
    else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)
        add_real(r, bt.field_real_double_precision_get_value(field), is_context);
    else if (type == BT_FIELD_CLASS_TYPE_STRING)
        add_text(r, bt.field_string_get_value(field), is_context);
    else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
        add_structure(r, field, is_context, depth);
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
        add_array(r, field, is_context, depth);
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION))
        add_field(r, bt.field_option_borrow_field_const(field), is_context, depth + 1);
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT))
        add_field(r, bt.field_variant_borrow_selected_option_field_const(field), is_context, depth + 1);
}

static bool put(struct reader *r, const struct tm_child_event *event)
{
    if (tm_child_event_put(event, &r->written) != TM_OK)
        abort();
    return r->written.len < FLUSH_BYTES || flush(r);
}

static struct tm_text environment(const bt_trace *trace, const char *name)
{
    const bt_value *value = bt.trace_borrow_environment_entry_value_by_name_const(trace, name);
    bool is_text = value && bt.value_get_type(value) == BT_VALUE_TYPE_STRING;
    return is_text ? text_of(bt.value_string_get(value)) : (struct tm_text){0};
}

static bool put_clock(struct reader *r, const bt_trace *trace, const bt_clock_class *clock, int64_t time_ns,
                      int64_t cycles)
{
    struct tm_child_event event = {.kind = TM_CHILD_EVENT_CLOCK, .time_ns = time_ns, .cycles = cycles};
    event.task = environment(trace, "domain");
    event.args = environment(trace, "kernel_release");
    if (clock) {
        event.event = text_of(bt.clock_class_get_name(clock));
        event.buffer = TM_CTF_CLOCK_IS_THERE;
        if (bt.clock_class_get_frequency(clock) == TM_NS_PER_S)
            event.buffer |= TM_CTF_CLOCK_IS_NS;
        if (bt.clock_class_origin_is_unix_epoch(clock))
            event.buffer |= TM_CTF_CLOCK_IS_UNIX;
    }
    r->has_clock = true;
    r->is_kernel = tm_text_is(event.task, "kernel");
    return put(r, &event);
}

static bool on_event(struct reader *r, const bt_message *message)
{
    const bt_event *event = bt.message_event_borrow_event_const(message);
    const bt_event_class *class = bt.event_borrow_class_const(event);
    const bt_stream *stream = bt.event_borrow_stream_const(event);
    const bt_clock_class *clock =
        bt.stream_class_borrow_default_clock_class_const(bt.event_class_borrow_stream_class_const(class));
    int64_t time_ns = 0, cycles = 0;
    if (r->events_left == 0)
        return false;
    r->events_left--;
    if (clock) {
        const bt_clock_snapshot *at = bt.message_event_borrow_default_clock_snapshot_const(message);
        cycles = (int64_t)bt.clock_snapshot_get_value(at);
        if (bt.clock_snapshot_get_ns_from_origin(at, &time_ns) != BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
            time_ns = -1;
    }
    if (!r->has_clock && !put_clock(r, bt.stream_borrow_trace_const(stream), clock, time_ns, cycles))
        return false;
    tm_buf_clear(&r->args);
    tm_buf_clear(&r->task);
    tm_buf_clear(&r->key);
    r->event = (struct tm_child_event){.kind = TM_CHILD_EVENT, .time_ns = time_ns, .cycles = cycles, .cpu = -1,
                                       .tid = -1, .pid = -1, .lost = r->lost, .lost_packets = r->lost_packets};
    r->lost = r->lost_packets = 0;
    const bt_packet *packet = bt.stream_class_supports_packets(bt.stream_borrow_class_const(stream))
                                  ? bt.event_borrow_packet_const(event)
                                  : NULL;
    r->shows_context = false;
    add_field(r, packet ? bt.packet_borrow_context_field_const(packet) : NULL, true, 0);
    add_field(r, bt.event_borrow_payload_field_const(event), false, 0);
    r->shows_context = !r->is_kernel;
    add_field(r, bt.event_borrow_common_context_field_const(event), true, 0);
    add_field(r, bt.event_borrow_specific_context_field_const(event), true, 0);
    r->event.event = text_of(bt.event_class_get_name(class));
    r->event.task = tm_text_at(r->task.data, r->task.len);
    r->event.args = tm_text_at(r->args.data, r->args.len);
    return put(r, &r->event);
}

/* An unknown number of lost events or packets counts as 1. */
static bool on_message(struct reader *r, const bt_message *message)
{
    const bt_property_availability known = BT_PROPERTY_AVAILABILITY_AVAILABLE;
    uint64_t count;
    switch (bt.message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT:
        return on_event(r, message);
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
        r->lost += bt.message_discarded_events_get_count(message, &count) == known ? count : 1;
        return true;
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
        r->lost_packets += bt.message_discarded_packets_get_count(message, &count) == known ? count : 1;
        return true;
    default:
        return true;
    }
}

static bt_graph_simple_sink_component_initialize_func_status initialize(bt_message_iterator *messages, void *data)
{
    struct reader *r = data;
    r->messages = messages;
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *messages, void *data)
{
    bt_message_array_const list;
    uint64_t count;
    bool is_good = true;
    bt_message_iterator_next_status status = bt.message_iterator_next(messages, &list, &count);
    if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
        for (uint64_t i = 0; i < count; i++) {
            is_good = is_good && on_message(data, list[i]);
            bt.message_put_ref(list[i]);
        }
        status = is_good ? status : BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR;
    }
    return (bt_graph_simple_sink_component_consume_func_status)status; /* both types have the same values */
}

static void finalize(void *data)
{
    struct reader *r = data;
    bt.message_iterator_put_ref(r->messages);
    r->messages = NULL;
}

static const bt_plugin *find_plugin(const char *name)
{
    const bt_plugin *plugin = NULL;
    return bt.plugin_find(name, BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) == BT_PLUGIN_FIND_STATUS_OK
               ? plugin
               : NULL;
}

static const bt_component_source *add_source(bt_graph *graph, const char *folder)
{
    const bt_plugin *plugin = find_plugin("ctf");
    const bt_component_class_source *class =
        plugin ? bt.plugin_borrow_source_component_class_by_name_const(plugin, "fs") : NULL;
    const bt_component_source *source = NULL;
    bt_value *params = bt.value_map_create(), *inputs = NULL;
    if (class == NULL || params == NULL ||
        bt.value_map_insert_empty_array_entry(params, "inputs", &inputs) != BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
        bt.value_array_append_string_element(inputs, folder) != BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK ||
        bt.graph_add_source_component(graph, class, "trace", params, BT_LOGGING_LEVEL_NONE, &source) !=
            BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        return NULL;
    return source;
}

static const bt_component_filter *add_muxer(bt_graph *graph)
{
    const bt_plugin *plugin = find_plugin("utils");
    const bt_component_class_filter *class =
        plugin ? bt.plugin_borrow_filter_component_class_by_name_const(plugin, "muxer") : NULL;
    const bt_component_filter *muxer = NULL;
    if (class == NULL || bt.graph_add_filter_component(graph, class, "muxer", NULL, BT_LOGGING_LEVEL_NONE, &muxer) !=
                             BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        return NULL;
    return muxer;
}

static bool connect_all(bt_graph *graph, const bt_component_source *source, const bt_component_filter *muxer,
                        const bt_component_sink *sink)
{
    uint64_t count = bt.component_source_get_output_port_count(source);
    for (uint64_t i = 0; i < count; i++)
        if (bt.graph_connect_ports(graph, bt.component_source_borrow_output_port_by_index_const(source, i),
                                   bt.component_filter_borrow_input_port_by_index_const(muxer, i), NULL) !=
            BT_GRAPH_CONNECT_PORTS_STATUS_OK)
            return false;
    return bt.graph_connect_ports(graph, bt.component_filter_borrow_output_port_by_index_const(muxer, 0),
                                  bt.component_sink_borrow_input_port_by_index_const(sink, 0), NULL) ==
           BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

static void add_text_part(struct reader *r, const char *text, size_t len)
{
    if (tm_buf_add(&r->args, text, len) != TM_OK)
        abort();
}

/* Sets r->args to CAUSE without its words like "trace-class-addr=0x55dc8e09ee30", which are others in each run. */
static void set_cause(struct reader *r, const char *cause)
{
    const char *address;
    tm_buf_clear(&r->args);
    while ((address = strstr(cause, "-addr=0x")) != NULL) {
        const char *word = address, *end = address + strcspn(address, ", ");
        while (word > cause && word[-1] != ' ')
            word--;
        const bool is_last = *end == '\0';
        while (is_last && word > cause && strchr(" ,:", word[-1]))
            word--;
        add_text_part(r, cause, (size_t)(word - cause));
        cause = end + strspn(end, ", ");
    }
    add_text_part(r, cause, strlen(cause));
}

/* Reports the innermost cause of the last failure. */
static void refuse(struct reader *r)
{
    const bt_error *error = bt.current_thread_take_error();
    struct tm_child_event last = {.kind = TM_CHILD_EVENT_REFUSED};
    tm_buf_clear(&r->args);
    if (r->events_left == 0)
        set_cause(r, "it has more events than bits");
    else if (error && bt.error_get_cause_count(error) > 0)
        set_cause(r, bt.error_cause_get_message(bt.error_borrow_cause_by_index(error, 0)));
    last.args = tm_text_at(r->args.data, r->args.len);
    (void)put(r, &last);
}

/* Returns the number of bits of the files in FOLDER. */
static uint64_t bits_in(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    struct stat file;
    uint64_t bytes = 0;
    while (dir && (entry = readdir(dir)) != NULL)
        if (fstatat(dirfd(dir), entry->d_name, &file, 0) == 0 && S_ISREG(file.st_mode))
            bytes += (uint64_t)file.st_size;
    if (dir)
        (void)closedir(dir);
    return bytes > UINT64_MAX / CHAR_BIT ? UINT64_MAX : bytes * CHAR_BIT;
}

int tm_ctf_library_read(void *context, int out)
{
    struct reader *r = calloc(1, sizeof *r);
    const bt_component_sink *sink = NULL;
    if (r == NULL || setenv("LIBBABELTRACE2_DISABLE_PYTHON_PLUGINS", "1", 1) != 0) {
        free(r);
        return TM_SUBPROCESS_SYSTEM_FAILED;
    }
    r->out = out;
    r->events_left = bits_in(context);
    bt_graph *graph = bt.graph_create(0);
    const bt_component_source *source = graph ? add_source(graph, context) : NULL;
    const bt_component_filter *muxer = source ? add_muxer(graph) : NULL;
    bool is_good = muxer && bt.graph_add_simple_sink_component(graph, "events", initialize, consume, finalize, r,
                                                               &sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
                   connect_all(graph, source, muxer, sink) && bt.graph_run(graph) == BT_GRAPH_RUN_STATUS_OK;
    if (is_good)
        (void)put(r, &(struct tm_child_event){.kind = TM_CHILD_EVENT_DONE, .lost = r->lost,
                                              .lost_packets = r->lost_packets});
    else
        refuse(r);
    return flush(r) ? 0 : TM_SUBPROCESS_SYSTEM_FAILED;
}

bool tm_ctf_library_is_there(void)
{
    return true;
}

enum tm_status tm_ctf_library_load(struct tm_error *err)
{
    return tm_library_load(&library, err);
}

#else

bool tm_ctf_library_is_there(void)
{
    return false;
}

enum tm_status tm_ctf_library_load(struct tm_error *err)
{
    (void)err;
    return TM_OK;
}

int tm_ctf_library_read(void *context, int out)
{
    (void)context;
    (void)out;
    return 1;
}

#endif
