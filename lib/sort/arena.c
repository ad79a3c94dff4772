#include "sort/arena.h"

#include "os/compat.h"

#include <stdlib.h>

enum { ARENA_ALIGN = 16, ARENA_PIECE_MIN = 256 << 10, ARENA_PIECE_MAX = 64 << 20, ARENA_PIECES = 4,
       ARENA_LARGE_PAGE = 2 << 20, /* of the kernel, on most processors */
       ARENA_PREFAULT_MIN = 8 << 20, /* smaller pieces are backed with pages as they are filled */
       ARENA_PREFAULT_BYTES = 8 << 20 /* this much is backed with pages before it is taken */ };

struct tm_arena_piece {
    struct tm_arena_piece *next;
    size_t used, cap; /* bytes after this header */
    size_t wanted;    /* this many bytes are backed with pages, or are about to be */
    bool is_whole;    /* it begins and ends where large pages do */
    uint32_t *unused; /* bytes of each large page that are not used any more; NULL: nothing was given back */
};

static size_t aligned(size_t len)
{
    return (len + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
}

static size_t head_bytes(void)
{
    return aligned(sizeof(struct tm_arena_piece));
}

/* Takes the first idle piece with room for LEN bytes out of its list. Returns NULL if there is none. */
static struct tm_arena_piece *idle_piece(struct tm_arena *a, size_t len)
{
    for (struct tm_arena_piece **at = &a->idle; *at; at = &(*at)->next) {
        struct tm_arena_piece *piece = *at;
        if (piece->cap >= len) {
            *at = piece->next;
            return piece;
        }
    }
    return NULL;
}

/* Returns the size of the next piece. Small inputs need little memory, so pieces begin small and double, until
 * ARENA_PIECES of them fill the limit. */
static size_t piece_bytes(const struct tm_arena *a)
{
    size_t most = a->limit_bytes / ARENA_PIECES;
    most = most > ARENA_PIECE_MAX ? ARENA_PIECE_MAX : most;
    size_t want = a->bytes < most ? a->bytes : most;
    return want < ARENA_PIECE_MIN ? ARENA_PIECE_MIN : want;
}

/* Allocates a piece for A, with room for LEN bytes, for as many as piece_bytes says if possible, and for at most LEFT.
 * A piece as large as a large page consists of whole ones, unless LEFT does not allow that. */
static struct tm_arena_piece *new_piece(const struct tm_arena *a, size_t len, size_t left)
{
    const size_t page = ARENA_LARGE_PAGE, head = head_bytes();
    size_t want = piece_bytes(a) < left ? piece_bytes(a) : left;
    want = want < len ? len : want;
    size_t bytes = head + want, whole = (bytes + page - 1) & ~(page - 1);
    if (whole > head + left && whole > page)
        whole -= page;
    const bool is_whole = bytes >= page && whole >= head + len && whole <= head + left;
    struct tm_arena_piece *piece = is_whole ? aligned_alloc(page, whole) : malloc(bytes);
    if (piece == NULL)
        return NULL;
    if (is_whole && a->has_small_pages)
        tm_compat_small_pages(piece, whole);
    else if (is_whole)
        tm_compat_large_pages(piece, whole);
    piece->cap = is_whole ? whole - head : want;
    piece->wanted = piece->cap < ARENA_PREFAULT_MIN ? piece->cap : 0;
    piece->is_whole = is_whole;
    piece->unused = NULL;
    return piece;
}

/* Puts a new or an idle piece with room for LEN bytes at the front of the list. */
static enum tm_status add_piece(struct tm_arena *a, size_t len, bool *full)
{
    struct tm_arena_piece *piece = idle_piece(a, len);
    if (piece == NULL) {
        size_t left = a->limit_bytes > a->bytes ? a->limit_bytes - a->bytes : 0;
        if (len > left) {
            *full = true;
            return TM_END;
        }
        piece = new_piece(a, len, left);
        if (piece == NULL)
            return TM_E_SYSTEM;
        a->bytes += piece->cap;
    }
    piece->used = 0;
    piece->next = a->pieces;
    a->pieces = piece;
    return TM_OK;
}

/* Requests pages for the bytes of PIECE that are taken next. */
static void prefault(struct tm_arena *a, struct tm_arena_piece *piece)
{
    if (!a->has_prefault)
        a->prefault = tm_prefault_new();
    a->has_prefault = true;
    size_t from = piece->used > piece->wanted ? piece->used : piece->wanted;
    size_t end = piece->cap - piece->used < ARENA_PREFAULT_BYTES ? piece->cap : piece->used + ARENA_PREFAULT_BYTES;
    if (!a->has_small_pages && tm_prefault_is_costly(a->prefault)) {
        a->has_small_pages = true;
        tm_compat_small_pages((uint8_t *)piece + head_bytes() + from, piece->cap - from);
    }
    tm_prefault_range(a->prefault, (uint8_t *)piece + head_bytes() + from, end - from);
    piece->wanted = end;
}

void *tm_arena_take(struct tm_arena *a, size_t len, bool *full)
{
    *full = false;
    if (len > SIZE_MAX / 2)
        return NULL;
    len = aligned(len);
    if ((a->pieces == NULL || a->pieces->cap - a->pieces->used < len) && add_piece(a, len, full) != TM_OK)
        return NULL;
    uint8_t *p = (uint8_t *)a->pieces + head_bytes() + a->pieces->used;
    a->pieces->used += len;
    if (a->pieces->wanted < a->pieces->cap && a->pieces->used + ARENA_PREFAULT_BYTES / 2 > a->pieces->wanted)
        prefault(a, a->pieces);
    return p;
}

void tm_arena_clear(struct tm_arena *a)
{
    while (a->pieces) {
        struct tm_arena_piece *piece = a->pieces;
        a->pieces = piece->next;
        piece->next = a->idle;
        a->idle = piece;
    }
}

/* Returns the piece that has MEM. */
static struct tm_arena_piece *piece_of(const struct tm_arena *a, const void *mem)
{
    const uintptr_t at = (uintptr_t)mem;
    struct tm_arena_piece *piece = a->pieces;
    while (at - (uintptr_t)piece >= head_bytes() + piece->cap)
        piece = piece->next;
    return piece;
}

/* Counts bytes [FROM, END) of PIECE, from its header on, and gives large page NUMBER back if nothing in it is used any
 * more. The first page has the header, so it stays. */
static void count_unused(struct tm_arena_piece *piece, size_t number, size_t from, size_t end)
{
    const size_t start = number * ARENA_LARGE_PAGE, used = head_bytes() + piece->used;
    const size_t taken = used - start < ARENA_LARGE_PAGE ? used - start : ARENA_LARGE_PAGE;
    piece->unused[number] += (uint32_t)(end - from);
    if (number > 0 && piece->unused[number] == taken)
        tm_compat_give_back((uint8_t *)piece + start, ARENA_LARGE_PAGE);
}

void tm_arena_give_back(struct tm_arena *a, void *mem, size_t len)
{
    struct tm_arena_piece *piece = piece_of(a, mem);
    if (piece->is_whole && piece->unused == NULL)
        piece->unused = calloc(piece->cap / ARENA_LARGE_PAGE + 1, sizeof *piece->unused);
    if (piece->unused == NULL)
        return;
    size_t from = (size_t)((uint8_t *)mem - (uint8_t *)piece), last = from + aligned(len);
    while (from < last) {
        size_t number = from / ARENA_LARGE_PAGE, end = (number + 1) * ARENA_LARGE_PAGE;
        end = end < last ? end : last;
        count_unused(piece, number, from, end);
        from = end;
    }
}

static void free_all(struct tm_arena_piece *piece)
{
    while (piece) {
        struct tm_arena_piece *next = piece->next;
        free(piece->unused);
        free(piece);
        piece = next;
    }
}

void tm_arena_release(struct tm_arena *a)
{
    tm_prefault_free(a->prefault);
    free_all(a->pieces);
    free_all(a->idle);
    *a = (struct tm_arena){.limit_bytes = a->limit_bytes};
}
