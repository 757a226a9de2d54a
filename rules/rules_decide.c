#include "record/hash.h"
#include "rules/levels.h"
#include "rules/path_glob.h"
#include "rules/rule_redact.h"
#include "rules/rule_tree.h"
#include "rules/rules.h"

/* A site, and its texts as they are matched. */
struct subject {
	const struct rule_site *site;
	struct rule_text texts[RULE_TEXTS];
	struct rule_text executable;
	bool usual_known; /* what is secret as usual */
	uint64_t usual;
};

/* What is not known neither holds nor does its contrary. */
enum answer { NO, YES, UNKNOWN };

static size_t length(const char *string)
{
	size_t bytes = 0;

	while (string && string[bytes] != '\0')
		bytes++;
	return bytes;
}

static void set_text(struct subject *subject, enum rule_condition_kind kind,
	const char *text)
{
	rule_glob_set_text(&subject->texts[kind], text, length(text));
}

/* Only what the rules ask for; their words are looked for in the format. */
static void set_texts(struct subject *subject, const struct rules *rules)
{
	const struct rule_site *site = subject->site;
	const char *const texts[RULE_TEXTS] = {
		[RULE_OF_program] = site->program,
		[RULE_OF_thread] = site->thread,
		[RULE_OF_module] = site->module,
		[RULE_OF_called] = site->called,
		[RULE_OF_stream] = site->path,
	};

	for (int kind = 0; kind < RULE_TEXTS; kind++)
		if (rules->kinds >> kind & 1 && kind != RULE_OF_format)
			set_text(subject, (enum rule_condition_kind)kind,
				texts[kind]);
	if (rules->kinds >> RULE_OF_program & 1)
		rule_glob_set_text(&subject->executable, site->executable,
			length(site->executable));
	rule_glob_set_text(&subject->texts[RULE_OF_format], site->format,
		site->format ? site->format_bytes : 0);
}

static enum answer text_matches(
	const struct rule_glob *glob, const struct rule_text *text)
{
	if (!text->text)
		return UNKNOWN;
	return rule_glob_may_match(glob, text) &&
	       rule_glob_matches(glob, text->text, text->bytes);
}

static enum answer path_matches(
	const struct rule_glob *glob, const struct rule_text *text)
{
	if (!text->text)
		return UNKNOWN;
	return rule_glob_may_match(glob, text) &&
	       path_glob_matches(glob->text, glob->bytes, text->text);
}

/* By what it is called, or by its file. */
static enum answer program_matches(
	const struct rule_glob *glob, const struct subject *subject)
{
	enum answer called =
		path_matches(glob, &subject->texts[RULE_OF_program]);

	return called == YES || path_matches(glob, &subject->executable) != YES
		       ? called
		       : YES;
}

static enum answer format_matches(
	const struct rule_glob *glob, const struct rule_text *text)
{
	enum answer answer = text_matches(glob, text);

	if (answer == NO && text->bytes > 0 &&
		text->text[text->bytes - 1] == '\n' &&
		rule_glob_may_match(glob, text))
		return rule_glob_matches(glob, text->text, text->bytes - 1);
	return answer;
}

static enum answer stream_matches(
	const struct rule_condition *condition, const struct subject *subject)
{
	const struct rule_text *path = &subject->texts[RULE_OF_stream];

	if (!subject->site->streams && !path->text)
		return UNKNOWN;
	if (condition->streams)
		return (condition->streams & subject->site->streams) != 0;
	return path->text && path_matches(&condition->glob, path) == YES;
}

static enum answer level_matches(
	const struct rule_condition *condition, int level)
{
	return (int64_t)condition->low <= level &&
	       level <= (int64_t)condition->high;
}

static bool has_place(const struct rule_condition *condition, uint64_t offset)
{
	uint32_t low = 0;
	uint32_t high = condition->low;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (condition->places[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < condition->low && condition->places[low] == offset;
}

/* Whether the text is a build ID, in small letters. */
static bool is_build_id(
	const struct rule_glob *text, const struct rule_frame *frame)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *id = frame->build_id;

	if (!id || text->bytes != 2 * frame->build_id_bytes)
		return false;
	for (size_t i = 0; i < text->bytes; i += 2, id++)
		if (text->text[i] != digits[*id >> 4] ||
			text->text[i + 1] != digits[*id & 15])
			return false;
	return true;
}

static enum answer place_matches(
	const struct rule_condition *condition, const struct rule_frame *frame)
{
	const struct rule_glob *glob = &condition->glob;

	if (!frame->module && !frame->build_id)
		return UNKNOWN;
	return has_place(condition, frame->offset) &&
	       (is_build_id(glob, frame) ||
		       (frame->module && path_glob_matches(glob->text,
						 glob->bytes, frame->module)));
}

static enum answer site_matches(
	const struct rule_condition *condition, const struct rule_site *site)
{
	const struct rule_frame frame = {
		.module = site->module,
		.build_id = site->build_id,
		.build_id_bytes = site->build_id_bytes,
		.offset = site->offset,
	};

	return place_matches(condition, &frame);
}

static enum answer stack_matches(
	const struct rule_condition *condition, const struct rule_site *site)
{
	if (!site->frames)
		return UNKNOWN;
	for (unsigned i = 0; i < site->frames_count; i++)
		if (place_matches(condition, &site->frames[i]) == YES)
			return YES;
	return NO;
}

static enum answer answer_of(const struct rule_condition *condition,
	const struct subject *subject, int level)
{
	switch ((enum rule_condition_kind)condition->kind) {
	case RULE_OF_program:
		return program_matches(&condition->glob, subject);
	case RULE_OF_module:
		return path_matches(
			&condition->glob, &subject->texts[condition->kind]);
	case RULE_OF_thread:
	case RULE_OF_called:
		return text_matches(
			&condition->glob, &subject->texts[condition->kind]);
	case RULE_OF_format:
		return format_matches(
			&condition->glob, &subject->texts[RULE_OF_format]);
	case RULE_OF_stream:
		return stream_matches(condition, subject);
	case RULE_OF_level:
		return level_matches(condition, level);
	case RULE_OF_through:
		return stack_matches(condition, subject->site);
	default: /* RULE_OF_at: is_about_source() has the others */
		return site_matches(condition, subject->site);
	}
}

static bool is_about_source(const struct rule_condition *condition)
{
	return condition->kind == RULE_OF_func ||
	       condition->kind == RULE_OF_file ||
	       condition->kind == RULE_OF_line;
}

static enum answer source_matches(const struct rule_condition *condition,
	const struct rule_source *source)
{
	const struct rule_glob *glob = &condition->glob;

	if (condition->kind == RULE_OF_func)
		return source->func ? rule_glob_matches(glob, source->func,
					      length(source->func))
				    : UNKNOWN;
	if (condition->kind == RULE_OF_file)
		return source->file ? path_glob_matches(glob->text, glob->bytes,
					      source->file)
				    : UNKNOWN;
	return source->line ? condition->low <= source->line &&
				      source->line <= condition->high
			    : UNKNOWN;
}

/* All that a rule says of the source has to hold for one function. */
static bool source_applies(struct rule *rule, const struct rule_source *source)
{
	const struct rule_condition *condition = rule_conditions(rule);

	for (uint32_t i = 0; i < rule->conditions; i++, condition++)
		if (is_about_source(condition) &&
			source_matches(condition, source) !=
				(condition->negated ? NO : YES))
			return false;
	return true;
}

static bool holds(const struct rule_condition *condition,
	const struct subject *subject, int level)
{
	return answer_of(condition, subject, level) ==
	       (condition->negated ? NO : YES);
}

/* Last, and so only of calls for which the rest holds. */
static bool stack_applies(struct rule *rule, const struct subject *subject,
	struct rule_decision *decided)
{
	const struct rule_condition *condition = rule_conditions(rule);

	for (uint32_t i = 0; i < rule->conditions; i++, condition++) {
		if (condition->kind != RULE_OF_through)
			continue;
		decided->by_stack = true;
		if (!holds(condition, subject, decided->level))
			return false;
	}
	return true;
}

static bool applies(struct rule *rule, const struct subject *subject,
	struct rule_decision *decided)
{
	const struct rule_condition *condition = rule_conditions(rule);
	const struct rule_site *site = subject->site;
	bool asks_source = false;
	bool in_source = false;

	for (uint32_t i = 0; i < rule->conditions; i++, condition++)
		if (is_about_source(condition))
			asks_source = true;
		else if (condition->kind != RULE_OF_through &&
			 !holds(condition, subject, decided->level))
			return false;
	for (unsigned i = 0; asks_source && i < site->sources_count; i++)
		in_source |= source_applies(rule, &site->sources[i]);
	return asks_source == in_source &&
	       stack_applies(rule, subject, decided);
}

static void set_action(struct rule_decision *decided, enum rule_outcome action)
{
	decided->action = (uint8_t)action;
	decided->action_known = true;
}

static void set_tee(struct rule_decision *decided, bool tee)
{
	decided->tee = tee;
	decided->tee_known = true;
}

static uint64_t named(
	const struct subject *subject, const struct rule_glob *name)
{
	const struct rule_text *format = &subject->texts[RULE_OF_format];

	if (!format->text || !rule_glob_may_match(name, format))
		return 0;
	return rule_redact_named(
		format->text, format->bytes, name->text, name->bytes);
}

static uint64_t usual(struct subject *subject)
{
	const struct rule_text *format = &subject->texts[RULE_OF_format];

	if (!subject->usual_known && format->text)
		subject->usual = rule_redact_usual(
			format->text, format->bytes, RULE_USUAL_ALL);
	subject->usual_known = true;
	return subject->usual;
}

static bool redact(const struct rule_action *action, struct subject *subject,
	struct rule_decision *decided)
{
	switch ((enum rule_action_kind)action->kind) {
	case RULE_TO_REDACT_ARGUMENT:
		decided->redacted |= 1ull << (action->number - 1);
		return true;
	case RULE_TO_REDACT_NAME:
		decided->redacted |= named(subject, &action->name);
		return true;
	case RULE_TO_REDACT_USUAL:
		decided->redacted |= usual(subject);
		return true;
	case RULE_TO_REDACT_ALL:
		decided->redacted = RULE_REDACT_ALL;
		return true;
	case RULE_TO_REDACT_NOTHING:
		decided->redacted = 0;
		decided->redaction = REDACT_LENGTH;
		return true;
	case RULE_TO_REDACT_AS:
		decided->redaction = (uint8_t)action->number;
		return true;
	default:
		return false;
	}
}

static bool limit(const struct rule_action *action, uint32_t number,
	struct rule_decision *decided)
{
	switch ((enum rule_action_kind)action->kind) {
	case RULE_TO_rate:
		decided->rate = action->number;
		decided->rate_ns = action->times[0];
		break;
	case RULE_TO_sample:
		if (action->number || action->times[0] == 0) {
			decided->sample = action->number;
			decided->sample_by = 0;
			decided->sample_per_level = false;
		}
		if (action->number == 0) {
			decided->window_ns = action->times[0];
			decided->period_ns = action->times[1];
		}
		break;
	case RULE_TO_SAMPLE_BY:
		decided->sample_by = (uint8_t)action->number;
		break;
	case RULE_TO_SAMPLE_PER_LEVEL:
		decided->sample_per_level = true;
		break;
	default:
		return false;
	}
	decided->rule = decided->rate || decided->sample || decided->period_ns
				? number
				: 0;
	return true;
}

static struct rule_mark mark_of(const struct rule_action *action)
{
	const struct rule_glob *name = &action->name;

	return (struct rule_mark){
		.name = name->text ? binlog_hash(name->text, name->bytes) | 1
				   : 0,
		.argument = (uint8_t)action->number,
	};
}

static bool trigger(const struct rule_action *action, const struct rule *rule,
	struct rule_decision *decided)
{
	switch ((enum rule_action_kind)action->kind) {
	case RULE_TO_trigger:
		decided->trigger = action->number != 0;
		decided->before_ns = action->times[0];
		decided->after_ns = action->times[1];
		decided->since = (struct rule_mark){0};
		decided->trigger_start = rule->start;
		decided->trigger_bytes = rule->bytes;
		return true;
	case RULE_TO_TRIGGER_SINCE:
		decided->since = mark_of(action);
		return true;
	case RULE_TO_TRIGGER_OVER:
		decided->over_ns = action->times[0];
		return true;
	case RULE_TO_mark:
		decided->mark = mark_of(action);
		return true;
	default:
		return false;
	}
}

static void do_other(
	const struct rule_action *action, struct rule_decision *decided)
{
	switch ((enum rule_action_kind)action->kind) {
	case RULE_TO_capture:
		set_action(decided, RULE_CAPTURE);
		break;
	case RULE_TO_pass:
		set_action(decided, RULE_PASS);
		break;
	case RULE_TO_drop:
		set_action(decided, RULE_DROP);
		break;
	case RULE_TO_tee:
		set_tee(decided, true);
		break;
	case RULE_TO_untee:
		set_tee(decided, false);
		break;
	case RULE_TO_level:
		decided->level = (int8_t)action->number;
		decided->level_known = true;
		break;
	case RULE_TO_depth:
		decided->depth = (uint8_t)action->number;
		break;
	default: /* RULE_TO_category */
		decided->category = action->name.text;
		decided->category_bytes = action->name.bytes;
	}
}

/* What is important is not sampled; each level less makes it rarer. */
static void sample_by_level(struct rule_decision *decided)
{
	uint64_t sample = 1;

	for (int level = LEVEL_info; level < decided->level; level++)
		if (sample <= UINT32_MAX)
			sample *= decided->sample;
	decided->sample = sample < UINT32_MAX ? (uint32_t)sample : UINT32_MAX;
}

void rules_decide(const struct rules *rules, const struct rule_site *site,
	struct rule_decision *decided)
{
	struct subject subject = {.site = site};
	struct rule *rule = rules->first;

	*decided = (struct rule_decision){.level = (int8_t)site->level};
	set_texts(&subject, rules);
	if (site->is_copy && site->format)
		decided->redacted = rule_redact_usual(
			site->format, site->format_bytes, RULE_USUAL_COPIES);
	for (uint32_t number = 1; number <= rules->count; number++) {
		const struct rule_action *action = rule_actions(rule);

		for (uint32_t i = applies(rule, &subject, decided)
					  ? rule->actions
					  : 0;
			i > 0; i--, action++)
			if (!redact(action, &subject, decided) &&
				!limit(action, number, decided) &&
				!trigger(action, rule, decided))
				do_other(action, decided);
		rule = rule_after(rule);
	}
	if (decided->sample_per_level)
		sample_by_level(decided);
}

bool rules_ask_stack(const struct rules *rules)
{
	return rules->kinds >> RULE_OF_through & 1;
}

bool rules_may_have_frame(const struct rules *rules, uint64_t address)
{
	uint64_t at = address % RULE_PAGE;

	return rules->through[at / 64] >> at % 64 & 1;
}

bool rules_have_frame(const struct rules *rules, const struct rule_frame *frame)
{
	struct rule *rule = rules->first;

	for (uint32_t number = 1; number <= rules->count; number++) {
		const struct rule_condition *condition = rule_conditions(rule);

		for (uint32_t i = 0; i < rule->conditions; i++, condition++)
			if (condition->kind == RULE_OF_through &&
				place_matches(condition, frame) == YES)
				return true;
		rule = rule_after(rule);
	}
	return false;
}
