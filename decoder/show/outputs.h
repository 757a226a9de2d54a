/*
 * All that is shown in one pass over the messages: one output for the command
 * line, or several that a config file names, each with its own filters, style
 * and place.  Driven by binlog-show.  An output that fails is given nothing
 * more; the others go on.
 */
#ifndef DECODER_OUTPUTS_H
#define DECODER_OUTPUTS_H

#include "base/pool.h"
#include "decoder/output/style.h"
#include "decoder/query/filter.h"
#include "decoder/source/capture_list.h"
#include "decoder/statements/statements.h"

/* definition_context.files_wanted has two bits for each. */
#define OUTPUTS_MAX 32

struct outputs_one {
	struct options *options;
	const struct style *style;
	struct output output;
	void *state; /* of the style */
	bool color;  /* by priority */
	bool given;  /* messages */
	bool asks;   /* not for all of them */
	bool split;  /* the output is a directory */
	bool made;   /* its file was not there before */
	int held;    /* what the text is for, while it is kept back; or -1 */
};

/* All zeros is none. */
struct outputs {
	struct outputs_one all[OUTPUTS_MAX];
	size_t count;
	struct outputs_one *only; /* that shows lines; null: ask each */
	struct filter_batch filter;
	const struct rules *rules; /* for categories; null: none given */
	/* For outputs_need().statements; its owner's; null: none */
	struct statements *statements;
	bool strict;	  /* nothing is shown before it is known that all may */
	struct pool kept; /* options of a file, and what they point into */
	char style_problem[96];
	char problem[2048]; /* what: why: what you can do */
};

/*
 * Adds one; the options outlive it, and their number is set.  `path` is of a
 * file, or null for standard output.  Null, or what is wrong.
 */
const char *outputs_add(
	struct outputs *outputs, struct options *options, const char *path);

/* What has to be there for some of them: see struct style_settings. */
struct outputs_needs {
	bool stacks;
	bool source;
	bool pointers;
	bool locations; /* for one of these, too */
	bool statements;
};

struct outputs_needs outputs_need(const struct outputs *outputs);

/*
 * Opens the files, which are made, or are emptied if they are ordinary ones of
 * the user and none that is read.  False: see `problem`.
 */
bool outputs_open(struct outputs *outputs, const struct capture_list *list);

/*
 * If they are strict, after the colours are chosen: what is shown is kept in
 * temporary files until outputs_release().  False: see `problem`.
 */
bool outputs_hold(struct outputs *outputs);

/*
 * Lines of the only one, on a terminal, which are not asked for where their
 * authors have written them: see line_place.h.
 */
bool outputs_may_have_places(const struct outputs *outputs);

/* Columns of the terminal that it is for; 0: it is none. */
unsigned outputs_width(const struct options *options, int fd);

/*
 * Which of them are for terminals, how wide those are, and which show colours;
 * before a pager takes standard output.
 */
void outputs_choose_looks(struct outputs *outputs);

/*
 * Before the first message; in the settings stands what all have in common,
 * and what some of them ask for.  False: out of memory.
 */
bool outputs_begin(struct outputs *outputs, const struct style_settings *common,
	struct source *source);

/*
 * The same once more, with messages of another source, if there is only one
 * output and only its last lines are shown: those so far never were.
 */
bool outputs_begin_again(struct outputs *outputs,
	const struct style_settings *common, struct source *source);

/* Whether one of them asks for messages and still can show any. */
bool outputs_want_messages(const struct outputs *outputs);

/* The same as the next, for all. */
bool outputs_message_each(
	struct outputs *outputs, const struct message *message);

/* Shows the message wherever it is asked for.  False: none can show more. */
static inline bool outputs_message(
	struct outputs *outputs, const struct message *message)
{
	const struct outputs_one *only = outputs->only;

	message_report(message);
	if (outputs->statements)
		message = statements_apply(outputs->statements, message);
	if (!only)
		return outputs_message_each(outputs, message);
	if (!only->asks || filter_wants(&only->options->rules, message))
		only->style->message(only->state, message);
	return only->output.failed == 0;
}

/* Calls that the source has not given out since nobody asks for them. */
uint64_t outputs_passed(const struct outputs *outputs);

/* Shows all that is there by now; the last lines, too, if they were waited for.
 */
void outputs_flush(struct outputs *outputs);
void outputs_end_waiting(struct outputs *outputs);

/* Appends what is to be said of options that nothing has come of. */
void outputs_remarks(const struct outputs *outputs, struct render_buffer *out);

/* Shows what is left, and closes the files when they are on the disk. */
void outputs_end(struct outputs *outputs);

/* After outputs_end(): shows what was kept, or leaves nothing of it. */
void outputs_release(struct outputs *outputs, bool shown);

/* The next one that could not be written, from *number on, or null. */
const struct output *outputs_failed(
	const struct outputs *outputs, size_t *number);

#endif
