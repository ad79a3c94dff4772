/* Lines out of an input, whatever their end ("\n" or "\r\n"). */
#ifndef TM_FORMAT_TEXT_LINES_H
#define TM_FORMAT_TEXT_LINES_H

#include "base/input.h"

/* Shows the next line of IN without reading it off: LINE and LEN without its end, SIZE with it.
 * TM_OK; TM_END when nothing is left; TM_E_INPUT when it is longer than MAX. The line is valid
 * until the next fill. */
enum tm_status tm_text_line(struct tm_input *in, size_t max, const char **line, size_t *len, size_t *size,
                            struct tm_error *err);

#endif
