/* Finds the file of the input that each entry of a manifest configures (doc/rules.md section 2).
 *
 * A path matches the exact name of a member of the archive or concatenated stream that holds the manifest. It does not
 * match members of archives inside that archive. Files given on a command line match by their name as given, by their
 * name within the directory of the manifest, by their name without a leading "./", or by a base name that only one of
 * them has. A file inside a gzip or zstd row takes over the entry of that row, and a document that follows a trace in
 * its file that of the trace, unless a path names it. An entry that relates a file's own clock is for one of them
 * only. */
#ifndef TM_MANIFEST_FILE_MATCH_H
#define TM_MANIFEST_FILE_MATCH_H

#include "base/intern.h"
#include "manifest/manifest.h"
#include "manifest/draft.h"

#define TM_NO_ENTRY UINT32_MAX

/* Zero-initialise. */
struct tm_file_match {
    uint32_t file_count;
    /* private */
    struct tm_matched_file *files;
    uint32_t file_cap;
    struct tm_buf names; /* names of all files until a trace begins; afterwards the name of the file being added */
    const struct tm_manifest *manifest;
    struct tm_intern paths;
    struct tm_path_match *matches; /* one for each entry */
    struct tm_intern bases;        /* the base names of paths */
    size_t *alike;                 /* for each of bases: 1 + the place of a file's name in alike_names, or 0: none */
    struct tm_buf alike_names;     /* each with its NUL */
    uint32_t named_parent;         /* the row whose children the paths name */
    uint32_t manifest_file, beside_len; /* the manifest's row; the length of its directory in its name, with the "/" */
    bool trace_began, closed;
};

/* Adds a file. *ENTRY is the index of its entry, or TM_NO_ENTRY, which it always is before there is a manifest. TM_OK.
 * TM_E_INPUT if ids are not consecutive or a path names two files. TM_E_SYSTEM. */
enum tm_status tm_file_match_add(struct tm_file_match *match, const Tracemerge__File *file, uint32_t *entry,
                                 struct tm_error *err);

/* Sets the type of FILE. TM_E_INPUT if there is no such file, or if an entry overrides a file that is no trace. */
enum tm_status tm_file_match_type(struct tm_file_match *match, uint32_t file, ProtobufCBinaryData type,
                                  struct tm_error *err);

/* Sets MANIFEST, which must outlive the match. It came as file FILE, or from the command line if FILE is NULL. Sets the
 * entries of the files known so far. May be called once. TM_OK; TM_E_INPUT if FILE is not known or entries do not fit
 * the files; TM_E_SYSTEM. */
enum tm_status tm_file_match_configure(struct tm_file_match *match, const struct tm_manifest *manifest,
                                       const uint32_t *file, struct tm_error *err);

/* Adds the files known so far that a manifest from the command line could name to DRAFT, which borrows their names. Of
 * several files with one name, only the first is added. Call it before there is a manifest, and add no other file while
 * DRAFT is in use. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_file_match_draft(const struct tm_file_match *match, struct tm_draft *draft, struct tm_error *err);

/* Adds to NAMES the paths by which a manifest could name the files known so far: their names, whole and after
 * each "/", with the NUL. Call it before there is a manifest. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_file_match_names(const struct tm_file_match *match, struct tm_intern *names, struct tm_error *err);

/* Call this when a trace begins. No manifest can follow, so data kept for one is released. */
void tm_file_match_close(struct tm_file_match *match);

/* Returns the entry of a known file, or TM_NO_ENTRY. */
uint32_t tm_file_match_entry(const struct tm_file_match *match, uint32_t file);

/* Returns the names of a file and of the containers around it, for messages, with ": " between them: "all.tar: m.json".
 * The outermost one is "standard input" if it has no name. It is empty once a trace has begun. */
struct tm_manifest_quoted tm_file_match_path(const struct tm_file_match *match, uint32_t file);

/* Adds one problem for each file that is related to the own timeline of a file that is not in the input. Clocks of
 * machines need no file. Call it when all files are known. */
void tm_file_match_unresolved(const struct tm_file_match *match, struct tm_manifest_problems *problems);

/* Adds one problem for each path that matched no file. It says which other file has the same base name. */
void tm_file_match_unmatched(const struct tm_file_match *match, struct tm_manifest_problems *problems);

void tm_file_match_release(struct tm_file_match *match);

#endif
