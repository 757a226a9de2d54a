/*
 * The processes of all captures: who descends from whom, what they have said
 * and how they ended.  Filled by the styles that show processes, from the
 * captures first and from each message then.  A process that has made a
 * capture is in the list even if it said nothing, a forked child only once it
 * has said something.
 */
#ifndef DECODER_PROCESS_LIST_H
#define DECODER_PROCESS_LIST_H

#include "base/pool.h"
#include "decoder/capture/liveness.h"
#include "decoder/capture/message.h"

struct process_entry {
	struct recording *capture;
	struct program *program;
	const char *name; /* of the program; ends in NUL */
	uint32_t pid;
	struct process_entry
		*founded_by; /* whose capture it is; null: it has */
			     /* made it, and was not forked */
	uint64_t started;    /* nanoseconds since 1970: when the capture was */
			     /* made; of a forked child when it first spoke */
	uint64_t boottime;   /* the same moment */
	uint64_t messages;   /* calls that were recorded, and are wanted */
	uint64_t passed;
	uint64_t dropped;
	struct binlog_founder page; /* of the capture */
	uint32_t end;		    /* enum binlog_text of an end, or 0 */
	uint32_t end_tid;
	int64_t end_value;
	enum liveness liveness;		 /* when the captures were opened */
	struct process_entry *successor; /* program that it has executed */
	struct process_entry *claimed;	 /* as the parent, by the captures */
	struct process_entry *parent;	 /* or predecessor, or null */
	struct process_entry *child;	 /* the first one */
	struct process_entry *sibling;	 /* the next one, which began later */
};

struct process_list {
	struct process_entry **entries; /* linked: in the order of time */
	size_t count;
	size_t room;
	struct pool pool;
};

/* Of captures that are open, and outlive it.  Null: out of memory. */
struct process_list *process_list_new(
	struct recording *const *captures, size_t count);

/* `counts`: it is one of those to be counted. */
void process_list_message(
	struct process_list *list, const struct message *message, bool counts);

/*
 * After the last message: all processes of captures that packed logs have told
 * of, of which only those are in the list by now that have said something.
 * False: out of memory.
 */
bool process_list_add_packed(struct process_list *list,
	struct recording *const *captures, size_t count);

/* After the last message: finds names, ends, parents and children. */
void process_list_finish(struct process_list *list);

/* Appends how it ended, on one line: "ended cleanly". */
void process_list_put_end(
	const struct process_entry *entry, struct render_buffer *out);

void process_list_free(struct process_list *list);

#endif
