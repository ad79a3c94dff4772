#include "format/dumpstate/section.h"

/* Enters the section that begins, or leaves the one that ends, with TITLE. */
static void pass_title(struct tm_dumpstate_section *s, struct tm_text title)
{
    *s = (struct tm_dumpstate_section){.kind = TM_SECTION_OTHER};
    if (tm_text_find(title, "was the duration of"))
        return;
    if (tm_text_begins(title, "DUMPSYS"))
        s->kind = TM_SECTION_DUMPSYS;
    else if (tm_text_begins(title, "SYSTEM LOG") || tm_text_begins(title, "EVENT LOG") ||
             tm_text_begins(title, "RADIO LOG"))
        s->kind = TM_SECTION_LOG;
    else if (tm_text_begins(title, "CHECKIN BATTERYSTATS"))
        s->is_battery = true;
}

enum tm_dumpstate_line tm_dumpstate_section_pass(struct tm_dumpstate_section *s, struct tm_text line)
{
    static const char open[] = "------ ", close[] = " ------";
    if (tm_text_begins(line, open) && tm_text_ends(line, close) && line.len >= sizeof open + sizeof close - 2) {
        line.len -= sizeof close - 1;
        pass_title(s, tm_text_after(line, sizeof open - 1));
        return TM_DUMPSTATE_OTHER;
    }
    if (s->kind == TM_SECTION_LOG)
        return TM_DUMPSTATE_LOG;
    if (s->kind == TM_SECTION_DUMPSYS && tm_text_begins(line, "DUMP OF SERVICE ")) {
        s->is_alarm = tm_text_ends(line, " alarm:");
        s->is_battery = false;
        return TM_DUMPSTATE_OTHER;
    }
    if (tm_text_begins(line, TM_DUMPSTATE_BATTERY_HEAD))
        s->is_battery = true;
    if (s->is_battery)
        return TM_DUMPSTATE_BATTERY;
    if (s->kind != TM_SECTION_DUMPSYS)
        return TM_DUMPSTATE_OTHER;
    if (tm_text_begins(line, "--------- ") && tm_text_find(line, "was the duration of dumpsys"))
        s->is_alarm = false;
    return s->is_alarm ? TM_DUMPSTATE_ALARM : TM_DUMPSTATE_OTHER;
}
