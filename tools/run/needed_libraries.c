#include "tools/run/needed_libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/program/elf_image.h"

static bool find_loader(const char *program, char *loader, size_t size)
{
	struct elf_image image;
	bool found;

	if (!elf_image_open(&image, program))
		return false;
	errno = 0;
	found = image.is_elf && elf_image_loader(&image, loader, size);
	elf_image_close(&image);
	return found;
}

/* `loader --list program`, whose output is read from *output. */
static bool start(
	char *loader, const char *program, pid_t *child, FILE **output)
{
	static char list[] = "--list";
	char path[PATH_MAX];
	char *arguments[] = {loader, list, path, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];
	int error;

	if ((size_t)snprintf(path, sizeof(path), "%s", program) >=
			sizeof(path) ||
		pipe2(ends, O_CLOEXEC) != 0)
		return false;
	error = posix_spawn_file_actions_init(&actions);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	if (error == 0)
		error = posix_spawn_file_actions_addopen(
			&actions, 2, "/dev/null", O_WRONLY, 0);
	if (error == 0)
		error = posix_spawn(
			child, loader, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*output = error == 0 ? fdopen(ends[0], "r") : NULL;
	if (!*output)
		close(ends[0]);
	errno = error;
	return error == 0;
}

/* `NAME => PATH (ADDRESS)`; what has no path is not a file, or the loader. */
static bool add_line(struct resolve_modules *modules, char *line)
{
	char *path = strstr(line, " => ");
	char *end = strrchr(line, '(');

	if (!path || !end || end < path + 4 || path[4] != '/')
		return true;
	path += 4;
	end[-1] = '\0';
	return resolve_modules_add_file(modules, path, path);
}

bool needed_libraries_add(struct resolve_modules *modules, const char *program)
{
	char loader[PATH_MAX];
	FILE *output;
	char *line = NULL;
	size_t room = 0;
	bool good = true;
	int status = 0;
	pid_t child;

	if (!find_loader(program, loader, sizeof(loader)) ||
		!start(loader, program, &child, &output))
		return false;
	while (output && good && getline(&line, &room, output) >= 0)
		good = add_line(modules, line);
	free(line);
	if (output)
		(void)fclose(output);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return good && output && status == 0;
}
