/*
 * What a room has to start in one that stands above it: the only calls that go
 * up, all of them rare.  Constants from the first moment on (above.c), so
 * they may be called at any time, by any thread, in any handler.
 */
#ifndef SHIM_ABOVE_H
#define SHIM_ABOVE_H

#include <stdio.h>

#include "shim/host/inside.h"

struct binlog_header;
struct binlog_spill;

struct above {
	/* control_end(): the header page is cut off. */
	void (*header_ends)(struct binlog_header *header);
	/* control_forget(): the capture is cut off, its header page is not. */
	void (*file_ends)(void);
	/* writer_first_cut(): the file was made longer. */
	uint64_t (*first_cut)(void);
	/* streams_switch(): the ways to treat streams were switched. */
	void (*streams_switched)(const uint8_t *modes, bool off);
	/* ring_trigger_wait(): rules may ask for triggers from now on. */
	void (*triggers_may_come)(void);
	/* ring_trigger_by_control(): one was asked for. */
	void (*trigger)(void);
	/* position_settle(): numbers of streams are given to others. */
	void (*streams_end)(void);
	/* stdio_buffer_settle(): a call that fills a FILE was left. */
	void (*file_left)(FILE *file);
	/* startup_next_capture(): there is no room in this one; *why it could
	 * not be made. */
	struct binlog_header *(*next_capture)(
		const struct binlog_spill *account, uint32_t *why);
	/* cancel_unwinds(): the stack of this thread is unwound for good. */
	void (*thread_unwinds)(void *unused);
};

extern HIDDEN const struct above above;

#endif
