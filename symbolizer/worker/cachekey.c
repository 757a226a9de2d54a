#include "symbolizer/worker/cachekey.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_ID_BYTES_MAX 64

struct build_id {
	const uint8_t *bytes; /* null: none */
	size_t count;
};

/* In the notes of a program that is loaded, which are sound. */
static struct build_id find_in_notes(const uint8_t *notes, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = ((size_t)note->n_namesz + 3) & ~(size_t)3;
		size_t contents = ((size_t)note->n_descsz + 3) & ~(size_t)3;
		size_t all = sizeof(*note) + name + contents;

		if (note->n_type == NT_GNU_BUILD_ID)
			return (struct build_id){
				notes + sizeof(*note) + name, note->n_descsz};
		if (bytes < all)
			break;
		notes += all;
		bytes -= all;
	}
	return (struct build_id){0};
}

static int take_build_id(struct dl_phdr_info *info, size_t size, void *closure)
{
	struct build_id *id = closure;
	size_t i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum && !id->bytes; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			*id = find_in_notes(
				(const uint8_t *)(info->dlpi_addr +
						  info->dlpi_phdr[i].p_vaddr),
				info->dlpi_phdr[i].p_memsz);
	return 1; /* the program comes first, and nothing else counts */
}

/* With it the answers change that the program gives. */
static struct build_id own_build_id(void)
{
	struct build_id id = {0};

	dl_iterate_phdr(take_build_id, &id);
	return id;
}

static void put_digits(FILE *to, const uint8_t *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		fprintf(to, "%02x", bytes[i]);
}

static void put_list(FILE *to, const char *name, const char *const *list)
{
	if (!list)
		return;
	fprintf(to, "%s:", name);
	/* with its NUL: a newline may be in a path */
	for (; *list; list++)
		fprintf(to, " %zu %s", strlen(*list), *list);
	fputc('\n', to);
}

static void put_key(FILE *to, const struct symbolizer_options *options,
	const struct symbolizer_module *module)
{
	const struct build_id own = own_build_id();
	const char *const sysroot[] = {options->sysroot, NULL};
	const char *const path[] = {module->path, NULL};
	const char *const servers[] = {
		options->debuginfod ? getenv("DEBUGINFOD_URLS") : NULL, NULL};
	size_t i;

	fputs("program: ", to);
	put_digits(to, own.bytes, own.count);
	fputs("\nfile: ", to);
	put_digits(to, module->build_id, module->build_id_bytes);
	fputc('\n', to);
	put_list(to, "path", path);
	put_list(to, "sysroot", sysroot);
	put_list(to, "debug directories", options->debug_directories);
	put_list(to, "path maps", options->path_maps);
	put_list(to, "servers", servers);
	fprintf(to, "recorded: %llu %llx\n",
		(unsigned long long)module->file_bytes,
		(unsigned long long)module->content_hash);
	fprintf(to, "flags: %d %d %d\nlimits:", options->force,
		options->debuginfod, options->mangled);
	for (i = 0; i < READLIMIT_ROWS; i++)
		fprintf(to, " %llu", (unsigned long long)readlimits_values[i]);
	fputc('\n', to);
}

/* FNV-1a */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static void make_name(struct cachekey *key, const uint8_t *id, size_t bytes)
{
	char digits[2 * BUILD_ID_BYTES_MAX + 1] = "path";
	size_t i;

	for (i = 0; i < bytes; i++)
		snprintf(digits + 2 * i, sizeof(digits) - 2 * i, "%02x", id[i]);
	snprintf(key->name, sizeof(key->name), "%s-%016llx", digits,
		(unsigned long long)hash_of(key->text));
}

bool cachekey_make(struct cachekey *key,
	const struct symbolizer_options *options,
	const struct symbolizer_module *module)
{
	size_t bytes;
	FILE *to;

	key->text = NULL;
	if (!options->cache || options->in_process || !own_build_id().bytes ||
		module->build_id_bytes > BUILD_ID_BYTES_MAX)
		return false;
	to = open_memstream(&key->text, &bytes);
	if (!to)
		return false;
	put_key(to, options, module);
	if (fclose(to) != 0 || !key->text) {
		cachekey_free(key);
		return false;
	}
	make_name(key, module->build_id, module->build_id_bytes);
	return true;
}

void cachekey_free(struct cachekey *key)
{
	free(key->text);
	key->text = NULL;
}

bool cachekey_is_name(const char *name, size_t bytes)
{
	static const char hex[] = "0123456789abcdef";
	size_t last = sizeof("-0123456789abcdef") - 1;
	size_t first = bytes > last ? bytes - last : 0;

	return first > 0 && name[first] == '-' &&
	       strspn(name + first + 1, hex) >= last - 1 &&
	       (strspn(name, hex) == first ||
		       (first == 4 && memcmp(name, "path", 4) == 0));
}
