#include "decoder/statements/statements.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decoder/capture/handed_texts.h"
#include "decoder/capture/program_file.h"
#include "decoder/statements/line_parts.h"
#include "decoder/statements/statement_format.h"
#include "decoder/statements/statement_index.h"
#include "record/format.h"

/* Of texts that are longer nothing is said. */
#define TEXT_MAX ((size_t)16 << 10)
/* Texts that a program may hand on at the calls of one stack. */
#define CANDIDATES_MAX 512u
/* Calls that hand on a format without words, at one call of a stack. */
#define PASSING_MAX 16
/* Statements that account for more where another one fits as well. */
#define RIVALS_MAX 8
/* Places behind a colon, and how far into a text these are looked for. */
#define COLONS_MAX 8
#define COLON_MAX 200u

/* A constant that a call hands on. */
struct candidate {
	const struct statement_format *format;
	enum symbolizer_handing how;
	enum symbolizer_answer takes_any;
	uint64_t call;	     /* the instruction, in the file, */
	uint64_t begin, end; /* and the function that it is in */
	uint64_t next; /* of one that no stack led to: where the call returns */
		       /* to in the process; 0: not known, or a stack did */
};

/* What one call of a program hands on; by where it returns to. */
struct handed_call {
	const void *of;	  /* the program, or what a log says of the call */
	uint64_t address; /* in it */
	struct candidate *candidates;
	size_t count, room;
	uint64_t passing[PASSING_MAX]; /* instructions that hand on "%s", too */
	size_t passing_count;
	struct handed_call *collides;
};

/* The same as one of a stack. */
struct choice {
	const struct candidate *candidate;
	const struct handed_call *of;
	size_t frame;
};

/* How a message is said by a statement: what else its text has, and which
 * directives cannot have made theirs, so that these are text. */
struct variant {
	uint64_t as_text; /* a bit for each directive */
	bool prefix, tail;
	uint8_t newlines; /* bytes of the end of the text */
	const struct choice *choice;
	struct definition_context *context; /* null: no memory */
	struct variant *next;
};

/* Of the contexts of messages; for one that has none: no choices. */
struct statement_choices {
	const struct statements *of;
	struct choice *all;
	size_t count;
	bool only_given; /* the call has words of its own, and passes on */
	const struct choice *last; /* that a text was made of; null: none */
	size_t last_begin;	   /* in that, */
	char last_before;	   /* after this, */
	size_t last_behind;	   /* and before so many bytes */
	bool sure;
	const struct choice *rivals[RIVALS_MAX]; /* that may fit as well */
	size_t rival_count;			 /* RIVALS_MAX: and others */
	uint64_t as_text;			 /* of its directives */
	struct variant *variants;
	/* Those of entries of an index, which texts of this context had. */
	struct statement_choices *entries;
	/* Of one of these: which, and the same for another one. */
	const struct statement_entry *entry;
	const struct definition_context *context;
	struct statement_choices *other;
};

/* All statements of a program or library. */
struct whole_program {
	const struct program_file *file;
	struct statement_index index;
	struct whole_program *next;
};

struct statements {
	struct restore *restore;
	bool matters; /* that a program is not there */
	struct pool pool;
	struct id_map calls;
	struct render_buffer text, check;
	struct message message; /* the answer */
	struct render_argument arguments[FORMAT_KINDS_MAX];
	/* while the constants of a call are listed: */
	struct handed_call *listed;
	/* All statements of the programs that a text may be of, which has no
	 * stack; and while these are listed: */
	struct statement_index index;
	bool indexed;
	struct whole_program *programs; /* for texts whose stack has none */
	struct statement_index *filled;
	uint64_t bias;
};

struct statements *statements_new(struct restore *restore, bool matters)
{
	struct statements *statements = calloc(1, sizeof(*statements));

	if (statements) {
		statements->restore = restore;
		restore_use_cache(restore);
		statements->matters = matters;
	}
	return statements;
}

void statements_free(struct statements *statements)
{
	struct whole_program *next;
	size_t i;

	if (!statements)
		return;
	for (i = 0; statements->calls.slots && i <= statements->calls.mask;
		i++) {
		struct handed_call *call = statements->calls.slots[i].value;

		for (; call; call = call->collides)
			free(call->candidates);
	}
	id_map_free(&statements->calls);
	statement_index_free(&statements->index);
	for (; statements->programs; statements->programs = next) {
		next = statements->programs->next;
		statement_index_free(&statements->programs->index);
		free(statements->programs);
	}
	render_buffer_free(&statements->text);
	render_buffer_free(&statements->check);
	pool_free(&statements->pool);
	free(statements);
}

/*
 * What the calls of a stack hand on.
 */

/*
 * One that accounts for next to nothing of a text is no statement, unless a
 * call is surely given it.
 */
static bool says_something(
	const struct statement_format *format, enum symbolizer_handing how)
{
	return (format->letters >= 2 && format->plain >= 3) ||
	       format->plain >= 5 ||
	       (format->directives >= 2 && format->parted &&
		       how != SYMBOLIZER_HANDED_BEFORE);
}

static void add_candidate(struct statements *statements,
	const struct symbolizer_handed *handed,
	enum statement_formatter formatter)
{
	struct handed_call *call = statements->listed;
	struct statement_format *format = statement_format_new(
		handed->bytes, handed->count, formatter, &statements->pool);

	if (format && format->plain == 0 && format->directives == 1 &&
		call->passing_count < PASSING_MAX)
		call->passing[call->passing_count++] = handed->call;
	if (!format || !says_something(format, handed->how) ||
		!array_reserve(call->candidates, call->room, call->count + 1))
		return;
	call->candidates[call->count++] = (struct candidate){
		.format = format,
		.how = handed->how,
		.takes_any = handed->takes_any,
		.call = handed->call,
		.begin = handed->begin,
		.end = handed->end,
	};
}

static void take_handed(void *closure, const struct symbolizer_handed *handed)
{
	struct statements *statements = closure;
	enum statement_formatter formatter = STATEMENT_PRINTF;

	for (; formatter < STATEMENT_FORMATTERS; formatter++)
		add_candidate(statements, handed, formatter);
}

/* What the log of the message says of a call.  Null: nothing. */
static const struct handed_texts_call *packed_call(
	const struct message *message, uint64_t next, uint64_t *address)
{
	const struct program_module *module;

	if (!message->capture->handed)
		return NULL;
	module = program_module_at(
		message->program, next - 1, message->context->modules);
	if (!module)
		return NULL;
	*address = next - module->bias;
	return handed_texts_find(message->capture->handed, module, *address);
}

/* Who says what the call hands on, and where it is.  Null: nobody. */
static const void *teller_of(struct statements *statements,
	const struct message *message, uint64_t next,
	const struct handed_texts_call **packed, struct program_file **file,
	uint64_t *address)
{
	*file = NULL;
	*packed = packed_call(message, next, address);
	if (*packed)
		return *packed;
	*address = next - 1;
	*file = restore_file(
		statements->restore, message, address, statements->matters);
	++*address;
	return *file;
}

static struct handed_call *call_at(struct statements *statements,
	const struct message *message, uint64_t next)
{
	const struct handed_texts_call *packed;
	struct program_file *file;
	uint64_t address;
	const void *of =
		teller_of(statements, message, next, &packed, &file, &address);
	struct handed_call *first, *call;
	size_t i;

	if (!of)
		return NULL;
	first = id_map_find(&statements->calls, address);
	for (call = first; call; call = call->collides)
		if (call->of == of)
			return call;
	call = pool_take(&statements->pool, sizeof(*call));
	if (!call)
		return NULL;
	*call = (struct handed_call){
		.of = of, .address = address, .collides = first};
	if (!id_map_set(&statements->calls, address, call))
		return NULL;
	statements->listed = call;
	for (i = 0; packed && i < packed->count; i++)
		take_handed(statements, &packed->all[i]);
	if (file)
		symbolizer_program_handed(
			file->program, address, take_handed, statements);
	return call;
}

/* More plain text first: it is less likely by chance. */
static int compare_choices(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;
	const struct statement_format *f = a->candidate->format;
	const struct statement_format *g = b->candidate->format;

	if (f->plain != g->plain)
		return f->plain > g->plain ? -1 : 1;
	if (a->candidate->how != b->candidate->how)
		return a->candidate->how < b->candidate->how ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static bool is_own_format(
	const struct definition_context *context, const struct candidate *it)
{
	return context->format &&
	       context->format->length == it->format->bytes &&
	       memcmp(context->format->bytes, it->format->text,
		       it->format->bytes) == 0;
}

/* A word alone may be what another statement was given. */
static bool is_sentence(const struct statement_format *format)
{
	return format->spaced || format->directives > 0;
}

/* With which who was called has jumped to the function that prints; or null. */
static const struct candidate *last_jump(
	const struct definition_context *context,
	const struct handed_call *call)
{
	size_t i;

	for (i = 0; i < call->count; i++)
		if (call->candidates[i].how == SYMBOLIZER_HANDED_BY_JUMP &&
			is_own_format(context, &call->candidates[i]))
			return &call->candidates[i];
	return NULL;
}

/* Whether frame number `i` can be what the candidate was found for. */
static bool is_choice(const struct message *message, size_t i,
	const struct handed_call *call, const struct candidate *candidate)
{
	const struct definition_context *context = message->context;
	const struct program_module *module;
	uint64_t inner;

	if (is_own_format(context, candidate))
		return false;
	/* a word for a function that takes no format is what is put between the
	 * marks */
	if (candidate->takes_any == SYMBOLIZER_NO &&
		!is_sentence(candidate->format) &&
		definition_says(message->context) == DEFINITION_MARKS)
		return false;
	/* other arguments of printf are no statements */
	if (i == 0)
		return candidate->how != SYMBOLIZER_HANDED_BY_CALL ||
		       !definition_is_formatted(context) ||
		       last_jump(context, call);
	if (candidate->how != SYMBOLIZER_HANDED_BY_JUMP)
		return true;
	/* one that is on the stack has not left by a jump */
	module = program_module_at(
		message->program, context->frames[i] - 1, context->modules);
	inner = context->frames[i - 1] - 1 - (module ? module->bias : 0);
	return inner < candidate->begin || inner >= candidate->end;
}

static void list_choices(struct statements *statements,
	const struct message *message, struct statement_choices *choices)
{
	const struct definition_context *context = message->context;
	struct choice all[CANDIDATES_MAX];
	size_t i, k;

	for (i = 0; i < context->depth && i < HANDED_FRAMES_MAX; i++) {
		const struct handed_call *call =
			call_at(statements, message, context->frames[i]);

		for (k = 0; call && k < call->count; k++) {
			if (!is_choice(message, i, call, &call->candidates[k]))
				continue;
			if (choices->count == CANDIDATES_MAX)
				break;
			all[choices->count++] = (struct choice){
				.candidate = &call->candidates[k],
				.of = call,
				.frame = i};
		}
	}
	if (choices->count == 0)
		return;
	qsort(all, choices->count, sizeof(all[0]), compare_choices);
	choices->all = pool_take(
		message->pool, choices->count * sizeof(choices->all[0]));
	if (choices->all)
		memcpy(choices->all, all,
			choices->count * sizeof(choices->all[0]));
	else
		choices->count = 0;
}

static struct statement_choices *choices_of(
	struct statements *statements, const struct message *message)
{
	struct definition_context *context = message->context;
	struct statement_choices *choices = context->statements;

	if (choices && choices->of == statements)
		return choices;
	choices = pool_take(message->pool, sizeof(*choices));
	if (!choices)
		return NULL;
	*choices = (struct statement_choices){.of = statements};
	choices->only_given = definition_says(context) == DEFINITION_SAYS;
	if (definition_passes_text_on(context))
		list_choices(statements, message, choices);
	context->statements = choices;
	return choices;
}

/*
 * Which of them a text was made of.
 */

struct found {
	const struct choice *choice;
	size_t begin;  /* of it in the text, */
	size_t behind; /* and what the call itself has put behind it */
	struct statement_match match;
	bool sure;
	bool several; /* nothing tells which of them it is */
};

/* Where in the text it may begin. */
struct begin {
	size_t at;
	size_t end; /* of the argument that begins there, or of the text */
	bool weak;  /* what is before is not what loggers put there */
};

struct begins {
	struct begin all[FORMAT_KINDS_MAX + 2 * LINE_PARTS_MAX + COLONS_MAX];
	size_t count;
};

static void add_prefixes(
	struct begins *begins, const char *text, size_t from, size_t end)
{
	size_t all[LINE_PARTS_MAX];
	size_t count = line_parts_begins(text, end, from, all);
	size_t i;

	for (i = 0; i < count; i++)
		begins->all[begins->count++] =
			(struct begin){.at = all[i], .end = end};
}

/* Names of threads and files, other errors: whatever ends in a colon. */
static void add_colons(struct begins *begins, const char *text, size_t bytes)
{
	size_t added = 0;
	size_t i;

	for (i = 0; added < COLONS_MAX && i + 2 < bytes && i < COLON_MAX; i++)
		if (text[i] == ':' && text[i + 1] == ' ') {
			begins->all[begins->count++] = (struct begin){
				.at = i + 2, .end = bytes, .weak = true};
			added++;
		}
}

/* The latest first; those that are weak behind all others. */
static int compare_begins(const void *left, const void *right)
{
	const struct begin *a = left, *b = right;

	if (a->weak != b->weak)
		return a->weak ? 1 : -1;
	return a->at > b->at ? -1 : a->at < b->at;
}

/* Where a %s of the call itself has put its text, and what prefixes are in it.
 */
static void add_arguments(struct begins *begins, const struct message *message,
	const char *text, size_t bytes)
{
	size_t from = 0, end = bytes;
	size_t i;

	if (message->context->text != BINLOG_TEXT_FORMAT &&
		message->context->text != BINLOG_TEXT_SYSLOG)
		return;
	for (i = definition_arguments_before(message->context);
		i < message->count; i++) {
		const struct render_argument *argument = &message->arguments[i];
		const char *at;

		if (argument->kind != BINLOG_ARG_STRING || argument->null ||
			argument->bytes == 0)
			continue;
		/* which may have been cut by its precision */
		at = memmem(text + from, bytes - from, argument->data,
			argument->bytes < 16 ? argument->bytes : 16);
		if (!at)
			continue;
		from = (size_t)(at - text);
		end = bytes;
		if (argument->bytes < bytes - from &&
			memcmp(at, argument->data, argument->bytes) == 0)
			end = from + argument->bytes;
		begins->all[begins->count++] =
			(struct begin){.at = from, .end = end};
	}
	if (from > 0)
		add_prefixes(begins, text, from, end);
}

/* In the order in which they are tried. */
static void list_begins(struct begins *begins, const struct message *message,
	const char *text, size_t bytes)
{
	begins->count = 0;
	add_prefixes(begins, text, 0, bytes);
	add_colons(begins, text, bytes);
	add_arguments(begins, message, text, bytes);
	qsort(begins->all, begins->count, sizeof(begins->all[0]),
		compare_begins);
}

static bool ends_anywhere(const char *text, size_t bytes, size_t at)
{
	(void)text;
	return at < bytes;
}

/* The text of a candidate behind what ends at `begin`.  One that was formatted
 * into memory before is the first piece of a text that is put together, if it
 * looks unended: anything may follow. */
static bool matches(const struct candidate *candidate, const char *text,
	size_t bytes, size_t begin, struct statement_match *match)
{
	const struct statement_format *format = candidate->format;
	const bool piece = begin == 0 && format->unended &&
			   candidate->how == SYMBOLIZER_HANDED_BEFORE &&
			   candidate->takes_any != SYMBOLIZER_NO;

	return statement_format_matches(format, text, bytes, begin,
		piece ? ends_anywhere : line_parts_ends, match);
}

/* Whether the text is made of it between these places. */
static bool fits_at(const struct candidate *candidate,
	const struct begin *begin, const char *text, size_t bytes,
	struct statement_match *match)
{
	const struct statement_format *format = candidate->format;

	return matches(candidate, text, bytes, begin->at, match) &&
	       /* of what is no sentence nothing may follow */
	       (match->end >= bytes || format->spaced ||
		       format->directives > 0) &&
	       (!begin->weak || (format->spaced && match->end == bytes));
}

/* The latest place where it matches: what is before may be a prefix. */
static bool fits(const struct choice *choice, const struct begins *begins,
	const char *text, size_t bytes, struct found *found)
{
	const struct candidate *candidate = choice->candidate;
	size_t i;

	for (i = 0; i < begins->count; i++) {
		const struct begin *begin = &begins->all[i];

		found->behind = 0;
		if (!fits_at(candidate, begin, text, bytes, &found->match)) {
			found->behind = bytes - begin->end;
			if (begin->end == bytes ||
				!fits_at(candidate, begin, text, begin->end,
					&found->match))
				continue;
		}
		found->choice = choice;
		found->begin = begin->at;
		return true;
	}
	return false;
}

static bool is_same_text(const struct choice *a, const struct choice *b)
{
	const struct statement_format *f = a->candidate->format;
	const struct statement_format *g = b->candidate->format;

	return f->bytes == g->bytes && memcmp(f->text, g->text, f->bytes) == 0;
}

/* The call is given a format, of which the word is an argument. */
static bool is_beside_format(const struct choice *choice)
{
	const struct handed_call *call = choice->of;
	size_t i;

	for (i = 0; i < call->passing_count; i++)
		if (call->passing[i] == choice->candidate->call)
			return true;
	return false;
}

/* A function that takes any arguments is given it, and no other. */
static bool is_format(const struct choice *choice)
{
	return choice->candidate->takes_any == SYMBOLIZER_YES &&
	       !is_beside_format(choice);
}

static bool is_sure(const struct message *message, const struct choice *choice)
{
	const struct candidate *candidate = choice->candidate;

	if (is_sentence(candidate->format))
		return true;
	if (candidate->how == SYMBOLIZER_HANDED_BEFORE ||
		is_beside_format(choice))
		return false;
	return candidate->takes_any == SYMBOLIZER_YES ||
	       (candidate->how == SYMBOLIZER_HANDED_BY_CALL &&
		       definition_says(message->context) == DEFINITION_NOTHING);
}

/* A function that ends by a jump is not on the stack; what it hands on is found
 * at the call that it jumps to, too. */
static bool came_by_jump(const struct choice *call, const struct choice *jump)
{
	return is_same_text(call, jump) && jump->frame == call->frame + 1 &&
	       jump->candidate->how == SYMBOLIZER_HANDED_BY_JUMP;
}

/* It is what a directive of the other one has made. */
static bool is_within(const struct found *inner, const struct found *outer)
{
	const struct statement_format *format =
		outer->choice->candidate->format;
	const char *text = outer->match.text;
	size_t i;

	for (i = 0; i < format->directives; i++) {
		const struct statement_capture *capture =
			&outer->match.captures[i];
		size_t from = (size_t)(capture->text - text);

		if (from <= inner->begin &&
			inner->match.end <= from + capture->bytes)
			return true;
	}
	return false;
}

/* Nothing of the other one follows. */
static bool is_last(const struct found *inner, const struct found *outer)
{
	const struct statement_format *format =
		outer->choice->candidate->format;
	const struct statement_capture *last;

	if (format->directives == 0 ||
		format->pieces[format->count - 1].kind == STATEMENT_PLAIN)
		return false;
	last = &outer->match.captures[format->directives - 1];
	return (size_t)(last->text - outer->match.text) <= inner->begin;
}

/* With a time or the like: no statement that was given a text does that. */
static bool begins_line(const struct found *found)
{
	return found->begin == 0 && found->match.text[0] != '\0' &&
	       strchr("0123456789[(<", found->match.text[0]);
}

/*
 * Of a statement and what it was given, which may be one, too: who logs for
 * others gets a format from further out, and puts it into one of its own
 * (`fatal: %s`); who was given a word says it in a statement (`no such host:
 * %s`).  *sure becomes false where it may be either.
 */
static bool is_given_statement(
	const struct found *given, const struct found *wrapper, bool *sure)
{
	const struct statement_format *format =
		given->choice->candidate->format;
	const struct statement_format *around =
		wrapper->choice->candidate->format;

	if (around->letters == 0)
		return true;
	if (given->choice->frame <= wrapper->choice->frame ||
		!is_sentence(format) || !is_last(given, wrapper))
		return false;
	*sure &= (format->directives > 0 || is_format(given->choice)) &&
		 (given->choice->candidate->how != SYMBOLIZER_HANDED_BEFORE ||
			 begins_line(wrapper));
	return true;
}

/*
 * Anything may follow, and the function that prints has put it there before:
 * it is a header rather than a statement.
 */
static bool is_open(const struct found *found, size_t bytes)
{
	const char *text = found->match.text;
	const size_t end = found->match.end;

	return found->choice->candidate->how == SYMBOLIZER_HANDED_BEFORE &&
	       end < bytes && end >= 2 && memcmp(text + end - 2, ": ", 2) == 0;
}

/* Whether `other` is rather the statement than the one that was found. */
static bool is_better(const struct found *found, const struct found *other,
	size_t bytes, bool *sure)
{
	if (is_open(found, bytes) && other->begin >= found->match.end &&
		!is_open(other, bytes))
		return true;
	if (came_by_jump(found->choice, other->choice))
		return true;
	if (is_within(other, found))
		return is_given_statement(other, found, sure);
	return is_within(found, other) &&
	       !is_given_statement(found, other, sure);
}

/* Of a text that a call with words of its own passes on: a sentence that is
 * longer, and was given as a format, from further out. */
static bool is_given(const struct message *message, const struct found *found)
{
	const struct statement_format *format =
		found->choice->candidate->format;
	const struct render_argument *last =
		message->count > 0 ? &message->arguments[message->count - 1]
				   : NULL;

	return found->choice->frame > 0 && format->spaced &&
	       (is_format(found->choice) ||
		       (found->choice->candidate->takes_any ==
				       SYMBOLIZER_UNKNOWN &&
			       format->directives > 0)) &&
	       last && last->kind == BINLOG_ARG_STRING && !last->null &&
	       format->plain > DEFINITION_LABEL_MAX / 2 &&
	       found->match.end - found->begin <= last->bytes &&
	       found->match.end - found->begin + 1 >= last->bytes;
}

static bool find(struct statement_choices *choices,
	const struct message *message, const char *text, size_t bytes,
	struct found *found)
{
	struct statement_pairs pairs = {0};
	struct begins begins;
	struct found other;
	size_t i;

	statement_pairs_add(&pairs, text, bytes);
	begins.count = 0;
	found->choice = NULL;
	found->several = false;
	for (i = 0; i < choices->count; i++) {
		const struct choice *choice = &choices->all[i];
		bool sure = true;

		if (!statement_format_may_match(
			    choice->candidate->format, &pairs))
			continue;
		if (begins.count == 0)
			list_begins(&begins, message, text, bytes);
		if (!fits(choice, &begins, text, bytes, &other) ||
			(choices->only_given && !is_given(message, &other)))
			continue;
		other.sure =
			is_sure(message, choice) && !is_open(&other, bytes);
		other.several = false;
		if (!found->choice || is_better(found, &other, bytes, &sure))
			*found = other;
		else if (choice->candidate->format->plain ==
				 found->choice->candidate->format->plain &&
			 !is_same_text(choice, found->choice) &&
			 !is_within(&other, found))
			sure = false;
		found->sure &= sure;
	}
	return found->choice;
}

/* Whether both may be what one text begins with. */
static bool begin_alike(
	const struct statement_format *a, const struct statement_format *b)
{
	const struct statement_piece *f = &a->pieces[0];
	const struct statement_piece *g = &b->pieces[0];
	const size_t bytes = f->bytes < g->bytes ? f->bytes : g->bytes;

	return f->kind != STATEMENT_PLAIN || g->kind != STATEMENT_PLAIN ||
	       memcmp(f->text, g->text, bytes) == 0;
}

/* Of the calls that several statements share. */
static void list_rivals(struct statement_choices *choices)
{
	const struct statement_format *format =
		choices->last->candidate->format;
	size_t i;

	choices->rival_count = 0;
	for (i = 0; i < choices->count && choices->rival_count < RIVALS_MAX;
		i++) {
		const struct choice *choice = &choices->all[i];

		if (choice->candidate->format->plain < format->plain)
			break;
		if (!is_same_text(choice, choices->last) &&
			begin_alike(choice->candidate->format, format))
			choices->rivals[choices->rival_count++] = choice;
	}
}

static bool has_rival(
	const struct statement_choices *choices, const char *text, size_t bytes)
{
	struct statement_match match;
	size_t i;

	for (i = 0; i < choices->rival_count; i++)
		if (matches(choices->rivals[i]->candidate, text, bytes,
			    choices->last_begin, &match))
			return true;
	return choices->rival_count == RIVALS_MAX;
}

/* One call mostly is one statement, behind a prefix of one length. */
static bool find_again(const struct statement_choices *choices,
	const char *text, size_t bytes, struct found *found)
{
	size_t at = choices->last_begin;

	/* what is behind an argument has been looked at there */
	if (!choices->last || choices->only_given || choices->last_behind > 0 ||
		at >= bytes ||
		(at > 0 && text[at - 1] != choices->last_before) ||
		!matches(choices->last->candidate, text, bytes, at,
			&found->match) ||
		has_rival(choices, text, bytes))
		return false;
	found->choice = choices->last;
	found->begin = at;
	found->sure = choices->sure;
	found->several = false;
	return true;
}

static void remember(struct statement_choices *choices,
	const struct found *found, const char *text)
{
	choices->last = found->choice;
	choices->last_begin = found->begin;
	choices->last_behind = found->behind;
	choices->last_before = found->begin > 0 ? text[found->begin - 1] : ' ';
	choices->sure = found->sure;
	choices->as_text = 0;
	list_rivals(choices);
}

/*
 * The message that it is then.
 */

static void put_plain(struct render_buffer *out, const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (text[i] == '%')
			render_buffer_put_byte(out, '%');
		render_buffer_put_byte(out, text[i]);
	}
}

static struct definition_string *string_of(
	const struct message *message, const struct render_buffer *text)
{
	struct definition_string *string =
		pool_take(message->pool, sizeof(*string));

	if (!string || text->failed)
		return NULL;
	*string = (struct definition_string){
		.bytes = pool_copy(message->pool, text->data, text->length),
		.length = text->length,
	};
	return string->bytes ? string : NULL;
}

/* The statement as a format of printf. */
static struct definition_string *make_inner(
	const struct message *message, const struct variant *variant)
{
	const struct statement_format *format =
		variant->choice->candidate->format;
	struct definition_string *string;
	struct render_buffer out = {0};
	size_t directive = 0;
	size_t i;

	for (i = 0; i < format->count; i++) {
		const struct statement_piece *piece = &format->pieces[i];

		if (piece->kind == STATEMENT_PLAIN)
			put_plain(&out, piece->text, piece->bytes);
		else if (variant->as_text >> directive++ & 1)
			render_buffer_put_string(&out, "%s");
		else
			render_buffer_put(&out, piece->text, piece->bytes);
	}
	string = string_of(message, &out);
	render_buffer_free(&out);
	return string;
}

/* The same with what the variant says around it. */
static struct definition_string *make_format(const struct message *message,
	const struct variant *variant, const struct definition_string *inner,
	const char *newlines)
{
	struct definition_string *string;
	struct render_buffer out = {0};

	if (!inner)
		return NULL;
	if (variant->prefix)
		render_buffer_put_string(&out, "%s");
	render_buffer_put(&out, inner->bytes, inner->length);
	if (variant->tail)
		render_buffer_put_string(&out, "%s");
	render_buffer_put(&out, newlines, variant->newlines);
	string = string_of(message, &out);
	render_buffer_free(&out);
	return string;
}

/* The kinds of its arguments, behind those that are not of the format. */
static bool set_kinds(
	const struct message *message, struct definition_context *context)
{
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	size_t before = definition_arguments_before(context);
	uint8_t *all;
	bool has_errno;
	int count = format_arguments(context->format->bytes,
		context->format->length, kinds, &has_errno);

	if (count < 0 || has_errno || before > message->count)
		return false;
	all = pool_take(message->pool, before + (size_t)count + 1);
	if (!all)
		return false;
	memcpy(all, message->context->kinds, before);
	memcpy(all + before, kinds, (size_t)count);
	context->kinds = all;
	context->arguments = before + (size_t)count;
	return true;
}

static struct definition_string *original(
	const struct message *message, const struct choice *choice)
{
	const struct statement_format *format = choice->candidate->format;
	struct definition_string *string =
		pool_take(message->pool, sizeof(*string));

	if (string)
		*string = (struct definition_string){
			.bytes = format->text, .length = format->bytes};
	return string;
}

/* Behind all that are known the call of one that none of them has led to.
 * Null: out of memory. */
static const uint64_t *frames_beside(const struct message *message,
	const struct choice *choice, size_t *depth)
{
	const struct definition_context *from = message->context;
	uint64_t *frames =
		pool_take(message->pool, (from->depth + 1) * sizeof(frames[0]));

	if (!frames)
		return NULL;
	if (from->depth > 0)
		memcpy(frames, from->frames, from->depth * sizeof(frames[0]));
	frames[from->depth] = choice->candidate->next;
	*depth = from->depth + (choice->candidate->next != 0);
	return frames;
}

/*
 * The stack of the statement: what was called before, and what has jumped, is
 * not on that of the message.  Null: out of memory.
 */
static const uint64_t *make_frames(const struct message *message,
	const struct choice *choice, size_t *depth, size_t *skipped)
{
	const struct definition_context *from = message->context;
	const struct program_module *module;
	const struct candidate *place = choice->candidate;
	bool jumped = place->how == SYMBOLIZER_HANDED_BY_JUMP;
	uint64_t *frames;

	*skipped = choice->frame;
	if (choice->frame >= from->depth)
		return frames_beside(message, choice, depth);
	module = program_module_at(message->program,
		from->frames[choice->frame] - 1, from->modules);
	*depth = from->depth;
	if (place->how == SYMBOLIZER_HANDED_BY_CALL && choice->frame == 0) {
		place = last_jump(from, choice->of);
		jumped = place;
		*skipped += jumped;
	} else if (place->how == SYMBOLIZER_HANDED_BY_CALL) {
		place = NULL;
	}
	if (!place || !module) {
		*skipped = choice->frame;
		return from->frames;
	}
	frames =
		pool_take(message->pool, (from->depth + 1) * sizeof(frames[0]));
	if (!frames)
		return NULL;
	*depth += jumped;
	memcpy(frames, from->frames, choice->frame * sizeof(frames[0]));
	memcpy(frames + choice->frame + jumped, from->frames + choice->frame,
		(from->depth - choice->frame) * sizeof(frames[0]));
	/* of a return address one is taken away */
	frames[choice->frame] = module->bias + place->call + 1;
	return frames;
}

static struct definition_context *make_context(const struct message *message,
	const struct variant *variant, const char *newlines)
{
	const struct definition_context *from = message->context;
	struct definition_context *context =
		pool_take(message->pool, sizeof(*context));
	struct definition_statement *statement =
		pool_take(message->pool, sizeof(*statement));
	size_t depth, skipped;
	const uint64_t *frames =
		make_frames(message, variant->choice, &depth, &skipped);

	if (!context || !statement || !frames)
		return NULL;
	*statement = (struct definition_statement){
		.format = original(message, variant->choice),
		.inner = make_inner(message, variant),
		.skipped = skipped,
		.newlines = variant->newlines,
		.prefix = variant->prefix,
		.tail = variant->tail,
		.beside = variant->choice->frame >= from->depth &&
			  depth > from->depth,
	};
	*context = (struct definition_context){
		.id = from->id,
		.text = from->text == BINLOG_TEXT_SYSLOG ? from->text
							 : BINLOG_TEXT_FORMAT,
		.flags = from->flags,
		.has_format = true,
		.restored = true,
		.format = make_format(
			message, variant, statement->inner, newlines),
		.function = from->function,
		.stream = from->stream,
		.frames = frames + skipped,
		.depth = depth - skipped,
		.usable = true,
		.modules = from->modules,
		.statement = statement,
	};
	if (!context->format || !statement->format ||
		!set_kinds(message, context))
		return NULL;
	return context;
}

static struct variant *variant_of(struct statement_choices *choices,
	const struct message *message, const struct variant *wanted,
	const char *newlines)
{
	struct variant **at = &choices->variants;
	struct variant *variant;

	while (*at && ((*at)->choice != wanted->choice ||
			      (*at)->as_text != wanted->as_text ||
			      (*at)->prefix != wanted->prefix ||
			      (*at)->tail != wanted->tail ||
			      (*at)->newlines != wanted->newlines))
		at = &(*at)->next;
	variant = *at;
	if (variant) {
		*at = variant->next;
	} else {
		variant = pool_take(message->pool, sizeof(*variant));
		if (!variant)
			return NULL;
		*variant = *wanted;
		variant->context = make_context(message, variant, newlines);
	}
	/* the next one is mostly the same */
	variant->next = choices->variants;
	choices->variants = variant;
	return variant;
}

static void set_string(
	struct render_argument *argument, const char *text, size_t bytes)
{
	*argument = (struct render_argument){
		.kind = BINLOG_ARG_STRING,
		.bytes = (uint32_t)bytes,
		.data = text,
	};
}

/* As printf writes a whole number; false: it would not write it so. */
static bool set_integer(struct render_argument *argument,
	const struct statement_piece *piece,
	const struct statement_capture *capture)
{
	const char *at = capture->text;
	const char *end = at + capture->bytes;
	const bool negative = at < end && *at == '-';
	uint64_t value = 0;

	at += negative;
	/* `%hd` does not write all that it is given; of 18 digits each can be
	 * added without a look */
	if (!piece->simple || piece->text[1] == 'h' || at == end ||
		end - at > 18 || (*at == '0' && (negative || end - at > 1)) ||
		(negative && strchr("ux", piece->text[piece->bytes - 1])))
		return false;
	for (; at < end; at++) {
		if ((unsigned char)(*at - '0') > 9)
			return false;
		value = value * 10 + (unsigned char)(*at - '0');
	}
	*argument = (struct render_argument){.kind = piece->argument};
	if (piece->argument == BINLOG_ARG_I64) {
		argument->i64 = negative ? -(int64_t)value : (int64_t)value;
		return true;
	}
	argument->i32 = negative ? (int32_t) - (int64_t)value : (int32_t)value;
	return piece->argument == BINLOG_ARG_I32 && value <= INT32_MAX;
}

/* Likewise a hexadecimal one, if need be with zeros before it. */
static bool set_hex(struct render_argument *argument,
	const struct statement_piece *piece,
	const struct statement_capture *capture)
{
	const char *at = capture->text;
	const char *end = at + capture->bytes;
	const char *type = piece->text + 1;
	const char letter = piece->kind == STATEMENT_HEX ? 'a' : 'A';
	size_t width = 0;
	uint64_t value = 0;

	if (*type == '0')
		for (; isdigit((unsigned char)*type) && width < 100; type++)
			width = width * 10 + (size_t)(*type - '0');
	/* one digit is there in any case, and zeros only up to the width */
	if ((*type != 'l' && *type != 'x' && *type != 'X') ||
		piece->text[piece->bytes - 1] == 'o' || at == end ||
		capture->bytes < width ||
		(capture->bytes > width && *at == '0' && capture->bytes > 1) ||
		capture->bytes > (piece->argument == BINLOG_ARG_I32 ? 8u : 16u))
		return false;
	for (; at < end; at++) {
		const unsigned char digit = (unsigned char)(*at - '0');
		const unsigned char more = (unsigned char)(*at - letter);

		if (digit > 9 && more > 5)
			return false;
		value = value << 4 | (digit <= 9 ? digit : more + 10u);
	}
	*argument = (struct render_argument){.kind = piece->argument};
	if (piece->argument == BINLOG_ARG_I32)
		argument->i32 = (int32_t)value;
	else
		argument->i64 = (int64_t)value;
	return piece->argument == BINLOG_ARG_I32 ||
	       piece->argument == BINLOG_ARG_I64;
}

/* Whether it is a number that can have been written only so. */
static bool set_evident(struct render_argument *argument,
	const struct statement_piece *piece,
	const struct statement_capture *capture)
{
	switch (piece->kind) {
	case STATEMENT_INTEGER:
		return set_integer(argument, piece, capture);
	case STATEMENT_HEX:
	case STATEMENT_HEX_CAPITALS:
		return set_hex(argument, piece, capture);
	default:
		return false;
	}
}

/* A number as printf was given it; false: it is none. */
static bool set_number(struct render_argument *argument, uint8_t kind,
	enum statement_kind of, const struct statement_capture *capture)
{
	char digits[64];
	uint64_t bits;
	char *end;

	if (capture->bytes >= sizeof(digits))
		return false;
	memcpy(digits, capture->text, capture->bytes);
	digits[capture->bytes] = '\0';
	*argument = (struct render_argument){.kind = kind};
	if (kind == BINLOG_ARG_F64) {
		argument->f64 = strtod(digits, &end);
		return *end == '\0';
	}
	if (of == STATEMENT_CHARACTER) {
		bits = (uint8_t)capture->text[0];
	} else if (of == STATEMENT_POINTER && digits[0] == '(') {
		bits = 0;
	} else {
		bits = of == STATEMENT_INTEGER
			       ? (strchr(digits, '-')
						 ? (uint64_t)strtoll(
							   digits, &end, 10)
						 : strtoull(digits, &end, 10))
			       : strtoull(digits, &end, 16);
		if (*end != '\0')
			return false;
	}
	if (kind == BINLOG_ARG_I32)
		argument->i32 = (int32_t)bits;
	else
		argument->i64 = (int64_t)bits;
	return kind == BINLOG_ARG_I32 || kind == BINLOG_ARG_I64;
}

/* Whether the directive makes the same text of what was read out of it. */
static bool is_made_again(struct statements *statements,
	const struct message *message, const struct statement_piece *piece,
	const struct render_argument *argument,
	const struct statement_capture *capture)
{
	struct render_buffer *check = &statements->check;

	check->length = 0;
	return render_format(check, piece->text, piece->bytes, argument, 1,
		       NULL, message->capture->libc) == RENDER_COMPLETE &&
	       check->length == capture->bytes &&
	       memcmp(render_buffer_from(check, 0), capture->text,
		       capture->bytes) == 0;
}

/*
 * The values of its directives.  Those in *as_text are text; with `prove` those
 * are added that would not have made theirs.  *evident becomes false if one may
 * not have, by what it looks like.
 */
static size_t set_arguments(struct statements *statements,
	const struct message *message, const struct found *found, bool prove,
	struct render_argument *arguments, uint64_t *as_text, bool *evident)
{
	const struct statement_format *format =
		found->choice->candidate->format;
	size_t count = 0;
	size_t i;

	for (i = 0; i < format->count; i++) {
		const struct statement_piece *piece = &format->pieces[i];
		const struct statement_capture *capture;

		if (piece->kind == STATEMENT_PLAIN)
			continue;
		capture = &found->match.captures[count];
		if (!(*as_text >> count & 1) &&
			set_evident(&arguments[count], piece, capture)) {
			count++;
			continue;
		}
		*evident &= (*as_text >> count & 1) ||
			    (piece->kind == STATEMENT_STRING && piece->simple);
		if (*as_text >> count & 1 ||
			piece->argument == BINLOG_ARG_STRING ||
			!set_number(&arguments[count], piece->argument,
				piece->kind, capture))
			set_string(&arguments[count], capture->text,
				capture->bytes);
		if (prove && !is_made_again(statements, message, piece,
				     &arguments[count], capture)) {
			*as_text |= (uint64_t)1 << count;
			set_string(&arguments[count], capture->text,
				capture->bytes);
		}
		count++;
	}
	return count;
}

/* The proof of all of it. */
static bool is_same_text_again(struct statements *statements)
{
	const struct render_buffer *text = &statements->text;
	struct render_buffer *check = &statements->check;

	check->length = 0;
	message_text(&statements->message, check);
	return !check->failed && check->length == text->length &&
	       memcmp(check->data, text->data, text->length) == 0;
}

/* Null: it cannot be said so. */
static const struct message *restate(struct statements *statements,
	struct statement_choices *choices, const struct message *message,
	const struct found *found, size_t chomped, bool prove)
{
	const char *text = statements->text.data;
	const size_t bytes = statements->text.length;
	struct render_argument *arguments = statements->arguments;
	struct variant wanted = {
		.choice = found->choice,
		.prefix = found->begin > 0,
		.tail = found->match.end < chomped,
		.as_text = choices->as_text,
	};
	bool evident = !memchr(text, '\0', bytes);
	const struct variant *variant;
	size_t count;

	if (bytes - chomped > UINT8_MAX)
		return NULL;
	wanted.newlines = (uint8_t)(bytes - chomped);
	count = definition_arguments_before(message->context);
	if (message->context->text != BINLOG_TEXT_SYSLOG)
		count = 0;
	if (count > message->count)
		return NULL;
	memcpy(arguments, message->arguments, count * sizeof(*arguments));
	if (wanted.prefix)
		set_string(&arguments[count++], text, found->begin);
	count += set_arguments(statements, message, found, prove,
		arguments + count, &wanted.as_text, &evident);
	if (wanted.tail)
		set_string(&arguments[count++], text + found->match.end,
			chomped - found->match.end);
	variant = variant_of(choices, message, &wanted, text + chomped);
	if (!variant || !variant->context ||
		variant->context->arguments != count)
		return NULL;
	statements->message = *message;
	statements->message.text = NULL;
	statements->message.context = variant->context;
	statements->message.arguments = arguments;
	statements->message.count = count;
	if (!evident && !is_same_text_again(statements))
		return NULL;
	statements->message.text = &statements->text;
	variant->context->statement->sure = found->sure;
	variant->context->statement->several = found->several;
	choices->as_text = wanted.as_text;
	return &statements->message;
}

static bool find_anew(struct statement_choices *choices,
	const struct message *message, const char *text, size_t bytes,
	struct found *found)
{
	if (!find(choices, message, text, bytes, found))
		return false;
	remember(choices, found, text);
	return true;
}

/*
 * Texts that have no stack, or one whose calls have handed on nothing that they
 * are made of: any statement of the programs may be theirs.
 */

/* Entries of which one place has given out texts. */
#define ENTRIES_MAX 512u

static void take_statement(
	void *closure, const struct symbolizer_handed *handed)
{
	struct statements *statements = closure;
	struct statement_place place = {0};

	if (handed->call != 0) {
		/* of a return address one is taken away */
		place.address = statements->bias + handed->call + 1;
		place.function = statements->bias + handed->begin;
	}
	statement_index_add(
		statements->filled, handed->bytes, handed->count, &place);
}

static void add_program(struct statements *statements,
	struct statement_index *index, const struct program_file *file,
	uint64_t bias)
{
	statements->filled = index;
	statements->bias = bias;
	symbolizer_program_statements(
		file->program, take_statement, statements);
}

/* Those of all programs that are named. */
static void make_index(
	struct statements *statements, const struct message *message)
{
	const struct program *program = message->program;
	size_t i;

	statements->indexed = true;
	for (i = 0; i < program->module_count; i++) {
		uint64_t address = program->modules[i].start;
		struct program_file *file = restore_file(
			statements->restore, message, &address, true);

		if (file)
			add_program(statements, &statements->index, file,
				program->modules[i].bias);
	}
	statement_index_finish(&statements->index);
}

/* With addresses as in the file.  Null: out of memory. */
static struct statement_index *index_of(
	struct statements *statements, const struct program_file *file)
{
	struct whole_program *program = statements->programs;

	for (; program; program = program->next)
		if (program->file == file)
			return &program->index;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->file = file;
	program->next = statements->programs;
	statements->programs = program;
	add_program(statements, &program->index, file, 0);
	statement_index_finish(&program->index);
	return &program->index;
}

static struct statement_choices *make_choices(struct statements *statements,
	const struct message *message, const struct statement_entry *entry,
	uint64_t bias)
{
	struct statement_choices *choices =
		pool_take(message->pool, sizeof(*choices));
	struct choice *choice = pool_take(message->pool, sizeof(*choice));
	struct candidate *candidate =
		pool_take(message->pool, sizeof(*candidate));

	if (!choices || !choice || !candidate)
		return NULL;
	*candidate = (struct candidate){
		.format = entry->format,
		.next = entry->place.address != 0 ? bias + entry->place.address
						  : 0,
	};
	*choice = (struct choice){
		.candidate = candidate, .frame = message->context->depth};
	*choices = (struct statement_choices){
		.of = statements,
		.all = choice,
		.count = 1,
		.entry = entry,
		.context = message->context,
	};
	return choices;
}

/* The only choice that there is for an entry, in the list or put into it.
 * Null: out of memory, or there are too many. */
static struct statement_choices *choices_in(struct statements *statements,
	struct statement_choices **list, const struct message *message,
	const struct statement_entry *entry, uint64_t bias)
{
	struct statement_choices **at = list;
	struct statement_choices *choices;
	unsigned i;

	for (i = 0; *at && ((*at)->entry != entry ||
				   (*at)->context != message->context);
		i++)
		at = &(*at)->other;
	choices = *at;
	if (choices)
		*at = choices->other;
	else if (i < ENTRIES_MAX)
		choices = make_choices(statements, message, entry, bias);
	if (!choices)
		return NULL;
	choices->other = *list;
	*list = choices;
	return choices;
}

static const struct message *restate_entry(struct statements *statements,
	struct statement_choices *choices, const struct message *message,
	const struct statement_found *named, size_t bytes)
{
	const struct message *restated;
	struct found found;

	if (!choices)
		return NULL;
	found = (struct found){
		.choice = choices->all,
		.begin = named->begin,
		.match = named->match,
		.several = named->several,
	};
	restated = restate(statements, choices, message, &found, bytes, false);
	if (!restated)
		restated = restate(
			statements, choices, message, &found, bytes, true);
	return restated;
}

/* Null: it is of none, or cannot be said so. */
static const struct message *apply_to_line(struct statements *statements,
	const struct message *message, const char *text, size_t bytes)
{
	struct statement_found named;
	struct statement_choices *list, *choices;

	if (!statement_index_find(&statements->index, text, bytes, &named))
		return NULL;
	/* contexts of texts are few, and last */
	list = named.entry->owner;
	choices = choices_in(statements, &list, message, named.entry, 0);
	named.entry->owner = list;
	return restate_entry(statements, choices, message, &named, bytes);
}

/* Takes it if the statements of the program with this address have a better
 * one; of the one that was asked before it is known. */
static void find_in_program(struct statements *statements,
	const struct message *message, uint64_t at,
	const struct program_file **asked, struct statement_found *best,
	uint64_t *bias)
{
	uint64_t address = at;
	const struct program_file *file =
		restore_file(statements->restore, message, &address, false);
	struct statement_index *index =
		file && file != *asked ? index_of(statements, file) : NULL;
	const size_t bytes = line_parts_chomp(
		statements->text.data, statements->text.length);
	struct statement_found found;

	*asked = file;
	if (!index ||
		!statement_index_find(
			index, statements->text.data, bytes, &found) ||
		(best->entry && best->entry->format->plain >=
					found.entry->format->plain))
		return;
	*best = found;
	*bias = at - address;
}

/* An address of the executable; 0: it is not known where that is. */
static uint64_t executable_at(const struct program *program)
{
	size_t i;

	for (i = 0; program->executable && i < program->module_count; i++)
		if (strcmp(program->modules[i].path, program->executable) == 0)
			return program->modules[i].start;
	return 0;
}

/*
 * Likewise, of the program or library that has printed it, and the executable:
 * another process, or thread, has made the text, and this one passes it on.
 */
static const struct message *apply_to_programs(struct statements *statements,
	struct statement_choices *choices, const struct message *message,
	size_t bytes)
{
	const struct definition_context *context = message->context;
	const uint64_t executable = executable_at(message->program);
	const struct program_file *asked = NULL;
	struct statement_found best = {0};
	uint64_t bias = 0;

	if (context->depth > 0)
		find_in_program(statements, message, context->frames[0] - 1,
			&asked, &best, &bias);
	if (executable != 0)
		find_in_program(
			statements, message, executable, &asked, &best, &bias);
	/* a word between the marks of who prints is what that was given */
	if (!best.entry ||
		(definition_says(message->context) == DEFINITION_MARKS &&
			!is_sentence(best.entry->format)))
		return NULL;
	return restate_entry(statements,
		choices_in(statements, &choices->entries, message, best.entry,
			bias),
		message, &best, bytes);
}

/* Likewise: the constants of its stack are tried. */
static const struct message *apply_to_stack(struct statements *statements,
	struct statement_choices *choices, const struct message *message,
	const char *text, size_t bytes)
{
	const struct message *restated = NULL;
	struct found found;

	if (choices->count > 0 &&
		(find_again(choices, text, bytes, &found) ||
			find_anew(choices, message, text, bytes, &found))) {
		restated = restate(
			statements, choices, message, &found, bytes, false);
		if (!restated)
			restated = restate(statements, choices, message, &found,
				bytes, true);
	}
	return restated;
}

const struct message *statements_apply(
	struct statements *statements, const struct message *message)
{
	const bool stackless = message->capture->text;
	struct render_buffer *text = &statements->text;
	const struct message *restated = NULL;
	struct statement_choices *choices = NULL;
	bool passed_on;
	size_t chomped;

	if (message_is_event(message) || message->continues || message->partial)
		return message;
	if (stackless && !statements->indexed)
		make_index(statements, message);
	if (!stackless)
		choices = choices_of(statements, message);
	passed_on = choices && statements->matters &&
		    definition_says(message->context) != DEFINITION_SAYS;
	if (stackless ? statements->index.count == 0
		      : !choices || (choices->count == 0 && !passed_on))
		return message;
	text->length = 0;
	message_text(message, text);
	if (text->failed || text->length == 0 || text->length > TEXT_MAX)
		return message;
	chomped = line_parts_chomp(text->data, text->length);
	if (stackless)
		restated =
			apply_to_line(statements, message, text->data, chomped);
	else
		restated = apply_to_stack(
			statements, choices, message, text->data, chomped);
	if (!restated && passed_on)
		restated = apply_to_programs(
			statements, choices, message, chomped);
	return restated ? restated : message;
}
