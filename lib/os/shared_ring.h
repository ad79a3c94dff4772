/* A ring of bytes in memory that two processes share, beside the pipe between them. The bytes of the stream go through
 * the ring, where the reader uses them without a copy. The pipe is still there: a byte in it wakes the reader, its end
 * is the end of the stream, and a writer whose reader has left is told so by it. A pipe alone has its bytes copied
 * twice, and a page of the kernel is allocated and freed for each 4 KB.
 *
 * Not every program that stands in for a stage knows the ring. So the writer begins with the pipe. Once the reader has
 * attached itself, the writer puts TM_RING_MARK into the pipe, between two frames, and all frames after it into the
 * ring (stream/frame.h).
 *
 * A stage that changes little of what it reads can pass the rest on where it is. It has the reader's end, but gives
 * nothing back. It puts notes into its own pipe, between its own frames. A note says which bytes of the ring follow
 * there in the stream. The next stage, the taker, has the ring too: it uses these bytes where they are, and gives them
 * back. The stage between begins to pass on only once the taker has attached itself.
 *
 * The program that runs the stages makes the memory (os/pipeline.h), lets these stages inherit it, and names it in
 * TM_RINGS. Each of them maps it twice, one mapping after the other, so each range of the ring is contiguous. */
#ifndef TM_OS_SHARED_RING_H
#define TM_OS_SHARED_RING_H

#include "base/cpu.h"
#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "INPUT,OUTPUT,TAKEN": descriptors of the rings of standard input, of standard output, and of the input of the stage
 * before, which that stage can pass on; -1: none */
#define TM_RINGS_VARIABLE "TM_RINGS"

/* Bytes of a ring: a power of two, and several of the largest usual frames. More would not stay in a core's cache. */
#define TM_RING_BYTES ((size_t)2 << 20)

/* The most that an end can wait for. With more, a reader and a writer could wait for each other. */
#define TM_RING_PART_MAX (TM_RING_BYTES / 2)

/* The byte of the pipe after which the stream goes on in the ring, and which wakes the reader from then on. No frame
 * begins with it. */
enum { TM_RING_MARK = 0 };

/* The byte with which a note begins, and the bytes of a note. No frame begins with it. */
enum { TM_RING_NOTE = 1, TM_RING_NOTE_BYTES = 13 };

/* What the ends tell each other. Each position counts all bytes so far. */
struct tm_ring_page {
    _Alignas(TM_CPU_CACHE_LINE) _Atomic uint64_t written;
    _Alignas(TM_CPU_CACHE_LINE) _Atomic uint64_t consumed;
    _Alignas(TM_CPU_CACHE_LINE) _Atomic uint32_t is_awaited; /* the reader waits for a byte in the pipe */
    _Atomic uint32_t is_read;                                /* a reader is attached */
    _Atomic uint32_t is_taken;                               /* a taker is attached */
};

/* One end. Zero-initialised it has no ring. */
struct tm_ring {
    uint8_t *bytes; /* the ring, twice; NULL: there is none */
    struct tm_ring_page *page;
    uint64_t at;    /* position of this end: what it has written, or consumed */
    int fd;         /* the pipe, borrowed */
    bool has_ended; /* the writer has closed the pipe */
    bool is_taker;  /* this end uses what the stage before passes on; fd is the pipe from that stage */
    bool passes;    /* this end is a reader that passes on, by next_fd */
    int next_fd;    /* the pipe to the taker, borrowed */
    size_t populated; /* so many bytes of both copies have their pages, or cannot get them at once */
};

/* Bytes that were passed on. */
struct tm_ring_part {
    const uint8_t *bytes;
    size_t len;      /* 0: none, the note only says what can be given back */
    size_t consumed; /* what the taker gives back after their use: these, and bytes before them that are not for it */
};

/* Makes the memory of a ring. Returns its descriptor, which is closed on exec, or -1 if the system has no such memory.
 */
int tm_ring_make(void);

/* Attaches RING to the input or output of this process if TM_RINGS names memory for it, which can be mapped; FD is the
 * pipe. An input without a ring of its own takes what the stage before passes on, if TM_RINGS names that memory.
 * Otherwise RING has no ring. Closes the descriptor of the memory, so each end is attached once, and child processes do
 * not inherit it. */
void tm_ring_attach(struct tm_ring *ring, bool is_output, int fd);

/* True if RING has a ring whose reader is attached, so the stream may go on in it. */
bool tm_ring_is_read(const struct tm_ring *ring);

/* Writes TM_RING_MARK. All that was written to the pipe before must be in it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ring_begin(struct tm_ring *ring, struct tm_error *err);

/* Waits until NEED bytes, at most TM_RING_PART_MAX, can be read, or the writer has ended. Sets *HAVE to the number of
 * bytes that can be read. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ring_wait(struct tm_ring *ring, size_t need, size_t *have, struct tm_error *err);

/* Returns the first byte that is not consumed. */
static inline const uint8_t *tm_ring_unread(const struct tm_ring *ring)
{
    return ring->bytes + (ring->at & (TM_RING_BYTES - 1));
}

/* Returns how many bytes can be read without waiting. */
size_t tm_ring_ready(const struct tm_ring *ring);

/* Moves past LEN bytes, and gives them back to the writer, unless this end passes on. */
void tm_ring_consume(struct tm_ring *ring, size_t len);

/* Waits until LEN bytes, at most TM_RING_PART_MAX, can be written, and sets *ROOM to their place. Before it waits, it
 * shows the reader what was written before. TM_OK or TM_E_SYSTEM; if the reader has left, that is as for write(2). */
enum tm_status tm_ring_room(struct tm_ring *ring, size_t len, uint8_t **room, struct tm_error *err);

/* Counts LEN bytes as written. The reader sees them at the next tm_ring_show. */
static inline void tm_ring_add(struct tm_ring *ring, size_t len)
{
    ring->at += len;
}

/* Returns how many bytes the reader has not been shown. */
size_t tm_ring_hidden(const struct tm_ring *ring);

/* Shows the reader all bytes that were written. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ring_show(struct tm_ring *ring, struct tm_error *err);

/* Copies LEN bytes of any number into the ring and shows them. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ring_write(struct tm_ring *ring, const void *data, size_t len, struct tm_error *err);

/* True if RING has a ring with a taker attached, to which a reader can pass on. */
bool tm_ring_is_taken(const struct tm_ring *ring);

/* RING, a reader's end, passes on from now on; FD is the pipe to the taker. tm_ring_wait also notices if the taker has
 * left; that is as for write(2) to FD. All notes must be in FD before tm_ring_wait waits, with one for all that this
 * end has moved past, because the writer may wait for bytes that only the taker can give back. */
void tm_ring_pass_to(struct tm_ring *ring, int fd);

/* Makes a note: the next LEN bytes of the stream are those before position END of the ring. All bytes before END can
 * be given back after their use. */
void tm_ring_note_put(uint8_t note[TM_RING_NOTE_BYTES], uint64_t end, uint32_t len);

/* Sets PART to what NOTE says, for a taker. After their use it must tm_ring_consume as many bytes as PART says. TM_OK;
 * TM_E_SYSTEM: there are no such bytes. */
enum tm_status tm_ring_take(struct tm_ring *ring, const uint8_t note[TM_RING_NOTE_BYTES], struct tm_ring_part *part,
                            struct tm_error *err);

/* Ends the use of RING. It stays mapped until the process ends, because to unmap it would take longer than that. */
void tm_ring_detach(struct tm_ring *ring);

#endif
