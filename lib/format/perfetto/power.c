#include "format/perfetto/power.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/pb.h"
#include "base/time_units.h"
#include "stream/detail_arg.h"
#include "format/perfetto/known_texts.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/packet_rows.h"
#include "format/perfetto/system.h"
#include "format/perfetto/unnamed_readings.h"

enum { RAILS_MAX = 256 };
enum { BATTERY_CHARGE = 1, BATTERY_CAPACITY = 2, BATTERY_CURRENT = 3, BATTERY_AVERAGE = 4, BATTERY_NAME = 5,
       BATTERY_ENERGY = 6, BATTERY_VOLTAGE = 7, BATTERY_FIELDS = 8 };
enum { RAILS_DESCRIPTOR = 1, RAILS_DATA = 2, RAILS_SESSION = 3 };
enum { RAIL_INDEX = 1, RAIL_NAME = 2, RAIL_SUBSYSTEM = 3, DATA_INDEX = 1, DATA_TIME_MS = 2, DATA_ENERGY = 3 };
enum { RESIDENCY_STATE = 1, RESIDENCY_TIME = 2 };
enum { STATE_ENTITY = 1, STATE_INDEX = 2, STATE_ENTITY_NAME = 3, STATE_NAME = 4, STATE_TIME_MS = 3 };
enum { DISPLAY_STATE = 1, GPU_MEM_GPU = 1, GPU_MEM_PID = 2, GPU_MEM_SIZE = 3 };
enum { GENERIC_CPU = 1, GENERIC_HZ = 2, GENERIC_GPU = 1, GENERIC_KHZ = 2, HZ_PER_KHZ = 1000 };
enum { TRIGGER_NAME = 1, TRIGGER_PRODUCER = 2, TRIGGER_UID = 3 };
enum { CHROME_TRIGGER_NAME = 1, CHROME_TRIGGER_HASH = 2, CHROME_TRIGGER_FLOW = 3 };

/* The last occurrence of each field of a message, by number; id 0: none. */
struct fields {
    struct tm_pb_field of[BATTERY_FIELDS];
};

static struct fields fields_of(const uint8_t *data, size_t len)
{
    struct fields fields = {0};
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id < BATTERY_FIELDS)
            fields.of[f.id] = f;
    return fields;
}

static bool has(const struct fields *m, uint32_t id)
{
    return m->of[id].id != 0;
}

static int64_t number(const struct fields *m, uint32_t id)
{
    return (int64_t)m->of[id].value;
}

/* Adds "batt.WHAT", or "batt.NAME.WHAT" for a battery with a name. FLAGS: VALUE_DOUBLE if VALUE has the bits of a
 * double. */
static enum tm_status add_battery(struct tm_proto_packet_rows *w, const struct fields *m, const char *what,
                                  uint64_t value, uint32_t flags)
{
    const struct tm_pb_field *name = &m->of[BATTERY_NAME];
    struct tm_event like = w->like;
    like.flags |= flags;
    w->rows->key.len = 0;
    enum tm_status st = name->len
                            ? tm_buf_addf(&w->rows->key, "batt.%.*s.%s", (int)name->len, (const char *)name->data, what)
                            : tm_buf_addf(&w->rows->key, "batt.%s", what);
    const char *text = st == TM_OK ? tm_buf_cstr(&w->rows->key) : NULL;
    return text ? tm_proto_counter_add(w->rows, &like, text, value, w->err) : tm_error_nomem(w->err);
}

/* Converts the bits of a float to those of a double. */
static uint64_t double_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return tm_pb_bits(value);
}

/* Adds the charge. If it is not stated, it follows from energy and voltage. */
static enum tm_status add_charge(struct tm_proto_packet_rows *w, const struct fields *m)
{
    int64_t charge, voltage = number(m, BATTERY_VOLTAGE);
    if (has(m, BATTERY_CHARGE))
        return add_battery(w, m, "charge_uah", (uint64_t)number(m, BATTERY_CHARGE), 0);
    if (!has(m, BATTERY_ENERGY) || voltage <= 0 || !tm_mul_i64(number(m, BATTERY_ENERGY), 1000000, &charge))
        return TM_OK;
    return add_battery(w, m, "charge_uah", (uint64_t)(charge / voltage), 0);
}

static enum tm_status battery(struct tm_proto_packet_rows *w)
{
    static const struct {
        uint32_t id;
        const char *what;
    } plain[] = {{BATTERY_CURRENT, "current_ua"}, {BATTERY_AVERAGE, "current.avg_ua"}, {BATTERY_VOLTAGE, "voltage_uv"}};
    struct fields m = fields_of(w->packet->body.data, w->packet->body.len);
    int64_t power;
    enum tm_status st = add_charge(w, &m);
    if (st == TM_OK && has(&m, BATTERY_CAPACITY))
        st = add_battery(w, &m, "capacity_pct", double_of(m.of[BATTERY_CAPACITY].value), TM_EVENT_VALUE_DOUBLE);
    for (size_t i = 0; st == TM_OK && i < sizeof plain / sizeof *plain; i++)
        if (has(&m, plain[i].id))
            st = add_battery(w, &m, plain[i].what, (uint64_t)number(&m, plain[i].id), 0);
    if (st < 0 || !has(&m, BATTERY_CURRENT) || !has(&m, BATTERY_VOLTAGE) ||
        !tm_mul_i64(number(&m, BATTERY_CURRENT), number(&m, BATTERY_VOLTAGE), &power))
        return st;
    power /= 1000000000;
    return add_battery(w, &m, "power_mw", (uint64_t)(power < 0 ? -power : power), 0);
}

/* Returns a readable name for a rail of some devices, or NULL. The table has the ends of rails' names. */
static const char *friendly_name(const struct tm_pb_field *rail)
{
    static const char *const names[][2] = {
        {"M_VDD_CPUCL0", "cpu.little"}, {"M_VDD_CPUCL0_M", "cpu.little.mem"}, {"M_VDD_CPUCL1", "cpu.mid"},
        {"M_VDD_CPUCL1_M", "cpu.mid.mem"}, {"M_VDD_CPUCL2", "cpu.big"}, {"M_VDD_INT", "system.fabric"},
        {"M_VDD_TPU", "tpu"}, {"VSYS_PWR_DISP", "display"}, {"VSYS_PWR_DISPLAY", "display"},
        {"M_DISP", "ldo.main.a.display"}, {"VSYS_PWR_MODEM", "modem"}, {"M_VDD_MIF", "memory.interface"},
        {"VSYS_PWR_WLAN_BT", "wifi.bt"}, {"VSYS_PWR_MMWAVE", "mmwave"}, {"S_VDD_AOC_RET", "aoc.memory"},
        {"S_VDD_AOC", "aoc.logic"}, {"S_VDDQ_MEM", "ddr.a"}, {"S_VDD2L", "ddr.b"}, {"S_VDD2L_MEM", "ddr.b"},
        {"S_VDD2H_MEM", "ddr.c"}, {"S_VDD_G3D", "gpu"}, {"S_VDD_G3D_L2", "gpu.l2"}, {"S_GNSS_CORE", "gps"},
        {"VSYS_PWR_RFFE", "radio.frontend"}, {"VSYS_PWR_CAMERA", "camera"}, {"S_VDD_CAM", "multimedia"},
        {"S_UDFPS", "udfps"}, {"S_PLL_MIPI_UFS", "ufs"}, {"M_LLDO1", "ldo.main.a"}, {"M_LLDO2", "ldo.main.b"},
        {"S_LLDO1", "ldo.sub"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i][0]);
        if (rail->len >= len && memcmp(rail->data + rail->len - len, names[i][0], len) == 0)
            return names[i][1];
    }
    return NULL;
}

/* Notes rows->key as the name for KEY, rows->text as the dimensions of its track, and SOURCE as the args of its source.
 */
static enum tm_status remember(struct tm_proto_packet_rows *w, uint64_t key, struct tm_text source)
{
    const struct tm_proto_known_text text = {{w->rows->key.data, w->rows->key.len},
                                             {w->rows->text.data, w->rows->text.len}, source};
    return tm_proto_known_text_add(w->known, w->packet->machine, key, &text) < 0 ? tm_error_nomem(w->err) : TM_OK;
}

static enum tm_status count(struct tm_proto_packet_rows *w, enum tm_proto_stat stat)
{
    return tm_proto_count_stat(&w->rows->counts, stat, w->packet->machine, 1, w->err);
}

static uint64_t rail_key(uint64_t session, uint32_t index)
{
    uint64_t key[2] = {session, index};
    return tm_hash64_numbers(key, 2, TM_PROTO_KNOWN_RAIL);
}

/* Appends an arg with the text in FIELD, or without a value if there is no such field. */
static enum tm_status put_text(struct tm_buf *args, const char *key, const struct tm_pb_field *field)
{
    return field->id ? tm_detail_arg_text(args, key, field->data ? (const char *)field->data : "", field->len)
                     : tm_detail_arg_null(args, key);
}

static enum tm_status describe_rail(struct tm_proto_packet_rows *w, uint64_t session, const struct tm_pb_field *f)
{
    struct fields m = fields_of(f->data, f->len);
    uint32_t index = (uint32_t)number(&m, RAIL_INDEX);
    const struct tm_pb_field *rail = &m.of[RAIL_NAME];
    const char *name = friendly_name(rail);
    struct tm_buf *source = &w->rows->detail; /* empty between rows */
    if (index > RAILS_MAX)
        return TM_OK;
    tm_buf_clear(&w->rows->key);
    tm_buf_clear(&w->rows->text);
    enum tm_status st = name ? tm_buf_addf(&w->rows->key, "power.rails.%s", name)
                             : tm_buf_addf(&w->rows->key, "power.%.*s_uws", (int)rail->len,
                                           rail->data ? (const char *)rail->data : "");
    if (st < 0 ||
        put_text(&w->rows->text, "name", rail) < 0 ||
        tm_detail_arg_int(&w->rows->text, "session_uuid", (uint32_t)session) < 0 ||
        put_text(source, "raw_name", rail) < 0 || put_text(source, "subsystem_name", &m.of[RAIL_SUBSYSTEM]) < 0)
        return tm_error_nomem(w->err);
    st = remember(w, rail_key(session, index), (struct tm_text){source->data, source->len});
    source->len = 0;
    return st;
}

/* Appends the packet's time to the detail of a reading that is an event of its own. */
static enum tm_status put_packet_time(struct tm_proto_packet_rows *w, struct tm_event *row)
{
    /* Times of a clock of a sequence can be relative to those before them. */
    if (!w->packet->has_time || tm_clock_is_scoped(w->packet->clock) || !w->rows->sink->want_packet_args)
        return TM_OK;
    row->flags |= TM_EVENT_INNER_TIMES;
    return tm_proto_inner_time(&w->rows->detail, w->packet->clock, w->packet->time);
}

/* Adds a reading. OWN_TIME selects the readings with a time of their own, which become events of their own; without it
 * the others are added. */
static enum tm_status add_energy(struct tm_proto_packet_rows *w, uint64_t session, const struct tm_pb_field *f,
                                 bool own_time)
{
    struct fields m = fields_of(f->data, f->len);
    struct tm_event row = w->like;
    struct tm_proto_known_text rail;
    bool has_own = has(&m, DATA_TIME_MS) && m.of[DATA_TIME_MS].value <= INT64_MAX / TM_NS_PER_MS;
    row.kind = TM_KIND_COUNTER;
    if (has_own != own_time || (row.flags & TM_EVENT_UNTIMED && !has_own))
        return TM_OK;
    if (!tm_proto_known_text_find(w->known, w->packet->machine, rail_key(session, (uint32_t)number(&m, DATA_INDEX)),
                                  &rail))
        return tm_proto_unnamed_add(w, f, session, TM_PROTO_STAT_RAIL_UNKNOWN);
    row.flags |= TM_EVENT_HAS_VALUE | TM_EVENT_VALUE_DOUBLE;
    row.value = tm_pb_bits((double)m.of[DATA_ENERGY].value);
    if (has_own) {
        row.flags &= ~(unsigned)(TM_EVENT_DERIVED | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION);
        row.clock = TM_CLOCK_BOOTTIME;
        row.time_ns = number(&m, DATA_TIME_MS) * TM_NS_PER_MS;
    }
    tm_buf_clear(&w->rows->text);
    if (tm_buf_add(&w->rows->text, rail.dimensions.data, rail.dimensions.len) < 0)
        return tm_error_nomem(w->err);
    const struct tm_proto_named_row named = {
        .type = TM_NAMED_TRACK_POWER_RAIL,
        .source = w->rows->sink->want_packet_args ? rail.source : (struct tm_text){0}};
    enum tm_status st = tm_proto_named_counter(w->rows, &named, rail.name, &row, w->err);
    if (st >= 0 && !(row.flags & TM_EVENT_DERIVED) && put_packet_time(w, &row) < 0)
        return tm_error_nomem(w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

/* Reads names first, then the readings at the packet's time, because DERIVED rows must follow the packet's row; then
 * the readings with times of their own. */
static enum tm_status power_rails(struct tm_proto_packet_rows *w)
{
    enum { NAMES, AT_PACKET, OWN_TIMES, PASSES };
    const struct tm_pb_field *body = &w->packet->body;
    const struct fields all = fields_of(body->data, body->len);
    uint64_t session = all.of[RAILS_SESSION].value;
    enum tm_status st = has(&all, RAILS_DATA) ? TM_OK : count(w, TM_PROTO_STAT_RAILS_EMPTY);
    for (int pass = NAMES; pass < PASSES; pass++) {
        struct tm_pb pb = tm_pb_of(body->data, body->len);
        struct tm_pb_field f;
        while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
            if (f.type != TM_PB_LEN)
                continue;
            if (f.id == RAILS_DESCRIPTOR && pass == NAMES)
                st = describe_rail(w, session, &f);
            else if (f.id == RAILS_DATA && pass != NAMES)
                st = add_energy(w, session, &f, pass == OWN_TIMES);
        }
    }
    return st;
}

static uint64_t state_key(const struct fields *m)
{
    uint64_t key[2] = {m->of[STATE_ENTITY].value, m->of[STATE_INDEX].value};
    return tm_hash64_numbers(key, 2, TM_PROTO_KNOWN_STATE);
}

static enum tm_status describe_state(struct tm_proto_packet_rows *w, const struct tm_pb_field *f)
{
    struct fields m = fields_of(f->data, f->len);
    const struct tm_pb_field *entity = &m.of[STATE_ENTITY_NAME], *state = &m.of[STATE_NAME];
    tm_buf_clear(&w->rows->key);
    tm_buf_clear(&w->rows->text);
    if (!has(&m, STATE_ENTITY) || !has(&m, STATE_INDEX))
        return count(w, TM_PROTO_STAT_ENERGY_DESCRIPTOR);
    if (tm_buf_addf(&w->rows->key, "Entity residency: %.*s is %.*s", (int)entity->len,
                    entity->data ? (const char *)entity->data : "", (int)state->len,
                    state->data ? (const char *)state->data : "") != TM_OK)
        return tm_error_nomem(w->err);
    return remember(w, state_key(&m), (struct tm_text){0});
}

/* Adds the counter of how long an entity has been in a state. */
static enum tm_status add_residency(struct tm_proto_packet_rows *w, const struct tm_pb_field *f)
{
    struct fields m = fields_of(f->data, f->len);
    struct tm_event row = w->like;
    struct tm_proto_known_text name;
    row.kind = TM_KIND_COUNTER;
    row.flags |= TM_EVENT_HAS_VALUE | TM_EVENT_VALUE_DOUBLE;
    row.value = tm_pb_bits((double)m.of[STATE_TIME_MS].value);
    if (!tm_proto_known_text_find(w->known, w->packet->machine, state_key(&m), &name))
        return tm_proto_unnamed_add(w, f, 0, TM_PROTO_STAT_ENTITY_UNKNOWN);
    enum tm_status st = tm_proto_string(w->rows, name.name.data, name.name.len, &row.name, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

static enum tm_status entity_state_residency(struct tm_proto_packet_rows *w)
{
    const struct tm_pb_field *body = &w->packet->body;
    const struct fields all = fields_of(body->data, body->len);
    enum tm_status st = has(&all, RESIDENCY_TIME) ? TM_OK : count(w, TM_PROTO_STAT_ENTITY_INVALID);
    for (uint32_t id = RESIDENCY_STATE; id <= RESIDENCY_TIME; id++) {
        struct tm_pb pb = tm_pb_of(body->data, body->len);
        struct tm_pb_field f;
        while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
            if (f.id == id && f.type == TM_PB_LEN)
                st = id == RESIDENCY_STATE ? describe_state(w, &f) : add_residency(w, &f);
    }
    return st;
}

static enum tm_status gpu_memory(struct tm_proto_packet_rows *w)
{
    struct fields m = fields_of(w->packet->body.data, w->packet->body.len);
    struct tm_event row = w->like;
    row.value = tm_proto_unsigned(m.of[GPU_MEM_SIZE].value, &row.flags);
    if (number(&m, GPU_MEM_PID) != 0) {
        row.pid = (uint32_t)number(&m, GPU_MEM_PID);
        row.flags |= TM_EVENT_HAS_PID | tm_event_scope_flags(TM_SCOPE_PROCESS);
    }
    return tm_proto_gpu_memory_add(w->rows, (uint32_t)number(&m, GPU_MEM_GPU), &row, w->err);
}

/* Adds the frequency of a cpu or a GPU in a generic packet, which recorders of any kernel can write. */
static enum tm_status generic_frequency(struct tm_proto_packet_rows *w, bool is_gpu)
{
    struct fields m = fields_of(w->packet->body.data, w->packet->body.len);
    struct tm_event like = w->like;
    if (is_gpu) {
        like.flags |= TM_EVENT_HAS_TRACK;
        like.track = (uint32_t)number(&m, GENERIC_GPU);
        return tm_proto_counter_add(w->rows, &like, "gpufreq", (uint32_t)number(&m, GENERIC_KHZ), w->err);
    }
    like.flags |= tm_event_scope_flags(TM_SCOPE_CPU) | TM_EVENT_HAS_CPU | TM_EVENT_VALUE_DOUBLE;
    like.cpu = (uint32_t)number(&m, GENERIC_CPU);
    uint64_t khz = tm_pb_bits((double)number(&m, GENERIC_HZ) / HZ_PER_KHZ);
    return tm_proto_counter_add(w->rows, &like, "cpufreq", khz, w->err);
}

static enum tm_status screen(struct tm_proto_packet_rows *w)
{
    struct fields m = fields_of(w->packet->body.data, w->packet->body.len);
    return tm_proto_counter_add(w->rows, &w->like, "ScreenState", (uint64_t)(int64_t)(int32_t)number(&m, DISPLAY_STATE),
                                w->err);
}

/* Makes ROW an instant on the track of triggers. NAME may be NULL. */
static enum tm_status put_trigger(struct tm_proto_packet_rows *w, const char *name, size_t len, struct tm_event *row)
{
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_TRIGGERS};
    row->kind = TM_KIND_INSTANT;
    enum tm_status st = tm_proto_named_row_on(w->rows, &named, "Trace Triggers", row, w->err);
    row->flags &= ~(uint32_t)TM_EVENT_ASYNC;
    return st < 0 || name == NULL ? st : tm_proto_string(w->rows, name, len, &row->name, w->err);
}

/* Adds a trigger of Chrome, which may end a flow. The hash of its name is always an arg. */
static enum tm_status chrome_trigger(struct tm_proto_packet_rows *w)
{
    struct fields m = fields_of(w->packet->body.data, w->packet->body.len);
    const struct tm_pb_field *name = &m.of[CHROME_TRIGGER_NAME], *flow = &m.of[CHROME_TRIGGER_FLOW];
    static const char unnamed[] = "chrome_trigger";
    struct tm_event row = w->like;
    struct tm_buf *detail = &w->rows->detail;
    const bool is_named = name->type == TM_PB_LEN;
    const char *text = is_named && name->data ? (const char *)name->data : "";
    enum tm_status st = is_named ? put_trigger(w, text, name->len, &row)
                                 : put_trigger(w, unnamed, sizeof unnamed - 1, &row);
    if (st >= 0 && flow->type == TM_PB_I64)
        st = tm_pb_put_i64(detail, TM_DETAIL_TERMINATING_FLOW_IDS, flow->value);
    if (st >= 0)
        st = tm_detail_arg_uint(detail, "chrome_trigger.name_hash", (uint32_t)number(&m, CHROME_TRIGGER_HASH));
    if (st >= 0 && is_named)
        st = tm_detail_arg_text(detail, "chrome_trigger.name", text, name->len);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

static enum tm_status trigger(struct tm_proto_packet_rows *w)
{
    struct fields m = fields_of(w->packet->body.data, w->packet->body.len);
    const struct tm_pb_field *name = &m.of[TRIGGER_NAME], *producer = &m.of[TRIGGER_PRODUCER];
    struct tm_event row = w->like;
    const char *text = name->data ? (const char *)name->data : "";
    enum tm_status st = put_trigger(w, name->type == TM_PB_LEN ? text : NULL, name->len, &row);
    if (st >= 0 && producer->type == TM_PB_LEN)
        st = tm_detail_arg_text(&w->rows->detail, "producer_name", producer->data, producer->len);
    if (st >= 0 && has(&m, TRIGGER_UID))
        st = tm_detail_arg_int(&w->rows->detail, "trusted_producer_uid", (int32_t)number(&m, TRIGGER_UID));
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

enum tm_status tm_proto_power_read(struct tm_proto_known_texts *known, struct tm_proto_rows *rows,
                                   const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_packet_rows w = {.known = known, .rows = rows, .packet = packet, .err = err};
    enum tm_status st = tm_proto_packet_rows_begin(&w);
    /* Packets without a time still define names for later ones. */
    bool names = packet->body.id == TM_PACKET_POWER_RAILS || packet->body.id == TM_PACKET_ENTITY_STATE_RESIDENCY;
    if (st < 0 || (!packet->has_time && !names))
        return st;
    switch (packet->body.id) {
    case TM_PACKET_BATTERY:
        return battery(&w);
    case TM_PACKET_POWER_RAILS:
        return power_rails(&w);
    case TM_PACKET_ENTITY_STATE_RESIDENCY:
        return entity_state_residency(&w);
    case TM_PACKET_GPU_MEM_TOTAL:
        return gpu_memory(&w);
    case TM_PACKET_GENERIC_CPU_FREQUENCY:
    case TM_PACKET_GENERIC_GPU_FREQUENCY:
        return generic_frequency(&w, packet->body.id == TM_PACKET_GENERIC_GPU_FREQUENCY);
    case TM_PACKET_INITIAL_DISPLAY_STATE:
        return screen(&w);
    case TM_PACKET_CHROME_TRIGGER:
        return chrome_trigger(&w);
    default:
        return trigger(&w);
    }
}

enum tm_status tm_proto_power_again(struct tm_proto_packet_rows *w, uint64_t session)
{
    const struct tm_pb_field *reading = &w->packet->body;
    if (reading->id == TM_PACKET_ENTITY_STATE_RESIDENCY)
        return add_residency(w, reading);
    enum tm_status st = add_energy(w, session, reading, false);
    return st < 0 ? st : add_energy(w, session, reading, true);
}
