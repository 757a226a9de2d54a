#include "decoder/message/event_words.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "record/layout.h"

#define NS 1000000000u

/*
 * How a process ended, in words: the events SIGNAL and EXIT of text.def.
 * Used by the styles that show lines.
 */

/* What the value of a SIGNAL holds: see text.def. */
struct death {
	int number;
	int code;	 /* SI_... or that of a fault */
	uint64_t detail; /* address, system call or sender */
};

static struct death read_death(int64_t value)
{
	struct death death = {
		.number = (int)(value & 0xff),
		.code = (int)(value >> 8 & 0xff),
		/* The address of a fault may be one of the kernel's. */
		.detail = (uint64_t)(value >> 16),
	};

	/* Only SI_KERNEL is positive and has the highest bit. */
	if (death.code > SI_KERNEL)
		death.code -= 256;
	return death;
}

bool last_words_is_end(unsigned text)
{
	return text == BINLOG_TEXT_EXIT || text == BINLOG_TEXT_LEFT ||
	       text == BINLOG_TEXT_EXECUTE || text == BINLOG_TEXT_SIGNAL;
}

bool last_words_are(const struct message *message)
{
	int64_t value = message_event_value(message);

	switch (message->context->text) {
	case BINLOG_TEXT_SIGNAL:
		return true;
	case BINLOG_TEXT_EXIT:
	case BINLOG_TEXT_LEFT:
		return (value & 0xff) != 0;
	default:
		return false;
	}
}

static void put_name(struct render_buffer *out, int number)
{
	/* <asm-generic/signal.h>; sigabbrev_np(3) is of glibc 2.32. */
	static const char *const names[] = {[SIGHUP] = "HUP",
		[SIGINT] = "INT",
		[SIGQUIT] = "QUIT",
		[SIGILL] = "ILL",
		[SIGTRAP] = "TRAP",
		[SIGABRT] = "ABRT",
		[SIGBUS] = "BUS",
		[SIGFPE] = "FPE",
		[SIGKILL] = "KILL",
		[SIGUSR1] = "USR1",
		[SIGSEGV] = "SEGV",
		[SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE",
		[SIGALRM] = "ALRM",
		[SIGTERM] = "TERM",
		[SIGSTKFLT] = "STKFLT",
		[SIGCHLD] = "CHLD",
		[SIGCONT] = "CONT",
		[SIGSTOP] = "STOP",
		[SIGTSTP] = "TSTP",
		[SIGTTIN] = "TTIN",
		[SIGTTOU] = "TTOU",
		[SIGURG] = "URG",
		[SIGXCPU] = "XCPU",
		[SIGXFSZ] = "XFSZ",
		[SIGVTALRM] = "VTALRM",
		[SIGPROF] = "PROF",
		[SIGWINCH] = "WINCH",
		[SIGPOLL] = "POLL",
		[SIGPWR] = "PWR",
		[SIGSYS] = "SYS"};
	char text[32];

	if (number > 0 && (size_t)number < sizeof(names) / sizeof(names[0])) {
		render_buffer_put_string(out, "SIG");
		render_buffer_put_string(out, names[number]);
		return;
	}
	snprintf(text, sizeof(text), "signal %d", number);
	render_buffer_put_string(out, text);
}

static bool has_address(const struct death *death)
{
	switch (death->number) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
		return true;
	default:
		return false;
	}
}

/* A fault has an address, unless it was none that the processor tells. */
static void put_fault(struct render_buffer *out, const struct death *death)
{
	char text[64];

	if (death->number == SIGSYS)
		snprintf(text, sizeof(text), " (system call %" PRIu64 ")",
			death->detail);
	else if (has_address(death) && death->code != SI_KERNEL)
		snprintf(text, sizeof(text), " (address 0x%" PRIx64 ")",
			death->detail);
	else
		return;
	render_buffer_put_string(out, text);
}

/* What a process does to itself goes without saying. */
static void put_sender(
	struct render_buffer *out, const struct death *death, uint32_t pid)
{
	char text[64];

	if (death->code != SI_USER && death->code != SI_QUEUE &&
		death->code != SI_TKILL)
		return;
	if (death->detail == pid)
		return;
	snprintf(text, sizeof(text), " (sent by process %" PRIu64 ")",
		death->detail);
	render_buffer_put_string(out, text);
}

static void put_death(struct render_buffer *out, int64_t value, uint32_t pid)
{
	const struct death death = read_death(value);

	render_buffer_put_string(out, "killed by ");
	put_name(out, death.number);
	if (death.code > 0)
		put_fault(out, &death);
	else
		put_sender(out, &death, pid);
}

void last_words_put_end(
	struct render_buffer *out, unsigned text, int64_t value, uint32_t pid)
{
	char words[32];

	if (text == BINLOG_TEXT_SIGNAL) {
		put_death(out, value, pid);
		return;
	}
	if (text == BINLOG_TEXT_EXECUTE) {
		render_buffer_put_string(out, "executed another program");
		return;
	}
	snprintf(words, sizeof(words), "exited with status %d",
		(int)(value & 0xff));
	render_buffer_put_string(out, words);
}

void last_words_put(const struct message *message, struct render_buffer *out)
{
	last_words_put_end(out, message->context->text,
		message_event_value(message), message->pid);
}

bool event_words_may_be(unsigned text)
{
	return text == BINLOG_TEXT_SUPPRESSED || text == BINLOG_TEXT_WINDOW ||
	       text == BINLOG_TEXT_CANCELLED || text == BINLOG_TEXT_LOST ||
	       last_words_is_end(text);
}

bool event_words_are(const struct message *message)
{
	return event_words_are_of_call(message) ||
	       message->context->text == BINLOG_TEXT_CANCELLED ||
	       last_words_are(message);
}

bool event_words_are_of_process(const struct message *message)
{
	return last_words_is_end(message->context->text);
}

bool event_words_are_of_call(const struct message *message)
{
	const unsigned text = message->context->text;

	return text == BINLOG_TEXT_SUPPRESSED || text == BINLOG_TEXT_WINDOW ||
	       text == BINLOG_TEXT_LOST;
}

const char *event_words_name(const struct message *message)
{
	switch (message->context->text) {
	case BINLOG_TEXT_LOST:
		return "lost";
	case BINLOG_TEXT_WINDOW:
		return "window";
	case BINLOG_TEXT_SUPPRESSED:
		return "suppressed";
	case BINLOG_TEXT_CANCELLED:
		return "cancelled";
	default:
		return "end";
	}
}

/* When they were said is not known: between two others. */
static void put_lost(const struct message *message, struct render_buffer *out)
{
	uint64_t since =
		message->count > 1 ? (uint64_t)message->arguments[1].i64 : 0;
	char text[96];

	snprintf(text, sizeof(text),
		"(%" PRId64 " lost in the last %" PRIu64 ".%09" PRIu64 " s)",
		message_event_value(message), since / NS, since % NS);
	render_buffer_put_string(out, text);
}

static void put_cancelled(
	const struct message *message, struct render_buffer *out)
{
	int64_t by = message_event_value(message);
	char text[64] = "thread cancelled";

	if (by == message->tid)
		snprintf(text, sizeof(text), "thread cancelled by itself");
	else if (by != 0)
		snprintf(text, sizeof(text),
			"thread cancelled by thread %" PRId64, by);
	render_buffer_put_string(out, text);
}

void event_words_put(const struct message *message, struct render_buffer *out)
{
	char text[64];

	if (message->text) {
		render_buffer_put(
			out, message->text->data, message->text->length);
		return;
	}
	if (message->context->text == BINLOG_TEXT_CANCELLED) {
		put_cancelled(message, out);
		return;
	}
	if (!event_words_are_of_call(message)) {
		last_words_put(message, out);
		return;
	}
	if (message->context->text == BINLOG_TEXT_LOST) {
		put_lost(message, out);
		return;
	}
	snprintf(text, sizeof(text),
		message->context->text == BINLOG_TEXT_WINDOW
			? "(%" PRId64 "x, a window begins)"
			: "(%" PRId64 "x)",
		message_event_value(message));
	render_buffer_put(out, text, strlen(text));
}
