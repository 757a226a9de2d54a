/*
 * What definitions of a packed log consist of, as pack_table.h keeps them:
 * each of these structs, without padding, and then bytes.  Made by
 * pack_define.c, written to the log by pack_frames.c and pack_batch.c.
 * Definitions name each other by id; 0 is none.
 */
#ifndef DECODER_PACK_CONTENT_H
#define DECODER_PACK_CONTENT_H

#include <stdint.h>

#include "base/pack_table.h"

struct pack_capture_content {
	uint64_t nonce;
	/* The name of its file. */
};

struct pack_process_content {
	uint32_t capture;
	uint32_t pid;
	uint32_t number;
	uint32_t reserved;
};

struct pack_thread_content {
	uint32_t process;
	uint32_t tid;
	char name[16];
	uint64_t coroutine; /* that it runs; 0: none */
	/* Its creators. */
};

struct pack_creator_content {
	uint32_t site; /* 0: not known */
	uint32_t pid;
	uint32_t tid;
	char name[16];
};

struct pack_module_content {
	uint64_t file_bytes;
	uint64_t content_hash;
	uint32_t build_id_bytes;
	uint32_t path_bytes;
	/* The build-id, the path. */
};

struct pack_string_content {
	uint64_t offset;
	uint32_t module;
	uint32_t known; /* 0: its bytes are lost */
			/* Its bytes. */
};

struct pack_frame_content {
	uint64_t module;
	uint64_t offset;
};

/* A backtrace is any number of frames. */

struct pack_stream_content {
	uint64_t device;
	uint64_t inode;
	uint64_t file;
	uint64_t position;
	uint32_t flags;
	uint32_t fd;
	uint32_t mode;
	uint32_t buffer_bytes;
	uint32_t description;
	uint16_t buffering;
	uint16_t order;
	uint64_t has_path;
	/* The path. */
};

struct pack_site_content {
	uint32_t format;
	uint32_t function;
	uint32_t stream;
	uint32_t backtrace;
	uint16_t text;
	uint16_t flags;
	uint32_t arguments;
	/* Their kinds. */
};

static inline const void *pack_content(const struct pack_entry *entry)
{
	return entry->content;
}

#endif
