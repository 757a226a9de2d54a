#include "decoder/packed/packed_capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/hash.h"

struct recording *packed_capture_make(
	struct packed_captures *captures, const char *path)
{
	struct recording *made = NULL;

	if (array_reserve(captures->all, captures->room, captures->count + 1))
		made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	made->path = path;
	made->fd = -1;
	made->packed = true;
	made->errors = captures->errors;
	made->restore = captures->restore;
	made->names = &captures->names;
	made->handed = &captures->handed;
	captures->all[captures->count++] = made;
	return made;
}

static uint64_t start_of(const struct packed_record *preamble, size_t element)
{
	const msgpack_object_array *start =
		packed_record_list(preamble, PACKED_PREAMBLE_START);

	return start && start->size > element
		       ? packed_object_number(&start->ptr[element])
		       : 0;
}

static bool is_of(
	const struct recording *capture, const struct packed_record *preamble)
{
	const struct binlog_header *header = &capture->header;

	return header->nonce ==
		       packed_record_number(preamble, PACKED_PREAMBLE_NONCE) &&
	       header->run ==
		       packed_record_number(preamble, PACKED_PREAMBLE_RUN) &&
	       header->pid == packed_record_id(preamble, PACKED_PREAMBLE_PID) &&
	       header->start.ticks == start_of(preamble, 0) &&
	       header->start.realtime == start_of(preamble, 1);
}

static uint32_t hash_of(const struct packed_record *preamble)
{
	uint64_t hash = binlog_hash_word(start_of(preamble, 0),
		packed_record_number(preamble, PACKED_PREAMBLE_NONCE));

	return (uint32_t)(hash ^ hash >> 32);
}

/* Of two with the same hash the latest is meant. */
struct recording *packed_capture_find(
	struct packed_captures *captures, const struct packed_record *preamble)
{
	struct recording *known =
		id_map_find(&captures->known, hash_of(preamble));

	if (known && is_of(known, preamble))
		return known;
	known = packed_capture_make(captures, "?");
	if (known)
		packed_capture_describe(captures, known, preamble);
	return known;
}

static void read_name(struct packed_captures *captures,
	struct recording *capture, const struct packed_record *preamble)
{
	struct packed_bytes name =
		packed_record_bytes(preamble, PACKED_PREAMBLE_NAME);
	char *copy = name.data
			     ? pool_copy(&captures->pool, name.data, name.size)
			     : NULL;

	if (copy && *copy)
		capture->path = copy;
}

void packed_capture_describe(struct packed_captures *captures,
	struct recording *capture, const struct packed_record *preamble)
{
	struct binlog_header *header = &capture->header;
	struct packed_bytes boot =
		packed_record_bytes(preamble, PACKED_PREAMBLE_BOOT_ID);

	*header = (struct binlog_header){
		.nonce = packed_record_number(preamble, PACKED_PREAMBLE_NONCE),
		.run = packed_record_number(preamble, PACKED_PREAMBLE_RUN),
		.clock = packed_record_id(preamble, PACKED_PREAMBLE_CLOCK),
		.machine = packed_record_id(preamble, PACKED_PREAMBLE_MACHINE),
		.pid = packed_record_id(preamble, PACKED_PREAMBLE_PID),
		.start = {start_of(preamble, 0), start_of(preamble, 1),
			start_of(preamble, 2), start_of(preamble, 3)},
	};
	if (boot.size == sizeof(header->boot_id))
		memcpy(header->boot_id, boot.data, boot.size);
	capture->founder.ppid =
		packed_record_id(preamble, PACKED_PREAMBLE_PPID);
	capture->founder.ancestor =
		packed_record_id(preamble, PACKED_PREAMBLE_ANCESTOR);
	capture->founder.pid_namespace =
		packed_record_number(preamble, PACKED_PREAMBLE_PID_NAMESPACE);
	capture->founder.libc =
		packed_record_id(preamble, PACKED_PREAMBLE_LIBC);
	capture->libc = capture->founder.libc;
	capture->spill.before =
		packed_record_number(preamble, PACKED_PREAMBLE_BEFORE);
	capture->spill.process =
		packed_record_id(preamble, PACKED_PREAMBLE_BEFORE_NUMBER);
	capture->spill.spoke =
		packed_record_id(preamble, PACKED_PREAMBLE_BEFORE_SPOKE);
	recording_link(capture, captures->all, captures->count);
	read_name(captures, capture, preamble);
	id_map_set(&captures->known, hash_of(preamble), capture);
}

void packed_capture_lose(struct packed_captures *captures, const char *path,
	struct recording *capture, const struct packed_record *loss)
{
	struct error error = {
		.code = packed_record_id(loss, PACKED_LOSS_CODE),
		.file = capture ? capture->path : path,
		.offset = packed_record_number(loss, PACKED_LOSS_OFFSET),
		.number = packed_record_number(loss, PACKED_LOSS_VALUE),
	};

	if (!error_is_known(error.code)) {
		error.number = error.code;
		error.code = ERROR_PACKED_LOSS;
	}
	/* What its messages lack now is in the log that has its beginning. */
	if (capture && error.code == ERROR_FREED)
		capture->freed = (struct binlog_packed){
			.log = UINT64_MAX, .bytes = error.number};
	error_add(captures->errors, &error);
}

void packed_capture_finish(
	struct recording *capture, const struct packed_record *end)
{
	capture->passed = packed_record_number(end, PACKED_CAPTURE_END_PASSED);
	capture->dropped =
		packed_record_number(end, PACKED_CAPTURE_END_DROPPED);
	capture->size =
		packed_record_number(end, PACKED_CAPTURE_END_FILE_BYTES);
	capture->spill.left = packed_record_id(end, PACKED_CAPTURE_END_LEFT);
	capture->founder.end = packed_record_id(end, PACKED_CAPTURE_END_END);
	capture->founder.end_value =
		packed_record_number(end, PACKED_CAPTURE_END_END_VALUE);
}

void packed_captures_free(struct packed_captures *captures)
{
	size_t i;

	for (i = 0; i < captures->count; i++)
		recording_close(captures->all[i]);
	free(captures->all);
	id_map_free(&captures->known);
	symbol_answers_free(&captures->names);
	handed_texts_free(&captures->handed);
	packed_inflate_free(&captures->inflate);
	free(captures->inflated.data);
	pool_free(&captures->pool);
	*captures = (struct packed_captures){0};
}
