/* The surroundings of the lanes: style, title, legend. */
#include "emit/svg/picture.h"
#include "stream/clock_name.h"

/* Colours of machines, light and dark; the same eight again from the ninth machine on. */
static const char style[] =
    "<style>\n"
    "svg{--bg:#fff;--fg:#1c2128;--soft:#656d76;--line:#e4e8ec;--bad:#c8323c;--guess:#9a5b00;--snap:#1c2128;"
    "--m0:#2f6fde;--m1:#1a936f;--m2:#c65d12;--m3:#8250df;--m4:#bf3989;--m5:#0f8aa6;--m6:#8a7000;--m7:#5b6b7c;"
    "background:var(--bg);"
    "font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif;"
    "font-variant-numeric:tabular-nums}\n"
    "@media (prefers-color-scheme:dark){svg{--bg:#0f1419;--fg:#e6e9ed;--soft:#939ba5;--line:#262d35;"
    "--bad:#ff6b72;--guess:#e3a93c;--snap:#e6e9ed;"
    "--m0:#6ea3ff;--m1:#45c79b;--m2:#f09a56;--m3:#b292ff;--m4:#f081c0;--m5:#4fc3dc;--m6:#d4b93c;--m7:#a3b1c0}}\n"
    "text{fill:var(--fg)}\n"
    ".bg{fill:var(--bg)}.title{font-size:21px;font-weight:600}.sub{font-size:13px;fill:var(--soft)}\n"
    ".caption,.heading{font-size:11.5px;fill:var(--soft)}.heading,.count,.drop,.rule{text-anchor:end}\n"
    ".tick{font-size:11.5px;text-anchor:middle}.wall{fill:var(--soft)}.grid{stroke:var(--line);fill:none}\n"
    ".machine{font-size:13px;font-weight:600}.file{font-size:13px}.why{font-size:11.5px;fill:var(--soft)}\n"
    ".small .file,.small .count,.small .drop{font-size:12px}.rule{font-size:11px;fill:var(--soft)}"
    ".guess{fill:var(--guess);font-style:italic}\n"
    ".drop{fill:var(--bad);font-weight:600}.band{fill:var(--fg);fill-opacity:.035}.none{font-size:11.5px;fill:var(--"
    "bad)}\n"
    ".window{fill:var(--c);fill-opacity:.13;stroke:var(--c);stroke-opacity:.4}.density{fill:var(--c)}.dot{fill:var(--c)"
    "}\n"
    ".snap{fill:var(--snap)}.lost{fill:var(--bad)}.legend{font-size:12px;fill:var(--soft)}\n"
    ".m0{--c:var(--m0)}.m1{--c:var(--m1)}.m2{--c:var(--m2)}.m3{--c:var(--m3)}.m4{--c:var(--m4)}.m5{--c:var(--m5)}"
    ".m6{--c:var(--m6)}.m7{--c:var(--m7)}\n"
    "</style>\n";

/* Counts the files with events. */
static uint32_t count_files(const struct tm_svg_picture *picture)
{
    const struct tm_catalog *c = picture->context->catalog;
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->file_count; i++)
        count += c->files[i].timed_count > 0;
    return count;
}

static void put_title(struct tm_svg_picture *picture)
{
    const struct tm_accounting *b = picture->context->accounting;
    tm_svg_put_count(picture, picture->counts->event_count, "event");
    tm_out_str(&picture->out, " of ");
    tm_svg_put_count(picture, count_files(picture), "file");
    tm_out_str(&picture->out, " on ");
    tm_svg_put_count(picture, picture->layout->machine_count, "machine");
    if (b->total.lost) {
        tm_out_str(&picture->out, ", ");
        tm_svg_put_number(picture, b->total.lost);
        tm_out_str(&picture->out, " dropped");
    }
}

static void put_subtitle(struct tm_svg_picture *picture)
{
    const struct tm_catalog *c = picture->context->catalog;
    const char *name = tm_name_of_clock(c->trace_time_clock);
    if (!c->has_trace_time) {
        tm_out_str(&picture->out, "Trace time is claimed by no clock");
    } else {
        tm_out_str(&picture->out, "Trace time is ");
        if (name) {
            tm_out_str(&picture->out, name);
        } else {
            tm_out_str(&picture->out, "clock ");
            tm_out_u64(&picture->out, c->trace_time_clock);
        }
    }
    if (c->has_trace_time && c->trace_time_has_machine) {
        tm_out_str(&picture->out, " of ");
        tm_svg_put_machine(picture, c->trace_time_machine, 60);
    }
    if (picture->counts->events.has_range) {
        tm_out_str(&picture->out, "; from ");
        tm_out_seconds(&picture->out, picture->layout->first_ns);
        tm_out_str(&picture->out, " s to ");
        tm_out_seconds(&picture->out, picture->layout->last_ns);
        tm_out_str(&picture->out, " s");
    }
}

static void put_text_at(struct tm_svg_picture *picture, const char *class, int x, int y, const char *text)
{
    tm_out_str(&picture->out, "<text class=\"");
    tm_out_str(&picture->out, class);
    tm_out_str(&picture->out, "\" x=\"");
    tm_out_i64(&picture->out, x);
    tm_out_str(&picture->out, "\" y=\"");
    tm_out_i64(&picture->out, y);
    tm_out_str(&picture->out, "\">");
    tm_out_str(&picture->out, text);
}

/* Defines a clip path of WIDTH, which cuts names where the next column begins. */
static void put_clip(struct tm_svg_picture *picture, const char *id, int width)
{
    tm_out_str(&picture->out, "<clipPath id=\"");
    tm_out_str(&picture->out, id);
    tm_out_str(&picture->out, "\"><rect width=\"");
    tm_out_i64(&picture->out, width);
    tm_out_str(&picture->out, "\" height=\"");
    tm_out_i64(&picture->out, picture->layout->height);
    tm_out_str(&picture->out, "\"/></clipPath>\n");
}

void tm_svg_head(struct tm_svg_picture *picture)
{
    tm_out_str(&picture->out, "<title>Merged timeline: ");
    put_title(picture);
    tm_out_str(&picture->out, "</title>\n");
    tm_out_str(&picture->out, style);
    put_clip(picture, "names", TM_SVG_PLOT - 10);
    put_clip(picture, "short", TM_SVG_PLOT - (picture->layout->has_heads ? 88 : 110));
    tm_out_str(&picture->out, "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
    put_text_at(picture, "title", TM_SVG_MARGIN, 48, "");
    put_title(picture);
    tm_out_str(&picture->out, "</text>\n");
    put_text_at(picture, "sub", TM_SVG_MARGIN, 74, "");
    put_subtitle(picture);
    tm_out_str(&picture->out, "</text>\n");
    put_text_at(picture, "heading", TM_SVG_PLOT + picture->layout->plot_width + TM_SVG_COUNT,
                picture->layout->lanes_top - 14, "events</text>\n");
    if (picture->context->accounting->total.lost)
        put_text_at(picture, "heading", TM_SVG_DROP_END, picture->layout->lanes_top - 14, "dropped</text>\n");
}

/* A sample and its meaning, with their widths in pixels. */
struct key {
    int width;
    const char *sample;
    const char *meaning;
    int meaning_width;
};

/* Draws KEY and moves *X after it. */
static void put_key(struct tm_svg_picture *picture, int *x, const struct key *key)
{
    int y = picture->layout->height - 52;
    tm_out_str(&picture->out, "<g transform=\"translate(");
    tm_out_i64(&picture->out, *x);
    tm_out_char(&picture->out, ' ');
    tm_out_i64(&picture->out, y);
    tm_out_str(&picture->out, ")\">");
    tm_out_str(&picture->out, key->sample);
    tm_out_str(&picture->out, "</g>\n");
    put_text_at(picture, "legend", *x + key->width + 8, y + 4, key->meaning);
    tm_out_str(&picture->out, "</text>\n");
    *x += key->width + 8 + key->meaning_width + 24;
}

void tm_svg_legend(struct tm_svg_picture *picture)
{
    static const struct key keys[] = {
        {34, "<g class=\"m0\"><rect class=\"window\" x=\".5\" y=\"-7.5\" width=\"33\" height=\"15\" rx=\"3\"/></g>",
         "from the first to the last event", 182},
        {30, "<g class=\"m0\"><path class=\"density\" d=\"M0 8v-4h6v-6h6v-5h4v7h6v3h8v5z\"/></g>",
         "events; height: square root of their number, each lane to its own scale", 434},
        {8, "<path class=\"snap\" d=\"M4-4l4 7h-8z\"/>", "clock snapshot", 86},
    };
    static const struct key dropped = {8, "<path class=\"lost\" d=\"M7-5v10l-7-5z\"/>",
                                       "dropped: before the start of trace time", 230};
    int x = TM_SVG_MARGIN;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        put_key(picture, &x, &keys[i]);
    if (picture->context->accounting->total.lost)
        put_key(picture, &x, &dropped);
    put_text_at(picture, "legend", TM_SVG_MARGIN, picture->layout->height - 24,
                "Hover over a lane to see how it was placed; tm-merge --explain shows the details.</text>\n");
}
