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
	size_t run_begin;   /* of a run of damage what is known of it, */
	size_t run_end;	    /* in data and parity, one after the other */
	struct guess *guesses;
	size_t guess_count;
};

/* A column that was mended with no more than a byte to spare, or not: its count
 * is 0. */
struct guess {
	size_t i;
	remainder_t wrong;
	struct column column;
};

/* Of more it is not known which else they may be. */
#define GUESSES_MAX 256u

/* Null: in what fills the last row. */
static uint8_t *byte_at(const struct mending *mending, size_t row, size_t i)
{
	const size_t data_rows = mending->group.rows - PARITY_ROWS;
	const size_t at = row * mending->row + i;

	if (row >= data_rows)
		return &mending->parity[(row - data_rows) * mending->row + i];
	return at < mending->bytes ? &mending->data[at] : NULL;
}

/* Data and parity one after the other. */
static size_t place_of(const struct mending *mending, size_t row, size_t i)
{
	const size_t data_rows = mending->group.rows - PARITY_ROWS;

	return row < data_rows
		       ? row * mending->row + i
		       : mending->bytes + (row - data_rows) * mending->row + i;
}

/* What was wrong of the column is in a run. */
static void note_run(
	struct mending *mending, const struct column *column, size_t i)
{
	size_t k;

	for (k = 0; k < column->count; k++) {
		const size_t at = place_of(mending, column->rows[k], i);

		if (column->values[k] == 0)
			continue;
		if (at < mending->run_begin)
			mending->run_begin = at;
		if (at >= mending->run_end)
			mending->run_end = at + 1;
	}
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

static void add_guess(
	struct mending *mending, const struct column *column, size_t i)
{
	const struct guess guess = {i, mending->wrong[i], *column};

	if (mending->guess_count < GUESSES_MAX)
		mending->guesses[mending->guess_count] = guess;
	mending->guess_count++;
}

/* `column` explains this one, but others may, too. */
static bool guess_column(
	struct mending *mending, const struct column *column, size_t i)
{
	add_guess(mending, column, i);
	if (apply(mending, column, i))
		return true;
	mending->guess_count--;
	return false;
}

static bool apply_in_run(
	struct mending *mending, const struct column *column, size_t i)
{
	if (!apply(mending, column, i))
		return false;
	note_run(mending, column, i);
	return true;
}

/* Two of its bytes or more are as they have to be. */
static bool is_sure(const struct column *column)
{
	size_t wrong = 0;
	size_t i;

	for (i = 0; i < column->count; i++)
		wrong += column->values[i] != 0;
	return wrong + 1 < PARITY_ROWS;
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
	for (i = from; i < mending->row; i++) {
		if (!mending->wrong[i])
			continue;
		if (!fits(mending, rows, i, &column) ||
			!(is_sure(&column) ? apply_in_run : guess_column)(
				mending, &column, i))
			break;
	}
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

	return fits(mending, rows, i, &column) &&
	       guess_column(mending, &column, i);
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

/*
 * What was guessed may be otherwise: nine bytes of a column explain anything,
 * eight one time in 256, and a run of damage may begin or end where a byte is
 * by chance what it was.
 */

/* Rows of the column between two places. */
static bool set_between(const struct mending *mending, struct rows *rows,
	size_t begin, size_t end, size_t i)
{
	size_t row;

	rows->count = 0;
	for (row = 0; row < mending->group.rows; row++) {
		const size_t at = place_of(mending, row, i);

		if (at < begin || at >= end || !byte_at(mending, row, i))
			continue;
		if (rows->count == PARITY_ROWS)
			return false;
		rows->all[rows->count++] = (uint8_t)row;
	}
	return true;
}

/* How far away the next byte of the column is, before a run or behind it. */
static size_t distance(const struct mending *mending, size_t i, bool before)
{
	size_t least = SIZE_MAX;
	size_t row;

	for (row = 0; row < mending->group.rows; row++) {
		const size_t at = place_of(mending, row, i);
		const size_t far = before ? mending->run_begin - at
					  : at + 1 - mending->run_end;

		if (mending->group.may[row] && byte_at(mending, row, i) &&
			(before ? at < mending->run_begin
				: at >= mending->run_end) &&
			far < least)
			least = far;
	}
	return least;
}

/* Does, or undoes, it. */
static void turn(struct mending *mending, const struct guess *guess)
{
	const struct column *column = &guess->column;
	size_t k;

	for (k = 0; k < column->count; k++)
		if (column->values[k] != 0)
			*byte_at(mending, column->rows[k], guess->i) ^=
				column->values[k];
}

/* Whether all of them can be damaged within a run with these ends, which
 * reaches so much further. */
static bool guess_run(struct mending *mending, struct guess *guesses,
	size_t before, size_t behind)
{
	size_t g;

	for (g = 0; g < mending->guess_count; g++) {
		struct guess *guess = &guesses[g];
		struct rows rows;

		mending->wrong[guess->i] = guess->wrong;
		if (!set_between(mending, &rows, mending->run_begin - before,
			    mending->run_end + behind, guess->i) ||
			!fits(mending, &rows, guess->i, &guess->column))
			return false;
	}
	return true;
}

/* How much further a run reaches at its end if it does so at its beginning. */
static size_t reach(
	struct mending *mending, struct guess *guesses, size_t before)
{
	size_t behind = 0;
	size_t g;

	for (g = 0; g < mending->guess_count; g++) {
		const size_t i = guesses[g].i;
		struct column column;
		struct rows rows;
		size_t far;

		mending->wrong[i] = guesses[g].wrong;
		if (set_between(mending, &rows, mending->run_begin - before,
			    mending->run_end, i) &&
			fits(mending, &rows, i, &column))
			continue;
		far = distance(mending, i, false);
		if (far > mending->row)
			return SIZE_MAX;
		behind = far > behind ? far : behind;
	}
	return behind;
}

struct ends {
	size_t before;
	size_t behind;
};

static int compare_ends(const void *left, const void *right)
{
	const struct ends *a = left;
	const struct ends *b = right;
	const size_t of_a = a->before + a->behind;
	const size_t of_b = b->before + b->behind;

	return of_a < of_b ? -1 : of_a > of_b;
}

/* The shortest runs first, until the data is what it was. */
static bool guess_again(struct mending *mending, struct guess *guesses,
	parity_check *check, void *closure)
{
	struct ends ends[GUESSES_MAX + 1];
	size_t count = 0;
	size_t e, g;

	for (g = 0; g <= mending->guess_count; g++) {
		const size_t before =
			g == 0 ? 0 : distance(mending, guesses[g - 1].i, true);
		const size_t behind = before <= mending->row
					      ? reach(mending, guesses, before)
					      : SIZE_MAX;

		if (behind != SIZE_MAX)
			ends[count++] = (struct ends){before, behind};
	}
	qsort(ends, count, sizeof(*ends), compare_ends);
	for (e = 0; e < count; e++) {
		if (!guess_run(
			    mending, guesses, ends[e].before, ends[e].behind))
			continue;
		for (g = 0; g < mending->guess_count; g++)
			turn(mending, &guesses[g]);
		if (check(closure))
			return true;
		for (g = 0; g < mending->guess_count; g++)
			turn(mending, &guesses[g]);
	}
	return false;
}

/* The caller says what the data cannot be. */
static void mend_guesses(
	struct mending *mending, parity_check *check, void *closure)
{
	struct guess again[GUESSES_MAX];
	const size_t guessed = mending->guess_count;
	const size_t left = mending->left;
	size_t i, g;

	if (!check || guessed + left == 0 || guessed + left > GUESSES_MAX ||
		mending->run_end == 0 || (left == 0 && check(closure)))
		return;
	for (i = 0; i < mending->row && left > 0; i++)
		if (mending->wrong[i])
			add_guess(mending, &(struct column){.count = 0}, i);
	for (g = 0; g < guessed; g++)
		turn(mending, &mending->guesses[g]);
	memcpy(again, mending->guesses, sizeof(again));
	if (guess_again(mending, again, check, closure)) {
		mending->left = 0;
		return;
	}
	for (g = 0; g < guessed; g++)
		turn(mending, &mending->guesses[g]);
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
	const bool may[PARITY_ALL_ROWS], parity_check *check, void *closure)
{
	struct mending mending = {
		.group = {parity_data_rows(bytes) + PARITY_ROWS, may},
		.data = data,
		.parity = parity,
		.bytes = bytes,
		.row = parity_row_bytes(bytes),
		.run_begin = SIZE_MAX,
		.guesses = malloc(GUESSES_MAX * sizeof(struct guess)),
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
	if (mending.wrong && mending.found && mending.guesses) {
		/* with one more of them it would find some by chance */
		mend_scattered(&mending, ERRORS_MAX - 1);
		mend_all(&mending);
		mend_runs(&mending);
		mend_scattered(&mending, ERRORS_MAX);
		mend_guesses(&mending, check, closure);
	} else {
		mending.left = SIZE_MAX;
	}
	free(mending.wrong);
	free(mending.found);
	free(mending.guesses);
	return mending.left;
}
