#include "decoder/output.h"

#include <errno.h>
#include <unistd.h>

void output_flush(struct output *output)
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
