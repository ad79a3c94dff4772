/* Names of Chrome's kinds of processes and threads.
 * Source: chrome_string_lookup.cc and chrome_enums.proto of perfetto. */
#ifndef TM_FORMAT_PERFETTO_CHROME_NAMES_H
#define TM_FORMAT_PERFETTO_CHROME_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the name for a ChromeProcessDescriptor's process_type, or NULL. Sets *RENDERER if the name takes precedence
 * over the process's own name. */
const char *tm_proto_chrome_process_name(int64_t type, bool *renderer);

/* Returns the name for a ChromeThreadDescriptor's thread_type, or NULL. */
const char *tm_proto_chrome_thread_name(int64_t type);

#endif
