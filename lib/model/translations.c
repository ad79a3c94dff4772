#include "model/translations.h"

#include "base/pb.h"
#include "base/secret.h"
#include "stream/detail_arg.h"

/* What a table is about: the number of its field in TranslationTable, or the number of the second list in the table of
 * performance marks. */
enum kind { OF_HISTOGRAMS = 1, OF_USER_EVENTS, OF_MARK_SITES, OF_SLICES, OF_TRACKS, OF_STUDIES, OF_MARKS };

/* Args with a hash, the kind of what is hashed, and the args with its name. */
static const struct hashed {
    enum kind kind;
    const char *hash, *name;
} hashed[] = {
    {OF_HISTOGRAMS, "chrome_histogram_sample.name_hash", "chrome_histogram_sample.name"},
    {OF_USER_EVENTS, "chrome_user_event.action_hash", "chrome_user_event.action"},
    {OF_MARK_SITES, "chrome_hashed_performance_mark.site_hash", "chrome_hashed_performance_mark.site"},
    {OF_MARKS, "chrome_hashed_performance_mark.mark_hash", "chrome_hashed_performance_mark.mark"},
    {OF_STUDIES, "chrome_trigger.name_hash", "chrome_trigger.name"},
};

void tm_translations_init(struct tm_translations *t)
{
    *t = (struct tm_translations){.secret = tm_secret()};
    tm_intern_init(&t->texts, TM_TRANSLATIONS_MAX, TM_TRANSLATION_BYTES_MAX);
}

void tm_translations_release(struct tm_translations *t)
{
    tm_table_release(&t->names);
    tm_intern_release(&t->texts);
}

static struct tm_key key_of(struct tm_place place, enum kind kind, uint64_t hash)
{
    return (struct tm_key){(uint64_t)place.file << 32 | place.machine, kind, hash};
}

static uint64_t hash_of(const struct tm_translations *t, struct tm_text text)
{
    return tm_keyed_bytes(t->secret, text.data, text.len);
}

static enum tm_status put(struct tm_translations *t, const struct tm_key *key, struct tm_text name,
                          struct tm_error *err)
{
    uint32_t id;
    enum tm_status st = tm_intern_add(&t->texts, name.data ? (const void *)name.data : "", name.len, &id, NULL);
    if (st == TM_END || t->names.count >= TM_TRANSLATIONS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d names in translation tables (TM_TRANSLATIONS_MAX)",
                            TM_TRANSLATIONS_MAX);
    return st < 0 ? tm_error_nomem(err) : tm_table_set(&t->names, key, id, err);
}

/* Takes in an entry: a key and a name. Both may be absent, and are then 0 and empty. */
static enum tm_status add_entry(struct tm_translations *t, struct tm_place place, enum kind kind,
                                const struct tm_pb_field *entry, struct tm_error *err)
{
    enum { KEY = 1, VALUE = 2 };
    struct tm_pb pb = tm_pb_of(entry->data, entry->len);
    struct tm_pb_field f;
    bool is_text = kind == OF_SLICES || kind == OF_TRACKS;
    struct tm_text text = {0}, name = {0};
    uint64_t number = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == KEY && f.type == TM_PB_LEN)
            text = (struct tm_text){f.data, f.len};
        else if (f.id == KEY && f.type == TM_PB_VARINT)
            number = f.value;
        else if (f.id == VALUE && f.type == TM_PB_LEN)
            name = (struct tm_text){f.data, f.len};
    }
    if (kind == OF_MARKS || kind == OF_MARK_SITES)
        number = (uint32_t)number;
    t->has_slices = t->has_slices || kind == OF_SLICES;
    t->has_tracks = t->has_tracks || kind == OF_TRACKS;
    t->has_hashes = t->has_hashes || !is_text;
    const struct tm_key key = key_of(place, kind, is_text ? hash_of(t, text) : number);
    return put(t, &key, name, err);
}

enum tm_status tm_translations_add(struct tm_translations *t, struct tm_place place, const uint8_t *message, size_t len,
                                   struct tm_error *err)
{
    enum { FIRST_LIST = 1, SECOND_LIST = 2 };
    struct tm_pb pb = tm_pb_of(message, len);
    struct tm_pb_field table = {0}, f;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_LEN && f.id <= OF_STUDIES && (table.id == 0 || f.id <= table.id))
            table = f;
    pb = tm_pb_of(table.data, table.len);
    while (st == TM_OK && table.id && tm_pb_next(&pb, &f) == TM_OK) {
        bool is_second = table.id == OF_MARK_SITES && f.id == SECOND_LIST;
        if (f.type == TM_PB_LEN && (f.id == FIRST_LIST || is_second))
            st = add_entry(t, place, is_second ? OF_MARKS : (enum kind)table.id, &f, err);
    }
    return st;
}

static struct tm_text find(const struct tm_translations *t, const struct tm_key *key)
{
    struct tm_text name = {0};
    int64_t id = tm_table_find(&t->names, key);
    if (id != TM_TABLE_NONE)
        name.data = tm_intern_get(&t->texts, (uint32_t)id, &name.len);
    return name;
}

static struct tm_text translate(const struct tm_translations *t, struct tm_place place, enum kind kind,
                                struct tm_text name)
{
    const struct tm_key key = key_of(place, kind, hash_of(t, name));
    struct tm_text found = find(t, &key);
    return found.data ? found : name;
}

struct tm_text tm_translations_slice(const struct tm_translations *t, struct tm_place place, struct tm_text name)
{
    return name.data && t->has_slices ? translate(t, place, OF_SLICES, name) : name;
}

struct tm_text tm_translations_track(const struct tm_translations *t, struct tm_place place, struct tm_text name)
{
    return name.data && t->has_tracks ? translate(t, place, OF_TRACKS, name) : name;
}

/* Appends the arg that names the value of ARG, if that is a hash with a name. */
static enum tm_status add_name(const struct tm_translations *t, struct tm_place place, const struct tm_pb_field *arg,
                               struct tm_buf *out, bool *is_changed)
{
    struct tm_pb pb = tm_pb_of(arg->data, arg->len);
    struct tm_pb_field f;
    struct tm_text key = {0};
    uint64_t value = 0;
    bool has_value = false;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_ARG_KEY && f.type == TM_PB_LEN) {
            key = (struct tm_text){f.data, f.len};
        } else if (f.id == TM_ARG_UINT && f.type == TM_PB_VARINT) {
            has_value = true;
            value = f.value;
        }
    }
    for (size_t i = 0; has_value && i < sizeof hashed / sizeof *hashed; i++) {
        if (!tm_text_is(key, hashed[i].hash))
            continue;
        const struct tm_key of = key_of(place, hashed[i].kind, value);
        struct tm_text name = find(t, &of);
        if (name.data == NULL)
            return TM_OK;
        *is_changed = true;
        return tm_detail_arg_text(out, hashed[i].name, name.data, name.len);
    }
    return TM_OK;
}

enum tm_status tm_translations_args(const struct tm_translations *t, struct tm_place place, struct tm_text detail,
                                    struct tm_buf *out, bool *is_changed)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    *is_changed = false;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        st = tm_buf_add(out, f.start, (size_t)(f.end - f.start));
        if (st == TM_OK && f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN)
            st = add_name(t, place, &f, out, is_changed);
    }
    return st;
}
