#include "decoder/runs/process_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/limits.h"
#include "decoder/message/event_words.h"
#include "record/layout.h"

/*
 * The processes of all captures: who descends from whom, what they have said
 * and how they ended.  Filled by the styles that show processes, from the
 * captures first and from each message then.  A process that has made a
 * capture is in the list even if it said nothing, a forked child only once it
 * has said something.
 */

static struct process_entry *append(struct process_list *list,
	struct recording *capture, struct program *program)
{
	struct process_entry *entry =
		pool_take(&list->pool, sizeof(struct process_entry));

	if (!entry)
		return NULL;
	if (!array_reserve(list->entries, list->room, list->count + 1))
		return NULL;
	*entry = (struct process_entry){
		.capture = capture, .program = program, .pid = program->pid};
	program->entry = entry;
	list->entries[list->count++] = entry;
	return entry;
}

static void set_start(
	struct process_entry *entry, const struct binlog_anchor *anchor)
{
	entry->started = anchor->realtime;
	entry->boottime = anchor->boottime;
}

/*
 * What a process, which has an entry, has gone on in.  That it was the founder
 * of another capture is kept for who lists captures.
 */
static struct process_entry *go_on(struct process_list *list,
	struct process_entry *entry, struct recording *capture)
{
	struct process_entry *left = NULL;

	if (!entry->founded_by) {
		left = pool_take(&list->pool, sizeof(*left));
		if (!left)
			return NULL;
		*left = *entry;
		left->went_on = true;
	}
	entry->left = left;
	entry->founded_by = NULL;
	entry->capture = capture;
	entry->passed += capture->header.passed;
	entry->dropped += capture->header.dropped;
	return entry;
}

static struct process_entry *add_founder(
	struct process_list *list, struct recording *capture)
{
	struct program *program =
		program_find(&capture->programs, capture->header.pid, 0);
	struct process_entry *entry;

	if (program && program->entry)
		return go_on(list, program->entry, capture);
	entry = program ? append(list, capture, program) : NULL;
	if (!entry)
		return NULL;
	entry->passed = capture->header.passed;
	entry->dropped = capture->header.dropped;
	set_start(entry, &capture->header.start);
	return entry;
}

static bool add_block(struct process_list *list, struct process_entry *founder,
	const struct recording_block *block)
{
	struct recording *capture = founder->capture;
	struct program *program =
		program_find(&capture->programs, block->pid, block->process);
	struct process_entry *entry = program ? program->entry : NULL;
	struct binlog_block head;

	if (!entry) {
		entry = program ? append(list, capture, program) : NULL;
		if (!entry)
			return false;
		entry->founded_by = founder;
		set_start(entry, &block->anchor);
	}
	if (entry != founder && block->anchor.boottime < entry->boottime)
		set_start(entry, &block->anchor);
	if (recording_read(capture, block->offset, &head, sizeof(head)) <
		sizeof(head))
		return true;
	entry->passed += head.passed;
	entry->dropped += head.dropped;
	return true;
}

static bool add_capture(struct process_list *list, struct recording *capture)
{
	struct process_entry *founder = add_founder(list, capture);
	size_t i;

	for (i = 0; founder && i < capture->block_count; i++)
		if (!add_block(list, founder, &capture->blocks[i]))
			return false;
	return founder;
}

/*
 * Before their last words are read: who is gone by now has said all that it
 * will ever say.
 */
static void look_for_life(struct process_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		list->entries[i]->liveness = liveness_of(
			list->entries[i]->capture, list->entries[i]->pid,
			list->entries[i]->boottime);
}

static int compare_starts(const void *left, const void *right)
{
	const struct recording *a = *(struct recording *const *)left;
	const struct recording *b = *(struct recording *const *)right;

	return a->header.start.realtime < b->header.start.realtime
		       ? -1
		       : a->header.start.realtime > b->header.start.realtime;
}

/* What goes on with others, behind these. */
static bool add_later(struct process_list *list,
	struct recording *const *captures, size_t count)
{
	struct recording **later = calloc(count + 1, sizeof(*later));
	bool done = later;
	size_t later_count = 0;
	size_t i;

	for (i = 0; later && i < count; i++)
		if (captures[i]->before)
			later[later_count++] = captures[i];
	if (later_count > 0)
		qsort(later, later_count, sizeof(*later), compare_starts);
	for (i = 0; done && i < later_count; i++)
		done = add_capture(list, later[i]);
	free(later);
	return done;
}

struct process_list *process_list_new(
	struct recording *const *captures, size_t count)
{
	struct process_list *list = calloc(1, sizeof(*list));
	size_t i;

	for (i = 0; list && i < count; i++)
		if (!captures[i]->before && !add_capture(list, captures[i])) {
			process_list_free(list);
			return NULL;
		}
	if (list && !add_later(list, captures, count)) {
		process_list_free(list);
		return NULL;
	}
	if (list)
		look_for_life(list);
	return list;
}

/* The entry of a process of a packed log: there are no blocks to tell it. */
static struct process_entry *packed_entry(struct process_list *list,
	struct recording *capture, struct program *program)
{
	struct program *first =
		program_find(&capture->programs, capture->header.pid, 0);
	struct process_entry *founder = first ? first->entry : NULL;
	struct process_entry *entry;

	if (program->entry)
		return program->entry;
	if (!founder || (capture->programs.elsewhere &&
				founder->capture->header.start.realtime <
					capture->header.start.realtime))
		founder = add_founder(list, capture);
	if (program == first || !founder)
		return founder;
	entry = append(list, capture, program);
	if (entry)
		entry->founded_by = founder;
	return entry;
}

static bool add_packed(struct process_list *list, struct recording *capture)
{
	struct program *program =
		program_find(&capture->programs, capture->header.pid, 0);

	if (!program ||
		(capture->before && !packed_entry(list, capture, program)))
		return false;
	for (program = capture->programs.newest; program;
		program = program->older) {
		struct process_entry *entry =
			packed_entry(list, capture, program);

		if (!entry)
			return false;
		entry->passed = program->passed;
		entry->dropped = program->dropped;
		if (entry->founded_by) {
			entry->started = program->started;
			entry->boottime = program->boottime;
		}
		entry->liveness =
			liveness_of(capture, entry->pid, entry->boottime);
	}
	return true;
}

bool process_list_add_packed(struct process_list *list,
	struct recording *const *captures, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!add_packed(list, captures[i]))
			return false;
	return true;
}

void process_list_message(
	struct process_list *list, const struct message *message, bool counts)
{
	struct process_entry *entry = message->program->entry;
	uint32_t text = message->context->text;

	if (!entry && message->capture->packed)
		entry = packed_entry(list, message->capture, message->program);

	if (!entry)
		return;
	entry->messages +=
		counts && !message->continues && !message_is_event(message);
	if (last_words_is_end(text)) {
		entry->end = text;
		entry->end_tid = message->tid;
		entry->end_value = message_event_value(message);
	} else if (entry->end == BINLOG_TEXT_EXECUTE &&
		   entry->end_tid == message->tid) {
		entry->end = 0; /* it has failed */
	}
}

/* All zeros where that page cannot be read. */
static bool is_known(const struct binlog_founder *page)
{
	return page->ppid != 0 || page->pid_namespace != 0;
}

/* What the page says counts: it can also say that an execution has failed. */
static void find_end(struct process_entry *entry)
{
	entry->page = liveness_founder(entry->capture);
	if (entry->founded_by)
		return;
	if (entry->page.end != 0 && last_words_is_end(entry->page.end)) {
		entry->end = entry->page.end;
		entry->end_value = (int64_t)entry->page.end_value;
	} else if (is_known(&entry->page) &&
		   entry->end == BINLOG_TEXT_EXECUTE) {
		entry->end = 0;
	}
}

/* NAME-PID-TIME-RANDOM.binlog, of a program that has not introduced itself. */
static const char *name_in_path(struct pool *pool, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strlen(name);
	unsigned dashes = 0;

	while (length > 0 && dashes < 3)
		dashes += name[--length] == '-';
	return length > 0 ? pool_copy(pool, name, length) : NULL;
}

static void find_name(struct process_list *list, struct process_entry *entry)
{
	const char *name = NULL;

	if (!entry->program->executable)
		name = name_in_path(&list->pool, entry->capture->path);
	entry->name = name ? name : entry->program->name;
}

void process_list_finish(struct process_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		find_end(list->entries[i]);
		find_name(list, list->entries[i]);
	}
	process_tree_link(list);
}

static void put_execution(
	const struct process_entry *entry, struct render_buffer *out)
{
	if (!entry->successor) {
		render_buffer_put_string(out, "executed another program");
		return;
	}
	render_buffer_put_string(out, "executed ");
	escape_put(out, entry->successor->name, strlen(entry->successor->name),
		ESCAPE_NEWLINE);
}

/* Nothing is on record, though everything was that could be. */
static bool is_cut_off(const struct process_entry *entry)
{
	return is_known(&entry->page) &&
	       (!entry->founded_by || entry->passed == 0);
}

static const char *state_of(const struct process_entry *entry)
{
	if (entry->went_on)
		return "went on in another capture";
	if (entry->liveness == LIVENESS_ALIVE)
		return "still running";
	if (!entry->founded_by && entry->capture->spill.left > 0)
		return "went on in another capture";
	if (entry->liveness == LIVENESS_GONE && is_cut_off(entry))
		return "cut off";
	return "not known";
}

void process_list_put_end(
	const struct process_entry *entry, struct render_buffer *out)
{
	char status[32];

	switch (entry->end) {
	case BINLOG_TEXT_EXIT:
	case BINLOG_TEXT_LEFT:
		snprintf(status, sizeof(status), "exit status %d",
			(int)(entry->end_value & 0xff));
		render_buffer_put_string(out,
			entry->end_value & 0xff ? status : "ended cleanly");
		break;
	case BINLOG_TEXT_EXECUTE:
		put_execution(entry, out);
		break;
	case BINLOG_TEXT_SIGNAL:
		last_words_put_end(
			out, entry->end, entry->end_value, entry->pid);
		break;
	default:
		render_buffer_put_string(out, state_of(entry));
	}
}

void process_list_free(struct process_list *list)
{
	if (!list)
		return;
	free(list->entries);
	pool_free(&list->pool);
	free(list);
}

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

/* Of a forked child nobody has said where it was started. */
bool process_shares_capture(const struct process_entry *entry)
{
	return entry->founded_by && entry->program->host;
}

/* A fork is in the capture of its parent, or of one before that. */
static struct process_entry *parent_of_fork(
	const struct process_list *by_number, const struct process_entry *entry)
{
	const struct program *parent = entry->program->parent;
	struct process_entry *found = NULL;

	if (parent && parent->entry)
		return parent->entry;
	if (entry->program->ppid != 0)
		found = find(by_number, entry, entry->program->ppid);
	return found ? found : entry->founded_by;
}

static struct process_entry *parent_of(
	const struct process_list *by_number, struct process_entry *entry)
{
	struct process_entry *parent;

	if (entry->founded_by && !process_shares_capture(entry))
		return parent_of_fork(by_number, entry);
	parent = predecessor_of(by_number, entry);
	if (parent) {
		parent->end = BINLOG_TEXT_EXECUTE;
		parent->successor = entry;
		return parent;
	}
	parent = find(by_number, entry,
		process_shares_capture(entry) ? entry->program->ppid
					      : entry->page.ppid);
	if (!parent && process_shares_capture(entry))
		return entry->founded_by;
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
