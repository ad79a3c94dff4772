/* Shortens the search for leaks at the end of a sanitized program. LeakSanitizer reads all writable data of a program,
 * also 4.4 MB of its own table of stacks, most pages of which were never written. That takes a third of the time of a
 * short process. A page that was never written holds no pointer, so LeakSanitizer is not told of such pages.
 *
 * The linker makes __wrap_dl_iterate_phdr of each dl_iterate_phdr in a sanitized program (--wrap). LeakSanitizer calls
 * it from a thread without thread-local data, beside an allocator that is locked: the code here allocates nothing and
 * calls the kernel itself. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOT_SANITIZED __attribute__((no_sanitize("address", "undefined")))

enum {
    PAGE_BYTES = 4096, /* of x86-64. Where pages are larger, the table below is too short, and all data is told. */
    MOST_HEADERS = 512,
    ENTRIES_AT_ONCE = 256,
    MOST_BETWEEN = 2 /* so many pages between two that were written are told too */
};

/* An entry of /proc/self/pagemap is of a page that was never written if both bits are 0 (proc_pid_pagemap(5)). */
#define PAGE_IS_PRESENT (UINT64_C(1) << 63)
#define PAGE_IS_SWAPPED (UINT64_C(1) << 62)

typedef int callback(struct dl_phdr_info *info, size_t size, void *data);

/* LeakSanitizer's range that it does not read. It refuses that only a part of it lies in a segment. */
__attribute__((weak)) void _ZN6__lsan23GetAllocatorGlobalRangeEPmS0_(unsigned long *start, unsigned long *end);

int __real_dl_iterate_phdr(callback *call, void *data);
int __wrap_dl_iterate_phdr(callback *call, void *data);

/* The headers of an object, in which one writable segment is several. */
struct headers {
    ElfW(Phdr) at[MOST_HEADERS];
    unsigned count;
};

/* Addresses, or numbers of pages. */
struct range {
    uintptr_t start, end;
};

/* What is known of pages. */
struct pages {
    int file;            /* /proc/self/pagemap */
    struct range unread; /* pages that count as written */
};

struct call {
    callback *function;
    void *data;
    struct pages pages;
};

/* Adds the part of SEGMENT that lies in PAGES as a segment like HEADER. False if there is no room. */
NOT_SANITIZED static bool add_part(struct headers *headers, const ElfW(Phdr) *header, struct range segment,
                                   struct range pages)
{
    if (headers->count == MOST_HEADERS)
        return false;
    uintptr_t start = pages.start * PAGE_BYTES, end = pages.end * PAGE_BYTES;
    if (start < segment.start)
        start = segment.start;
    if (end > segment.end)
        end = segment.end;
    ElfW(Phdr) *part = &headers->at[headers->count++];
    *part = *header;
    part->p_vaddr += start - segment.start;
    part->p_memsz = end - start;
    return true;
}

/* Adds what was written of SEGMENT as segments like HEADER. What the file holds of it, up to the page FROM, and its
 * last page count as written. False if the pages cannot be known, or there is no room. */
NOT_SANITIZED static bool add_written(struct headers *headers, const ElfW(Phdr) *header, struct range segment,
                                      const struct pages *pages)
{
    uint64_t entries[ENTRIES_AT_ONCE];
    uintptr_t from = (segment.start + header->p_filesz + PAGE_BYTES - 1) / PAGE_BYTES;
    uintptr_t last = (segment.end - 1) / PAGE_BYTES;
    struct range part = {segment.start / PAGE_BYTES, from};
    for (uintptr_t page = from; page <= last; page++) {
        uintptr_t at = (page - from) % ENTRIES_AT_ONCE;
        if (at == 0) {
            size_t count = last + 1 - page < ENTRIES_AT_ONCE ? last + 1 - page : ENTRIES_AT_ONCE;
            size_t bytes = count * sizeof(*entries);
            if (syscall(SYS_pread64, pages->file, entries, bytes, page * sizeof(*entries)) != (long)bytes)
                return false;
        }
        bool is_unread = page >= pages->unread.start && page < pages->unread.end;
        if ((entries[at] & (PAGE_IS_PRESENT | PAGE_IS_SWAPPED)) == 0 && !is_unread && page < last)
            continue;
        if (page - part.end > MOST_BETWEEN) {
            if (!add_part(headers, header, segment, part))
                return false;
            part.start = page;
        }
        part.end = page + 1;
    }
    return add_part(headers, header, segment, part);
}

/* Copies the headers of INFO, without pages that were never written. False if the pages cannot be known, or there is no
 * room. */
NOT_SANITIZED static bool copy_headers(const struct dl_phdr_info *info, struct headers *headers,
                                       const struct pages *pages)
{
    headers->count = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        struct range segment = {start, start + header->p_memsz}, all = {0, UINTPTR_MAX / PAGE_BYTES};
        bool is_written = header->p_type == PT_LOAD && (header->p_flags & PF_W) != 0;
        if (is_written ? !add_written(headers, header, segment, pages) : !add_part(headers, header, segment, all))
            return false;
    }
    return true;
}

NOT_SANITIZED static int tell(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct call *call = data;
    struct headers headers;
    struct dl_phdr_info told = *info;
    if (copy_headers(info, &headers, &call->pages)) {
        told.dlpi_phdr = headers.at;
        told.dlpi_phnum = (ElfW(Half))headers.count;
    }
    return call->function(&told, size, call->data);
}

NOT_SANITIZED int __wrap_dl_iterate_phdr(callback *function, void *data)
{
    unsigned long start = 0, end = 0;
    if (_ZN6__lsan23GetAllocatorGlobalRangeEPmS0_ == NULL)
        return __real_dl_iterate_phdr(function, data);
    _ZN6__lsan23GetAllocatorGlobalRangeEPmS0_(&start, &end);
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return __real_dl_iterate_phdr(function, data);
    struct call call = {function, data, {file, {start / PAGE_BYTES, end / PAGE_BYTES + 1}}};
    int answer = __real_dl_iterate_phdr(tell, &call);
    syscall(SYS_close, file);
    return answer;
}
