#include "symbolizer/dwarf/dwarfform.h"

#define ADDRESS_BYTES 8

int dwarfform_bytes(uint16_t form, const struct dwarfform_encoding *encoding)
{
	switch (form) {
	case DWARF_FORM_FLAG_PRESENT:
	case DWARF_FORM_IMPLICIT_CONST:
		return 0;
	case DWARF_FORM_DATA1:
	case DWARF_FORM_FLAG:
	case DWARF_FORM_REF1:
	case DWARF_FORM_STRX1:
	case DWARF_FORM_ADDRX1:
		return 1;
	case DWARF_FORM_DATA2:
	case DWARF_FORM_REF2:
	case DWARF_FORM_STRX2:
	case DWARF_FORM_ADDRX2:
		return 2;
	case DWARF_FORM_STRX3:
	case DWARF_FORM_ADDRX3:
		return 3;
	case DWARF_FORM_DATA4:
	case DWARF_FORM_REF4:
	case DWARF_FORM_REF_SUP4:
	case DWARF_FORM_STRX4:
	case DWARF_FORM_ADDRX4:
		return 4;
	case DWARF_FORM_DATA8:
	case DWARF_FORM_REF8:
	case DWARF_FORM_REF_SIG8:
	case DWARF_FORM_REF_SUP8:
		return 8;
	case DWARF_FORM_ADDR:
		return ADDRESS_BYTES;
	case DWARF_FORM_DATA16:
		return 16;
	case DWARF_FORM_REF_ADDR:
		/* DWARF 2 made it as wide as an address */
		return encoding->version < 3 ? ADDRESS_BYTES
					     : (int)encoding->offset_bytes;
	case DWARF_FORM_STRP:
	case DWARF_FORM_SEC_OFFSET:
	case DWARF_FORM_STRP_SUP:
	case DWARF_FORM_LINE_STRP:
	case DWARF_FORM_GNU_REF_ALT:
	case DWARF_FORM_GNU_STRP_ALT:
		return (int)encoding->offset_bytes;
	default:
		return -1;
	}
}

bool dwarfform_is_address(uint16_t form)
{
	switch (form) {
	case DWARF_FORM_ADDR:
	case DWARF_FORM_ADDRX:
	case DWARF_FORM_ADDRX1:
	case DWARF_FORM_ADDRX2:
	case DWARF_FORM_ADDRX3:
	case DWARF_FORM_ADDRX4:
	case DWARF_FORM_GNU_ADDR_INDEX:
		return true;
	default:
		return false;
	}
}

/* The form that DW_FORM_indirect leads to; it is never another one. */
static uint16_t direct(struct dwarfcursor *cursor)
{
	uint64_t form = dwarfcursor_uleb(cursor);

	if (form > UINT16_MAX || form == DWARF_FORM_INDIRECT ||
		form == DWARF_FORM_IMPLICIT_CONST) {
		dwarfcursor_fail(cursor);
		return DWARF_FORM_DATA1;
	}
	return (uint16_t)form;
}

static struct dwarfvalue read_varying(struct dwarfcursor *cursor, uint16_t form)
{
	struct dwarfvalue value = {.form = form};

	switch (form) {
	case DWARF_FORM_SDATA:
		value.number = (uint64_t)dwarfcursor_sleb(cursor);
		return value;
	case DWARF_FORM_UDATA:
	case DWARF_FORM_REF_UDATA:
	case DWARF_FORM_STRX:
	case DWARF_FORM_ADDRX:
	case DWARF_FORM_LOCLISTX:
	case DWARF_FORM_RNGLISTX:
	case DWARF_FORM_GNU_ADDR_INDEX:
	case DWARF_FORM_GNU_STR_INDEX:
		value.number = dwarfcursor_uleb(cursor);
		return value;
	case DWARF_FORM_STRING:
		value.block = (const uint8_t *)dwarfcursor_string(cursor);
		return value;
	case DWARF_FORM_BLOCK1:
		value.number = dwarfcursor_fixed(cursor, 1);
		break;
	case DWARF_FORM_BLOCK2:
		value.number = dwarfcursor_fixed(cursor, 2);
		break;
	case DWARF_FORM_BLOCK4:
		value.number = dwarfcursor_fixed(cursor, 4);
		break;
	case DWARF_FORM_BLOCK:
	case DWARF_FORM_EXPRLOC:
		value.number = dwarfcursor_uleb(cursor);
		break;
	default:
		dwarfcursor_fail(cursor);
		break;
	}
	value.block = cursor->at;
	dwarfcursor_skip(cursor, value.number);
	if (cursor->damaged)
		return (struct dwarfvalue){.form = DWARF_FORM_NONE};
	return value;
}

void dwarfform_skip(struct dwarfcursor *cursor, uint16_t form,
	const struct dwarfform_encoding *encoding)
{
	int bytes = dwarfform_bytes(form, encoding);

	if (bytes < 0 && form == DWARF_FORM_INDIRECT) {
		form = direct(cursor);
		bytes = dwarfform_bytes(form, encoding);
	}
	if (bytes >= 0)
		dwarfcursor_skip(cursor, (unsigned)bytes);
	else
		read_varying(cursor, form);
}

struct dwarfvalue dwarfform_read(struct dwarfcursor *cursor, uint16_t form,
	int64_t constant, const struct dwarfform_encoding *encoding)
{
	struct dwarfvalue value = {.form = form};
	int bytes;

	if (form == DWARF_FORM_INDIRECT)
		value.form = form = direct(cursor);
	bytes = dwarfform_bytes(form, encoding);
	if (bytes < 0)
		return read_varying(cursor, form);
	if (form == DWARF_FORM_IMPLICIT_CONST) {
		value.number = (uint64_t)constant;
	} else if (form == DWARF_FORM_FLAG_PRESENT) {
		value.number = 1;
	} else if (bytes > 8) {
		value.block = cursor->at;
		value.number = (unsigned)bytes;
		dwarfcursor_skip(cursor, (unsigned)bytes);
	} else {
		value.number = dwarfcursor_fixed(cursor, (unsigned)bytes);
	}
	if (cursor->damaged)
		value.form = DWARF_FORM_NONE;
	return value;
}
