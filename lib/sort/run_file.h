/* Runs on disk: an unlinked temporary file that holds any number of sorted runs. A run is a chain of chunks (columns
 * and payload of a few hundred rows) that ends with a link. To join a run to the end of another one, the link is set.
 *
 * Only the process that wrote the file reads it. Each run is read once, and its storage is given back while it is read.
 * Calls that write return TM_OK or TM_E_SYSTEM. */
#ifndef TM_SORT_RUN_FILE_H
#define TM_SORT_RUN_FILE_H

#include "os/reclaim.h"
#include "os/temporary_file.h"
#include "sort/block.h"

/* Set file.dir and layouts, the rest to zero. The file is made when the first run is written. */
struct tm_run_file {
    struct tm_temporary_file file;
    const struct tm_block_layouts *layouts; /* borrowed; the layouts of blocks that are written as records */
    struct tm_reclaim reclaim; /* each byte is read once */
};

struct tm_run {
    uint64_t start;           /* offset of its first chunk */
    uint64_t link;            /* offset of its link */
    struct tm_sort_key first, last;
    bool definitions;         /* all rows are definitions, or none is */
};

/* Writes one run. Zero-initialise. */
struct tm_run_writer {
    struct tm_run_file *file;
    const struct tm_file_order *orders;
    uint64_t sequence; /* sequence number of all its blocks */
    struct tm_run run; /* complete after end */
    /* private */
    struct tm_buf out;
    bool begun;
};

/* Begins a run at the end of FILE. ORDERS and FILE are borrowed. */
enum tm_status tm_run_writer_begin(struct tm_run_writer *writer, struct tm_run_file *file,
                                   const struct tm_file_order *orders, uint64_t sequence, struct tm_error *err);

/* Adds BATCH as a chunk. Can be the show function of a tm_batch_receiver whose self is the writer. */
enum tm_status tm_run_writer_write(void *writer, const struct tm_batch *batch, struct tm_error *err);

/* Adds BLOCK as a chunk of records, as it is in memory. It must consist of records of one of the file's layouts. */
enum tm_status tm_run_writer_write_records(struct tm_run_writer *writer, const struct tm_block *block,
                                           struct tm_error *err);

/* Returns how many bytes a chunk of the records of BLOCK takes in memory. */
size_t tm_run_records_bytes(const struct tm_block *block);

/* Writes the link and all buffered bytes. The run must have at least one row. */
enum tm_status tm_run_writer_end(struct tm_run_writer *writer, struct tm_error *err);

void tm_run_writer_release(struct tm_run_writer *writer);

/* Appends NEXT to RUN. Both are in the same file, and NEXT's first key is not less than RUN's last one. */
enum tm_status tm_run_join(struct tm_run_file *file, struct tm_run *run, const struct tm_run *next,
                           struct tm_error *err);

/* Removes all runs and gives their disk space back. More runs can be written afterwards. No reader may exist. */
void tm_run_file_release(struct tm_run_file *file);

#define TM_RUN_RECORDS (UINT32_C(1) << 31)

struct tm_run_chunk {
    uint32_t count;   /* rows; 0: this is a link */
    uint32_t columns; /* a bit for each column that has one element per row; or TM_RUN_RECORDS and the index of the
                         records' layout */
    uint64_t payload_bytes; /* of a link: offset at which the run continues, 0 if it ends */
    uint64_t sequence;
};

/* Reads one run. */
struct tm_run_reader {
    struct tm_run_file *file;
    size_t inline_bytes; /* larger payloads of a chunk stay in the file */
    /* private */
    struct tm_block block;
    bool definitions;
    struct tm_run_chunk chunk; /* the next chunk */
    uint64_t offset;           /* offset of its body */
    bool has_chunk;
    uint8_t *mem;
    size_t mem_bytes;
};

/* Initialises READER to read RUN of FILE. FILE must not move while the reader exists. INLINE_BYTES is the member of
 * that name. */
void tm_run_reader_init(struct tm_run_reader *reader, struct tm_run_file *file, const struct tm_run *run,
                        size_t inline_bytes);

/* Reads the next block into *BLOCK, which is valid until the next call. TM_OK, TM_END or TM_E_SYSTEM. Can be the next
 * function of a tm_run_source. */
enum tm_status tm_run_reader_next(void *reader, struct tm_block **block, struct tm_error *err);

void tm_run_reader_release(struct tm_run_reader *reader);

#endif
