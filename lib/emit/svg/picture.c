#include "emit/svg/picture.h"

#include "emit/svg/xml_out.h"

void tm_svg_put_machine(struct tm_svg_picture *picture, uint32_t machine, size_t max)
{
    const struct tm_catalog_machine *m = tm_catalog_machine(picture->context->catalog, machine);
    if (m && m->name.len) {
        tm_out_xml_cut(&picture->out, m->name, max);
    } else if (m == NULL || m->raw_id == 0) {
        tm_out_str(&picture->out, m ? "host" : "no machine");
    } else {
        tm_out_str(&picture->out, "machine ");
        tm_out_i64(&picture->out, m->raw_id);
    }
}

struct tm_text tm_svg_path(struct tm_svg_picture *picture, uint32_t file)
{
    struct tm_text path;
    if (tm_paths_get(&picture->paths, picture->context->catalog, file, &path) == TM_OK)
        return path;
    picture->out.failed = true;
    return tm_text_str("?");
}

void tm_svg_put_number(struct tm_svg_picture *picture, uint64_t n)
{
    uint64_t group = 1;
    while (n / group >= 1000)
        group *= 1000;
    tm_out_u64(&picture->out, n / group);
    while ((group /= 1000) > 0) {
        tm_out_str(&picture->out, "\xe2\x80\x89"); /* a thin space */
        tm_out_char(&picture->out, (char)('0' + n / group % 1000 / 100));
        tm_out_char(&picture->out, (char)('0' + n / group % 100 / 10));
        tm_out_char(&picture->out, (char)('0' + n / group % 10));
    }
}

void tm_svg_put_count(struct tm_svg_picture *picture, uint64_t n, const char *word)
{
    tm_svg_put_number(picture, n);
    tm_out_char(&picture->out, ' ');
    tm_out_str(&picture->out, word);
    if (n != 1)
        tm_out_char(&picture->out, 's');
}

void tm_svg_put_tenths(struct tm_svg_picture *picture, int tenths)
{
    tm_out_i64(&picture->out, tenths / 10);
    if (tenths % 10) {
        tm_out_char(&picture->out, '.');
        tm_out_i64(&picture->out, tenths % 10);
    }
}

void tm_svg_picture_release(struct tm_svg_picture *picture)
{
    tm_paths_release(&picture->paths);
    tm_out_release(&picture->out);
}
