#include "shim/record/mark.h"

#include "record/hash.h"
#include "shim/host/bytes.h"

/* Keys are neither that nor MARK_BUSY. */
#define NOBODY 0u

/* ---- what a mark is found by ---- */

static uint64_t key_of(const struct rule_mark *mark, uint64_t value)
{
	return binlog_hash_word(mark->name, value) | 2;
}

uint64_t mark_of_thread(const struct rule_mark *mark, uint32_t tid)
{
	return key_of(mark, tid);
}

static uint64_t wide_hash(const wchar_t *s, int64_t limit)
{
	size_t n = 0;

	while ((limit < 0 || n < (size_t)limit) && s[n])
		n++;
	return binlog_hash(s, n * sizeof(*s));
}

static uint64_t string_hash(const char *s, int64_t limit)
{
	return binlog_hash(s, limit < 0
				      ? bytes_length(s)
				      : bytes_length_limited(s, (size_t)limit));
}

/* A string as far as it may be read. */
static uint64_t text_hash(
	const struct plan_argument *argument, const void *s, int64_t limit)
{
	if (limit < 0)
		limit = argument->precision;
	if (!s)
		return 0;
	return argument->kind == BINLOG_ARG_WIDE ? wide_hash(s, limit)
						 : string_hash(s, limit);
}

struct values {
	va_list ap;
};

/* The next one; numbers are what they are, whatever their type. */
static uint64_t next(struct values *values,
	const struct plan_argument *argument, int64_t limit, bool is_wanted)
{
	double real;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		return (uint64_t)va_arg(values->ap, int);
	case BINLOG_ARG_F64:
		real = va_arg(values->ap, double);
		return binlog_hash(&real, sizeof(real));
	case BINLOG_ARG_LONG_DOUBLE:
		real = (double)va_arg(values->ap, long double);
		return binlog_hash(&real, sizeof(real));
	case BINLOG_ARG_STRING:
	case BINLOG_ARG_WIDE:
		if (is_wanted)
			return text_hash(argument,
				va_arg(values->ap, const void *), limit);
		break;
	default:
		break;
	}
	return va_arg(values->ap, uint64_t);
}

uint64_t mark_of_argument(const struct rule_mark *mark, const struct plan *plan,
	va_list arguments)
{
	unsigned wanted = mark->argument - 1u;
	int64_t limit = -1; /* by a ".*" */
	uint64_t value = 0;
	struct values values;

	if (!plan || plan->at_once || wanted >= plan->count)
		return 0;
	va_copy(values.ap, arguments);
	for (unsigned i = 0; i <= wanted; i++) {
		const struct plan_argument *argument = &plan->argument[i];

		value = next(&values, argument, limit, i == wanted);
		limit = argument->measure == MEASURE_PRECISION ? (int)value
							       : -1;
	}
	va_end(values.ap);
	return key_of(mark, value);
}

/* ---- the table ---- */

static struct mark_slot *ways_of(struct mark_table *table, uint64_t key)
{
	return &table->slot[key / MARK_WAYS % (MARK_TABLE / MARK_WAYS) *
			    MARK_WAYS];
}

/* From then on it is ours, until it has a key again: nobody waits for us, nor
 * we for anybody; what cannot be had is passed over. */
static bool claim(struct mark_slot *slot, uint64_t key)
{
	return __atomic_compare_exchange_n(&slot->key, &key, MARK_BUSY, false,
		__ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void give_back(struct mark_slot *slot, uint64_t key, uint64_t ticks)
{
	__atomic_store_n(&slot->ticks, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
}

static uint64_t key_at(const struct mark_slot *slot)
{
	return __atomic_load_n(&slot->key, __ATOMIC_RELAXED);
}

/* What it has already, else what is free, else what was set first; *held: its
 * key.  Null: others are about to change all of them. */
static struct mark_slot *choose(
	struct mark_slot *ways, uint64_t key, uint64_t *held)
{
	struct mark_slot *best = NULL;
	uint64_t oldest = UINT64_MAX;

	for (unsigned i = 0; i < MARK_WAYS; i++) {
		uint64_t other = key_at(&ways[i]);
		uint64_t age = 0;

		if (other == MARK_BUSY)
			continue;
		if (other != NOBODY)
			age = __atomic_load_n(&ways[i].ticks, __ATOMIC_RELAXED);
		if (other != key && age >= oldest)
			continue;
		best = &ways[i];
		oldest = age;
		*held = other;
		if (other == key)
			break;
	}
	return best;
}

void mark_set(struct mark_table *table, uint64_t key, uint64_t ticks)
{
	struct mark_slot *ways = ways_of(table, key);

	for (unsigned tries = 0; tries < MARK_WAYS; tries++) {
		uint64_t held;
		struct mark_slot *slot = choose(ways, key, &held);

		if (slot && claim(slot, held)) {
			give_back(slot, key, ticks);
			return;
		}
	}
}

/* Two that have set it at once may have left two; the later one counts. */
uint64_t mark_take(struct mark_table *table, uint64_t key)
{
	struct mark_slot *ways = ways_of(table, key);
	uint64_t latest = 0;

	for (unsigned i = 0; i < MARK_WAYS; i++) {
		uint64_t ticks;

		if (key_at(&ways[i]) != key || !claim(&ways[i], key))
			continue;
		ticks = __atomic_load_n(&ways[i].ticks, __ATOMIC_RELAXED);
		give_back(&ways[i], NOBODY, 0);
		if (ticks > latest)
			latest = ticks;
	}
	return latest;
}
