/*
 * Rows of numbers and names, as a table for people or as a line of JSON for
 * each row.  Filled cell by cell by the styles that show numbers; what comes
 * from programs is escaped by the rules of either.
 */
#ifndef DECODER_NUMBER_ROWS_H
#define DECODER_NUMBER_ROWS_H

#include "base/number_text.h"
#include "decoder/message/message_sites.h"
#include "decoder/output/output.h"
#include "decoder/output/table.h"
#include "decoder/stats/numbers.h"

#define NUMBER_ROWS_COLUMNS_MAX 16

/* How long the longest bar is in a file, and at most on a terminal. */
#define NUMBER_ROWS_BAR 50u
#define NUMBER_ROWS_BAR_MOST 100u

/* The last one is null-named. */
struct number_rows_column {
	const char *name; /* at the head of the table */
	const char *key;  /* in JSON */
	bool right;	  /* aligned */
};

struct number_rows {
	const struct number_rows_column *columns;
	struct output *output;
	bool json;
	struct table table;
	struct table_column heads[NUMBER_ROWS_COLUMNS_MAX + 1];
	size_t cell;  /* of the row */
	double *bars; /* of each row, parts of the longest one; or null */
	size_t bar_count;
	size_t bar_room;
	/* Columns that a narrow terminal does without: see table.h; or null. */
	const unsigned char *expendable;
};

/* The table's head is what it points to: it is not moved afterwards. */
void number_rows_begin(struct number_rows *rows,
	const struct number_rows_column *columns, struct output *output,
	bool json);

void number_rows_count(struct number_rows *rows, uint64_t count);
void number_rows_number(struct number_rows *rows, struct number_text text);
/* Eight cells: least, mean, most, deviation and the percentiles. */
void number_rows_numbers(
	struct number_rows *rows, const struct numbers *numbers);
#define NUMBER_ROWS_NUMBERS                                                    \
	{"MIN", "min", true}, {"MEAN", "mean", true}, {"MAX", "max", true},    \
		{"STDDEV", "stddev", true}, {"50%", "p50", true},              \
		{"90%", "p90", true}, {"99%", "p99", true},                    \
	{                                                                      \
		"99.9%", "p99.9", true                                         \
	}

/*
 * For tables of one count, these numbers and a site: what a narrow terminal
 * does without, and how much the format keeps beside them.
 */
extern const unsigned char number_rows_expendable[];
#define NUMBER_ROWS_FORMAT_LEAST 16

/* Text of ours. */
void number_rows_word(struct number_rows *rows, const char *word);
/* There is none. */
void number_rows_nothing(struct number_rows *rows);
/* Two cells: where the site is, and its format. */
void number_rows_site(
	struct number_rows *rows, const struct message_site *site);
/* The same for all sites together. */
void number_rows_total(struct number_rows *rows);

/*
 * A bar as long as this part of the most, in the last column of a table: on a
 * terminal the longest one ends where that does.
 */
void number_rows_bar(struct number_rows *rows, uint64_t part, uint64_t most);

/*
 * Instead of numbers: no message that was chosen has this argument.
 */
void number_rows_no_argument(struct output *output, const char *name);

/* Gives the table out; what fails is the failure of the output. */
void number_rows_end(struct number_rows *rows);

#endif
