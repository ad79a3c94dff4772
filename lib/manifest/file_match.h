/* Which file of the input each entry of a manifest configures (doc/rules.md section 2, Paths).
 *
 * A path matches members of the archive, or of the concatenated stream, that holds the manifest, by
 * their exact name; members of archives inside it it does not match. Files given on a command line
 * match by their name as given, by that within the directory of the manifest, by that without a leading
 * "./", or by a base name that only one of
 * them has. What is inside a gzip or zstd row, and is named by no path itself, takes over its entry. */
#ifndef TM_MANIFEST_FILE_MATCH_H
#define TM_MANIFEST_FILE_MATCH_H

#include "base/intern.h"
#include "manifest/manifest.h"
#include "manifest/merge_plan.h"

#define TM_NO_ENTRY UINT32_MAX

/* Zero-initialise. */
struct tm_file_match {
    uint32_t file_count;
    /* private */
    struct tm_matched_file *files;
    size_t file_cap;
    struct tm_buf names; /* of all files, until a trace begins; then of one that becomes known */
    const struct tm_manifest *manifest;
    struct tm_intern paths;
    struct tm_path_match *matches; /* one an entry */
    uint32_t scope;                /* the row whose children paths are names of */
    uint32_t manifest_file, beside_len; /* the manifest's row; how much of its name is its directory, with the "/" */
    bool trace_began, closed;
};

/* A file becomes known. *ENTRY: index of its entry, or TM_NO_ENTRY; always that while there is no
 * manifest. TM_OK; TM_E_INPUT when ids do not count up or a path names two files; TM_E_SYSTEM. */
enum tm_status tm_file_match_add(struct tm_file_match *match, const Tracemerge__File *file, uint32_t *entry,
                                 struct tm_error *err);

/* The type of FILE turns out. TM_E_INPUT when there is no such file, or an entry overrides what is
 * no trace. */
enum tm_status tm_file_match_type(struct tm_file_match *match, uint32_t file, ProtobufCBinaryData type,
                                  struct tm_error *err);

/* MANIFEST, which must outlive the match, has come: as file FILE, or from the command line when
 * FILE is NULL. Entries of the files known so far are set. At most once. */
enum tm_status tm_file_match_configure(struct tm_file_match *match, const struct tm_manifest *manifest,
                                       const uint32_t *file, struct tm_error *err);

/* Adds the files known so far that a manifest from the command line could name to PLAN, which borrows their names:
 * before there is a manifest, and while no other file is added. Of several with one name only the first. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_file_match_plan(const struct tm_file_match *match, struct tm_merge_plan *plan, struct tm_error *err);

/* To be called when a trace begins. No manifest can follow, so what was kept for one is released. */
void tm_file_match_close(struct tm_file_match *match);

/* Returns the entry of a known file, or TM_NO_ENTRY. */
uint32_t tm_file_match_entry(const struct tm_file_match *match, uint32_t file);

/* The names of a file and of what it is in, for messages, each with ": " after it: "all.tar: m.json: ". Empty where
 * none of them has one, and once a trace has begun. */
struct tm_manifest_quoted tm_file_match_path(const struct tm_file_match *match, uint32_t file);

/* Adds one problem for each path that matched no file. */
void tm_file_match_unmatched(const struct tm_file_match *match, struct tm_manifest_problems *problems);

void tm_file_match_release(struct tm_file_match *match);

#endif
