#include "tools/live/words.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/suggest.h"
#include "record/file_growth.h"
#include "rules/rules.h"

/*
 * The text of the rules that a process obeys: in its capture file, in a block
 * of a writer that is no thread, so that a capture says under which rules it
 * was made.  Called by switching.c and status.c.  Promises that no text is
 * changed once it is there, and that the file grows by the agreement of those
 * who write to it (record/file_growth.h).
 */

/* How often it is looked whether others have made the file longer. */
enum { TRIES = 400 };
/* An anchor between whose clocks we were interrupted is taken again. */
enum { ANCHOR_TRIES = 20, ANCHOR_NS = 2000 };

/* What is before the text. */
#define HEADS (sizeof(struct binlog_block) + sizeof(struct binlog_control_head))

_Static_assert(HEADS + RULES_TEXT_MAX + BINLOG_PAGE <= BINLOG_BLOCK_MAX, "");

/* ---- reading ---- */

static char *read_text(int fd, uint64_t at, size_t bytes)
{
	char *text = malloc(bytes);
	ssize_t n = 0;

	if (text)
		n = pread(fd, text, bytes, (off_t)at);
	if (text && n == (ssize_t)bytes)
		return text;
	if (n >= 0)
		errno = text ? ENODATA : ENOMEM;
	free(text);
	return NULL;
}

char *rules_text_read(
	int fd, const struct binlog_switches *switches, size_t *bytes)
{
	/* once: they may be on a page that its program stores to */
	uint32_t size =
		__atomic_load_n(&switches->rules_bytes, __ATOMIC_RELAXED);
	uint64_t at = __atomic_load_n(&switches->rules_at, __ATOMIC_RELAXED);

	*bytes = 0;
	errno = 0;
	if (size == 0)
		return NULL;
	if (size > RULES_TEXT_MAX || at > (uint64_t)INT64_MAX - size) {
		errno = ENODATA;
		return NULL;
	}
	*bytes = size;
	return read_text(fd, at, size);
}

/* ---- the time ---- */

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* As the library that has made the capture counts them. */
static uint64_t ticks_of(const struct binlog_header *header)
{
	if (header->clock != BINLOG_CLOCK_TSC)
		return nanoseconds(CLOCK_MONOTONIC);
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#endif
}

static struct binlog_anchor anchor_of(const struct binlog_header *header)
{
	struct binlog_anchor anchor;
	int i;

	for (i = 0; i < ANCHOR_TRIES; i++) {
		anchor.monotonic = nanoseconds(CLOCK_MONOTONIC);
		anchor.boottime = nanoseconds(CLOCK_BOOTTIME);
		anchor.realtime = nanoseconds(CLOCK_REALTIME);
		anchor.ticks = ticks_of(header);
		if (nanoseconds(CLOCK_MONOTONIC) - anchor.monotonic < ANCHOR_NS)
			break;
	}
	return anchor;
}

/* ---- room in the file ---- */

/* To `wanted`, unless another one is under way to less than that.  False: it
 * cannot be done. */
static bool lengthen(int fd, struct file_growth *growth, uint64_t wanted)
{
	uint64_t goal = __atomic_load_n(&growth->goal, __ATOMIC_ACQUIRE);
	uint64_t on_the_way = goal & ~FILE_GROWERS;
	bool done = true;

	if ((goal & FILE_GROWERS) == FILE_GROWERS ||
		((goal & FILE_GROWERS) != 0 && on_the_way < wanted)) {
		usleep(100);
		return true;
	}
	if ((goal & FILE_GROWERS) != 0)
		wanted = on_the_way;
	if (!file_growth_join(growth, goal, wanted))
		return true;
	if (wanted > __atomic_load_n(&growth->size, __ATOMIC_ACQUIRE)) {
		done = ftruncate(fd, (off_t)wanted) == 0;
		if (done)
			file_growth_note(growth, wanted);
	}
	file_growth_leave(growth);
	return done;
}

/* The file has so many bytes at least; false: errno. */
static bool reach(int fd, struct binlog_header *header, uint64_t end)
{
	struct file_growth *growth = file_growth_of(header);
	int i;

	for (i = 0; i < TRIES; i++) {
		if (__atomic_load_n(&growth->size, __ATOMIC_ACQUIRE) >= end)
			return true;
		if (!lengthen(fd, growth, end))
			return false;
	}
	errno = EBUSY;
	return false;
}

/* As the library claims the place of a block. */
static uint64_t claim(struct binlog_header *header, uint64_t size)
{
	return __atomic_fetch_add(&header->next, size, __ATOMIC_RELAXED);
}

/* Unless somebody has claimed the next one. */
static void give_back(struct binlog_header *header, uint64_t at, uint64_t size)
{
	uint64_t next = at + size;

	__atomic_compare_exchange_n(&header->next, &next, at, false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* ---- writing ---- */

static bool write_all(int fd, const char *bytes, size_t size, uint64_t at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(
			fd, bytes + done, size - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ENOSPC;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* All but its magic.  `block` is zeros; `size` is all of it. */
static void fill(struct binlog_block *block, struct binlog_header *header,
	uint32_t size, const char *text, size_t bytes)
{
	struct binlog_control_head *head = (void *)(block + 1);

	block->size = size;
	block->nonce = header->nonce;
	block->pid = header->pid;
	block->writer =
		__atomic_fetch_add(&header->next_writer, 1, __ATOMIC_RELAXED);
	block->anchor = anchor_of(header);
	block->core = (uint32_t)sched_getcpu();
	head->kind = BINLOG_RULES;
	head->size = (uint32_t)(sizeof(*head) + ((bytes + 3) & ~(size_t)3));
	memcpy(head + 1, text, bytes);
}

/* The magic comes last, as everywhere. */
static bool put_block(int fd, struct binlog_header *header,
	const struct binlog_block *block, uint64_t at)
{
	const uint32_t magic = BINLOG_BLOCK_MAGIC;

	if (!reach(fd, header, at + block->size) ||
		!write_all(fd, (const char *)block, block->size, at) ||
		!write_all(fd, (const char *)&magic, sizeof(magic), at))
		return false;
	__atomic_fetch_add(&header->published, block->size, __ATOMIC_RELEASE);
	return true;
}

bool rules_text_write(int fd, struct binlog_header *header, const char *text,
	size_t bytes, uint64_t *at)
{
	size_t size =
		(HEADS + bytes + BINLOG_PAGE) & ~(size_t)(BINLOG_PAGE - 1);
	struct binlog_block *block;
	uint64_t place;
	bool done;
	int reason;

	block = calloc(1, size);
	if (!block)
		return false;
	place = claim(header, size);
	fill(block, header, (uint32_t)size, text, bytes);
	errno = ENODATA;
	/* Never over the header, whatever it says. */
	done = place >= BINLOG_PAGE && put_block(fd, header, block, place);
	reason = errno;
	if (!done)
		give_back(header, place, size);
	free(block);
	errno = reason;
	*at = place + HEADS;
	return done;
}

static const struct {
	const char *text;
	enum word_form form;
	const char *argument;
	const char *help;
} words[] = {
#define WORD(name, text, form, argument, help)                                 \
	[WORD_##name] = {text, form, argument, help},
#include "tools/live/words.def"
#undef WORD
};

enum { WORDS = sizeof(words) / sizeof(*words) };

/* WORDS: there is no such word. */
static size_t find(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		if (strlen(words[i].text) == length &&
			strncmp(words[i].text, text, length) == 0)
			break;
	return i;
}

/* Good until the next call. */
static const char *complain(const char *text, size_t length)
{
	static char sentence[96];
	const char *names[WORDS];
	char given[SUGGEST_LENGTH_MAX + 1];
	const char *near;
	size_t i;

	for (i = 0; i < WORDS; i++)
		names[i] = words[i].text;
	snprintf(given, sizeof(given), "%.*s",
		length > SUGGEST_LENGTH_MAX ? 0 : (int)length, text);
	near = suggest_nearest(given, names, WORDS);
	snprintf(sentence, sizeof(sentence),
		"no such word: %s%s%ssee binlog-ctl --help",
		near ? "did you mean " : "", near ? near : "",
		near ? "? or " : "");
	return sentence;
}

static bool takes_next(
	enum word_form form, char *const *arguments, size_t count)
{
	if (form == WORD_NEXT)
		return count > 0;
	return form == WORD_MAYBE && count > 0 && strcmp(*arguments, "-") == 0;
}

const char *words_next(
	char *const **arguments, size_t *count, struct word_said *said)
{
	const char *text = **arguments;
	size_t length = strcspn(text, "=");
	size_t word = find(text, length);

	(*arguments)++;
	(*count)--;
	*said = (struct word_said){.text = text};
	if (word == WORDS && strpbrk(text, " \t\n")) {
		said->word = WORD_RULE;
		said->value = text;
		return NULL;
	}
	if (word == WORDS)
		return complain(text, length);
	said->word = (enum word)word;
	if (text[length] == '=') {
		said->value = text + length + 1;
	} else if (takes_next(words[word].form, *arguments, *count)) {
		said->value = *(*arguments)++;
		(*count)--;
	}
	if (words[word].form == WORD_ALONE && said->value)
		return "it takes no value: leave that out";
	if (words[word].form == WORD_VALUE && !said->value)
		return "its value is missing: see binlog-ctl --help";
	if (words[word].form == WORD_NEXT && !said->value)
		return "what it is about is missing: see binlog-ctl --help";
	return NULL;
}

void words_help(char *buffer, size_t size)
{
	size_t used = 0;
	size_t i;

	*buffer = '\0';
	for (i = 0; i < WORDS && used < size; i++) {
		char left[32];

		snprintf(left, sizeof(left), "%s%s", words[i].text,
			words[i].argument);
		used += (size_t)snprintf(buffer + used, size - used,
			"  %-15s %s\n", left, words[i].help);
	}
}
