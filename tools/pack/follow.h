/*
 * binlog-pack --follow: packs captures while programs write them, and frees
 * what it has packed.  Called by main alone; prints its complaints itself,
 * while it runs.  Promises that no program waits for it, that its death loses
 * nothing, and that started again it goes on where its log ends.
 */
#ifndef TOOLS_PACK_FOLLOW_H
#define TOOLS_PACK_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/exit_status.h"
#include "decoder/pack/pack.h"

struct follow_options {
	const char *directory;
	const char *log;
	struct pack_options pack;
	uint64_t rotate_bytes;	 /* 0: not by size */
	uint64_t rotate_seconds; /* 0: not by age */
	bool quiet;		 /* no sum at the end */
};

/*
 * Until no process is left that could write to a capture, or a SIGINT or
 * SIGTERM.  EXIT_NOTHING also if not everything could be written.
 */
enum exit_status follow_run(const struct follow_options *options);

#endif
