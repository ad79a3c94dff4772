/* Unit tests of method traces of Android's runtime: recognition, lines of facts, limits. t/144-art-method.bats tests
 * the rows of each layout. */
#include "format/art_method/art_method.h"

#include "format/art_method/facts.h"
#include "tap.h"

static bool is_of(const struct tm_format *format, const char *head, size_t len)
{
    return tm_format_sniff((const uint8_t *)head, len) == format;
}
#define IS_OF(format, head) is_of(format, head, sizeof head - 1)

static void recognition(void)
{
    const struct tm_format *v1 = &tm_format_art_method, *v2 = &tm_format_art_method_v2;
    ok(IS_OF(v1, "*version\n3\n"));
    ok(IS_OF(v1, "SLOW\3\0"));
    ok(IS_OF(v1, "SLOW\xf2\0"));
    ok(IS_OF(v2, "SLOW\4\0"));
    ok(IS_OF(v2, "SLOW\xf5\0"));
    ok(IS_OF(NULL, "SLOW\6\0"));
    ok(IS_OF(NULL, "SLOW\3\1"));
    ok(IS_OF(NULL, "SLOW"));
    ok(IS_OF(NULL, "*version "));
}

static enum tm_status read_line(struct tm_art_facts *facts, const char *line)
{
    return tm_art_facts_line(facts, tm_text_str(line), NULL);
}

/* True if method ID has NAME and PATH, and LINE unless that is -1. */
static bool has_method(const struct tm_art_facts *facts, uint64_t id, const char *name, const char *path, int64_t line)
{
    const struct tm_art_method *m = tm_art_facts_find_method(facts, id);
    return m && tm_text_is(tm_art_method_name(facts, m), name) && tm_text_is(tm_art_method_path(facts, m), path) &&
           (line < 0 ? !m->has_line : m->has_line && m->line == line);
}

static void lines(void)
{
    struct tm_art_facts facts = {0};
    ok(read_line(&facts, "pid=3") == TM_E_INPUT); /* before any section */
    ok(read_line(&facts, "*version") == TM_OK && read_line(&facts, "2") == TM_OK);
    is_int(facts.version, 2);
    ok(read_line(&facts, "clock=thread-cpu") == TM_OK);
    is_int(facts.clock, TM_ART_CLOCK_CPU);
    ok(read_line(&facts, "clock=wall") == TM_OK && read_line(&facts, "data-file-overflow=true") == TM_OK);
    ok(facts.clock == TM_ART_CLOCK_WALL && facts.has_overflow);
    ok(read_line(&facts, "pid=0") == TM_OK && !facts.has_pid);
    ok(read_line(&facts, "pid=2147483648") == TM_OK && !facts.has_pid);
    ok(read_line(&facts, "pid=77") == TM_OK && facts.has_pid);
    ok(read_line(&facts, "nothing") == TM_E_INPUT);
    ok(read_line(&facts, "*threads") == TM_OK && read_line(&facts, "12\ta name") == TM_OK);
    ok(tm_art_facts_have_own_numbers(&facts));
    ok(read_line(&facts, "77\tmain") == TM_OK && !tm_art_facts_have_own_numbers(&facts));
    ok(read_line(&facts, "77\tanother") == TM_OK); /* the first holds */
    ok(tm_text_is(tm_art_thread_name(&facts, tm_art_facts_find_thread(&facts, 77, NULL)), "main"));
    ok(read_line(&facts, "x\tname") == TM_E_INPUT);
    ok(read_line(&facts, "12") == TM_E_INPUT);
    ok(read_line(&facts, "*methods") == TM_OK);
    ok(read_line(&facts, "0x10\ta.B\tc\t(I)V\tB.java") == TM_OK && has_method(&facts, 16, "a.B.c: (I)V", "B.java", -1));
    ok(read_line(&facts, "14\ta/B\tc\t(I)V\tB.java\t9") == TM_OK);
    ok(has_method(&facts, 20, "a/B.c: (I)V", "a/B.java", 9));
    ok(read_line(&facts, "18\ta/B\tc\t(I)V\tB.kt\t9") == TM_OK && has_method(&facts, 24, "a/B.c: (I)V", "B.kt", 9));
    ok(read_line(&facts, "1c\ta.B\tB.java\t-1") == TM_OK && has_method(&facts, 28, "a.B.: ", "B.java", -1));
    ok(read_line(&facts, "20\ta.B\t") == TM_OK && has_method(&facts, 32, "a.B.: ", "", -1));
    ok(read_line(&facts, "20\tother") == TM_OK && has_method(&facts, 32, "a.B.: ", "", -1));
    ok(read_line(&facts, "24") == TM_E_INPUT);
    ok(read_line(&facts, "\ta.B") == TM_E_INPUT);
    ok(read_line(&facts, "12345678901234567\ta.B") == TM_E_INPUT);
    ok(tm_art_facts_find_method(&facts, 36) == NULL);
    ok(read_line(&facts, "*other") == TM_E_INPUT);
    ok(read_line(&facts, "*end") == TM_OK && facts.section == TM_ART_SECTION_END);
    is_int(facts.left_out, 0);
    tm_art_facts_release(&facts);
}

static void limits(void)
{
    struct tm_art_facts facts = {0};
    bool good = true;
    for (uint32_t i = 0; i < TM_ART_METHODS_MAX && good; i++)
        good = tm_art_facts_method(&facts, i, tm_text_str("a"), NULL) == TM_OK;
    ok(good && facts.left_out == 0);
    ok(tm_art_facts_method(&facts, TM_ART_METHODS_MAX, tm_text_str("b"), NULL) == TM_OK);
    ok(facts.left_out == 1 && tm_art_facts_find_method(&facts, TM_ART_METHODS_MAX) == NULL);
    for (uint32_t i = 0; i < TM_ART_THREADS_MAX && good; i++)
        good = tm_art_facts_thread(&facts, i, tm_text_str("t"), NULL) == TM_OK;
    ok(good && facts.left_out == 1);
    ok(tm_art_facts_find_thread(&facts, TM_ART_THREADS_MAX, NULL) == NULL && facts.left_out == 2);
    ok(tm_art_facts_find_thread(&facts, 5, NULL) != NULL);
    tm_art_facts_release(&facts);
}

static void limit_of_texts(void)
{
    enum { PIECE = 1 << 16 };
    struct tm_art_facts facts = {0};
    static uint8_t text[PIECE];
    bool good = true;
    memset(text, 'x', sizeof text);
    for (uint32_t i = 0; i < TM_ART_NAME_BYTES_MAX / PIECE && good; i++)
        good = tm_art_facts_method(&facts, i, tm_text_at(text, sizeof text - 3), NULL) == TM_OK;
    ok(good && facts.left_out == 0);
    ok(tm_art_facts_method(&facts, UINT32_MAX, tm_text_str("b"), NULL) == TM_OK && facts.left_out == 1);
    ok(tm_art_facts_thread(&facts, 7, tm_text_str("b"), NULL) == TM_OK && facts.left_out == 2);
    ok(tm_art_thread_name(&facts, tm_art_facts_find_thread(&facts, 7, NULL)).len == 0);
    tm_art_facts_release(&facts);
}

int main(void)
{
    recognition();
    lines();
    limits();
    limit_of_texts();
    return tap_done();
}
