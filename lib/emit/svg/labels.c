/* The texts beside the lanes of the picture, and their tooltips. */
#include "emit/assumption.h"
#include "emit/svg/picture.h"
#include "emit/svg/xml_out.h"
#include "stream/clock_name.h"
#include "stream/placement_rule.h"

#include <stdio.h>

enum {
    LABEL_MAX = 34,        /* characters that fit before the timeline */
    LABEL_MAX_BESIDE = 22, /* characters that fit if a rule or a machine follows */
    RIGHT_LABEL_MAX = 14,
    TOOLTIP_PATH_MAX = 600
};

void tm_svg_put_at(struct tm_svg_picture *picture, const char *element, int x, int y)
{
    tm_out_str(&picture->out, element);
    tm_out_str(&picture->out, " x=\"");
    tm_out_i64(&picture->out, x);
    tm_out_str(&picture->out, "\" y=\"");
    tm_out_i64(&picture->out, y);
    tm_out_char(&picture->out, '"');
}

/* Puts NS with its sign, cut to three decimals of the unit. */
static void put_offset(struct tm_svg_picture *picture, int64_t ns)
{
    int64_t unit = 1;
    while (unit < 1000000 && (ns / 1000000 >= unit || ns / 1000000 <= -unit))
        unit *= 1000;
    ns = ns / unit * unit;
    if (ns >= 0)
        tm_out_char(&picture->out, '+');
    tm_out_duration(&picture->out, ns);
}

/* Puts the rule of P in a few words; BRIEFLY: in fewer. */
static void put_rule(struct tm_svg_picture *picture, const Tracemerge__Placement *p, bool briefly)
{
    static const char *const words[TM_RULES][2] = {
        [TM_RULE_OTHER] = {"", ""},
        [TM_RULE_NONE] = {"not placed", "not placed"},
        [TM_RULE_TRACE_TIME] = {"trace time", "trace time"},
        [TM_RULE_SNAPSHOT] = {"snapshots", "snapshots"},
        [TM_RULE_MANIFEST] = {"manifest", "manifest"},
        [TM_RULE_HINT] = {"hint", "hint"},
        [TM_RULE_RENDEZVOUS] = {"wall clocks", "wall clocks"},
        [TM_RULE_SAME_DOMAIN] = {"same domain (assumed)", "assumed"},
        [TM_RULE_PRIVATE] = {"start time (assumed)", "assumed"},
    };
    tm_out_str(&picture->out, words[tm_placement_rule_of(tm_text_of(p->rule))][briefly]);
}

static void put_clock(struct tm_svg_picture *picture, uint32_t clock)
{
    const char *name = tm_name_of_clock(clock);
    if (clock == 0) {
        tm_out_str(&picture->out, "no clock");
    } else if (name) {
        tm_out_str(&picture->out, name);
    } else {
        tm_out_str(&picture->out, "clock ");
        tm_out_u64(&picture->out, clock);
    }
}

static void put_tooltip_of_drops(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    const struct tm_catalog *c = picture->context->catalog;
    for (uint32_t i = lane->first_account; i < c->account_count; i++) {
        const Tracemerge__Account *a = c->accounts[i];
        bool is_of_lane = a->file == lane->file &&
                          (!a->has_machine || !lane->has_machine || a->machine == lane->machine);
        if (!is_of_lane || tm_accounting_is_bytes(a) || !tm_accounting_is_a_loss(a))
            continue;
        tm_out_char(&picture->out, '\n');
        tm_svg_put_number(picture, a->count);
        tm_out_str(&picture->out, " dropped: ");
        tm_out_xml(&picture->out, tm_text_of(a->reason));
    }
}

void tm_svg_tooltip(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    const Tracemerge__Placement *p = lane->is_rest ? NULL : lane->placement;
    tm_out_str(&picture->out, "<title>");
    if (lane->is_rest) {
        tm_out_str(&picture->out, "all other files");
    } else {
        tm_out_xml(&picture->out, tm_svg_path(picture, lane->file));
        tm_out_str(&picture->out, " on ");
        tm_svg_put_machine(picture, lane->has_machine ? lane->machine : UINT32_MAX, LABEL_MAX);
    }
    tm_out_char(&picture->out, '\n');
    tm_svg_put_count(picture, lane->event_count, "event");
    if (lane->event_count) {
        tm_out_str(&picture->out, " from ");
        tm_out_seconds(&picture->out, lane->first_ns);
        tm_out_str(&picture->out, " s to ");
        tm_out_seconds(&picture->out, lane->last_ns);
        tm_out_str(&picture->out, " s");
    }
    if (lane->snapshot_count) {
        tm_out_char(&picture->out, '\n');
        tm_svg_put_count(picture, lane->snapshot_count, "clock snapshot");
    }
    if (p && p->placed_count) {
        tm_out_str(&picture->out, "\nplaced by ");
        put_rule(picture, p, false);
        tm_out_str(&picture->out, ": ");
        tm_out_xml_cut(&picture->out, tm_text_of(p->path), TOOLTIP_PATH_MAX);
        tm_out_str(&picture->out, "\noffset ");
        put_offset(picture, p->first_offset_ns);
        tm_out_str(&picture->out, " at the first event, ");
        put_offset(picture, p->last_offset_ns);
        tm_out_str(&picture->out, " at the last");
    }
    if (!lane->is_rest) /* accounts of several files */
        put_tooltip_of_drops(picture, lane);
    tm_out_str(&picture->out, "</title>");
}

/* Begins a text of class WORD about placement P, which may be NULL. An assumed placement has a colour of its own. */
static void put_placement_text(struct tm_svg_picture *picture, const char *word, const Tracemerge__Placement *p, int x,
                               int y)
{
    const bool is_guess = p && tm_assumption_of(picture->context->catalog, p) != TM_ASSUMPTION_NONE;
    char tag[64];
    snprintf(tag, sizeof tag, "<text class=\"%s%s\"", word, is_guess ? " guess" : "");
    tm_svg_put_at(picture, tag, x, y);
}

/* Puts rule, clock and offset under a file's name: "wall clocks, BOOTTIME -2766.84s". */
static void put_placement_line(struct tm_svg_picture *picture, const struct tm_svg_lane *lane, int baseline)
{
    const Tracemerge__Placement *p = lane->placement;
    if (p == NULL)
        return;
    tm_out_str(&picture->out, "<g clip-path=\"url(#names)\">");
    put_placement_text(picture, "why", p, TM_SVG_MARGIN + 16, baseline);
    tm_out_char(&picture->out, '>');
    put_rule(picture, p, true);
    if (p->placed_count) {
        tm_out_str(&picture->out, ", ");
        put_clock(picture, p->clock);
        if (tm_placement_rule_of(tm_text_of(p->rule)) != TM_RULE_TRACE_TIME) {
            tm_out_char(&picture->out, ' ');
            put_offset(picture, p->first_offset_ns);
        }
    }
    tm_out_str(&picture->out, "</text></g>\n");
}

static void put_right_label(struct tm_svg_picture *picture, const struct tm_svg_lane *lane, int baseline)
{
    put_placement_text(picture, "rule", picture->layout->has_heads ? lane->placement : NULL, TM_SVG_PLOT - 14,
                       baseline);
    tm_out_char(&picture->out, '>');
    if (!picture->layout->has_heads)
        tm_svg_put_machine(picture, lane->has_machine ? lane->machine : UINT32_MAX, RIGHT_LABEL_MAX);
    else if (lane->placement)
        put_rule(picture, lane->placement, true);
    tm_out_str(&picture->out, "</text>\n");
}

void tm_svg_label(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    int baseline = lane->top + (picture->layout->is_roomy ? 14 : 13);
    tm_out_str(&picture->out,
               picture->layout->is_roomy ? "<g clip-path=\"url(#names)\">" : "<g clip-path=\"url(#short)\">");
    tm_svg_put_at(picture, "<text class=\"file\"", TM_SVG_MARGIN + (picture->layout->has_heads ? 16 : 0), baseline);
    tm_out_char(&picture->out, '>');
    if (lane->is_rest)
        tm_out_str(&picture->out, "all other files");
    else
        tm_out_xml_cut(&picture->out, tm_svg_path(picture, lane->file),
                       picture->layout->is_roomy ? LABEL_MAX : LABEL_MAX_BESIDE);
    tm_out_str(&picture->out, "</text></g>\n");
    if (lane->is_rest)
        return;
    if (picture->layout->is_roomy)
        put_placement_line(picture, lane, baseline + 16);
    else
        put_right_label(picture, lane, baseline);
}

void tm_svg_lane_head(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    int baseline = lane->top - 8;
    if (lane->is_rest)
        return;
    tm_out_str(&picture->out, "<circle class=\"dot\" cx=\"");
    tm_out_i64(&picture->out, TM_SVG_MARGIN + 5);
    tm_out_str(&picture->out, "\" cy=\"");
    tm_out_i64(&picture->out, baseline - 4);
    tm_out_str(&picture->out, "\" r=\"5\"/>");
    tm_svg_put_at(picture, "<text class=\"machine\"", TM_SVG_MARGIN + 16, baseline);
    tm_out_char(&picture->out, '>');
    tm_svg_put_machine(picture, lane->has_machine ? lane->machine : UINT32_MAX, LABEL_MAX);
    tm_out_str(&picture->out, "</text>\n");
}
