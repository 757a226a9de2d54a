#include "shim/host/charset.h"

#include <gconv.h>

#include "record/hash.h"
#include "shim/host/bytes.h"

/*
 * libio/libioP.h, as it is since glibc 2.31.  What is found there is only
 * trusted if its flags are those that fwide() puts into it.
 */
struct conversion {
	struct __gconv_step *step;
	struct __gconv_step_data data;
};

struct _IO_codecvt {
	struct conversion in;
	struct conversion out;
};

#define ASCII_FIRST 1
#define ASCII_END 128

static const struct conversion *conversion_of(const FILE *file)
{
	const struct _IO_codecvt *codecvt = file->_codecvt;

	if (file->_mode <= 0 || !codecvt || !codecvt->out.step ||
		codecvt->in.data.__flags != __GCONV_IS_LAST ||
		codecvt->out.data.__flags !=
			(__GCONV_IS_LAST | __GCONV_TRANSLIT) ||
		codecvt->out.data.__internal_use != 1 ||
		!codecvt->out.data.__statep)
		return NULL;
	return &codecvt->out;
}

/* libc hides the addresses of functions that it has found at run time. */
#if defined(__x86_64__)
static __gconv_fct function_of(const struct __gconv_step *step)
{
	uintptr_t address = (uintptr_t)step->__fct;

	if (step->__shlib_handle)
		__asm__("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(address));
	return (__gconv_fct)address;
}
#else
static __gconv_fct function_of(const struct __gconv_step *step)
{
	return step->__shlib_handle ? NULL : step->__fct;
}
#endif

static long convert(const struct conversion *conversion, mbstate_t *state,
	const wchar_t *text, size_t length, char *to, size_t room)
{
	__gconv_fct function = function_of(conversion->step);
	const unsigned char *at = (const unsigned char *)text;
	const unsigned char *end = (const unsigned char *)(text + length);
	struct __gconv_step_data data = {
		.__outbuf = (unsigned char *)to,
		.__outbufend = (unsigned char *)to + room,
		.__flags = __GCONV_IS_LAST | __GCONV_TRANSLIT,
		.__internal_use = 1,
		.__statep = state,
	};
	size_t substituted = 0;
	int status;

	if (!function)
		return CHARSET_FAILED;
	status = function(
		conversion->step, &data, &at, end, NULL, &substituted, 0, 0);
	if (status == __GCONV_FULL_OUTPUT)
		return CHARSET_NO_ROOM;
	if (at != end ||
		(status != __GCONV_OK && status != __GCONV_EMPTY_INPUT))
		return CHARSET_FAILED;
	return (char *)data.__outbuf - to;
}

static enum charset_kind examine(const struct conversion *conversion)
{
	wchar_t wide[ASCII_END - ASCII_FIRST];
	char bytes[sizeof(wide)];
	mbstate_t state = {0};
	long n;

	for (int c = ASCII_FIRST; c < ASCII_END; c++)
		wide[c - ASCII_FIRST] = c;
	n = convert(conversion, &state, wide, ASCII_END - ASCII_FIRST, bytes,
		sizeof(bytes));
	if (n == CHARSET_FAILED)
		return CHARSET_UNKNOWN;
	if (n != ASCII_END - ASCII_FIRST)
		return CHARSET_OTHER;
	for (int c = ASCII_FIRST; c < ASCII_END; c++)
		if (bytes[c - ASCII_FIRST] != (char)c)
			return CHARSET_OTHER;
	return CHARSET_ASCII;
}

enum charset_kind charset_of(const FILE *file)
{
	/* What was examined last: a hash, and the kind in its lowest bits. */
	static uint64_t last;
	const struct conversion *conversion = conversion_of(file);
	const char *name;
	uint64_t hash, known;

	if (!conversion)
		return CHARSET_UNKNOWN;
	name = conversion->step->__to_name;
	if (!conversion->step->__shlib_handle && name) {
		if (bytes_starts(name, "ISO-10646/UTF8/"))
			return CHARSET_UTF8;
		if (bytes_starts(name, "ANSI_X3.4-1968//"))
			return CHARSET_ASCII;
	}
	if (!name || conversion->step->__stateful)
		return CHARSET_OTHER;
	hash = binlog_hash_word((uintptr_t)conversion->step,
		binlog_hash(name, bytes_length(name)));
	known = __atomic_load_n(&last, __ATOMIC_RELAXED);
	if (!((known ^ hash) & ~(uint64_t)3))
		return (enum charset_kind)(known & 3);
	known = (hash & ~(uint64_t)3) | examine(conversion);
	__atomic_store_n(&last, known, __ATOMIC_RELAXED);
	return (enum charset_kind)(known & 3);
}

long charset_convert(const FILE *file, bool consumes, const wchar_t *text,
	size_t length, char *to, size_t room)
{
	const struct conversion *conversion = conversion_of(file);
	mbstate_t state;
	long n;

	if (!conversion)
		return CHARSET_FAILED;
	state = *conversion->data.__statep;
	n = convert(conversion, &state, text, length, to, room);
	if (n >= 0 && consumes)
		*conversion->data.__statep = state;
	return n;
}
