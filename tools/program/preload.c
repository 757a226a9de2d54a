#include "tools/program/preload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Why binlog-run does not run a program: an exit status and one sentence.
 * Filled in by every check in tools/run/; only main prints it.  Promises a
 * terminated sentence whatever the length of the names in it.
 */

bool refusal_set(struct refusal *refusal, enum refusal_status status,
	const char *format, ...)
{
	va_list arguments;

	refusal->status = status;
	va_start(arguments, format);
	vsnprintf(refusal->sentence, sizeof(refusal->sentence), format,
		arguments);
	va_end(arguments);
	return false;
}

/* Where ld.so splits LD_PRELOAD; nothing quotes them. */
static const char separators[] = " :";

bool preload_find_beside(const char *const *places, char path[static PATH_MAX])
{
	char candidate[2 * PATH_MAX];
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (length <= 0)
		return false;
	self[length] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (; *places; places++) {
		snprintf(candidate, sizeof(candidate), "%s/%s", self, *places);
		if (realpath(candidate, path))
			return true;
	}
	return false;
}

bool preload_find_library(char path[static PATH_MAX], struct elf_image *library,
	struct refusal *refusal)
{
	static const char *const places[] = {"libbinlog.so",
		"../lib/binlog/libbinlog.so", "../lib/libbinlog.so", NULL};

	if (!preload_find_beside(places, path))
		return refusal_set(refusal, REFUSAL_POINTLESS,
			"libbinlog.so: neither beside binlog-run nor in "
			"../lib/binlog nor in ../lib: build or install both "
			"together");
	if (path[strcspn(path, separators)] != '\0')
		return refusal_set(refusal, REFUSAL_POINTLESS,
			"%s: a space or a colon in its path: LD_PRELOAD is "
			"split there: move it elsewhere",
			path);
	if (!elf_image_open(library, path))
		return refusal_set(refusal, REFUSAL_POINTLESS,
			"%s: %s: it cannot be preloaded: make it readable",
			path, strerror(errno));
	if (library->is_elf && !library->why)
		return true;
	refusal_set(refusal, REFUSAL_POINTLESS,
		"%s: %s: it cannot be preloaded: build or install it again",
		path, library->is_elf ? library->why : "not an ELF file");
	elf_image_close(library);
	return false;
}

/* Whether an entry of the list is `name`, or has it as its last part. */
static bool holds(const char *list, const char *name)
{
	size_t wanted = strlen(name);
	size_t length;

	for (; *list != '\0'; list += length) {
		list += strspn(list, separators);
		length = strcspn(list, separators);
		if (length < wanted ||
			strncmp(list + length - wanted, name, wanted) != 0)
			continue;
		if (length == wanted || list[length - wanted - 1] == '/')
			return true;
	}
	return false;
}

char *preload_compose(
	const char *sanitizer, const char *library, const char *old)
{
	const char *ours = library;
	char *value;

	if (!old)
		old = "";
	if (holds(old, library))
		ours = "";
	/*
	 * A sanitizer is named again even if it is in `old`: it has to come
	 * first, and ld.so loads nothing twice.
	 */
	if (asprintf(&value, "%s%s%s%s%s", sanitizer,
		    sanitizer[0] != '\0' && (ours[0] || old[0]) ? ":" : "",
		    ours, ours[0] != '\0' && old[0] != '\0' ? ":" : "",
		    old) < 0)
		return NULL;
	return value;
}
