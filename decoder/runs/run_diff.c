#include "decoder/runs/run_diff.h"

#include <string.h>

#include "base/calendar.h"
#include "base/digits.h"
#include "base/escape.h"
#include "decoder/query/filter.h"
#include "decoder/source/source.h"

/* One that was asked for; null: that was all. */
static const struct message *next(
	const struct run_diff *diff, struct source *source)
{
	const struct message *message;

	while ((message = source_next(source)))
		if (!message_is_event(message) && !message->continues &&
			filter_wants(&diff->options->rules, message) &&
			filter_selects(&diff->options->rules, message))
			break;
	return message;
}

/* Clocks may be set back. */
static void add(struct run_total *run, const struct message *message)
{
	run->messages++;
	if (run->first == 0 || message->wall < run->first)
		run->first = message->wall;
	if (message->wall > run->last)
		run->last = message->wall;
}

void run_diff_read(struct run_diff *diff, struct source *source, int run)
{
	const struct message *message;

	run_roles_begin(&diff->roles, run);
	while ((message = next(diff, source))) {
		const struct run_site *site =
			run_sites_add(&diff->sites, message, run);

		add(&diff->runs[run], message);
		if (site)
			run_roles_add(&diff->roles,
				run_roles_find(&diff->roles, message),
				site->number);
	}
}

void run_diff_compare(struct run_diff *diff)
{
	run_roles_finish(&diff->roles);
	diff->difference = run_roles_first_difference(&diff->roles);
}

static void put_number(struct render_buffer *out, char before, uint32_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put_byte(out, before);
	render_buffer_put(
		out, text, (size_t)(digits_write(text, number) - text));
}

static void put_line(struct run_diff *diff, struct calendar *calendar,
	const struct message *message, struct render_buffer *out)
{
	struct render_buffer text = {0};
	const char *name = message->program->name;

	message_text(message, &text);
	if (text.length > 0 && text.data[text.length - 1] == '\n')
		text.length--;
	calendar_append(calendar, message->wall, out);
	render_buffer_put_byte(out, ' ');
	escape_put(out, name, strlen(name), ESCAPE_NEWLINE);
	put_number(out, '[', message->pid);
	put_number(out, ':', message->tid);
	render_buffer_put(out, "]: ", 3);
	escape_put(out, text.data, text.length, ESCAPE_NEWLINE);
	render_buffer_put_byte(out, '\n');
	diff->sites.failed |= text.failed || out->failed;
	render_buffer_free(&text);
}

void run_diff_read_lines(struct run_diff *diff, struct source *source, int run)
{
	const struct run_role *role = diff->difference;
	struct run_lines *lines = &diff->lines[run];
	struct calendar calendar = {.utc = diff->options->utc};
	const struct message *message;
	uint64_t at = 0;

	run_roles_begin(&diff->roles, run);
	while (role && at < role->at + RUN_DIFF_AFTER &&
		(message = next(diff, source))) {
		if (run_roles_find(&diff->roles, message) != role)
			continue;
		if (at + RUN_DIFF_BEFORE >= role->at) {
			put_line(diff, &calendar, message, &lines->text);
			lines->same += at < role->at;
			lines->count++;
		}
		at++;
	}
}

bool run_diff_is_whole(const struct run_diff *diff)
{
	return !diff->sites.failed && !diff->roles.failed;
}

void run_diff_free(struct run_diff *diff)
{
	run_sites_free(&diff->sites);
	run_roles_free(&diff->roles);
	render_buffer_free(&diff->lines[0].text);
	render_buffer_free(&diff->lines[1].text);
}
