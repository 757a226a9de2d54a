#include "rules/levels.h"

#include <stdint.h>

#include "record/word.h"

static const struct {
	char name[12];
	int8_t level;
} names[] = {
#define LEVEL(name, number, what) {#name, number},
#define LEVEL_ALIAS(name, number) {#name, number},
#include "rules/levels.def"
#undef LEVEL
#undef LEVEL_ALIAS
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool read_number(const char *text, size_t bytes, int *level)
{
	int number = 0;
	size_t i;

	for (i = 0; i < bytes && i < 2; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		number = number * 10 + (text[i] - '0');
	}
	*level = number;
	return i > 0 && i == bytes && number <= LEVEL_LAST;
}

bool level_named(const char *text, size_t bytes, int *level)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (word_is_any_case(names[i].name, text, bytes)) {
			*level = names[i].level;
			return true;
		}
	return read_number(text, bytes, level);
}

const char *level_name(int level)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].level == level && level >= 0)
			return names[i].name;
	return NULL;
}
