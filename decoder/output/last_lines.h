/*
 * Lines that are not shown as they come: the last ones alone, or the newest
 * first.  Filled by an output, line by line, and given out at the end.  Holds
 * them in memory as long as they are few, then in a temporary file without a
 * name, which has twice as many as are asked for at most.
 */
#ifndef DECODER_LAST_LINES_H
#define DECODER_LAST_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct last_lines;
struct output;

#define LAST_LINES_ALL UINT32_MAX

/* The last `count` lines, or all; null: out of memory. */
struct last_lines *last_lines_new(uint32_t count, bool newest_first);

/* One line, with all that stands below it. */
void last_lines_add(struct last_lines *lines, const char *text, size_t bytes);

/* How many lines were added so far. */
uint64_t last_lines_added(const struct last_lines *lines);

/* All of them.  False: errno says what failed, now or earlier. */
bool last_lines_give_out(struct last_lines *lines, struct output *output);

/* Null is fine. */
void last_lines_free(struct last_lines *lines);

#endif
