#include "tools/ship/shipped.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/hash.h"

static char sentence[1024];

static const char *cannot(const char *path, const char *what)
{
	snprintf(sentence, sizeof(sentence),
		"%s: %s: %s: it remembers what was sent: make the directory "
		"writable, or give another one with --state=DIR",
		path, what, strerror(errno));
	return sentence;
}

/* Of logs with equal names in one directory each has its own. */
static char *path_of(const char *log, const char *directory)
{
	const char *name = strrchr(log, '/');
	char *path, *real;
	int bytes;

	if (!directory) {
		bytes = asprintf(&path, "%s" SHIPPED_SUFFIX, log);
		return bytes < 0 ? NULL : path;
	}
	real = realpath(log, NULL);
	bytes = asprintf(&path, "%s/%s-%016" PRIx64 SHIPPED_SUFFIX, directory,
		name ? name + 1 : log,
		binlog_hash(real ? real : log, strlen(real ? real : log)));
	free(real);
	return bytes < 0 ? NULL : path;
}

/* Which one of this machine it is. */
static const char *boot(void)
{
	static char id[64];
	FILE *file;

	if (*id)
		return id;
	file = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (!file || !fgets(id, sizeof(id), file))
		snprintf(id, sizeof(id), "unknown");
	if (file)
		fclose(file);
	id[strcspn(id, "\n")] = '\0';
	return id;
}

/* As requests are called: it becomes part of a question to the server. */
static bool is_name(const char *text)
{
	return strspn(text, "-0123456789abcdefghijklmnopqrstuvwxyz") ==
	       strlen(text);
}

static bool take_line(struct shipped *shipped, const char *line)
{
	char word[32], rest[SHIPPED_SERVER_MAX];

	if (sscanf(line, "%31s %511[^\n]", word, rest) < 2)
		return strcmp(line, "whole\n") == 0 && (shipped->whole = true);
	if (strcmp(word, "file") == 0)
		return sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64,
			       &shipped->device, &shipped->inode,
			       &shipped->changed) == 3;
	if (strcmp(word, "source") == 0)
		shipped->source = strtoull(rest, NULL, 16);
	else if (strcmp(word, "acknowledged") == 0)
		shipped->acknowledged = strtoull(rest, NULL, 10);
	else if (strcmp(word, "sending") == 0)
		shipped->sending = strtoull(rest, NULL, 10);
	else if (strcmp(word, "request") == 0 && is_name(rest))
		snprintf(shipped->request, sizeof(shipped->request), "%.63s",
			rest);
	else if (strcmp(word, "boot") == 0)
		shipped->rebooted = strcmp(rest, boot()) != 0;
	else if (strcmp(word, "bytes") == 0)
		shipped->bytes = strtoull(rest, NULL, 10);
	else if (strcmp(word, "server") == 0)
		memcpy(shipped->server, rest, sizeof(rest));
	else
		return false;
	return true;
}

#define HEAD "binlog-ship 1\n"

const char *shipped_read(
	struct shipped *shipped, const char *path, const char *directory)
{
	char line[SHIPPED_SERVER_MAX + 64];
	const char *problem;
	struct stat st;
	FILE *file;
	bool good;
	int fd;

	*shipped = (struct shipped){.path = path_of(path, directory)};
	if (!shipped->path)
		return "out of memory: give fewer logs";
	fd = open(
		shipped->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		return NULL;
	file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
		       ? fdopen(fd, "r")
		       : NULL;
	if (!file) {
		problem = cannot(shipped->path, "not read");
		if (fd >= 0)
			close(fd);
		return problem;
	}
	/* A machine that failed may have left an empty one: the server is asked
	 * then. */
	if (st.st_size == 0) {
		fclose(file);
		return NULL;
	}
	shipped->rebooted = true;
	good = fgets(line, sizeof(line), file) && strcmp(line, HEAD) == 0;
	while (good && fgets(line, sizeof(line), file))
		good = take_line(shipped, line);
	fclose(file);
	if (!good) {
		snprintf(sentence, sizeof(sentence),
			"%s: not what binlog-ship has written: damaged, or of "
			"a newer version: remove it, and the server is asked "
			"what it has",
			shipped->path);
		return sentence;
	}
	if (shipped->sending < shipped->acknowledged)
		shipped->sending = shipped->acknowledged;
	shipped->known = true;
	return NULL;
}

/* Who is killed leaves the old one or the new one. */
const char *shipped_write(const struct shipped *shipped)
{
	char *fresh;
	FILE *file;
	bool good;
	int fd;

	if (asprintf(&fresh, "%s~", shipped->path) < 0)
		return "out of memory: give fewer logs";
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		0600);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	good = file &&
	       fprintf(file,
		       HEAD "server %s\nsource %016" PRIx64
			    "\nacknowledged %" PRIu64 "\nsending %" PRIu64
			    "\nrequest %s\nboot %s\nbytes %" PRIu64
			    "\nfile %" PRIu64 " %" PRIu64 " %" PRIu64 "\n%s",
		       shipped->server, shipped->source, shipped->acknowledged,
		       shipped->sending,
		       *shipped->request ? shipped->request : "-", boot(),
		       shipped->bytes, shipped->device, shipped->inode,
		       shipped->changed, shipped->whole ? "whole\n" : "") > 0;
	if (file && fclose(file) != 0)
		good = false;
	good = good && rename(fresh, shipped->path) == 0;
	free(fresh);
	return good ? NULL : cannot(shipped->path, "not written");
}

void shipped_free(struct shipped *shipped)
{
	free(shipped->path);
	shipped->path = NULL;
}
