#include "tools/symbolize/address_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Shorter words of hexadecimal digits may well be names of files. */
#define BUILD_ID_BYTES_MIN 8

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* True when `text` is a build-id and no file. */
static bool read_build_id(struct address_line *asked, const char *text)
{
	size_t digits = strlen(text);
	struct stat status;
	size_t i;

	if (digits % 2 || digits < (size_t)2 * BUILD_ID_BYTES_MIN ||
		digits > (size_t)2 * ADDRESS_LINE_BUILD_ID_BYTES_MAX)
		return false;
	for (i = 0; i < digits; i += 2) {
		if (digit(text[i]) < 0 || digit(text[i + 1]) < 0)
			return false;
		asked->build_id[i / 2] =
			(uint8_t)(digit(text[i]) << 4 | digit(text[i + 1]));
	}
	if (stat(text, &status) == 0)
		return false;
	asked->module.build_id = asked->build_id;
	asked->module.build_id_bytes = digits / 2;
	return true;
}

bool address_line_read(struct address_line *asked, char *line)
{
	char *plus = NULL;
	char *end;

	/* the last one: a file's name may have one too */
	for (end = line; (end = strstr(end, "+0x")) != NULL; end++)
		plus = end;
	if (!plus || plus == line || digit(plus[3]) < 0)
		return false;
	errno = 0;
	asked->address = strtoull(plus + 3, &end, 16);
	if (*end != '\0' || errno != 0)
		return false;
	*plus = '\0';
	if (!read_build_id(asked, line))
		asked->module.path = line;
	return true;
}
