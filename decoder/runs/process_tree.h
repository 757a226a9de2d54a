/*
 * Who descends from whom, as far as it was recorded: by fork, by executing
 * another program in the same process, or both.  Called once all processes and
 * their ends are known.  Promises a forest whatever the captures claim: who
 * has no parent that is known is a root.
 */
#ifndef DECODER_PROCESS_TREE_H
#define DECODER_PROCESS_TREE_H

#include "decoder/runs/process_list.h"

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
