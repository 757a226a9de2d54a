/*
 * The header page of a capture, when it is damaged or gone: every block has
 * the nonce, an anchor and who wrote it, so messages can be read without that
 * page.  Called by recording.c, once for each capture.  Promises that what
 * only the page can know is left out; and that of a file which is no capture a
 * bounded part is looked at.
 */
#ifndef DECODER_LOST_PAGE_H
#define DECODER_LOST_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/recording.h"

/* Whether a block begins in the file, at a multiple of BINLOG_PAGE. */
bool lost_page_has_blocks(struct recording *capture);

/* Whether one begins in the first bytes of a file: at its begin, or behind the
 * header page. */
#define LOST_PAGE_BEGIN_BYTES (BINLOG_PAGE + sizeof(struct binlog_block))
bool lost_page_begins(const void *bytes, size_t size);

/* That of most blocks.  False: there are none, or no memory for it. */
bool lost_page_nonce(struct recording *capture, uint64_t *nonce);

/*
 * Mends the header of the capture by its blocks: one item that is wrong alone,
 * or all of it, and reports that.  `foreign`: it does not begin as a header
 * does.  False: there are no blocks, and the header is as it was.
 */
bool lost_page_mend(struct recording *capture, bool foreign);

/* Which libc the program prints with, also if the page is lost; 0: the page
 * does not say. */
uint32_t lost_page_libc(struct recording *capture);

/* Whether an item of a header that begins as one is wrong by itself. */
bool lost_page_is_doubtful(struct recording *capture);

#endif
