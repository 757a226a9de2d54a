#include "tools/program/resolve_build_id.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "tools/program/elf_image.h"

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
