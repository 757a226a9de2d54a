#include "wrappers/made.h"

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

void made_start(struct made *made)
{
	made->text = made->small;
	made->text[0] = '\0';
	made->length = 0;
	made->room = sizeof(made->small);
	made->failed = false;
	made->format = NULL;
}

void made_end(struct made *made)
{
	if (made->text != made->small)
		SYS2(munmap, made->text, made->room);
	made_start(made);
}

/* Room for `more` bytes and the terminator. */
static bool make_room(struct made *made, size_t more)
{
	size_t room;
	long address;

	if (more < made->room - made->length)
		return true;
	if (more > SIZE_MAX / 4 - made->room) {
		made->failed = true;
		return false;
	}
	room = (2 * made->room + more + 4095) & ~(size_t)4095;
	address = SYS6(mmap, 0, room, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(address)) {
		made->failed = true;
		return false;
	}
	bytes_copy((char *)address, made->text, made->length + 1);
	if (made->text != made->small)
		SYS2(munmap, made->text, made->room);
	made->text = (char *)address;
	made->room = room;
	return true;
}

void made_put(struct made *made, const char *s)
{
	size_t length = bytes_length(s);

	if (!make_room(made, length))
		return;
	bytes_copy(made->text + made->length, s, length + 1);
	made->length += length;
}

void made_number(struct made *made, uint64_t number)
{
	char digits[24];
	struct bytes_text text = {digits, sizeof(digits), 0};

	bytes_put_number(&text, number, 10);
	made_put(made, digits);
}

void made_format(struct made *made, const char *format, va_list arguments)
{
	int error = errno;
	int length = pass_on_vsnprintf(made->text + made->length,
		made->room - made->length, 0, format, arguments);

	made->format = format;
	if (length >= 0 && (size_t)length >= made->room - made->length) {
		if (!make_room(made, (size_t)length))
			length = -1;
		errno = error;
		if (length >= 0)
			length = pass_on_vsnprintf(made->text + made->length,
				made->room - made->length, 0, format,
				arguments);
	}
	/* Where a string has grown meanwhile there is no room for it. */
	if (length < 0 || (size_t)length >= made->room - made->length) {
		made->text[made->length] = '\0';
		made->failed = true;
		return;
	}
	made->length += (size_t)length;
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

void made_say(
	const struct call *call, FILE *file, const char *text, size_t length)
{
	if (length == 0)
		return;
	if (file->_mode > 0)
		say_wide(call, file, text, length);
	else
		put_block(call, text, 1, length, file, next_fwrite);
}
