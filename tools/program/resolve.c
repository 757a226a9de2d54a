#include "tools/program/resolve.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/render_buffer.h"
#include "rules/path_glob.h"
#include "rules/rule_redact.h"
#include "rules/rule_tree.h"
#include "symbolizer/symbolizer.h"
#include "tools/program/elf_image.h"
#include "tools/program/statement_places.h"

/* ---- which modules ---- */

bool resolve_modules_add_file(
	struct resolve_modules *modules, const char *path, const char *name)
{
	struct resolve_module *grown;
	struct resolve_module module;

	for (size_t i = 0; i < modules->count; i++)
		if (strcmp(modules->modules[i].name, name) == 0)
			return true;
	errno = ENOMEM;
	if (limits_reached(LIMIT_RULE_MODULES, modules->count))
		return false;
	grown = reallocarray(
		modules->modules, modules->count + 1, sizeof(*grown));
	if (!grown)
		return false;
	modules->modules = grown;
	module = (struct resolve_module){strdup(path), strdup(name)};
	grown[modules->count++] = module;
	return module.path && module.name;
}

/* `start-end perms offset device inode path`: its path, if code is in it. */
static char *path_of(char *line)
{
	char permissions[5] = "";
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%*s %4s %*s %*s %*s %n", permissions, &at) != 1 ||
		permissions[2] != 'x' || line[at] != '/')
		return NULL;
	return line + at;
}

bool resolve_modules_add(struct resolve_modules *modules, pid_t process)
{
	char path[PATH_MAX + 32];
	char *line = NULL;
	size_t room = 0;
	bool added = true;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%ld/maps", (long)process);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	while (added && getline(&line, &room, maps) >= 0) {
		const char *name = path_of(line);

		if (!name)
			continue;
		/* Where it is for us: the process may have another root. */
		snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)process,
			name);
		added = resolve_modules_add_file(modules, path, name);
	}
	added = added && !ferror(maps);
	free(line);
	(void)fclose(maps);
	return added;
}

void resolve_modules_free(struct resolve_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		free(modules->modules[i].path);
		free(modules->modules[i].name);
	}
	free(modules->modules);
	*modules = (struct resolve_modules){0};
}

/* ---- the log statements of a module ---- */

struct call {
	uint64_t address;
	uint64_t offset;  /* by which a process knows it; 0: it does not, */
	uint64_t through; /* it calls this function of the file, or 0: it is */
			  /* a jump */
	uint64_t next;	  /* 0: it is a jump */
};

struct calls {
	struct call *calls;
	size_t count;
	size_t room;
	bool failed; /* no memory */
};

/* A process knows a call by the byte before the one it returns to. */
static void calls_take_call(void *closure, const struct symbolizer_call *call)
{
	struct calls *calls = closure;

	if (!array_reserve(calls->calls, calls->room, calls->count + 1)) {
		calls->failed = true;
		return;
	}
	calls->calls[calls->count++] = (struct call){
		.address = call->address,
		.offset = call->function && call->next ? call->next - 1 : 0,
		.through = call->function ? 0 : call->target,
		.next = call->next,
	};
}

static bool expect(const struct calls *calls, struct symbolizer *symbolizer,
	const struct symbolizer_module *module)
{
	uint64_t *addresses =
		reallocarray(NULL, calls->count + 1, sizeof(*addresses));

	if (!addresses)
		return false;
	for (size_t i = 0; i < calls->count; i++)
		addresses[i] = calls->calls[i].address;
	symbolizer_expect(symbolizer, module, addresses, calls->count);
	free(addresses);
	return true;
}

/* A rule about the source, or about statements. */
struct source_rule {
	struct rule *rule;
	unsigned line;
	bool by_source;
	bool by_statement;
	struct render_buffer made; /* instead of it, of all modules, or, if it
				      is not about the source, after it */
	/* Of this module: `0x1,0x2`: calls that print, calls of functions of
	 * the file that do, statements, and those of which all is redacted. */
	struct render_buffer places;
	struct render_buffer callers;
	struct render_buffer statements;
	struct render_buffer secrets;
	uint64_t through; /* see struct call; of the first */
	bool jumps;
	size_t refused; /* statements, and the first of them */
	struct render_buffer refusal;
	/* Of the statement that is being looked at. */
	bool matches;
	bool denied;
};

struct resolver {
	const char *text;
	struct source_rule *rules;
	size_t count;
	const struct resolve_module *module; /* that is being looked at */
	struct source_rule **asked;	     /* for its statements */
	const struct symbolizer_options *options;
	struct symbolizer *symbolizer;
	const struct resolve_report *report;
};

static const uint32_t about_source =
	1u << RULE_OF_func | 1u << RULE_OF_file | 1u << RULE_OF_line;

static bool is_about_source(const struct rule_condition *condition)
{
	return about_source >> condition->kind & 1;
}

/* ---- which statements ---- */

static bool frame_matches(const struct rule_condition *condition,
	const struct symbolizer_frame *frame)
{
	const struct rule_glob *glob = &condition->glob;

	switch ((enum rule_condition_kind)condition->kind) {
	case RULE_OF_func:
		return frame->function &&
		       rule_glob_matches(
			       glob, frame->function, strlen(frame->function));
	case RULE_OF_file:
		return frame->file &&
		       path_glob_matches(glob->text, glob->bytes, frame->file);
	default:
		return frame->line && condition->low <= frame->line &&
		       frame->line <= condition->high;
	}
}

/* One frame has to satisfy a rule, and none what it says with `not`. */
static void look_at(
	struct source_rule *rule, const struct symbolizer_frame *frame)
{
	const struct rule_condition *condition = rule_conditions(rule->rule);
	bool matches = true;

	for (uint32_t i = 0; i < rule->rule->conditions; i++, condition++) {
		bool holds;

		if (!is_about_source(condition))
			continue;
		holds = frame_matches(condition, frame);
		if (condition->negated)
			rule->denied |= holds;
		else
			matches &= holds;
	}
	rule->matches |= matches;
}

static void take_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct resolver *resolver = closure;

	if (!frame->function && !frame->file)
		return;
	for (size_t i = 0; i < resolver->count; i++)
		look_at(&resolver->rules[i], frame);
}

static void put_number(struct render_buffer *out, uint64_t number)
{
	char digits[24];
	int bytes = snprintf(digits, sizeof(digits), "%s0x%" PRIx64,
		out->length > 0 ? "," : "", number);

	render_buffer_put(out, digits, (size_t)bytes);
}

static void take_call(struct resolver *resolver, const struct call *call)
{
	struct source_rule *rule = resolver->rules;

	for (size_t i = 0; i < resolver->count; i++, rule++) {
		rule->matches &= rule->by_source;
		if (rule->matches && !rule->denied && call->offset) {
			put_number(&rule->places, call->offset);
		} else if (rule->matches && !rule->denied && call->next) {
			put_number(&rule->callers, call->next - 1);
		} else if (rule->matches && !rule->denied) {
			rule->jumps |= !call->through;
			if (!rule->through)
				rule->through = call->through;
		}
		rule->matches = rule->denied = false;
	}
}

/* ---- what the rules become ---- */

/* As a glob in quotes. */
static void put_path(struct render_buffer *out, const char *path)
{
	for (; *path; path++) {
		if (strchr("*?[\\\"", *path))
			render_buffer_put_string(out, "\\");
		render_buffer_put_byte(out, *path);
	}
}

/* `at MODULE+0x1,0x2 `, or `through`. */
static void put_place(struct render_buffer *out, const char *word,
	const struct resolve_module *module, const struct render_buffer *places)
{
	char digits[ELF_IMAGE_BUILD_ID];
	bool known = elf_image_build_id(module->path, digits);

	render_buffer_put_string(out, word);
	render_buffer_put_string(out, known ? " " : " \"");
	if (known)
		render_buffer_put_string(out, digits);
	else
		put_path(out, module->name);
	render_buffer_put_string(out, "+");
	render_buffer_put(out, places->data, places->length);
	render_buffer_put_string(out, known ? " " : "\" ");
}

/* Those that are not known by the place: about the call that is recorded. */
static void put_conditions(struct render_buffer *out, struct rule *rule,
	const char *text, uint32_t known)
{
	const struct rule_condition *condition = rule_conditions(rule);

	for (uint32_t i = 0; i < rule->conditions; i++, condition++) {
		if (known >> condition->kind & 1)
			continue;
		render_buffer_put(
			out, text + condition->start, condition->bytes);
		render_buffer_put_string(out, " ");
	}
}

static void put_actions(
	struct render_buffer *out, const struct rule *rule, const char *text)
{
	render_buffer_put(out, text + rule->actions_start,
		rule->start + rule->bytes - rule->actions_start);
}

static const uint32_t about_statement =
	1u << RULE_OF_format | 1u << RULE_OF_module;

/* All of its text: who prints it is not given its parts. */
static void put_redaction(struct render_buffer *out, struct rule *rule)
{
	const struct rule_action *action = rule_actions(rule);

	render_buffer_put_string(out, "redact *");
	for (uint32_t i = 0; i < rule->actions; i++)
		if (action[i].kind == RULE_TO_REDACT_AS &&
			action[i].number == REDACT_HASH)
			render_buffer_put_string(out, " hash");
}

/* The line that the rule is on has it already: it was resolved before. */
static bool is_there(const struct source_rule *source, const char *text,
	const struct render_buffer *made)
{
	size_t bytes = strcspn(text + source->rule->start, "\n");

	return !made->failed && memmem(text + source->rule->start, bytes,
					made->data, made->length);
}

static void add_rule(struct source_rule *source, const char *text,
	struct render_buffer *made)
{
	struct render_buffer *out = &source->made;

	if (source->by_source || !is_there(source, text, made)) {
		if (out->length > 0)
			render_buffer_put_string(out, "; ");
		render_buffer_put(out, made->data, made->length);
	}
	out->failed |= made->failed;
	render_buffer_free(made);
}

/* The rule, for what was found in this module. */
static void put_rule(struct source_rule *source, const char *word,
	const struct resolve_module *module, const struct render_buffer *places,
	const char *text, bool is_statement)
{
	struct render_buffer made = {0};

	if (places->length == 0)
		return;
	put_conditions(&made, source->rule, text,
		about_source | (is_statement ? about_statement : 0));
	put_place(&made, word, module, places);
	if (places == &source->secrets)
		put_redaction(&made, source->rule);
	else
		put_actions(&made, source->rule, text);
	add_rule(source, text, &made);
}

/* Statements that a rule with `not` is not about. */
static void put_exception(struct source_rule *source,
	const struct resolve_module *module, const char *text)
{
	struct render_buffer made = {0};

	if (source->statements.length == 0)
		return;
	put_place(&made, "not through", module, &source->statements);
	if (!is_there(source, text, &made))
		render_buffer_put(&source->made, made.data, made.length);
	source->made.failed |= made.failed;
	render_buffer_free(&made);
}

static void put_rules(struct source_rule *source,
	const struct resolve_module *module, const char *text)
{
	put_rule(source, "at", module, &source->places, text, false);
	put_rule(source, "through", module, &source->callers, text, false);
	if (!source->by_source && statement_places_turned(source->rule)) {
		put_exception(source, module, text);
		return;
	}
	put_rule(source, "through", module, &source->statements, text, true);
	put_rule(source, "through", module, &source->secrets, text, true);
}

/* ---- what cannot be done ---- */

static void say(const struct resolver *resolver, unsigned line,
	const char *first, const char *second, const char *third)
{
	char sentence[1024];

	snprintf(sentence, sizeof(sentence), "%s%s%s", first, second, third);
	resolver->report->say(resolver->report->closure, line, sentence);
}

/* The name of the function that stands between a statement and libc. */
struct hidden {
	const struct resolver *resolver;
	const struct source_rule *rule;
};

static void take_target(void *closure, const struct symbolizer_frame *frame)
{
	const struct hidden *hidden = closure;

	if (!frame->inlined)
		say(hidden->resolver, hidden->rule->line,
			"of the log statements that match some print through ",
			frame->function ? frame->function : "a function",
			"(), and cannot be told from its other callers: give "
			"a rule for that function");
}

static void say_hidden(
	const struct resolver *resolver, const struct source_rule *rule)
{
	const struct symbolizer_module module = {
		.path = resolver->module->path};

	if (rule->through)
		symbolizer_resolve(resolver->symbolizer, &module, rule->through,
			take_target, &(struct hidden){resolver, rule});
	else if (rule->jumps)
		say(resolver, rule->line,
			"of the log statements that match some are the last "
			"thing that their function does, and only its caller "
			"is known: give a rule for that",
			"", "");
}

/* ---- the text ---- */

/* Whether the rule may be about this module. */
static bool wants(struct rule *rule, const struct resolve_module *module)
{
	const struct rule_condition *condition = rule_conditions(rule);

	for (uint32_t i = 0; i < rule->conditions; i++, condition++)
		if (condition->kind == RULE_OF_module &&
			path_glob_matches(condition->glob.text,
				condition->glob.bytes,
				module->name) == condition->negated)
			return false;
	return true;
}

/* Looks at each statement of the module.  Null, or why there is no list of
 * them, valid until the next call of the symbolizer. */
static const char *look_at_calls(struct resolver *resolver)
{
	const struct symbolizer_module module = {
		.path = resolver->module->path};
	struct symbolizer *symbolizer = resolver->symbolizer;
	struct calls calls = {0};
	const char *why =
		symbolizer_calls(module.path, calls_take_call, &calls);

	if (!why && (calls.failed || !expect(&calls, symbolizer, &module)))
		why = "out of memory";
	for (size_t i = 0; !why && i < calls.count; i++) {
		symbolizer_resolve(symbolizer, &module, calls.calls[i].address,
			take_frame, resolver);
		take_call(resolver, &calls.calls[i]);
	}
	free(calls.calls);
	return why;
}

/* ---- statements ---- */

/* What the rule says of redaction has an effect on this format. */
static bool redacts(
	const struct rule_action *action, const struct statement_place *place)
{
	switch ((enum rule_action_kind)action->kind) {
	case RULE_TO_REDACT_ARGUMENT:
	case RULE_TO_REDACT_ALL:
		return true;
	case RULE_TO_REDACT_NAME:
		return rule_redact_named(place->text, place->bytes,
			       action->name.text, action->name.bytes) != 0;
	case RULE_TO_REDACT_USUAL:
		return rule_redact_usual(
			       place->text, place->bytes, RULE_USUAL_ALL) != 0;
	default:
		return false;
	}
}

static void refuse(struct resolver *resolver, struct source_rule *rule,
	const struct statement_place *place)
{
	struct render_buffer *out = &rule->refusal;
	char at[32];

	if (rule->refused++ > 0)
		return;
	snprintf(at, sizeof(at), "+0x%" PRIx64 ", ", place->call);
	render_buffer_put_string(out, "\"");
	escape_put(out, place->text, place->bytes < 60 ? place->bytes : 60,
		ESCAPE_NEWLINE);
	render_buffer_put_string(out, "\" in ");
	render_buffer_put_string(out, resolver->module->name);
	render_buffer_put_string(out, at);
	render_buffer_put_string(out, statement_refusal_why(place->refusal));
	render_buffer_put_byte(out, '\0');
}

/* Whether it is where a rule about the source says. */
static bool is_in_source(struct resolver *resolver, struct source_rule *rule,
	const struct statement_place *place)
{
	const struct symbolizer_module module = {
		.path = resolver->module->path};
	bool holds;

	if (!rule->by_source)
		return true;
	symbolizer_resolve(resolver->symbolizer, &module, place->call,
		take_frame, resolver);
	holds = rule->matches && !rule->denied;
	for (size_t i = 0; i < resolver->count; i++)
		resolver->rules[i].matches = resolver->rules[i].denied = false;
	return holds;
}

static void take_place(void *closure, const struct statement_place *place)
{
	struct resolver *resolver = closure;
	struct source_rule *rule = resolver->asked[place->rule];
	const struct rule_action *action = rule_actions(rule->rule);
	bool hides = false;
	bool acts = false;

	if (!wants(rule->rule, resolver->module) ||
		!is_in_source(resolver, rule, place))
		return;
	if (place->refusal != STATEMENT_KNOWN) {
		refuse(resolver, rule, place);
		return;
	}
	for (uint32_t i = 0; i < rule->rule->actions; i++) {
		hides |= redacts(&action[i], place);
		acts |= action[i].kind < RULE_TO_REDACT_ARGUMENT ||
			action[i].kind > RULE_TO_REDACT_AS;
	}
	if (acts)
		put_number(&rule->statements, place->offset);
	if (hides)
		put_number(&rule->secrets, place->offset);
}

/* glibc prints its messages itself, and so does our library: what else they
 * hand on is never on the way to a call that is recorded. */
static bool may_have_statements(const struct resolve_module *module)
{
	const char *name = strrchr(module->name, '/');
	struct elf_image image;
	bool may;

	if (strcmp(name ? name + 1 : module->name, "libbinlog.so") == 0)
		return false;
	if (!elf_image_open(&image, module->path))
		return true;
	may = !image.is_elf || !elf_image_defines(&image, "GLIBC_", false);
	elf_image_close(&image);
	return may;
}

/* Looks for the statements of the module.  As look_at_calls(). */
static char *look_at_statements(struct resolver *resolver)
{
	struct rule **rules = calloc(resolver->count + 1, sizeof(*rules));
	char *why = NULL;
	size_t count = 0;

	for (size_t i = 0; rules && i < resolver->count; i++) {
		struct source_rule *rule = &resolver->rules[i];

		if (!rule->by_statement || !wants(rule->rule, resolver->module))
			continue;
		resolver->asked[count] = rule;
		rules[count++] = rule->rule;
	}
	if (!rules)
		why = strdup("out of memory");
	else if (count > 0 && may_have_statements(resolver->module))
		why = statement_places_each(resolver->module->path,
			resolver->options, rules, count, take_place, resolver);
	free(rules);
	return why;
}

static void say_refused(
	const struct resolver *resolver, const struct source_rule *rule)
{
	char more[64] = "";

	if (rule->refused == 0)
		return;
	if (rule->refused > 1)
		snprintf(more, sizeof(more), ", and %zu more",
			rule->refused - 1);
	say(resolver, rule->line, "cannot be told apart while it runs: ",
		rule->refusal.failed ? "" : rule->refusal.data, more);
}

static void say_no_list(const struct resolver *resolver, const char *why)
{
	say(resolver, 0, resolver->module->name,
		": no list of its log statements: ", why);
}

static void resolve_in(
	struct resolver *resolver, const struct resolve_module *module)
{
	struct source_rule *rule = resolver->rules;
	const char *why = NULL;
	char *other_why;
	bool wanted = false;

	for (size_t i = 0; i < resolver->count; i++)
		wanted |= rule[i].by_source && wants(rule[i].rule, module);
	resolver->module = module;
	if (wanted)
		why = look_at_calls(resolver);
	if (why)
		say_no_list(resolver, why);
	other_why = look_at_statements(resolver);
	if (other_why && !why)
		say_no_list(resolver, other_why);
	free(other_why);
	for (size_t i = 0; i < resolver->count; i++, rule++) {
		if (!wants(rule->rule, module))
			continue;
		put_rules(rule, module, resolver->text);
		say_hidden(resolver, rule);
		rule->places.length = rule->callers.length = 0;
		rule->statements.length = rule->secrets.length = 0;
		rule->through = 0;
		rule->jumps = false;
	}
}

/* What is between the rules stays as it is: lines have the same numbers. */
static void put_all(const struct resolver *resolver, size_t bytes,
	struct render_buffer *out)
{
	const char *text = resolver->text;
	size_t at = 0;

	for (size_t i = 0; i < resolver->count; i++) {
		const struct source_rule *rule = &resolver->rules[i];
		size_t end = (size_t)rule->rule->start + rule->rule->bytes;
		size_t next = end;

		say_refused(resolver, rule);
		if (rule->by_source && rule->made.length == 0)
			say(resolver, rule->line,
				"no log statement matches: the rule has no "
				"effect: see binlog-show --index FILE",
				"", "");
		if (rule->made.length == 0)
			continue;
		if (rule->by_source)
			end = rule->rule->start;
		else if (statement_places_turned(rule->rule))
			next = end = rule->rule->actions_start;
		render_buffer_put(out, text + at, end - at);
		if (!rule->by_source && !statement_places_turned(rule->rule))
			render_buffer_put_string(out, "; ");
		render_buffer_put(out, rule->made.data, rule->made.length);
		at = next;
	}
	render_buffer_put(out, text + at, bytes - at);
	render_buffer_put_byte(out, '\0');
}

static bool is_source_rule(struct rule *rule)
{
	const struct rule_condition *condition = rule_conditions(rule);

	for (uint32_t i = 0; i < rule->conditions; i++)
		if (is_about_source(&condition[i]))
			return true;
	return false;
}

static bool collect(struct resolver *resolver, const struct rules *rules)
{
	const char *text = resolver->text;
	struct rule *rule = rules->first;
	struct source_rule source;
	unsigned line = 1;

	resolver->rules = calloc(rules->count, sizeof(*resolver->rules));
	resolver->asked = calloc(rules->count, sizeof(*resolver->asked));
	if (!resolver->rules || !resolver->asked)
		return false;
	for (uint32_t i = 0; i < rules->count; i++) {
		for (; text < resolver->text + rule->start; text++)
			line += *text == '\n';
		source = (struct source_rule){.rule = rule,
			.line = line,
			.by_source = is_source_rule(rule)};
		source.by_statement =
			statement_places_wanted(rule) &&
			!(source.by_source && statement_places_turned(rule));
		if (source.by_source || source.by_statement)
			resolver->rules[resolver->count++] = source;
		rule = rule_after(rule);
	}
	return true;
}

static bool finish(struct resolver *resolver, struct render_buffer *out)
{
	bool failed = out->failed;

	for (size_t i = 0; i < resolver->count; i++) {
		struct source_rule *rule = &resolver->rules[i];

		failed |= rule->made.failed || rule->places.failed ||
			  rule->callers.failed || rule->statements.failed ||
			  rule->secrets.failed;
		render_buffer_free(&rule->made);
		render_buffer_free(&rule->places);
		render_buffer_free(&rule->callers);
		render_buffer_free(&rule->statements);
		render_buffer_free(&rule->secrets);
		render_buffer_free(&rule->refusal);
	}
	free(resolver->asked);
	free(resolver->rules);
	symbolizer_free(resolver->symbolizer);
	if (failed)
		render_buffer_free(out);
	return !failed;
}

static char *resolve(const struct rules *rules, size_t bytes,
	const struct resolve_module *modules, size_t count,
	const struct symbolizer_options *options,
	const struct resolve_report *report, size_t *resolved)
{
	struct resolver resolver = {
		.text = rules->text, .options = options, .report = report};
	struct render_buffer out = {0};

	resolver.symbolizer = symbolizer_new(options);
	if (resolver.symbolizer && collect(&resolver, rules)) {
		for (size_t i = 0; i < count; i++)
			resolve_in(&resolver, &modules[i]);
		put_all(&resolver, bytes, &out);
	} else {
		out.failed = true;
	}
	if (!finish(&resolver, &out))
		return NULL;
	*resolved = out.length - 1;
	return out.data;
}

static bool is_needed(const struct rules *rules)
{
	struct rule *rule = rules->first;

	if (rules_ask(rules) & RULES_ASK_SOURCE)
		return true;
	for (uint32_t i = 0; i < rules->count; i++) {
		if (statement_places_wanted(rule))
			return true;
		rule = rule_after(rule);
	}
	return false;
}

bool resolve_is_needed(const char *text, size_t bytes)
{
	size_t room = rules_room(text, bytes);
	void *memory = malloc(room);
	struct rules_error error;
	const struct rules *rules =
		memory ? rules_parse(text, bytes, memory, room, &error) : NULL;
	bool needed = rules && is_needed(rules);

	free(memory);
	return needed;
}

char *resolve_rules(const char *text, size_t bytes,
	const struct resolve_module *modules, size_t count,
	const struct symbolizer_options *options,
	const struct resolve_report *report, size_t *resolved,
	struct rules_error *error)
{
	size_t room = rules_room(text, bytes);
	void *memory = malloc(room);
	struct rules *rules;
	char *made = NULL;

	*error = (struct rules_error){
		.what = "out of memory", .why = "free some"};
	if (!memory)
		return NULL;
	rules = rules_parse(text, bytes, memory, room, error);
	if (rules && is_needed(rules)) {
		made = resolve(rules, bytes, modules, count, options, report,
			resolved);
	} else if (rules && (made = malloc(bytes + 1)) != NULL) {
		memcpy(made, text, bytes);
		made[bytes] = '\0';
		*resolved = bytes;
	}
	free(memory);
	return made;
}
