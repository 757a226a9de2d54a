#include "wrappers/formatted.h"

#include <sys/mman.h>
#include <wchar.h>

#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* Wide characters that are printed together, on the host's stack. */
#define PIECE 200

void formatted_start(struct formatted *formatted)
{
	formatted->text = formatted->small;
	formatted->text[0] = '\0';
	formatted->length = 0;
	formatted->room = sizeof(formatted->small);
	formatted->failed = false;
	formatted->format = NULL;
}

void formatted_end(struct formatted *formatted)
{
	if (formatted->text != formatted->small)
		SYS2(munmap, formatted->text, formatted->room);
	formatted_start(formatted);
}

/* Room for `more` bytes and the terminator. */
static bool make_room(struct formatted *formatted, size_t more)
{
	size_t room;
	long address;

	if (more < formatted->room - formatted->length)
		return true;
	if (more > SIZE_MAX / 4 - formatted->room) {
		formatted->failed = true;
		return false;
	}
	room = (2 * formatted->room + more + 4095) & ~(size_t)4095;
	address = SYS6(mmap, 0, room, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(address)) {
		formatted->failed = true;
		return false;
	}
	bytes_copy((char *)address, formatted->text, formatted->length + 1);
	if (formatted->text != formatted->small)
		SYS2(munmap, formatted->text, formatted->room);
	formatted->text = (char *)address;
	formatted->room = room;
	return true;
}

void formatted_put(struct formatted *formatted, const char *s)
{
	size_t length = bytes_length(s);

	if (!make_room(formatted, length))
		return;
	bytes_copy(formatted->text + formatted->length, s, length + 1);
	formatted->length += length;
}

void formatted_number(struct formatted *formatted, uint64_t number)
{
	char digits[24];
	struct bytes_text text = {digits, sizeof(digits), 0};

	bytes_put_number(&text, number, 10);
	formatted_put(formatted, digits);
}

void formatted_print(
	struct formatted *formatted, const char *format, va_list arguments)
{
	int error = errno;
	int length = pass_on_vsnprintf(formatted->text + formatted->length,
		formatted->room - formatted->length, 0, format, arguments);

	formatted->format = format;
	if (length >= 0 &&
		(size_t)length >= formatted->room - formatted->length) {
		if (!make_room(formatted, (size_t)length))
			length = -1;
		errno = error;
		if (length >= 0)
			length = pass_on_vsnprintf(
				formatted->text + formatted->length,
				formatted->room - formatted->length, 0, format,
				arguments);
	}
	/* Where a string has grown meanwhile there is no room for it. */
	if (length < 0 ||
		(size_t)length >= formatted->room - formatted->length) {
		formatted->text[formatted->length] = '\0';
		formatted->failed = true;
		return;
	}
	formatted->length += (size_t)length;
}

/* As much of a text as there is room for; returns the bytes used. */
static size_t widen(
	wchar_t piece[PIECE + 1], const char *text, size_t length, mbstate_t *s)
{
	size_t used = 0, n = 0;

	while (used < length && n < PIECE) {
		size_t bytes =
			host_mbrtowc(&piece[n], text + used, length - used, s);

		/* Where the native call gives up, too. */
		if (bytes == (size_t)-1 || bytes == (size_t)-2) {
			used = length;
			break;
		}
		used += bytes ? bytes : 1;
		n++;
	}
	piece[n] = L'\0';
	return used;
}

static COLD void say_wide(
	const struct call *call, FILE *file, const char *text, size_t length)
{
	wchar_t piece[PIECE + 1];
	mbstate_t state = {0};

	while (length > 0) {
		size_t used = widen(piece, text, length, &state);

		wide_string(call, piece, file, next_fputws);
		text += used;
		length -= used;
	}
}

void formatted_say(
	const struct call *call, FILE *file, const char *text, size_t length)
{
	if (length == 0)
		return;
	if (file->_mode > 0)
		say_wide(call, file, text, length);
	else
		put_block(call, text, 1, length, file, next_fwrite);
}
