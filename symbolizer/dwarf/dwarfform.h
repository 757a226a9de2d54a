/*
 * The values of attributes by their forms (DWARF 5, section 7.5.6).  Called by
 * what reads entries and headers of line tables.  Promises to read or to skip
 * every form of DWARF 2 to 5 and of GNU; another one is damage.
 */
#ifndef SYMBOLIZER_DWARFFORM_H
#define SYMBOLIZER_DWARFFORM_H

#include "symbolizer/dwarf/dwarfcursor.h"
#include "symbolizer/dwarf/dwarfnames.h"

/* What the size of a form depends on; addresses have 8 bytes. */
struct dwarfform_encoding {
	unsigned version;      /* of DWARF */
	unsigned offset_bytes; /* 4 or 8 */
};

/* As it stands there: the unit knows what it means. */
struct dwarfvalue {
	const uint8_t *block; /* of blocks and of strings in place */
	uint64_t number;      /* of blocks: how many bytes */
	uint16_t form;	      /* DWARF_FORM_NONE: there is none */
};

/* -1: it varies, or is unknown. */
int dwarfform_bytes(uint16_t form, const struct dwarfform_encoding *encoding);

void dwarfform_skip(struct dwarfcursor *cursor, uint16_t form,
	const struct dwarfform_encoding *encoding);

/* `constant` is the value of DW_FORM_implicit_const. */
struct dwarfvalue dwarfform_read(struct dwarfcursor *cursor, uint16_t form,
	int64_t constant, const struct dwarfform_encoding *encoding);

/* DW_FORM_addr or an index of an address. */
bool dwarfform_is_address(uint16_t form);

#endif
