#include "shim/start/directory.h"

#include "record/elsewhere.h"
#include "shim/control/settings.h"
#include "shim/file/capture_file.h"
#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/sys.h"

bool directory_asked(char *path, size_t size, bool *relative)
{
	const char *value = settings_get(CONFIG_dir);
	struct bytes_text text = {path, size, 0};
	bool known = true;
	long n;

	if (!value || !*value)
		value = SETTINGS_DIRECTORY;
	*relative = *value != '/';
	if (*relative) {
		n = SYS2(getcwd, path, size);
		known = !sys_failed(n) && *path == '/';
		text.length = known ? (size_t)n - 1 : 0;
		if (known)
			bytes_put(&text, "/");
	}
	bytes_put(&text, value);
	return known && text.length + 1 < size;
}

/* Not by what a link leads to: others may make one in /tmp. */
COLD bool directory_elsewhere(
	unsigned place, const char *asked, bool make, char *path, size_t size)
{
	uint32_t user = (uint32_t)SYS0(geteuid);
	const char *state = environment_get("XDG_STATE_HOME");
	struct elsewhere to = {.path = path, .size = size};
	struct stat st;
	bool ours;
	long result;

	if (!elsewhere_find(&to, place, state, user, asked))
		return false;
	path[to.owned] = '\0';
	if (make && place == 0)
		capture_file_make_directory(state);
	if (make)
		capture_file_make_directory(path);
	result = SYS4(newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW);
	ours = sys_failed(result) ? !make && result == -ENOENT
				  : elsewhere_is_ours(&st, user);
	path[to.owned] = '/';
	return ours;
}

COLD void directory_leave(char *path)
{
	size_t length = bytes_length(path);

	SYS3(unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
	while (path[length] != '/')
		length--;
	path[length] = '\0';
	SYS3(unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
