#include "symbolizer/dwarf/dwarf_scan.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/readlimits.h"

#define ADDRESS_BYTES 8
#define VARIES UINT16_MAX

/*
 * A step over attributes: so many bytes, a number in LEB128, so many bytes as
 * the number there says; or else this plus a form.
 */
enum { STEP_BYTES_MAX = 0x3fff, STEP_NUMBER, STEP_BLOCK, STEP_FORM = 0x8000 };

/* How large values of a form are, but for those that say so themselves. */
enum size {
	UNKNOWN,
	B0,
	B1,
	B2,
	B3,
	B4,
	B8,
	B16,
	OFFSET,	   /* as an offset of the unit */
	REFERENCE, /* likewise; DWARF 2 made it as wide as an address */
	NUMBER,	   /* LEB128 */
	BLOCK,	   /* behind a number in LEB128 */
	SELF,	   /* it ends with a zero byte, or has its size in front */
};

static enum size size_of(uint64_t form)
{
	/* DWARF 5, section 7.5.6, and GNU's */
	static const uint8_t sizes[] = {[DW_FORM_addr] = B8,
		[DW_FORM_block2] = SELF,
		[DW_FORM_block4] = SELF,
		[DW_FORM_data2] = B2,
		[DW_FORM_data4] = B4,
		[DW_FORM_data8] = B8,
		[DW_FORM_string] = SELF,
		[DW_FORM_block] = BLOCK,
		[DW_FORM_block1] = SELF,
		[DW_FORM_data1] = B1,
		[DW_FORM_flag] = B1,
		[DW_FORM_sdata] = NUMBER,
		[DW_FORM_strp] = OFFSET,
		[DW_FORM_udata] = NUMBER,
		[DW_FORM_ref_addr] = REFERENCE,
		[DW_FORM_ref1] = B1,
		[DW_FORM_ref2] = B2,
		[DW_FORM_ref4] = B4,
		[DW_FORM_ref8] = B8,
		[DW_FORM_ref_udata] = NUMBER,
		[DW_FORM_indirect] = SELF,
		[DW_FORM_sec_offset] = OFFSET,
		[DW_FORM_exprloc] = BLOCK,
		[DW_FORM_flag_present] = B0,
		[DW_FORM_strx] = NUMBER,
		[DW_FORM_addrx] = NUMBER,
		[DW_FORM_ref_sup4] = B4,
		[DW_FORM_strp_sup] = OFFSET,
		[DW_FORM_data16] = B16,
		[DW_FORM_line_strp] = OFFSET,
		[DW_FORM_ref_sig8] = B8,
		[DW_FORM_implicit_const] = B0,
		[DW_FORM_loclistx] = NUMBER,
		[DW_FORM_rnglistx] = NUMBER,
		[DW_FORM_ref_sup8] = B8,
		[DW_FORM_strx1] = B1,
		[DW_FORM_strx2] = B2,
		[DW_FORM_strx3] = B3,
		[DW_FORM_strx4] = B4,
		[DW_FORM_addrx1] = B1,
		[DW_FORM_addrx2] = B2,
		[DW_FORM_addrx3] = B3,
		[DW_FORM_addrx4] = B4};

	if (form < sizeof(sizes))
		return sizes[form];
	if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
		return NUMBER;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		return OFFSET;
	return UNKNOWN;
}

/* Of a value of this size; -1: it varies. */
static int bytes_of(enum size size, struct dwarf_encoding encoding)
{
	static const int8_t bytes[] = {[B1] = 1,
		[B2] = 2,
		[B3] = 3,
		[B4] = 4,
		[B8] = 8,
		[B16] = 16,
		[NUMBER] = -1,
		[BLOCK] = -1,
		[SELF] = -1};

	if (size == REFERENCE && encoding.version < 3)
		return ADDRESS_BYTES;
	if (size == REFERENCE || size == OFFSET)
		return (int)encoding.offset_bytes;
	return bytes[size];
}

static uint16_t step_over(uint64_t form)
{
	switch (size_of(form)) {
	case NUMBER:
		return STEP_NUMBER;
	case BLOCK:
		return STEP_BLOCK;
	default:
		return (uint16_t)(STEP_FORM | form);
	}
}

static void skip_value(struct dwarf_cursor *cursor, uint64_t form,
	struct dwarf_encoding encoding)
{
	static const uint8_t widths[] = {[DW_FORM_block1] = 1,
		[DW_FORM_block2] = 2,
		[DW_FORM_block4] = 4};

	switch (size_of(form)) {
	case UNKNOWN:
		dwarf_cursor_fail(cursor);
		break;
	case NUMBER:
		dwarf_cursor_uleb(cursor);
		break;
	case BLOCK:
		dwarf_cursor_skip(cursor, dwarf_cursor_uleb(cursor));
		break;
	case SELF:
		if (form == DW_FORM_string) {
			dwarf_cursor_string(cursor);
		} else if (form != DW_FORM_indirect) {
			dwarf_cursor_skip(cursor,
				dwarf_cursor_fixed(cursor, widths[form]));
		} else {
			form = dwarf_cursor_uleb(cursor);
			/* the value of the one is not here, that of the other
			 * would be a form again */
			if (form == DW_FORM_implicit_const ||
				form == DW_FORM_indirect)
				dwarf_cursor_fail(cursor);
			else
				skip_value(cursor, form, encoding);
		}
		break;
	default:
		dwarf_cursor_skip(
			cursor, (uint64_t)bytes_of(size_of(form), encoding));
		break;
	}
}

/* ---- abbreviations ---- */

static bool add_step(struct dwarf_scan_table *table, uint16_t step)
{
	if (!array_reserve(
		    table->steps, table->step_room, table->step_count + 1))
		return false;
	table->steps[table->step_count++] = step;
	return true;
}

/* What has been read of a kind. */
struct reading {
	struct dwarf_scan_kind kind;
	int before; /* bytes of all attributes, or VARIES */
	int sum;    /* of those that no step has passed over */
};

/* Attributes of known sizes are one step together. */
static bool add_attribute(struct dwarf_scan_table *table,
	struct reading *reading, uint64_t name, uint64_t form)
{
	const int bytes = bytes_of(size_of(form), table->encoding);

	if (size_of(form) == UNKNOWN) {
		table->unknown = true;
		return false;
	}
	if (name == DW_AT_sibling && form == DW_FORM_ref4)
		reading->kind.sibling = (uint16_t)reading->before;
	reading->kind.names |= dwarf_scan_bit(name);
	reading->kind.has_low |= name == DW_AT_low_pc;
	reading->kind.has_ranges |= name == DW_AT_ranges;
	reading->kind.is_declaration |= name == DW_AT_declaration;
	if (bytes < 0 || VARIES - reading->before < bytes)
		reading->before = VARIES;
	else if (reading->before != VARIES)
		reading->before += bytes;
	if (bytes >= 0 && reading->sum + bytes <= STEP_BYTES_MAX) {
		reading->sum += bytes;
		return true;
	}
	if (reading->sum > 0 && !add_step(table, (uint16_t)reading->sum))
		return false;
	reading->sum = bytes > 0 ? bytes : 0;
	return bytes >= 0 || add_step(table, step_over(form));
}

static bool read_kind(struct dwarf_scan_table *table,
	struct dwarf_cursor *cursor, uint64_t code)
{
	uint64_t tag = dwarf_cursor_uleb(cursor);
	struct reading reading = {
		.kind = {.code = (uint32_t)code,
			.first_step = (uint32_t)table->step_count,
			.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag,
			.children = dwarf_cursor_byte(cursor) != 0,
			.sibling = VARIES},
	};
	struct dwarf_scan_kind *kind = &reading.kind;

	for (;;) {
		uint64_t name = dwarf_cursor_uleb(cursor);
		uint64_t form = dwarf_cursor_uleb(cursor);

		if (cursor->damaged || code > UINT32_MAX)
			return false;
		if (name == 0 && form == 0)
			break;
		if (form == DW_FORM_implicit_const)
			dwarf_cursor_sleb(cursor);
		if (!add_attribute(table, &reading, name, form))
			return false;
	}
	if (reading.sum > 0 && !add_step(table, (uint16_t)reading.sum))
		return false;
	kind->bytes = (uint16_t)reading.before;
	kind->step_count = (uint32_t)table->step_count - kind->first_step;
	if (!array_reserve(
		    table->kinds, table->kind_room, table->kind_count + 1))
		return false;
	table->kinds[table->kind_count++] = *kind;
	return true;
}

/* Of two with one code the first one holds. */
static int compare_kinds(const void *left, const void *right)
{
	const struct dwarf_scan_kind *a = left;
	const struct dwarf_scan_kind *b = right;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return a->first_step < b->first_step ? -1
					     : a->first_step > b->first_step;
}

static void sort_kinds(struct dwarf_scan_table *table)
{
	size_t i;

	for (i = 1; i < table->kind_count; i++)
		if (table->kinds[i - 1].code > table->kinds[i].code)
			break;
	if (i < table->kind_count)
		qsort(table->kinds, table->kind_count, sizeof(*table->kinds),
			compare_kinds);
}

/* What comes before damage is kept. */
static struct dwarf_scan_table *read_table(struct dwarf_scan_tables *tables,
	const struct dwarf_bytes *section, uint64_t offset,
	struct dwarf_encoding encoding)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(section, offset);
	const uint8_t *start = cursor.at;
	struct dwarf_scan_table *table;
	uint64_t code;

	tables->exhausted =
		tables->spent >
		readlimits_times(READLIMIT_SHARED_TIMES, section->bytes);
	if (cursor.damaged || tables->exhausted)
		return NULL;
	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	table->offset = offset;
	table->encoding = encoding;
	do
		code = dwarf_cursor_uleb(&cursor);
	while (code != 0 && read_kind(table, &cursor, code));
	table->bytes = (uint64_t)(cursor.at - start);
	tables->spent += table->bytes;
	sort_kinds(table);
	return table;
}

/* How many tables come before `offset`. */
static size_t tables_before(
	const struct dwarf_scan_tables *tables, uint64_t offset)
{
	size_t low = 0;
	size_t high = tables->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tables->tables[middle]->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct dwarf_scan_table *dwarf_scan_table(
	struct dwarf_scan_tables *tables, const struct dwarf_bytes *section,
	uint64_t offset, struct dwarf_encoding encoding)
{
	size_t before = tables_before(tables, offset);
	struct dwarf_scan_table *table;
	size_t i;

	for (i = before; i < tables->count; i++) {
		table = tables->tables[i];
		if (table->offset != offset)
			break;
		if (table->encoding.version == encoding.version &&
			table->encoding.offset_bytes == encoding.offset_bytes)
			return table;
	}
	if (!array_reserve(tables->tables, tables->room, tables->count + 1))
		return NULL;
	table = read_table(tables, section, offset, encoding);
	if (!table)
		return NULL;
	memmove(tables->tables + before + 1, tables->tables + before,
		(tables->count - before) * sizeof(struct dwarf_scan_table *));
	tables->tables[before] = table;
	tables->count++;
	return table;
}

void dwarf_scan_free(struct dwarf_scan_tables *tables)
{
	size_t i;

	for (i = 0; i < tables->count; i++) {
		free(tables->tables[i]->kinds);
		free(tables->tables[i]->steps);
		free(tables->tables[i]);
	}
	free(tables->tables);
	memset(tables, 0, sizeof(*tables));
}

static const struct dwarf_scan_kind *kind_of(
	const struct dwarf_scan_table *table, uint64_t code)
{
	size_t low = 0;
	size_t high = table->kind_count;

	/* most are counted from 1 */
	if (code - 1 < table->kind_count && table->kinds[code - 1].code == code)
		return &table->kinds[code - 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->kinds[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->kind_count && table->kinds[low].code == code
		       ? &table->kinds[low]
		       : NULL;
}

const struct dwarf_scan_kind *dwarf_scan_kind_at(
	const struct dwarf_scan_table *table, struct dwarf_cursor cursor)
{
	uint64_t code = dwarf_cursor_uleb(&cursor);

	return code == 0 || cursor.damaged ? NULL : kind_of(table, code);
}

/* ---- the pass ---- */

static void skip_attributes(const struct dwarf_scan_table *table,
	const struct dwarf_scan_kind *kind, struct dwarf_cursor *cursor)
{
	const uint16_t *step = table->steps + kind->first_step;
	const uint16_t *end = step + kind->step_count;

	if (kind->bytes != VARIES) {
		dwarf_cursor_skip(cursor, kind->bytes);
		return;
	}
	for (; step < end && !cursor->damaged; step++)
		if (*step <= STEP_BYTES_MAX)
			dwarf_cursor_skip(cursor, *step);
		else if (*step == STEP_NUMBER)
			dwarf_cursor_uleb(cursor);
		else if (*step == STEP_BLOCK)
			dwarf_cursor_skip(cursor, dwarf_cursor_uleb(cursor));
		else
			skip_value(cursor, *step & (STEP_FORM - 1),
				table->encoding);
}

void dwarf_scan_start(struct dwarf_scan *scan,
	const struct dwarf_scan_table *table, struct dwarf_bytes unit,
	const uint8_t *at)
{
	*scan = (struct dwarf_scan){
		.table = table,
		.unit = unit.data,
		.cursor = {.at = at, .end = unit.data + unit.bytes},
	};
}

bool dwarf_scan_next(struct dwarf_scan *scan)
{
	struct dwarf_cursor *cursor = &scan->cursor;
	uint64_t code;

	if (scan->ended)
		return false;
	for (;;) {
		scan->at = cursor->at;
		code = dwarf_cursor_uleb(cursor);
		if (code != 0)
			break;
		/* an entry of zero ends those of one level */
		if (cursor->damaged || scan->next_depth <= 1) {
			scan->ended = true;
			return false;
		}
		scan->next_depth--;
	}
	scan->attributes = cursor->at;
	scan->kind = kind_of(scan->table, code);
	if (scan->kind)
		skip_attributes(scan->table, scan->kind, cursor);
	if (!scan->kind || cursor->damaged) {
		scan->ended = true;
		return false;
	}
	scan->depth = scan->next_depth;
	scan->next_depth += scan->kind->children;
	scan->ended = scan->next_depth == 0;
	return true;
}

void dwarf_scan_skip_children(struct dwarf_scan *scan)
{
	const uint8_t *sibling;
	uint32_t offset;

	if (!scan->kind->children || scan->kind->sibling == VARIES)
		return;
	/* the pass is behind it already */
	memcpy(&offset, scan->attributes + scan->kind->sibling, sizeof(offset));
	if (offset >= (size_t)(scan->cursor.end - scan->unit))
		return;
	sibling = scan->unit + offset;
	/* one that is not behind the entry would be a loop */
	if (sibling < scan->cursor.at)
		return;
	scan->cursor.at = sibling;
	scan->next_depth = scan->depth;
	scan->ended = scan->depth == 0;
}
