#include "decoder/heph/heph_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "decoder/capture/unpacked_file.h"

/* A larger packet is damage. */
#define WINDOW_BYTES ((size_t)256 << 10)

struct head {
	uint32_t magic;
	uint32_t size;
};

_Static_assert(sizeof(struct head) == HEPH_HEAD_BYTES, "");

static void report(struct heph_file *file, enum error_code code,
	uint64_t offset, uint64_t number)
{
	if (file->errors)
		error_add(file->errors,
			&(struct error){
				.code = code,
				.file = file->path,
				.offset = offset,
				.number = number,
				.system =
					code == ERROR_OPEN || code == ERROR_READ
						? errno
						: 0,
			});
}

static bool open_regular(struct heph_file *file)
{
	struct stat status;

	file->fd = -1;
	file->unpacked = unpacked_file_find(file->path);
	if (file->unpacked) {
		file->size = file->unpacked->size;
		return true;
	}
	file->fd =
		open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (file->fd >= 0 && fstat(file->fd, &status) == 0 &&
		S_ISREG(status.st_mode)) {
		file->size = (uint64_t)status.st_size;
		return true;
	}
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	return false;
}

bool heph_file_open(
	struct heph_file *file, const char *path, struct error_list *errors)
{
	*file = (struct heph_file){.path = path, .errors = errors};
	if (open_regular(file))
		return true;
	report(file, ERROR_OPEN, 0, 0);
	return false;
}

void heph_file_open_pipe(struct heph_file *file, const char *path)
{
	*file = (struct heph_file){
		.path = path,
		.fd = STDIN_FILENO,
		.size = UINT64_MAX,
		.piped = true,
		.held = true,
	};
}

void heph_file_let_go(struct heph_file *file, struct error_list *errors)
{
	file->at = 0;
	file->held = false;
	file->errors = errors;
	errno = file->failed;
	if (file->failed != 0)
		report(file, ERROR_READ, file->size, 0);
}

void heph_file_close(struct heph_file *file)
{
	if (file->fd >= 0 && !file->piped)
		close(file->fd);
	file->fd = -1;
	render_buffer_free(&file->window);
}

/* Appends what the file has there to the window, at least up to `end`. */
static void fill(struct heph_file *file, uint64_t end)
{
	struct render_buffer *window = &file->window;

	while (file->window_at + window->length < end) {
		uint64_t from = file->window_at + window->length;
		size_t room = file->piped ? WINDOW_BYTES : (size_t)(end - from);
		ssize_t n;

		if (!render_buffer_reserve(window, room)) {
			errno = ENOMEM;
			break;
		}
		if (file->unpacked)
			n = unpacked_file_read(file->unpacked,
				window->data + window->length, room, from);
		else if (file->piped)
			n = unpacked_file_stdin(
				window->data + window->length, room);
		else
			n = pread(file->fd, window->data + window->length, room,
				(off_t)from);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			file->failed = n < 0 ? errno : 0;
			if (n < 0)
				report(file, ERROR_READ, from, 0);
			file->size = from; /* there is no more */
			return;
		}
		window->length += (size_t)n;
	}
}

/*
 * The same of a pipe, which has them or ends: what is before them is dropped
 * where that is at least as much as what is behind, so that no byte is moved
 * often.
 */
static const char *bytes_of_pipe(
	struct heph_file *file, uint64_t offset, size_t size)
{
	struct render_buffer *window = &file->window;
	size_t skipped = (size_t)(offset - file->window_at);

	if (window->length - skipped < size && !file->held &&
		skipped >= window->length - skipped) {
		window->length -= skipped;
		memmove(window->data, window->data + skipped, window->length);
		file->window_at = offset;
		skipped = 0;
	}
	if (window->length - skipped < size && file->size == UINT64_MAX)
		fill(file, offset + size);
	return window->length - skipped >= size ? window->data + skipped : NULL;
}

/* `size` bytes at the offset, which the file has; null: it could not be read.
 */
static const char *bytes_at(
	struct heph_file *file, uint64_t offset, size_t size)
{
	struct render_buffer *window = &file->window;
	size_t wanted = size > WINDOW_BYTES ? size : WINDOW_BYTES;
	size_t kept = 0;

	if (file->piped)
		return bytes_of_pipe(file, offset, size);
	if (offset >= file->window_at &&
		offset - file->window_at < window->length) {
		size_t skipped = (size_t)(offset - file->window_at);

		kept = window->length - skipped;
		if (kept >= size)
			return window->data + skipped;
		memmove(window->data, window->data + skipped, kept);
	}
	window->length = kept;
	file->window_at = offset;
	fill(file, file->size - offset < wanted ? file->size : offset + wanted);
	return window->length >= size ? window->data : NULL;
}

static struct head head_at(struct heph_file *file, uint64_t offset)
{
	struct head head = {0};
	const char *bytes = file->size - offset < sizeof(head)
				    ? NULL
				    : bytes_at(file, offset, sizeof(head));

	if (bytes)
		memcpy(&head, bytes, sizeof(head));
	return (struct head){be32toh(head.magic), be32toh(head.size)};
}

static bool is_possible(const struct head *head)
{
	if (head->magic == HEPH_EVENT_MAGIC)
		return head->size >= HEPH_EVENT_BYTES_MIN &&
		       head->size <= limits_of(LIMIT_HEPH_PACKET);
	return head->magic == HEPH_OPTION_MAGIC &&
	       head->size >= HEPH_OPTION_BYTES_MIN &&
	       head->size <= limits_of(LIMIT_HEPH_PACKET);
}

/* And it ends within the file. */
static bool is_packet(struct heph_file *file, uint64_t offset)
{
	struct head head = head_at(file, offset);

	return is_possible(&head) && head.size <= file->size - offset &&
	       (!file->piped || bytes_at(file, offset, head.size));
}

/* Where the next packet begins, from `offset` on; the end: nowhere. */
static uint64_t search(struct heph_file *file, uint64_t offset)
{
	for (; offset < file->size; offset++) {
		const char *bytes = bytes_at(file, offset, 1);

		if (!bytes)
			return file->size;
		if (((uint8_t)*bytes == HEPH_EVENT_MAGIC >> 24 ||
			    (uint8_t)*bytes == HEPH_OPTION_MAGIC >> 24) &&
			is_packet(file, offset))
			return offset;
	}
	return file->size;
}

static void step_over_damage(struct heph_file *file)
{
	struct head head = head_at(file, file->at);
	uint64_t next = search(file, file->at + 1);

	report(file,
		is_possible(&head) && next == file->size ? ERROR_HEPH_CUT
							 : ERROR_HEPH_PACKET,
		file->at, next - file->at);
	file->at = next;
}

bool heph_file_next(struct heph_file *file, struct heph_packet *packet)
{
	struct head head;
	const char *bytes;

	if (file->piped)
		bytes_at(file, file->at, 1); /* or it has ended there */
	if (file->at < file->size && !is_packet(file, file->at))
		step_over_damage(file);
	if (file->at >= file->size)
		return false;
	head = head_at(file, file->at);
	bytes = bytes_at(file, file->at, head.size);
	if (!bytes || head.size < sizeof(head))
		return false;
	packet->offset = file->at;
	packet->event = head.magic == HEPH_EVENT_MAGIC;
	packet->body =
		cursor_over(bytes + sizeof(head), head.size - sizeof(head));
	file->at += head.size;
	return true;
}

bool heph_file_begins(const void *bytes, size_t size)
{
	struct head head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	head = (struct head){be32toh(head.magic), be32toh(head.size)};
	return is_possible(&head);
}

bool heph_file_is(const char *path)
{
	struct heph_file file = {.path = path};
	struct head head;

	if (!open_regular(&file))
		return false;
	head = head_at(&file, 0);
	heph_file_close(&file);
	return is_possible(&head);
}
