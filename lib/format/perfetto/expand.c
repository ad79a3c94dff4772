#include "format/perfetto/expand.h"

#include "format/perfetto/packet_cache.h"
#include "format/perfetto/packet.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { CHUNK_BYTES = 256 << 10 };
enum { WINDOW_BITS_ANY = 15 + 32 }; /* zlib or gzip, as the header says */

static enum tm_status read_packet(struct tm_proto *p, const uint8_t *data, size_t len, uint64_t byte,
                                  struct tm_error *err)
{
    struct tm_proto_packet packet;
    enum tm_status st = tm_packet_cache_read(p, data, len, err);
    if (st != TM_END)
        return st;
    if (tm_proto_packet_decode(&packet, data, len) < 0)
        return tm_error_set(err, TM_E_INPUT, "damaged packet inside a compressed one");
    packet.byte = byte;
    if (packet.body.id == TM_PACKET_COMPRESSED || packet.body.id == TM_PACKET_ZSTD_COMPRESSED)
        return tm_error_set(err, TM_E_INPUT, "compressed packets inside compressed packets");
    return tm_proto_packet_read(p, &packet, err);
}

/* Reads the complete packets at the front of p->expanded and removes them. */
static enum tm_status read_packets(struct tm_proto *p, uint64_t byte, struct tm_error *err)
{
    const uint8_t *at = p->expanded.data, *end = at + p->expanded.len;
    while (at < end) {
        uint64_t len;
        if (*at != TM_PROTO_PACKET_TAG)
            return tm_error_set(err, TM_E_INPUT, "compressed packets contain something other than packets");
        const uint8_t *data = tm_varint_get(at + 1, end, &len);
        if (data == NULL && end - at > TM_VARINT_MAX)
            return tm_error_set(err, TM_E_INPUT, "compressed packets with a damaged length");
        if (data && len > TM_PROTO_PACKET_BYTES_MAX)
            return tm_error_set(err, TM_E_INPUT, "packet of %llu bytes inside a compressed one, the limit is %d",
                                (unsigned long long)len, TM_PROTO_PACKET_BYTES_MAX);
        if (data == NULL || len > (uint64_t)(end - data))
            break;
        enum tm_status st = len ? read_packet(p, data, (size_t)len, byte, err) : TM_OK;
        if (st < 0)
            return st;
        at = data + len;
    }
    tm_buf_consume(&p->expanded, (size_t)(at - p->expanded.data));
    return TM_OK;
}

/* Counts GOT new bytes at the end of p->expanded and reads the packets that are now complete. *TOTAL is the number of
 * bytes so far. */
static enum tm_status took(struct tm_proto *p, size_t got, uint64_t *total, uint64_t byte, struct tm_error *err)
{
    p->expanded.len += got;
    *total += got;
    if (*total > TM_PROTO_EXPANDED_MAX)
        return tm_error_set(err, TM_E_INPUT, "compressed packets expand to more than %d bytes", TM_PROTO_EXPANDED_MAX);
    if (p->expansion && tm_expansion_add(p->expansion, got, err) < 0) {
        p->is_past_limit = true;
        return TM_E_INPUT;
    }
    return read_packets(p, byte, err);
}

static enum tm_status inflate_all(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packet->body.data, .avail_in = (uInt)packet->body.len};
    enum tm_status st = TM_OK;
    uint64_t total = 0;
    int result = inflateInit2(&z, WINDOW_BITS_ANY);
    if (result != Z_OK)
        return tm_error_nomem(err);
    while (st >= 0 && result != Z_STREAM_END) {
        if (tm_buf_reserve(&p->expanded, CHUNK_BYTES) != TM_OK) {
            st = tm_error_nomem(err);
            break;
        }
        z.next_out = p->expanded.data + p->expanded.len;
        z.avail_out = CHUNK_BYTES;
        result = inflate(&z, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR)
            st = tm_error_nomem(err);
        else if (result != Z_OK && result != Z_STREAM_END)
            st = tm_error_set(err, TM_E_INPUT, "compressed packets are damaged or cut short");
        else
            st = took(p, CHUNK_BYTES - z.avail_out, &total, packet->byte, err);
    }
    inflateEnd(&z);
    return st;
}

static enum tm_status unzstd_all(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    ZSTD_inBuffer in = {.src = packet->body.data, .size = packet->body.len};
    enum tm_status st = TM_OK;
    uint64_t total = 0;
    size_t left = 1;
    ZSTD_DStream *z = ZSTD_createDStream();
    if (z == NULL)
        return tm_error_nomem(err);
    while (st >= 0 && left != 0) {
        if (tm_buf_reserve(&p->expanded, CHUNK_BYTES) != TM_OK) {
            st = tm_error_nomem(err);
            break;
        }
        ZSTD_outBuffer out = {.dst = p->expanded.data + p->expanded.len, .size = CHUNK_BYTES};
        left = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            st = tm_error_nomem(err);
        else if (ZSTD_isError(left) || (left && out.pos == 0 && in.pos == in.size))
            st = tm_error_set(err, TM_E_INPUT, "zstd-compressed packets are damaged or cut short");
        else
            st = took(p, out.pos, &total, packet->byte, err);
    }
    ZSTD_freeDStream(z);
    return st;
}

enum tm_status tm_proto_expand(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    p->expanded.len = 0;
    enum tm_status st = packet->body.id == TM_PACKET_COMPRESSED ? inflate_all(p, packet, err)
                                                                : unzstd_all(p, packet, err);
    if (st >= 0 && p->expanded.len)
        st = tm_error_set(err, TM_E_INPUT, "compressed packets end inside a packet");
    return st;
}
