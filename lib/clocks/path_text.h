/* A path through the clock graph, as text for people:
 *
 *     MONOTONIC(phone) -> BOOTTIME(phone) -> REALTIME(phone) = REALTIME(host)
 *
 * "->" is a recorded snapshot, "-manifest->" the manifest, "-hint->" a hint in a file, "=" an assumption of
 * doc/rules.md section 5. Parentheses have machine, file and sequence, as far as they are needed to distinguish the
 * clock from others. */
#ifndef TM_CLOCKS_PATH_TEXT_H
#define TM_CLOCKS_PATH_TEXT_H

#include "clocks/clock_file.h"

/* Appends the text of STEP, whose path begins at SOURCE (UINT32_MAX: at no clock). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_path_text(struct tm_buf *out, const struct tm_clock_registry *registry,
                            const struct tm_clock_files *files, uint32_t source, const struct tm_step *step);

/* Appends the name of the clock with index CLOCK. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_path_clock_text(struct tm_buf *out, const struct tm_clock_registry *registry,
                                  const struct tm_clock_files *files, uint32_t clock);

#endif
