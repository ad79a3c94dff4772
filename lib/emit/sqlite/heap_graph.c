/* The rows of a heap graph, in the words of the reference importer. */
#include "emit/sqlite/internal.h"

#include "model/heap_graph.h"

static const char *word(const char *const words[], size_t count, uint8_t i)
{
    return i < count ? words[i] : NULL;
}

#define WORD(words, i) word(words, sizeof (words) / sizeof *(words), i)

static const char *const heaps[] = {NULL, "HEAP_TYPE_APP", "HEAP_TYPE_ZYGOTE", "HEAP_TYPE_BOOT_IMAGE"};
static const char *const roots[] = {"ROOT_UNKNOWN",       "ROOT_JNI_GLOBAL",      "ROOT_JNI_LOCAL",
                                    "ROOT_JAVA_FRAME",    "ROOT_NATIVE_STACK",    "ROOT_STICKY_CLASS",
                                    "ROOT_THREAD_BLOCK",  "ROOT_MONITOR_USED",    "ROOT_THREAD_OBJECT",
                                    "ROOT_INTERNED_STRING", "ROOT_FINALIZING",    "ROOT_DEBUGGER",
                                    "ROOT_REFERENCE_CLEANUP", "ROOT_VM_INTERNAL", "ROOT_JNI_MONITOR"};
static const char *const kinds[] = {"KIND_UNKNOWN",      "KIND_NORMAL",         "KIND_NOREFERENCES",
                                    "KIND_STRING",       "KIND_ARRAY",          "KIND_CLASS",
                                    "KIND_CLASSLOADER",  "KIND_DEXCACHE",       "KIND_SOFT_REFERENCE",
                                    "KIND_WEAK_REFERENCE", "KIND_FINALIZER_REFERENCE", "KIND_PHANTOM_REFERENCE"};

static enum tm_status put_graph(struct tm_sqlite *s, const struct tm_heap_graph *g, int64_t upid, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_HEAP_GRAPH];
    sqlite3_bind_int64(stmt, 1, s->heap.next_graph++);
    sqlite3_bind_int64(stmt, 2, g->ts);
    sqlite3_bind_int64(stmt, 3, upid);
    tm_sqlite_bind_maybe(stmt, 4, g->has_size, g->size);
    sqlite3_bind_int64(stmt, 5, g->is_truncated);
    return tm_sqlite_run(s, stmt, err);
}

static enum tm_status put_classes(struct tm_sqlite *s, const struct tm_heap_graph *g, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_HEAP_CLASS];
    const struct tm_sqlite_heap *to = &s->heap;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < g->type_count; i++) {
        const struct tm_heap_type *type = &g->types[i];
        sqlite3_bind_int64(stmt, 1, to->next_class + i);
        if ((st = tm_sqlite_bind_text(s, stmt, 2, tm_heap_graph_text(g, type->name), err)) < 0 ||
            (st = tm_sqlite_bind_text(s, stmt, 3, tm_heap_graph_text(g, type->location_text), err)) < 0)
            return st;
        tm_sqlite_bind_maybe(stmt, 4, type->superclass != TM_HEAP_NONE, to->next_class + type->superclass);
        tm_sqlite_bind_maybe(stmt, 5, type->loader != TM_HEAP_NONE, to->next_object + type->loader);
        tm_sqlite_bind_word(stmt, 6, type->is_known ? WORD(kinds, type->kind) : NULL);
        st = tm_sqlite_run(s, stmt, err);
    }
    return st;
}

/* Writes the fields of an object of class Bitmap: a set of up to four. */
static enum tm_status put_bitmap(struct tm_sqlite *s, const struct tm_heap_bitmap *bitmap, struct tm_error *err)
{
    static const char *const names[] = {"android.graphics.Bitmap.mId", "android.graphics.Bitmap.mSourceId",
                                        "android.graphics.Bitmap.mWidth", "android.graphics.Bitmap.mHeight"};
    sqlite3_stmt *data = s->statements[TM_SQL_HEAP_DATA], *field = s->statements[TM_SQL_HEAP_PRIMITIVE];
    int64_t set = s->heap.next_primitive;
    enum tm_status st = TM_OK;
    for (int i = 0; st == TM_OK && i < 4; i++) {
        bool is_long = i < 2;
        if (!(bitmap->has & 1 << i))
            continue;
        sqlite3_bind_int64(field, 1, s->heap.next_primitive++);
        sqlite3_bind_int64(field, 2, set);
        tm_sqlite_bind_word(field, 3, names[i]);
        tm_sqlite_bind_word(field, 4, is_long ? "long" : "int");
        tm_sqlite_bind_maybe(field, 5, !is_long, bitmap->values[i]);
        tm_sqlite_bind_maybe(field, 6, is_long, bitmap->values[i]);
        st = tm_sqlite_run(s, field, err);
    }
    sqlite3_bind_int64(data, 1, s->heap.next_data++);
    sqlite3_bind_int64(data, 2, set);
    return st < 0 ? st : tm_sqlite_run(s, data, err);
}

static void put_word(struct tm_sqlite *s, const char *text)
{
    tm_sqlite_record_text(&s->record, text ? tm_text_str(text) : (struct tm_text){0});
}

static enum tm_status put_object(struct tm_sqlite *s, const struct tm_heap_graph *g, int64_t upid, uint32_t i,
                                 struct tm_error *err)
{
    const struct tm_heap_object *object = &g->objects[i];
    const struct tm_sqlite_heap *to = &s->heap;
    struct tm_sqlite_record *r = &s->record;
    int64_t data = TM_NO_ID;
    uint32_t bitmap;
    if (g->bitmap_count && tm_map_find(&g->bitmap_of, i, &bitmap)) {
        data = to->next_data;
        enum tm_status st = put_bitmap(s, &g->bitmaps[bitmap], err);
        if (st < 0)
            return st;
    }
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, upid);
    tm_sqlite_record_int(r, g->ts);
    tm_sqlite_record_int(r, object->self_size);
    tm_sqlite_record_int(r, object->native_size);
    tm_sqlite_record_maybe(r, object->reference_count, to->next_reference);
    tm_sqlite_record_int(r, object->is_reachable);
    put_word(s, WORD(heaps, object->heap));
    tm_sqlite_record_maybe(r, object->type != TM_HEAP_NONE, to->next_class + object->type);
    put_word(s, WORD(roots, object->root));
    tm_sqlite_record_int(r, -1); /* root_distance, which the reference does not compute */
    tm_sqlite_record_id(r, data);
    return tm_sqlite_btree_add(&s->heap.objects, to->next_object + i, r, err);
}

/* Writes the references of object I. They are a set; its number is that of its first row. */
static enum tm_status put_references(struct tm_sqlite *s, const struct tm_heap_graph *g, uint32_t i,
                                     struct tm_error *err)
{
    const struct tm_heap_object *object = &g->objects[i];
    int64_t set = s->heap.next_reference;
    struct tm_sqlite_record *r = &s->record;
    enum tm_status st = TM_OK;
    for (uint32_t k = 0; st == TM_OK && k < object->reference_count; k++) {
        const struct tm_heap_reference *ref = &g->references[object->first_reference + k];
        struct tm_heap_field field = {TM_HEAP_NONE, TM_HEAP_NONE};
        if (ref->field != TM_HEAP_NONE)
            field = g->fields[ref->field];
        tm_sqlite_record_begin(r);
        tm_sqlite_record_null(r);
        tm_sqlite_record_int(r, set);
        tm_sqlite_record_int(r, s->heap.next_object + i);
        tm_sqlite_record_maybe(r, ref->owned != TM_HEAP_NONE, s->heap.next_object + ref->owned);
        tm_sqlite_put_text(s, tm_heap_graph_text(g, field.name));
        tm_sqlite_put_text(s, tm_heap_graph_text(g, field.type));
        tm_sqlite_record_null(r);
        st = tm_sqlite_btree_add(&s->heap.references, s->heap.next_reference++, r, err);
    }
    return st;
}

enum tm_status tm_sqlite_heap_graph(void *self, const struct tm_heap_graph *g, int64_t upid, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    enum tm_status st = g->has_owner ? put_graph(s, g, upid, err) : TM_OK;
    if (st == TM_OK)
        st = put_classes(s, g, err);
    for (uint32_t i = 0; st == TM_OK && i < g->object_count; i++) {
        if ((st = put_object(s, g, upid, i, err)) == TM_OK)
            st = put_references(s, g, i, err);
    }
    s->heap.next_class += g->type_count;
    s->heap.next_object += g->object_count;
    return st;
}
