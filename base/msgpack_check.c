#include "base/msgpack_check.h"

#include "base/cursor.h"
#include "base/limits.h"

struct walk {
	struct cursor bytes;
	uint64_t left[LIMITS_NESTING + 1]; /* objects to come, by depth */
	size_t depth;
	size_t objects;
};

static uint64_t big_endian(struct cursor *cursor, size_t size)
{
	const uint8_t *bytes = cursor_bytes(cursor, size);
	uint64_t value = 0;

	for (size_t i = 0; bytes && i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void pass_over(struct walk *walk, uint64_t size)
{
	if (size > cursor_left(&walk->bytes))
		walk->bytes.failed = true;
	else
		cursor_bytes(&walk->bytes, (size_t)size);
}

/* Each of them has at least one byte. */
static void enter(struct walk *walk, uint64_t count)
{
	if (walk->depth == LIMITS_NESTING || count > cursor_left(&walk->bytes))
		walk->bytes.failed = true;
	else
		walk->left[++walk->depth] = count;
}

/* 0xc0 to 0xdf: of fixed size, or with a length of its own. */
static void take_sized(struct walk *walk, uint8_t head)
{
	static const uint8_t fixed[32] = {
		[0x0a] = 4, /* float 32 */
		[0x0b] = 8, /* float 64 */
		[0x0c] = 1, /* uint 8 to 64 */
		[0x0d] = 2,
		[0x0e] = 4,
		[0x0f] = 8,
		[0x10] = 1, /* int 8 to 64 */
		[0x11] = 2,
		[0x12] = 4,
		[0x13] = 8,
		[0x14] = 2, /* fixext, with their type */
		[0x15] = 3,
		[0x16] = 5,
		[0x17] = 9,
		[0x18] = 17,
	};
	struct cursor *bytes = &walk->bytes;

	switch (head) {
	case 0xc1: /* never used */
		bytes->failed = true;
		break;
	case 0xc4: /* bin */
	case 0xc5:
	case 0xc6:
		pass_over(walk, big_endian(bytes, (size_t)1 << (head - 0xc4)));
		break;
	case 0xc7: /* ext, with its type */
	case 0xc8:
	case 0xc9:
		pass_over(walk,
			big_endian(bytes, (size_t)1 << (head - 0xc7)) + 1);
		break;
	case 0xd9: /* str */
	case 0xda:
	case 0xdb:
		pass_over(walk, big_endian(bytes, (size_t)1 << (head - 0xd9)));
		break;
	case 0xdc: /* array */
	case 0xdd:
		enter(walk, big_endian(bytes, (size_t)2 << (head - 0xdc)));
		break;
	case 0xde: /* map */
	case 0xdf:
		enter(walk, 2 * big_endian(bytes, (size_t)2 << (head - 0xde)));
		break;
	default:
		pass_over(walk, fixed[head & 0x1f]);
	}
}

static void take_object(struct walk *walk)
{
	const uint8_t *at = cursor_bytes(&walk->bytes, 1);

	walk->objects++;
	if (!at || *at <= 0x7f || *at >= 0xe0)
		return;
	if (*at <= 0x8f)
		enter(walk, 2 * (uint64_t)(*at & 0x0f));
	else if (*at <= 0x9f)
		enter(walk, *at & 0x0f);
	else if (*at <= 0xbf)
		pass_over(walk, *at & 0x1f);
	else
		take_sized(walk, *at);
}

size_t msgpack_check(
	const uint8_t *bytes, size_t size, size_t count, size_t most)
{
	struct walk walk = {.bytes = cursor_over(bytes, size)};

	walk.left[0] = count;
	for (;;) {
		while (walk.depth > 0 && walk.left[walk.depth] == 0)
			walk.depth--;
		if (walk.left[walk.depth] == 0)
			return (size_t)(walk.bytes.at - bytes);
		walk.left[walk.depth]--;
		take_object(&walk);
		if (walk.bytes.failed || walk.objects > most)
			return 0;
	}
}
