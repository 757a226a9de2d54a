/*
 * Frames of a packed log (record/packed.h), field by field.  Used by whatever
 * writes definitions and batches.  Promises that nothing of a frame is in the
 * output before all of it is, and that no other frame can be found in it.
 */
#ifndef DECODER_FRAME_WRITE_H
#define DECODER_FRAME_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "record/packed.h"

/* All zeros but `log` is ready for the first frame. */
struct frame_write {
	struct render_buffer out; /* whole frames; emptied by the owner */
	uint64_t log;
	uint64_t part;
	/* The rest is its own. */
	enum packed_tag tag;
	size_t count; /* of fields */
	struct render_buffer fields;
	struct render_buffer ranges; /* of them that a mask is for */
};

/* Begins a frame, with log and part. */
void frame_write_begin(struct frame_write *frame, enum packed_tag tag);

void frame_write_uint(
	struct frame_write *frame, unsigned field, uint64_t value);
void frame_write_int(struct frame_write *frame, unsigned field, int64_t value);

/* Nothing if it is 0, which is what a missing field says. */
void frame_write_some(
	struct frame_write *frame, unsigned field, uint64_t value);

/* A string if it is valid UTF-8, else binary. */
void frame_write_text(struct frame_write *frame, unsigned field,
	const void *bytes, size_t size);
void frame_write_binary(struct frame_write *frame, unsigned field,
	const void *bytes, size_t size);

/* A field whose `count` values the caller appends to what is returned. */
struct render_buffer *frame_write_list(
	struct frame_write *frame, unsigned field, size_t count);

/* Values of a list that is under way: as fields of these kinds. */
void frame_write_item_text(
	struct frame_write *frame, const void *bytes, size_t size);
void frame_write_item_binary(
	struct frame_write *frame, const void *bytes, size_t size);

/* Appends the frame to `out`. */
void frame_write_end(struct frame_write *frame);

void frame_write_free(struct frame_write *frame);

#endif
