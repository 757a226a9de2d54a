#include "base/parity.h"

#include <stdlib.h>
#include <string.h>

#define POLYNOMIAL 0x11du
/* Errors at places that nobody knows. */
#define ERRORS_MAX (PARITY_ROWS / 2)

static uint8_t powers[2 * 255], logs[256];

/* What a byte that is shifted out leaves of a remainder, which is PARITY_ROWS
 * bytes, the highest power first. */
static uint64_t steps[256];

_Static_assert(PARITY_ROWS == sizeof(uint64_t), "the bytes of a remainder");

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

static uint8_t byte_of(uint64_t remainder, size_t row)
{
	return (uint8_t)(remainder >> 8 * (PARITY_ROWS - 1 - row));
}

/* Adds another row to the remainders of its columns. */
static void divide_row(uint64_t *all, const uint8_t *data, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		all[i] = all[i] << 8 ^ steps[byte_of(all[i], 0) ^ data[i]];
}

/* Where the parity of a column begins. */
static size_t parity_begin(size_t bytes, size_t row, size_t i)
{
	return (i + row - bytes % row) % row;
}

bool parity_make(
	parity_read *read, void *closure, size_t bytes, uint8_t *parity)
{
	const size_t row = parity_row_bytes(bytes);
	uint64_t *all = calloc(row, sizeof(*all));
	uint8_t *data = malloc(row);
	bool made = all && data;
	size_t at, i, k;

	make_tables();
	for (at = 0; made && at < bytes; at += row) {
		const size_t size = bytes - at < row ? bytes - at : row;

		made = read(closure, at, data, size);
		divide_row(all, data, made ? size : 0);
	}
	for (i = 0; made && i < row; i++) {
		uint8_t *begin = parity + parity_begin(bytes, row, i);

		for (k = 0; k < PARITY_ROWS; k++)
			begin[k * row] = byte_of(all[i], k);
	}
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
	size_t all; /* rows */
	uint8_t syndromes[PARITY_ROWS];
	size_t count; /* of what is damaged */
	size_t rows[PARITY_ROWS];
	uint8_t values[PARITY_ROWS];
};

/* 2 to the power of the row's place. */
static uint8_t locator_of(const struct column *column, size_t row)
{
	return powers[column->all - 1 - row];
}

static void set_syndromes(struct column *column, uint64_t remainder)
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
static bool explain(struct column *column, const struct polynomial *locator)
{
	struct polynomial evaluator = {.degree = PARITY_ROWS - 1};
	size_t i, k;

	for (i = 0; i < PARITY_ROWS; i++)
		for (k = 0; k <= i && k <= locator->degree; k++)
			evaluator.terms[i] ^= multiply(
				locator->terms[k], column->syndromes[i - k]);
	for (i = 0; i < column->count; i++) {
		const uint8_t at = locator_of(column, column->rows[i]);
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
					       column, column->rows[i])] *
					k % 255]);
		if (left != 0)
			return false;
	}
	return true;
}

/* No more than `most` of these rows are damaged, and any of them may be.  By
 * Berlekamp and Massey. */
static bool find_errors(struct column *column, const bool *may, size_t most)
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
	if (length > most)
		return false;
	locator.degree = length;
	column->count = 0;
	for (i = 0; i < column->all && column->count < length; i++)
		if (may[i] && value_at(&locator,
				      divide(1, locator_of(column, i))) == 0)
			column->rows[column->count++] = i;
	return column->count == length && explain(column, &locator);
}

/* These rows are damaged. */
static bool fill_erasures(struct column *column)
{
	struct polynomial locator = {{1}, 0};
	size_t i, k;

	for (i = 0; i < column->count; i++) {
		const uint8_t at = locator_of(column, column->rows[i]);

		for (k = ++locator.degree; k > 0; k--)
			locator.terms[k] ^= multiply(locator.terms[k - 1], at);
	}
	return explain(column, &locator);
}

/*
 * All columns.  A place is one among the bytes of data and of parity behind it.
 */

struct mending {
	uint8_t *data, *parity;
	size_t bytes, row;
	size_t places;
	const bool *may;
	uint64_t *wrong; /* of each column what remains; 0: it is right */
	size_t left;	 /* columns that are wrong */
};

static struct column column_at(const struct mending *mending, size_t i)
{
	struct column column = {
		.all = (mending->places - i + mending->row - 1) / mending->row,
	};

	set_syndromes(&column, mending->wrong[i]);
	return column;
}

/* Does, or undoes, it. */
static void turn(struct mending *mending, const struct column *column, size_t i)
{
	size_t k;

	for (k = 0; k < column->count; k++) {
		const size_t at = column->rows[k] * mending->row + i;

		if (at < mending->bytes)
			mending->data[at] ^= column->values[k];
		else
			mending->parity[at - mending->bytes] ^=
				column->values[k];
	}
}

static void settle(struct mending *mending, size_t i)
{
	mending->wrong[i] = 0;
	mending->left--;
}

/* Of up to so many bytes each. */
static void mend_scattered(struct mending *mending, size_t most)
{
	size_t i;

	for (i = 0; i < mending->row; i++) {
		struct column column;

		if (!mending->wrong[i])
			continue;
		column = column_at(mending, i);
		if (!find_errors(&column, mending->may, most))
			continue;
		turn(mending, &column, i);
		settle(mending, i);
	}
}

/* Rows of the column between two places that may be damaged.  False: these are
 * too many. */
static bool set_between(const struct mending *mending, struct column *column,
	size_t i, size_t begin, size_t end)
{
	const size_t row = mending->row;
	size_t r = begin > i ? (begin - i + row - 1) / row : 0;

	for (column->count = 0; r < column->all && r * row + i < end; r++) {
		if (!mending->may[r])
			continue;
		if (column->count == PARITY_ROWS)
			return false;
		column->rows[column->count++] = r;
	}
	return true;
}

/*
 * A run of damage.
 */

struct run {
	size_t begin, end;
};

/* Does, or undoes, what is explained by it; `last`: and it stays.  Returns how
 * many columns it does not explain. */
static size_t turn_run(
	struct mending *mending, const struct run *run, bool last)
{
	size_t other = 0;
	size_t i;

	for (i = 0; i < mending->row; i++) {
		struct column column;

		if (!mending->wrong[i])
			continue;
		column = column_at(mending, i);
		if (!set_between(mending, &column, i, run->begin, run->end) ||
			!fill_erasures(&column)) {
			other++;
			continue;
		}
		turn(mending, &column, i);
		if (last)
			settle(mending, i);
	}
	return other;
}

/*
 * A window is WINDOW rows of a column, one behind the other.  They are one less
 * than can be mended, so that a byte is left which says whether they alone are
 * damaged.  Of a run [begin, end) they are in all windows that begin from end -
 * WINDOW rows on, as no byte is behind them then, and before begin + a row, as
 * none is before them: this stretch of windows tells both ends.  Those beside
 * it leave out one byte, which is never taken for explained: two code words
 * differ in more bytes than they and that one are.  Others are, by chance, one
 * in 256.  If nothing else is damaged, all of the stretch is explained.  If
 * something is, there are windows in it that are not; and those behind it may
 * be where the run left bytes as they were: so both kinds are tried.
 */
#define WINDOW (PARITY_ROWS - 1)

/* From the beginning of one window to that of another. */
struct stretch {
	size_t begin, end;
	size_t score; /* columns that are wrong, and explained */
};

/* So many are tried. */
#define STRETCHES 4u
/* So much less is one with a column that something else explains, too. */
#define ANOTHER 2u
/* It is no chance. */
#define SURE 6u
/* Columns of which it is looked for what else explains them. */
#define PATIENCE 64u

/* The window explains its column if the sum of these is 0. */
struct terms {
	uint8_t all[PARITY_ROWS];
};

/* Of windows that begin with the columns. */
static void set_terms(const struct mending *mending, struct terms *terms)
{
	size_t i, k;

	for (i = 0; i < mending->row; i++) {
		struct column column = column_at(mending, i);
		struct polynomial locator = {{1}, 0};
		size_t r;

		for (r = 0; r < WINDOW; r++)
			for (k = ++locator.degree; k > 0; k--)
				locator.terms[k] ^=
					multiply(locator.terms[k - 1],
						locator_of(&column, r));
		for (k = 0; k < PARITY_ROWS; k++)
			terms[i].all[k] = multiply(
				locator.terms[k], column.syndromes[WINDOW - k]);
	}
}

static bool explains(const struct terms *terms)
{
	uint8_t sum = 0;
	size_t k;

	for (k = 0; k < PARITY_ROWS; k++)
		sum ^= terms->all[k];
	return sum == 0;
}

/* Of the window a row further. */
static void shift(struct terms *terms)
{
	size_t k;

	for (k = 1; k < PARITY_ROWS; k++)
		terms->all[k] = divide(terms->all[k], powers[k]);
}

static void keep(struct stretch best[STRETCHES], struct stretch stretch)
{
	size_t i;

	for (i = 0; i < STRETCHES; i++)
		if (stretch.score > best[i].score) {
			const struct stretch less = best[i];

			best[i] = stretch;
			stretch = less;
		}
}

/* Whether any row of the window may be damaged. */
static bool window_may(const struct mending *mending, size_t first)
{
	size_t r;

	for (r = first; r < first + WINDOW; r++)
		if (mending->may[r])
			return true;
	return false;
}

/* What is found of stretches. */
struct search {
	struct stretch best[STRETCHES];
	struct stretch now, most; /* goes on; ends there for now */
	struct stretch pure;	  /* goes on, and is explained throughout */
	struct stretch purest;
};

static void lengthen(struct stretch *stretch, size_t at)
{
	if (stretch->score == 0)
		stretch->begin = at;
	stretch->end = at + 1;
	stretch->score++;
}

/* One window further. */
static void go_on(struct search *search, size_t at, bool explained)
{
	if (explained) {
		lengthen(&search->now, at);
		lengthen(&search->pure, at);
		if (search->now.score > search->most.score)
			search->most = search->now;
		if (search->pure.score > search->purest.score)
			search->purest = search->pure;
		return;
	}
	search->pure.score = 0;
	if (search->now.score > ANOTHER) {
		search->now.score -= ANOTHER;
	} else {
		keep(search->best, search->most);
		search->now.score = search->most.score = 0;
	}
}

static void find_stretches(const struct mending *mending, struct terms *terms,
	struct search *search)
{
	const size_t row = mending->row;
	size_t first, i;

	for (first = 0; (first + WINDOW - 1) * row < mending->places; first++) {
		const bool may = window_may(mending, first);

		for (i = 0; i < row; i++) {
			const size_t at = first * row + i;

			if (!mending->wrong[i] ||
				at + (WINDOW - 1) * row >= mending->places)
				continue;
			go_on(search, at, may && explains(&terms[i]));
			shift(&terms[i]);
		}
	}
	keep(search->best, search->most);
}

/* Its ends, as the stretch tells them. */
static struct run run_of(
	const struct mending *mending, const struct stretch *stretch)
{
	const size_t row = mending->row;

	return (struct run){stretch->end > row ? stretch->end - row : 0,
		stretch->begin + WINDOW * row};
}

/* Whether this is what was damaged. */
static bool mend_stretch(struct mending *mending, const struct stretch *stretch,
	parity_check *check, void *closure)
{
	const struct run run = run_of(mending, stretch);

	if (turn_run(mending, &run, false) == 0 &&
		(check ? check(closure) : stretch->score >= SURE)) {
		memset(mending->wrong, 0,
			mending->row * sizeof(*mending->wrong));
		mending->left = 0;
		return true;
	}
	turn_run(mending, &run, false);
	return false;
}

/* A column with another byte that is damaged, if only one can be it. */
static void mend_another(
	struct mending *mending, const struct run *run, size_t i)
{
	struct column column = column_at(mending, i), found;
	size_t ways = 0;
	size_t r, k;

	if (!set_between(mending, &column, i, run->begin, run->end) ||
		column.count == PARITY_ROWS)
		return;
	k = column.count++;
	for (r = 0; r < column.all; r++) {
		const size_t at = r * mending->row + i;

		column.rows[k] = r;
		if (!mending->may[r] || (at >= run->begin && at < run->end) ||
			!fill_erasures(&column))
			continue;
		found = column;
		ways++;
	}
	if (ways != 1)
		return;
	turn(mending, &found, i);
	settle(mending, i);
}

/* False: no memory. */
static bool mend_run(
	struct mending *mending, parity_check *check, void *closure)
{
	struct search search = {.now = {0}};
	const struct stretch *best = search.best;
	struct terms *terms = malloc(mending->row * sizeof(*terms));
	unsigned patience = PATIENCE;
	struct run run;
	size_t i;

	if (!terms)
		return false;
	set_terms(mending, terms);
	find_stretches(mending, terms, &search);
	free(terms);
	for (i = 0; i < STRETCHES && best[i].score > 0; i++)
		if (mend_stretch(mending, &best[i], check, closure))
			return true;
	if (check && search.purest.score > 0 &&
		mend_stretch(mending, &search.purest, check, closure))
		return true;
	if (best[0].score < SURE)
		return true;
	run = run_of(mending, &best[0]);
	turn_run(mending, &run, true);
	for (i = 0; i < mending->row && patience > 0; i++)
		if (mending->wrong[i]) {
			mend_another(mending, &run, i);
			patience--;
		}
	return true;
}

/* If there are no more rows that may be damaged than this explains. */
static bool mend_known(struct mending *mending)
{
	const struct run all = {0, mending->places};
	size_t count = 0;
	size_t r;

	for (r = 0; r < PARITY_ALL_ROWS; r++)
		count += mending->may[r];
	if (count > PARITY_ROWS)
		return false;
	turn_run(mending, &all, true);
	return true;
}

/* False: no memory. */
static bool set_wrong(struct mending *mending)
{
	const size_t row = mending->row;
	size_t at, i, k;

	mending->wrong = calloc(row, sizeof(*mending->wrong));
	if (!mending->wrong)
		return false;
	for (at = 0; at < mending->bytes; at += row)
		divide_row(mending->wrong, mending->data + at,
			mending->bytes - at < row ? mending->bytes - at : row);
	for (i = 0; i < row; i++) {
		const uint8_t *begin =
			mending->parity + parity_begin(mending->bytes, row, i);
		uint64_t parity = 0;

		for (k = 0; k < PARITY_ROWS; k++)
			parity = parity << 8 | begin[k * row];
		mending->wrong[i] ^= parity;
		mending->left += mending->wrong[i] != 0;
	}
	return true;
}

size_t parity_mend(uint8_t *data, size_t bytes, uint8_t *parity,
	const bool may[PARITY_ALL_ROWS], parity_check *check, void *closure)
{
	const size_t row = parity_row_bytes(bytes);
	struct mending mending = {
		.data = data,
		.parity = parity,
		.bytes = bytes,
		.row = row,
		.places = bytes + PARITY_ROWS * row,
		.may = may,
	};
	bool enough;

	make_tables();
	enough = set_wrong(&mending);
	if (enough && !mend_known(&mending)) {
		/* with one more of them it would find some by chance */
		mend_scattered(&mending, ERRORS_MAX - 1);
		enough =
			mending.left == 0 || mend_run(&mending, check, closure);
		mend_scattered(&mending, ERRORS_MAX);
	}
	free(mending.wrong);
	return enough ? mending.left : SIZE_MAX;
}
