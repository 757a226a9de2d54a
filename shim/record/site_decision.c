#include "shim/record/site_decision.h"

static bool is_plain(const struct rule_verdict *verdict, int level)
{
	return verdict->action == RULE_CAPTURE && verdict->level <= level &&
	       !verdict->rate && verdict->sample <= 1 && !verdict->period_ns &&
	       !verdict->tee_known && !verdict->trigger && !verdict->mark.name;
}

/* What syslog() is told below the level does not get as far as here. */
bool site_is_special(const struct site *site)
{
	if (site->redacts || (site->verdicts == 1 &&
				     !is_plain(&site->verdict[0], site->level)))
		return true;
	for (int i = 0; site->verdicts > 1 && i < site->verdicts; i++)
		if (!is_plain(&site->verdict[i], i) ||
			site->verdict[i].depth != site->verdict[0].depth)
			return true;
	return false;
}

/* By words: another thread may be at it. */
#define VERDICT_WORDS (sizeof(struct rule_verdict) / sizeof(uint64_t))
_Static_assert(sizeof(struct rule_verdict) % sizeof(uint64_t) == 0, "");

union verdict_words {
	struct rule_verdict verdict;
	uint64_t word[VERDICT_WORDS];
};

void site_set_verdict(
	struct rule_verdict *to, const struct rule_verdict *verdict)
{
	uint64_t *word = (uint64_t *)(void *)to;
	const union verdict_words from = {.verdict = *verdict};

	for (unsigned i = 0; i < VERDICT_WORDS; i++)
		__atomic_store_n(&word[i], from.word[i], __ATOMIC_RELEASE);
}

static void get_verdict(
	struct rule_verdict *to, const struct rule_verdict *from)
{
	const uint64_t *word = (const uint64_t *)(const void *)from;
	union verdict_words copy;

	for (unsigned i = 0; i < VERDICT_WORDS; i++)
		copy.word[i] = __atomic_load_n(&word[i], __ATOMIC_ACQUIRE);
	*to = copy.verdict;
}

void site_copy_decision(
	const struct site *site, unsigned priority, struct site_decision *to)
{
	get_verdict(&to->verdict, &site->verdict[priority % site->verdicts]);
	to->redaction = __atomic_load_n(&site->redaction, __ATOMIC_ACQUIRE);
	to->plan = __atomic_load_n(&site->plan, __ATOMIC_ACQUIRE);
	to->rules_at = __atomic_load_n(&site->rules_at, __ATOMIC_ACQUIRE);
	to->level = __atomic_load_n(&site->level, __ATOMIC_ACQUIRE);
	to->redacts = __atomic_load_n(&site->redacts, __ATOMIC_ACQUIRE);
	to->special = __atomic_load_n(&site->special, __ATOMIC_ACQUIRE);
	to->result_used = __atomic_load_n(&site->result_used, __ATOMIC_ACQUIRE);
}

bool site_read_decision(
	const struct site *site, unsigned priority, struct site_decision *to)
{
	uint32_t changes = __atomic_load_n(&site->changes, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&site->generation, __ATOMIC_ACQUIRE) == 0)
		return false;
	site_copy_decision(site, priority, to);
	return __atomic_load_n(&site->changes, __ATOMIC_ACQUIRE) == changes;
}
