#include "decoder/show/show_recover.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/sentence.h"
#include "decoder/output/output.h"
#include "decoder/show/recover.h"
#include "decoder/show/say.h"

enum exit_status show_recover(const struct options *options,
	const struct capture_list *list, struct error_list *errors)
{
	struct output output = {.fd = STDOUT_FILENO};
	struct recover_sum sum = {0};
	size_t i;

	for (i = 0; i < list->packed_count; i++)
		recover_packed(list->packed[i], &output, errors, &sum);
	if (list->count > 0)
		recover_captures(list, &output, errors, &sum);
	output_flush(&output);
	say_errors(errors);
	if (!options->quiet && sum.frames + sum.messages > 0)
		sentence_say("%" PRIu64 " frames copied, %" PRIu64
			     " messages packed, %" PRIu64 " bytes left out",
			sum.frames, sum.messages, sum.lost);
	render_buffer_free(&output.text);
	if (say_output(&output) || sum.frames + sum.messages == 0)
		return EXIT_NOTHING;
	return error_count(errors, ERROR_SEVERITY_DAMAGE) > 0 ? EXIT_DAMAGE
							      : EXIT_ALL_READ;
}
