/*
 * What of packed logs has to be read where only their last lines, or what was
 * said from some time on, are shown: their ends.  Captures, in which what a
 * message needs may be anywhere before it, are read, and the text of their ends
 * is made.  Part of binlog-show's main.
 * Lines may be chosen by what they say, so too little may be read at first;
 * then it is read again, and more of it.
 */
#ifndef DECODER_SHOW_TAIL_H
#define DECODER_SHOW_TAIL_H

#include "decoder/output/options.h"
#include "decoder/show/outputs.h"
#include "decoder/source/capture_list.h"
#include "decoder/source/source.h"

struct show_tail {
	bool used;
	struct capture_list *list;
	uint32_t lines; /* that are shown, or LAST_LINES_ALL */
	uint64_t since; /* what is before is not shown; 0: all may be */
	bool of_captures;
	uint64_t messages; /* that are read, about; of captures bytes of blocks
			    */
	uint64_t from;	   /* all that was said from then on is read, */
	bool all;	   /* or all there is */
	bool reached;	   /* a message from then on has come: */
	uint64_t before;   /* so many lines were there */
};

/*
 * Decides by the options and what is to be read: then the list says what of its
 * logs is wanted, until show_tail_end().
 */
void show_tail_begin(struct show_tail *tail, const struct options *options,
	const struct outputs *outputs, struct capture_list *list);

/* When there is a source. */
void show_tail_source(struct show_tail *tail, struct source *source);

/* Before each message is shown. */
static inline void show_tail_message(struct show_tail *tail,
	const struct outputs *outputs, const struct message *message)
{
	const struct last_lines *lines = outputs->all[0].output.lines;

	if (!tail->used || tail->reached ||
		(tail->of_captures ? message->ticks : message->wall) <
			tail->from)
		return;
	tail->reached = true;
	tail->before = lines ? last_lines_added(lines) : 0;
}

/* After all of them: the lines that are shown are among those that there are.
 * If not, more is wanted from here on. */
bool show_tail_is_enough(struct show_tail *tail, const struct outputs *outputs,
	const struct source *source);

/* Not all was read. */
bool show_tail_left_out(const struct show_tail *tail);

void show_tail_end(struct show_tail *tail);

#endif
