#include "decoder/output/output.h"

#include <errno.h>
#include <unistd.h>

static void write_all(struct output *output, struct render_buffer *from)
{
	size_t done = 0;

	if (output->fd == OUTPUT_KEPT)
		return;
	if (from->failed && output->failed == 0)
		output->failed = ENOMEM;
	while (done < from->length && output->failed == 0) {
		ssize_t n = write(
			output->fd, from->data + done, from->length - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			output->failed = errno;
	}
	output->wrote |= done > 0;
	from->length = 0;
}

void output_put_chosen(struct output *output, const char *line, size_t bytes)
{
	render_buffer_put(&output->chosen, line, bytes);
	if (output->chosen.length >= OUTPUT_BUFFER_BYTES)
		write_all(output, &output->chosen);
}

/* One that lines around it, or its own text, have asked for. */
static void take(struct output *output, const char *line, size_t bytes)
{
	if (output->lines)
		last_lines_add(output->lines, line, bytes);
	else
		output_put_chosen(output, line, bytes);
}

void output_take_line(struct output *output)
{
	const struct render_buffer *line = &output->text;

	if (line->length > 0 && output->around)
		lines_around_add(
			output->around, line->data, line->length, take, output);
	else if (line->length > 0)
		take(output, line->data, line->length);
	output->text.length = 0;
}

void output_flush(struct output *output)
{
	if (output_takes_lines(output)) {
		output_take_line(output);
		write_all(output, &output->chosen);
	} else {
		write_all(output, &output->text);
	}
}

void output_put_first(struct output *output)
{
	if (!output_takes_lines(output))
		return;
	if (output->headed)
		output->text.length = 0;
	else
		write_all(output, &output->text);
	output->headed = true;
}

void output_end_waiting(struct output *output)
{
	struct last_lines *lines = output->lines;

	output_flush(output);
	output->lines = NULL;
	if (lines && !last_lines_give_out(lines, output) &&
		output->failed == 0) {
		output->failed = errno;
		output->where = "a temporary file in TMPDIR";
	}
	last_lines_free(lines);
	write_all(output, &output->chosen);
}

void output_end(struct output *output)
{
	output_end_waiting(output);
	if (output->around && !lines_around_is_good(output->around) &&
		output->failed == 0)
		output->failed = ENOMEM;
	render_buffer_free(&output->text);
	render_buffer_free(&output->chosen);
}
