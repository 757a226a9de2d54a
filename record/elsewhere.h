/*
 * Where captures go if the directory that was asked for cannot be written to:
 * into one of these places, in this order, in a directory of their own for each
 * directory that was asked for, so that who looks for the one finds the other.
 * Tried by the library, looked for by the tools, both for the same user.
 *
 *   $XDG_STATE_HOME/binlog/NAME    if that is set, and absolute
 *   /tmp/binlog-USER/NAME          USER: the number of the effective user
 *
 * NAME is the end of the path that was asked for, with - for each slash, and a
 * hash of all of it.  The directory above it has to belong to that user, be
 * closed to all others, and be no link: else the place is not used, neither for
 * writing nor for reading.
 */
#ifndef RECORD_ELSEWHERE_H
#define RECORD_ELSEWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "record/hash.h"

#define ELSEWHERE_PLACES 2u
#define ELSEWHERE_MODE 0700
/* Of the path, in NAME. */
#define ELSEWHERE_END 80u

struct elsewhere {
	char *path;
	size_t size;
	size_t length;
	size_t owned; /* so much of it is the directory that has to be ours */
};

static inline void elsewhere_put(
	struct elsewhere *to, const char *text, size_t bytes)
{
	for (; bytes > 0 && to->length + 1 < to->size; bytes--)
		to->path[to->length++] = *text++;
	to->length += bytes; /* then it is too long */
}

static inline void elsewhere_put_number(
	struct elsewhere *to, uint64_t number, unsigned base)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number > 0);
	elsewhere_put(to, digits + at, sizeof(digits) - at);
}

static inline size_t elsewhere_bytes(const char *text)
{
	size_t bytes = 0;

	while (text[bytes])
		bytes++;
	return bytes;
}

/*
 * Place `place`, from 0 on, for the directory `asked`, into to->path, of
 * to->size bytes, and to->owned.  `state` is $XDG_STATE_HOME or null.  False:
 * there is no such place, or its path is too long.
 */
static inline bool elsewhere_find(struct elsewhere *to, unsigned place,
	const char *state, uint32_t user, const char *asked)
{
	size_t bytes = elsewhere_bytes(asked);
	size_t at;

	to->length = 0;
	if (place >= ELSEWHERE_PLACES ||
		(place == 0 && (!state || *state != '/')))
		return false;
	while (bytes > 1 && asked[bytes - 1] == '/')
		bytes--;
	if (place == 0) {
		elsewhere_put(to, state, elsewhere_bytes(state));
		elsewhere_put(to, "/binlog", 7);
	} else {
		elsewhere_put(to, "/tmp/binlog-", 12);
		elsewhere_put_number(to, user, 10);
	}
	to->owned = to->length;
	elsewhere_put(to, "/", 1);
	at = bytes > ELSEWHERE_END ? bytes - ELSEWHERE_END : 0;
	while (at < bytes && asked[at] == '/')
		at++;
	for (; at < bytes; at++)
		elsewhere_put(to, asked[at] == '/' ? "-" : asked + at, 1);
	elsewhere_put(to, "-", 1);
	elsewhere_put_number(to, binlog_hash(asked, bytes), 16);
	if (to->length >= to->size)
		return false;
	to->path[to->length] = '\0';
	return true;
}

/* What is there belongs to `user` alone; `st` is not of what a link leads to.
 */
static inline bool elsewhere_is_ours(const struct stat *st, uint32_t user)
{
	return S_ISDIR(st->st_mode) && st->st_uid == user &&
	       (st->st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

#endif
