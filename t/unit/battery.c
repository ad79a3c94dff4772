/* Unit tests of the history of the battery: words, texts, times, locks, damage. t/148-battery.bats tests what outputs
 * show. */
#include "format/dumpstate/battery_words.h"
#include "format/dumpstate/dumpstate.h"

#include "format_run.h"
#include "tap.h"

#define GIVES(text, want) ok_named(format_gives(&tm_format_dumpstate, text, want), #want)

#define HEAD "9,0,i,vers,36,1,A,B\n"
#define BEGIN HEAD "9,h,0:RESET:TIME:1000\n"

#define LANE_0 "track=13c3c355e8ded66b"
#define LANE_1 "track=40ec3339838d6d11"
#define OF_JOBS "track=a409ca3d6061b511"
#define OF_SYNCS "track=c5b4720a70ce538d"

static void test_items(void)
{
    GIVES(BEGIN "9,h,5,+S,Pst=off,Bl=7\r\n", "counter 1005000000 'battery_stats.screen' value=1\n"
                                             "counter 1005000000 'ScreenState' value=2\n"
                                             "counter 1005000000 'battery_stats.phone_state' value=3\n"
                                             "counter 1005000000 'batt.capacity_pct' value=7\n");
    GIVES(BEGIN "9,hsp,0,3,\"a \\\"b\\\\\"\n9,h,1,+Ejb=0,Esy=1\n",
          "track " OF_JOBS " def\ninstant 1001000000 track '+job=3:\"a \"b\\\"' " OF_JOBS "\n"
          "track " OF_SYNCS " def\ninstant 1001000000 track 'sync=-1:\"\"' " OF_SYNCS "\n");
    /* before the wall clock; no number; no word of the phone's state; neither sign nor value; no text */
    GIVES(HEAD "9,h,1,Bl=1\n9,h,0:TIME:x\n9,h,0:TIME:5\n9,h,0,Bl=1,Bl=,Pst=on,w,+E\n9,x\n",
          "counter 5000000 'batt.capacity_pct' value=1\n"
          "stat battery_items_not_shown 5\nstat dumpstate_lines_not_read 2\n");
}

static void test_locks(void)
{
    GIVES(BEGIN "9,h,1,+w=0,+w=1\n9,h,2,-w=0,+w=2\n9,h,3,-w=1,-w=2,+w=0\n",
          "track " LANE_0 " def\ntrack " LANE_1 " def\n"
          "complete 1001000000 dur=2000000 track '' " LANE_0 "\n"
          "complete 1001000000 dur=5000000 track '' " LANE_1 "\n"
          "complete 1003000000 dur=3000000 track '' " LANE_0 "\n"
          "begin 1006000000 track '' " LANE_0 "\n");
    GIVES(BEGIN "9,h,1,+w=0,+w=0\n9,h,2:SHUTDOWN\n9,h,3,-w=0\n",
          "track " LANE_0 " def\ncomplete 1001000000 dur=2000000 track '' " LANE_0 "\n"
          "stat battery_items_not_shown 2\n");
}

static const char *event_of(const char *name)
{
    uint32_t number = TM_BATTERY_EVENTS_MAX;
    const char *event = tm_battery_event(tm_text_str(name), &number);
    return event && number < TM_BATTERY_EVENTS_MAX ? event : "none";
}

static void test_words(void)
{
    int64_t value;
    const struct tm_battery_state *charge = tm_battery_state(tm_text_str("Bcc"));
    const struct tm_battery_state *plug = tm_battery_state(tm_text_str("Bp"));
    is_str(event_of("Ejb"), "job");
    is_str(event_of("Ewl"), "wake_lock_in");
    is_str(event_of("Exx"), "none");
    is_str(event_of(""), "none");
    ok(tm_battery_state(tm_text_str("Bx")) == NULL);
    ok(tm_battery_value(charge, tm_text_str("-2"), &value) && value == -2000);
    ok(!tm_battery_value(charge, tm_text_str("9223372036854775807"), &value));
    ok(tm_battery_value(plug, tm_text_str("w"), &value) && value == 4);
    ok(tm_battery_value(plug, tm_text_str("8"), &value) && value == 8);
    ok(!tm_battery_value(plug, tm_text_str(""), &value));
}

int main(void)
{
    test_items();
    test_locks();
    test_words();
    return tap_done();
}
