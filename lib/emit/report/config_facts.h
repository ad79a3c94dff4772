/* The facts of a stream about its manifest and its clocks: the entry that configures a file, the path of a file in a
 * manifest, and the clocks that the snapshots of a file relate. */
#ifndef TM_EMIT_REPORT_CONFIG_FACTS_H
#define TM_EMIT_REPORT_CONFIG_FACTS_H

#include "base/map.h"
#include "model/catalog.h"

enum { TM_CONFIG_FACTS_CLOCKS = 32 }; /* clock ids below this have a bit in sets of clocks */

/* Zero-initialise. */
struct tm_config_facts {
    Tracemerge__Config *config; /* owned; NULL: no manifest */
    /* private */
    struct tm_buf given_name; /* for a single trace */
    struct tm_map entry_of;   /* file to entry */
    struct tm_map machine_of; /* raw id to its number among the config's machines */
    struct tm_map is_related; /* entries with an edge of the config */
    struct tm_map clocks_of;  /* file << 32 | machine to a set of bits, one for each clock id */
};

/* Takes in FRAME. Unused frames are ignored with TM_OK. TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_config_facts_add(struct tm_config_facts *facts, const struct tm_frame *frame, struct tm_error *err);

/* The entry that configures FILE, or NULL. */
const Tracemerge__ConfigEntry *tm_config_facts_entry(const struct tm_config_facts *facts, uint32_t file);

/* Sets *PATH to the `path` of FILE in a manifest: its name. The content of a gzip or zstd member has the name of the
 * member. False if no manifest can name it: it has no name, its name is not UTF-8, or it lies in an archive inside the
 * archive. */
bool tm_config_facts_path(const struct tm_config_facts *facts, const struct tm_catalog *catalog, uint32_t file,
                          struct tm_text *path);

/* The name of a machine that the manifest declares; data NULL: none. */
struct tm_text tm_config_facts_machine(const struct tm_config_facts *facts, int64_t raw_id);

/* A set of bits, one for each clock id below TM_CONFIG_FACTS_CLOCKS in snapshots of FILE on MACHINE (a row). */
uint32_t tm_config_facts_clocks(const struct tm_config_facts *facts, uint32_t file, uint32_t machine);

/* True if the manifest's entry for FILE has a `clocks`. */
bool tm_config_facts_is_related(const struct tm_config_facts *facts, uint32_t file);

void tm_config_facts_release(struct tm_config_facts *facts);

#endif
