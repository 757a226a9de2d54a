/*
 * Bytes that bring others back: a Reed-Solomon code over GF(256) with the
 * polynomial 0x11d and the roots 1, 2, 4... of its generator, as any textbook
 * has it.  Data, and its parity right behind it, are laid out in rows of equal
 * length, PARITY_ALL_ROWS or less, where the parity begins in the middle of a
 * row if the data ends there.  Each column is a code word of its own, whose
 * last PARITY_ROWS bytes are parity: a run of damaged bytes costs each column
 * one for each row that it is long, wherever it is.  Knows nothing of logs.
 * For one thread: tables are made at the first use.
 */
#ifndef BASE_PARITY_H
#define BASE_PARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARITY_ROWS 8u
#define PARITY_DATA_ROWS 247u
#define PARITY_ALL_ROWS (PARITY_DATA_ROWS + PARITY_ROWS)

/* Bytes of a row for so many bytes of data. */
static inline size_t parity_row_bytes(size_t bytes)
{
	return (bytes + PARITY_DATA_ROWS - 1) / PARITY_DATA_ROWS;
}

/* Gives `size` bytes of the data, which begin at `offset`.  False: it cannot.
 */
typedef bool parity_read(
	void *closure, size_t offset, uint8_t *bytes, size_t size);

/*
 * Fills `parity`, as many bytes as PARITY_ROWS rows have, for so many bytes of
 * data, which are not 0, read row by row.  False: no memory, or it cannot be
 * read.
 */
bool parity_make(
	parity_read *read, void *closure, size_t bytes, uint8_t *parity);

/* Whether data and parity are what they were, as far as somebody knows. */
typedef bool parity_check(void *closure);

/*
 * Changes data and parity to what they were where some of it was damaged, by
 * any few bytes of each column, or by a run of nearly PARITY_ROWS rows.  `may`
 * says of each row whether it may be damaged; nothing else is changed.  More
 * damage than that may be taken for less: who has a check sum of the data has
 * to ask that.  `check` asks it, too, where there is more than one way, until
 * it gives true; null: nobody knows.  Returns how many columns are still
 * damaged; SIZE_MAX: no memory.
 */
size_t parity_mend(uint8_t *data, size_t bytes, uint8_t *parity,
	const bool may[PARITY_ALL_ROWS], parity_check *check, void *closure);

#endif
