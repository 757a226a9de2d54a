/*
 * Any bytes as the call frame tables of a module: nothing but these is read,
 * and there is an answer for each program counter.  The input is what is in
 * memory from an .eh_frame_hdr to the end of an .eh_frame.
 */
#include <string.h>
#include <sys/mman.h>

#include "shim/host/objects.h"
#include "shim/unwind/cfi.h"
#include "tests/fuzz/pieces.h"

#define PAGE ((size_t)4096)
/* Pointers may be absolute: an input is to mean the same each time. */
#define PLACE ((uintptr_t)0x20000000)

/* The tables are said where they are, and not looked for. */
bool objects_find(uintptr_t address, struct object *object)
{
	(void)address;
	(void)object;
	return false;
}

#define HEAD 12u /* of a header whose table has pairs of 32 bits */
#define PAIR 8u
#define PAIRS_ASKED 4u

/* ---- mutations ---- */

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void set_word(uint8_t *at, uint32_t word)
{
	memcpy(at, &word, sizeof(word));
}

/* A CIE or an FDE. */
static struct piece find(const uint8_t *bytes, size_t size)
{
	struct piece piece = {.size = size};

	if (size < 4 || word_at(bytes) > size - 4)
		return piece;
	piece.head = 4;
	piece.size = 4 + word_at(bytes);
	return piece;
}

/* Past the numbers at its start, that mend() would set again. */
static size_t change(uint8_t *inside, size_t size, size_t most, uint32_t *seed)
{
	size_t kept = size > 12 && pieces_chance(seed, 90) ? 4 : 0;

	return kept + LLVMFuzzerMutate(inside + kept, size - kept, most - kept);
}

static size_t frame(
	uint8_t *into, size_t room, const uint8_t *inside, size_t size)
{
	if (room < 4 + size)
		return 0;
	set_word(into, (uint32_t)size);
	memcpy(into + 4, inside, size);
	return 4 + size;
}

static const struct piece_format entries = {
	.find = find, .change = change, .frame = frame};

/* How many bytes the header has: as many pairs as it says, if they fit. */
static size_t header_bytes(const uint8_t *data, size_t size)
{
	size_t pairs = word_at(data + 8);

	return pairs <= (size - HEAD) / PAIR ? HEAD + pairs * PAIR : HEAD;
}

/* A pair for an FDE with a start relative to its own place, in order. */
static void put_pair(uint8_t *data, size_t pairs, size_t entry)
{
	uint32_t start = (uint32_t)entry + 8 + word_at(data + entry + 8);
	uint8_t *pair = data + HEAD + pairs * PAIR;

	for (; pair > data + HEAD &&
		(int32_t)word_at(pair - PAIR) > (int32_t)start;
		pair -= PAIR)
		memcpy(pair, pair - PAIR, PAIR);
	set_word(pair, start);
	set_word(pair + 4, (uint32_t)entry);
}

/* Each FDE belongs to the CIE before it, and has a pair if there is room. */
static void mend(uint8_t *data, size_t size, size_t header)
{
	struct piece pieces[PIECES_MAX];
	size_t count =
		pieces_list(&entries, data + header, size - header, pieces);
	size_t common = header;
	size_t pairs = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		size_t at = header + pieces[i].at;

		if (pieces[i].size < 16)
			continue;
		if (word_at(data + at + 4) == 0) {
			common = at;
			continue;
		}
		set_word(data + at + 4, (uint32_t)(at + 4 - common));
		if (HEAD + (pairs + 1) * PAIR <= header)
			put_pair(data, pairs++, at);
	}
	set_word(data + 8, (uint32_t)pairs);
}

size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	size_t header;

	if (size < HEAD || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, most);
	header = header_bytes(data, size);
	if (seed % 16 == 1) {
		LLVMFuzzerMutate(data, header, header);
		return size;
	}
	size = header + pieces_mutate(&entries, data + header, size - header,
				most - header, seed / 16);
	if (seed % 16 > 2)
		mend(data, size, header);
	return size;
}

/* ---- the property ---- */

static void ask(const struct cfi_module *module, uintptr_t pc)
{
	struct cfi_rule rule = cfi_search(module, pc);

	FUZZ_CHECK(rule.cfa <= CFI_UNSUPPORTED);
	FUZZ_CHECK(rule.fp <= CFI_FP_LOST);
}

/* Around where the table says that functions begin, and where none is. */
static void ask_all(const uint8_t *bytes, size_t size)
{
	const struct cfi_module module = {
		.header = bytes,
		.low = (uintptr_t)bytes,
		.high = (uintptr_t)bytes + size,
	};
	size_t at;

	ask(&module, 0);
	ask(&module, module.low);
	ask(&module, UINTPTR_MAX);
	for (at = HEAD; at + PAIR <= size && at < HEAD + PAIRS_ASKED * PAIR;
		at += PAIR) {
		uintptr_t pc =
			module.low +
			(uintptr_t)(intptr_t)(int32_t)word_at(bytes + at);

		ask(&module, pc - 1);
		ask(&module, pc + 4);
		ask(&module, pc + 64);
	}
}

/* A page, with one before it and one behind it that cannot be read. */
static uint8_t *make_room(void)
{
	uint8_t *place = mmap((void *)PLACE, 3 * PAGE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	FUZZ_CHECK(place == (void *)PLACE);
	FUZZ_CHECK(mprotect(place + PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
	return place + PAGE;
}

/* At the start of the page, and at its end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t *room;

	if (!room)
		room = make_room();
	if (size == 0 || size > PAGE)
		return -1;
	memcpy(room, data, size);
	ask_all(room, size);
	memmove(room + PAGE - size, data, size);
	ask_all(room + PAGE - size, size);
	return 0;
}
