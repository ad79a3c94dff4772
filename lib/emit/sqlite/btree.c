#include "emit/sqlite/btree.h"

#include "base/bytes.h"

#include <stdlib.h>

/* Layout of a page: its type, the number of its cells at 3, their start at 5, and above the leaves the last child at 8.
 * Then the places of the cells. The cells fill the page from its end. */
enum { LEAF = 13, INTERIOR = 5, LEAF_HEADER = 8, INTERIOR_HEADER = 12, CHILD_BYTES = 4 };
/* The largest part of a record in a leaf, and the smallest part of a record that continues on other pages. */
enum { LOCAL_MAX = TM_SQLITE_PAGE - 35, LOCAL_MIN = (TM_SQLITE_PAGE - 12) * 32 / 255 - 23 };
enum { OVERFLOW_BYTES = TM_SQLITE_PAGE - CHILD_BYTES };

void tm_sqlite_btree_init(struct tm_sqlite_btree *tree, struct tm_sqlite_pages *pages, uint32_t root)
{
    *tree = (struct tm_sqlite_btree){.pages = pages, .root = root, .last = INT64_MIN};
}

static void empty_page(struct tm_sqlite_page *page, int type)
{
    page->bytes[0] = (uint8_t)type;
    page->cells = 0;
    page->top = TM_SQLITE_PAGE;
}

static struct tm_sqlite_page *new_page(int type)
{
    struct tm_sqlite_page *page = calloc(1, sizeof *page);
    if (page)
        empty_page(page, type);
    return page;
}

static uint32_t header_of(const struct tm_sqlite_page *page)
{
    return page->bytes[0] == LEAF ? LEAF_HEADER : INTERIOR_HEADER;
}

static bool has_room(const struct tm_sqlite_page *page, size_t len)
{
    return header_of(page) + 2 * (page->cells + 1) + len <= page->top;
}

/* Finds the place for a cell of LEN bytes, for which there is room. */
static uint8_t *put_cell(struct tm_sqlite_page *page, size_t len)
{
    page->top -= (uint32_t)len;
    tm_put_be16(page->bytes + header_of(page) + 2 * page->cells++, page->top);
    return page->bytes + page->top;
}

/* Completes the header of PAGE. Clears the gap between the places of the cells and the cells, which has bytes of an
 * earlier page. */
static void complete(struct tm_sqlite_page *page)
{
    uint32_t used = header_of(page) + 2 * page->cells;
    tm_put_be16(page->bytes + 3, page->cells);
    tm_put_be16(page->bytes + 5, page->top);
    memset(page->bytes + used, 0, page->top - used);
}

/* Closes the full page of LEVEL. The child of its last cell becomes its last child, so the next page begins with a
 * cell. */
static enum tm_status close_interior(struct tm_sqlite_btree *tree, int level, struct tm_sqlite_child *closed,
                                     struct tm_error *err)
{
    struct tm_sqlite_page *page = tree->levels[level];
    const uint8_t *cell = page->bytes + page->top;
    uint64_t rowid = 0;
    size_t len = CHILD_BYTES + tm_sqlite_get_varint(cell + CHILD_BYTES, TM_SQLITE_VARINT_MAX, &rowid);
    memcpy(page->bytes + 8, cell, CHILD_BYTES);
    page->top += (uint32_t)len;
    page->cells--;
    complete(page);
    closed->rowid = (int64_t)rowid;
    enum tm_status st = tm_sqlite_pages_add(tree->pages, page->bytes, &closed->page, err);
    empty_page(page, INTERIOR);
    return st;
}

/* Puts the newest child of LEVEL into a cell. *CLOSED is the page that had no room for it; its number is 0 if there was
 * room. */
static enum tm_status put_child(struct tm_sqlite_btree *tree, int level, struct tm_sqlite_child *closed,
                                struct tm_error *err)
{
    const struct tm_sqlite_child *child = &tree->newest[level];
    struct tm_sqlite_page *page = tree->levels[level];
    uint8_t cell[CHILD_BYTES + TM_SQLITE_VARINT_MAX];
    tm_put_be32(cell, child->page);
    size_t len = CHILD_BYTES + tm_sqlite_put_varint(cell + CHILD_BYTES, (uint64_t)child->rowid);
    enum tm_status st = has_room(page, len) ? TM_OK : close_interior(tree, level, closed, err);
    if (st == TM_OK)
        memcpy(put_cell(page, len), cell, len);
    return st;
}

/* Adds page CHILD to LEVEL; level 0 is above the leaves. Pages that are full are added to the levels above. */
static enum tm_status add_child(struct tm_sqlite_btree *tree, int level, struct tm_sqlite_child child,
                                struct tm_error *err)
{
    for (; level < TM_SQLITE_LEVELS && child.page; level++) {
        struct tm_sqlite_child closed = {0};
        enum tm_status st = TM_OK;
        if (tree->levels[level] == NULL && (tree->levels[level] = new_page(INTERIOR)) == NULL)
            return tm_error_nomem(err);
        if (tree->newest[level].page)
            st = put_child(tree, level, &closed, err);
        if (st < 0)
            return st;
        tree->newest[level] = child;
        child = closed;
    }
    return TM_OK;
}

static enum tm_status close_leaf(struct tm_sqlite_btree *tree, struct tm_error *err)
{
    struct tm_sqlite_child child = {.rowid = tree->last};
    complete(tree->leaf);
    enum tm_status st = tm_sqlite_pages_add(tree->pages, tree->leaf->bytes, &child.page, err);
    tm_wide_places_close(&tree->wides, child.page);
    empty_page(tree->leaf, LEAF);
    return st < 0 ? st : add_child(tree, 0, child, err);
}

/* Writes DATA to overflow pages; each names the next. *FIRST is the number of the first. */
static enum tm_status put_overflow(struct tm_sqlite_btree *tree, const uint8_t *data, size_t len, uint32_t *first,
                                   struct tm_error *err)
{
    uint8_t page[TM_SQLITE_PAGE];
    enum tm_status st = TM_OK;
    *first = tm_sqlite_pages_next(tree->pages);
    for (size_t n; st == TM_OK && len; data += n, len -= n) {
        uint32_t number;
        n = len < OVERFLOW_BYTES ? len : OVERFLOW_BYTES;
        memcpy(page + CHILD_BYTES, data, n);
        memset(page + CHILD_BYTES + n, 0, OVERFLOW_BYTES - n);
        tm_put_be32(page, n < len ? tm_sqlite_page_after(tm_sqlite_pages_next(tree->pages)) : 0);
        st = tm_sqlite_pages_add(tree->pages, page, &number, err);
    }
    return st;
}

/* Returns how many of the LEN bytes of a record are in the leaf. The others are in overflow pages. */
static size_t local_bytes(size_t len)
{
    size_t local = len <= LOCAL_MAX ? len : LOCAL_MIN + (len - LOCAL_MIN) % OVERFLOW_BYTES;
    return local <= LOCAL_MAX ? local : LOCAL_MIN;
}

/* Sets the error for a record that cannot be added. */
static enum tm_status refuse(const struct tm_sqlite_btree *tree, const struct tm_sqlite_record *record,
                             struct tm_error *err)
{
    return record->failed == TM_E_INPUT
               ? tm_error_set(err, TM_E_INPUT, "%s: a text is longer than the %d bytes that SQLite reads",
                              tree->pages->name, (int)TM_RECORD_TEXT_MAX)
               : tm_error_nomem(err);
}

/* A cell's first bytes: the length of the record and the rowid. */
struct cell_head {
    uint8_t bytes[2 * TM_SQLITE_VARINT_MAX];
    size_t len;
};

/* Adds the row with HEAD to the leaf or to a new one. */
static enum tm_status add_cell(struct tm_sqlite_btree *tree, const struct cell_head *head,
                               const struct tm_sqlite_record *record, struct tm_error *err)
{
    enum { SHORT = 16 /* usual heads and types are not longer; what is copied in excess is overwritten */ };
    const struct tm_text values = record->long_text.data ? record->long_text
                                                         : tm_text_at(record->values.data, record->values.len);
    const size_t len = record->types_len + values.len, local = local_bytes(len),
                 cell = head->len + local + (local < len ? CHILD_BYTES : 0), local_values = local - record->types_len;
    uint32_t overflow = 0;
    enum tm_status st = has_room(tree->leaf, cell) ? TM_OK : close_leaf(tree, err);
    if (st == TM_OK && local < len)
        st = put_overflow(tree, values.data + local_values, len - local, &overflow, err);
    if (st < 0)
        return st;
    uint8_t *to = put_cell(tree->leaf, cell);
    bool is_usual = head->len <= SHORT && record->types_len <= SHORT && local_values >= SHORT;
    memcpy(to, head->bytes, is_usual ? SHORT : head->len);
    to += head->len;
    memcpy(to, record->types, is_usual ? SHORT : record->types_len);
    to[0] = (uint8_t)record->types_len;
    tm_copy_few(to + record->types_len, values.data, local_values);
    if (overflow)
        tm_put_be32(to + local, overflow);
    return TM_OK;
}

/* Remembers where the column of RECORD that may change is in the row that was added last. */
static void note_wide(struct tm_sqlite_btree *tree, int64_t rowid, size_t head_len,
                      const struct tm_sqlite_record *record)
{
    const size_t at = record->types_len + record->wide_at;
    if (at + TM_SQLITE_NUMBER <= local_bytes(record->types_len + record->values.len))
        tm_wide_places_add(&tree->wides, rowid, record->wide_column, tree->leaf->top + (uint32_t)(head_len + at));
}

enum tm_status tm_sqlite_btree_add(struct tm_sqlite_btree *tree, int64_t rowid, const struct tm_sqlite_record *record,
                                   struct tm_error *err)
{
    struct cell_head head = {.len = 0};
    const size_t values = record->long_text.data ? record->long_text.len : record->values.len;
    if (record->failed < 0 || (tree->leaf == NULL && (tree->leaf = new_page(LEAF)) == NULL))
        return refuse(tree, record, err);
    if (rowid <= tree->last)
        return tm_error_set(err, TM_E_SYSTEM, "%s: rows are not in order", tree->pages->name);
    const size_t len = record->types_len + values;
    head.len = 1;
    head.bytes[0] = (uint8_t)len;
    if (len >= 0x80)
        head.len = tm_sqlite_put_varint(head.bytes, len);
    head.len += tm_sqlite_put_varint(head.bytes + head.len, (uint64_t)rowid);
    enum tm_status st = add_cell(tree, &head, record, err);
    if (st < 0)
        return st;
    if (record->wide_column)
        note_wide(tree, rowid, head.len, record);
    tree->last = rowid;
    return TM_OK;
}

/* Returns cell I of PAGE. */
static const uint8_t *cell_at(const uint8_t *page, uint32_t i)
{
    uint32_t header = page[0] == LEAF ? LEAF_HEADER : INTERIOR_HEADER;
    return page + tm_get_be16(page + header + 2 * i);
}

static int64_t rowid_of(const uint8_t *page, uint32_t i)
{
    const uint8_t *cell = cell_at(page, i);
    uint64_t value = 0;
    size_t n = page[0] == LEAF ? tm_sqlite_get_varint(cell, TM_SQLITE_VARINT_MAX, &value) : CHILD_BYTES;
    tm_sqlite_get_varint(cell + n, TM_SQLITE_VARINT_MAX, &value);
    return (int64_t)value;
}

/* Finds the first of COUNT cells with ROWID or a larger one; COUNT if there is none. */
static uint32_t search(const uint8_t *page, uint32_t count, int64_t rowid)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rowid_of(page, middle) < rowid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Reads the record in cell I of LEAF. */
static enum tm_status read_record(struct tm_sqlite_btree *tree, const uint8_t *leaf, uint32_t i, struct tm_buf *payload,
                                  struct tm_error *err)
{
    const uint8_t *cell = cell_at(leaf, i);
    uint8_t page[TM_SQLITE_PAGE];
    uint64_t len, rowid;
    enum tm_status st = TM_OK;
    cell += tm_sqlite_get_varint(cell, TM_SQLITE_VARINT_MAX, &len);
    cell += tm_sqlite_get_varint(cell, TM_SQLITE_VARINT_MAX, &rowid);
    size_t local = local_bytes((size_t)len);
    tm_buf_clear(payload);
    if (tm_buf_reserve(payload, (size_t)len) < 0 || tm_buf_add(payload, cell, local) < 0)
        return tm_error_nomem(err);
    for (uint32_t next = local < len ? tm_get_be32(cell + local) : 0; st == TM_OK && next; next = tm_get_be32(page)) {
        size_t rest = (size_t)len - payload->len;
        st = tm_sqlite_pages_get(tree->pages, next, page, err);
        if (st == TM_OK && tm_buf_add(payload, page + CHILD_BYTES, rest < OVERFLOW_BYTES ? rest : OVERFLOW_BYTES) < 0)
            return tm_error_nomem(err);
    }
    return st;
}

/* Finds the written page that leads to ROWID, from the pages in memory; 0: the row is in the open leaf or does not
 * exist. */
static uint32_t find_closed(const struct tm_sqlite_btree *tree, int64_t rowid)
{
    for (int level = TM_SQLITE_LEVELS - 1; level >= 0; level--) {
        const struct tm_sqlite_page *page = tree->levels[level];
        if (page == NULL || rowid > tree->newest[level].rowid)
            continue;
        uint32_t i = search(page->bytes, page->cells, rowid);
        return i < page->cells ? tm_get_be32(cell_at(page->bytes, i)) : tree->newest[level].page;
    }
    return 0;
}

/* A row that was added. */
struct place {
    uint32_t page;        /* 0: the open leaf */
    const uint8_t *bytes; /* of the leaf */
    uint32_t cell;
};

/* Finds row ROWID. PAGE gets the bytes of its leaf, unless that is the open one. TM_OK; TM_END; TM_E_SYSTEM. */
static enum tm_status find_place(struct tm_sqlite_btree *tree, int64_t rowid, uint8_t *page, struct place *place,
                                 struct tm_error *err)
{
    uint32_t number = find_closed(tree, rowid);
    uint32_t cells = number == 0 && tree->leaf ? tree->leaf->cells : 0;
    *place = (struct place){.bytes = number ? page : tree->leaf ? tree->leaf->bytes : NULL};
    while (number) {
        enum tm_status st = tm_sqlite_pages_get(tree->pages, number, page, err);
        if (st < 0)
            return st;
        place->page = number;
        cells = tm_get_be16(page + 3);
        place->cell = search(page, cells, rowid);
        number = page[0] == LEAF ? 0 : tm_get_be32(place->cell < cells ? cell_at(page, place->cell) : page + 8);
    }
    place->cell = place->bytes ? search(place->bytes, cells, rowid) : 0;
    return place->cell < cells && rowid_of(place->bytes, place->cell) == rowid ? TM_OK : TM_END;
}

enum tm_status tm_sqlite_btree_find(struct tm_sqlite_btree *tree, int64_t rowid, struct tm_buf *payload,
                                    struct tm_error *err)
{
    uint8_t page[TM_SQLITE_PAGE];
    struct place place;
    enum tm_status st = find_place(tree, rowid, page, &place, err);
    return st == TM_OK ? read_record(tree, place.bytes, place.cell, payload, err) : st;
}

/* Finds column COLUMN of row ROWID in the tree. TM_OK, TM_END or TM_E_SYSTEM, as tm_sqlite_btree_change. */
static enum tm_status search_wide(struct tm_sqlite_btree *tree, int64_t rowid, unsigned column,
                                  struct tm_wide_place *wide, struct tm_error *err)
{
    uint8_t page[TM_SQLITE_PAGE];
    struct place place;
    uint64_t len, id;
    size_t at;
    enum tm_status st = find_place(tree, rowid, page, &place, err);
    if (st != TM_OK)
        return st;
    const uint8_t *payload = cell_at(place.bytes, place.cell);
    payload += tm_sqlite_get_varint(payload, TM_SQLITE_VARINT_MAX, &len);
    payload += tm_sqlite_get_varint(payload, TM_SQLITE_VARINT_MAX, &id);
    if (tm_sqlite_record_find_wide(payload, local_bytes((size_t)len), column, &at) != TM_OK)
        return TM_END;
    wide->page = place.page;
    wide->at = (uint16_t)((size_t)(payload - place.bytes) + at);
    return TM_OK;
}

enum tm_status tm_sqlite_btree_change(struct tm_sqlite_btree *tree, int64_t rowid, unsigned column, int64_t value,
                                      struct tm_error *err)
{
    const struct tm_wide_place *known = tm_wide_places_find(&tree->wides, rowid, column);
    struct tm_wide_place place;
    uint8_t number[TM_SQLITE_NUMBER];
    enum tm_status st = TM_OK;
    if (known)
        place = *known;
    else
        st = search_wide(tree, rowid, column, &place, err);
    if (st != TM_OK)
        return st;
    tm_put_be64(number, (uint64_t)value);
    if (place.page)
        return tm_sqlite_pages_change(tree->pages, place.page, place.at, number, err);
    memcpy(tree->leaf->bytes + place.at, number, sizeof number);
    return TM_OK;
}

enum tm_status tm_sqlite_btree_finish(struct tm_sqlite_btree *tree, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    int level = 0;
    if (tree->leaf == NULL)
        return TM_OK;
    if (tree->levels[0] == NULL) {
        complete(tree->leaf);
        return tm_sqlite_pages_put(tree->pages, tree->root, tree->leaf->bytes, err);
    }
    if (tree->leaf->cells)
        st = close_leaf(tree, err);
    for (; st == TM_OK && tree->levels[level]; level++) {
        struct tm_sqlite_page *page = tree->levels[level];
        struct tm_sqlite_child closed = {.rowid = tree->newest[level].rowid};
        tm_put_be32(page->bytes + 8, tree->newest[level].page);
        complete(page);
        if (level + 1 == TM_SQLITE_LEVELS || tree->levels[level + 1] == NULL)
            return tm_sqlite_pages_put(tree->pages, tree->root, page->bytes, err);
        st = tm_sqlite_pages_add(tree->pages, page->bytes, &closed.page, err);
        if (st == TM_OK)
            st = add_child(tree, level + 1, closed, err);
    }
    return st;
}

void tm_sqlite_btree_release(struct tm_sqlite_btree *tree)
{
    free(tree->leaf);
    tm_wide_places_release(&tree->wides);
    for (int level = 0; level < TM_SQLITE_LEVELS; level++)
        free(tree->levels[level]);
    *tree = (struct tm_sqlite_btree){0};
}
