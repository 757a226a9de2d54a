#include "shim/host/lookup.h"

#include <elf.h>
#include <link.h>

#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/objects.h"

/* Of a version: other definitions of the name are older than this one. */
#define VERSION_HIDDEN 0x8000u
/* At most, and from its start. */
#define VDSO_BYTES 65536u

/* DT_GNU_HASH: four words, the filter, the buckets, the chains. */
struct hash_table {
	uint32_t buckets;
	uint32_t first_symbol;
	uint32_t filter_words;
	uint32_t filter_shift;
	uint64_t filter[];
};

/* Ours; the linker defines it.  <link.h> says nothing of hidden. */
/* NOLINTNEXTLINE(readability-redundant-declaration) */
extern HIDDEN ElfW(Dyn) _DYNAMIC[];

/* Most loaders have made addresses of the offsets in the file. */
static const void *pointer(const struct link_map *map, const ElfW(Dyn) * entry)
{
	uintptr_t value = entry->d_un.d_ptr;

	return (const void *)(value < map->l_addr ? value + map->l_addr
						  : value);
}

/* False: it has no such table, and only the loader can search it. */
static bool read_tables(
	const struct link_map *map, struct lookup_object *object)
{
	const ElfW(Dyn) *entry = map->l_ld;

	*object = (struct lookup_object){.bias = map->l_addr};
	for (; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_GNU_HASH)
			object->hash = pointer(map, entry);
		else if (entry->d_tag == DT_SYMTAB)
			object->symbols = pointer(map, entry);
		else if (entry->d_tag == DT_STRTAB)
			object->strings = pointer(map, entry);
		else if (entry->d_tag == DT_VERSYM)
			object->versions = pointer(map, entry);
	}
	return object->hash && object->symbols && object->strings;
}

bool lookup_begin(struct lookup *lookup)
{
	const struct link_map *map = objects_first();
	uint64_t vdso = 0;

	lookup->count = 0;
	environment_auxiliary(AT_SYSINFO_EHDR, &vdso);
	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	if (!map)
		return false;
	for (map = map->l_next; map; map = map->l_next) {
		/* It is in the list, but nobody is bound to it. */
		if ((uintptr_t)map->l_ld - vdso < VDSO_BYTES)
			continue;
		if (lookup->count == LOOKUP_OBJECTS_MAX ||
			!read_tables(map, &lookup->object[lookup->count++]))
			return false;
	}
	return lookup->count > 0;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static bool is_default(const struct lookup_object *object, uint32_t index)
{
	const ElfW(Sym) *symbol = (const ElfW(Sym) *)object->symbols + index;

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
	       !(object->versions && object->versions[index] & VERSION_HIDDEN);
}

static const ElfW(Sym) * find_in(const struct lookup_object *object,
				 const char *name, uint32_t hash)
{
	const struct hash_table *table = (const void *)object->hash;
	const ElfW(Sym) *symbols = object->symbols;
	uint64_t word = table->filter[hash / 64 & (table->filter_words - 1)];
	const uint32_t *buckets =
		(const void *)&table->filter[table->filter_words];
	const uint32_t *chains = buckets + table->buckets;
	uint32_t index;

	if (!(word >> hash % 64 & word >> (hash >> table->filter_shift) % 64 &
		    1) ||
		!table->buckets)
		return NULL;
	index = buckets[hash % table->buckets];
	if (index < table->first_symbol)
		return NULL;
	for (;; index++) {
		uint32_t found = chains[index - table->first_symbol];

		if ((found ^ hash) < 2 &&
			is_same(name,
				object->strings + symbols[index].st_name) &&
			is_default(object, index))
			return &symbols[index];
		if (found & 1)
			return NULL;
	}
}

/* As the loader does it: of an IFUNC it is what its definition returns. */
static void *address_of(
	const struct lookup_object *object, const ElfW(Sym) * symbol)
{
	void *address = (void *)(object->bias + symbol->st_value);

	if (ELF64_ST_TYPE(symbol->st_info) <= STT_FUNC)
		return address;
#if defined(__x86_64__)
	if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		return ((void *(*)(void))(uintptr_t)address)();
#endif
	return NULL;
}

void *lookup_find(const struct lookup *lookup, const char *name)
{
	uint32_t hash = hash_of(name);

	for (unsigned i = 0; i < lookup->count; i++) {
		const struct lookup_object *object = &lookup->object[i];
		const ElfW(Sym) *symbol = find_in(object, name, hash);

		if (symbol)
			return address_of(object, symbol);
	}
	return NULL;
}

bool lookup_defines(const struct lookup *lookup, const char *name)
{
	uint32_t hash = hash_of(name);

	for (unsigned i = 0; i < lookup->count; i++)
		if (find_in(&lookup->object[i], name, hash))
			return true;
	return false;
}

void *lookup_find_anywhere(const char *name)
{
	const struct link_map *map = objects_first();
	uint32_t hash = hash_of(name);

	struct link_map now;
	bool behind = false;

	for (; objects_read(map, &now); map = now.l_next) {
		struct lookup_object object;
		const ElfW(Sym) *symbol = behind && read_tables(&now, &object)
						  ? find_in(&object, name, hash)
						  : NULL;

		if (symbol)
			return address_of(&object, symbol);
		behind |= now.l_ld == _DYNAMIC;
	}
	return NULL;
}

bool lookup_end_with(struct lookup *lookup, const char *name)
{
	uint32_t hash = hash_of(name);

	for (unsigned i = 0; i < lookup->count; i++)
		if (find_in(&lookup->object[i], name, hash)) {
			lookup->count = i + 1;
			return true;
		}
	return false;
}
