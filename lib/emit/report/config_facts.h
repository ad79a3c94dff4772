/* What a stream says of its manifest and of where clocks were recorded: which entry configures which
 * file, how a manifest would name a file, which clocks the snapshots of a file relate. */
#ifndef TM_EMIT_REPORT_CONFIG_FACTS_H
#define TM_EMIT_REPORT_CONFIG_FACTS_H

#include "base/map.h"
#include "model/catalog.h"

/* Zero-initialise. */
struct tm_config_facts {
    Tracemerge__Config *config; /* owned; NULL: no manifest */
    /* private */
    struct tm_buf given_name; /* of a lone trace */
    struct tm_map entry_of;   /* file to entry */
    struct tm_map clocks_of;  /* file << 32 | machine to a bit for each clock id below 32 */
};

/* Takes in what FRAME says; other frames are TM_OK. TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_config_facts_add(struct tm_config_facts *facts, const struct tm_frame *frame, struct tm_error *err);

/* The entry that configures FILE, or NULL. */
const Tracemerge__ConfigEntry *tm_config_facts_entry(const struct tm_config_facts *facts, uint32_t file);

/* The `path` of FILE in a manifest: the name it is given, and for what is inside a gzip or zstd
 * member that one's. False when no manifest can name it: it has none, its name is not UTF-8, or it
 * lies in an archive inside the archive. */
bool tm_config_facts_path(const struct tm_config_facts *facts, const struct tm_catalog *catalog, uint32_t file,
                          struct tm_text *path);

/* The name of a machine that the manifest declares; data NULL: none. */
struct tm_text tm_config_facts_machine(const struct tm_config_facts *facts, int64_t raw_id);

/* A bit for each clock id below 32 that snapshots of FILE on MACHINE (a row) have. */
uint32_t tm_config_facts_clocks(const struct tm_config_facts *facts, uint32_t file, uint32_t machine);

/* The manifest's entry for FILE has a `clocks`. */
bool tm_config_facts_is_related(const struct tm_config_facts *facts, uint32_t file);

void tm_config_facts_release(struct tm_config_facts *facts);

#endif
