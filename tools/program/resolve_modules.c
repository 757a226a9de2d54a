#include "tools/program/resolve_modules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

static bool has(const struct resolve_modules *modules, const char *name)
{
	for (size_t i = 0; i < modules->count; i++)
		if (strcmp(modules->modules[i].name, name) == 0)
			return true;
	return false;
}

bool resolve_modules_add_file(
	struct resolve_modules *modules, const char *path, const char *name)
{
	struct resolve_module *grown;
	struct resolve_module module;

	if (has(modules, name))
		return true;
	errno = ENOMEM;
	if (limits_reached(LIMIT_RULE_MODULES, modules->count))
		return false;
	grown = reallocarray(
		modules->modules, modules->count + 1, sizeof(*grown));
	if (!grown)
		return false;
	modules->modules = grown;
	module = (struct resolve_module){strdup(path), strdup(name)};
	grown[modules->count++] = module;
	return module.path && module.name;
}

/* Where it is for us: the process may have another root. */
static bool add(
	struct resolve_modules *modules, pid_t process, const char *name)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)process, name);
	return resolve_modules_add_file(modules, path, name);
}

/* `start-end perms offset device inode path`: its path, if code is in it. */
static char *path_of(char *line)
{
	char permissions[5] = "";
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%*s %4s %*s %*s %*s %n", permissions, &at) != 1 ||
		permissions[2] != 'x' || line[at] != '/')
		return NULL;
	return line + at;
}

bool resolve_modules_add(struct resolve_modules *modules, pid_t process)
{
	char name[64];
	char *line = NULL;
	size_t room = 0;
	bool added = true;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)process);
	maps = fopen(name, "re");
	if (!maps)
		return false;
	while (added && getline(&line, &room, maps) >= 0) {
		const char *path = path_of(line);

		added = !path || add(modules, process, path);
	}
	added = added && !ferror(maps);
	free(line);
	(void)fclose(maps);
	return added;
}

void resolve_modules_free(struct resolve_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		free(modules->modules[i].path);
		free(modules->modules[i].name);
	}
	free(modules->modules);
	*modules = (struct resolve_modules){0};
}
