/*
 * Rows of the tables as messages again, so that all filters and styles take
 * them: what rows.c does, the other way round.  Fed by the tool that asks.
 * What the tables do not have is not there: ticks are nanoseconds, and no
 * message is in pieces.  Bounded by what a server gives of statements and
 * processes.  One thread.
 */
#ifndef DECODER_ANSWERS_H
#define DECODER_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "decoder/capture/message.h"
#include "decoder/fleet/row_binary.h"

/* Columns that are asked for, in this order: SELECT answers_...columns. */
enum answers_column {
#define ANSWER(name) ANSWER_##name,
#include "decoder/fleet/answer_columns.def"
#undef ANSWER
	ANSWER_COLUMNS
};

struct answers;

/* Null: out of memory. */
struct answers *answers_new(struct error_list *errors);

/* What is asked of the table `statements`, with commas between; and its types.
 */
const char *answers_statement_columns(void);
const enum fleet_type *answers_statement_types(size_t *count);

/* Takes a row of it; one that is known already is passed over.  False: out of
 * memory. */
bool answers_add_statement(
	struct answers *answers, const struct row_value *values);

/*
 * Those that are known, and of each a message as it makes them, with arguments
 * that are 0 or empty; good until the next message.
 */
size_t answers_statement_count(const struct answers *answers);
uint64_t answers_statement_id(const struct answers *answers, size_t i);
const struct message *answers_example(struct answers *answers, size_t i);

/* Likewise of the statement that a row names; one that is not known, too. */
const struct message *answers_example_of(struct answers *answers, uint64_t id);

/*
 * Of the table `messages`, with arguments and text or without; what is left out
 * is not asked for and comes as if it were empty.
 */
struct answers_wanted {
	bool arguments;
	bool text;
};

void answers_message_columns(
	const struct answers_wanted *wanted, struct render_buffer *out);
const enum fleet_type *answers_message_types(struct answers *answers,
	const struct answers_wanted *wanted, size_t *count);

/* A row with these columns; good until the next one.  Null: out of memory. */
const struct message *answers_message(
	struct answers *answers, const struct row_value *values);

/* Null is fine. */
void answers_free(struct answers *answers);

#endif
