#include "base/parity.h"

#include <stdlib.h>
#include <string.h>

#define POLYNOMIAL 0x11du
/* Errors at places that nobody knows. */
#define ERRORS_MAX (PARITY_ROWS / 2)
/* Columns that have to agree on where a run of damage is. */
#define WITNESSES 6u
/* Columns of which no run of damage is found, until none is looked for. */
#define PATIENCE 64u

/* The remainder of a column so far: PARITY_ROWS bytes, the highest power first.
 */
__extension__ typedef unsigned __int128 remainder_t;
#define TOP_BITS (8u * (PARITY_ROWS - 1))
#define REMAINDER_MASK (((remainder_t)1 << 8 * PARITY_ROWS) - 1)

static uint8_t powers[2 * 255], logs[256];
static remainder_t steps[256]; /* what a byte that is shifted out leaves */

static uint8_t multiply(uint8_t a, uint8_t b)
{
	return a && b ? powers[logs[a] + logs[b]] : 0;
}

static uint8_t divide(uint8_t a, uint8_t b)
{
	return a ? powers[logs[a] + 255 - logs[b]] : 0;
}

static void make_tables(void)
{
	uint8_t generator[PARITY_ROWS + 1] = {1}; /* the highest power first */
	unsigned value = 1;
	size_t i, k;

	if (powers[0])
		return;
	for (i = 0; i < 255; i++) {
		logs[value] = (uint8_t)i;
		powers[i + 255] = (uint8_t)value;
		powers[i] = (uint8_t)value;
		value = value << 1 ^ (value & 0x80 ? POLYNOMIAL : 0);
	}
	for (i = 0; i < PARITY_ROWS; i++)
		for (k = i + 1; k > 0; k--)
			generator[k] ^= multiply(generator[k - 1], powers[i]);
	for (i = 0; i < 256; i++)
		for (k = 1; k <= PARITY_ROWS; k++)
			steps[i] = steps[i] << 8 |
				   multiply((uint8_t)i, generator[k]);
}

/* Adds another row, the rest of which is zeros. */
static void divide_row(
	remainder_t *all, size_t row, const uint8_t *data, size_t bytes)
{
	size_t i;

	for (i = 0; i < row; i++) {
		const uint8_t in = i < bytes ? data[i] : 0;
		const uint8_t out = (uint8_t)(all[i] >> TOP_BITS) ^ in;

		all[i] = (all[i] << 8 & REMAINDER_MASK) ^ steps[out];
	}
}

/* The remainders of all columns.  Null: no memory. */
static remainder_t *divide_all(const uint8_t *data, size_t bytes)
{
	const size_t row = parity_row_bytes(bytes);
	remainder_t *all = calloc(row, sizeof(*all));
	size_t at;

	for (at = 0; all && at < bytes; at += row)
		divide_row(all, row, data + at, bytes - at);
	return all;
}

static uint8_t byte_of(remainder_t remainder, size_t row)
{
	return (uint8_t)(remainder >> 8 * (PARITY_ROWS - 1 - row));
}

bool parity_make(
	parity_read *read, void *closure, size_t bytes, uint8_t *parity)
{
	const size_t row = parity_row_bytes(bytes);
	remainder_t *all = calloc(row, sizeof(*all));
	uint8_t *data = malloc(row);
	bool made = all && data;
	size_t at, i, k;

	make_tables();
	for (at = 0; made && at < bytes; at += row) {
		const size_t size = bytes - at < row ? bytes - at : row;

		made = read(closure, at, data, size);
		divide_row(all, row, data, made ? size : 0);
	}
	for (k = 0; made && k < PARITY_ROWS; k++)
		for (i = 0; i < row; i++)
			parity[k * row + i] = byte_of(all[i], k);
	free(all);
	free(data);
	return made;
}

/*
 * One column.  Polynomials have the lowest power first; a row is known by the
 * power of 2 that its place in the code word stands for.
 */

#define TERMS (2 * PARITY_ROWS + 2)

struct polynomial {
	uint8_t terms[TERMS];
	size_t degree;
};

static uint8_t value_at(const struct polynomial *polynomial, uint8_t x)
{
	uint8_t value = 0;
	size_t i;

	for (i = polynomial->degree + 1; i > 0; i--)
		value = multiply(value, x) ^ polynomial->terms[i - 1];
	return value;
}

/* What is wrong with a column, and how it becomes right. */
struct column {
	uint8_t syndromes[PARITY_ROWS];
	size_t count;
	size_t rows[PARITY_ROWS]; /* in the group: data, then parity */
	uint8_t values[PARITY_ROWS];
};

struct group {
	size_t rows; /* of data and parity */
	const bool *may;
};

/* 2 to the power of the row's place. */
static uint8_t locator_of(const struct group *group, size_t row)
{
	return powers[group->rows - 1 - row];
}

static void set_syndromes(struct column *column, remainder_t remainder)
{
	size_t i, k;

	for (k = 0; k < PARITY_ROWS; k++) {
		uint8_t value = 0;

		for (i = 0; i < PARITY_ROWS; i++)
			value = multiply(value, powers[k]) ^
				byte_of(remainder, i);
		column->syndromes[k] = value;
	}
}

/* Sets what is wrong with the bytes at these rows.  False: they alone do not
 * explain the syndromes. */
static bool explain(const struct group *group, struct column *column,
	const struct polynomial *locator)
{
	struct polynomial evaluator = {.degree = PARITY_ROWS - 1};
	size_t i, k;

	for (i = 0; i < PARITY_ROWS; i++)
		for (k = 0; k <= i && k <= locator->degree; k++)
			evaluator.terms[i] ^= multiply(
				locator->terms[k], column->syndromes[i - k]);
	for (i = 0; i < column->count; i++) {
		const uint8_t at = locator_of(group, column->rows[i]);
		const uint8_t inverse = divide(1, at);
		uint8_t slope = 0;
		uint8_t power = 1;

		for (k = 1; k <= locator->degree; k++) {
			if (k % 2 == 1)
				slope ^= multiply(locator->terms[k], power);
			power = multiply(power, inverse);
		}
		if (slope == 0)
			return false;
		column->values[i] = multiply(
			at, divide(value_at(&evaluator, inverse), slope));
	}
	for (k = 0; k < PARITY_ROWS; k++) {
		uint8_t left = column->syndromes[k];

		for (i = 0; i < column->count; i++)
			left ^= multiply(column->values[i],
				powers[(size_t)logs[locator_of(
					       group, column->rows[i])] *
					k % 255]);
		if (left != 0)
			return false;
	}
	return true;
}

/* By Berlekamp and Massey.  The places are not known. */
static bool find_errors(const struct group *group, struct column *column)
{
	struct polynomial locator = {{1}, 0}, older = {{1}, 0};
	size_t length = 0, shift = 1;
	uint8_t last = 1;
	size_t i, k;

	for (i = 0; i < PARITY_ROWS; i++) {
		uint8_t discrepancy = column->syndromes[i];
		struct polynomial kept = locator;
		uint8_t factor;

		for (k = 1; k <= length; k++)
			discrepancy ^= multiply(
				locator.terms[k], column->syndromes[i - k]);
		if (discrepancy == 0) {
			shift++;
			continue;
		}
		factor = divide(discrepancy, last);
		for (k = 0; k + shift < TERMS && k <= older.degree; k++)
			locator.terms[k + shift] ^=
				multiply(factor, older.terms[k]);
		if (older.degree + shift > locator.degree)
			locator.degree = older.degree + shift;
		if (2 * length > i) {
			shift++;
			continue;
		}
		length = i + 1 - length;
		older = kept;
		last = discrepancy;
		shift = 1;
	}
	if (length > ERRORS_MAX)
		return false;
	locator.degree = length;
	column->count = 0;
	for (i = 0; i < group->rows; i++) {
		if (value_at(&locator, divide(1, locator_of(group, i))) != 0)
			continue;
		if (!group->may[i] || column->count == length)
			return false;
		column->rows[column->count++] = i;
	}
	return column->count == length && explain(group, column, &locator);
}

/* The places are column->rows. */
static bool fill_erasures(const struct group *group, struct column *column)
{
	struct polynomial locator = {{1}, 0};
	size_t i, k;

	for (i = 0; i < column->count; i++) {
		const uint8_t at = locator_of(group, column->rows[i]);

		for (k = ++locator.degree; k > 0; k--)
			locator.terms[k] ^= multiply(locator.terms[k - 1], at);
	}
	return explain(group, column, &locator);
}

/*
 * All columns of a group.
 */

/* No others are damaged in a column. */
struct rows {
	uint8_t count;
	uint8_t all[PARITY_ROWS];
};

struct mending {
	struct group group;
	uint8_t *data, *parity;
	size_t bytes, row;
	remainder_t *wrong; /* of each column what remains; 0: it is right, */
	struct rows *found; /* and these were damaged */
	size_t left;	    /* columns that are wrong */
};

/* Null: in what fills the last row. */
static uint8_t *byte_at(const struct mending *mending, size_t row, size_t i)
{
	const size_t data_rows = mending->group.rows - PARITY_ROWS;
	const size_t at = row * mending->row + i;

	if (row >= data_rows)
		return &mending->parity[(row - data_rows) * mending->row + i];
	return at < mending->bytes ? &mending->data[at] : NULL;
}

static bool apply(
	struct mending *mending, const struct column *column, size_t i)
{
	struct rows *found = &mending->found[i];
	size_t k;

	for (k = 0; k < column->count; k++)
		if (column->values[k] != 0 &&
			!byte_at(mending, column->rows[k], i))
			return false;
	found->count = 0;
	for (k = 0; k < column->count; k++) {
		if (column->values[k] != 0)
			*byte_at(mending, column->rows[k], i) ^=
				column->values[k];
		found->all[found->count++] = (uint8_t)column->rows[k];
	}
	mending->wrong[i] = 0;
	mending->left--;
	return true;
}

/* Of up to so many bytes each. */
static void mend_scattered(struct mending *mending, size_t most)
{
	struct column column;
	size_t i;

	for (i = 0; i < mending->row; i++) {
		if (!mending->wrong[i])
			continue;
		set_syndromes(&column, mending->wrong[i]);
		if (find_errors(&mending->group, &column) &&
			column.count <= most)
			apply(mending, &column, i);
	}
}

static bool fits(const struct mending *mending, const struct rows *rows,
	size_t i, struct column *column)
{
	size_t k;

	for (k = 0; k < rows->count; k++) {
		if (!mending->group.may[rows->all[k]])
			return false;
		column->rows[k] = rows->all[k];
	}
	column->count = rows->count;
	set_syndromes(column, mending->wrong[i]);
	return fill_erasures(&mending->group, column);
}

/*
 * As many columns from `from` on as these rows explain, if so many bytes speak
 * for it as WITNESSES, or it is `likely` anyway.  Returns whether it has mended
 * any.
 */
static bool mend_rows(struct mending *mending, const struct rows *rows,
	size_t from, bool likely)
{
	const size_t spare = PARITY_ROWS - rows->count;
	const size_t wanted = likely ? 1 : WITNESSES;
	struct column column;
	size_t spoken = 0;
	size_t i;

	for (i = from; i < mending->row && spoken < wanted; i++) {
		if (!mending->wrong[i])
			continue;
		if (!fits(mending, rows, i, &column))
			break;
		spoken += spare ? spare : likely;
	}
	if (spoken < wanted)
		return false;
	for (i = from; i < mending->row; i++)
		if (mending->wrong[i] && (!fits(mending, rows, i, &column) ||
						 !apply(mending, &column, i)))
			break;
	return !mending->wrong[from];
}

static bool has(const struct rows *rows, size_t row)
{
	size_t i;

	for (i = 0; i < rows->count; i++)
		if (rows->all[i] == row)
			return true;
	return false;
}

/* The rows of a column beside it, with another one in the place `at`, or behind
 * all of them. */
static bool mend_with_another(
	struct mending *mending, const struct rows *known, size_t at, size_t i)
{
	struct rows rows = *known;
	size_t row;

	if (at == rows.count && rows.count + 1u >= PARITY_ROWS)
		return false;
	if (at == rows.count)
		rows.count++;
	for (row = 0; row < mending->group.rows; row++) {
		if (has(known, row))
			continue;
		rows.all[at] = (uint8_t)row;
		if (mend_rows(mending, &rows, i, false))
			return true;
	}
	return false;
}

/* One behind the other.  False: there are less. */
static bool set_run(const struct mending *mending, struct rows *rows,
	size_t first, size_t count)
{
	if (first + count > mending->group.rows)
		return false;
	for (rows->count = 0; rows->count < count; rows->count++)
		rows->all[rows->count] = (uint8_t)(first + rows->count);
	return true;
}

/* All nine explain anything: of this column alone, by what is beside it. */
static bool mend_full(
	struct mending *mending, const struct rows *rows, size_t i)
{
	struct column column;

	return fits(mending, rows, i, &column) && apply(mending, &column, i);
}

/* The same run of damage, a row later or earlier, or with a row more.  A column
 * to the left can only have one more at its end, one to the right at its start.
 */
static bool mend_shifted(struct mending *mending, const struct rows *known,
	size_t i, bool to_the_left)
{
	const size_t first = known->all[0];
	struct rows rows;
	size_t k;

	for (k = 1; k < known->count; k++)
		if (known->all[k] != first + k)
			return false;
	for (k = 0; k < 6; k++)
		if (first + k % 3 > 0 && known->count + k / 3 < PARITY_ROWS &&
			set_run(mending, &rows, first + k % 3 - 1,
				known->count + k / 3) &&
			mend_rows(mending, &rows, i, true))
			return true;
	if (known->count + 1u < PARITY_ROWS)
		return false;
	return (to_the_left || first > 0) &&
	       set_run(mending, &rows, first - !to_the_left, PARITY_ROWS) &&
	       mend_full(mending, &rows, i);
}

/* Where a run of damage begins or ends, a column has a row more or less than
 * the one beside it, or another one. */
static bool mend_beside(struct mending *mending, const struct rows *known,
	size_t i, bool to_the_left)
{
	struct rows rows;
	size_t k;

	if (known->count == 0)
		return false;
	if (mend_rows(mending, known, i, true) ||
		mend_shifted(mending, known, i, to_the_left))
		return true;
	for (k = 0; k < known->count; k++) {
		rows = *known;
		rows.all[k] = rows.all[--rows.count];
		if (mend_rows(mending, &rows, i, false))
			return true;
	}
	for (k = known->count + 1u; k > 0; k--)
		if (mend_with_another(mending, known, k - 1, i))
			return true;
	return false;
}

/* Rows one behind the other. */
static bool mend_run(struct mending *mending, size_t i)
{
	struct rows rows;
	size_t count, first;

	for (count = ERRORS_MAX; count < PARITY_ROWS; count++)
		for (first = 0; first < mending->group.rows; first++) {
			if (set_run(mending, &rows, first, count) &&
				mend_rows(mending, &rows, i, false))
				return true;
		}
	return false;
}

static void mend_runs(struct mending *mending)
{
	const struct rows none = {0};
	const struct rows *known = &none;
	unsigned patience = PATIENCE;
	size_t i;

	for (i = 0; i < mending->row && patience > 0; i++) {
		if (mending->wrong[i] &&
			!mend_beside(mending, known, i, false) &&
			!mend_run(mending, i))
			patience--;
		else if (mending->found[i].count > 0)
			known = &mending->found[i];
	}
	for (i = mending->row; i > 0 && patience > 0; i--) {
		if (mending->wrong[i - 1] &&
			!mend_beside(mending, known, i - 1, true))
			patience--;
		else if (mending->found[i - 1].count > 0)
			known = &mending->found[i - 1];
	}
}

/* If these are all that may be damaged. */
static void mend_all(struct mending *mending)
{
	struct rows rows = {0};
	size_t i;

	for (i = 0; i < mending->group.rows; i++) {
		if (!mending->group.may[i])
			continue;
		if (rows.count == PARITY_ROWS)
			return;
		rows.all[rows.count++] = (uint8_t)i;
	}
	for (i = 0; i < mending->row; i++)
		if (mending->wrong[i])
			mend_rows(mending, &rows, i, true);
}

size_t parity_mend(uint8_t *data, size_t bytes, uint8_t *parity,
	const bool may[PARITY_ALL_ROWS])
{
	struct mending mending = {
		.group = {parity_data_rows(bytes) + PARITY_ROWS, may},
		.data = data,
		.parity = parity,
		.bytes = bytes,
		.row = parity_row_bytes(bytes),
	};
	size_t i, k;

	make_tables();
	mending.wrong = divide_all(data, bytes);
	mending.found = calloc(mending.row, sizeof(*mending.found));
	for (i = 0; mending.wrong && i < mending.row; i++) {
		for (k = 0; k < PARITY_ROWS; k++)
			mending.wrong[i] ^=
				(remainder_t)parity[k * mending.row + i]
				<< 8 * (PARITY_ROWS - 1 - k);
		mending.left += mending.wrong[i] != 0;
	}
	if (mending.wrong && mending.found) {
		/* with one more of them it would find some by chance */
		mend_scattered(&mending, ERRORS_MAX - 1);
		mend_all(&mending);
		mend_runs(&mending);
		mend_scattered(&mending, ERRORS_MAX);
	} else {
		mending.left = SIZE_MAX;
	}
	free(mending.wrong);
	free(mending.found);
	return mending.left;
}
