/*
 * The packets of a file in Heph's trace format, one after the other.  Used by
 * the reader of such files.  The file may be damaged anywhere: what is whole
 * is found again behind it.  Standard input is read as it comes, but for what
 * is held: that can be read again.
 */
#ifndef DECODER_HEPH_FILE_H
#define DECODER_HEPH_FILE_H

#include "base/cursor.h"
#include "base/error.h"
#include "base/render_buffer.h"
#include "decoder/heph/heph_read.h"

struct heph_file {
	const char *path; /* borrowed */
	int fd;
	const struct unpacked_file *unpacked; /* null: the file is read */
	uint64_t size;
	uint64_t at;		     /* of the next packet */
	bool piped;		     /* the size is not known before its end */
	bool held;		     /* likewise: nothing of it is forgotten */
	int failed;		     /* errno, while it was held */
	struct error_list *errors;   /* null: damage is not reported */
	struct render_buffer window; /* bytes of the file */
	uint64_t window_at;
};

struct heph_packet {
	uint64_t offset;
	bool event;
	struct cursor body; /* behind its size; valid until the next packet */
};

/* Whether the regular file at `path` begins with a packet. */
bool heph_file_is(const char *path);

/* Whether these are the first bytes of one; HEPH_HEAD_BYTES tell. */
bool heph_file_begins(const void *bytes, size_t size);

/* False: not opened, and reported. */
bool heph_file_open(
	struct heph_file *file, const char *path, struct error_list *errors);

/* Standard input; all is held. */
void heph_file_open_pipe(struct heph_file *file, const char *path);

/* Goes back to the first packet, and holds no more. */
void heph_file_let_go(struct heph_file *file, struct error_list *errors);

/* The next packet.  False: that was the last one. */
bool heph_file_next(struct heph_file *file, struct heph_packet *packet);

void heph_file_close(struct heph_file *file);

#endif
