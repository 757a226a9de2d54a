#include "symbolizer/dwarf/spanmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* How many pieces of an owner are searched for a neighbour. */
#define NEIGHBOURS_MAX 256

void spanmap_begin(struct spanmap *map, uint32_t owner)
{
	map->owner = owner;
	map->open_pieces = map->piece_count;
}

/*
 * Neighbours become one piece: the shortest piece over an address tells which
 * owner is the innermost.
 */
static bool join(struct spanmap *map, uint64_t low, uint64_t high)
{
	size_t i = map->open_pieces;

	if (map->piece_count - i > NEIGHBOURS_MAX)
		i = map->piece_count - NEIGHBOURS_MAX;
	for (; i < map->piece_count; i++) {
		struct spanmap_piece *piece = &map->pieces[i];

		if (piece->high == low) {
			piece->high = high;
			return true;
		}
		if (piece->low == high) {
			piece->low = low;
			return true;
		}
	}
	return false;
}

bool spanmap_add(struct spanmap *map, uint64_t low, uint64_t high)
{
	if (low >= high || low < map->floor || join(map, low, high))
		return true;
	if (map->piece_max && map->piece_count >= map->piece_max)
		return false;
	if (!array_reserve(map->pieces, map->piece_room, map->piece_count + 1))
		return false;
	map->pieces[map->piece_count++] = (struct spanmap_piece){
		.low = low, .high = high, .owner = map->owner};
	return true;
}

/* By low; the order of pieces with one low does not matter. */
static int compare_pieces(const void *left, const void *right)
{
	const struct spanmap_piece *a = left;
	const struct spanmap_piece *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

/* The shorter piece is the inner one, then the one that was read later. */
static bool is_inside(
	const struct spanmap_piece *a, const struct spanmap_piece *b)
{
	uint64_t a_bytes = a->high - a->low;
	uint64_t b_bytes = b->high - b->low;

	if (a_bytes != b_bytes)
		return a_bytes < b_bytes;
	return a->owner > b->owner;
}

/* A heap of pieces, the innermost one at the top. */
struct heap {
	const struct spanmap_piece **items;
	size_t count;
};

static void heap_push(struct heap *heap, const struct spanmap_piece *piece)
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
	const struct spanmap_piece *last = heap->items[--heap->count];
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

static bool add_span(struct spanmap *map, uint64_t low, uint32_t owner)
{
	size_t n = map->span_count;

	if (!array_reserve(map->spans, map->span_room, map->span_count + 1))
		return false;
	if (n > 0 && map->spans[n - 1].low == low)
		map->spans[n - 1].owner = owner;
	else if (n == 0 || map->spans[n - 1].owner != owner)
		map->spans[map->span_count++] =
			(struct spanmap_span){.low = low, .owner = owner};
	return true;
}

/* The spans from the last start of a piece up to `end`, where one starts. */
static bool spans_until(struct spanmap *map, struct heap *heap, uint64_t end)
{
	while (heap->count > 0) {
		uint64_t high = heap->items[0]->high;

		if (high > end)
			return true;
		heap_pop(heap);
		while (heap->count > 0 && heap->items[0]->high <= high)
			heap_pop(heap);
		if (!add_span(map, high,
			    heap->count > 0 ? heap->items[0]->owner
					    : SPANMAP_NONE))
			return false;
	}
	return true;
}

/*
 * Makes spans of overlapping pieces in one sweep over the addresses.  The
 * heap holds what has begun; what has ended leaves it when it comes to the
 * top.
 */
static bool make_spans(struct spanmap *map)
{
	struct heap heap = {0};
	bool done = true;
	size_t i;

	if (map->piece_count == 0)
		return true;
	qsort(map->pieces, map->piece_count, sizeof(*map->pieces),
		compare_pieces);
	heap.items = calloc(map->piece_count, sizeof(struct spanmap_piece *));
	if (!heap.items)
		return false;
	for (i = 0; i < map->piece_count && done; i++) {
		done = spans_until(map, &heap, map->pieces[i].low);
		heap_push(&heap, &map->pieces[i]);
		done = done &&
		       add_span(map, map->pieces[i].low, heap.items[0]->owner);
	}
	done = done && spans_until(map, &heap, UINT64_MAX);
	free(heap.items);
	return done;
}

bool spanmap_finish(struct spanmap *map)
{
	bool done = make_spans(map);

	free(map->pieces);
	map->pieces = NULL;
	map->piece_count = map->piece_room = 0;
	return done;
}

void spanmap_free(struct spanmap *map)
{
	free(map->pieces);
	free(map->spans);
	memset(map, 0, sizeof(*map));
}

uint32_t spanmap_at(const struct spanmap *map, uint64_t address)
{
	size_t low = 0;
	size_t high = map->span_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->spans[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? SPANMAP_NONE : map->spans[low - 1].owner;
}
