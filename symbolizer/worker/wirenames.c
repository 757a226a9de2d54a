#include "symbolizer/worker/wirenames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytehash.h"

#define SLOTS_FIRST 1024

static size_t slot_for(const struct wirenames_said *said, const char *name)
{
	return bytehash_mix(0, (uintptr_t)name) & (said->slot_room - 1);
}

/* What was taken back has left its slot behind. */
static bool is_number_of(
	const struct wirenames_said *said, uint32_t number, const char *name)
{
	return number <= said->count && said->names[number - 1] == name;
}

/* With its number; with 0 when it has not been said. */
static size_t slot_of(const struct wirenames_said *said, const char *name)
{
	size_t slot = slot_for(said, name);

	while (said->slots[slot] != 0 &&
		!is_number_of(said, said->slots[slot], name))
		slot = (slot + 1) & (said->slot_room - 1);
	return slot;
}

/* At most half of the slots are taken. */
static bool make_room(struct wirenames_said *said)
{
	size_t room = SLOTS_FIRST;
	uint32_t number;
	size_t slot;

	if (said->slots_taken < said->slot_room / 2)
		return true;
	while (room / 4 < said->count)
		room *= 2;
	free(said->slots);
	said->slots = calloc(room, sizeof(*said->slots));
	said->slot_room = said->slots ? room : 0;
	said->slots_taken = 0;
	if (!said->slots)
		return false;
	for (number = 1; number <= said->count; number++) {
		slot = slot_for(said, said->names[number - 1]);
		while (said->slots[slot] != 0)
			slot = (slot + 1) & (room - 1);
		said->slots[slot] = number;
		said->slots_taken++;
	}
	return true;
}

bool wirenames_put(struct wirenames_said *said, struct wire_writer *packet,
	const char *name)
{
	const char **names;
	size_t slot;

	if (!name) {
		wire_put_u32(packet, 0);
		return true;
	}
	if (!make_room(said))
		return false;
	slot = slot_of(said, name);
	if (said->slots[slot] != 0) {
		wire_put_u32(packet, said->slots[slot]);
		return true;
	}
	names = array_grow(said->names, &said->name_room, said->count,
		sizeof(const char *));
	if (!names || said->count == UINT32_MAX)
		return false;
	said->names = names;
	names[said->count++] = name;
	said->slots[slot] = said->count;
	said->slots_taken++;
	wire_put_u32(packet, said->count);
	wire_put_string(packet, name);
	return true;
}

bool wirenames_take_back(struct wirenames_said *said, uint32_t count)
{
	if (count > said->count)
		return false;
	said->count = count;
	return true;
}

/* Numbers go on when memory is out, since the worker counts too. */
static uint32_t take_new(struct wirenames_heard *heard,
	struct wire_reader *packet, struct answerstore *store)
{
	const char *name = wire_take_string(packet);
	uint32_t *offsets = NULL;
	uint32_t offset = 0;

	if (!heard->lost && answerstore_intern(store, name, &offset))
		offsets = array_grow(heard->offsets, &heard->room, heard->count,
			sizeof(*offsets));
	if (offsets) {
		heard->offsets = offsets;
		offsets[heard->count] = offset;
	}
	heard->lost = !offsets;
	heard->count++;
	return offset;
}

uint32_t wirenames_take(struct wirenames_heard *heard,
	struct wire_reader *packet, struct answerstore *store)
{
	uint32_t number = wire_take_u32(packet);

	if (number == 0)
		return 0;
	if (number <= heard->count)
		return heard->lost ? 0 : heard->offsets[number - 1];
	if (number - heard->count == 1)
		return take_new(heard, packet, store);
	packet->bad = true;
	return 0;
}

void wirenames_forget(struct wirenames_heard *heard)
{
	free(heard->offsets);
	memset(heard, 0, sizeof(*heard));
}
