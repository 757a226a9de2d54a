#include "decoder/show/recover.h"

#include "decoder/capture/merge.h"
#include "decoder/pack/pack.h"
#include "decoder/packed/packed_parity.h"
#include "decoder/packed/packed_reader.h"

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

void recover_packed(const char *path, struct output *output,
	struct error_list *errors, struct recover_sum *sum)
{
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
	merge_free(merge);
	pack_free(pack);
}
