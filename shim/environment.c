#include "shim/environment.h"

#include <sys/mman.h>

#include "shim/bytes.h"
#include "shim/sys.h"

static int saved_argc;
static char **saved_argv;

void environment_arguments(int argc, char **argv)
{
	saved_argc = argc;
	saved_argv = argv;
}

int environment_argc(void)
{
	return saved_argc;
}

char **environment_argv(void)
{
	return saved_argv;
}

bool environment_exists(void)
{
	return environ != NULL;
}

const char *environment_get(const char *name)
{
	size_t length = bytes_length(name);

	for (char **e = environ; e && *e; e++)
		if (bytes_starts(*e, name) && (*e)[length] == '=')
			return *e + length + 1;
	return NULL;
}

void environment_set(const char *name, const char *value)
{
	size_t count = 0, room, length;
	char **copy;
	long address;

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
