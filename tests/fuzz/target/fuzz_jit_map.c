/*
 * Any text as the list of code that a virtual machine makes: the name of an
 * address is that of the last line in the text whose range it is in, as a
 * plain search through the lines finds it.
 */
#include <stdbool.h>
#include <string.h>

#include "decoder/names/jit_map.h"
#include "tests/fuzz/fuzz.h"

/* Number of hexadecimal digits with a space behind, as strtoull() takes it. */
static bool take_number(char **line, uint64_t *number)
{
	char *end;

	*number = strtoull(*line, &end, 16);
	if (end == *line || *end != ' ')
		return false;
	*line = end + 1;
	return true;
}

/* Null: no line has it.  The lines of `text` get separated. */
static const char *find(char *text, uint64_t address)
{
	const char *found = NULL;
	uint64_t start;
	uint64_t bytes;
	char *line;

	while (text) {
		line = strsep(&text, "\n");
		if (take_number(&line, &start) && take_number(&line, &bytes) &&
			*line && bytes <= UINT64_MAX - start &&
			address - start < bytes && address >= start)
			found = line;
	}
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char *other = malloc(size + 1);
	const char *wanted;
	const char *name;
	struct jit_map *map;
	uint64_t address = 0;
	uint64_t offset;

	if (size >= sizeof(address)) {
		memcpy(&address, data, sizeof(address));
		address %= 0x10000;
	}
	FUZZ_CHECK(text && other);
	memcpy(text, data, size);
	text[size] = '\0';
	strcpy(other, text);
	map = jit_map_of(text);
	FUZZ_CHECK(map);
	name = jit_map_find(map, address, &offset);
	wanted = find(other, address);
	FUZZ_CHECK(!name == !wanted);
	FUZZ_CHECK(!name || strcmp(name, wanted) == 0);
	jit_map_free(map);
	free(other);
	return 0;
}
