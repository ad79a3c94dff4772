/* Unit tests of emit/perfetto/annotations.h: flat keys become dictionaries and arrays. */
#include "emit/perfetto/annotation_names.h"
#include "emit/perfetto/annotations.h"
#include "stream/event.h"

#include "tap.h"


static struct tm_buf entries; /* of names: an InternedData */
static long ids_shown;

/* Writes the name of ID. */
static void show_name(uint64_t id, struct tm_buf *out)
{
    enum { IID = 1, TEXT = 2 };
    struct tm_pb_field entry, f;
    ids_shown++;
    for (struct tm_pb pb = tm_pb_of(entries.data, entries.len); tm_pb_next(&pb, &entry) == TM_OK;) {
        bool is_it = false;
        for (struct tm_pb of = tm_pb_of(entry.data, entry.len); tm_pb_next(&of, &f) == TM_OK;) {
            is_it |= f.id == IID && f.value == id;
            if (f.id == TEXT && is_it)
                tm_buf_add(out, f.data, f.len);
        }
    }
    tm_buf_add_byte(out, ':');
}

/* Writes DebugAnnotations to OUT as text: name:value, {entries}, [elements]. */
static void show(struct tm_pb pb, struct tm_buf *out)
{
    enum { NAME_IID = 1, INT = 4, STRING = 6, NAME = 10, ENTRY = 11, ELEMENT = 12 };
    struct tm_pb_field f;
    uint32_t in = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == NAME) {
            tm_buf_add(out, f.data, f.len);
            tm_buf_add_byte(out, ':');
        } else if (f.id == INT) {
            tm_buf_addf(out, "%lld", (long long)f.value);
        } else if (f.id == NAME_IID) {
            show_name(f.value, out);
        } else if (f.id == STRING) {
            tm_buf_add(out, f.data, f.len);
        } else if (f.id == ENTRY || f.id == ELEMENT) {
            tm_buf_add_byte(out, in == f.id ? ',' : f.id == ENTRY ? '{' : '[');
            in = f.id;
            show(tm_pb_of(f.data, f.len), out);
        }
    }
    if (in)
        tm_buf_add_byte(out, in == ENTRY ? '}' : ']');
}

/* Writes the arguments in DETAIL by A, and compares their annotations with WANTED. KEYS has the keys that they lack. */
static void gives_once(struct tm_annotations *a, const struct tm_buf *detail, struct tm_annotation_keys keys,
                       const char *wanted)
{
    struct tm_buf text = {0};
    struct tm_text out = {NULL, 0};
    struct tm_pb_field f;
    bool good = true;
    tm_annotations_begin(a, 4, 1, keys);
    for (struct tm_pb pb = tm_pb_of(detail->data, detail->len); tm_pb_next(&pb, &f) == TM_OK;)
        good = good && tm_annotations_add(a, f.data, f.len) == TM_OK;
    good = good && tm_annotations_end(a, &out) == TM_OK;
    for (struct tm_pb pb = tm_pb_of(out.data, out.len); tm_pb_next(&pb, &f) == TM_OK;) {
        if (text.len)
            tm_buf_add_byte(&text, ' ');
        show(tm_pb_of(f.data, f.len), &text);
    }
    tm_buf_add_byte(&text, 0);
    is_str((const char *)text.data, wanted);
    tm_buf_release(&text);
}

/* Writes to DETAIL an argument with KEY and VALUE. If it is LACKING, the key goes to LACKED instead. */
static void put_argument(struct tm_buf *detail, const char *key, uint64_t value, bool is_lacking, struct tm_buf *lacked)
{
    size_t mark;
    tm_pb_begin(detail, 1, &mark);
    if (is_lacking)
        tm_buf_add(lacked, key, strlen(key) + 1);
    else
        tm_pb_put_bytes(detail, 1, key, strlen(key));
    tm_pb_put_varint(detail, 2, tm_zigzag((int64_t)value));
    tm_pb_end(detail, mark);
}

/* KEYS, with a NULL at the end, have values 0, 1, …; their annotations in field 4 must be WANTED: without events
 * before, after those that A has seen, and after an event with the same keys. So it must be whichever arguments state
 * their keys. */
static void gives(struct tm_annotations *a, const char *const *keys, const char *wanted)
{
    static const uint32_t lacking[] = {0, UINT32_MAX, 0x55555555, 0xaaaaaaaa, 6, UINT32_MAX, 0x66666666};
    static struct tm_annotation_names names;
    static uint32_t number;
    for (size_t way = 0; way < sizeof lacking / sizeof *lacking; way++) {
        struct tm_annotations first = {.depth = 0};
        struct tm_buf detail = {0}, lacked = {0};
        for (uint64_t i = 0; keys[i]; i++)
            put_argument(&detail, keys[i], i, lacking[way] >> i & 1, &lacked);
        struct tm_annotation_keys lacked_keys = {.text = tm_text_at(lacked.data, lacked.len),
                                                 .number = lacked.len == 0 ? 0 : way == 4 ? TM_STRING_INLINE | 3
                                                                                          : ++number};
        const struct tm_used_arg_keys used = {1, number, lacked_keys.text};
        if (way > 4 && lacked.len) /* the others have no ids */
            ok(tm_annotation_names_find(&names, &used, &entries, &lacked_keys.ids) == TM_OK);
        gives_once(&first, &detail, lacked_keys, wanted);
        gives_once(a, &detail, lacked_keys, wanted);
        gives_once(a, &detail, lacked_keys, wanted);
        tm_annotations_release(&first);
        tm_buf_release(&detail);
        tm_buf_release(&lacked);
    }
}

#define GIVES(wanted, ...) gives(&a, (const char *const[]){__VA_ARGS__, NULL}, wanted)

/* Finds the ids of KEYS, number NUMBER, for MACHINE. Returns how many bytes of entries that takes. */
static size_t entries_for(struct tm_annotation_names *names, uint32_t machine, uint32_t number, struct tm_text keys,
                          struct tm_text *ids)
{
    const struct tm_used_arg_keys used = {machine, number, keys};
    struct tm_text recent;
    size_t before = entries.len;
    ok(tm_annotation_names_find(names, &used, &entries, ids) == TM_OK);
    ok(tm_annotation_names_recent(names, &used, &recent) && recent.len == ids->len);
    return entries.len - before;
}

static void test_names(void)
{
    static struct tm_annotation_names names;
    const struct tm_text keys = tm_text_at("args.a.b[0][1].c\0b\0", 19), others = tm_text_at("c\0d\0", 4);
    static const uint8_t wanted[] = {3, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 0, 0, 0};
    struct tm_text ids;
    char long_key[600];
    tm_buf_clear(&entries);
    ok(entries_for(&names, 1, 7, keys, &ids) == 3 * 7 && ids.len == sizeof wanted &&
       memcmp(ids.data, wanted, sizeof wanted) == 0);
    ok_named(entries_for(&names, 1, 7, keys, &ids) == 0, "a name has one entry on a sequence");
    ok_named(entries_for(&names, 1, 8, others, &ids) == 7, "names of other keys too");
    ok_named(entries_for(&names, 2, 7, keys, &ids) == 3 * 7 && memcmp(ids.data, wanted, sizeof wanted) == 0,
             "on each sequence, with one id");
    memset(long_key, 'k', sizeof long_key);
    long_key[sizeof long_key - 1] = '\0';
    ok_named(entries_for(&names, 2, 9, tm_text_at(long_key, sizeof long_key), &ids) == 0 && ids.len == 0,
             "a long name has no id");
    ok(entries_for(&names, 2, 10, others, &ids) == 7);
    tm_buf_clear(&entries);
    ok(entries_for(&names, 3, 10, others, &ids) == 2 * 7);
    tm_annotation_names_restart(&names);
    tm_buf_clear(&entries);
    ok_named(entries_for(&names, 3, 10, others, &ids) == 2 * 7, "after a restart entries are written again");

    /* an event that states its keys has names as texts, also after one with the same keys, which has ids */
    struct tm_annotations a = {.depth = 0};
    struct tm_buf lacking = {0}, stating = {0}, unused = {0};
    const struct tm_annotation_keys by_id = {others, ids, 1}, by_text = {.number = 0};
    put_argument(&lacking, "c", 0, true, &unused);
    put_argument(&stating, "c", 0, false, NULL);
    for (long i = 0, shown = ids_shown; i < 3; i++) {
        gives_once(&a, &lacking, by_id, "c:0");
        gives_once(&a, &stating, by_text, "c:0");
        is_int(ids_shown, shown + i + 1);
    }
    tm_annotations_release(&a);
    tm_buf_release(&lacking);
    tm_buf_release(&stating);
    tm_buf_release(&unused);
    tm_annotation_names_release(&names);
}

/* Two strings of keys whose events have one plan. That of the second has no room for its groups. */
static void test_plan_of_two(void)
{
    struct tm_annotations a = {.depth = 0};
    struct tm_buf one = {0}, two = {0}, one_keys = {0}, two_keys = {0};
    put_argument(&one, "a", 0, true, &one_keys);
    put_argument(&one, "b", 1, true, &one_keys);
    put_argument(&two, "c", 0, true, &two_keys);
    put_argument(&two, "d.e.f.g", 1, true, &two_keys);
    for (int i = 0; i < 3; i++) {
        gives_once(&a, &one, (struct tm_annotation_keys){.text = tm_text_at(one_keys.data, one_keys.len), .number = 1},
                   "a:0 b:1");
        gives_once(&a, &two,
                   (struct tm_annotation_keys){.text = tm_text_at(two_keys.data, two_keys.len),
                                               .number = 1 + TM_ANNOTATION_PLANS},
                   "c:0 d:{e:{f:{g:1}}}");
    }
    /* a damaged stream: an event lacks arguments of its keys */
    struct tm_buf three = {0}, first = {0}, three_keys = {0}, unused = {0};
    put_argument(&first, "a", 0, true, &unused);
    put_argument(&three, "a", 0, true, &three_keys);
    put_argument(&three, "y", 1, true, &three_keys);
    const struct tm_annotation_keys keys = {.text = tm_text_at(three_keys.data, three_keys.len),
                                            .number = 1 + 2 * TM_ANNOTATION_PLANS};
    gives_once(&a, &one, (struct tm_annotation_keys){.text = tm_text_at(one_keys.data, one_keys.len), .number = 1},
               "a:0 b:1");
    gives_once(&a, &first, keys, "a:0");
    gives_once(&a, &three, keys, "a:0 y:1");
    tm_buf_release(&three);
    tm_buf_release(&first);
    tm_buf_release(&three_keys);
    tm_buf_release(&unused);
    tm_annotations_release(&a);
    tm_buf_release(&one);
    tm_buf_release(&two);
    tm_buf_release(&one_keys);
    tm_buf_release(&two_keys);
}

int main(void)
{
    struct tm_annotations a = {.depth = 0};
    GIVES("a:0 b:1", "args.a", "args.b");
    GIVES("a:{b:0,c:1} d:2", "args.a.b", "args.a.c", "args.d");
    GIVES("a:[0,1] b:[{x:2,y:3},{x:4}]", "args.a[0]", "args.a[1]", "args.b[0].x", "args.b[0].y", "args.b[1].x");
    GIVES("a:[[0,1],[2]]", "args.a[0][0]", "args.a[0][1]", "args.a[1][0]");
    GIVES("a:[0,,{b:[1]}]", "a[0]", "a[2].b[0]"); /* an element without an annotation keeps its number */
    GIVES("a:0 a:{b:1}", "a", "a.b");
    GIVES("ab:0 a:{b:1} ac:2", "ab", "a.b", "ac");
    GIVES("a[x]:0 a[]:1 a[1:2 [0:3 a[0]b:4", "a[x]", "a[]", "a[1", "[0", "a[0]b");
    /* Names can be empty. */
    GIVES(":[[0,1],[2]] :3 b:{:[4]}", "args.[0][0]", "args.[0][1]", "args.[1][0]", "args.", "args.b.[0]");
    GIVES("a:[0] a[x]:1 a:[,2]", "a[0]", "a[x]", "a[1]");
    GIVES(":{:0} a:{:1} args:2", ".", "a.", "args");
    /* marks at each place of a long key: eight bytes are compared at once */
    GIVES("12345678:0 1234567:{a:1} 12345678:{a:2} 123456789:{a:3} 1234567890123456789:{b:4}", "12345678",
          "1234567.a", "12345678.a", "123456789.a", "1234567890123456789.b");
    GIVES("12345678[90:0 long_name:[1,2] 123456789[x]123456:{a:3}", "12345678[90", "long_name[0]", "long_name[1]",
          "123456789[x]123456.a");
    GIVES("\x2f\x2d\x5a\x5c\x81\xae\xdb:0", "\x2f\x2d\x5a\x5c\x81\xae\xdb");

    /* the same keys up to the second or third, then others */
    GIVES("a:{b:[0,{c:1}],d:2} e:3", "a.b[0]", "a.b[1].c", "a.d", "e");
    GIVES("a:{b:[0,{c:1}]} e:2 a:{d:3}", "a.b[0]", "a.b[1].c", "e", "a.d");
    GIVES("a:{b:[0,1,,{c:2}]} e:3", "a.b[0]", "a.b[1]", "a.b[3].c", "e");
    GIVES("a:{b:[0,1,2],e:3}", "a.b[0]", "a.b[1]", "a.b[2]", "a.e");
    GIVES("a:{b:{c:{d:{e:0}}}} f:1", "a.b.c.d.e", "f"); /* more groups begin than are remembered */
    GIVES("a:[{[x]:0}]", "a[0][x]"); /* a bracket without an index is part of a name */
    GIVES("ab:{c:[0,{d:1}]} ab:[2]", "ab.c[0]", "ab.c[1].d", "ab[0]");

    /* two events whose arguments are the same but for which of them lack a key */
    GIVES("a:0 x:1 b:2", "a", "x", "b");
    GIVES("a:0 b:1", "a", "b");

    char deep[400] = "k", wanted[400] = "";
    for (int i = 0; i < 40; i++)
        strcat(deep, ".k");
    for (int i = 0; i < TM_ANNOTATION_DEPTH_MAX; i++)
        strcat(wanted, i ? "{k:" : "k:");
    strcat(wanted, "{k.k.k.k.k.k.k.k.k:0");
    for (int i = 0; i < TM_ANNOTATION_DEPTH_MAX; i++)
        strcat(wanted, "}");
    GIVES(wanted, deep);
    ok(ids_shown > 200);
    tm_annotations_release(&a);
    test_names();
    test_plan_of_two();
    tm_buf_release(&entries);
    return tap_done();
}
