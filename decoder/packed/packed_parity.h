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
#include "decoder/packed/packed_reader.h"

/* Appends the frames for a group of so many bytes, 1 to PACKED_GROUP_MAX.
 * False: no memory, or it cannot be read. */
bool packed_parity_put(struct render_buffer *out, parity_read *read,
	void *closure, size_t bytes);

/* Of each whole frame at `offset`: whether it is one of these. */
bool packed_parity_note(struct packed_file *file, const uint8_t *record,
	size_t bytes, uint64_t offset);

/*
 * A frame at `offset` is damaged.  If its group comes back, in whole or in
 * part, packed_file_read() gives what it was from now on, so that reading can
 * begin again at `offset`; *mended is how many bytes were wrong.  False:
 * nothing has changed.
 */
bool packed_parity_mend(
	struct packed_file *file, uint64_t offset, uint64_t *mended);

/* What was mended is forgotten. */
void packed_parity_free(struct packed_file *file);

#endif
