#include "tools/program/resolve_modules.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "tools/program/elf_image.h"

/*
 * The build ID of an ELF file, by which a process knows a module whatever its
 * path.
 */

/* Of one segment of notes. */
#define NOTES_MAX 64

static void put_digits(const uint8_t *id, size_t bytes, char *digits)
{
	for (size_t i = 0; i < bytes; i++)
		snprintf(digits + 2 * i, 3, "%02x", id[i]);
}

static bool is_ours(
	struct elf_image *image, const Elf64_Nhdr *note, uint64_t name)
{
	char text[4];

	return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
	       note->n_descsz > 0 &&
	       note->n_descsz <= RESOLVE_BUILD_ID_BYTES_MAX &&
	       elf_image_read(image, name, text, sizeof(text)) &&
	       memcmp(text, "GNU", 4) == 0;
}

static uint64_t aligned(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

static bool find_note(
	struct elf_image *image, const Elf64_Phdr *segment, char *digits)
{
	uint64_t to = segment->p_align == 8 ? 8 : 4;
	uint64_t at = segment->p_offset;
	uint64_t left = segment->p_filesz;
	uint8_t id[RESOLVE_BUILD_ID_BYTES_MAX];
	Elf64_Nhdr note;

	for (int i = 0; i < NOTES_MAX && left > sizeof(note); i++) {
		uint64_t bytes;

		if (!elf_image_read(image, at, &note, sizeof(note)))
			return false;
		if (is_ours(image, &note, at + sizeof(note))) {
			if (!elf_image_read(image, at + sizeof(note) + 4, id,
				    note.n_descsz))
				return false;
			put_digits(id, note.n_descsz, digits);
			return true;
		}
		bytes = aligned(sizeof(note) + note.n_namesz, to) +
			aligned(note.n_descsz, to);
		if (bytes >= left)
			return false;
		at += bytes;
		left -= bytes;
	}
	return false;
}

bool resolve_build_id(const char *path,
	char digits[static 2 * RESOLVE_BUILD_ID_BYTES_MAX + 1])
{
	struct elf_image image;
	Elf64_Phdr segment;
	bool found = false;

	if (!elf_image_open(&image, path))
		return false;
	for (uint64_t i = 0; i < image.segments && !found &&
			     elf_image_read(&image,
				     image.segment_table + i * sizeof(segment),
				     &segment, sizeof(segment));
		i++)
		found = segment.p_type == PT_NOTE &&
			find_note(&image, &segment, digits);
	elf_image_close(&image);
	return found;
}

static bool has(const struct resolve_modules *modules, const char *name)
{
	for (size_t i = 0; i < modules->count; i++)
		if (strcmp(modules->modules[i].name, name) == 0)
			return true;
	return false;
}

bool resolve_modules_add_file(
	struct resolve_modules *modules, const char *path, const char *name)
{
	struct resolve_module *grown;
	struct resolve_module module;

	if (has(modules, name))
		return true;
	errno = ENOMEM;
	if (limits_reached(LIMIT_RULE_MODULES, modules->count))
		return false;
	grown = reallocarray(
		modules->modules, modules->count + 1, sizeof(*grown));
	if (!grown)
		return false;
	modules->modules = grown;
	module = (struct resolve_module){strdup(path), strdup(name)};
	grown[modules->count++] = module;
	return module.path && module.name;
}

/* Where it is for us: the process may have another root. */
static bool add(
	struct resolve_modules *modules, pid_t process, const char *name)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)process, name);
	return resolve_modules_add_file(modules, path, name);
}

/* `start-end perms offset device inode path`: its path, if code is in it. */
static char *path_of(char *line)
{
	char permissions[5] = "";
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%*s %4s %*s %*s %*s %n", permissions, &at) != 1 ||
		permissions[2] != 'x' || line[at] != '/')
		return NULL;
	return line + at;
}

bool resolve_modules_add(struct resolve_modules *modules, pid_t process)
{
	char name[64];
	char *line = NULL;
	size_t room = 0;
	bool added = true;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)process);
	maps = fopen(name, "re");
	if (!maps)
		return false;
	while (added && getline(&line, &room, maps) >= 0) {
		const char *path = path_of(line);

		added = !path || add(modules, process, path);
	}
	added = added && !ferror(maps);
	free(line);
	(void)fclose(maps);
	return added;
}

void resolve_modules_free(struct resolve_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		free(modules->modules[i].path);
		free(modules->modules[i].name);
	}
	free(modules->modules);
	*modules = (struct resolve_modules){0};
}
