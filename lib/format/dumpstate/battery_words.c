#include "format/dumpstate/battery_words.h"

#include "base/checked.h"

static const struct {
    char name[4];
    const char *event;
} events[] = {
    {"Eaa", "pkgactive"},    {"Eac", "active"},      {"Eai", "pkginactive"}, {"Eal", "alarm"},   {"Ecn", "conn"},
    {"Eec", "est_capacity"}, {"Efg", "fg"},          {"Ejb", "job"},         {"Elw", "longwake"}, {"Enl", "null"},
    {"Epi", "pkginst"},      {"Epr", "proc"},        {"Epu", "pkgunin"},     {"Est", "stats"},   {"Esw", "screenwake"},
    {"Esy", "sync"},         {"Etp", "top"},         {"Etw", "tmpwhitelist"}, {"Euf", "userfg"}, {"Eur", "user"},
    {"Ewa", "wakeupap"},     {"Ewl", "wake_lock_in"},
};

_Static_assert(sizeof events / sizeof *events <= TM_BATTERY_EVENTS_MAX, "numbers of events are below the limit");

#define STATS "battery_stats."

static const char *const connections[] = {
    "oos",   "gprs", "edge",   "umts", "cdma",  "evdo_0", "evdo_A",   "1xrtt", "hsdpa",  "hsupa", "hspa",   "iden",
    "evdo_b", "lte",  "ehrpd", "hspap", "gsm", "td_scdma", "iwlan", "lte_ca", "nr",    "emngcy", "other", NULL};
static const char *const phones[] = {"in", "out", "em", "off", NULL};
static const char *const idles[] = {"off", "light", "full", "???", NULL};
static const char *const supplicants[] = {"inv",   "dsc",   "dis",   "inact", "scan", "auth",  "ascing",
                                          "asced", "4-way", "group", "compl", "dorm", "uninit", NULL};
static const char *const signals[] = {"poor", "good", "none", NULL};
/* The values of BatteryManager.BATTERY_STATUS_ and BATTERY_PLUGGED_. */
static const char *const charges[] = {"", "?", "c", "d", "n", "f", NULL};
static const char *const plugs[] = {"n", "a", "u", "", "w", NULL};

static const struct tm_battery_state states[] = {
    {"BP", STATS "plugged", 1, NULL, false},
    {"Chtp", STATS "cellular_high_tx_power", 1, NULL, false},
    {"Gss", STATS "gps_signal_quality", 1, signals, false},
    {"Pcl", STATS "phone_in_call", 1, NULL, false},
    {"Pcn", STATS "data_conn", 1, connections, false},
    {"Pr", STATS "mobile_radio", 1, NULL, false},
    {"Psc", STATS "phone_scanning", 1, NULL, false},
    {"Pss", STATS "phone_signal_strength", 1, NULL, false},
    {"Pst", STATS "phone_state", 1, phones, false},
    {"S", STATS "screen", 1, NULL, false},
    {"Sb", STATS "brightness", 1, NULL, false},
    {"Sd", STATS "screen_doze", 1, NULL, false},
    {"Ud", STATS "usb_data", 1, NULL, false},
    {"W", STATS "wifi", 1, NULL, false},
    {"Wl", STATS "wifi_full_lock", 1, NULL, false},
    {"Wm", STATS "wifi_multicast", 1, NULL, false},
    {"Wr", STATS "wifi_radio", 1, NULL, false},
    {"Ws", STATS "wifi_scan", 1, NULL, false},
    {"Wsp", STATS "wifi_suppl", 1, supplicants, false},
    {"Wss", STATS "wifi_signal_strength", 1, NULL, false},
    {"Ww", STATS "wifi_running", 1, NULL, false},
    {"a", STATS "audio", 1, NULL, false},
    {"b", STATS "bluetooth", 1, NULL, false},
    {"bles", STATS "ble_scan", 1, NULL, false},
    {"ca", STATS "camera", 1, NULL, false},
    {"ch", STATS "charging", 1, NULL, false},
    {"di", STATS "device_idle", 1, idles, false},
    {"fl", STATS "flashlight", 1, NULL, false},
    {"g", STATS "gps", 1, NULL, false},
    {"nrs", STATS "nr_state", 1, NULL, false},
    {"ps", STATS "power_save", 1, NULL, false},
    {"r", STATS "running", 1, NULL, false},
    {"s", STATS "sensor", 1, NULL, false},
    {"v", STATS "video", 1, NULL, false},
    {"w", STATS "wake_lock", 1, NULL, false},
    /* readings of the battery, under the names that Perfetto's own packets have */
    {"Bl", "batt.capacity_pct", 1, NULL, true},
    {"Bcc", "batt.charge_uah", 1000, NULL, true},
    {"Bv", "batt.voltage_uv", 1000, NULL, true},
    {"Bs", "BatteryStatus", 1, charges, true},
    {"Bp", "PlugType", 1, plugs, true},
    {NULL, NULL, 0, NULL, false},
};

const char *tm_battery_event(struct tm_text short_name, uint32_t *number)
{
    for (uint32_t i = 0; i < sizeof events / sizeof *events; i++)
        if (tm_text_is(short_name, events[i].name)) {
            *number = i;
            return events[i].event;
        }
    return NULL;
}

const struct tm_battery_state *tm_battery_state(struct tm_text short_name)
{
    for (const struct tm_battery_state *state = states; state->name; state++)
        if (tm_text_is(short_name, state->name))
            return state;
    return NULL;
}

bool tm_battery_value(const struct tm_battery_state *state, struct tm_text text, int64_t *value)
{
    if (tm_text_int(text, value))
        return tm_mul_i64(*value, state->scale, value);
    for (int i = 0; text.len && state->words && state->words[i]; i++)
        if (tm_text_is(text, state->words[i])) {
            *value = i;
            return true;
        }
    return false;
}
