#include "shim/environment.h"

#include <sys/mman.h>

#include "shim/bytes.h"
#include "shim/sys.h"

static int saved_argc;
static char **saved_argv;

int environment_argc(void)
{
	return saved_argc;
}

char **environment_argv(void)
{
	return saved_argv;
}

/* /proc/self/environ, where libc has no environment yet; never unmapped. */
#define EARLY_BYTES ((size_t)1 << 20)

static const char *early;
static size_t early_bytes;

static void read_early(void)
{
	long address = SYS6(mmap, 0, EARLY_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long fd = SYS4(openat, AT_FDCWD, "/proc/self/environ",
		O_RDONLY | O_CLOEXEC, 0);
	long n = 0;

	if (sys_failed(address))
		return;
	early = (const char *)address;
	/* The last byte stays zero, so that every string ends. */
	while (!sys_failed(fd) && early_bytes < EARLY_BYTES - 1 &&
		(n = SYS3(read, fd, address + (long)early_bytes,
			 EARLY_BYTES - 1 - early_bytes)) > 0)
		early_bytes += (size_t)n;
	if (!sys_failed(fd))
		SYS1(close, fd);
}

/* The value in "NAME=value", or null. */
static const char *value_in(const char *variable, const char *name)
{
	size_t length = bytes_length(name);

	return bytes_starts(variable, name) && variable[length] == '='
		       ? variable + length + 1
		       : NULL;
}

static const char *get_early(const char *name)
{
	const char *value = NULL;

	if (!early)
		read_early();
	for (size_t at = 0; at < early_bytes && !value;
		at += bytes_length(early + at) + 1)
		value = value_in(early + at, name);
	return value;
}

const char *environment_get(const char *name)
{
	const char *value = NULL;

	if (!environ)
		return get_early(name);
	for (char **e = environ; *e && !value; e++)
		value = value_in(*e, name);
	return value;
}

/* What has to wait until there is an environment. */
static struct {
	const char *name;
	char value[4096];
} put_off[3];

static void set_later(const char *name, const char *value)
{
	for (int i = 0; i < 3; i++) {
		struct bytes_text text = {
			put_off[i].value, sizeof(put_off[i].value), 0};

		if (put_off[i].name && put_off[i].name != name)
			continue;
		bytes_put(&text, value);
		put_off[i].name = name;
		return;
	}
}

void environment_set(const char *name, const char *value)
{
	size_t count = 0, room, length;
	char **copy;
	long address;

	if (!environ) {
		set_later(name, value);
		return;
	}
	while (environ[count])
		count++;
	length = bytes_length(name) + bytes_length(value) + 1;
	room = (count + 2) * sizeof(*copy) + length;
	address = SYS6(mmap, 0, room, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(address))
		return;
	copy = (char **)address;
	struct bytes_text text = {(char *)(copy + count + 2), length, 0};

	bytes_put(&text, name);
	bytes_put(&text, value);
	/* At the end: programs that overwrite their arguments to set a process
	 * title check that the old strings follow each other. */
	copy[count] = text.buffer;
	for (size_t i = 0; i < count; i++)
		copy[i] = environ[i];
	for (size_t i = 0; i < count; i++)
		if (bytes_starts(copy[i], name)) {
			copy[i] = text.buffer;
			copy[count] = NULL;
		}
	environ = copy;
}

void environment_arguments(int argc, char **argv)
{
	saved_argc = argc;
	saved_argv = argv;
	for (int i = 0; i < 3 && put_off[i].name; i++)
		environment_set(put_off[i].name, put_off[i].value);
}
