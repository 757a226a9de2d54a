#include "tools/top/top_mouse.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"

/* ---- terminfo: see term(5) ---- */

#define MAGIC 0432
#define MAGIC_OF_32_BITS 01036
#define KEY_MOUSE 355u /* of the strings, as <term.h> counts them */
#define ABSENT 0x8000u /* offsets from there on */
#define ENTRY_MOST 32768u

static uint16_t read_u16(struct cursor *cursor)
{
	const uint8_t *bytes = cursor_bytes(cursor, 2);

	return bytes ? (uint16_t)(bytes[0] | bytes[1] << 8) : 0;
}

/* Whether there is a string kmous in a compiled entry. */
static bool has_mouse(const void *entry, size_t size)
{
	struct cursor cursor = cursor_over(entry, size);
	uint16_t magic = read_u16(&cursor);
	size_t names = read_u16(&cursor);
	size_t flags = read_u16(&cursor);
	size_t numbers = read_u16(&cursor);
	size_t strings = read_u16(&cursor);
	uint16_t offset;

	if (cursor.failed || (magic != MAGIC && magic != MAGIC_OF_32_BITS) ||
		strings <= KEY_MOUSE)
		return false;
	read_u16(&cursor); /* bytes of all strings */
	cursor_bytes(&cursor, names + flags + ((names + flags) & 1));
	cursor_bytes(&cursor, numbers * (magic == MAGIC ? 2 : 4));
	cursor_bytes(&cursor, KEY_MOUSE * 2u);
	offset = read_u16(&cursor);
	return !cursor.failed && offset < ABSENT;
}

/* -1: there is no such file; otherwise whether it has a mouse. */
static int look_below(const char *directory, const char *below, const char *term)
{
	static char entry[ENTRY_MOST];
	char path[4096];
	ssize_t size;
	int file;

	if (!directory || !*directory)
		return -1;
	if (snprintf(path, sizeof(path), "%s%s/%c/%s", directory, below, *term,
		    term) >= (int)sizeof(path))
		return -1;
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return -1;
	size = read(file, entry, sizeof(entry));
	close(file);
	return size > 0 && has_mouse(entry, (size_t)size);
}

bool top_mouse_is_known(const char *term)
{
	const struct {
		const char *directory;
		const char *below;
	} places[] = {
		{getenv("TERMINFO"), ""},
		{getenv("HOME"), "/.terminfo"},
		{"/etc/terminfo", ""},
		{"/lib/terminfo", ""},
		{"/usr/share/terminfo", ""},
	};
	size_t i;

	if (!*term || strchr(term, '/'))
		return false;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int found = look_below(
			places[i].directory, places[i].below, term);

		if (found >= 0)
			return found > 0;
	}
	return false;
}

/* ---- reports ---- */

#define LEFT 0u
#define RELEASED 3u /* X10: any of them */
#define WHEEL_UP 64u
#define WHEEL_DOWN 65u
#define MODIFIERS (4u | 8u | 16u) /* Shift, Meta, Control */
#define X10_BYTES 6u
#define SGR_MOST TOP_MOUSE_REPORT_MOST

static enum top_mouse_action action_of(unsigned button, bool released)
{
	button &= ~MODIFIERS;
	if (released)
		return TOP_MOUSE_OTHER;
	return button == LEFT	      ? TOP_MOUSE_CLICK
	       : button == WHEEL_UP   ? TOP_MOUSE_UP
	       : button == WHEEL_DOWN ? TOP_MOUSE_DOWN
				      : TOP_MOUSE_OTHER;
}

/* ESC [ M, and a byte each for button, column and line, 32 more than it is. */
static size_t read_x10(
	const char *text, size_t size, struct top_mouse *mouse, bool *cut)
{
	unsigned char part[3];
	size_t i;

	*cut = size < X10_BYTES;
	if (*cut)
		return 0;
	for (i = 0; i < sizeof(part); i++)
		part[i] = (unsigned char)((unsigned char)text[3 + i] - 32);
	mouse->action = action_of(part[0], (part[0] & 3u) == RELEASED);
	mouse->column = part[1];
	mouse->line = part[2];
	return X10_BYTES;
}

/* ESC [ < button ; column ; line, and M, or m where it is released. */
static size_t read_sgr(
	const char *text, size_t size, struct top_mouse *mouse, bool *cut)
{
	size_t number[3] = {0};
	size_t which = 0;
	size_t i;

	for (i = 3; i < size && i < SGR_MOST; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			number[which] = number[which] * 10 % 1000000 +
					(size_t)(text[i] - '0');
		} else if (text[i] == ';' && which < 2) {
			which++;
		} else if ((text[i] == 'M' || text[i] == 'm') && which == 2) {
			mouse->action = action_of(
				(unsigned)number[0], text[i] == 'm');
			mouse->column = number[1];
			mouse->line = number[2];
			return i + 1;
		} else {
			return 0;
		}
	}
	*cut = i == size && size < SGR_MOST;
	return 0;
}

size_t top_mouse_read(
	const char *text, size_t size, struct top_mouse *mouse, bool *cut)
{
	*cut = false;
	if (size < 3) {
		*cut = size == 2 && text[1] == '[';
		return 0;
	}
	if (text[1] != '[')
		return 0;
	if (text[2] == 'M')
		return read_x10(text, size, mouse, cut);
	if (text[2] == '<')
		return read_sgr(text, size, mouse, cut);
	return 0;
}
