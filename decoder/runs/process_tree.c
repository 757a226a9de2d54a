#include "decoder/runs/process_tree.h"

#include <stdlib.h>

#include "base/limits.h"
#include "record/layout.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static uint64_t run_of(const struct process_entry *entry)
{
	return entry->capture->header.run;
}

static int compare_time(const void *left, const void *right)
{
	const struct process_entry *a = *(struct process_entry *const *)left;
	const struct process_entry *b = *(struct process_entry *const *)right;
	int order = compare_numbers(a->started, b->started);

	return order ? order : compare_numbers(a->pid, b->pid);
}

static int compare_to(const struct process_entry *entry, uint64_t run,
	uint32_t pid, uint64_t started)
{
	int order = compare_numbers(run_of(entry), run);

	if (!order)
		order = compare_numbers(entry->pid, pid);
	return order ? order : compare_numbers(entry->started, started);
}

static int compare_number(const void *left, const void *right)
{
	const struct process_entry *a = *(struct process_entry *const *)left;
	const struct process_entry *b = *(struct process_entry *const *)right;

	return compare_to(a, run_of(b), b->pid, b->started);
}

/*
 * Process `pid` of the run of `entry`: the program that it was executing when
 * `entry` began.  Null: it is not known.
 */
static struct process_entry *find(const struct process_list *by_number,
	const struct process_entry *entry, uint32_t pid)
{
	size_t low = 0; /* those before it began no later */
	size_t high = by_number->count;
	struct process_entry *found;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_to(by_number->entries[middle], run_of(entry), pid,
			    entry->started) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && by_number->entries[low - 1] == entry)
		low--;
	found = low > 0 ? by_number->entries[low - 1] : NULL;
	return found && run_of(found) == run_of(entry) && found->pid == pid
		       ? found
		       : NULL;
}

/* The program that this one has taken the place of. */
static struct process_entry *predecessor_of(
	const struct process_list *by_number, struct process_entry *entry)
{
	struct process_entry *before = find(by_number, entry, entry->pid);

	if (!before || before->successor ||
		(before->end != 0 && before->end != BINLOG_TEXT_EXECUTE) ||
		before->page.pid_namespace != entry->page.pid_namespace)
		return NULL;
	return before;
}

/* A fork is in the capture of its parent, or of one before that. */
static struct process_entry *parent_of_fork(const struct process_entry *entry)
{
	const struct program *parent = entry->program->parent;

	return parent && parent->entry ? parent->entry : entry->founded_by;
}

static struct process_entry *parent_of(
	const struct process_list *by_number, struct process_entry *entry)
{
	struct process_entry *parent;

	if (entry->founded_by)
		return parent_of_fork(entry);
	parent = predecessor_of(by_number, entry);
	if (parent) {
		parent->end = BINLOG_TEXT_EXECUTE;
		parent->successor = entry;
		return parent;
	}
	parent = find(by_number, entry, entry->page.ppid);
	if (!parent && entry->page.ancestor)
		parent = find(by_number, entry, entry->page.ancestor);
	return parent;
}

/* Numbers out of a file may claim that somebody descends from himself. */
static bool descends(
	const struct process_entry *entry, const struct process_entry *ancestor)
{
	unsigned i;

	for (i = 0; entry && !limits_reached(LIMIT_GENERATIONS, i);
		i++, entry = entry->parent)
		if (entry == ancestor)
			return true;
	return entry != NULL;
}

static void adopt(struct process_entry *parent, struct process_entry *child)
{
	if (!parent || descends(parent, child))
		return;
	child->parent = parent;
	child->sibling = parent->child;
	parent->child = child;
}

static void sort(
	struct process_list *list, int (*compare)(const void *, const void *))
{
	if (list->count > 0)
		qsort(list->entries, list->count, sizeof(*list->entries),
			compare);
}

void process_tree_link(struct process_list *list)
{
	size_t i;

	sort(list, compare_number);
	for (i = 0; i < list->count; i++)
		list->entries[i]->claimed = parent_of(list, list->entries[i]);
	sort(list, compare_time);
	/* Backwards, since each becomes the first child. */
	for (i = list->count; i > 0; i--)
		adopt(list->entries[i - 1]->claimed, list->entries[i - 1]);
}

const struct process_entry *process_tree_next(const struct process_entry *entry)
{
	if (entry->child)
		return entry->child;
	while (entry && !entry->sibling)
		entry = entry->parent;
	return entry ? entry->sibling : NULL;
}
