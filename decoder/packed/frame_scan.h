/*
 * The frames of a packed log, one after the other, found again after any
 * damage.  Called by the reader of packed logs and by recovery; gets bytes
 * through a call-back and never keeps more of them than the longest record
 * and a window.  Promises each frame that is intact once, in order, nothing
 * out of the inside of one that is, and work in proportion to the bytes.
 *
 * A candidate that does not fit costs its bytes once; where there are so many
 * that this adds up to more than a few times the input, the check sum of a
 * stretch is taken from those of what is before its two ends,
 * and only of what begins as a record does.
 */
#ifndef DECODER_FRAME_SCAN_H
#define DECODER_FRAME_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* So many bytes before the stretch have to be in memory, too. */
#define FRAME_SUMS_STEP 8u

/* All zeros has none. */
struct frame_sums {
	uint64_t base;	/* offset of the first */
	uint32_t *sums; /* of what is between two offsets and some origin */
	size_t count;
	size_t room;
};

/*
 * CRC-32 of `size` bytes, at most PACKED_RECORD_MAX, at `bytes`, which are at
 * `offset` of the input.  Offsets never decrease.  False: out of memory.
 */
bool frame_sums_find(struct frame_sums *sums, const uint8_t *bytes,
	uint64_t offset, size_t size, uint32_t *sum);

void frame_sums_free(struct frame_sums *sums);

/*
 * Up to `size` bytes of the input at `offset`, which is where the last ones
 * ended.  0: the input ends; -1: errno says why it cannot be read.
 */
typedef ssize_t frame_read(
	void *closure, uint64_t offset, void *buffer, size_t size);

/* Where data begins, from `offset` on: what is before is a hole of the file. */
typedef uint64_t frame_data(void *closure, uint64_t offset);

/* Bytes of a frame before its record, at most. */
#define FRAME_HEAD_MAX 12u

/*
 * Of the first `size` bytes of what may be a frame: how many bytes come before
 * its record, and how many that has.  False: they are none, or too few.
 */
bool frame_head_read(
	const uint8_t *bytes, size_t size, size_t *head, size_t *record);

/* The sum of the record that such a head tells. */
uint32_t frame_head_sum(const uint8_t *head);

struct frame_scan;

enum frame_kind {
	FRAME_WHOLE,
	FRAME_DAMAGED, /* or something else: `code` says it */
	FRAME_NONE     /* that was all */
};

struct frame {
	enum frame_kind kind;
	uint64_t offset; /* in the input */
	size_t bytes;	 /* of a whole one, its head included */
	uint64_t lost;	 /* bytes that are damaged */
	const uint8_t *start;
	uint8_t *record; /* the caller's to change; valid until the next call */
	size_t record_bytes;
	enum error_code code;
	int system; /* errno, or 0 */
};

/* Reads from `offset` on; nothing yet.  Null: out of memory. */
struct frame_scan *frame_scan_new(
	frame_read *read, void *closure, uint64_t offset);

/*
 * Holes are passed over where frames are looked for: a file may claim to be as
 * large as it likes.
 */
void frame_scan_pass_holes(struct frame_scan *scan, frame_data *data);

/* The next frame, or the next damage.  After FRAME_NONE always that. */
struct frame frame_scan_next(struct frame_scan *scan);

/* Passes over what is before `offset`, which is not before the next frame. */
void frame_scan_pass(struct frame_scan *scan, uint64_t offset);

/* How far the input was given out, bytes. */
uint64_t frame_scan_offset(const struct frame_scan *scan);

/*
 * The buffer is given back until the next frame is asked for: the bytes that
 * were read beyond the last frame are read again.  Only if `read` can.
 */
void frame_scan_rest(struct frame_scan *scan);

/* Null is fine. */
void frame_scan_free(struct frame_scan *scan);

#endif
