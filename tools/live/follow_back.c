#include "tools/live/follow_back.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/limits.h"
#include "decoder/packed/frame_scan.h"
#include "decoder/packed/packed_record.h"

#define NUMBERS 5u /* of each writer, see packed_fields.def */

/* Of each frame: `end` is where it ends in the file.  False: go no further. */
typedef bool visit(
	void *closure, const struct packed_record *record, uint64_t end);

static ssize_t read_file(
	void *closure, uint64_t offset, void *buffer, size_t size)
{
	const int *fd = closure;
	ssize_t n;

	do {
		n = pread(*fd, buffer, size, (off_t)offset);
	} while (n < 0 && errno == EINTR);
	return n;
}

static bool scan_frames(struct frame_scan *scan, visit *each, void *closure)
{
	struct packed_record record = {0};
	struct frame frame;
	bool goes_on = true;

	while (goes_on && (frame = frame_scan_next(scan)).kind != FRAME_NONE) {
		if (frame.system != 0) {
			errno = frame.system;
			packed_record_free(&record);
			return false;
		}
		if (frame.kind == FRAME_WHOLE &&
			packed_record_read(
				&record, frame.record, frame.record_bytes))
			goes_on = each(
				closure, &record, frame.offset + frame.bytes);
	}
	packed_record_free(&record);
	return true;
}

static bool visit_file(const char *path, visit *each, void *closure)
{
	int fd = open(path,
		O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	struct frame_scan *scan =
		fd < 0 ? NULL : frame_scan_new(read_file, &fd, 0);
	bool done = scan && scan_frames(scan, each, closure);
	int error = errno;

	frame_scan_free(scan);
	if (fd >= 0)
		close(fd);
	errno = error;
	return done;
}

struct look {
	struct follow_found *found;
	/* Of the log that the frame is in. */
	uint64_t log;
	uint64_t messages;
};

static bool is_end_of_step(const struct packed_record *record)
{
	return record->tag == PACKED_POSITION &&
	       packed_record_number(record, PACKED_POSITION_MORE) == 0;
}

static bool look_at(
	void *closure, const struct packed_record *record, uint64_t end)
{
	struct look *look = closure;
	struct follow_found *found = look->found;
	uint64_t log = packed_record_number(record, PACKED_ALL_LOG);

	if (found->is_empty)
		found->is_ours = record->tag == PACKED_POSITION;
	found->is_empty = false;
	if (log != look->log)
		look->messages = 0;
	look->log = log;
	if (record->tag == PACKED_BATCH)
		look->messages =
			packed_record_number(record, PACKED_BATCH_NUMBER) +
			packed_record_number(record, PACKED_BATCH_COUNT);
	else if (record->tag == PACKED_DATA)
		look->messages =
			packed_record_number(record, PACKED_DATA_NUMBER) + 1;
	if (record->tag == PACKED_END && found->whole > 0 && log == found->log)
		found->ended = true;
	if (!is_end_of_step(record))
		return true;
	found->whole = end;
	found->log = log;
	found->part = packed_record_number(record, PACKED_ALL_PART);
	found->messages = look->messages;
	found->ended = false;
	return true;
}

bool follow_back_look(const char *path, struct follow_found *found)
{
	struct look look = {.found = found};

	*found = (struct follow_found){.is_empty = true};
	return visit_file(path, look_at, &look);
}

struct recall {
	struct live_pasts *pasts;
	uint64_t whole;
	bool failed;
};

static void recall_positions(
	struct recall *recall, const struct packed_record *record)
{
	const msgpack_object_array *list =
		packed_record_list(record, PACKED_POSITION_WRITERS);
	uint32_t i;

	for (i = 0; list && list->size - i >= NUMBERS; i += NUMBERS) {
		const msgpack_object *numbers = list->ptr + i;
		const struct live_position position = {
			.writer = packed_object_id(numbers + 1),
			.sequence = packed_object_id(numbers + 2),
			.offset = packed_object_id(numbers + 3),
			.wall = packed_object_number(numbers + 4),
		};

		if (!live_past_add_position(recall->pasts,
			    packed_object_number(numbers), &position))
			recall->failed = true;
	}
}

static void recall_records(
	struct recall *recall, const struct packed_record *record)
{
	uint64_t size = packed_record_number(record, PACKED_CONTROL_BYTES);
	struct packed_bytes packed =
		packed_record_bytes(record, PACKED_CONTROL_RECORDS);
	void *bytes;

	if (!packed.data || size == 0 || limits_exceeded(LIMIT_CONTROL, size))
		return;
	bytes = malloc(size);
	if (!bytes)
		recall->failed = true;
	else if (ZSTD_decompress(bytes, size, packed.data, packed.size) ==
			 size &&
		 !live_past_add_records(recall->pasts,
			 packed_record_number(record, PACKED_CONTROL_NONCE),
			 bytes, size))
		recall->failed = true;
	free(bytes);
}

static bool recall_from(
	void *closure, const struct packed_record *record, uint64_t end)
{
	struct recall *recall = closure;

	if (end > recall->whole)
		return false;
	if (record->tag == PACKED_POSITION)
		recall_positions(recall, record);
	else if (record->tag == PACKED_CONTROL)
		recall_records(recall, record);
	return !recall->failed;
}

bool follow_back_recall(
	const char *path, uint64_t whole, struct live_pasts *pasts)
{
	struct recall recall = {.pasts = pasts, .whole = whole};

	if (!visit_file(path, recall_from, &recall))
		return false;
	if (recall.failed)
		errno = ENOMEM;
	return !recall.failed;
}
