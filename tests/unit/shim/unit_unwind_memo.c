/*
 * The promise that the hot path lives on: when program counter, stack
 * pointer, (frame pointer) and all words are the same, the frames are.  A
 * random script calls functions with frames of all shapes; every stack is
 * held against the earlier ones with the same program counter and sp.
 */
#if defined(__x86_64__)

#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/world/unwind_probe.h"

#define CHAINS 60000
#define DEPTH_MAX 7
#define KEPT 2048

static const uint8_t *script; /* pairs of call and size, then a 0 */
static unsigned equal, unequal, wrong, unlike_oracle, by_fp;
static bool at_leaf;
static struct probe now;
static struct probe kept[KEPT];

static NOINLINE void leaf(void)
{
	struct probe *old;

	at_leaf = true;
	now.max_depth = UNWIND_FRAMES_MAX;
	now.start = (struct unwind_start)PROBE_START;
	probe_cfi(&now);
	probe_oracle(&now);
	unlike_oracle += !probe_is_exact(&now, &now.cfi) || !now.cfi.repeatable;
	by_fp += now.cfi.needs_fp;
	old = &kept[(now.start.pc ^ now.start.sp >> 3) * 31 % KEPT];
	if (old->start.pc == now.start.pc && old->start.sp == now.start.sp) {
		bool same = old->depth == now.depth &&
			    memcmp(old->pc, now.pc,
				    now.depth * sizeof(*now.pc)) == 0;

		if (probe_repeats(old, &now.start)) {
			equal++;
			wrong += !same;
		} else {
			unequal++;
		}
	}
	*old = now;
}

static void next(void);

static NOINLINE void plain(void)
{
	next();
	STAY();
}

static NOINLINE void large(void)
{
	char block[200];

	USE(block);
	next();
	USE(block);
}

/* Words that look like saved return addresses, of frames that are not there. */
static void forge(uintptr_t *word, size_t words, void *return_address)
{
	static uintptr_t seen[16];
	uintptr_t chosen = seen[rand() % 16];

	seen[rand() % 16] = (uintptr_t)return_address;
	while (words > 0)
		word[--words] = chosen;
}

static NOINLINE void dynamic(size_t size)
{
	uintptr_t *block = alloca(size);

	forge(block, size / sizeof(*block), __builtin_return_address(0));
	USE(block);
	next();
	USE(block);
}

static NOINLINE void realigned(size_t size)
{
	_Alignas(64) char line[64];
	uintptr_t *block = alloca(size);

	forge(block, size / sizeof(*block), __builtin_return_address(0));
	USE(line);
	USE(block);
	next();
	USE(line);
	USE(block);
}

/* More live values than other registers: the frame pointer is one of them. */
static NOINLINE unsigned long busy(unsigned long n)
{
	unsigned long a = n * 3, b = n * 5, c = n * 7, d = n ^ 9, e = n + 11;
	unsigned long f = n - 13;

	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	__asm__ volatile("" : "+r"(f));
	next();
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	__asm__ volatile("" : "+r"(f));
	return a + b + c + d + e + f;
}

static int compare(const void *a, const void *b)
{
	/* It may be called once more. */
	if (!at_leaf)
		next();
	STAY();
	(void)a;
	(void)b;
	return 0;
}

static inline __attribute__((always_inline)) void next(void)
{
	char two[2] = {0};
	const uint8_t *pair = script;

	script += 2;
	switch (pair[0]) {
	case 0:
		leaf();
		break;
	case 1:
		plain();
		break;
	case 2:
		large();
		break;
	case 3:
		realigned(16u * pair[1]);
		break;
	case 4:
		qsort(two, 2, 1, compare);
		break;
	case 5:
	case 6:
		busy(pair[1]);
		break;
	default:
		dynamic(16u * pair[1]);
	}
}

static NOINLINE void run(void)
{
	next();
	STAY();
}

static void equal_words_mean_equal_frames(void **state)
{
	static uint8_t bytes[2 * DEPTH_MAX];
	void *frame[4];

	(void)state;
	backtrace(frame, 4);
	srand(1);
	for (int chain = 0; chain < CHAINS; chain++) {
		int depth = rand() % DEPTH_MAX;

		for (int i = 0; i < depth; i++) {
			bytes[2 * i] = (uint8_t)(1 + rand() % 9);
			bytes[2 * i + 1] = (uint8_t)(1 + rand() % 8);
		}
		bytes[2 * depth] = 0;
		script = bytes;
		at_leaf = false;
		run();
	}
	print_message(
		"equal %u, unequal %u, by fp %u\n", equal, unequal, by_fp);
	assert_int_equal(unlike_oracle, 0);
	assert_int_equal(wrong, 0);
	/* Otherwise nothing has been shown. */
	assert_true(equal > CHAINS / 10);
	assert_true(unequal > CHAINS / 10);
	assert_true(by_fp > CHAINS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_words_mean_equal_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else /* the unwinder tested here does not exist */

int main(void)
{
	return 0;
}

#endif
