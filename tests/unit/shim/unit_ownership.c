/*
 * Which writer a call gets: no two calls that may both go on have one, and
 * there are not many more writers than threads at one time.  Threads, their
 * ends, handlers and alternate stacks are the kernel's own.
 */
#include "tests/unit/world/ownership_world.h"

#include <signal.h>
#include <sys/mman.h>

/* ---- the tests ---- */

static void a_thread_keeps_its_writer(void **state)
{
	struct writer *w = calls(HERE);

	(void)state;
	assert_non_null(w);
	assert_ptr_equal(writer_self, w);
	assert_ptr_equal(calls(HERE), w);
	assert_int_equal(w->tid, syscall(SYS_gettid));
	assert_int_equal(writers(), 1);
	assert_int_equal(world.described, 1);
	assert_int_equal(world.introduced, 1);
}

static void who_has_been_switched_for_forgets_calls(void **state)
{
	struct writer *w = calls(HERE);

	(void)state;
	w->memo[0].pc = 1;
	switches.generation += 2;
	world.forgotten = 0;
	assert_ptr_equal(calls(HERE), w);
	assert_int_equal(w->memo[0].pc, 0);
	assert_int_equal(world.forgotten, 0);
	process_changed();
	assert_ptr_equal(calls(HERE), w);
	assert_int_equal(world.forgotten, 1);
}

/* And the next call comes to look once more. */
static void what_is_switched_meanwhile_is_not_known(void **state)
{
	struct writer *w;

	(void)state;
	switches.version++;
	w = calls(HERE);
	assert_false(writer_try(w, HERE));
	control_seen = switches.version;
	assert_ptr_equal(ownership_enter(HERE), w);
	writer_leave(w);
	assert_true(writer_try(w, HERE));
}

/* Whichever part of it there is no memory for. */
static void without_memory_there_is_no_writer(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		world.allocations = i;
		assert_null(ownership_enter(HERE));
		assert_int_equal(world.allocations, FOR_EVER);
		assert_int_equal(writers(), 0);
		assert_ptr_equal(writer_self, &nobody);
	}
	world.allocations = 5;
	assert_non_null(calls(HERE));
	world.allocations = FOR_EVER;
}

static void a_process_is_described_once_that_has_room(void **state)
{
	(void)state;
	world.no_control = true;
	assert_non_null(calls(HERE));
	assert_false(world.self.described);
	world.no_control = false;
	writer_self = &nobody;
	assert_non_null(calls(HERE));
	assert_int_equal(world.described, 1);
}

/* Nothing more can be said in that file. */
static void a_file_that_was_cut_has_no_room(void **state)
{
	struct writer *w = calls(HERE);

	(void)state;
	w->cursor = arena + 64;
	w->end = arena + 4096;
	w->said = 77;
	switches.generation += 2;
	assert_ptr_equal(calls(HERE), w);
	assert_ptr_equal(w->end, arena + 4096);
	world.limit = 0;
	switches.generation += 2;
	assert_ptr_equal(calls(HERE), w);
	assert_ptr_equal(w->end, w->cursor);
	assert_int_equal(w->settled, 77);
	assert_null(w->block); /* what passes is counted in the header page */
}

/* Found by who has made it longer, or by what the page is. */
static void nor_has_one_that_is_zeros(void **state)
{
	struct writer *w = calls(HERE);

	(void)state;
	w->cursor = arena + 64;
	w->end = arena + 4096;
	header.next = 0;
	switches.generation += 2;
	assert_ptr_equal(calls(HERE), w);
	assert_ptr_equal(w->end, w->cursor);
	header.next = BINLOG_PAGE;
	w->end = arena + 4096;
	world.was_cut = true;
	switches.generation += 2;
	assert_ptr_equal(calls(HERE), w);
	assert_ptr_equal(w->end, w->cursor);
}

/* ---- threads ---- */

struct thread {
	pthread_t id;
	struct writer *w;
	uint32_t tid;
	int wait, go; /* pipes: it has called, it may end */
};

static void *call_and_wait(void *of)
{
	struct thread *thread = of;
	char byte;

	thread->tid = (uint32_t)syscall(SYS_gettid);
	thread->w = calls(HERE);
	if (write(thread->wait, "", 1) != 1 || read(thread->go, &byte, 1) != 1)
		return NULL;
	return thread;
}

/* Pipes of one that has called and waits. */
static void start(struct thread *thread, int *wait, int *go)
{
	int waits[2], goes[2];
	char byte;

	assert_int_equal(pipe(waits) | pipe(goes), 0);
	thread->wait = waits[1];
	thread->go = goes[0];
	assert_int_equal(
		pthread_create(&thread->id, NULL, call_and_wait, thread), 0);
	*wait = waits[0];
	*go = goes[1];
	assert_int_equal(read(*wait, &byte, 1), 1);
}

/* The kernel knows it no more, which takes a moment. */
static void stop(struct thread *thread, int wait, int go)
{
	assert_int_equal(write(go, "", 1), 1);
	assert_int_equal(pthread_join(thread->id, NULL), 0);
	while (syscall(SYS_tgkill, getpid(), thread->tid, 0) == 0)
		sched_yield();
	close(wait);
	close(go);
	close(thread->wait);
	close(thread->go);
}

static void writers_of_ended_threads_are_inherited(void **state)
{
	struct thread thread = {0}, living = {0};
	struct writer *first = NULL;
	int wait, go, other_wait, other_go;

	(void)state;
	start(&living, &other_wait, &other_go);
	assert_non_null(living.w);
	for (int i = 0; i < 20; i++) {
		start(&thread, &wait, &go);
		assert_ptr_not_equal(thread.w, living.w);
		if (!first)
			first = thread.w;
		assert_ptr_equal(thread.w, first);
		assert_int_equal(first->tid, thread.tid);
		stop(&thread, wait, go);
	}
	stop(&living, other_wait, other_go);
	assert_int_equal(writers(), 2);
	assert_int_equal(world.introduced, 21);
	assert_int_equal(world.mended, 19);
}

/* Its block is one of a file that was cut: what is there may be nobody's. */
static void of_a_file_that_was_cut_no_room_is_inherited(void **state)
{
	struct thread thread = {0};
	int wait, go;

	(void)state;
	start(&thread, &wait, &go);
	thread.w->block = (void *)arena;
	thread.w->cursor = arena + 64;
	thread.w->end = arena + 4096;
	stop(&thread, wait, go);
	world.limit = 0;
	assert_ptr_equal(calls(HERE), thread.w);
	assert_null(thread.w->block);
	assert_ptr_equal(thread.w->end, thread.w->cursor);
	assert_false(world.mended_there);
}

/* It is found to be one while the writer says whom it serves. */
static void nor_of_one_that_is_found_to_be_cut(void **state)
{
	struct writer *w;

	(void)state;
	world.cut_at_introduction = true;
	w = calls(HERE);
	assert_null(w->block);
	assert_ptr_equal(w->end, w->cursor);
}

static void rules_of_threads_make_heirs_forget(void **state)
{
	struct thread thread = {0};
	struct writer *first;
	int wait, go;

	(void)state;
	control_asks_threads = true;
	start(&thread, &wait, &go);
	first = thread.w;
	first->memo[0].pc = 1;
	stop(&thread, wait, go);
	start(&thread, &wait, &go);
	assert_ptr_equal(thread.w, first);
	assert_int_equal(first->memo[0].pc, 0);
	stop(&thread, wait, go);
	control_asks_threads = false;
}

#define AT_A_TIME 40

/* More living ones than a thread looks at. */
static void writers_of_living_threads_are_not(void **state)
{
	struct thread threads[AT_A_TIME] = {0}, last = {0};
	int wait[AT_A_TIME + 1], go[AT_A_TIME + 1];

	(void)state;
	for (int i = 0; i < AT_A_TIME; i++) {
		start(&threads[i], &wait[i], &go[i]);
		for (int j = 0; j < i; j++)
			assert_ptr_not_equal(threads[i].w, threads[j].w);
	}
	assert_int_equal(writers(), AT_A_TIME);
	for (int i = 0; i < AT_A_TIME; i++)
		stop(&threads[i], wait[i], go[i]);
	start(&last, &wait[AT_A_TIME], &go[AT_A_TIME]);
	stop(&last, wait[AT_A_TIME], go[AT_A_TIME]);
	assert_int_equal(writers(), AT_A_TIME);
}

/* Of a parent's, which a child of fork has a pointer to, there are zeros. */
static void in_a_child_all_writers_are_new(void **state)
{
	struct thread thread = {0};
	struct writer *first = calls(HERE);
	int wait, go;

	start(&thread, &wait, &go);
	stop(&thread, wait, go);
	begin(state);
	assert_ptr_not_equal(calls(HERE), first);
	start(&thread, &wait, &go);
	assert_int_equal(writers(), 2);
	stop(&thread, wait, go);
}

/* What threads have not needed is kept for others, up to a limit. */
static void any_number_of_threads_may_go_without(void **state)
{
	sys_forbidden = true; /* which is faster, too */
	for (int i = 0; i < 140000; i++) {
		world.allocations = 0;
		assert_null(ownership_enter(HERE));
	}
	sys_forbidden = false;
	writers_of_living_threads_are_not(state);
}

/* ---- calls that do not end ---- */

static void a_handler_has_a_writer_of_its_own(void **state)
{
	struct writer *outer, *inner;

	(void)state;
	make_frames();
	/* Each interrupts those before: it is further down. */
	outer = ownership_enter(sp_of(9));
	inner = ownership_enter(sp_of(8));
	assert_non_null(inner);
	assert_ptr_not_equal(inner, outer);
	assert_int_equal(inner->nesting, 1);
	for (unsigned k = 7; k > 1; k--)
		assert_int_equal(ownership_enter(sp_of(k))->nesting, 9 - k);
	writer_leave(inner);
	assert_ptr_equal(ownership_enter(sp_of(8)), inner);
	assert_int_equal(writers(), WRITER_LEVELS);
}

static void calls_that_were_left_may_come_back(void **state)
{
	struct writer *left, *second, *third;

	(void)state;
	make_frames();
	left = ownership_enter(sp_of(1));
	second = ownership_enter(sp_of(2));
	third = ownership_enter(sp_of(3));
	assert_ptr_not_equal(second, left);
	assert_ptr_not_equal(third, left);
	assert_ptr_not_equal(third, second);
	writer_leave(left); /* it has come back, and ended */
	world.mended = 0;
	assert_ptr_equal(ownership_enter(sp_of(4)), left);
	assert_int_equal(world.mended, 1);
	/* Something else is where the second one was. */
	change_frame(2);
	assert_ptr_equal(ownership_enter(sp_of(5)), second);
	assert_int_equal(writers(), 3);
}

#define PAGE ((size_t)4096)
#define PAGES 16

/* Of pages that each lead to the last one. */
static char *new_stack(void)
{
	char *stack = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(stack, MAP_FAILED);
	for (size_t i = 0; i < PAGES; i++)
		*(char **)(void *)(stack + i * PAGE) =
			stack + (PAGES - 1) * PAGE;
	return stack;
}

/* Of a call which has its return address at the beginning of a page. */
static uintptr_t sp_on(const char *stack, size_t page)
{
	return (uintptr_t)stack + page * PAGE + sizeof(uintptr_t);
}

static void what_was_on_a_stack_that_is_gone_is_over(void **state)
{
	char *stack = new_stack();
	struct writer *w = ownership_enter(sp_on(stack, 2));

	(void)state;
	*(uintptr_t *)(void *)(stack + 2 * PAGE) = 1; /* leads nowhere */
	assert_ptr_equal(ownership_enter(sp_on(stack, 4)), w);
	munmap(stack + 4 * PAGE, PAGE);
	assert_ptr_equal(ownership_enter(sp_on(stack, 7)), w);
	munmap(stack + 6 * PAGE, PAGE); /* below the return address */
	assert_ptr_equal(ownership_enter(sp_on(stack, 9)), w);
	assert_int_equal(writers(), 1);
	munmap(stack, PAGES * PAGE);
}

/* When it was left, its stack was still there. */
static void what_was_left_on_a_stack_that_goes_is_over(void **state)
{
	char *stack = new_stack();
	struct writer *left = ownership_enter(sp_on(stack, 2));
	struct writer *other = ownership_enter(sp_on(stack, 4));

	(void)state;
	assert_ptr_not_equal(other, left);
	munmap(stack, 3 * PAGE);
	assert_ptr_equal(ownership_enter(sp_on(stack, 6)), left);
	assert_int_equal(writers(), 2);
	munmap(stack, PAGES * PAGE);
}

static __attribute__((noinline)) struct writer *enter_and_leave_it(void)
{
	return ownership_enter(HERE + 16);
}

/* Its call has its return address where our callees' frames are. */
static void what_we_overwrite_is_over(void **state)
{
	struct writer *w = enter_and_leave_it();

	(void)state;
	assert_ptr_equal(ownership_enter(HERE + 16), w);
	assert_int_equal(writers(), 1);
}

#define LEFT_MOST 4096

/* All of them where one is, as far as that can be seen. */
static void no_more_are_left_than_can_be_looked_at(void **state)
{
	static struct writer others[LEFT_MOST];
	struct writer *left, *second;

	(void)state;
	make_frames();
	left = ownership_enter(sp_of(1));
	second = ownership_enter(sp_of(2));
	assert_ptr_equal(second->left, left);
	for (unsigned i = 0; i < LEFT_MOST; i++) {
		others[i].state = left->state;
		others[i].frames = left->frames;
		others[i].left = i > 0 ? &others[i - 1] : NULL;
	}
	left->left = &others[LEFT_MOST - 2];
	assert_null(ownership_enter(sp_of(3)));
	assert_ptr_equal(writer_self, second);
	left->left = &others[LEFT_MOST - 3];
	assert_non_null(ownership_enter(sp_of(3)));
	assert_int_equal(writers(), 3);
	assert_ptr_equal(writer_self->left, second);
}

/* ---- stacks ---- */

static char stacks[1 << 17];
static bool left_on_it, left_below;

static void look_from_another_stack(int number)
{
	uintptr_t sp = HERE;

	(void)number;
	left_on_it = ownership_seems_left(sp - 64, sp);
	left_below = ownership_seems_left((uintptr_t)stacks + 64, sp);
}

static void calls_on_another_stack_are_interrupted(void **state)
{
	stack_t other = {.ss_sp = stacks + sizeof(stacks) / 2,
		.ss_size = sizeof(stacks) / 2};
	struct sigaction action = {
		.sa_handler = look_from_another_stack, .sa_flags = SA_ONSTACK};
	uintptr_t sp = HERE;

	(void)state;
	assert_int_equal(sigaltstack(&other, NULL), 0);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	assert_true(left_on_it);
	assert_false(left_below);
	assert_true(ownership_seems_left(sp - 64, sp));
	assert_false(ownership_seems_left(sp, sp));
	assert_false(ownership_seems_left(sp + 64, sp));
	assert_true(ownership_seems_left(sp - (1 << 20) + 1, sp));
	assert_false(ownership_seems_left(sp - (1 << 20), sp));
	sys_forbidden = true; /* where the kernel may not be asked */
	assert_false(ownership_seems_left(sp - 64, sp));
	sys_forbidden = false;
	other.ss_flags = SS_DISABLE;
	sigaltstack(&other, NULL);
}

/* ---- processes in one memory ---- */

/* As a child of fork does it with those of its parent. */
static void what_was_disarmed_is_nobodys(void **state)
{
	struct writer *w = calls(HERE), *other;

	(void)state;
	w->armed = false;
	other = ownership_enter(HERE);
	assert_ptr_not_equal(other, w);
	writer_leave(other);
	writer_self = &nobody;
	assert_ptr_equal(calls(HERE), other);
	assert_int_equal(writers(), 2);
}

/* For ever: so these come last. */
static void of_several_processes_each_finds_its_own(void **state)
{
	struct writer *w, *other;

	(void)state;
	make_frames();
	ownership_share();
	w = calls(sp_of(9));
	assert_non_null(w);
	assert_ptr_equal(ownership_enter(sp_of(9)), w);
	other = ownership_enter(sp_of(8));
	assert_ptr_not_equal(other, w);
	assert_int_equal(other->nesting, 1);
	writer_leave(other);
	writer_leave(w);
	assert_ptr_equal(ownership_enter(sp_of(9)), w);
	writer_leave(w);
	w->owner ^= (uint64_t)1 << 22; /* of another process */
	other = ownership_enter(sp_of(9));
	assert_ptr_not_equal(other, w);
	writer_leave(other);
	other->armed = false;
	w->owner ^= (uint64_t)1 << 22;
	assert_ptr_equal(calls(sp_of(9)), w);
	world.unmarked = true; /* in a child of fork: they are its parent's */
	assert_ptr_not_equal(calls(sp_of(9)), w);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thread_keeps_its_writer),
		TEST(who_has_been_switched_for_forgets_calls),
		TEST(what_is_switched_meanwhile_is_not_known),
		TEST(without_memory_there_is_no_writer),
		TEST(a_process_is_described_once_that_has_room),
		TEST(a_file_that_was_cut_has_no_room),
		TEST(nor_has_one_that_is_zeros),
		TEST(writers_of_ended_threads_are_inherited),
		TEST(of_a_file_that_was_cut_no_room_is_inherited),
		TEST(nor_of_one_that_is_found_to_be_cut),
		TEST(rules_of_threads_make_heirs_forget),
		TEST(writers_of_living_threads_are_not),
		TEST(in_a_child_all_writers_are_new),
		TEST(any_number_of_threads_may_go_without),
		TEST(a_handler_has_a_writer_of_its_own),
		TEST(calls_that_were_left_may_come_back),
		TEST(what_was_on_a_stack_that_is_gone_is_over),
		TEST(what_was_left_on_a_stack_that_goes_is_over),
		TEST(what_we_overwrite_is_over),
		TEST(no_more_are_left_than_can_be_looked_at),
		TEST(calls_on_another_stack_are_interrupted),
		TEST(what_was_disarmed_is_nobodys),
		TEST(of_several_processes_each_finds_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
