/*
 * What brings damaged bytes of a packed log back: after each group of frames
 * the parity of all of its bytes (base/parity.h), and three small frames, any
 * of which tells where that group is.  Made by the packer, used by the reader
 * and by recovery when a frame is damaged; readers that do not know it skip it.
 */
#ifndef DECODER_PACKED_PARITY_H
#define DECODER_PACKED_PARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parity.h"
#include "base/render_buffer.h"
#include "decoder/packed/frame_scan.h"
#include "decoder/packed/packed_reader.h"

/* Appends the frames for a group of so many bytes, 1 to PACKED_GROUP_MAX.
 * False: no memory, or it cannot be read. */
bool packed_parity_put(struct render_buffer *out, parity_read *read,
	void *closure, size_t bytes);

/* Of each whole frame at `offset`: whether it is one of these. */
bool packed_parity_note(struct packed_file *file, const uint8_t *record,
	size_t bytes, uint64_t offset);

/*
 * What frame_scan_next() says is damaged.  If it comes back, in whole or in
 * part, that is added to *errors, and packed_file_read() gives what it was from
 * now on: *scan is another one, which begins where the damage did.  False:
 * nothing has changed, nor has *scan.
 */
bool packed_parity_mend(struct packed_file *file, const struct frame *frame,
	struct frame_scan **scan, struct error_list *errors);

/* Puts what came back over bytes that are at `offset` of the file. */
void packed_parity_patch(const struct packed_file *file, uint64_t offset,
	uint8_t *bytes, size_t size);

/* Where something is from `offset` on, in a file that has data next at `data`:
 * what came back may have become a hole. */
uint64_t packed_parity_data(
	const struct packed_file *file, uint64_t offset, uint64_t data);

/* What was mended is forgotten. */
void packed_parity_free(struct packed_file *file);

#endif
