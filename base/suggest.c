#include "base/suggest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* Three rows of the table of distances between beginnings of both. */
struct rows {
	size_t two_before[SUGGEST_LENGTH_MAX + 1];
	size_t before[SUGGEST_LENGTH_MAX + 1];
	size_t now[SUGGEST_LENGTH_MAX + 1];
};

static int letter(const char *text, size_t at)
{
	return tolower((unsigned char)text[at]);
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t less = a < b ? a : b;

	return less < c ? less : c;
}

/* The beginnings of `i` and of `j` letters. */
static size_t distance_at(const struct rows *rows, const char *one, size_t i,
	const char *other, size_t j)
{
	size_t same = letter(one, i - 1) == letter(other, j - 1);
	size_t distance = least(rows->before[j] + 1, rows->now[j - 1] + 1,
		rows->before[j - 1] + !same);

	if (i > 1 && j > 1 && letter(one, i - 1) == letter(other, j - 2) &&
		letter(one, i - 2) == letter(other, j - 1) &&
		rows->two_before[j - 2] + 1 < distance)
		distance = rows->two_before[j - 2] + 1;
	return distance;
}

size_t suggest_distance(const char *one, const char *other)
{
	size_t rows_wanted = strlen(one);
	size_t width = strlen(other);
	struct rows rows = {{0}, {0}, {0}};
	size_t i, j;

	if (rows_wanted > SUGGEST_LENGTH_MAX || width > SUGGEST_LENGTH_MAX)
		return SIZE_MAX;
	for (j = 0; j <= width; j++)
		rows.now[j] = j;
	for (i = 1; i <= rows_wanted; i++) {
		memcpy(rows.two_before, rows.before, sizeof(rows.before));
		memcpy(rows.before, rows.now, sizeof(rows.now));
		rows.now[0] = i;
		for (j = 1; j <= width; j++)
			rows.now[j] = distance_at(&rows, one, i, other, j);
	}
	return rows.now[width];
}

/* How far one that was meant may be. */
static size_t tolerated(const char *text)
{
	size_t length = strlen(text);

	return length < 3 ? 1 : length / 3;
}

static const char *only_with_beginning(
	const char *text, const char *const *names, size_t count)
{
	const char *found = NULL;
	size_t length = strlen(text);
	size_t i;

	for (i = 0; i < count; i++) {
		if (strncmp(names[i], text, length) != 0)
			continue;
		if (found)
			return NULL;
		found = names[i];
	}
	return length > 0 ? found : NULL;
}

/* Of lengths: no distance is less. */
static size_t difference(size_t one, size_t other)
{
	return one > other ? one - other : other - one;
}

const char *suggest_nearest(
	const char *text, const char *const *names, size_t count)
{
	const char *nearest = only_with_beginning(text, names, count);
	size_t least_far = tolerated(text) + 1;
	size_t i;

	if (nearest)
		return nearest;
	for (i = 0; i < count; i++) {
		size_t distance = difference(strlen(text), strlen(names[i]));

		if (distance < least_far)
			distance = suggest_distance(text, names[i]);
		if (distance < least_far) {
			least_far = distance;
			nearest = names[i];
		}
	}
	return nearest;
}
