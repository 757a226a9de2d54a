/*
 * Rows of numbers and names, as a table for people or as a line of JSON for
 * each row.  Filled cell by cell by the styles that show numbers; what comes
 * from programs is escaped by the rules of either.
 */
#ifndef DECODER_REPORT_H
#define DECODER_REPORT_H

#include "decoder/message_sites.h"
#include "decoder/number_text.h"
#include "decoder/numbers.h"
#include "decoder/output.h"
#include "decoder/table.h"

#define REPORT_COLUMNS_MAX 16

/* The last one is null-named. */
struct report_column {
	const char *name; /* at the head of the table */
	const char *key;  /* in JSON */
	bool right;	  /* aligned */
};

struct report {
	const struct report_column *columns;
	struct output *output;
	bool json;
	struct table table;
	struct table_column heads[REPORT_COLUMNS_MAX + 1];
	size_t cell; /* of the row */
};

/* The table's head is what it points to: it is not moved afterwards. */
void report_begin(struct report *report, const struct report_column *columns,
	struct output *output, bool json);

void report_count(struct report *report, uint64_t count);
void report_number(struct report *report, struct number_text text);
/* Eight cells: least, mean, most, deviation and the percentiles. */
void report_numbers(struct report *report, const struct numbers *numbers);
#define REPORT_NUMBERS                                                         \
	{"MIN", "min", true}, {"MEAN", "mean", true}, {"MAX", "max", true},    \
		{"STDDEV", "stddev", true}, {"50%", "p50", true},              \
		{"90%", "p90", true}, {"99%", "p99", true},                    \
	{                                                                      \
		"99.9%", "p99.9", true                                         \
	}

/* Text of ours. */
void report_word(struct report *report, const char *word);
/* There is none. */
void report_nothing(struct report *report);
/* Two cells: where the site is, and its format. */
void report_site(struct report *report, const struct message_site *site);
/* The same for all sites together. */
void report_total(struct report *report);

/* A bar as long as this part of the most, in the last column of a table. */
void report_bar(struct report *report, uint64_t part, uint64_t most);

/*
 * Instead of numbers: no message that was chosen has this argument.
 */
void report_no_argument(struct output *output, const char *name);

/* Gives the table out; what fails is the failure of the output. */
void report_end(struct report *report);

#endif
