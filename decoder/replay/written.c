#include "decoder/replay/written.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/limits.h"
#include "decoder/output/spool.h"
#include "record/layout.h"

struct written_file {
	uint64_t device;
	uint64_t inode;
	uint64_t base; /* offset of its first byte that is known */
	bool seekable; /* otherwise all goes to its end */
	uint64_t put;  /* bytes, all writes together */
	struct spool spool;
	struct written_target *targets;
	struct written_file *next;
	struct written_file *same_hash;
};

struct written_target {
	struct written_file *file;
	uint32_t description;
	bool appends;
	uint64_t position; /* from base */
	struct written_target *next;
};

struct written {
	struct written_file *first;
	struct written_file **end;
	size_t count;
	struct id_map files; /* by hash */
};

struct written *written_new(void)
{
	struct written *written = calloc(1, sizeof(*written));

	if (written)
		written->end = &written->first;
	return written;
}

static uint32_t hash_of(const struct definition_stream *stream)
{
	uint64_t hash = seeded_hash_word(seeded_hash_start, stream->inode);

	return (uint32_t)seeded_hash_word(hash, stream->device);
}

static struct written_file *find_file(struct written *written,
	const struct definition_stream *stream, bool *full)
{
	struct written_file *others =
		id_map_find(&written->files, hash_of(stream));
	struct written_file *file = others;

	while (file && (file->device != stream->device ||
			       file->inode != stream->inode))
		file = file->same_hash;
	if (file)
		return file;
	*full = limits_reached(LIMIT_WRITTEN_FILES, written->count);
	file = *full ? NULL : calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->device = stream->device;
	file->inode = stream->inode;
	file->seekable = S_ISREG(stream->mode);
	file->base = stream->description ? 0 : stream->position;
	file->same_hash = others;
	spool_init(&file->spool);
	if (!id_map_set(&written->files, hash_of(stream), file)) {
		free(file);
		return NULL;
	}
	*written->end = file;
	written->end = &file->next;
	written->count++;
	return file;
}

static uint64_t first_position(
	const struct written_file *file, const struct definition_stream *stream)
{
	return stream->position > file->base ? stream->position - file->base
					     : 0;
}

static struct written_target *add_target(
	struct written_file *file, const struct definition_stream *stream)
{
	struct written_target *target = calloc(1, sizeof(*target));

	if (!target)
		return NULL;
	target->file = file;
	target->description = stream->description;
	target->position = first_position(file, stream);
	target->next = file->targets;
	file->targets = target;
	return target;
}

struct written_target *written_find(struct written *written,
	const struct definition_stream *stream, bool *full)
{
	struct written_file *file = find_file(written, stream, full);
	struct written_target *target = file ? file->targets : NULL;

	while (target && target->description != stream->description)
		target = target->next;
	if (!file)
		return NULL;
	if (!target)
		target = add_target(file, stream);
	/* Another open file may have the number of one that is gone. */
	if (target)
		target->appends = stream->flags & BINLOG_STREAM_APPEND;
	return target;
}

void written_put(struct written_target *target, const char *bytes, size_t size)
{
	struct spool *spool = &target->file->spool;

	if (target->appends || !target->file->seekable)
		target->position = spool->size;
	spool_put(spool, target->position, bytes, size);
	target->file->put += size;
	target->position += size;
}

static uint64_t from_base(const struct written_file *file, int64_t offset)
{
	return offset > 0 && (uint64_t)offset > file->base
		       ? (uint64_t)offset - file->base
		       : 0;
}

static bool is_near(const struct written_file *file, uint64_t position)
{
	return position <= file->put ||
	       position - file->put <= limits_of(LIMIT_HOLES);
}

bool written_put_at(struct written_target *target, int64_t offset,
	const char *bytes, size_t size)
{
	struct spool *spool = &target->file->spool;
	uint64_t at =
		target->appends ? spool->size : from_base(target->file, offset);

	if (!is_near(target->file, at))
		return false;
	spool_put(spool, at, bytes, size);
	target->file->put += size;
	return true;
}

bool written_seek(struct written_target *target, int64_t offset)
{
	uint64_t at = from_base(target->file, offset);

	if (!is_near(target->file, at))
		return false;
	target->position = at;
	return true;
}

bool written_truncate(struct written_target *target, int64_t size)
{
	uint64_t end = from_base(target->file, size);

	if (!is_near(target->file, end))
		return false;
	spool_resize(&target->file->spool, end);
	return true;
}

bool written_give_out(struct written *written, struct output *output)
{
	struct written_file *file;
	int failed = 0;

	for (file = written->first; file; file = file->next)
		if (!spool_give_out(&file->spool, output))
			failed = errno;
	errno = failed;
	return failed == 0;
}

static void free_targets(struct written_target *target)
{
	while (target) {
		struct written_target *next = target->next;

		free(target);
		target = next;
	}
}

void written_free(struct written *written)
{
	while (written && written->first) {
		struct written_file *next = written->first->next;

		free_targets(written->first->targets);
		spool_free(&written->first->spool);
		free(written->first);
		written->first = next;
	}
	if (written)
		id_map_free(&written->files);
	free(written);
}
