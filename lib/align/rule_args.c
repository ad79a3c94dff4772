/* Lists the arguments that rules read, and checks rules. */
#include "align/alignment.h"
#include "align/rule.h"

#include <string.h>

/* Adds NAMES, which may be NULL, to LIST. */
static enum tm_status add(struct tm_buf *list, const char *names, size_t len)
{
    if (len == 0)
        return TM_OK;
    if (list->len > 0 && tm_buf_add(list, ",", 1) != TM_OK)
        return TM_E_SYSTEM;
    return tm_buf_add(list, names, len);
}

static enum tm_status add_rule(struct tm_buf *list, const struct tm_align_rule *rule)
{
    return rule->arg_names ? add(list, rule->arg_names, strlen(rule->arg_names)) : TM_OK;
}

/* Adds the names that a rule reads. The LEN bytes at TEXT state the rule. */
static enum tm_status add_stated(struct tm_buf *list, const char *text, size_t len)
{
    static const char key[] = "key:", args[] = "args.";
    enum tm_status st = TM_OK;
    if (len > strlen(key) && memcmp(text, key, strlen(key)) == 0) {
        text += strlen(key);
        len -= strlen(key);
        size_t skip = len > strlen(args) && memcmp(text, args, strlen(args)) == 0 ? strlen(args) : 0;
        return add(list, text + skip, len - skip);
    }
    for (const struct tm_align_rule *rule = tm_align_rules; rule->name && st == TM_OK; rule++)
        if (strlen(rule->name) == len && memcmp(rule->name, text, len) == 0)
            st = add_rule(list, rule);
    return st;
}

enum tm_status tm_alignment_arg_names(const char *rules, struct tm_buf *list)
{
    enum tm_status st = TM_OK;
    for (const struct tm_align_rule *rule = tm_align_rules; rules == NULL && rule->name && st == TM_OK; rule++)
        if (rule->parameter == NULL)
            st = add_rule(list, rule);
    while (rules && st == TM_OK) {
        const char *end = tm_align_rule_end(rules);
        st = add_stated(list, rules, (size_t)(end - rules));
        rules = *end ? end + 1 : NULL;
    }
    return st == TM_OK ? tm_buf_add(list, "", 1) : st;
}

enum tm_status tm_alignment_check_rules(const char *rules, struct tm_error *err)
{
    struct tm_candidates candidates = {0};
    enum tm_status st = tm_candidates_use(&candidates, rules, err);
    tm_candidates_release(&candidates);
    return st;
}
