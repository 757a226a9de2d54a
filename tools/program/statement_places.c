#include "tools/program/statement_places.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "rules/rules.h"

/* So many characters that follow each other make it worth to look. */
#define PLAIN_BYTES 3
#define PIECE_BYTES ((size_t)1 << 20)

/* ---- what a rule asks for ---- */

/* The longest part of a glob that stands for itself. */
static size_t plain_part(const struct rule_glob *glob, const char **part)
{
	size_t longest = 0;
	size_t at = 0;

	while (at < glob->bytes) {
		size_t bytes = 0;

		while (at + bytes < glob->bytes &&
			!strchr("*?[]\\", glob->text[at + bytes]))
			bytes++;
		if (bytes > longest) {
			longest = bytes;
			*part = glob->text + at;
		}
		at += bytes;
		/* What follows a backslash may be a newline. */
		at += at < glob->bytes && glob->text[at] == '\\' ? 2 : 1;
	}
	return longest;
}

static bool is_about_format(const struct rule_condition *condition)
{
	return condition->kind == RULE_OF_format;
}

bool statement_places_turned(struct rule *rule)
{
	const struct rule_condition *condition = rule_conditions(rule);

	for (uint32_t i = 0; i < rule->conditions; i++)
		if (is_about_format(&condition[i]) && !condition[i].negated)
			return false;
	return true;
}

/* A word alone is a statement where it is asked for as it is: else it is more
 * often a name. */
static bool is_named(struct rule *rule)
{
	const struct rule_condition *condition = rule_conditions(rule);
	bool turned = statement_places_turned(rule);

	for (uint32_t i = 0; i < rule->conditions; i++, condition++) {
		const char *part = NULL;

		if (is_about_format(condition) &&
			condition->negated == turned &&
			plain_part(&condition->glob, &part) ==
				condition->glob.bytes)
			return true;
	}
	return false;
}

/* The part that has to be in a file; null: none. */
static const char *part_of(struct rule *rule, size_t *bytes)
{
	const struct rule_condition *condition = rule_conditions(rule);
	bool turned = statement_places_turned(rule);
	const char *longest = NULL;

	*bytes = PLAIN_BYTES - 1;
	for (uint32_t i = 0; i < rule->conditions; i++, condition++) {
		const char *part = NULL;
		size_t found = is_about_format(condition) &&
					       condition->negated == turned
				       ? plain_part(&condition->glob, &part)
				       : 0;

		if (found > *bytes) {
			*bytes = found;
			longest = part;
		}
	}
	return longest;
}

bool statement_places_wanted(struct rule *rule)
{
	size_t bytes;

	return part_of(rule, &bytes) != NULL;
}

static bool glob_matches(
	const struct rule_glob *glob, const char *text, size_t bytes)
{
	return rule_glob_matches(glob, text, bytes) ||
	       (bytes > 0 && text[bytes - 1] == '\n' &&
		       rule_glob_matches(glob, text, bytes - 1));
}

/* What its conditions ask of a format; of a rule that is turned, what none of
 * its calls may have. */
static bool rule_matches(struct rule *rule, const char *text, size_t bytes)
{
	const struct rule_condition *condition = rule_conditions(rule);
	bool turned = statement_places_turned(rule);
	bool one = false;
	bool all = true;

	for (uint32_t i = 0; i < rule->conditions; i++, condition++) {
		bool holds;

		if (!is_about_format(condition))
			continue;
		holds = glob_matches(&condition->glob, text, bytes);
		one |= holds;
		all &= holds != condition->negated;
	}
	return turned ? one : all;
}

/* ---- the file ---- */

static bool is_among(
	struct rule *const *rules, size_t count, const char *data, size_t size)
{
	for (size_t i = 0; i < count; i++) {
		size_t bytes;
		const char *part = part_of(rules[i], &bytes);

		if (part && memmem(data, size, part, bytes))
			return true;
	}
	return false;
}

/* False if it is certain that the file has no such text: then it need not be
 * looked at any further. */
static bool may_have(const char *path, struct rule *const *rules, size_t count)
{
	char *data = malloc(PIECE_BYTES + RULES_GLOB_MAX);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	bool may = !data || fd < 0 || fstat(fd, &status) != 0;
	size_t kept = 0;
	ssize_t got = 0;

	if (!may && !S_ISREG(status.st_mode))
		may = true;
	while (!may && (got = read(fd, data + kept, PIECE_BYTES)) > 0) {
		size_t size = kept + (size_t)got;

		may = is_among(rules, count, data, size);
		kept = size < RULES_GLOB_MAX ? size : RULES_GLOB_MAX;
		memmove(data, data + size - kept, kept);
	}
	if (fd >= 0)
		close(fd);
	free(data);
	return may || got < 0;
}

/* ---- the calls ---- */

/* A call that hands on a sentence: a statement of its own, maybe. */
struct saying {
	uint64_t call;
	uint64_t begin; /* of the function that it is in, mostly */
	uint64_t target;
};

struct found {
	size_t rule;
	uint64_t call;
	uint64_t next;
	uint64_t target;
	enum symbolizer_use use;
	char *text;
	size_t bytes;
};

struct search {
	struct rule *const *rules;
	size_t rules_count;
	struct found *found;
	size_t count, room;
	struct saying *sayings; /* by target, then call */
	size_t sayings_count, sayings_room;
	bool failed; /* no memory */
};

static bool is_sentence(const char *text)
{
	return strpbrk(text, " %{") != NULL;
}

static void note_found(struct search *search, size_t rule,
	const struct symbolizer_handed *handed)
{
	struct found *found;

	if (!array_reserve(search->found, search->room, search->count + 1)) {
		search->failed = true;
		return;
	}
	found = &search->found[search->count];
	*found = (struct found){
		.rule = rule,
		.call = handed->call,
		.next = handed->next,
		.target = handed->target,
		.use = handed->use,
		.text = strdup(handed->bytes),
		.bytes = handed->count,
	};
	search->failed |= !found->text;
	search->count += found->text != NULL;
}

/* What is printed at once is known by its format. */
static void take_statement(
	void *closure, const struct symbolizer_handed *handed)
{
	struct search *search = closure;

	if (handed->call == 0 || handed->use == SYMBOLIZER_USE_PRINTS)
		return;
	if (handed->target && is_sentence(handed->bytes)) {
		if (array_reserve(search->sayings, search->sayings_room,
			    search->sayings_count + 1))
			search->sayings[search->sayings_count++] =
				(struct saying){handed->call, handed->begin,
					handed->target};
		else
			search->failed = true;
	}
	for (size_t i = 0; i < search->rules_count; i++)
		if (rule_matches(
			    search->rules[i], handed->bytes, handed->count) &&
			(is_sentence(handed->bytes) ||
				is_named(search->rules[i])))
			note_found(search, i, handed);
}

/* ---- who else is told by the same return address ---- */

static int compare_sayings(const void *left, const void *right)
{
	const struct saying *a = left;
	const struct saying *b = right;

	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return a->call < b->call ? -1 : a->call > b->call;
}

static void sort_sayings(struct search *search)
{
	size_t kept = 0;

	if (search->sayings_count == 0)
		return;
	qsort(search->sayings, search->sayings_count, sizeof(*search->sayings),
		compare_sayings);
	for (size_t i = 0; i < search->sayings_count; i++)
		if (kept == 0 || compare_sayings(&search->sayings[kept - 1],
					 &search->sayings[i]) != 0)
			search->sayings[kept++] = search->sayings[i];
	search->sayings_count = kept;
}

/* How many calls hand a sentence to this function. */
static size_t calls_of(const struct search *search, uint64_t target)
{
	size_t low = 0, high = search->sayings_count;
	size_t count = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search->sayings[middle].target < target)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + count < search->sayings_count &&
		search->sayings[low + count].target == target)
		count++;
	return count;
}

/* The other texts of the call, and whether they are the same argument's. */
struct verifying {
	const struct found *found;
	struct rule *rule;
	bool met; /* the text itself, as this argument: */
	unsigned argument;
	bool several; /* it may be others */
	bool among_sentences;
};

static void find_argument(void *closure, const struct symbolizer_handed *handed)
{
	struct verifying *verifying = closure;
	const struct found *found = verifying->found;

	if (handed->how != SYMBOLIZER_HANDED_BY_CALL || verifying->met ||
		handed->count != found->bytes ||
		memcmp(handed->bytes, found->text, found->bytes) != 0)
		return;
	verifying->met = true;
	verifying->argument = handed->argument;
}

static void find_others(void *closure, const struct symbolizer_handed *handed)
{
	struct verifying *verifying = closure;

	if (handed->how != SYMBOLIZER_HANDED_BY_CALL)
		return;
	if (handed->argument != verifying->argument)
		verifying->among_sentences |= is_sentence(handed->bytes);
	else if (handed->more ||
		 !rule_matches(verifying->rule, handed->bytes, handed->count))
		verifying->several = true;
}

/* A function that says things of its own by one which more is given to. */
static bool is_shared(const struct search *search, uint64_t function)
{
	size_t given = calls_of(search, function);

	for (size_t i = 0; i < search->sayings_count; i++) {
		const struct saying *saying = &search->sayings[i];

		if (saying->begin == function && saying->target != function &&
			calls_of(search, saying->target) > given)
			return true;
	}
	return false;
}

/* False: a word that is there beside a sentence is no statement. */
static bool verify(const struct search *search,
	struct symbolizer_program *program, const struct found *found,
	enum statement_refusal *refusal)
{
	struct verifying verifying = {
		.found = found, .rule = search->rules[found->rule]};

	*refusal = STATEMENT_KNOWN;
	if (found->use == SYMBOLIZER_USE_MAKES) {
		*refusal = STATEMENT_MADE;
		return is_sentence(found->text);
	}
	if (found->next == 0) {
		*refusal = STATEMENT_LAST;
		return is_sentence(found->text);
	}
	symbolizer_program_handed(
		program, found->next, find_argument, &verifying);
	if (verifying.met)
		symbolizer_program_handed(
			program, found->next, find_others, &verifying);
	if (verifying.among_sentences && !is_sentence(found->text))
		return false;
	if (!verifying.met || verifying.several)
		*refusal = STATEMENT_SEVERAL;
	else if (found->target && is_shared(search, found->target))
		*refusal = STATEMENT_SHARED;
	return true;
}

static int compare_found(const void *left, const void *right)
{
	const struct found *a = left;
	const struct found *b = right;

	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	return a->call < b->call ? -1 : a->call > b->call;
}

static void tell(const struct search *search,
	struct symbolizer_program *program,
	void (*take)(void *closure, const struct statement_place *place),
	void *closure)
{
	const struct found *last = NULL;

	for (size_t i = 0; i < search->count; i++) {
		const struct found *found = &search->found[i];
		struct statement_place place = {
			.rule = found->rule,
			.call = found->call,
			.offset = found->next ? found->next - 1 : 0,
			.text = found->text,
			.bytes = found->bytes,
		};

		if (last && compare_found(last, found) == 0)
			continue;
		if (!verify(search, program, found, &place.refusal))
			continue;
		last = found;
		take(closure, &place);
	}
}

static void search_free(struct search *search)
{
	for (size_t i = 0; i < search->count; i++)
		free(search->found[i].text);
	free(search->found);
	free(search->sayings);
}

const char *statement_refusal_why(enum statement_refusal refusal)
{
	static const char *const whys[] = {
		[STATEMENT_KNOWN] = "",
#define REFUSAL(name, why) [STATEMENT_##name] = why,
#include "tools/program/statement_refusals.def"
#undef REFUSAL
	};

	return whys[refusal];
}

char *statement_places_each(const char *path,
	const struct symbolizer_options *options, struct rule *const *rules,
	size_t count,
	void (*take)(void *closure, const struct statement_place *place),
	void *closure)
{
	const struct symbolizer_module module = {.path = path};
	struct search search = {.rules = rules, .rules_count = count};
	struct symbolizer_options uncached = *options;
	struct symbolizer_program *program;
	char *why = NULL;

	if (!may_have(path, rules, count))
		return NULL;
	/* A cache does not have all that is asked for here. */
	uncached.cache = NULL;
	uncached.whole_handed = true;
	program = symbolizer_program_open(&uncached, &module, &why);
	if (!program)
		return why ? why : strdup("out of memory");
	free(why);
	symbolizer_program_statements(program, take_statement, &search);
	if (search.count > 0)
		qsort(search.found, search.count, sizeof(*search.found),
			compare_found);
	sort_sayings(&search);
	tell(&search, program, take, closure);
	symbolizer_program_close(program);
	why = search.failed ? strdup("out of memory") : NULL;
	search_free(&search);
	return why;
}
