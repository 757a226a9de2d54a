#include "shim/host/objects.h"

#include <elf.h>

#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/sys.h"

/* Of program headers at the start of a file: those on its first page. */
#define PAGE 4096u

int (*objects_ask)(void *address, struct dl_object *found);

const struct link_map *objects_first(void)
{
	const ElfW(Phdr) * header, *dynamic = NULL, *self = NULL;
	const ElfW(Dyn) * entry;
	const struct r_debug *debug;
	uint64_t address, count;

	if (!environment_auxiliary(AT_PHDR, &address) ||
		!environment_auxiliary(AT_PHNUM, &count))
		return NULL;
	header = (const void *)address;
	for (; count > 0; count--, header++) {
		if (header->p_type == PT_PHDR)
			self = header;
		if (header->p_type == PT_DYNAMIC)
			dynamic = header;
	}
	if (!self || !dynamic)
		return NULL;
	entry = (const void *)(address - self->p_vaddr + dynamic->p_vaddr);
	while (entry->d_tag != DT_NULL && entry->d_tag != DT_DEBUG)
		entry++;
	debug = (const void *)entry->d_un.d_ptr;
	return entry->d_tag == DT_DEBUG && debug ? debug->r_map : NULL;
}

/*
 * What the list said when it was last read.  Two copies: one is searched while
 * the other is made.  `finished` counts how often one was; so whoever has
 * searched a copy and finds the same count afterwards has searched a whole one.
 */
struct copy {
	const struct link_map *last;
	uint32_t unloads; /* what was counted when it was begun */
	unsigned count;
	struct entry {
		struct object object;
		const struct link_map *map;
		unsigned place; /* in the list */
	} entry[OBJECTS_MAX];
};

static struct copy copies[2];
static uint32_t finished;
static uint32_t unloads, unloading;
/* So many at the start of the list came with the program, and stay. */
static unsigned lasting;
/*
 * Which thread of which process (the upper half) is making one, or 0.  A fork
 * may have left a thread behind that was at it.
 */
static uint64_t maker;

/* So often another thread is waited for; a copy takes some tens of
 * microseconds. */
#define TURNS 1000u

static struct copy *copy_of(uint32_t number)
{
	return &copies[number & 1];
}

void objects_begin(void)
{
	const struct link_map *map = objects_first();

	for (lasting = 0; map; map = map->l_next)
		lasting++;
}

void objects_unloading(void)
{
	__atomic_fetch_add(&unloading, 1, __ATOMIC_SEQ_CST);
}

void objects_unloaded(void)
{
	__atomic_fetch_add(&unloads, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_sub(&unloading, 1, __ATOMIC_SEQ_CST);
}

/* A library may be unloaded by another thread while we look at it. */
bool objects_read(const struct link_map *map, struct link_map *copy)
{
	return map && sys_copy(copy, map, sizeof(*copy));
}

/* The first page of an object's file.  Who makes a copy of the list has it. */
static union {
	ElfW(Ehdr) header;
	char bytes[PAGE];
} page;

/* The program headers of an object, or null. */
static const ElfW(Phdr) *
	headers_of(const struct link_map *map, bool is_first, uint64_t *count)
{
	const ElfW(Ehdr) *header = &page.header;
	uint64_t address;

	/* The program need not be where its addresses begin. */
	if (is_first)
		return environment_auxiliary(AT_PHDR, &address) &&
				       environment_auxiliary(AT_PHNUM, count)
			       ? (const void *)address
			       : NULL;
	if (!map->l_addr ||
		!sys_copy(&page, (const void *)map->l_addr, sizeof(page)) ||
		!bytes_starts(page.bytes, ELFMAG) ||
		header->e_phentsize != sizeof(ElfW(Phdr)) ||
		header->e_phnum > PAGE / sizeof(ElfW(Phdr)) ||
		header->e_phoff > PAGE - sizeof(ElfW(Phdr)) * header->e_phnum)
		return NULL;
	*count = header->e_phnum;
	return (const void *)(page.bytes + header->e_phoff);
}

static bool describe(
	const struct link_map *map, bool is_first, struct object *object)
{
	uint64_t count = 0;
	const ElfW(Phdr) *header = headers_of(map, is_first, &count);
	uintptr_t low = UINTPTR_MAX, high = 0;

	*object = (struct object){.bias = map->l_addr, .path = map->l_name};
	for (; header && count > 0; count--, header++) {
		uintptr_t at = map->l_addr + header->p_vaddr;

		if (header->p_type == PT_GNU_EH_FRAME)
			object->eh_frame = (const unsigned char *)at;
		if (header->p_type != PT_LOAD)
			continue;
		if (at < low)
			low = at;
		if (at + header->p_memsz > high)
			high = at + header->p_memsz;
	}
	object->start = low & -(uintptr_t)PAGE;
	object->end = high;
	return low < high;
}

/* False: another thread is at it, or the code that this has interrupted. */
static bool begin_copy(void)
{
	uint64_t self = (uint64_t)SYS0(getpid) << 32 | (uint32_t)SYS0(gettid);
	uint64_t other = __atomic_load_n(&maker, __ATOMIC_RELAXED);

	for (unsigned turn = 0; turn < TURNS && other != self; turn++) {
		if ((other == 0 || (other ^ self) >> 32 != 0) &&
			__atomic_compare_exchange_n(&maker, &other, self, false,
				__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		SYS0(sched_yield);
		other = __atomic_load_n(&maker, __ATOMIC_RELAXED);
	}
	return false;
}

static void make_copy(struct copy *copy)
{
	const struct link_map *map = objects_first();
	struct link_map now;

	copy->unloads = __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);
	copy->count = 0;
	copy->last = map;
	for (unsigned place = 0; objects_read(map, &now); place++) {
		struct entry *entry = &copy->entry[copy->count];

		if (copy->count < OBJECTS_MAX &&
			describe(&now, place == 0, &entry->object)) {
			entry->map = map;
			entry->place = place;
			copy->count++;
		}
		copy->last = map;
		map = now.l_next;
	}
}

/* New ones come last. */
static bool is_longer(const struct copy *copy)
{
	struct link_map last;

	return !copy->last || (objects_read(copy->last, &last) && last.l_next);
}

static bool search(
	const struct copy *copy, uintptr_t address, struct entry *found)
{
	for (unsigned i = 0; i < copy->count; i++) {
		const struct object *object = &copy->entry[i].object;

		if (address - object->start < object->end - object->start) {
			*found = copy->entry[i];
			return true;
		}
	}
	return false;
}

/*
 * libc unloads libraries of its own (of character sets) without a call that we
 * see.  Then what we know is not in the list any more, or not mapped.
 */
static bool is_current(const struct entry *found)
{
	const struct object *object = &found->object;
	const struct link_map *map = objects_first();
	struct link_map now;

	if (found->place < lasting)
		return true;
	while (objects_read(map, &now) && map != found->map)
		map = now.l_next;
	return map && map == found->map && now.l_addr == object->bias &&
	       now.l_name == object->path &&
	       (sys_forbidden ||
		       (sys_are_readable((const void *)object->start, 1) &&
			       sys_are_readable(
				       (const void *)(object->end - 1), 1)));
}

enum answer { KNOWN, UNKNOWN, CHANGED };

/* `is_new`: the list was read for this address. */
static enum answer look(uintptr_t address, bool is_new, struct object *object)
{
	uint32_t was = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
	const struct copy *copy = copy_of(was);
	bool stale =
		copy->unloads != __atomic_load_n(&unloads, __ATOMIC_ACQUIRE) ||
		(!is_new && __atomic_load_n(&unloading, __ATOMIC_ACQUIRE));
	struct entry entry;
	bool found = !stale && search(copy, address, &entry);
	bool changed = !found && (stale || is_longer(copy));

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (changed || __atomic_load_n(&finished, __ATOMIC_RELAXED) != was)
		return CHANGED;
	if (!found)
		return UNKNOWN;
	if (!is_current(&entry)) {
		__atomic_fetch_add(&unloads, 1, __ATOMIC_SEQ_CST);
		return CHANGED;
	}
	*object = entry.object;
	return KNOWN;
}

static bool read_list(void)
{
	uint32_t number;

	if (!begin_copy())
		return false;
	number = __atomic_load_n(&finished, __ATOMIC_RELAXED) + 1;
	make_copy(copy_of(number));
	__atomic_store_n(&finished, number, __ATOMIC_RELEASE);
	__atomic_store_n(&maker, 0, __ATOMIC_RELEASE);
	return true;
}

/* Read twice, a list still may have changed meanwhile. */
static bool find_in_list(uintptr_t address, struct object *object)
{
	enum answer answer = look(address, false, object);

	for (unsigned readings = 0; answer == CHANGED && readings < 3;
		readings++) {
		if (!read_list())
			return false;
		answer = look(address, true, object);
	}
	return answer == KNOWN;
}

bool objects_find(uintptr_t address, struct object *object)
{
	struct dl_object found;

	if (unlikely(!objects_ask))
		return find_in_list(address, object);
	if (objects_ask((void *)address, &found) != 0)
		return false;
	*object = (struct object){
		.start = (uintptr_t)found.start,
		.end = (uintptr_t)found.end,
		.bias = found.map->l_addr,
		.path = found.map->l_name,
		.eh_frame = found.eh_frame,
	};
	return true;
}
