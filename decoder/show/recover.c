#include "decoder/show/recover.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/capture/merge.h"
#include "decoder/pack/pack.h"
#include "decoder/packed/packed_parity.h"
#include "decoder/packed/packed_reader.h"
#include "decoder/packed/packed_salvage.h"

static void report_memory(struct error_list *errors, const char *path)
{
	error_add(errors, &(struct error){.code = ERROR_MEMORY, .file = path});
}

static void report_damage(
	struct error_list *errors, const char *path, const struct frame *frame)
{
	const struct error error = {
		.code = frame->code,
		.system = frame->system,
		.file = path,
		.offset = frame->offset,
		.number = frame->lost,
	};

	error_add(errors, &error);
}

/* The bytes of a damaged frame, as they are. */
static bool copy_frame(struct packed_file *file, uint64_t offset, uint64_t size,
	struct output *output)
{
	struct render_buffer *out = &output->text;
	size_t at = 0;

	if (!render_buffer_reserve(out, (size_t)size))
		return false;
	while (at < size) {
		const ssize_t n = packed_file_read(file, offset + at,
			out->data + out->length + at, (size_t)size - at);

		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	out->length += at;
	output_settle(output);
	return true;
}

/* Of a PIECES whose batch was not whole: it is kept all the same, if anything
 * of it can be read. */
static void keep_pieces(struct packed_file *file, const struct frame *frame,
	uint64_t whole_end, struct output *output, struct error_list *errors,
	struct recover_sum *sum)
{
	struct packed_record record = {0};
	struct packed_pieces pieces = {0};
	struct packed_lost lost;
	uint8_t *bytes = malloc(frame->record_bytes); /* to be changed */
	bool part;

	if (bytes)
		memcpy(bytes, frame->record, frame->record_bytes);
	if (bytes && packed_record_read(&record, bytes, frame->record_bytes) &&
		packed_pieces_told(&pieces, &record)) {
		lost = packed_lost_all(&pieces);
		part = pieces.bytes <= frame->offset - whole_end &&
		       packed_salvage_count(
			       &pieces, &record, file, frame->offset, &lost) &&
		       copy_frame(file, frame->offset - pieces.bytes,
			       pieces.bytes, output);
		if (part)
			sum->lost -= pieces.bytes < sum->lost ? pieces.bytes
							      : sum->lost;
		packed_lost_report(&lost, &pieces, part, file->path,
			frame->offset > pieces.bytes
				? frame->offset - pieces.bytes
				: 0,
			errors);
	}
	packed_pieces_free(&pieces);
	packed_record_free(&record);
	free(bytes);
}

void recover_packed(const char *path, struct output *output,
	struct error_list *errors, struct recover_sum *sum)
{
	uint64_t whole_end = 0, batch_end = 0;
	struct packed_file file = {.path = path};
	struct frame_scan *scan = packed_file_scan(&file, 0);

	if (!scan)
		report_memory(errors, path);
	while (scan && output->failed == 0) {
		struct frame frame = frame_scan_next(scan);

		if (frame.kind == FRAME_NONE)
			break;
		if (frame.kind == FRAME_DAMAGED &&
			packed_parity_mend(&file, &frame, &scan, errors))
			continue;
		if (frame.kind == FRAME_DAMAGED) {
			report_damage(errors, path, &frame);
			sum->lost += frame.lost;
			continue;
		}
		packed_parity_note(
			&file, frame.record, frame.record_bytes, frame.offset);
		if (frame.record_bytes > 0 &&
			frame.record[0] == PACKED_PIECES &&
			batch_end != frame.offset)
			keep_pieces(
				&file, &frame, whole_end, output, errors, sum);
		whole_end = frame.offset + frame.bytes;
		if (frame.record_bytes > 0 && frame.record[0] == PACKED_BATCH)
			batch_end = whole_end;
		render_buffer_put(&output->text, frame.start, frame.bytes);
		output_settle(output);
		sum->frames++;
	}
	frame_scan_free(scan);
	packed_file_close(&file);
	packed_parity_free(&file);
}

/* A pack_take. */
static bool take_frames(void *closure, const void *bytes, size_t size)
{
	struct output *output = closure;

	render_buffer_put(&output->text, bytes, size);
	output_settle(output);
	return output->failed == 0;
}

/* Whose error it is.  Null: of none of them. */
static struct recording *capture_of(
	const struct capture_list *list, const struct error *error)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->captures[i]->path == error->file)
			return list->captures[i];
	return NULL;
}

/* What has become known of damage since *packed errors. */
static void pack_errors(struct pack *pack, const struct capture_list *list,
	const struct error_list *errors, size_t *packed)
{
	for (; *packed < errors->count && *packed < ERROR_KEPT_MAX;
		(*packed)++) {
		const struct error *error = &errors->kept[*packed];

		pack_loss(pack, capture_of(list, error), error);
	}
	*packed = errors->count;
}

static bool pack_all(struct pack *pack, struct merge *merge,
	const struct capture_list *list, const struct error_list *errors)
{
	const struct message *message;
	size_t packed = 0;
	size_t i;

	while ((message = merge_next(merge))) {
		pack_errors(pack, list, errors, &packed);
		if (!pack_message(pack, message))
			return false;
	}
	pack_errors(pack, list, errors, &packed);
	for (i = 0; i < list->count; i++)
		if (!pack_capture_end(pack, list->captures[i]))
			return false;
	pack_loss_of_more(pack, errors);
	return pack_end(pack);
}

void recover_captures(const struct capture_list *list, struct output *output,
	struct error_list *errors, struct recover_sum *sum)
{
	const struct pack_options options = {0};
	struct pack *pack = pack_new(&options, take_frames, output);
	struct merge *merge = merge_new(list->captures, list->count);

	if (!pack || !merge || !pack_all(pack, merge, list, errors))
		if (output->failed == 0)
			report_memory(errors, NULL);
	if (pack)
		sum->messages += pack_messages(pack);
	sum->any |= pack && pack_has_any(pack);
	merge_free(merge);
	pack_free(pack);
}
