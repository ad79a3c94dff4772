/* The members after traceEvents: those that all inputs share, metadata, frames, and those of each file. */
#ifndef TM_EMIT_CHROME_JSON_TOP_H
#define TM_EMIT_CHROME_JSON_TOP_H

#include "emit/chrome_json/frames.h"

/* Writes the members of FRAMES' inputs. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_top_write(struct tm_json_frames *frames, struct tm_error *err);

#endif
