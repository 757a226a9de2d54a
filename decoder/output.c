#include "decoder/output.h"

#include <errno.h>
#include <unistd.h>

static void write_out(struct output *output)
{
	size_t done = 0;

	if (output->text.failed && output->failed == 0)
		output->failed = ENOMEM;
	while (done < output->text.length && output->failed == 0) {
		ssize_t n = write(output->fd, output->text.data + done,
			output->text.length - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			output->failed = errno;
	}
	output->text.length = 0;
}

static void keep(struct output *output)
{
	if (output->text.length > 0)
		last_lines_add(
			output->lines, output->text.data, output->text.length);
	output->text.length = 0;
}

void output_flush(struct output *output)
{
	if (output->lines)
		keep(output);
	else
		write_out(output);
}

void output_put_first(struct output *output)
{
	if (output->lines)
		write_out(output);
}

void output_end(struct output *output)
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
	write_out(output);
	render_buffer_free(&output->text);
}
