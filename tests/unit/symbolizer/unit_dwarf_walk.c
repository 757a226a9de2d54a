/*
 * The scan finds what libdwarf finds that goes from entry to entry: in each
 * file of the corpora, in this program, and in what has debug information on
 * this machine.  The files that are named as arguments are looked at as well.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "symbolizer/dwarf/dwarf_reader.h"
#include "tests/fuzz/elf_parts.h"

struct seen {
	uint64_t at;
	unsigned depth;
	uint16_t tag;
	bool has_code;
};

struct walk {
	struct seen *seen;
	size_t count, room;
};

/* As those do who look for functions. */
static enum dwarf_step take(
	void *closure, const struct dwarf_entry *entry, unsigned depth)
{
	struct walk *walk = closure;

	assert_true(array_reserve(walk->seen, walk->room, walk->count + 1));
	walk->seen[walk->count++] = (struct seen){
		(uint64_t)(entry->at -
			   entry->unit->reader->sections[DWARF_INFO].data),
		depth, entry->tag, entry->has_code};
	return entry->tag == DW_TAG_enumeration_type ||
			       entry->tag == DW_TAG_array_type
		       ? DWARF_SKIP_CHILDREN
		       : DWARF_GO_ON;
}

static void walk_unit(struct dwarf_unit *unit, bool scans, struct walk *walk)
{
	walk->count = 0;
	dwarf_reader_scans(scans);
	assert_true(dwarf_walk(unit, NULL, take, walk));
	dwarf_reader_scans(true);
}

static size_t compared, units;

/* Of damaged units libdwarf may stop elsewhere: what is not `sound` has to
 * agree as far as both go. */
static void compare_unit(struct dwarf_unit *unit, const char *name, bool sound)
{
	static struct walk scanned, walked;
	size_t i;

	if (!dwarf_unit_load(unit) || unit->abbreviations->unknown)
		return;
	walk_unit(unit, true, &scanned);
	walk_unit(unit, false, &walked);
	if (sound && scanned.count != walked.count)
		fail_msg("%s: unit at %#lx: %zu entries, but %zu", name,
			(unsigned long)unit->offset, scanned.count,
			walked.count);
	for (i = 0; i < scanned.count && i < walked.count; i++) {
		const struct seen *a = &scanned.seen[i], *b = &walked.seen[i];

		if (a->at != b->at || a->depth != b->depth ||
			a->tag != b->tag || a->has_code != b->has_code)
			fail_msg("%s: entry %#lx, but %#lx", name,
				(unsigned long)a->at, (unsigned long)b->at);
	}
	compared += i;
	units++;
}

static void compare_file(const char *path, const char *name, bool sound)
{
	static const enum dwarf_reader_kind kinds[] = {
		DWARF_READER_WHOLE, DWARF_READER_SPLIT};
	size_t kind, i;

	for (kind = 0; kind < 2; kind++) {
		struct dwarf_reader *reader;
		struct elffile file;
		const char *why;

		if (elffile_open_below(&file, NULL, path) != NULL)
			return;
		reader = dwarf_reader_open(&file, kinds[kind], &why);
		elffile_close(&file);
		for (i = 0; reader && i < reader->unit_count; i++)
			compare_unit(&reader->units[i], name, sound);
		dwarf_reader_close(reader);
	}
}

static size_t read_input(const char *path, uint8_t *bytes, size_t most)
{
	FILE *file = fopen(path, "rb");
	size_t count = file ? fread(bytes, 1, most, file) : 0;

	if (file)
		fclose(file);
	return count;
}

static void compare_corpus(const char *directory)
{
	static uint8_t input[1 << 20];
	static struct elf_parts parts;
	struct dirent *entry;
	DIR *folder = opendir(directory);
	char path[300], built[] = "/tmp/unit_dwarf_walk.XXXXXX";
	int fd = mkstemp(built);

	assert_non_null(folder);
	assert_true(fd >= 0);
	while ((entry = readdir(folder))) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		elf_parts_list(
			&parts, input, read_input(path, input, sizeof(input)));
		elf_parts_build(&parts);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, parts.file, parts.file_bytes, 0),
			(ssize_t)parts.file_bytes);
		compare_file(built, path, false);
	}
	close(fd);
	unlink(built);
	closedir(folder);
}

static void the_corpora_are_walked_alike(void **state)
{
	(void)state;
	compare_corpus("tests/fuzz/corpus/dwarf");
	compare_corpus("tests/fuzz/corpus/elf");
	compare_corpus("tests/fuzz/corpus/callsites");
	print_message("%zu entries in %zu units\n", compared, units);
	assert_true(units > 15);
}

static char **named;

static void files_are_walked_alike(void **state)
{
	glob_t installed = {0};
	size_t i;

	(void)state;
	compared = units = 0;
	compare_file("/proc/self/exe", "this program", true);
	assert_true(units > 3);
	for (; *named; named++)
		compare_file(*named, *named, true);
	if (glob("/usr/lib/debug/.build-id/*/*.debug", 0, NULL, &installed) ==
		0)
		for (i = 0; i < installed.gl_pathc; i++)
			compare_file(installed.gl_pathv[i],
				installed.gl_pathv[i], true);
	globfree(&installed);
	print_message("%zu entries in %zu units\n", compared, units);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_corpora_are_walked_alike),
		cmocka_unit_test(files_are_walked_alike),
	};

	named = argv + (argc > 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
