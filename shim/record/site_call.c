#include "shim/record/site.h"

#include "shim/host/bytes.h"
#include "shim/host/clock.h"
#include "shim/host/module.h"
#include "shim/record/arguments.h"
#include "shim/record/mark.h"
#include "shim/record/redact.h"
#include "shim/writer/define.h"
#include "shim/writer/pace.h"
#include "shim/writer/ring_trigger.h"

/* Calls for which there is a rule, or a level. */

static unsigned priority_of(const struct capture_text *how)
{
	return how->prefixes > 0 ? (unsigned)how->prefix[0].number : 0;
}

/* A rule wants it to be written. */
static void excuse(struct writer *w)
{
	w->excused = true;
	streams_want();
	writer_note_passed();
}

/* Before a record: nobody has to decide any more. */
static void begin(struct writer *w, const struct site_decision *decision)
{
	w->decided = true;
	w->special = decision->special;
	w->depth = decision->decided.depth;
	w->ruled_level = decision->decided.level_known
				 ? (uint8_t)(decision->decided.level + 1)
				 : 0;
}

static void end(struct writer *w)
{
	w->depth = 0;
	w->ruled_level = 0;
	w->special = false;
	w->redaction = NULL;
	w->decided = false;
}

/* 0: there is none that it belongs to, and it is sampled in turn. */
static uint64_t request_of(const struct writer *w,
	const struct site_decision *decision, va_list *arguments)
{
	const struct rule_mark any = {
		.name = 1, .argument = decision->decided.sample_by};

	if (likely(!any.argument))
		return 0;
	if (any.argument == SAMPLE_BY_THREAD)
		return mark_of_thread(&any, w->tid);
	return arguments ? mark_of_argument(&any, decision->plan, *arguments)
			 : 0;
}

/* How many were not recorded since the last one that was. */
static void tell_suppressed(struct writer *w, const struct site_call *call,
	struct site *site, const struct rule_decision *decided)
{
	uint64_t count;

	if (likely(__atomic_load_n(&site->gate.suppressed, __ATOMIC_RELAXED) ==
		    0))
		return;
	count = __atomic_exchange_n(
		&site->gate.suppressed, 0, __ATOMIC_RELAXED);
	if (count)
		capture_event_inside(w, call->call, call->stream,
			decided->period_ns ? BINLOG_TEXT_WINDOW
					   : BINLOG_TEXT_SUPPRESSED,
			(int64_t)count);
}

/* ---- after a record ---- */

static uint64_t key_of(const struct rule_mark *mark, const struct writer *w,
	const struct site_decision *decision, struct arguments_list *given)
{
	if (!mark->argument)
		return mark_of_thread(mark, w->tid);
	return given ? mark_of_argument(mark, decision->plan, given->ap) : 0;
}

/* *ticks: how long ago its mark was set; false: not too long ago, or not at
 * all. */
static bool is_late(const struct rule_decision *decided, uint64_t key,
	uint64_t now, uint64_t *ticks)
{
	struct mark_table *marks = key ? site_marks() : NULL;
	uint64_t then = marks ? mark_take(marks, key) : 0;

	*ticks = then && then < now ? now - then : 0;
	return then && *ticks > pace_ticks(decided->over_ns);
}

static void trigger(const struct writer *w,
	const struct site_decision *decision, struct arguments_list *given,
	uint64_t now)
{
	const struct rule_decision *decided = &decision->decided;
	struct ring_event event = {
		.cause = BINLOG_CAUSE_RULE,
		.before_ns = decided->before_ns,
		.after_ns = decided->after_ns,
		.rule_bytes = decided->trigger_bytes,
	};

	if (decision->rules_at)
		event.rule_at = decision->rules_at + decided->trigger_start;
	if (!decided->since.name ||
		is_late(decided, key_of(&decided->since, w, decision, given),
			now, &event.ticks))
		ring_trigger(&event);
}

static void set_mark(const struct writer *w,
	const struct site_decision *decision, struct arguments_list *given,
	uint64_t now)
{
	uint64_t key = key_of(&decision->decided.mark, w, decision, given);
	struct mark_table *marks = key ? site_marks() : NULL;

	if (marks)
		mark_set(marks, key, now);
}

/* True if the call is to be made as well.  `given` is null if it has no
 * arguments. */
static bool follow_up(struct writer *w, unsigned stream,
	const struct site_decision *decision, struct arguments_list *given)
{
	const struct rule_decision *decided = &decision->decided;
	uint64_t now;

	end(w);
	if (unlikely(decided->trigger || decided->mark.name)) {
		now = clock_ticks();
		if (decided->trigger)
			trigger(w, decision, given, now);
		if (decided->mark.name)
			set_mark(w, decision, given, now);
	}
	w->excused = decided->tee_known && decided->tee && !streams[stream].tee;
	if (w->excused)
		streams_want();
	return w->excused;
}

/* ---- formats ---- */

/* Nothing but the length of the text is recorded. */
static int format_hidden(struct writer *w, const struct call *call,
	const struct capture_text *how, int length, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, length);
	result = capture_inside(w, call, how, "%s", arguments);
	va_end(arguments);
	return result == CAPTURE_PASS ? result : length;
}

static bool ends_line(const char *format)
{
	size_t length = bytes_length(format);

	return length > 0 && format[length - 1] == '\n';
}

static int record_format(struct writer *w, const struct site_decision *decision,
	const struct call *call, const struct capture_text *how,
	const char *format, va_list arguments)
{
	const struct redaction *redaction = decision->redaction;
	struct capture_text ours = *how;
	char text[REDACT_TEXT];
	int length;

	if (likely(!decision->redacts))
		return capture_inside(w, call, how, format, arguments);
	if (!format) /* its parts are redacted */
		return CAPTURE_PASS;
	__atomic_fetch_add(&control_switches->redacted, 1, __ATOMIC_RELAXED);
	if (redaction && redaction->format) {
		length = capture_redacted(
			w, call, how, redaction, format, arguments);
		if (length != CAPTURE_AT_ONCE)
			return length;
	}
	length = capture_measure(format, arguments);
	if (length < 0)
		return CAPTURE_PASS;
	ours.permanent = true;
	redact_length(text, (size_t)length, ends_line(format));
	return format_hidden(w, call, &ours, length, text);
}

/* -1: it depends on the arguments. */
static int constant_length(const char *format, size_t length)
{
	if (!format || length > DEFINE_STRING_MAX)
		return -1;
	for (size_t i = 0; i < length; i++)
		if (format[i] == '%')
			return -1;
	return (int)length;
}

int site_format(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	const struct site_call asked = {
		.call = call,
		.stream = how->stream,
		.text = how->text,
		.format = format,
		.length = format ? bytes_length(format) : 0,
		.priority = priority_of(how),
	};
	uint32_t version = __atomic_load_n(
		&streams_version[call->entry], __ATOMIC_ACQUIRE);
	uint32_t generation;
	struct site_decision decision;
	struct site *site = site_find(w, &asked, &decision, &generation);
	struct arguments_list given;
	uint64_t request = 0;
	int result;

	if (!site)
		return CAPTURE_PASS;
	if (decision.decided.action == RULE_PASS) {
		excuse(w);
		return CAPTURE_PASS;
	}
	if (unlikely(decision.decided.sample_by)) {
		va_copy(given.ap, arguments);
		request = request_of(w, &decision, &given.ap);
		va_end(given.ap);
	}
	if (!site_admits(site, &decision, request)) {
		site_switch_off(site, generation, &decision, &asked, version,
			constant_length(format, asked.length));
		return decision.result_used && format
			       ? capture_measure(format, arguments)
			       : 0;
	}
	begin(w, &decision);
	tell_suppressed(w, &asked, site, &decision.decided);
	va_copy(given.ap, arguments);
	result = record_format(w, &decision, call, how, format, arguments);
	if (result == CAPTURE_PASS)
		end(w);
	else if (follow_up(w, how->stream, &decision, &given))
		result = CAPTURE_PASS;
	va_end(given.ap);
	return result;
}

/* ---- bytes ---- */

static bool record_bytes(struct writer *w, const struct site_decision *decision,
	const struct site_call *call, const void *bytes, size_t size)
{
	char text[REDACT_TEXT];

	if (likely(!decision->redacts))
		return capture_bytes_inside(
			w, call->call, call->stream, call->text, bytes, size);
	__atomic_fetch_add(&control_switches->redacted, 1, __ATOMIC_RELAXED);
	redact_text(text, bytes, size);
	return capture_bytes_inside(w, call->call, call->stream, call->text,
		text, bytes_length(text));
}

/* What puts() and fputs() return; of others -1. */
static int bytes_result(const struct call *call, size_t size, bool constant)
{
	if (call->entry == ENTRY_FPUTS || call->entry == ENTRY_FPUTS_UNLOCKED)
		return 1;
	return call->entry == ENTRY_PUTS && constant && size < INT_MAX
		       ? (int)size + 1
		       : -1;
}

bool site_bytes(struct writer *w, const struct call *call, unsigned stream,
	unsigned text, const void *bytes, size_t size)
{
	bool constant = size > 0 && module_is_constant(bytes, size);
	const char *format = call->format ? call->format
			     : constant	  ? bytes
					  : NULL;
	const struct site_call asked = {
		.call = call,
		.stream = stream,
		.text = text,
		.format = format,
		.length = call->format ? bytes_length(format)
			  : constant   ? size
				       : 0,
	};
	uint32_t version = __atomic_load_n(
		&streams_version[call->entry], __ATOMIC_ACQUIRE);
	uint32_t generation;
	struct site_decision decision;
	struct site *site = site_find(w, &asked, &decision, &generation);
	bool done;

	if (!site)
		return false;
	if (decision.decided.action == RULE_PASS) {
		excuse(w);
		return false;
	}
	if (!site_admits(site, &decision, request_of(w, &decision, NULL))) {
		site_switch_off(site, generation, &decision, &asked, version,
			bytes_result(call, size, constant));
		return true;
	}
	begin(w, &decision);
	tell_suppressed(w, &asked, site, &decision.decided);
	done = record_bytes(w, &decision, &asked, bytes, size);
	if (!done)
		end(w);
	return done && !follow_up(w, stream, &decision, NULL);
}

enum site_answer site_ask(
	struct writer *w, const struct call *call, unsigned stream)
{
	const struct site_call asked = {
		.call = call, .stream = stream, .text = BINLOG_TEXT_BYTES_AT};
	uint32_t generation;
	struct site_decision decision;
	struct site *site = site_find(w, &asked, &decision, &generation);

	if (!site)
		return SITE_PASS;
	if (decision.decided.action == RULE_PASS) {
		excuse(w);
		return SITE_PASS;
	}
	if (!site_admits(site, &decision, request_of(w, &decision, NULL)))
		return SITE_DROP;
	if (!decision.redacts)
		return SITE_RECORD;
	__atomic_fetch_add(&control_switches->redacted, 1, __ATOMIC_RELAXED);
	return SITE_HIDE;
}
