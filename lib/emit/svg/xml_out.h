/* Text for XML and SVG. */
#ifndef TM_EMIT_SVG_XML_OUT_H
#define TM_EMIT_SVG_XML_OUT_H

#include "emit/out.h"

/* Writes TEXT as character data or as an attribute value. Markup is escaped. Bytes that are not UTF-8 and characters
 * that XML 1.0 does not allow become U+FFFD. */
void tm_out_xml(struct tm_out *out, struct tm_text text);

/* Writes TEXT like tm_out_xml, but at most MAX (3 or more) characters. In a longer text an ellipsis replaces the
 * middle. */
void tm_out_xml_cut(struct tm_out *out, struct tm_text text, size_t max);

#endif
