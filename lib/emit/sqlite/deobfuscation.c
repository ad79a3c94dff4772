/* Names of classes, fields and functions that a build replaced by short ones, from the mappings that a trace states.
 * They wait in temporary tables and are looked up at the end, when all rows are known, because a mapping may come from
 * another file. Rules: importers/proto/deobfuscation_tracker.cc and util/profiler_util.cc of Perfetto. */
#include "emit/sqlite/internal.h"

#include "base/pb.h"

/* Fields of DeobfuscationMapping, ObfuscatedClass and ObfuscatedMember. */
enum { MAPPING_PACKAGE = 1, MAPPING_CLASSES = 3, CLASS_MEMBERS = 3, CLASS_METHODS = 4 };
enum { SHORT_NAME = 1, REAL_NAME = 2, FIRST_LINE = 3, LAST_LINE = 4, SOURCE_LINE = 5 };

static const char tables[] =
    "CREATE TEMP TABLE tm_short_class(id INTEGER PRIMARY KEY, package TEXT, name TEXT, real_name TEXT);"
    "CREATE TEMP TABLE tm_short_field(id INTEGER PRIMARY KEY, name TEXT, real_name TEXT);"
    "CREATE TEMP TABLE tm_short_method(id INTEGER PRIMARY KEY, package TEXT, name TEXT, real_name TEXT,"
    " mapping INTEGER, first_line INTEGER, last_line INTEGER, source_line INTEGER);";

/* If several mappings have a name, the last one counts. If the location of a class states a package, the mapping must
 * be of that package. A function's mapping must be of the package that its mapped file states, unless the file is a
 * memfd. */
static const char deobfuscate[] =
    "CREATE INDEX temp.tm_short_class_name ON tm_short_class(name);"
    "CREATE INDEX temp.tm_short_field_name ON tm_short_field(name);"
    "CREATE INDEX temp.tm_short_method_name ON tm_short_method(name);"
    "UPDATE main.heap_graph_class SET deobfuscated_name = tm_as_type(name, (SELECT real_name FROM tm_short_class s"
    " WHERE s.name = tm_bare_type(heap_graph_class.name)"
    " AND coalesce(tm_package(heap_graph_class.location), s.package) = s.package ORDER BY s.id DESC LIMIT 1))"
    " WHERE tm_bare_type(name) IN (SELECT name FROM tm_short_class);"
    "UPDATE main.heap_graph_reference SET deobfuscated_field_name = (SELECT real_name FROM tm_short_field s"
    " WHERE s.name = heap_graph_reference.field_name ORDER BY s.id DESC LIMIT 1)"
    " WHERE field_name IN (SELECT name FROM tm_short_field);"
    /* The methods that a frame may be. */
    "CREATE TEMP TABLE tm_frame_method AS SELECT f.id AS frame, s.id AS method, s.mapping, y.line"
    " FROM main.stack_profile_frame f CROSS JOIN tm_short_method s ON s.name = f.name"
    " CROSS JOIN main.stack_profile_mapping p ON p.id = f.mapping"
    " LEFT JOIN (SELECT symbol_set_id, line_number AS line, min(id) FROM main.stack_profile_symbol"
    " WHERE line_number IS NOT NULL GROUP BY symbol_set_id) y ON y.symbol_set_id = f.symbol_set_id"
    " WHERE s.package <> '' AND instr(f.name, '.') AND"
    " (tm_package(p.name) = s.package OR tm_package(p.name) IS NULL AND substr(p.name, 1, 7) = '/memfd:');"
    "CREATE INDEX temp.tm_frame_method_frame ON tm_frame_method(frame);"
    "DELETE FROM tm_frame_method WHERE mapping <> (SELECT max(m.mapping) FROM tm_frame_method m"
    " WHERE m.frame = tm_frame_method.frame);"
    "UPDATE main.stack_profile_frame SET deobfuscated_name = (SELECT group_concat(real_name, ' | ') FROM"
    " (SELECT DISTINCT s.real_name FROM tm_frame_method m JOIN tm_short_method s ON s.id = m.method"
    " WHERE m.frame = stack_profile_frame.id ORDER BY s.real_name)) WHERE id IN (SELECT frame FROM tm_frame_method);"
    /* The functions that are inlined at the line of a frame, the innermost first. */
    "DELETE FROM tm_frame_method WHERE line IS NULL OR NOT EXISTS (SELECT 1 FROM tm_short_method s WHERE s.id = method"
    " AND coalesce(s.first_line, line) <= line AND coalesce(s.last_line, line) >= line);"
    "INSERT INTO main.stack_profile_symbol(symbol_set_id, name, line_number, inlined)"
    " SELECT (SELECT count(*) FROM main.stack_profile_frame) + m.frame, s.real_name, s.source_line,"
    " m.method < (SELECT max(method) FROM tm_frame_method n WHERE n.frame = m.frame)"
    " FROM tm_frame_method m JOIN tm_short_method s ON s.id = m.method ORDER BY m.frame, m.method;"
    "UPDATE main.stack_profile_frame SET symbol_set_id = (SELECT count(*) FROM main.stack_profile_frame) + id,"
    " deobfuscated_name = (SELECT real_name FROM tm_short_method WHERE id ="
    " (SELECT max(method) FROM tm_frame_method m WHERE m.frame = stack_profile_frame.id))"
    " WHERE id IN (SELECT frame FROM tm_frame_method);";

static bool starts_with(struct tm_text text, const char *head)
{
    size_t len = strlen(head);
    return text.len >= len && memcmp(text.data, head, len) == 0;
}

/* Returns the text of VALUE; data is NULL for NULL. */
static struct tm_text text_of(sqlite3_value *value)
{
    const uint8_t *data = sqlite3_value_text(value);
    return (struct tm_text){data, data ? (size_t)sqlite3_value_bytes(value) : 0};
}

/* Returns the part before the first '-' of the folder at the start of PATH, packageName-random/base.apk. A folder that
 * begins with '~' before it is skipped. */
static struct tm_text package_of_app(struct tm_text path)
{
    static const struct tm_text none = {0};
    if (path.len && path.data[0] == '~') {
        const uint8_t *slash = memchr(path.data, '/', path.len);
        if (slash == NULL)
            return none;
        path = tm_text_after(path, (size_t)(slash + 1 - path.data));
    }
    const uint8_t *end = path.len > 1 ? memchr(path.data + 1, '/', path.len - 1) : NULL;
    const uint8_t *minus = end ? memchr(path.data, '-', (size_t)(end - path.data)) : NULL;
    return minus ? (struct tm_text){path.data, (size_t)(minus - path.data)} : none;
}

/* Returns the package of the Android app at LOCATION, the name of a file or mapping; data NULL: unknown. */
static struct tm_text package_of(struct tm_text location)
{
    static const char app[] = "/data/app/", in_memory[] = "dex extracted in memory from /data/app/";
    if (starts_with(location, app))
        return package_of_app(tm_text_after(location, sizeof app - 1));
    for (size_t at = 0; at < location.len; at++)
        if (starts_with(tm_text_after(location, at), in_memory))
            return package_of_app(tm_text_after(location, at + sizeof in_memory - 1));
    return (struct tm_text){0};
}

/* Returns the name in TYPE, a type in a heap graph. java.lang.Class<a.B[]> is the class of arrays of a.B. *ARRAYS is
 * the number of "[]". */
static struct tm_text bare_type(struct tm_text type, uint32_t *arrays, bool *is_class)
{
    static const char head[] = "java.lang.Class<";
    *is_class = starts_with(type, head) && type.data[type.len - 1] == '>';
    if (*is_class)
        type = (struct tm_text){type.data + sizeof head - 1, type.len - sizeof head};
    for (*arrays = 0; type.len >= 2 && memcmp(type.data + type.len - 2, "[]", 2) == 0; type.len -= 2)
        ++*arrays;
    return type;
}

static void package_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct tm_text location = text_of(values[0]);
    struct tm_text package = location.data ? package_of(location) : location;
    if (package.data)
        sqlite3_result_text(context, (const char *)package.data, (int)package.len, SQLITE_TRANSIENT);
}

static void bare_type_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct tm_text type = text_of(values[0]);
    uint32_t arrays;
    bool is_class;
    if (type.data == NULL)
        return;
    type = bare_type(type, &arrays, &is_class);
    sqlite3_result_text(context, (const char *)type.data, (int)type.len, SQLITE_TRANSIENT);
}

/* Replaces the name in the first value, a type, by the second. */
static void as_type_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct tm_text type = text_of(values[0]), name = text_of(values[1]);
    uint32_t arrays;
    bool is_class;
    struct tm_buf buf = {0};
    if (type.data == NULL || name.data == NULL)
        return;
    (void)bare_type(type, &arrays, &is_class);
    enum tm_status st = tm_buf_add_str(&buf, is_class ? "java.lang.Class<" : "");
    if (st == TM_OK)
        st = tm_buf_add(&buf, name.data, name.len);
    while (st == TM_OK && arrays--)
        st = tm_buf_add_str(&buf, "[]");
    if (st == TM_OK && is_class)
        st = tm_buf_add_str(&buf, ">");
    if (st == TM_OK)
        sqlite3_result_text(context, (const char *)buf.data, (int)buf.len, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
    tm_buf_release(&buf);
}

/* A class or a member of one. */
struct named {
    struct tm_text name, real_name;
    bool has_first, has_last, has_source;
    uint32_t first, last, source;
};

/* Reads the names and lines in MESSAGE. */
static struct named named_in(const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    struct named n = {.name = {(const uint8_t *)"", 0}, .real_name = {(const uint8_t *)"", 0}};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type == TM_PB_LEN && f.len && (f.id == SHORT_NAME || f.id == REAL_NAME))
            *(f.id == SHORT_NAME ? &n.name : &n.real_name) = (struct tm_text){f.data, f.len};
        if (f.type != TM_PB_VARINT)
            continue;
        n.has_first = n.has_first || f.id == FIRST_LINE;
        n.has_last = n.has_last || f.id == LAST_LINE;
        n.has_source = n.has_source || f.id == SOURCE_LINE;
        n.first = f.id == FIRST_LINE ? (uint32_t)f.value : n.first;
        n.last = f.id == LAST_LINE ? (uint32_t)f.value : n.last;
        n.source = f.id == SOURCE_LINE ? (uint32_t)f.value : n.source;
    }
    return n;
}

/* The statements that store a mapping, its package, and scratch buffers. */
struct mapping {
    struct tm_sqlite *s;
    sqlite3_stmt *class, *field, *method;
    struct tm_text package;
    struct tm_buf name, real_name;
};

static enum tm_status bind_names(struct mapping *m, sqlite3_stmt *stmt, struct tm_text name, struct tm_text real_name,
                                 struct tm_error *err)
{
    enum tm_status st = tm_sqlite_bind_text(m->s, stmt, 1, name, err);
    return st < 0 ? st : tm_sqlite_bind_text(m->s, stmt, 2, real_name, err);
}

/* Stores a field or method. The real name of its class precedes its own, unless that has a class already. */
static enum tm_status put_member(struct mapping *m, const struct named *class, const struct tm_pb_field *message,
                                 bool is_method, struct tm_error *err)
{
    sqlite3_stmt *stmt = is_method ? m->method : m->field;
    const struct named member = named_in(message);
    tm_buf_clear(&m->name);
    tm_buf_clear(&m->real_name);
    enum tm_status st = tm_buf_add(&m->name, class->name.data, class->name.len);
    if (st == TM_OK && (st = tm_buf_add_str(&m->name, ".")) == TM_OK)
        st = tm_buf_add(&m->name, member.name.data, member.name.len);
    if (st == TM_OK && memchr(member.real_name.data, '.', member.real_name.len) == NULL &&
        (st = tm_buf_add(&m->real_name, class->real_name.data, class->real_name.len)) == TM_OK)
        st = tm_buf_add_str(&m->real_name, ".");
    if (st == TM_OK)
        st = tm_buf_add(&m->real_name, member.real_name.data, member.real_name.len);
    if (st < 0)
        return tm_error_nomem(err);
    st = bind_names(m, stmt, (struct tm_text){m->name.data, m->name.len},
                    (struct tm_text){m->real_name.data, m->real_name.len}, err);
    if (st == TM_OK && is_method) {
        tm_sqlite_bind_maybe(stmt, 4, member.has_first, member.first);
        tm_sqlite_bind_maybe(stmt, 5, member.has_last, member.last);
        tm_sqlite_bind_maybe(stmt, 6, member.has_source, member.source);
        sqlite3_bind_int64(stmt, 7, m->s->obfuscation_count);
        st = tm_sqlite_bind_text(m->s, stmt, 3, m->package, err);
    }
    return st < 0 ? st : tm_sqlite_run(m->s, stmt, err);
}

static enum tm_status put_class(struct mapping *m, const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    const struct named class = named_in(message);
    enum tm_status st = bind_names(m, m->class, class.name, class.real_name, err);
    if (st == TM_OK)
        st = tm_sqlite_bind_text(m->s, m->class, 3, m->package, err);
    if (st == TM_OK)
        st = tm_sqlite_run(m->s, m->class, err);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_LEN && (f.id == CLASS_MEMBERS || f.id == CLASS_METHODS))
            st = put_member(m, &class, &f, f.id == CLASS_METHODS, err);
    return st;
}

static enum tm_status prepare(struct mapping *m, struct tm_error *err)
{
    struct tm_sqlite *s = m->s;
    enum tm_status st = s->obfuscation_count ? TM_OK : tm_sqlite_exec(s, tables, err);
    if (st < 0)
        return st;
    if (sqlite3_prepare_v2(s->db, "INSERT INTO tm_short_class(name, real_name, package) VALUES(?,?,?)", -1, &m->class,
                           NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(s->db, "INSERT INTO tm_short_field(name, real_name) VALUES(?,?)", -1, &m->field, NULL) !=
            SQLITE_OK ||
        sqlite3_prepare_v2(s->db, "INSERT INTO tm_short_method(name, real_name, package, first_line, last_line,"
                           " source_line, mapping) VALUES(?,?,?,?,?,?,?)", -1, &m->method, NULL) != SQLITE_OK)
        return tm_sqlite_fail(s, err);
    s->obfuscation_count++;
    return TM_OK;
}

enum tm_status tm_sqlite_deobfuscation(void *self, struct tm_text message, struct tm_error *err)
{
    struct mapping m = {.s = self, .package = {(const uint8_t *)"", 0}};
    struct tm_pb pb = tm_pb_of(message.data, message.len);
    struct tm_pb_field f;
    enum tm_status st = prepare(&m, err);
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == MAPPING_PACKAGE && f.type == TM_PB_LEN && f.len)
            m.package = (struct tm_text){f.data, f.len};
    pb = tm_pb_of(message.data, message.len);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == MAPPING_CLASSES && f.type == TM_PB_LEN)
            st = put_class(&m, &f, err);
    sqlite3_finalize(m.class);
    sqlite3_finalize(m.field);
    sqlite3_finalize(m.method);
    tm_buf_release(&m.name);
    tm_buf_release(&m.real_name);
    return st;
}

enum tm_status tm_sqlite_deobfuscate(struct tm_sqlite *s, struct tm_error *err)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    if (s->obfuscation_count == 0)
        return TM_OK;
    if (sqlite3_create_function(s->db, "tm_package", 1, flags, NULL, package_function, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function(s->db, "tm_bare_type", 1, flags, NULL, bare_type_function, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function(s->db, "tm_as_type", 2, flags, NULL, as_type_function, NULL, NULL) != SQLITE_OK)
        return tm_sqlite_fail(s, err);
    return tm_sqlite_exec(s, deobfuscate, err);
}
