#include "shim/host/module.h"

#include <elf.h>

#include "record/hash.h"
#include "shim/host/bytes.h"
#include "shim/host/objects.h"
#include "shim/host/sys.h"

/* The program headers as mapped: the first segment begins with the file. */
static const ElfW(Phdr) * headers(const struct object *object, int *count)
{
	const ElfW(Ehdr) *ehdr = (const void *)object->start;
	size_t size = object->end - object->start;

	*count = 0;
	if (size < 4096 || !bytes_starts((const char *)ehdr, ELFMAG) ||
		ehdr->e_phentsize != sizeof(ElfW(Phdr)) ||
		ehdr->e_phnum > 4096 / sizeof(ElfW(Phdr)) ||
		ehdr->e_phoff > 4096 - sizeof(ElfW(Phdr)) * ehdr->e_phnum)
		return NULL;
	*count = ehdr->e_phnum;
	return (const void *)((const char *)ehdr + ehdr->e_phoff);
}

/* In words of four bytes; the sum of two of them fits. */
static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static void read_notes(struct module *module, const char *notes, size_t size)
{
	while (size > sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = padded(note->n_namesz);
		size_t whole = sizeof(*note) + name + padded(note->n_descsz);

		if (whole > size)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			bytes_starts((const char *)(note + 1), "GNU")) {
			module->build_id = (const uint8_t *)(note + 1) + name;
			module->build_id_bytes = note->n_descsz;
			return;
		}
		notes += whole;
		size -= whole;
	}
}

static uint64_t hash_segment(
	const struct module *module, const ElfW(Phdr) * segment)
{
	return binlog_hash((const void *)(module->bias + segment->p_vaddr),
		segment->p_filesz);
}

/* See MODULE in record/layout.h: what no program changes while it runs. */
static uint64_t hash_content(const struct module *module,
	const ElfW(Phdr) * header, int count, const ElfW(Phdr) * code)
{
	uint64_t hash[1 + BINLOG_CONSTANT_SEGMENTS] = {
		hash_segment(module, code)};
	unsigned used = 1;

	for (int i = 0; i < count && used <= BINLOG_CONSTANT_SEGMENTS; i++) {
		uintptr_t at = module->bias + header[i].p_vaddr;

		if (header[i].p_type == PT_LOAD &&
			!(header[i].p_flags & (PF_W | PF_X)) &&
			at >= module->start && at <= module->end &&
			header[i].p_filesz <= module->end - at)
			hash[used++] = hash_segment(module, &header[i]);
	}
	return used == 1 ? *hash : binlog_hash(hash, used * sizeof(*hash));
}

bool module_find(uintptr_t address, struct module *module)
{
	struct object object;
	const ElfW(Phdr) * header, *code = NULL;
	int count;

	if (!objects_find(address, &object))
		return false;
	*module = (struct module){
		.start = object.start,
		.end = object.end,
		.bias = object.bias,
		.path = object.path,
	};
	header = headers(&object, &count);
	for (int i = 0; i < count; i++) {
		uintptr_t at = module->bias + header[i].p_vaddr;

		if (at < module->start || at > module->end ||
			header[i].p_filesz > module->end - at)
			continue;
		if (header[i].p_type == PT_NOTE && !module->build_id)
			read_notes(
				module, (const char *)at, header[i].p_filesz);
		if (header[i].p_type == PT_LOAD && header[i].p_flags & PF_X &&
			!code)
			code = &header[i];
	}
	if (!module->build_id && code)
		module->content_hash =
			hash_content(module, header, count, code);
	return true;
}

/*
 * Parts of modules that were constant.  Some programs patch code, most of them
 * the same few pages; with more than fit nothing is constant any more.
 */
#define CHANGED_MAX 32u
static struct range {
	uintptr_t start;
	uintptr_t end;
} changed[CHANGED_MAX];
static uint32_t changed_count; /* those that have begun to be filled in */

static unsigned changed_known(void)
{
	uint32_t count = __atomic_load_n(&changed_count, __ATOMIC_ACQUIRE);

	return count < CHANGED_MAX ? count : CHANGED_MAX;
}

/* False: another thread is about to fill it in. */
static bool read_range(unsigned number, struct range *range)
{
	range->end = __atomic_load_n(&changed[number].end, __ATOMIC_ACQUIRE);
	range->start =
		__atomic_load_n(&changed[number].start, __ATOMIC_RELAXED);
	return range->end != 0;
}

static bool is_changed(uintptr_t start, uintptr_t end)
{
	unsigned count = changed_known();
	struct range range;

	for (unsigned i = 0; i < count; i++)
		if (read_range(i, &range) && start < range.end &&
			end > range.start)
			return true;
	return count == CHANGED_MAX;
}

/* All of it, by one change. */
static bool is_changed_as_whole(uintptr_t start, uintptr_t end)
{
	unsigned count = changed_known();
	struct range range;

	for (unsigned i = 0; i < count; i++)
		if (read_range(i, &range) && start >= range.start &&
			end <= range.end)
			return true;
	return count == CHANGED_MAX;
}

static bool has_constants(
	const struct object *object, uintptr_t start, uintptr_t end)
{
	const ElfW(Phdr) * header;
	int count;

	header = headers(object, &count);
	for (int i = 0; i < count; i++) {
		uintptr_t at = object->bias + header[i].p_vaddr;

		if (header[i].p_type == PT_LOAD &&
			!(header[i].p_flags & PF_W) && at < end &&
			at + header[i].p_filesz > start)
			return true;
	}
	return false;
}

/* Modules are looked for in so many places. */
#define PLACES 64u

static bool are_of_modules(uintptr_t start, uintptr_t end)
{
	uintptr_t step = (end - start) / PLACES & -(uintptr_t)SYS_PAGE;
	struct object object;

	if (step == 0)
		step = SYS_PAGE;
	for (uintptr_t at = start; at < end; at += step) {
		if (objects_find(at, &object) &&
			has_constants(&object, start, end))
			return true;
		if (end - at <= step)
			break;
	}
	return end > start && objects_find(end - 1, &object) &&
	       has_constants(&object, start, end);
}

bool module_changes(const void *address, size_t size)
{
	uintptr_t start = (uintptr_t)address & -(uintptr_t)SYS_PAGE, end;
	uint32_t number;

	if (__builtin_add_overflow((uintptr_t)address, size, &end))
		end = UINTPTR_MAX;
	if (is_changed_as_whole(start, end) || !are_of_modules(start, end))
		return false;
	number = __atomic_fetch_add(&changed_count, 1, __ATOMIC_ACQ_REL);
	if (number < CHANGED_MAX) {
		__atomic_store_n(
			&changed[number].start, start, __ATOMIC_RELAXED);
		__atomic_store_n(&changed[number].end, end, __ATOMIC_RELEASE);
	}
	return true;
}

bool module_is_constant(const void *address, size_t size)
{
	struct object object;
	const ElfW(Phdr) * header;
	int count;

	if (is_changed((uintptr_t)address, (uintptr_t)address + size) ||
		!objects_find((uintptr_t)address, &object))
		return false;
	header = headers(&object, &count);
	for (int i = 0; i < count; i++) {
		uintptr_t offset =
			(uintptr_t)address - object.bias - header[i].p_vaddr;

		if (header[i].p_type == PT_LOAD &&
			!(header[i].p_flags & PF_W) &&
			offset < header[i].p_filesz &&
			size <= header[i].p_filesz - offset)
			return true;
	}
	return false;
}
