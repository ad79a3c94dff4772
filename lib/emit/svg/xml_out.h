/* Text for XML and SVG. */
#ifndef TM_EMIT_SVG_XML_OUT_H
#define TM_EMIT_SVG_XML_OUT_H

#include "emit/out.h"

/* TEXT as character data or the value of an attribute: markup escaped, bytes that are not UTF-8 and
 * characters that XML 1.0 has no room for as U+FFFD. */
void tm_out_xml(struct tm_out *out, struct tm_text text);

/* The same, at most MAX (3 or more) characters: of a longer text the middle gives way to an ellipsis. */
void tm_out_xml_cut(struct tm_out *out, struct tm_text text, size_t max);

#endif
