/*
 * Names for code that a process has made while it ran: virtual machines list
 * it for perf in /tmp/perf-PID.map.  Asked by places for addresses outside of
 * all files.  Promises to read only regular files of bounded size that belong
 * to the user or to root, since anybody may write to /tmp.
 */
#ifndef DECODER_JIT_MAP_H
#define DECODER_JIT_MAP_H

#include <stdint.h>

struct jit_map;

/*
 * Has no names when there is no list or it is not to be trusted.  Null: out of
 * memory.
 */
struct jit_map *jit_map_read(uint32_t pid);
/* Likewise of a text from malloc(), or null, which it owns from then on. */
struct jit_map *jit_map_of(char *text);

/*
 * The name of the code at `address`, and how far behind its start that is;
 * null: unknown.  Of several the last one in the file: memory is used again.
 */
const char *jit_map_find(
	const struct jit_map *map, uint64_t address, uint64_t *offset);

/* Null is fine. */
void jit_map_free(struct jit_map *map);

#endif
