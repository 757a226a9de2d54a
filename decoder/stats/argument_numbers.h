/*
 * The numbers that an argument has had, site by site: what --values,
 * --histogram and --rcdf show.  Takes messages one by one, and batches of
 * packed logs as columns.
 */
#ifndef DECODER_ARGUMENT_NUMBERS_H
#define DECODER_ARGUMENT_NUMBERS_H

#include "decoder/message/message_sites.h"
#include "decoder/output/style.h"
#include "decoder/query/batch_fold.h"
#include "decoder/stats/number_bars.h"
#include "decoder/stats/numbers.h"

/* Of one site. */
struct argument_site {
	struct message_site site;
	struct numbers numbers;
};

struct argument_numbers {
	struct style_settings settings;
	const char *name;
	struct message_sites sites;
	struct numbers_room room;
	struct number_bars *bars; /* of all sites; null: not asked for */
	struct batch_fold fold;
	bool asked;  /* there was a message, perhaps without it */
	bool failed; /* out of memory */
};

/* Null: out of memory. */
struct argument_numbers *argument_numbers_new(
	const struct style_settings *settings);

void argument_numbers_message(
	struct argument_numbers *numbers, const struct message *message);

/* Sorts the sites, the one with the most values first, and adds up. */
struct numbers argument_numbers_sum(struct argument_numbers *numbers);

/* Says so if there are none, though there were messages. */
void argument_numbers_complain(const struct argument_numbers *numbers);

/* Notes what has failed, and frees everything but the sum. */
void argument_numbers_free(struct argument_numbers *numbers);

#endif
