#include "shim/record/site.h"

#include "record/format.h"
#include "record/hash.h"
#include "rules/rule_redact.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/module.h"
#include "shim/record/mark.h"
#include "shim/record/redact.h"
#include "shim/record/result_use.h"
#include "shim/writer/pace.h"

/*
 * What was decided about a place, read as a whole while another thread may
 * decide anew: a call that is under way goes by the rules and the level of one
 * moment.  For site.c alone; lock-free, async-signal-safe.
 */

/* So many calls of a stack rules look at: a memo has the proof of no more. */
static unsigned frames_asked(void)
{
	unsigned depth = control_depth(process.depth);

	return depth < RULES_FRAMES_MAX ? depth : RULES_FRAMES_MAX;
}

/* A memo would be found again with another stack than was decided about. */
static bool is_beyond_memo(const struct rule_decision *decided)
{
	return decided->by_stack && decided->depth &&
	       decided->depth < frames_asked();
}

static bool is_plain(const struct rule_decision *decided, int level)
{
	return decided->action == RULE_CAPTURE && decided->level <= level &&
	       !decided->rate && decided->sample <= 1 && !decided->period_ns &&
	       !decided->tee_known && !decided->trigger &&
	       !decided->mark.name && !is_beyond_memo(decided);
}

/* What syslog() is told below the level does not get as far as here. */
/* By the same, when all else is decided: whether the short way may not have the
 * next calls from there. */
static bool site_is_special(const struct site *site)
{
	if (site->redacts || (site->decisions == 1 &&
				     !is_plain(&site->decided[0], site->level)))
		return true;
	for (int i = 0; site->decisions > 1 && i < site->decisions; i++)
		if (!is_plain(&site->decided[i], i) ||
			site->decided[i].depth != site->decided[0].depth ||
			site->decided[i].level_known ||
			site->decided[0].level_known)
			return true;
	return false;
}

/* By words: another thread may be at it. */
#define DECISION_WORDS (sizeof(struct rule_decision) / sizeof(uint64_t))
_Static_assert(sizeof(struct rule_decision) % sizeof(uint64_t) == 0, "");

union decision_words {
	struct rule_decision decided;
	uint64_t word[DECISION_WORDS];
};

/* By who decides, who is alone; `site->generation` is 0 meanwhile. */
static void site_set_decided(
	struct rule_decision *to, const struct rule_decision *decided)
{
	uint64_t *word = (uint64_t *)(void *)to;
	const union decision_words from = {.decided = *decided};

	for (unsigned i = 0; i < DECISION_WORDS; i++)
		__atomic_store_n(&word[i], from.word[i], __ATOMIC_RELEASE);
}

static void get_decided(
	struct rule_decision *to, const struct rule_decision *from)
{
	const uint64_t *word = (const uint64_t *)(const void *)from;
	union decision_words copy;

	for (unsigned i = 0; i < DECISION_WORDS; i++)
		copy.word[i] = __atomic_load_n(&word[i], __ATOMIC_ACQUIRE);
	*to = copy.decided;
}

/* The same of a place that nobody else knows. */
static void site_copy_decision(
	const struct site *site, unsigned priority, struct site_decision *to)
{
	get_decided(&to->decided, &site->decided[priority % site->decisions]);
	to->redaction = __atomic_load_n(&site->redaction, __ATOMIC_ACQUIRE);
	to->plan = __atomic_load_n(&site->plan, __ATOMIC_ACQUIRE);
	to->rules_at = __atomic_load_n(&site->rules_at, __ATOMIC_ACQUIRE);
	to->level = __atomic_load_n(&site->level, __ATOMIC_ACQUIRE);
	to->redacts = __atomic_load_n(&site->redacts, __ATOMIC_ACQUIRE);
	to->special = __atomic_load_n(&site->special, __ATOMIC_ACQUIRE);
	to->result_used = __atomic_load_n(&site->result_used, __ATOMIC_ACQUIRE);
}

/* By any thread; false: somebody decides anew meanwhile. */
static bool site_read_decision(
	const struct site *site, unsigned priority, struct site_decision *to)
{
	uint32_t changes = __atomic_load_n(&site->changes, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&site->generation, __ATOMIC_ACQUIRE) == 0)
		return false;
	site_copy_decision(site, priority, to);
	return __atomic_load_n(&site->changes, __ATOMIC_ACQUIRE) == changes;
}

#define BUCKETS 512u
/* More places than that, as with formats that are made: decided each time. */
#define SITES_MAX 16384u
#define DECISIONS_MAX 8u

struct site_table {
	uint32_t used;
	struct mark_table *marks; /* null: none was set so far */
	struct site *bucket[BUCKETS];
};

static struct site_table *table_of_process(void)
{
	struct process_self *self = process_self();
	struct site_table *none = NULL;
	struct site_table *table =
		__atomic_load_n(&self->sites, __ATOMIC_ACQUIRE);

	if (table)
		return table;
	table = arena_take(sizeof(*table));
	if (!table || __atomic_compare_exchange_n(&self->sites, &none, table,
			      false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return table;
	return none;
}

struct mark_table *site_marks(void)
{
	struct site_table *table = table_of_process();
	struct mark_table *none = NULL;
	struct mark_table *marks =
		table ? __atomic_load_n(&table->marks, __ATOMIC_ACQUIRE) : NULL;

	if (marks || !table)
		return marks;
	marks = arena_take(sizeof(*marks));
	if (!marks || __atomic_compare_exchange_n(&table->marks, &none, marks,
			      false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return marks;
	return none;
}

/* ---- what rules ask for ---- */

/* One file behind both (a terminal, 2>&1): the descriptor tells which. */
static bool is_on_stderr(const struct stream *stream)
{
	return stream->flags & BINLOG_STREAM_STDERR &&
	       (!(stream->flags & BINLOG_STREAM_STDOUT) || stream->fd == 2);
}

static int level_by_function(const char *name, const struct stream *stream)
{
	if (bytes_starts(name, "err") || bytes_starts(name, "verr") ||
		bytes_starts(name, "perror") || bytes_starts(name, "psig") ||
		bytes_starts(name, "__assert"))
		return LEVEL_err;
	if (bytes_starts(name, "warn") || bytes_starts(name, "vwarn"))
		return LEVEL_warning;
	return is_on_stderr(stream) ? LEVEL_warning : LEVEL_info;
}

static int infer_level(const struct site_call *call)
{
	int level =
		level_by_function(call->call->function, &streams[call->stream]);

	return call->format ? level_of_text(call->format, call->length, level)
			    : level;
}

/* What a decision is made by: all of one moment. */
struct asked {
	const struct site_call *call;
	uint32_t generation; /* rules that come after it have a later one */
	struct control_force force;
	uint64_t through; /* as of struct site */
	unsigned frames_count;
	struct rule_frame frames[RULES_FRAMES_MAX];
};

static void place_frame(
	struct rule_frame *frame, const struct module *module, uintptr_t pc)
{
	frame->module = *module->path ? module->path : process_executable();
	frame->build_id = module->build_id;
	frame->build_id_bytes = module->build_id_bytes;
	frame->offset = pc - module->bias;
}

/* A call that returns there, if rules ask for it. */
static void ask_frame(struct asked *asked, uintptr_t pc)
{
	const struct rules *rules = asked->force.rules;
	struct rule_frame *frame = &asked->frames[asked->frames_count];
	struct module module;

	if (!rules_may_have_frame(rules, pc - 1) ||
		!module_find(pc - 1, &module))
		return;
	place_frame(frame, &module, pc - 1);
	if (!rules_have_frame(rules, frame))
		return;
	asked->frames_count++;
	asked->through = binlog_hash_word(asked->through, pc) | 1;
}

/* Where the program has been interrupted by a signal it was in no call. */
static void ask_stack(struct writer *w, struct asked *asked)
{
	const struct call *call = asked->call->call;
	const struct unwind_start start = {call->pc, call->sp, call->fp};
	const struct unwind_trace *trace = w->trace;

	if (!asked->force.rules || !rules_ask_stack(asked->force.rules))
		return;
	unwind_walk(&start, frames_asked(), w->unwind_cache, w->trace);
	for (unsigned i = 0; i < trace->depth; i++)
		if (!(trace->exact >> i & 1))
			ask_frame(asked, trace->pc[i]);
}

/* The generation comes first. */
static void ask_moment(
	struct writer *w, const struct site_call *call, struct asked *asked)
{
	asked->call = call;
	asked->generation = control_generation();
	control_get_force(&asked->force);
	asked->through = 0;
	asked->frames_count = 0;
	ask_stack(w, asked);
}

static void describe(
	const struct asked *asked, struct rule_site *site, char name[16])
{
	const struct site_call *call = asked->call;
	uintptr_t pc = call->call->pc - 1;
	struct rule_frame frame;
	struct module module;

	*site = (struct rule_site){
		.program = process.name,
		.executable = process_executable(),
		.called = call->call->function,
		.format = call->format,
		.format_bytes = call->length,
		.streams = streams[call->stream].flags &
			   (POLICY_STDOUT | POLICY_STDERR | POLICY_SYSLOG),
		.path = streams[call->stream].path,
		.thread = name,
		.level = infer_level(call),
		.frames = asked->frames,
		.frames_count = asked->frames_count,
		.is_copy = redact_is_copy(call->stream),
	};
	if (control_is_asking_threads())
		/* PR_GET_NAME 16: the name of the calling thread */
		SYS2(prctl, 16, name);
	if (!module_find(pc, &module))
		return;
	place_frame(&frame, &module, pc);
	site->module = frame.module;
	site->build_id = frame.build_id;
	site->build_id_bytes = frame.build_id_bytes;
	site->offset = frame.offset;
}

/* ---- deciding ---- */

static bool is_syslog(unsigned text)
{
	return text == BINLOG_TEXT_SYSLOG || text == BINLOG_TEXT_SYSLOG_PERROR;
}

static bool has_writing_directive(const char *format, size_t length)
{
	struct format_directive directive;
	struct format_cursor cursor;

	format_begin(&cursor, format, length);
	while (format_next(&cursor, &directive))
		if (directive.conversion == 'n')
			return true;
	return false;
}

/* What is known of the code and the text at these addresses. */
static void look_at(struct site *site, const struct site_call *call)
{
	uint32_t reloads = __atomic_load_n(&process_reloads, __ATOMIC_ACQUIRE);

	if (site->is_spare || site->reloads == reloads + 1)
		return;
	site->reloads = reloads + 1;
	__atomic_store_n(&site->redaction, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&site->plan, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&site->result_used,
		(call->format &&
			has_writing_directive(call->format, call->length)) ||
			result_use_is_possible(site->pc),
		__ATOMIC_RELEASE);
}

/* What a rule has written as well is a copy, too. */
static void ask(const struct rules *rules, struct rule_site *asked,
	struct rule_decision *decided)
{
	if (rules) {
		rules_decide(rules, asked, decided);
		if (asked->is_copy || !redact_copies || !decided->tee_known ||
			!decided->tee)
			return;
		asked->is_copy = true;
		rules_decide(rules, asked, decided);
		asked->is_copy = false;
		return;
	}
	*decided = (struct rule_decision){.level = (int8_t)asked->level};
	if (asked->is_copy && asked->format)
		decided->redacted = rule_redact_usual(
			asked->format, asked->format_bytes, RULE_USUAL_COPIES);
}

/* Its format, taken apart, where a mark or a sample goes by an argument. */
static void plan_for_marks(struct site *site, const struct site_call *call)
{
	bool asked = false;

	for (unsigned i = 0; i < site->decisions; i++)
		asked |= (site->decided[i].sample_by &&
				 site->decided[i].sample_by !=
					 SAMPLE_BY_THREAD) ||
			 site->decided[i].mark.argument ||
			 site->decided[i].since.argument;
	if (asked && !site->plan && call->format && !site->is_spare)
		__atomic_store_n(&site->plan,
			plan_make(call->format, (uint32_t)call->length),
			__ATOMIC_RELEASE);
}

static void decide_alone(struct site *site, const struct asked *asked)
{
	const struct control_force *force = &asked->force;
	const struct site_call *call = asked->call;
	struct rule_decision decided;
	struct rule_site known;
	char name[16] = "";

	look_at(site, call);
	__atomic_store_n(&site->rules_at, force->rules_at, __ATOMIC_RELEASE);
	__atomic_store_n(&site->level, force->level, __ATOMIC_RELEASE);
	describe(asked, &known, name);
	for (unsigned i = 0; i < site->decisions; i++) {
		if (site->decisions > 1)
			known.level = (int)i;
		ask(force->rules, &known, &decided);
		site_set_decided(&site->decided[i], &decided);
	}
	redact_prepare(site, call);
	plan_for_marks(site, call);
	__atomic_store_n(
		&site->special, site_is_special(site), __ATOMIC_RELEASE);
	__atomic_store_n(
		&site->generation, asked->generation, __ATOMIC_RELEASE);
}

/* False: another thread is about to, or one was that will never end.  What has
 * been decided last must not be what was asked first. */
static bool decide(struct site *site, const struct asked *asked)
{
	uint32_t nobody = 0;

	if (!__atomic_compare_exchange_n(&site->deciding, &nobody, 1, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&site->generation, 0, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&site->changes, 1, __ATOMIC_SEQ_CST);
	decide_alone(site, asked);
	__atomic_store_n(&site->deciding, 0, __ATOMIC_RELEASE);
	return true;
}

/* ---- finding ---- */

static unsigned decisions_of(const struct site_call *call)
{
	return is_syslog(call->text) ? DECISIONS_MAX : 1;
}

static struct site *make(
	const struct asked *asked, uintptr_t key, uint32_t thread)
{
	const struct site_call *call = asked->call;
	unsigned decisions = decisions_of(call);
	struct site *site =
		arena_take(sizeof(*site) + decisions * sizeof(*site->decided));

	if (!site)
		return NULL;
	site->pc = call->call->pc;
	site->key = key;
	site->function = call->call->function;
	site->through = asked->through;
	site->stream = call->stream;
	site->thread = thread;
	site->decisions = (uint8_t)decisions;
	return site;
}

/* One that is not found again, for the next call of this writer. */
static struct site *borrow(struct writer *w, const struct asked *asked)
{
	const struct site_call *call = asked->call;
	struct site *site = w->site_spare;

	if (!site)
		site = arena_take(
			sizeof(*site) + DECISIONS_MAX * sizeof(*site->decided));
	if (!site)
		return NULL;
	w->site_spare = site;
	site->pc = call->call->pc;
	site->stream = call->stream;
	site->result_used = true;
	site->is_spare = true;
	site->decisions = (uint8_t)decisions_of(call);
	decide_alone(site, asked);
	return site;
}

static bool is_it(const struct site *site, const struct asked *asked,
	uintptr_t key, uint32_t thread)
{
	return site->pc == asked->call->call->pc && site->key == key &&
	       site->stream == asked->call->stream && site->thread == thread &&
	       site->through == asked->through;
}

static struct site *look_up(struct site_table *table, const struct asked *asked,
	uintptr_t key, uint32_t thread)
{
	const struct site_call *call = asked->call;
	uint64_t hash = binlog_hash_word(
		binlog_hash_word(call->call->pc, key ^ asked->through),
		call->stream + thread);
	struct site **slot = &table->bucket[hash % BUCKETS];
	struct site *site;

	for (site = __atomic_load_n(slot, __ATOMIC_ACQUIRE); site;
		site = site->next)
		if (is_it(site, asked, key, thread))
			return site;
	if (__atomic_load_n(&table->used, __ATOMIC_RELAXED) >= SITES_MAX)
		return NULL;
	__atomic_fetch_add(&table->used, 1, __ATOMIC_RELAXED);
	site = make(asked, key, thread);
	if (!site)
		return NULL;
	decide_alone(site, asked);
	site->next = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(slot, &site->next, site, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return site;
}

static uintptr_t key_of(const struct site_call *call)
{
	if (!call->format)
		return 0;
	return module_is_constant(call->format, call->length + 1)
		       ? (uintptr_t)call->format
		       : capture_content_key(call->format, call->length);
}

/* What was decided about this stack by other rules may be about another one by
 * ours. */
static bool is_about(
	const struct site_decision *decision, const struct asked *asked)
{
	const struct rules *rules = asked->force.rules;

	return decision->rules_at == asked->force.rules_at ||
	       (!decision->decided.by_stack &&
		       !(rules && rules_ask_stack(rules)));
}

struct site *site_find(struct writer *w, const struct site_call *call,
	struct site_decision *decision, uint32_t *generation)
{
	uint32_t thread = control_is_asking_threads() ? w->tid : 0;
	struct site_table *table = table_of_process();
	struct asked asked;
	struct site *site;

	ask_moment(w, call, &asked);
	*generation = asked.generation;
	site = table ? look_up(table, &asked, key_of(call), thread) : NULL;
	if (site &&
		(__atomic_load_n(&site->generation, __ATOMIC_ACQUIRE) ==
				asked.generation ||
			decide(site, &asked)) &&
		site_read_decision(site, call->priority, decision) &&
		is_about(decision, &asked))
		return site;
	site = borrow(w, &asked);
	if (site)
		site_copy_decision(site, call->priority, decision);
	return site;
}

/* ---- letting some of them through ---- */

/* Threads may all get in at the border of two times; that is a few more. */
static bool is_within_rate(
	struct site_gate *gate, const struct rule_decision *decided)
{
	uint64_t now = clock_ticks();
	uint64_t until = __atomic_load_n(&gate->until, __ATOMIC_RELAXED);

	if (now >= until && __atomic_compare_exchange_n(&gate->until, &until,
				    now + pace_ticks(decided->rate_ns), false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		__atomic_store_n(&gate->used, 0, __ATOMIC_RELAXED);
	return __atomic_fetch_add(&gate->used, 1, __ATOMIC_RELAXED) <
	       decided->rate;
}

static bool is_in_window(const struct rule_decision *decided)
{
	uint64_t period = pace_ticks(decided->period_ns);

	return period == 0 ||
	       pace_passed() % period < pace_ticks(decided->window_ns);
}

/* The lowest bits of what a mark is found by are always the same. */
#define SAMPLE_EVENLY 65536u

/* Whatever else happens: neither limited nor sampled. */
static bool is_off(const struct site_decision *decision)
{
	const struct rule_decision *decided = &decision->decided;

	return decided->action == RULE_DROP ||
	       (decided->level > decision->level && !decided->action_known);
}

static bool is_sampled(struct site_gate *gate,
	const struct rule_decision *decided, uint64_t request)
{
	uint64_t turn =
		request ? request / SAMPLE_EVENLY
			: __atomic_fetch_add(&gate->turn, 1, __ATOMIC_RELAXED);

	return turn % decided->sample == 0;
}

static bool is_admitted(struct site_gate *gate,
	const struct site_decision *decision, uint64_t request)
{
	const struct rule_decision *decided = &decision->decided;

	if (is_off(decision))
		return false;
	if (decided->sample > 1 && !is_sampled(gate, decided, request))
		return false;
	if (decided->period_ns && !is_in_window(decided))
		return false;
	return !decided->rate || is_within_rate(gate, decided);
}

bool site_admits(struct site *site, const struct site_decision *decision,
	uint64_t request)
{
	if (is_admitted(&site->gate, decision, request))
		return true;
	__atomic_fetch_add(&control_switches->suppressed, 1, __ATOMIC_RELAXED);
	if (decision->decided.rate || decision->decided.period_ns)
		__atomic_fetch_add(&site->gate.suppressed, 1, __ATOMIC_RELAXED);
	return false;
}

/* False: nothing can be recorded any more. */
static bool tell_rest(struct site *site, const struct call *end)
{
	struct call call = *end;
	struct writer *w;
	uint64_t count;

	if (__atomic_load_n(&site->gate.suppressed, __ATOMIC_RELAXED) == 0)
		return true;
	w = writer_enter(end->sp);
	if (!w)
		return false;
	/* What was there may be unloaded: then it is told of the end alone. */
	if (__atomic_load_n(&site->reloads, __ATOMIC_RELAXED) ==
		__atomic_load_n(&process_reloads, __ATOMIC_ACQUIRE) + 1)
		call.pc = site->pc;
	call.function = site->function;
	w->depth = 1; /* by which way the others came is not known */
	count = __atomic_exchange_n(
		&site->gate.suppressed, 0, __ATOMIC_RELAXED);
	capture_event_inside(
		w, &call, site->stream, BINLOG_TEXT_SUPPRESSED, (int64_t)count);
	w->depth = 0;
	writer_leave(w);
	return true;
}

void site_tell_suppressed(const struct call *call)
{
	struct process_self *self = process_self();
	struct site_table *table =
		self ? __atomic_load_n(&self->sites, __ATOMIC_ACQUIRE) : NULL;

	for (unsigned i = 0; table && i < BUCKETS; i++)
		for (struct site *site = __atomic_load_n(
			     &table->bucket[i], __ATOMIC_ACQUIRE);
			site; site = site->next)
			if (!tell_rest(site, call))
				return;
}

void site_switch_off(const struct site *site, uint32_t generation,
	const struct site_decision *decision, const struct site_call *call,
	uint32_t version, int length)
{
	const struct stream *stream = &streams[call->stream];
	const struct drop drop = {
		.pc = site->pc,
		.key = (uintptr_t)call->format,
		.file = stream->file,
		.result = length < 0 ? 0 : length,
	};

	if (!is_off(decision) || decision->decided.by_stack || site->thread ||
		!call->format || site->key != drop.key ||
		call->call->entry == ENTRY_NONE || !stream->file ||
		stream->unusual || (length < 0 && decision->result_used))
		return;
	drops_add(call->call->entry, &drop, generation, version);
}
