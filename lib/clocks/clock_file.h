/* The files of a run as tm-clocks sees them: the manifest entry of each file, and the machines of its packets during
 * its turn. Source: doc/rules.md section 4. */
#ifndef TM_CLOCKS_CLOCK_FILE_H
#define TM_CLOCKS_CLOCK_FILE_H

#include "clocks/clock_scope.h"
#include "clocks/deferral.h"

struct tm_clock_file {
    uint32_t id;
    char *name; /* owned, escaped; NULL: none */
    uint32_t tag;
    const Tracemerge__ConfigEntry *entry; /* borrowed; NULL: not configured */
    Tracemerge__ClockPolicy policy;
    bool is_open;                 /* its turn is in progress */
    bool may_wait;                /* its scopes may wait for hints */
    uint64_t upstream_count;      /* events that earlier stages accounted for */
    struct tm_clock_scope *base;  /* scope of packets without an embedded id; NULL if the file has no events */
    struct tm_deferral *deferral; /* owned; NULL while nothing waits */
    /* private */
    bool is_decided; /* it is known whether an embedded id is adopted */
    uint32_t record_count; /* of all scopes */
    struct tm_clock_scope **scopes;
    uint32_t scope_count, scope_cap;
    struct tm_map scope_of_embedded, scope_of_machine;
};

/* Zero-initialise. */
struct tm_clock_files {
    struct tm_clock_file **files;
    uint32_t count;
    Tracemerge__Config *config; /* owned once set; NULL: no manifest */
    /* private */
    uint32_t cap;
};

/* Returns the tag of file ID before anything configures it. */
static inline uint32_t tm_clock_file_tag(uint32_t id)
{
    return id + 1;
}

/* Adds the file of a File frame. TM_OK, TM_E_INPUT if ids have a gap, or TM_E_SYSTEM. */
enum tm_status tm_clock_files_add(struct tm_clock_files *files, const Tracemerge__File *frame, struct tm_error *err);

/* Returns file ID if its turn is in progress, or NULL with ERR set. */
struct tm_clock_file *tm_clock_files_open(const struct tm_clock_files *files, uint32_t id, struct tm_error *err);

/* Returns the name to show for FILE, never NULL. */
const char *tm_clock_file_text(const struct tm_clock_file *file);

/* Begins the turn of a file. Makes its base scope, unless its clock policy states that it has no events. TM_E_INPUT if
 * the turn began before. TM_OK or another error. */
enum tm_status tm_clock_file_begin(struct tm_clock_file *file, struct tm_clock_registry *registry,
                                   Tracemerge__ClockPolicy policy, struct tm_error *err);

/* Finds or makes the scope of packets with embedded machine id EMBEDDED (0: none). Makes
 * machines and decides on adoption as needed. TM_E_INPUT, without the file's name, if the manifest forbids the id. */
enum tm_status tm_clock_file_scope(struct tm_clock_file *file, struct tm_clock_registry *registry, uint32_t embedded,
                                   struct tm_clock_scope **scope, struct tm_error *err);

/* Notes that a packet with embedded machine id EMBEDDED that belongs to SCOPE is data, not a synchronization marker. */
static inline void tm_clock_file_note_data(struct tm_clock_registry *registry, uint32_t embedded,
                                           const struct tm_clock_scope *scope)
{
    if (embedded == 0)
        registry->machines.rows[scope->machine].has_data = true;
}

/* Keeps EVENT of FILE until the end of the file's turn. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_file_defer(struct tm_clock_file *file, const struct tm_event *event, const char *temporary_dir,
                                   struct tm_error *err);

/* Keeps the rows of BATCH, all of FILE, until the end of the file's turn. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_file_defer_batch(struct tm_clock_file *file, const struct tm_batch *batch,
                                         const char *temporary_dir, struct tm_error *err);

/* Returns the scope of EMBEDDED, or NULL if no packet with that id has come yet. */
struct tm_clock_scope *tm_clock_file_find(const struct tm_clock_file *file, uint32_t embedded);

/* Ends the turn of FILE and forgets its scopes. */
void tm_clock_file_close(struct tm_clock_file *file);

void tm_clock_files_release(struct tm_clock_files *files);

#endif
