/*
 * The texts that one call of a function that prints may be given.  Called by
 * callsites.c for each such call.  Promises texts that are constant in the
 * file, and to notice when the caller passes on what it is given itself.
 */
#ifndef SYMBOLIZER_CALLTEXTS_H
#define SYMBOLIZER_CALLTEXTS_H

#include "symbolizer/code/codetrace.h"
#include "symbolizer/symbolizer.h"

/* A function that prints. */
struct calltexts_printer {
	const char *name; /* null: it is in this file, at: */
	uint64_t address;
	uint8_t what;  /* enum imports_what */
	bool has_list; /* takes a format, but a va_list: surely it is for that
			*/
	int8_t text;   /* which arguments: see printers.def */
	int8_t size;
	int8_t count;
	uint64_t factor; /* the number of bytes is so many times `size` */
};

struct calltexts {
	struct codeflow *flow; /* stays the caller's */
	/* The last answer: */
	struct symbolizer_text texts[CODETRACE_VALUES_MAX];
	size_t count;
	bool more;
	/* The function that the call is in, if that passes on its arguments; */
	/* else with the address 0. */
	struct calltexts_printer caller;
	/* What characters in `texts` are. */
	uint8_t character;
	uint32_t wide_character;
};

/* An imported function as such a printer. */
struct calltexts_printer calltexts_imported(
	const struct imports_function *function);

/* What the call at `address` gives `printer`. */
void calltexts_find(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer);

#endif
