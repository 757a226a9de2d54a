#include "symbolizer/dwarf/dwarfline.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "symbolizer/dwarf/dwarflinehead.h"

/* Rows between two entrances: that many are made again for each question. */
#define ROWS_BETWEEN 64

/* Operations, sections 6.2.5.2 and 6.2.5.3. */
enum operation {
	EXTENDED = 0,
	COPY = 1,
	ADVANCE_PC = 2,
	ADVANCE_LINE = 3,
	SET_FILE = 4,
	SET_COLUMN = 5,
	NEGATE_STMT = 6,
	SET_BASIC_BLOCK = 7,
	CONST_ADD_PC = 8,
	FIXED_ADVANCE_PC = 9,
};

enum extended_operation { END_SEQUENCE = 1, SET_ADDRESS = 2, DEFINE_FILE = 3 };

/* What an operation has led to. */
enum event { NOTHING, ROW, END, FILE_DEFINED, STOPPED };

/* The machine that runs the program. */
struct machine {
	const struct dwarfline_rules *rules;
	struct dwarfcursor cursor;
	struct dwarfline_row row;
	const char *defined; /* name of a file */
};

static void reset(struct machine *machine)
{
	machine->row = (struct dwarfline_row){.file = 1, .line = 1};
}

static enum event run_extended(struct machine *machine)
{
	struct dwarfcursor *cursor = &machine->cursor;
	uint64_t bytes = dwarfcursor_uleb(cursor);
	struct dwarfcursor inside = *cursor;

	dwarfcursor_skip(cursor, bytes);
	if (cursor->damaged || bytes == 0)
		return STOPPED;
	inside.end = cursor->at;
	switch (dwarfcursor_byte(&inside)) {
	case END_SEQUENCE:
		return END;
	case SET_ADDRESS:
		if (dwarfcursor_left(&inside) != 8)
			return STOPPED;
		machine->row.address = dwarfcursor_fixed(&inside, 8);
		return NOTHING;
	case DEFINE_FILE:
		machine->defined = dwarfcursor_string(&inside);
		return FILE_DEFINED;
	default:
		return NOTHING;
	}
}

static void advance(struct machine *machine, uint64_t operations)
{
	machine->row.address += operations * machine->rules->step;
}

static enum event run_standard(struct machine *machine, unsigned operation)
{
	const struct dwarfline_rules *rules = machine->rules;
	struct dwarfcursor *cursor = &machine->cursor;
	struct dwarfline_row *row = &machine->row;
	unsigned i;

	switch (operation) {
	case COPY:
		return ROW;
	case ADVANCE_PC:
		advance(machine, dwarfcursor_uleb(cursor));
		break;
	case ADVANCE_LINE:
		row->line += (uint32_t)dwarfcursor_sleb(cursor);
		break;
	case SET_FILE:
		row->file = (uint32_t)dwarfcursor_uleb(cursor);
		break;
	case SET_COLUMN:
		row->column = (uint32_t)dwarfcursor_uleb(cursor);
		break;
	case NEGATE_STMT:
	case SET_BASIC_BLOCK:
		break;
	case CONST_ADD_PC:
		advance(machine,
			(255 - rules->opcode_base) / rules->line_range);
		break;
	case FIXED_ADVANCE_PC:
		row->address += dwarfcursor_fixed(cursor, 2);
		break;
	default:
		for (i = 0; i < rules->operands[operation - 1]; i++)
			dwarfcursor_uleb(cursor);
		break;
	}
	return cursor->damaged ? STOPPED : NOTHING;
}

/* Most operations are these, section 6.2.5.1. */
static void run_special(struct machine *machine, unsigned operation)
{
	const struct dwarfline_rules *rules = machine->rules;
	unsigned both = operation - rules->opcode_base;
	/* this is exact, as both numbers have 8 bits */
	unsigned steps = both * rules->line_inverse >> 16;

	advance(machine, steps);
	machine->row.line +=
		(uint32_t)(rules->line_base +
			   (int)(both - steps * rules->line_range));
}

static inline enum event run(struct machine *machine)
{
	unsigned operation;

	if (machine->cursor.at == machine->cursor.end)
		return STOPPED;
	operation = *machine->cursor.at++;
	if (operation >= machine->rules->opcode_base) {
		run_special(machine, operation);
		return ROW;
	}
	if (operation == EXTENDED)
		return run_extended(machine);
	return run_standard(machine, operation);
}

static struct machine machine_at(const struct dwarfline *line, size_t offset)
{
	return (struct machine){
		.rules = &line->rules,
		.cursor = dwarfcursor_at(&line->program, offset),
	};
}

/* A sequence that is being read. */
struct reading {
	struct dwarfline *line;
	struct dwarfline_sequence sequence;
	uint64_t last; /* address of the last row */
	size_t rows;
};

static bool add_entrance(struct reading *reading, const struct machine *machine)
{
	struct dwarfline *line = reading->line;

	if (!array_reserve(line->entrances, line->entrance_room,
		    line->entrance_count + 1))
		return false;
	line->entrances[line->entrance_count++] = (struct dwarfline_entrance){
		.row = machine->row,
		.next = (uint32_t)(machine->cursor.at - line->program.data),
	};
	return true;
}

static bool take_row(struct reading *reading, const struct machine *machine)
{
	struct dwarfline_sequence *sequence = &reading->sequence;
	uint64_t address = machine->row.address;

	if (reading->rows == 0) {
		sequence->first = (uint32_t)reading->line->entrance_count;
		sequence->low = address;
		sequence->ordered = true;
	} else if (address < reading->last) {
		sequence->ordered = false;
		if (address < sequence->low)
			sequence->low = address;
	}
	reading->last = address;
	return reading->rows++ % ROWS_BETWEEN != 0 ||
	       add_entrance(reading, machine);
}

/* `high` is the address behind the last row. */
static bool end_sequence(struct reading *reading, uint64_t high, uint64_t floor)
{
	struct dwarfline *line = reading->line;

	if (reading->rows == 0)
		return true;
	reading->rows = 0;
	reading->sequence.high = high;
	reading->sequence.count =
		(uint32_t)line->entrance_count - reading->sequence.first;
	if (reading->sequence.low < floor || high <= reading->sequence.low) {
		line->entrance_count = reading->sequence.first;
		return true;
	}
	if (!array_reserve(line->sequences, line->sequence_room,
		    line->sequence_count + 1))
		return false;
	line->sequences[line->sequence_count++] = reading->sequence;
	return true;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct dwarfline_sequence *a = left;
	const struct dwarfline_sequence *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* Sorts, drops what lies inside another one and cuts what overlaps. */
static void order_sequences(struct dwarfline *line)
{
	struct dwarfline_sequence *s = line->sequences;
	uint64_t covered = 0;
	size_t kept = 0;
	size_t i;

	if (line->sequence_count == 0)
		return;
	qsort(s, line->sequence_count, sizeof(*s), compare_sequences);
	for (i = 0; i < line->sequence_count; i++) {
		if (s[i].high <= covered)
			continue;
		s[kept] = s[i];
		if (s[kept].low < covered)
			s[kept].low = covered;
		covered = s[kept++].high;
	}
	line->sequence_count = kept;
}

static bool read_sequences(struct dwarfline *line, uint64_t floor)
{
	struct machine machine = machine_at(line, 0);
	struct reading reading = {.line = line};
	bool going = true;

	reset(&machine);
	while (going)
		switch (run(&machine)) {
		case ROW:
			going = take_row(&reading, &machine);
			break;
		case END:
			going = end_sequence(
				&reading, machine.row.address, floor);
			reset(&machine);
			break;
		case FILE_DEFINED:
			going = dwarflinehead_add_file(
				line, machine.defined, NULL);
			break;
		case NOTHING:
			break;
		case STOPPED:
			/* rows without an end cover nothing */
			if (reading.rows > 0)
				line->entrance_count = reading.sequence.first;
			return true;
		}
	return false;
}

bool dwarfline_open(
	struct dwarfline *line, const struct dwarfunit *unit, uint64_t floor)
{
	if (!unit->has_lines)
		return true;
	line->root = unit->directory;
	if (!dwarflinehead_read(line, unit))
		return false;
	if (line->program.bytes == 0 || line->program.bytes > UINT32_MAX)
		return true;
	if (!read_sequences(line, floor))
		return false;
	order_sequences(line);
	return true;
}

void dwarfline_close(struct dwarfline *line)
{
	size_t i;

	for (i = 0; i < line->file_count; i++)
		free(line->files[i].path);
	free(line->files);
	free(line->entrances);
	free(line->sequences);
	memset(line, 0, sizeof(*line));
}

static const struct dwarfline_sequence *sequence_at(
	const struct dwarfline *line, uint64_t address)
{
	size_t low = 0;
	size_t high = line->sequence_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct dwarfline_sequence *s = &line->sequences[middle];

		if (address < s->low)
			high = middle;
		else if (address >= s->high)
			low = middle + 1;
		else
			return s;
	}
	return NULL;
}

/* The last entrance that is not behind the address; or the first one. */
static const struct dwarfline_entrance *entrance_for(
	const struct dwarfline *line, const struct dwarfline_sequence *sequence,
	uint64_t address)
{
	const struct dwarfline_entrance *first =
		line->entrances + sequence->first;
	size_t low = 0;
	size_t high = sequence->ordered ? sequence->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (first[middle].row.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? first : first + low - 1;
}

bool dwarfline_find(const struct dwarfline *line, uint64_t address,
	struct dwarfline_row *row)
{
	const struct dwarfline_sequence *sequence = sequence_at(line, address);
	const struct dwarfline_entrance *entrance;
	struct machine machine;
	enum event event = ROW;
	bool found = false;

	if (!sequence)
		return false;
	entrance = entrance_for(line, sequence, address);
	machine = machine_at(line, entrance->next);
	machine.row = entrance->row;
	/* of several rows with one address the last one holds */
	while (event != END && event != STOPPED) {
		uint64_t here = machine.row.address;

		if (event == ROW && here > address && sequence->ordered)
			break;
		if (event == ROW && here <= address &&
			(!found || here >= row->address)) {
			*row = machine.row;
			found = true;
		}
		event = run(&machine);
	}
	return found;
}

static char *join(const char *root, const char *directory, const char *name)
{
	char *path;
	int written;

	if (name[0] == '/')
		return strdup(name);
	if (!root || (directory && directory[0] == '/')) {
		root = directory;
		directory = NULL;
	}
	if (!root)
		return strdup(name);
	if (directory)
		written = asprintf(&path, "%s/%s/%s", root, directory, name);
	else
		written = asprintf(&path, "%s/%s", root, name);
	return written < 0 ? NULL : path;
}

const char *dwarfline_path(struct dwarfline *line, uint32_t file)
{
	struct dwarfline_file *f;

	if (file < line->first_file ||
		file - line->first_file >= line->file_count)
		return NULL;
	f = &line->files[file - line->first_file];
	if (!f->path && f->name)
		f->path = join(line->root, f->directory, f->name);
	return f->path;
}
