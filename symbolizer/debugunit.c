#include "symbolizer/debugunit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/array.h"

/* How many pieces of a function are searched for a neighbour. */
#define NEIGHBOURS_MAX 256

/* Room for one more in one of the arrays of a unit. */
#define GROW(unit, items, item)                                                \
	array_grow((unit)->items, &(unit)->item##_room, (unit)->item##_count,  \
		sizeof(*(unit)->items))

uint32_t debugunit_add_function(
	struct debugunit *unit, const struct debugunit_function *function)
{
	struct debugunit_function *functions = GROW(unit, functions, function);

	if (!functions || unit->function_count >= DEBUGUNIT_NONE)
		return DEBUGUNIT_NONE;
	unit->functions = functions;
	functions[unit->function_count] = *function;
	unit->open_pieces = unit->piece_count;
	return (uint32_t)unit->function_count++;
}

bool debugunit_add_piece(struct debugunit *unit, uint64_t low, uint64_t high)
{
	uint32_t function = (uint32_t)unit->function_count - 1;
	struct debugunit_piece *pieces;
	size_t i;

	if (low >= high || low < unit->floor)
		return true;
	/*
	 * Neighbours become one piece: the shortest piece over an address
	 * tells which function is the innermost.
	 */
	i = unit->open_pieces;
	if (unit->piece_count - i > NEIGHBOURS_MAX)
		i = unit->piece_count - NEIGHBOURS_MAX;
	for (; i < unit->piece_count; i++) {
		struct debugunit_piece *piece = &unit->pieces[i];

		if (piece->high == low) {
			piece->high = high;
			return true;
		}
		if (piece->low == high) {
			piece->low = low;
			return true;
		}
	}
	pieces = GROW(unit, pieces, piece);
	if (!pieces)
		return false;
	unit->pieces = pieces;
	if (unit->piece_count == unit->open_pieces)
		unit->functions[function].low = low;
	pieces[unit->piece_count++] = (struct debugunit_piece){
		.low = low, .high = high, .function = function};
	return true;
}

bool debugunit_add_file(
	struct debugunit *unit, const char *name, const char *directory)
{
	struct debugunit_file *files = GROW(unit, files, file);

	if (!files)
		return false;
	unit->files = files;
	files[unit->file_count++] =
		(struct debugunit_file){.name = name, .directory = directory};
	return true;
}

bool debugunit_add_row(struct debugunit *unit, const struct debugunit_row *row)
{
	struct debugunit_row *rows = GROW(unit, rows, row);

	if (!rows)
		return false;
	unit->rows = rows;
	rows[unit->row_count] = *row;
	rows[unit->row_count].order = (uint32_t)unit->row_count;
	unit->row_count++;
	return true;
}

static int compare_rows(const void *left, const void *right)
{
	const struct debugunit_row *a = left;
	const struct debugunit_row *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

bool debugunit_end_sequence(struct debugunit *unit, uint64_t high)
{
	struct debugunit_sequence *sequences = GROW(unit, sequences, sequence);
	struct debugunit_row *rows = unit->rows + unit->open_rows;
	size_t count = unit->row_count - unit->open_rows;

	if (!sequences)
		return false;
	unit->sequences = sequences;
	if (count == 0)
		return true;
	qsort(rows, count, sizeof(*rows), compare_rows);
	if (rows[0].address >= unit->floor)
		sequences[unit->sequence_count++] = (struct debugunit_sequence){
			.low = rows[0].address,
			.high = high,
			.first = unit->open_rows,
			.count = count,
		};
	else
		unit->row_count = unit->open_rows;
	unit->open_rows = unit->row_count;
	return true;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct debugunit_sequence *a = left;
	const struct debugunit_sequence *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* Sorts, drops what lies inside another one and cuts what overlaps. */
static void order_sequences(struct debugunit *unit)
{
	struct debugunit_sequence *s = unit->sequences;
	uint64_t covered = 0;
	size_t kept = 0;
	size_t i;

	if (unit->sequence_count == 0)
		return;
	qsort(s, unit->sequence_count, sizeof(*s), compare_sequences);
	for (i = 0; i < unit->sequence_count; i++) {
		if (s[i].high <= covered || s[i].high <= s[i].low)
			continue;
		s[kept] = s[i];
		if (s[kept].low < covered)
			s[kept].low = covered;
		covered = s[kept++].high;
	}
	unit->sequence_count = kept;
}

/* By low; the order of pieces with one low does not matter. */
static int compare_pieces(const void *left, const void *right)
{
	const struct debugunit_piece *a = left;
	const struct debugunit_piece *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

/* The shorter piece is the inner one, then the one that was read later. */
static bool is_inside(
	const struct debugunit_piece *a, const struct debugunit_piece *b)
{
	uint64_t a_bytes = a->high - a->low;
	uint64_t b_bytes = b->high - b->low;

	if (a_bytes != b_bytes)
		return a_bytes < b_bytes;
	return a->function > b->function;
}

/* A heap of pieces, the innermost one at the top. */
struct heap {
	const struct debugunit_piece **items;
	size_t count;
};

static void heap_push(struct heap *heap, const struct debugunit_piece *piece)
{
	size_t i = heap->count++;

	while (i > 0 && is_inside(piece, heap->items[(i - 1) / 2])) {
		heap->items[i] = heap->items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap->items[i] = piece;
}

static void heap_pop(struct heap *heap)
{
	const struct debugunit_piece *last = heap->items[--heap->count];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
			is_inside(heap->items[child + 1], heap->items[child]))
			child++;
		if (!is_inside(heap->items[child], last))
			break;
		heap->items[i] = heap->items[child];
		i = child;
	}
	heap->items[i] = last;
}

static bool add_span(struct debugunit *unit, uint64_t low, uint32_t function)
{
	struct debugunit_span *spans = GROW(unit, spans, span);
	size_t n = unit->span_count;

	if (!spans)
		return false;
	unit->spans = spans;
	if (n > 0 && spans[n - 1].low == low)
		spans[n - 1].function = function;
	else if (n == 0 || spans[n - 1].function != function)
		spans[unit->span_count++] = (struct debugunit_span){
			.low = low, .function = function};
	return true;
}

/* The spans from the last start of a piece up to `end`, where one starts. */
static bool spans_until(struct debugunit *unit, struct heap *heap, uint64_t end)
{
	while (heap->count > 0) {
		uint64_t high = heap->items[0]->high;

		if (high > end)
			return true;
		heap_pop(heap);
		while (heap->count > 0 && heap->items[0]->high <= high)
			heap_pop(heap);
		if (!add_span(unit, high,
			    heap->count > 0 ? heap->items[0]->function
					    : DEBUGUNIT_NONE))
			return false;
	}
	return true;
}

/*
 * Makes spans of overlapping pieces in one sweep over the addresses.  The
 * heap holds what has begun; what has ended leaves it when it comes to the
 * top.
 */
static bool make_spans(struct debugunit *unit)
{
	struct heap heap = {0};
	bool done = true;
	size_t i;

	if (unit->piece_count == 0)
		return true;
	qsort(unit->pieces, unit->piece_count, sizeof(*unit->pieces),
		compare_pieces);
	heap.items = calloc(unit->piece_count, sizeof(struct heap *));
	if (!heap.items)
		return false;
	for (i = 0; i < unit->piece_count && done; i++) {
		done = spans_until(unit, &heap, unit->pieces[i].low);
		heap_push(&heap, &unit->pieces[i]);
		done = done && add_span(unit, unit->pieces[i].low,
				       heap.items[0]->function);
	}
	done = done && spans_until(unit, &heap, UINT64_MAX);
	free(heap.items);
	return done;
}

bool debugunit_finish(struct debugunit *unit)
{
	order_sequences(unit);
	return make_spans(unit);
}

void debugunit_free(struct debugunit *unit)
{
	size_t i;

	for (i = 0; i < unit->file_count; i++)
		free(unit->files[i].path);
	free(unit->functions);
	free(unit->pieces);
	free(unit->spans);
	free(unit->files);
	free(unit->rows);
	free(unit->sequences);
	memset(unit, 0, sizeof(*unit));
}

uint32_t debugunit_function_at(const struct debugunit *unit, uint64_t address)
{
	size_t low = 0;
	size_t high = unit->span_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->spans[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? DEBUGUNIT_NONE : unit->spans[low - 1].function;
}

static const struct debugunit_sequence *sequence_at(
	const struct debugunit *unit, uint64_t address)
{
	size_t low = 0;
	size_t high = unit->sequence_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct debugunit_sequence *s = &unit->sequences[middle];

		if (address < s->low)
			high = middle;
		else if (address >= s->high)
			low = middle + 1;
		else
			return s;
	}
	return NULL;
}

const struct debugunit_row *debugunit_row_at(
	const struct debugunit *unit, uint64_t address)
{
	const struct debugunit_sequence *s = sequence_at(unit, address);
	size_t low = 0;
	size_t high;

	if (!s)
		return NULL;
	/* of several rows with one address the last one holds */
	for (high = s->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (unit->rows[s->first + middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NULL : &unit->rows[s->first + low - 1];
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

const char *debugunit_path(struct debugunit *unit, uint32_t file)
{
	struct debugunit_file *f;

	if (file < unit->first_file ||
		file - unit->first_file >= unit->file_count)
		return NULL;
	f = &unit->files[file - unit->first_file];
	if (!f->path && f->name)
		f->path = join(unit->directory, f->directory, f->name);
	return f->path;
}
