/*
 * Packets of Heph's trace format, version 0.1.0.  Used by the style `heph`,
 * which puts a packet together attribute by attribute.  Strings are cut to
 * whole characters where the format has no room for more.
 */
#ifndef DECODER_HEPH_WRITE_H
#define DECODER_HEPH_WRITE_H

#include "base/render_buffer.h"
#include "decoder/heph/heph_read.h"

/* The option `epoch`, nanoseconds since 1970, in a packet of its own. */
void heph_write_epoch(struct render_buffer *out, uint64_t epoch);

/* Begins an event, without attributes; returns where. */
size_t heph_write_begin(
	struct render_buffer *out, const struct heph_event *event);

/* Attributes of it; of an array, `count` values of that type follow. */
void heph_write_unsigned(
	struct render_buffer *out, const char *name, uint64_t number);
void heph_write_signed(
	struct render_buffer *out, const char *name, int64_t number);
void heph_write_float(
	struct render_buffer *out, const char *name, double number);
void heph_write_string(struct render_buffer *out, const char *name,
	const char *bytes, size_t size);
void heph_write_attribute(
	struct render_buffer *out, const struct heph_attribute *attribute);

/* The values themselves. */
void heph_write_number(struct render_buffer *out, uint64_t number);
void heph_write_text(struct render_buffer *out, const char *bytes, size_t size);

/* The event that was begun there is whole. */
void heph_write_end(struct render_buffer *out, size_t begin);

#endif
