#include "shim/objects.h"

#include <elf.h>

#include "shim/bytes.h"
#include "shim/environment.h"
#include "shim/sys.h"

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
	struct object object[OBJECTS_MAX];
};

static struct copy copies[2];
static uint32_t finished;
static uint32_t unloads;
/* The process that is making one, or 0.  A fork may have left a thread behind
 * that was at it. */
static uint32_t maker;

/* So long the one who is at it is waited for, unless it is the code that a
 * handler has interrupted. */
#define TURNS 1024u

static struct copy *copy_of(uint32_t number)
{
	return &copies[number & 1];
}

void objects_forget(void)
{
	__atomic_fetch_add(&unloads, 1, __ATOMIC_RELEASE);
}

/*
 * A library may be unloaded by another thread while we look, and what we look
 * at with it: whether it is there has to be asked each time.  Under a seccomp
 * filter nobody can be asked, and the list is believed.
 */
static bool is_there(const void *bytes, size_t size)
{
	return sys_forbidden || sys_are_readable(bytes, size);
}

const struct link_map *objects_next(const struct link_map *map)
{
	const struct link_map *next = map->l_next;

	return next && is_there(next, sizeof(*next)) ? next : NULL;
}

/* The program headers of an object as mapped, or null. */
static const ElfW(Phdr) *
	headers_of(const struct link_map *map, bool is_first, uint64_t *count)
{
	const ElfW(Ehdr) *header = (const void *)map->l_addr;
	uint64_t address;

	/* The program need not be where its addresses begin. */
	if (is_first)
		return environment_auxiliary(AT_PHDR, &address) &&
				       environment_auxiliary(AT_PHNUM, count)
			       ? (const void *)address
			       : NULL;
	if (!map->l_addr || !is_there(header, PAGE) ||
		!bytes_starts((const char *)header, ELFMAG) ||
		header->e_phentsize != sizeof(ElfW(Phdr)) ||
		header->e_phnum > PAGE / sizeof(ElfW(Phdr)) ||
		header->e_phoff > PAGE - sizeof(ElfW(Phdr)) * header->e_phnum)
		return NULL;
	*count = header->e_phnum;
	return (const void *)(map->l_addr + header->e_phoff);
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

static bool begin_copy(void)
{
	uint32_t self = (uint32_t)SYS0(getpid), other = 0;

	return __atomic_compare_exchange_n(&maker, &other, self, false,
		       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ||
	       (other != self &&
		       __atomic_compare_exchange_n(&maker, &other, self, false,
			       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}

static void make_copy(struct copy *copy)
{
	const struct link_map *map = objects_first();

	copy->unloads = __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);
	copy->count = 0;
	copy->last = map;
	for (bool is_first = true; map; map = objects_next(map), is_first = false) {
		copy->last = map;
		if (copy->count < OBJECTS_MAX &&
			describe(map, is_first, &copy->object[copy->count]))
			copy->count++;
	}
}

/* New ones come last. */
static bool is_longer(const struct copy *copy)
{
	return !copy->last || (is_there(copy->last, sizeof(*copy->last)) &&
				      copy->last->l_next);
}

static bool search(
	const struct copy *copy, uintptr_t address, struct object *object)
{
	for (unsigned i = 0; i < copy->count; i++) {
		*object = copy->object[i];
		if (address - object->start < object->end - object->start)
			return true;
	}
	return false;
}

enum answer { KNOWN, UNKNOWN, CHANGED };

static enum answer look(uintptr_t address, struct object *object)
{
	uint32_t was = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
	const struct copy *copy = copy_of(was);
	bool stale = copy->unloads !=
		     __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);
	bool found = !stale && search(copy, address, object);
	bool changed = !found && (stale || is_longer(copy));

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (changed || __atomic_load_n(&finished, __ATOMIC_RELAXED) != was)
		return CHANGED;
	return found ? KNOWN : UNKNOWN;
}

/* False: somebody else is at it. */
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

/*
 * libc unloads libraries of its own (character sets) without a call that we
 * see; so what is known is looked at once more.
 */
static bool find_in_list(uintptr_t address, struct object *object)
{
	unsigned readings = 0;

	for (unsigned turn = 0; turn < TURNS && readings <= 2; turn++) {
		enum answer answer = look(address, object);

		if (answer != CHANGED)
			return answer == KNOWN &&
			       is_there((const void *)object->start,
				       object->end - object->start);
		readings += read_list();
	}
	return false;
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
