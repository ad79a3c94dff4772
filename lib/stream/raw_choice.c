#include "stream/raw_choice.h"

#include <string.h>

static const struct {
    const char *word;
    struct tm_raw_choice choice;
} words[] = {
    {"all", {.kinds = UINT32_MAX}},
    {"proto",
     {1u << TM_RAW_PACKET | 1u << TM_RAW_FTRACE_EVENT | 1u << TM_RAW_COMPACT_SCHED | 1u << TM_RAW_COMPACT_MESSAGE,
      false}},
    {"ftrace", {1u << TM_RAW_FTRACE_EVENT, false}},
    {"json", {1u << TM_RAW_JSON, false}},
    {"line", {1u << TM_RAW_LINE, false}},
    {"short-line", {1u << TM_RAW_LINE, true}},
};

bool tm_raw_choice_parse(const char *text, struct tm_raw_choice *choice)
{
    *choice = (struct tm_raw_choice){0};
    if (strcmp(text, "none") == 0)
        return true;
    for (;;) {
        size_t len = strcspn(text, ","), i = 0;
        while (i < sizeof words / sizeof *words &&
               (strlen(words[i].word) != len || memcmp(words[i].word, text, len) != 0))
            i++;
        if (i == sizeof words / sizeof *words)
            return false;
        choice->kinds |= words[i].choice.kinds;
        choice->short_lines = choice->short_lines || words[i].choice.short_lines;
        if (text[len] == '\0')
            return true;
        text += len + 1;
    }
}
