#include "shim/site.h"

#include "shim/bytes.h"
#include "shim/module.h"
#include "shim/redact.h"

/* Calls for which there is a rule, or a level. */

static const struct rule_verdict *verdict_of(
	const struct site *site, const struct capture_text *how)
{
	unsigned priority = 0;

	if (site->verdicts > 1 && how->prefixes > 0)
		priority = (unsigned)how->prefix[0].number % site->verdicts;
	return &site->verdict[priority];
}

/* Whether the short way may have the next calls from there. */
static bool is_special(
	const struct site *site, const struct rule_verdict *verdict)
{
	return site->verdicts > 1 || site->redacts || verdict->rate ||
	       verdict->sample > 1 || verdict->period_ns ||
	       verdict->tee_known || verdict->trigger ||
	       verdict->action != RULE_CAPTURE ||
	       (verdict->level > control_level() && !verdict->action_known);
}

/* Before a record: nobody has to decide any more. */
static void begin(struct writer *w, const struct site *site,
	const struct rule_verdict *verdict)
{
	w->decided = true;
	w->special = is_special(site, verdict);
	w->depth = verdict->depth;
}

static void end(struct writer *w)
{
	w->depth = 0;
	w->special = false;
	w->redaction = NULL;
	w->decided = false;
}

/* How many were not recorded since the last one that was. */
static void tell_suppressed(
	struct writer *w, const struct site_call *call, struct site *site)
{
	uint64_t count;

	if (likely(__atomic_load_n(&site->gate.suppressed, __ATOMIC_RELAXED) ==
		    0))
		return;
	count = __atomic_exchange_n(
		&site->gate.suppressed, 0, __ATOMIC_RELAXED);
	if (count)
		capture_event_inside(w, call->call, call->stream,
			BINLOG_TEXT_SUPPRESSED, (int64_t)count);
}

/* It was recorded, and is to be made as well. */
static bool is_tee(unsigned stream, const struct rule_verdict *verdict)
{
	return verdict->tee_known && verdict->tee && !streams[stream].tee;
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

static int record_format(struct writer *w, const struct site *site,
	const struct call *call, const struct capture_text *how,
	const char *format, va_list arguments)
{
	struct capture_text ours = *how;
	char text[REDACT_TEXT];
	int length;

	if (likely(!site->redacts))
		return capture_inside(w, call, how, format, arguments);
	__atomic_fetch_add(&control_switches->redacted, 1, __ATOMIC_RELAXED);
	if (site->redaction && site->redaction->format) {
		length = capture_redacted(
			w, call, how, site->redaction, format, arguments);
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

int site_format(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	const struct site_call asked = {
		.call = call,
		.stream = how->stream,
		.text = how->text,
		.format = format,
		.length = format ? bytes_length(format) : 0,
	};
	struct site *site = site_find(w, &asked);
	const struct rule_verdict *verdict =
		site ? verdict_of(site, how) : NULL;
	int result;

	if (verdict && verdict->action == RULE_PASS) {
		w->excused = true;
		return CAPTURE_PASS;
	}
	if (verdict && !site_admits(site, verdict))
		return format ? capture_measure(format, arguments) : 0;
	if (!verdict)
		return CAPTURE_PASS;
	begin(w, site, verdict);
	tell_suppressed(w, &asked, site);
	result = record_format(w, site, call, how, format, arguments);
	end(w);
	if (result != CAPTURE_PASS && is_tee(how->stream, verdict)) {
		w->excused = true;
		return CAPTURE_PASS;
	}
	return result;
}

/* ---- bytes ---- */

static bool record_bytes(struct writer *w, const struct site *site,
	const struct site_call *call, const void *bytes, size_t size)
{
	char text[REDACT_TEXT];

	if (likely(!site->redacts))
		return capture_bytes_inside(
			w, call->call, call->stream, call->text, bytes, size);
	__atomic_fetch_add(&control_switches->redacted, 1, __ATOMIC_RELAXED);
	redact_text(text, bytes, size);
	return capture_bytes_inside(w, call->call, call->stream, call->text,
		text, bytes_length(text));
}

bool site_bytes(struct writer *w, const struct call *call, unsigned stream,
	unsigned text, const void *bytes, size_t size)
{
	bool constant = size > 0 && module_is_constant(bytes, size);
	const struct site_call asked = {
		.call = call,
		.stream = stream,
		.text = text,
		.format = constant ? bytes : NULL,
		.length = constant ? size : 0,
	};
	struct site *site = site_find(w, &asked);
	const struct rule_verdict *verdict = site ? &site->verdict[0] : NULL;
	bool done;

	if (verdict && verdict->action == RULE_PASS) {
		w->excused = true;
		return false;
	}
	if (verdict && !site_admits(site, verdict))
		return true;
	if (!verdict)
		return false;
	begin(w, site, verdict);
	tell_suppressed(w, &asked, site);
	done = record_bytes(w, site, &asked, bytes, size);
	end(w);
	if (done && is_tee(stream, verdict)) {
		w->excused = true;
		return false;
	}
	return done;
}
