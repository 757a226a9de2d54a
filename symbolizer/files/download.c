#include "symbolizer/files/download.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* As debuginfod.h has them. */
typedef void *debuginfod_begin(void);
typedef int debuginfod_find_debuginfo(void *client,
	const unsigned char *build_id, int build_id_bytes, char **path);
typedef void debuginfod_end(void *client);

static bool allowed;

bool download_digits(char *digits, const uint8_t *build_id, size_t bytes)
{
	size_t i;

	if (bytes > DOWNLOAD_BUILD_ID_MAX)
		return false;
	for (i = 0; i < bytes; i++)
		snprintf(digits + 2 * i, 3, "%02x", build_id[i]);
	digits[2 * bytes] = '\0';
	return true;
}

bool download_name(char *name, const uint8_t *build_id, size_t bytes)
{
	size_t prefix = sizeof(DOWNLOAD_PREFIX) - 1;

	memcpy(name, DOWNLOAD_PREFIX, prefix);
	return bytes > 0 && download_digits(name + prefix, build_id, bytes);
}

void download_allow(void)
{
	allowed = true;
}

bool download_wants(const char *name)
{
	return allowed &&
	       strncmp(name, DOWNLOAD_PREFIX, sizeof(DOWNLOAD_PREFIX) - 1) == 0;
}

/* What may be in a request: nothing but a build-id. */
static const char *digits_of(const char *name)
{
	const char *digits = name + sizeof(DOWNLOAD_PREFIX) - 1;
	size_t count = strspn(digits, "0123456789abcdef");

	return count > 0 && count <= DOWNLOAD_DIGITS_MAX && !digits[count]
		       ? digits
		       : NULL;
}

static enum openfile_result result_of(int answer)
{
	if (answer >= 0)
		return OPENFILE_FINE;
	return answer == -ENOENT ? OPENFILE_MISSING : OPENFILE_NO_ANSWER;
}

enum openfile_result download_open(int *descriptor, const char *name)
{
	/* it stays: what it has opened is used again */
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	const char *digits = digits_of(name);
	debuginfod_begin *begin;
	debuginfod_find_debuginfo *find;
	debuginfod_end *end;
	void *client;

	if (!digits)
		return OPENFILE_MISSING;
	if (!library)
		return OPENFILE_NO_DEBUGINFOD;
	*(void **)&begin = dlsym(library, "debuginfod_begin");
	*(void **)&find = dlsym(library, "debuginfod_find_debuginfo");
	*(void **)&end = dlsym(library, "debuginfod_end");
	client = begin && find && end ? begin() : NULL;
	if (!client)
		return OPENFILE_NO_DEBUGINFOD;
	/* no length: the build-id is in hexadecimal */
	*descriptor = find(client, (const unsigned char *)digits, 0, NULL);
	end(client);
	return result_of(*descriptor);
}
