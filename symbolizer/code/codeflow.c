#include "symbolizer/code/codeflow.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/code/armdecode.h"
#include "symbolizer/code/x86decode.h"
#include "symbolizer/elf/symtab.h"

/*
 * Where the functions of an ELF file begin, by its symbols and its unwind
 * table, which stripped files have, too.  Called by codeflow.c, so that
 * instructions are read from where one surely begins.
 */

/* .eh_frame_hdr as all linkers make it: counts of 4 bytes, pairs of signed */
/* distances from its own start. */
#define HEAD_BYTES 12
#define PAIR_BYTES 8
static const uint8_t usual_head[] = {1, 0x1b, 0x03, 0x3b};

static bool add(struct codestarts *starts, uint64_t address)
{
	if (!array_reserve(starts->addresses, starts->room, starts->count + 1))
		return false;
	starts->addresses[starts->count++] = address;
	return true;
}

static bool add_symbols(struct codestarts *starts, struct elffile *file)
{
	struct symtab symtab;
	bool good = symtab_load(&symtab, file, SYMTAB_ALL);
	size_t i;

	for (i = 0; good && i < symtab.count; i++)
		if (symtab.symbols[i].type == STT_FUNC ||
			symtab.symbols[i].type == STT_GNU_IFUNC)
			good = add(starts, symtab.symbols[i].address);
	symtab_free(&symtab);
	return good;
}

static bool add_unwound(struct codestarts *starts, struct constantdata *data)
{
	size_t section = elffile_section_named(data->file, ".eh_frame_hdr");
	uint64_t base;
	const uint8_t *head;
	uint32_t count;
	int32_t distance;
	size_t left;
	size_t i;

	if (section == ELFFILE_NONE)
		return true;
	base = data->file->sections[section].address;
	head = constantdata_at(data, base, &left);
	if (!head || left < HEAD_BYTES ||
		memcmp(head, usual_head, sizeof(usual_head)) != 0)
		return true;
	memcpy(&count, head + HEAD_BYTES - sizeof(count), sizeof(count));
	left = (left - HEAD_BYTES) / PAIR_BYTES;
	for (i = 0; i < count && i < left; i++) {
		memcpy(&distance, head + HEAD_BYTES + i * PAIR_BYTES,
			sizeof(distance));
		if (!add(starts, base + (uint64_t)(int64_t)distance))
			return false;
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void sort(struct codestarts *starts)
{
	size_t kept = 0;
	size_t i;

	if (starts->count == 0)
		return;
	qsort(starts->addresses, starts->count, sizeof(*starts->addresses),
		compare);
	for (i = 1; i < starts->count; i++)
		if (starts->addresses[i] != starts->addresses[kept])
			starts->addresses[++kept] = starts->addresses[i];
	starts->count = kept + 1;
}

bool codestarts_load(struct codestarts *starts, struct constantdata *data)
{
	*starts = (struct codestarts){0};
	if (!add_symbols(starts, data->file) || !add_unwound(starts, data))
		return false;
	sort(starts);
	return true;
}

void codestarts_free(struct codestarts *starts)
{
	free(starts->addresses);
	*starts = (struct codestarts){0};
}

/* How many starts are not after `address`. */
static size_t count_until(const struct codestarts *starts, uint64_t address)
{
	size_t low = 0;
	size_t high = starts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (starts->addresses[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Index of the last start that is not after `address`, or `count`. */
static size_t codestarts_index(
	const struct codestarts *starts, uint64_t address)
{
	size_t count = count_until(starts, address);

	return count > 0 ? count - 1 : starts->count;
}

/* The last start that is not after `address`, or `least` if that is greater. */
static uint64_t codestarts_before(
	const struct codestarts *starts, uint64_t address, uint64_t least)
{
	size_t count = count_until(starts, address);

	if (count == 0 || starts->addresses[count - 1] < least)
		return least;
	return starts->addresses[count - 1];
}

/* The first start after `address`, or `most` if that is less. */
static uint64_t codestarts_after(
	const struct codestarts *starts, uint64_t address, uint64_t most)
{
	size_t count = count_until(starts, address);

	if (count == starts->count || starts->addresses[count] > most)
		return most;
	return starts->addresses[count];
}

/*
 * What has to be known of a processor, beside its instructions, to trace an
 * argument: where calls take arguments from, and what they change.  Looked up
 * by callsites.c for each file.
 */

static const struct machine machines[] = {
	{
		.number = EM_X86_64,
		.decode = x86decode,
		.arguments = {7, 6, 2, 1, 8, 9}, /* di si dx cx r8 r9 */
		.argument_count = 6,
		.returned = 8,
		.result = 0,
		.stack = 4,
		.frame = 5,
		.clobbered = 0x0fc7, /* ax cx dx si di r8 to r11 */
	},
	{
		.number = EM_AARCH64,
		.decode = armdecode,
		.arguments = {0, 1, 2, 3, 4, 5, 6, 7},
		.argument_count = 8,
		.result = 0,
		.stack = 31,
		.frame = 29,
		.clobbered = 0x4007ffff, /* x0 to x18, x30 */
	},
};

const struct machine *machine_of(struct elffile *file)
{
	Elf64_Ehdr *head = elffile_read(file, 0, sizeof(*head));
	const struct machine *machine = NULL;
	size_t i;

	for (i = 0; head && i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].number == head->e_machine)
			machine = &machines[i];
	free(head);
	return machine;
}

/* Code without known starts is taken in pieces. */
#define REGION_BYTES_MAX ((uint64_t)1 << 20)

/*
 * Steps of all traces together: programs take less than one per byte of their
 * file, those that are made to be waited for any number.
 */
#define STEPS_FREE ((uint64_t)1 << 20)
#define STEPS_PER_BYTE 4

bool codeflow_open(struct codeflow *flow, const struct machine *machine,
	struct constantdata *data, const struct codestarts *starts,
	const struct imports *imports)
{
	*flow = (struct codeflow){
		.machine = machine,
		.data = data,
		.starts = starts,
		.imports = imports,
		.called = calloc(starts->count + 1, sizeof(bool)),
		.ends = calloc(starts->count + 1, sizeof(bool)),
	};
	return flow->called && flow->ends;
}

void codeflow_close(struct codeflow *flow)
{
	size_t i;

	for (i = 0; i < CODEFLOW_REGIONS; i++) {
		free(flow->regions[i].steps);
		free(flow->regions[i].edges);
	}
	free(flow->leaving);
	free(flow->called);
	free(flow->ends);
	*flow = (struct codeflow){0};
}

/* False: no code is there. */
static bool find_bounds(const struct codeflow *flow, uint64_t address,
	uint64_t *start, uint64_t *end)
{
	size_t index = elffile_section_at(flow->data->file, address);
	const struct elffile_section *section;
	uint64_t piece;

	if (index == ELFFILE_NONE)
		return false;
	section = &flow->data->file->sections[index];
	if (!(section->flags & SHF_EXECINSTR))
		return false;
	*start = codestarts_before(flow->starts, address, section->address);
	*end = codestarts_after(
		flow->starts, address, section->address + section->bytes);
	piece = (address - *start) & ~(REGION_BYTES_MAX - 1);
	*start += piece;
	if (*end - *start > REGION_BYTES_MAX)
		*end = *start + REGION_BYTES_MAX;
	return true;
}

static bool add_step(
	struct codeflow_region *region, const struct codeflow_step *step)
{
	if (!array_reserve(region->steps, region->room, region->count + 1))
		return false;
	region->steps[region->count++] = *step;
	return true;
}

/* Bytes that are no instruction are stepped over one by one. */
static bool read_steps(
	const struct codeflow *flow, struct codeflow_region *region)
{
	struct codeflow_step step = {.address = region->start};
	size_t left;
	const uint8_t *code = constantdata_at(flow->data, region->start, &left);

	if (!code)
		return true;
	if (left > region->end - region->start)
		left = region->end - region->start;
	while (left > 0) {
		size_t bytes = 1;

		if (flow->machine->decode(
			    &step.instruction, code, left, step.address)) {
			if (!add_step(region, &step))
				return false;
			bytes = step.instruction.bytes;
		}
		code += bytes;
		left -= bytes;
		step.address += bytes;
	}
	return true;
}

struct codeflow_region *codeflow_region_at(
	struct codeflow *flow, uint64_t address)
{
	struct codeflow_region *region;
	size_t i;

	for (i = 0; i < CODEFLOW_REGIONS; i++) {
		region = &flow->regions[i];
		if (address >= region->start && address < region->end)
			return region;
	}
	region = &flow->regions[flow->next];
	flow->next = (flow->next + 1) % CODEFLOW_REGIONS;
	region->count = region->edge_count = 0;
	region->has_edges = false;
	region->start = region->end = 0;
	if (!find_bounds(flow, address, &region->start, &region->end))
		return NULL;
	if (read_steps(flow, region)) {
		flow->patience -= region->count < flow->patience
					  ? region->count
					  : flow->patience;
		return region;
	}
	region->end = region->start;
	return NULL;
}

static bool is_stubs(const struct elffile_section *section)
{
	return strncmp(section->name, ".plt", 4) == 0;
}

static bool is_code(const struct elffile_section *section)
{
	return section->type == SHT_PROGBITS &&
	       section->flags & SHF_EXECINSTR && section->flags & SHF_ALLOC &&
	       section->address <= UINT64_MAX - section->bytes &&
	       !is_stubs(section);
}

/* Sections that overlap are not all read: together they have no more bytes. */
bool codeflow_each(struct codeflow *flow,
	bool (*take)(void *closure, struct codeflow_region *region),
	void *closure)
{
	const struct elffile *file = flow->data->file;
	uint64_t left = file->bytes;
	size_t i;

	for (i = 0; i < file->section_count; i++) {
		const struct elffile_section *section = &file->sections[i];
		uint64_t address = section->address;

		if (!is_code(section) || section->bytes > left)
			continue;
		left -= section->bytes;
		while (address < section->address + section->bytes) {
			struct codeflow_region *region =
				codeflow_region_at(flow, address);

			if (!region)
				return false;
			/* which may ask for others */
			address = region->end;
			if (!take(closure, region))
				return false;
		}
	}
	return true;
}

size_t codeflow_steps_before(
	const struct codeflow_region *region, uint64_t address)
{
	size_t low = 0;
	size_t high = region->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (region->steps[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool codeflow_step_before(
	struct codeflow *flow, uint64_t next, struct codeflow_step *step)
{
	const struct codeflow_region *region =
		next > 0 ? codeflow_region_at(flow, next - 1) : NULL;
	size_t count = region ? codeflow_steps_before(region, next) : 0;

	if (count == 0)
		return false;
	*step = region->steps[count - 1];
	return step->address + step->instruction.bytes == next;
}

static bool add_edge(struct codeflow_edge **edges, size_t *room, size_t *count,
	uint64_t from, uint64_t to)
{
	if (!array_reserve(*edges, *room, *count + 1))
		return false;
	(*edges)[(*count)++] = (struct codeflow_edge){to, from};
	return true;
}

/* Index of the start that is exactly there, or their number. */
static size_t start_at(const struct codeflow *flow, uint64_t address)
{
	const struct codestarts *starts = flow->starts;
	size_t index = codestarts_index(starts, address);

	return index < starts->count && starts->addresses[index] == address
		       ? index
		       : starts->count;
}

bool codeflow_is_entry(const struct codeflow *flow, uint64_t address)
{
	size_t section;

	if (start_at(flow, address) < flow->starts->count)
		return true;
	section = elffile_section_at(flow->data->file, address);
	return section != ELFFILE_NONE &&
	       is_stubs(&flow->data->file->sections[section]);
}

bool codeflow_is_called(const struct codeflow *flow, uint64_t address)
{
	size_t index = start_at(flow, address);

	return index < flow->starts->count && flow->called[index];
}

bool codeflow_ends(const struct codeflow *flow, uint64_t address)
{
	size_t index = start_at(flow, address);

	return index < flow->starts->count && flow->ends[index];
}

/* No return, no jump elsewhere, and nothing that leads to what follows. */
static bool never_leaves(const struct codeflow_region *region)
{
	const struct instruction *last = NULL;
	size_t i;

	for (i = 0; i < region->count; i++) {
		const struct codeflow_step *step = &region->steps[i];

		if (step->instruction.kind != INSTRUCTION_OTHER ||
			step->instruction.written != 0)
			last = &step->instruction;
		switch (step->instruction.kind) {
		case INSTRUCTION_RETURN:
		case INSTRUCTION_JUMP_REGISTER:
		case INSTRUCTION_JUMP_LOADED:
			return false;
		case INSTRUCTION_JUMP:
		case INSTRUCTION_BRANCH:
			if (step->instruction.value < region->start ||
				step->instruction.value >= region->end)
				return false;
		}
	}
	return last && last->kind >= INSTRUCTION_CALL;
}

static void mark_ends(
	struct codeflow *flow, const struct codeflow_region *region)
{
	size_t index = start_at(flow, region->start);

	if (index < flow->starts->count && never_leaves(region))
		flow->ends[index] = true;
}

static void mark_called(struct codeflow *flow, uint64_t address)
{
	size_t index = start_at(flow, address);

	if (index < flow->starts->count)
		flow->called[index] = true;
}

bool codeflow_note(struct codeflow *flow, const struct codeflow_region *region)
{
	size_t i;

	mark_ends(flow, region);
	for (i = 0; i < region->count; i++) {
		const struct codeflow_step *step = &region->steps[i];
		uint64_t to = step->instruction.value;

		switch (step->instruction.kind) {
		case INSTRUCTION_CALL:
			mark_called(flow, to);
			break;
		case INSTRUCTION_JUMP:
		case INSTRUCTION_BRANCH:
			if (to >= region->start && to < region->end)
				break;
			if (!add_edge(&flow->leaving, &flow->leaving_room,
				    &flow->leaving_count, step->address, to))
				return false;
			break;
		}
	}
	return true;
}

static int compare_edges(const void *left, const void *right)
{
	const struct codeflow_edge *a = left;
	const struct codeflow_edge *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static void sort_edges(struct codeflow_edge *edges, size_t count)
{
	if (count > 0)
		qsort(edges, count, sizeof(*edges), compare_edges);
}

void codeflow_settle(struct codeflow *flow)
{
	sort_edges(flow->leaving, flow->leaving_count);
	flow->patience =
		STEPS_FREE + flow->data->file->bytes_on_disk * STEPS_PER_BYTE;
}

static const struct codeflow_edge *edges_to(const struct codeflow_edge *edges,
	size_t edge_count, uint64_t address, size_t *count)
{
	size_t low = 0;
	size_t high = edge_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (edges[middle].to < address)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < edge_count; ++*count)
		if (edges[low + *count].to != address)
			break;
	return *count > 0 ? edges + low : edges;
}

static void find_edges(struct codeflow_region *region)
{
	size_t i;

	region->has_edges = true;
	for (i = 0; i < region->count; i++) {
		const struct codeflow_step *step = &region->steps[i];
		uint64_t to = step->instruction.value;

		if (step->instruction.kind != INSTRUCTION_JUMP &&
			step->instruction.kind != INSTRUCTION_BRANCH)
			continue;
		if (to >= region->start && to < region->end &&
			!add_edge(&region->edges, &region->edge_room,
				&region->edge_count, step->address, to))
			break;
	}
	sort_edges(region->edges, region->edge_count);
}

const struct codeflow_edge *codeflow_inner_edges(
	struct codeflow_region *region, uint64_t address, size_t *count)
{
	if (!region->has_edges)
		find_edges(region);
	return edges_to(region->edges, region->edge_count, address, count);
}

const struct codeflow_edge *codeflow_outer_edges(
	const struct codeflow *flow, uint64_t address, size_t *count)
{
	return edges_to(flow->leaving, flow->leaving_count, address, count);
}
