/* What the parts of unpacking share: the run, the open files (rows), and their turns. Private to this room; its
 * interface is unpack.h. Calls that return a status return TM_OK or an error, which is in the run's err. */
#ifndef TM_UNPACK_INTERNAL_H
#define TM_UNPACK_INTERNAL_H

#include "container/content.h"
#include "container/gzip_reader.h"
#include "unpack/member_table.h"
#include "unpack/unpack.h"

struct tm_content;
struct tm_node;

struct tm_unpack_run {
    const struct tm_unpack_options *options;
    struct tm_event_sink *sink;
    struct tm_error *err;
    struct tm_expansion *expansion;
    const char *outer_name; /* for messages: the path given, "standard input", or NULL */
    const char *given_name; /* File.given_name of the outermost, or NULL */
    bool has_head_hash;
    uint64_t head_hash;     /* File.head_hash of the outermost */
    uint32_t file_count;    /* File frames written; the next id */
    uint32_t order;         /* FileBegin frames written */
    bool names_remedy;      /* the error already says which option goes on */
    char manifest_of[256];  /* the archive that had a manifest, or the manifest's own name; empty: none */
    bool trace_seen;        /* a trace file, not a container, had its turn */
    /* tm_unpack_documents. Containers hold documents, and a document can be a container: they call it through this
     * member. */
    enum tm_status (*read_documents)(struct tm_unpack_run *run, struct tm_content *content, struct tm_node *first,
                                     const struct tm_node *parent, struct tm_gzip_reader *gzip);
    bool is_worker;         /* true: tm_unpack_require_order fails */
    bool is_final;          /* the error is about the run, not about the current file: stop */
};

/* A file whose row is known. Nodes are on the stack; inner ones point to outer ones. */
struct tm_node {
    const struct tm_node *parent; /* NULL: the outermost */
    struct tm_file_type type;
    const char *name;             /* NULL: none (the outermost); may be "" */
    size_t name_bytes;
    unsigned depth;               /* containers around it */
    bool in_archive;              /* one of these is an archive or a directory */
    struct tm_stated_rank rank;
    const char *host;             /* stated by the file; NULL: none; borrowed until announced */
    bool is_host_of_several;
    struct tm_logcat_report *report; /* the bug report that it is or that holds it; NULL: none */
    bool has_placed_type;         /* type is known by the place of the file, whatever its first bytes show */
    bool has_archive;             /* a compressed file with a TAR or ZIP inside */
    uint32_t id;                  /* set by announce */
    uint32_t order;               /* set by begin, as is has_begun */
    bool has_begun;
    uint64_t damage_count;        /* set by damage: number of places, bytes skipped, first place */
    uint64_t skipped_bytes, damage_byte;
};

/* Returns a node of TYPE inside PARENT. NAME is borrowed. */
struct tm_node tm_node_inside(const struct tm_node *parent, const struct tm_file_type *type, const char *name,
                              size_t name_bytes);

/* True if inputs of TYPE are read by a library that only one thread may use. */
bool tm_unpack_is_alone(enum tm_input_type type);

/* Call this before work that depends on the turns before this one. Returns TM_OK if they have ended. With -j a worker
 * runs a turn before they have ended; then this returns TM_E_SYSTEM. Return that error: the turn is run again, after
 * them. */
enum tm_status tm_unpack_require_order(struct tm_unpack_run *run);

/* Counts CONTENT, which has been opened, as input of the run: at once if its size is known, otherwise while it is
 * read. */
void tm_unpack_count_input(struct tm_unpack_run *run, struct tm_content *content);

/* Gives NODE its id and writes its File frame. SIZE_BYTES is 0 where unknown. */
enum tm_status tm_unpack_announce(struct tm_unpack_run *run, struct tm_node *node, uint64_t size_bytes);

/* begin begins the turn of NODE. begin_on begins it for a file that states its own clock POLICY. end ends it after
 * SIZE_BYTES of NODE were read. */
enum tm_status tm_unpack_begin(struct tm_unpack_run *run, struct tm_node *node);
enum tm_status tm_unpack_begin_on(struct tm_unpack_run *run, struct tm_node *node, Tracemerge__ClockPolicy policy);
enum tm_status tm_unpack_end(struct tm_unpack_run *run, const struct tm_node *node, uint64_t size_bytes);

/* Puts the name of NODE before a message about the input. */
void tm_unpack_place(const struct tm_unpack_run *run, const struct tm_node *node);

/* True if an error in NODE may end its turn without ending the run (--on-damage=skip or salvage). */
bool tm_unpack_may_leave(const struct tm_unpack_run *run, const struct tm_node *node);

/* Returns ST, the status of reading some content. If another --on-damage would pass over the failure, adds this to the
 * error. That is so for damage that can be passed over, and for every error in the turn of NODE, a file of an archive.
 * NODE is NULL outside such a turn. */
enum tm_status tm_unpack_halt(struct tm_unpack_run *run, const struct tm_node *node, enum tm_status st);

/* Warns of CAUSE in NODE, which does not stop the run. */
void tm_unpack_warn(const struct tm_unpack_run *run, const struct tm_node *node, const struct tm_error *cause);

/* Warns of DAMAGE in NODE that was skipped; its count may be 0. It is accounted for when the turn of NODE ends. A place
 * that was noted before counts once. */
void tm_unpack_damage(struct tm_unpack_run *run, struct tm_node *node, const struct tm_damage *damage);

/* Unpacks all documents in CONTENT, one after another. FIRST (announced) is the row of the first document, and the
 * others become its children. If FIRST is NULL, all become children of PARENT. If GZIP (may be NULL) finds the begin of
 * a file with a name of its own, the documents get that name. */
enum tm_status tm_unpack_documents(struct tm_unpack_run *run, struct tm_content *content, struct tm_node *first,
                                   const struct tm_node *parent, struct tm_gzip_reader *gzip);

/* Runs the turn of a gzip, zstd or ctrace. Its content is unpacked as a stream of documents. */
enum tm_status tm_unpack_compressed(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content);

/* Runs the turn of a TAR or ZIP. */
enum tm_status tm_unpack_archive(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content);

/* Runs the turn of COUNT files and directories, which count as one archive. */
enum tm_status tm_unpack_directory(struct tm_unpack_run *run, struct tm_node *node, const char *const *paths,
                                   size_t count);

#endif
