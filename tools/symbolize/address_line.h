/*
 * A line of the input, `MODULE+0xOFFSET` or `BUILDID+0xOFFSET`.  Called for
 * each line.  Promises that a file is not taken for a build-id when there is
 * one of that name.
 */
#ifndef TOOLS_SYMBOLIZE_ADDRESS_LINE_H
#define TOOLS_SYMBOLIZE_ADDRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/symbolizer.h"

#define ADDRESS_LINE_BUILD_ID_BYTES_MAX 64

/* What it asks for; `module` points into the rest and into the line. */
struct address_line {
	struct symbolizer_module module;
	uint8_t build_id[ADDRESS_LINE_BUILD_ID_BYTES_MAX];
	uint64_t address;
};

/*
 * Fills one that is all zeros, and writes into `line`, which has no newline
 * any more and must stay.  False when it is no such line.
 */
bool address_line_read(struct address_line *asked, char *line);

#endif
