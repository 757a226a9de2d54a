/*
 * Bytes that bring others back: a Reed-Solomon code over GF(256) with the
 * polynomial 0x11d and the roots 1, 2, 4... of its generator, as any textbook
 * has it.  Data is laid out in up to PARITY_DATA_ROWS rows of equal length, the
 * last one filled with zeros; each column of these is a code word of its own,
 * so that a run of damaged bytes costs each column a few.  Knows nothing of
 * logs.  For one thread: tables are made at the first use.
 */
#ifndef BASE_PARITY_H
#define BASE_PARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARITY_ROWS 9u
#define PARITY_DATA_ROWS 246u
#define PARITY_ALL_ROWS (PARITY_DATA_ROWS + PARITY_ROWS)

/* Bytes of a row for so many bytes of data. */
static inline size_t parity_row_bytes(size_t bytes)
{
	return (bytes + PARITY_DATA_ROWS - 1) / PARITY_DATA_ROWS;
}

/* How many rows the data has. */
static inline size_t parity_data_rows(size_t bytes)
{
	const size_t row = parity_row_bytes(bytes);

	return row ? (bytes + row - 1) / row : 0;
}

/* Gives `size` bytes of the data, which begin at `offset`.  False: it cannot.
 */
typedef bool parity_read(
	void *closure, size_t offset, uint8_t *bytes, size_t size);

/*
 * Fills `parity`, PARITY_ROWS rows one after the other, from `bytes` of data,
 * which are not 0, read row by row.  False: no memory, or it cannot be read.
 */
bool parity_make(
	parity_read *read, void *closure, size_t bytes, uint8_t *parity);

/* Whether data and parity are what they were, as far as somebody knows. */
typedef bool parity_check(void *closure);

/*
 * Changes data and parity to what they were where some of it was damaged, by
 * any few bytes of each column, or by a run of less than PARITY_ROWS rows, also
 * where it costs some columns one more, as it passes the end of data that fills
 * no row.  `may` says of each row, first of the data, then of the parity,
 * whether it may be damaged; nothing else is changed.  More damage than that
 * may be taken for less: who has a check sum of the data has to ask that.
 * `check` asks it, too, where there is more than one way, until it gives true;
 * null: nobody knows.  Returns how many columns are still damaged; SIZE_MAX: no
 * memory.
 */
size_t parity_mend(uint8_t *data, size_t bytes, uint8_t *parity,
	const bool may[PARITY_ALL_ROWS], parity_check *check, void *closure);

#endif
