#include "symbolizer/dwarf/functionname.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry may refer to another one which does likewise, or to itself. */
#define REFERENCES_MAX 16
#define ROOM_AT_FIRST 64

struct functionname_slot {
	uint64_t key; /* 0: free */
	struct functionname name;
};

static struct functionname_slot *slot_of(
	struct functionname_table *table, uint64_t key)
{
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32);

	for (;; i++) {
		struct functionname_slot *slot =
			&table->slots[i & (table->room - 1)];

		if (slot->key == key || slot->key == 0)
			return slot;
	}
}

/* Makes sure that one slot is free and one more would be. */
static bool make_room(struct functionname_table *table)
{
	struct functionname_table old = *table;
	size_t i;

	if (table->count + 1 < table->room / 4 * 3)
		return true;
	table->room = old.room ? old.room * 2 : ROOM_AT_FIRST;
	table->slots = calloc(table->room, sizeof(*table->slots));
	if (!table->slots) {
		*table = old;
		return false;
	}
	for (i = 0; old.slots && i < old.room; i++)
		if (old.slots[i].key)
			*slot_of(table, old.slots[i].key) = old.slots[i];
	free(old.slots);
	return true;
}

static const struct functionname *stored(
	struct functionname_table *table, uint64_t key)
{
	struct functionname_slot *slot;

	if (!table->slots)
		return NULL;
	slot = slot_of(table, key);
	return slot->key == key ? &slot->name : NULL;
}

static const struct functionname *store(struct functionname_table *table,
	uint64_t key, struct functionname name)
{
	struct functionname_slot *slot = slot_of(table, key);

	table->count += slot->key == 0;
	slot->key = key;
	slot->name = name;
	return &slot->name;
}

static const char *linkage_name(const struct dwarfentry *entry)
{
	const char *name = dwarfentry_string(entry, DWARF_AT_LINKAGE_NAME);

	return name ? name
		    : dwarfentry_string(entry, DWARF_AT_MIPS_LINKAGE_NAME);
}

/* What `entry` says itself, and what those say that it leads to. */
static struct functionname collect(struct functionname_table *table,
	const struct dwarfentry *entry, unsigned steps)
{
	uint64_t key = (uintptr_t)entry->at;
	const struct functionname *known = stored(table, key);
	struct functionname name;
	struct functionname more = {0};
	struct dwarfentry origin;
	bool instance;

	if (known)
		return *known;
	instance = dwarfentry_follow(entry, DWARF_AT_ABSTRACT_ORIGIN, &origin);
	if (steps < REFERENCES_MAX &&
		(instance || dwarfentry_follow(
				     entry, DWARF_AT_SPECIFICATION, &origin)))
		more = collect(table, &origin, steps + 1);
	name.text = linkage_name(entry);
	name.linkage = name.text || more.linkage;
	if (!name.linkage)
		name.text = dwarfentry_string(entry, DWARF_AT_NAME);
	if (!name.text)
		name.text = more.text;
	/* the origin of an instance has all parameters */
	name.wrapper =
		more.wrapper ||
		(!instance && functionparameters_any(&table->types, entry));
	if (make_room(table))
		store(table, key, name);
	return name;
}

struct functionname functionname_of(
	struct functionname_table *table, const struct dwarfentry *entry)
{
	struct dwarfentry origin;

	/* there are as many of these as calls, which say nothing themselves */
	if (entry->kind->tag == DWARF_TAG_INLINED_SUBROUTINE &&
		dwarfentry_follow(entry, DWARF_AT_ABSTRACT_ORIGIN, &origin))
		return collect(table, &origin, 0);
	return collect(table, entry, 0);
}

/*
 * A symbol may have marks before the mangled name and a version after it;
 * both stay as they are.
 */
static char *demangle(const char *name)
{
	size_t marks = strspn(name, ".$");
	const char *version = strchr(name + marks, '@');
	char *mangled;
	char *plain;
	char *whole;
	int written;

	if (!version)
		version = name + strlen(name);
	mangled = strndup(name + marks, (size_t)(version - name) - marks);
	if (!mangled)
		return NULL;
	plain = cplus_demangle(mangled, DMGL_PARAMS | DMGL_ANSI);
	free(mangled);
	if (!plain)
		return NULL;
	if (marks == 0 && !*version)
		return plain;
	written =
		asprintf(&whole, "%.*s%s%s", (int)marks, name, plain, version);
	free(plain);
	return written < 0 ? NULL : whole;
}

const char *functionname_demangled(
	struct functionname_table *table, const char *name)
{
	uint64_t key = (uintptr_t)name;
	const struct functionname *known = stored(table, key);
	char *plain;

	if (!known) {
		if (!make_room(table))
			return name;
		plain = demangle(name);
		known = store(table, key, (struct functionname){.text = plain});
	}
	return known->text ? known->text : name;
}

void functionname_free(struct functionname_table *table, bool demangled)
{
	size_t i;

	for (i = 0; demangled && i < table->room; i++)
		free((char *)(uintptr_t)table->slots[i].name.text);
	free(table->slots);
	functionparameters_free(&table->types);
	memset(table, 0, sizeof(*table));
}
