/* Runs on disk: an unlinked temporary file that holds any number of sorted runs behind one
 * descriptor. A run is a chain of chunks (columns and payload of a few hundred rows) that ends in a
 * link; a run that begins where another one ends is joined to it by setting the link.
 *
 * The file is read by the process that wrote it and by no other. Each run is read once: what was read is given back. */
#ifndef TM_SORT_RUN_FILE_H
#define TM_SORT_RUN_FILE_H

#include "os/reclaim.h"
#include "sort/block.h"

/* Set dir, fd = -1 and the rest to zero; the file is made when the first run is written. */
struct tm_run_file {
    const char *dir; /* borrowed; NULL: as tm_io_spool */
    const struct tm_block_layouts *layouts; /* borrowed; of the blocks that are written as records */
    int fd;
    uint64_t end_bytes;
    struct tm_reclaim spent; /* all is read once */
};

struct tm_run {
    uint64_t start;           /* where its first chunk is */
    uint64_t link;            /* where its link is */
    struct tm_sort_key first, last;
    bool definitions;         /* all rows are, or none is */
};

/* Writes one run. Zero-initialise. */
struct tm_run_writer {
    struct tm_run_file *file;
    const struct tm_file_order *orders;
    uint64_t sequence; /* of all its blocks */
    struct tm_run run; /* complete after end */
    /* private */
    struct tm_buf out;
    bool begun;
};

/* Begins a run at the end of FILE. ORDERS and FILE are borrowed. */
enum tm_status tm_run_writer_begin(struct tm_run_writer *writer, struct tm_run_file *file,
                                   const struct tm_file_order *orders, uint64_t sequence, struct tm_error *err);

/* Adds BATCH as a chunk; a tm_collector_sink's write with the writer as its target. */
enum tm_status tm_run_writer_write(void *writer, const struct tm_batch *batch, struct tm_error *err);

/* Adds BLOCK, which is of records of one of the file's layouts, as a chunk: row by row, as it is in memory. */
enum tm_status tm_run_writer_write_records(struct tm_run_writer *writer, const struct tm_block *block,
                                           struct tm_error *err);

/* Bytes that such a chunk takes in memory. */
size_t tm_run_records_bytes(const struct tm_block *block);

/* Writes the link and everything that is buffered. The run has had at least one row. */
enum tm_status tm_run_writer_end(struct tm_run_writer *writer, struct tm_error *err);

void tm_run_writer_release(struct tm_run_writer *writer);

/* NEXT, a run of the same file whose first key is not less than RUN's last one, becomes a part
 * of RUN. */
enum tm_status tm_run_join(struct tm_run_file *file, struct tm_run *run, const struct tm_run *next,
                           struct tm_error *err);

/* Forgets all runs and gives the disk space back; more may be written. No reader may be left. */
void tm_run_file_release(struct tm_run_file *file);

#define TM_RUN_RECORDS (UINT32_C(1) << 31)

struct tm_run_chunk {
    uint32_t count;   /* rows; 0: this is the link */
    uint32_t columns; /* bit a column: it has an element for each row; TM_RUN_RECORDS and a layout's index: the rows
                         are records */
    uint64_t payload_bytes; /* of a link: where the run goes on, 0 nowhere */
    uint64_t sequence;
};

/* Reads one run. */
struct tm_run_reader {
    struct tm_run_file *file;
    size_t inline_bytes; /* payloads of a chunk above this stay in the file */
    /* private */
    struct tm_block block;
    bool definitions;
    struct tm_run_chunk chunk; /* the one to be read next */
    uint64_t offset;           /* where its body is */
    bool has_chunk;
    uint8_t *mem;
    size_t mem_bytes;
};

/* FILE stays where it is while the reader lives. */
void tm_run_reader_init(struct tm_run_reader *reader, struct tm_run_file *file, const struct tm_run *run,
                        size_t inline_bytes);

/* TM_OK with *BLOCK set, valid until the next call; TM_END; TM_E_SYSTEM. A tm_merge_source's next. */
enum tm_status tm_run_reader_next(void *reader, struct tm_block **block, struct tm_error *err);

void tm_run_reader_release(struct tm_run_reader *reader);

#endif
