#include "decoder/show/show_index.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/sentence.h"
#include "decoder/query/filter.h"
#include "decoder/runs/hits.h"
#include "decoder/runs/index.h"
#include "decoder/show/say.h"
#include "decoder/source/capture_list.h"
#include "decoder/source/source.h"
#include "decoder/statements/statements.h"
#include "record/layout.h"
#include "record/packed.h"

struct listing {
	const struct options *options;
	struct error_list errors;
	struct capture_list list;
	struct hits hits;
	struct restore *restore;
	struct statements *statements; /* null: they are not asked for */
	struct output output;
	struct render_buffer complaint;
	struct index_sum sum;
	size_t listed;
	size_t missing;
};

/* Or packed logs. */
static bool is_capture(const char *path)
{
	struct stat status;

	if (capture_list_takes(path))
		return true;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void take_messages(struct listing *listing, struct source *source)
{
	const struct options *options = listing->options;
	const struct message *message;

	while (source && (message = source_next(source))) {
		if (listing->statements)
			message =
				statements_apply(listing->statements, message);
		if (!message_is_event(message) && !message->continues &&
			filter_wants(&options->rules, message) &&
			filter_selects(&options->rules, message))
			hits_take(&listing->hits, message);
	}
	if (!source || listing->hits.failed)
		error_add(&listing->errors,
			&(struct error){.code = ERROR_MEMORY});
}

/* False: no captures were named. */
static bool count_messages(struct listing *listing)
{
	const struct options *options = listing->options;
	struct source *source;
	bool any = false;
	size_t i;

	for (i = 0; i < options->path_count; i++) {
		if (!is_capture(options->paths[i]))
			continue;
		any = true;
		capture_list_add(
			&listing->list, options->paths[i], &listing->errors);
	}
	capture_list_unpack(&listing->list, &listing->errors);
	listing->restore = restore_new(&options->symbols, NULL);
	if (listing->restore && options->statements != OPTIONS_WHEN_NEVER)
		listing->statements = statements_new(listing->restore,
			options->statements == OPTIONS_WHEN_ALWAYS);
	source = source_new(&listing->list, NULL, &listing->errors);
	take_messages(listing, source);
	source_free(source);
	return any;
}

static void list_programs(struct listing *listing, bool counts)
{
	const struct options *options = listing->options;
	size_t i;

	for (i = 0; i < options->path_count; i++) {
		if (is_capture(options->paths[i]))
			continue;
		if (index_put(options->paths[i], &options->symbols,
			    counts ? &listing->hits : NULL, &listing->sum,
			    &listing->output, &listing->complaint))
			listing->listed++;
		else
			listing->missing++;
	}
	output_flush(&listing->output);
}

static void say_all(const struct listing *listing, bool counts)
{
	const struct render_buffer *complaint = &listing->complaint;

	if (complaint->length > 0)
		(void)fwrite(complaint->data, 1, complaint->length, stderr);
	say_errors(&listing->errors);
	if (counts && !listing->options->quiet)
		sentence_say("%zu of %zu statements have made messages, of "
			     "%zu it is not known",
			listing->sum.hits, listing->sum.statements,
			listing->sum.unknown);
}

static enum exit_status judge(const struct listing *listing)
{
	if (say_output(&listing->output) || listing->listed == 0)
		return EXIT_NOTHING;
	return listing->missing > 0 || limits_were_met() ||
			       error_count(&listing->errors,
				       ERROR_SEVERITY_DAMAGE) > 0
		       ? EXIT_DAMAGE
		       : EXIT_ALL_READ;
}

enum exit_status show_index(const struct options *options)
{
	struct listing listing = {
		.options = options, .output = {.fd = STDOUT_FILENO}};
	bool counts = count_messages(&listing);

	list_programs(&listing, counts);
	say_all(&listing, counts);
	render_buffer_free(&listing.complaint);
	render_buffer_free(&listing.output.text);
	hits_free(&listing.hits);
	capture_list_free(&listing.list);
	statements_free(listing.statements);
	restore_free(listing.restore);
	return judge(&listing);
}
