#include "tools/top/top_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rules/levels.h"
#include "tools/live/changes.h"
#include "tools/live/switching.h"
#include "tools/live/words.h"
#include "tools/top/top_captures.h"
#include "tools/top/top_rows.h"

/*
 * The level, and whether anything is recorded, in all programs that binlog-top
 * shows, as binlog-ctl switches them; in a directory also in those that start
 * later.  Says in one sentence what came of it.
 */

/* A program that logs makes its next call soon; one that sleeps does not. */
#define WAIT_NS 100000000u
#define LOOK_US 1000

struct outcome {
	unsigned applied;
	unsigned later; /* at the next call */
	unsigned refused;
	const char *why;
};

static void switch_one(const struct target *target,
	const struct changes *changes, uint64_t until, struct outcome *sum)
{
	struct switching switching;
	enum switching_outcome outcome =
		switching_begin(&switching, target, changes);

	if (outcome != SWITCHING_DONE) {
		sum->refused++;
		sum->why = switching_why(outcome) ? switching_why(outcome)
						  : strerror(errno);
		switching_end(&switching);
		return;
	}
	while (!switching_is_applied(&switching) && top_now() < until)
		usleep(LOOK_US);
	if (switching_is_applied(&switching))
		sum->applied++;
	else
		sum->later++;
	switching_end(&switching);
}

static void tell(const struct outcome *sum, const char *what, char *sentence,
	size_t size)
{
	int used = snprintf(
		sentence, size, "%s: in force in %u", what, sum->applied);

	if (sum->later > 0)
		used += snprintf(sentence + used, size - (size_t)used,
			", at the next call in %u", sum->later);
	if (sum->refused > 0)
		snprintf(sentence + used, size - (size_t)used,
			"; not in %u: %s", sum->refused, sum->why);
}

/* `word` is one of words.def that changes something, `value` its value or
 * null. */
static void top_switch(const struct top_captures *captures, enum word word,
	const char *value, char *sentence, size_t size)
{
	const struct word_said said = {
		.word = word, .text = value ? value : "", .value = value};
	const char *directory = captures->targets.directory;
	uint64_t until = top_now() + WAIT_NS;
	struct changes changes = {0};
	struct outcome sum = {0};
	const char *why = NULL;
	char what[160];
	size_t i;

	if (!changes_take(&changes, &said)) {
		snprintf(sentence, size, "%s", changes.sentence);
		changes_free(&changes);
		return;
	}
	if (directory)
		why = control_file_merge(directory, &changes);
	for (i = 0; i < captures->count; i++)
		if (captures->all[i]->target.in_use)
			switch_one(&captures->all[i]->target, &changes, until,
				&sum);
	snprintf(what, sizeof(what), "%s%s%s",
		word == WORD_LEVEL ? "level " : "",
		word == WORD_LEVEL ? value
		: word == WORD_OFF ? "off"
				   : "on",
		why ? " (not for what starts later)" : "");
	tell(&sum, what, sentence, size);
	changes_free(&changes);
}

enum {
	KEY_ESCAPE = '\033',
	KEY_BACKSPACE = '\b',
	KEY_DELETE = 127,
	KEY_KILL = 'U' - '@', /* Control-U: the whole answer */
};

enum key {
#define KEY(name, key, shown, help) KEY_##name = key,
#include "tools/top/top_keys.def"
#undef KEY
};

const struct top_key top_keys[] = {
#define KEY(name, key, shown, help) {key, shown, help},
#include "tools/top/top_keys.def"
#undef KEY
};

const size_t top_keys_count = sizeof(top_keys) / sizeof(top_keys[0]);

/* ---- switching ---- */

static void set_switch(
	struct top_typing *typing, enum word word, const char *value)
{
	top_switch(typing->captures, word, value, typing->news,
		sizeof(typing->news));
	typing->looks = true;
}

/* From what the most talkative program records. */
static void shift_level(struct top_typing *typing, int by)
{
	const struct top_sums sums = top_sums_of(typing->captures);
	int level = sums.level + by;

	if (!sums.switched) {
		snprintf(typing->news, sizeof(typing->news),
			"nobody is running who could be switched");
		return;
	}
	if (level > LEVEL_LAST)
		level = LEVEL_LAST;
	set_switch(typing, WORD_LEVEL, level < 0 ? "none" : level_name(level));
}

/* ---- questions ---- */

static void ask(struct top_typing *typing, enum top_question question,
	const char *prompt, const char *answer)
{
	typing->question = question;
	snprintf(typing->answer, sizeof(typing->answer), "%s", answer);
	typing->page->prompt = prompt;
	typing->page->answer = typing->answer;
}

static void stop_asking(struct top_typing *typing)
{
	typing->question = TOP_QUESTION_NONE;
	typing->page->prompt = NULL;
}

static void take_answer(struct top_typing *typing)
{
	if (typing->question == TOP_QUESTION_FILTER) {
		snprintf(typing->settings->filter,
			sizeof(typing->settings->filter), "%s", typing->answer);
		typing->page->scroll = 0;
	} else if (typing->answer[0] != '\0') {
		set_switch(typing, WORD_LEVEL, typing->answer);
	}
	stop_asking(typing);
}

/* A character of several bytes goes as a whole. */
static void take_back(char *answer)
{
	size_t length = strlen(answer);

	while (length > 0 && ((unsigned char)answer[--length] & 0xc0) == 0x80)
		;
	answer[length] = '\0';
}

static void type(struct top_typing *typing, char c)
{
	size_t length = strlen(typing->answer);

	switch (c) {
	case '\r':
	case '\n':
		take_answer(typing);
		break;
	case KEY_ESCAPE:
		stop_asking(typing);
		break;
	case KEY_BACKSPACE:
	case KEY_DELETE:
		take_back(typing->answer);
		break;
	case KEY_KILL:
		typing->answer[0] = '\0';
		break;
	default:
		if ((unsigned char)c < ' ' ||
			length + 1 == sizeof(typing->answer))
			break;
		typing->answer[length] = c;
		typing->answer[length + 1] = '\0';
	}
}

/* ---- keys ---- */

static void scroll(struct top_page *page, long by)
{
	if (by < 0 && page->scroll < (size_t)-by)
		page->scroll = 0;
	else
		page->scroll += (size_t)by;
}

static void press(struct top_typing *typing, char c)
{
	struct top_settings *settings = typing->settings;
	struct top_page *page = typing->page;

	typing->news[0] = '\0';
	switch ((enum key)c) {
	case KEY_QUIT:
		typing->quits = true;
		break;
	case KEY_HELP:
		page->help = !page->help;
		break;
	case KEY_NEXT_VIEW:
		settings->view = (settings->view + 1) % TOP_VIEWS;
		page->scroll = 0;
		break;
	case KEY_SORT:
		settings->sort = (settings->sort + 1) % TOP_SORTS;
		break;
	case KEY_REVERSE:
		settings->reverse = !settings->reverse;
		break;
	case KEY_FILTER:
		ask(typing, TOP_QUESTION_FILTER,
			"show only: ", settings->filter);
		break;
	case KEY_PAUSE:
		page->paused = !page->paused;
		break;
	case KEY_LEVEL:
		ask(typing, TOP_QUESTION_LEVEL, "level: ", "");
		break;
	case KEY_MORE:
		shift_level(typing, 1);
		break;
	case KEY_LESS:
		shift_level(typing, -1);
		break;
	case KEY_RECORD:
		set_switch(typing,
			top_sums_of(typing->captures).off ? WORD_ON : WORD_OFF,
			NULL);
		break;
	case KEY_DOWN:
		scroll(page, 1);
		break;
	case KEY_UP:
		scroll(page, -1);
		break;
	}
}

/* A sequence of a function key, which begins with an escape: how long. */
static size_t take_sequence(
	struct top_typing *typing, const char *bytes, size_t count)
{
	size_t length = 2;

	if (count < 3 || (bytes[1] != '[' && bytes[1] != 'O'))
		return 0;
	while (length < count && (bytes[length] < '@' || bytes[length] > '~'))
		length++;
	if (length == 2 && bytes[2] == 'A')
		scroll(typing->page, -1);
	else if (length == 2 && bytes[2] == 'B')
		scroll(typing->page, 1);
	else if (length == 3 && bytes[2] == '5')
		scroll(typing->page, -(long)typing->page->height);
	else if (length == 3 && bytes[2] == '6')
		scroll(typing->page, (long)typing->page->height);
	return length < count ? length + 1 : count;
}

/* ---- mouse ---- */

#define WHEEL_LINES 3

static void click(struct top_typing *typing, const struct top_mouse *mouse)
{
	struct top_settings *settings = typing->settings;
	struct top_page *page = typing->page;
	enum top_sort sort = top_page_sort_at(mouse->column);

	typing->news[0] = '\0';
	if (page->columns_line == 0 || mouse->line < page->columns_line)
		return;
	if (mouse->line > page->columns_line) {
		page->clicked = mouse->line;
		return;
	}
	if (settings->sort == sort)
		settings->reverse = !settings->reverse;
	else
		settings->reverse = false;
	settings->sort = sort;
}

/* A question in the last line is left alone by clicks. */
static void act(struct top_typing *typing, const struct top_mouse *mouse)
{
	if (mouse->action == TOP_MOUSE_UP)
		scroll(typing->page, -WHEEL_LINES);
	else if (mouse->action == TOP_MOUSE_DOWN)
		scroll(typing->page, WHEEL_LINES);
	else if (mouse->action == TOP_MOUSE_CLICK &&
		 typing->question == TOP_QUESTION_NONE)
		click(typing, mouse);
}

/*
 * As take_sequence().  One that is cut at the end of the bytes is kept until
 * the rest comes: its last bytes may be letters, and are no keys.
 */
static size_t take_report(
	struct top_typing *typing, const char *bytes, size_t count)
{
	struct top_mouse mouse;
	bool cut;
	size_t length;

	if (!typing->page->mouse)
		return 0;
	length = top_mouse_read(bytes, count, &mouse, &cut);
	if (length > 0)
		act(typing, &mouse);
	if (!cut || count > sizeof(typing->cut))
		return length;
	memcpy(typing->cut, bytes, count);
	typing->cut_bytes = count;
	return count;
}

/* How many bytes this takes. */
static size_t take_next(
	struct top_typing *typing, const char *bytes, size_t count)
{
	size_t length = 0;

	if (bytes[0] == KEY_ESCAPE)
		length = take_report(typing, bytes, count);
	if (bytes[0] == KEY_ESCAPE && length == 0)
		length = take_sequence(typing, bytes, count);
	if (length > 0)
		return length;
	if (typing->question != TOP_QUESTION_NONE)
		type(typing, bytes[0]);
	else
		press(typing, bytes[0]);
	return 1;
}

static void take_all(
	struct top_typing *typing, const char *bytes, size_t count)
{
	size_t i = 0;

	while (i < count && !typing->quits) {
		/* What a report begins with.  By itself it is a key only for a
		 * question, and comes alone. */
		if (typing->page->mouse && bytes[i] == KEY_ESCAPE &&
			i + 1 == count &&
			(i > 0 || typing->question == TOP_QUESTION_NONE)) {
			typing->cut[0] = KEY_ESCAPE;
			typing->cut_bytes = 1;
			return;
		}
		i += take_next(typing, bytes + i, count - i);
	}
}

void top_keys_take(struct top_typing *typing, const char *bytes, size_t count)
{
	char whole[TOP_MOUSE_REPORT_MOST];
	size_t kept = typing->cut_bytes;
	size_t more = sizeof(whole) - kept < count ? sizeof(whole) - kept
						   : count;

	if (kept == 0 || count == 0) {
		take_all(typing, bytes, count);
		return;
	}
	memcpy(whole, typing->cut, kept);
	memcpy(whole + kept, bytes, more);
	typing->cut_bytes = 0;
	take_all(typing, whole, kept + more);
	if (more < count)
		top_keys_take(typing, bytes + more, count - more);
}
