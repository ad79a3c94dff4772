/* Keys of a manifest that mean nothing in this version, such as "machin". Readers ignore them
 * (trace-manifest-format.txt), and whoever wrote one is told. */
#ifndef TM_MANIFEST_UNKNOWN_KEYS_H
#define TM_MANIFEST_UNKNOWN_KEYS_H

#include "manifest/json_text.h"

/* A problem in PROBLEMS for each unknown key of the manifest in JSON, with the known one that it may stand for. Keys
 * that begin with "x_" are other programs', those of attributes the user's. */
void tm_unknown_keys_find(struct tm_json_text *json, struct tm_manifest_problems *problems);

#endif
