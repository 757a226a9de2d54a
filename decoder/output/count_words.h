/*
 * What counts of calls are called: binlog-output(7) defines the words.  Those
 * for people are shown on terminals; what is read by programs has those that it
 * always had.
 */
#ifndef DECODER_COUNT_WORDS_H
#define DECODER_COUNT_WORDS_H

#include <stdbool.h>

struct count_words {
	const char *recorded;
	const char *passed; /* through: made natively */
	const char *lost;
};

static inline struct count_words count_words_of(bool terminal)
{
	return terminal ? (struct count_words){"recorded", "passed through",
				  "lost"}
			: (struct count_words){"captured", "passed", "dropped"};
}

/* The same at the heads of tables. */
#define COUNT_HEAD_RECORDED "RECORDED"
#define COUNT_HEAD_PASSED "PASSED THROUGH"
#define COUNT_HEAD_LOST "LOST"
#define COUNT_HEAD_OFF "SWITCHED OFF"

#endif
