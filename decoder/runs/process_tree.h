/*
 * Who descends from whom, as far as it was recorded: by fork, by executing
 * another program in the same process, or both.  Called once all processes and
 * their ends are known.  Promises a forest whatever the captures claim: who
 * has no parent that is known is a root.
 */
#ifndef DECODER_PROCESS_TREE_H
#define DECODER_PROCESS_TREE_H

#include "base/pool.h"
#include "decoder/capture/message.h"
#include "decoder/capture/recording.h"

struct process_entry {
	struct recording *capture;
	struct program *program;
	const char *name; /* of the program; ends in NUL */
	uint32_t pid;
	/* Whose capture it is; null: it has made it, and was not forked. */
	struct process_entry *founded_by;
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
	struct process_entry *left;	 /* its capture before this one, or null */
	bool went_on;			 /* that is all that this one is for */
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

/* A program that was executed shares the capture of another one of its run. */
bool process_shares_capture(const struct process_entry *entry);

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

/*
 * Fills in successor, parent, child and sibling of all entries, and sorts them
 * by time.
 */
void process_tree_link(struct process_list *list);

/*
 * Below the root that it began with, parents first; null: that was all.
 */
const struct process_entry *process_tree_next(
	const struct process_entry *entry);

#endif
