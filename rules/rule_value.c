#include "rules/rule_value.h"

#include "record/word.h"
#include "rules/levels.h"

static const struct {
	char name[4];
	uint64_t ns;
} units[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", 1000000000},
	{"min", 60000000000},
	{"h", 3600000000000},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int digit_of(char c)
{
	if (word_is_digit(c))
		return c - '0';
	c = word_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static bool read_number(
	const char *text, size_t bytes, unsigned base, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < bytes; i++) {
		unsigned digit = (unsigned)digit_of(text[i]);

		if (digit >= base || *number > (UINT64_MAX - digit) / base)
			return false;
		*number = *number * base + digit;
	}
	return bytes > 0;
}

bool rule_value_number(const char *text, size_t bytes, uint64_t *number)
{
	return read_number(text, bytes, 10, number);
}

bool rule_value_offset(const char *text, size_t bytes, uint64_t *offset)
{
	return bytes > 2 && text[0] == '0' && text[1] == 'x' &&
	       read_number(text + 2, bytes - 2, 16, offset);
}

bool rule_value_time(const char *text, size_t bytes, uint64_t *ns)
{
	size_t digits = 0;
	uint64_t number;

	while (digits < bytes && word_is_digit(text[digits]))
		digits++;
	if (!read_number(text, digits, 10, &number))
		return false;
	for (size_t i = 0; i < COUNT(units); i++)
		if (word_is(units[i].name, text + digits, bytes - digits)) {
			*ns = number * units[i].ns;
			return number <= INT64_MAX / units[i].ns;
		}
	return false;
}

size_t rule_value_find(const char *text, size_t bytes, char c)
{
	size_t i = 0;

	while (i < bytes && text[i] != c)
		i++;
	return i;
}

static bool read_line(
	const char *text, size_t bytes, uint32_t otherwise, uint32_t *line)
{
	uint64_t number = otherwise;

	if (bytes > 0 && (!rule_value_number(text, bytes, &number) ||
				 number > UINT32_MAX))
		return false;
	*line = (uint32_t)number;
	return true;
}

bool rule_value_lines(
	const char *text, size_t bytes, uint32_t *low, uint32_t *high)
{
	size_t dash = rule_value_find(text, bytes, '-');

	if (bytes == 0 || (bytes == 1 && dash == 0) ||
		!read_line(text, dash, 0, low))
		return false;
	if (dash == bytes) {
		*high = *low;
		return true;
	}
	text += dash + 1;
	bytes -= dash + 1;
	return read_line(text, bytes, UINT32_MAX, high) && *low <= *high;
}

static bool read_level(
	const char *text, size_t bytes, int otherwise, uint32_t *level)
{
	int number = otherwise;

	if (bytes > 0 && (!level_named(text, bytes, &number) || number < 0))
		return false;
	*level = (uint32_t)number;
	return true;
}

bool rule_value_levels(const char *text, size_t bytes, uint32_t *low,
	uint32_t *high, bool *is_range)
{
	size_t end = rule_value_find(text, bytes, '-');
	size_t next = end + 1;
	uint32_t swap;

	if (end == bytes) {
		end = rule_value_find(text, bytes, '.');
		next = end + 2;
	}
	*is_range = end < bytes;
	*low = 0;
	if (!*is_range)
		return bytes > 0 && read_level(text, bytes, 0, high);
	if (next > bytes || text[next - 1] != text[end] ||
		!read_level(text, end, 0, low) ||
		!read_level(text + next, bytes - next, LEVEL_LAST, high))
		return false;
	swap = *low;
	if (swap > *high) {
		*low = *high;
		*high = swap;
	}
	return true;
}
