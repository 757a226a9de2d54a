/*
 * Whether bytes are MessagePack that may be unpacked: structure, nesting and
 * how much memory it would take, before the library sees them.  Called for
 * each record and each index of a packed log.  Looks at each object once and
 * over the bytes of strings not at all; allocates nothing; any thread.
 */
#ifndef BASE_MSGPACK_CHECK_H
#define BASE_MSGPACK_CHECK_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes the first `count` objects have.  0: they do not end within
 * `size`, or are nested too deep, or are more than `most` in all.
 */
size_t msgpack_check(
	const uint8_t *bytes, size_t size, size_t count, size_t most);

#endif
