#include "tools/ctl/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/output/output.h"
#include "decoder/show/recover.h"
#include "decoder/source/capture_list.h"
#include "record/packed.h"
#include "tools/ctl/capture_copy.h"

/* As that of captures and of their directories. */
#define MODE 0600
#define MODE_DIRECTORY 0700
/* Behind the name of what is not finished. */
#define FRESH_SUFFIX ".new"

static bool ends_in(const char *name, const char *suffix)
{
	size_t length = strlen(name);
	size_t wanted = strlen(suffix);

	return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

static void tell(const struct snapshot *snapshot, const struct target *target,
	const char *path, uint64_t bytes, const char *why)
{
	snapshot->tell(snapshot->closure, target, path, bytes, why);
}

static bool fail(const struct snapshot *snapshot, const char *path, int reason)
{
	tell(snapshot, NULL, path, 0,
		reason == EEXIST ? "it is there already: choose another name"
				 : strerror(reason));
	return false;
}

/* ---- one capture ---- */

/* The file gets its name if there is none of that name. */
static bool give_name(const char *fresh, const char *path)
{
	bool named = link(fresh, path) == 0;
	int reason = errno;

	unlink(fresh);
	errno = reason;
	return named;
}

static bool copy_capture(const struct snapshot *snapshot,
	const struct target *target, const char *path)
{
	char fresh[PATH_MAX];
	uint64_t bytes = 0;
	bool copied;
	int fd;

	if (snprintf(fresh, sizeof(fresh), "%s" FRESH_SUFFIX, path) >=
		(int)sizeof(fresh))
		return fail(snapshot, path, ENAMETOOLONG);
	fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		MODE);
	if (fd < 0)
		return fail(snapshot, fresh, errno);
	copied = capture_copy(target->fd, fd, &bytes);
	if (close(fd) != 0)
		copied = false;
	if (!copied)
		unlink(fresh);
	if (!copied || !give_name(fresh, path))
		return fail(snapshot, path, errno);
	tell(snapshot, target, path, bytes, NULL);
	return true;
}

/* ---- all of them ---- */

/* The name that it has, or, if it has none any more, one like that. */
static void name_copy(
	const struct target *target, const char *directory, char path[PATH_MAX])
{
	const char *slash = strrchr(target->path, '/');
	const struct binlog_header *header = &target->header;

	if (ends_in(target->path, BINLOG_SUFFIX))
		snprintf(path, PATH_MAX, "%.3800s/%.256s", directory,
			slash ? slash + 1 : target->path);
	else
		snprintf(path, PATH_MAX,
			"%.3800s/deleted-%" PRIu32 "-%" PRIu64 "-%" PRIx64 "%s",
			directory, header->pid,
			header->start.realtime / 1000000000, header->nonce,
			BINLOG_SUFFIX);
}

static bool copy_all(const struct snapshot *snapshot, const char *directory)
{
	const struct targets *targets = snapshot->targets;
	char path[PATH_MAX];
	bool any = false;
	size_t i;

	for (i = 0; i < targets->count; i++) {
		name_copy(&targets->all[i], directory, path);
		any |= copy_capture(snapshot, &targets->all[i], path);
	}
	return any;
}

static bool into_directory(const struct snapshot *snapshot)
{
	struct stat st;

	if (mkdir(snapshot->out, MODE_DIRECTORY) != 0 &&
		(errno != EEXIST || stat(snapshot->out, &st) != 0 ||
			!S_ISDIR(st.st_mode)))
		return fail(snapshot, snapshot->out, errno);
	return copy_all(snapshot, snapshot->out);
}

static bool into_file(const struct snapshot *snapshot)
{
	const struct targets *targets = snapshot->targets;

	if (targets->count == 1)
		return copy_capture(snapshot, &targets->all[0], snapshot->out);
	tell(snapshot, NULL, snapshot->out, 0,
		"there are several captures: give a directory, or a name in "
		".blog");
	return false;
}

/* ---- one packed log ---- */

static void remove_copies(
	const struct snapshot *snapshot, const char *directory)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < snapshot->targets->count; i++) {
		name_copy(&snapshot->targets->all[i], directory, path);
		unlink(path);
	}
	rmdir(directory);
}

static bool pack(const struct snapshot *snapshot, const char *directory,
	struct output *output)
{
	struct error_list errors = {0};
	struct capture_list list = {0};
	struct recover_sum sum = {0};

	capture_list_add(&list, directory, &errors);
	if (list.count > 0)
		recover_captures(&list, output, &errors, &sum);
	output_flush(output);
	capture_list_free(&list);
	if (output->failed != 0)
		return fail(snapshot, snapshot->out, output->failed);
	tell(snapshot, NULL, snapshot->out,
		(uint64_t)lseek(output->fd, 0, SEEK_CUR), NULL);
	return true;
}

static bool pack_copies(const struct snapshot *snapshot, const char *directory)
{
	struct output output = {.where = snapshot->out};
	bool packed;

	output.fd = open(snapshot->out,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	if (output.fd < 0)
		return fail(snapshot, snapshot->out, errno);
	packed = pack(snapshot, directory, &output);
	render_buffer_free(&output.text);
	close(output.fd);
	if (!packed)
		unlink(snapshot->out);
	return packed;
}

/* Not told of each copy, which is gone again. */
static void tell_failure(void *closure, const struct target *target,
	const char *path, uint64_t bytes, const char *why)
{
	if (why)
		tell(closure, target, path, bytes, why);
}

static bool into_log(const struct snapshot *snapshot)
{
	struct snapshot copies = *snapshot;
	char directory[PATH_MAX];
	bool packed;

	copies.tell = tell_failure;
	copies.closure = (void *)(uintptr_t)snapshot;
	if (snprintf(directory, sizeof(directory), "%s" FRESH_SUFFIX,
		    snapshot->out) >= (int)sizeof(directory))
		return fail(snapshot, snapshot->out, ENAMETOOLONG);
	if (mkdir(directory, MODE_DIRECTORY) != 0)
		return fail(snapshot, directory, errno);
	packed = copy_all(&copies, directory) &&
		 pack_copies(snapshot, directory);
	remove_copies(snapshot, directory);
	return packed;
}

bool snapshot_take(const struct snapshot *snapshot)
{
	if (snapshot->targets->count == 0) {
		tell(snapshot, NULL, snapshot->out, 0,
			"there is no capture to be copied");
		return false;
	}
	if (ends_in(snapshot->out, PACKED_SUFFIX))
		return into_log(snapshot);
	if (ends_in(snapshot->out, BINLOG_SUFFIX))
		return into_file(snapshot);
	return into_directory(snapshot);
}
