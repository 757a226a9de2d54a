#include "tools/run/script_line.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool script_line_read(
	const char *path, char interpreter[static SCRIPT_LINE_BYTES])
{
	char line[SCRIPT_LINE_BYTES + 1] = {0};
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t got;
	char *name;
	size_t length;

	if (file < 0)
		return false;
	got = pread(file, line, SCRIPT_LINE_BYTES, 0);
	close(file);
	if (got < 2 || line[0] != '#' || line[1] != '!')
		return false;
	name = line + 2 + strspn(line + 2, " \t");
	length = strcspn(name, " \t\n");
	if (name + length == line + SCRIPT_LINE_BYTES)
		length = 0;
	memcpy(interpreter, name, length);
	interpreter[length] = '\0';
	return true;
}
