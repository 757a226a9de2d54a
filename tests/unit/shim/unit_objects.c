/*
 * What the loader has mapped, as objects.c reads it without libc's help: the
 * loader's own answers (dl_iterate_phdr) are the oracle, also while libraries
 * come and go and a handler asks in between.
 */
#include "shim/host/inside.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/environment.h"
#include "shim/host/objects.h"
#include "shim/host/sys.h"

static bool no_list;

bool environment_auxiliary(uint64_t type, uint64_t *value)
{
	*value = getauxval(type);
	return *value != 0 && !no_list;
}

/* Any that is small and not needed by this program. */
static void *load(void)
{
	void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);

	assert_non_null(library);
	return library;
}

static uintptr_t place_in(void *library)
{
	return (uintptr_t)dlsym(library, "zlibVersion");
}

static void make_copy_of(const char *path, char *name)
{
	static char bytes[1 << 16];
	int from = open(path, O_RDONLY | O_CLOEXEC), to = mkstemp(name);
	ssize_t n;

	assert_true(from >= 0 && to >= 0);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(to, bytes, (size_t)n), n);
	close(from);
	close(to);
}

static unsigned compared;

static int compare(struct dl_phdr_info *info, size_t size, void *unused)
{
	const unsigned char *eh_frame = NULL;
	struct object object;

	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			eh_frame = (const unsigned char *)(
				info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		assert_true(objects_find(at, &object));
		assert_int_equal(object.bias, info->dlpi_addr);
		assert_ptr_equal(object.eh_frame, eh_frame);
		assert_true(object.start <= at);
		assert_true(object.end >= at + segment->p_memsz);
		assert_true(objects_find(at + segment->p_memsz - 1, &object));
		/* The kernel's own has another name there. */
		if (info->dlpi_name[0] == '/')
			assert_string_equal(object.path, info->dlpi_name);
	}
	compared++;
	return 0;
}

static void all_that_the_loader_lists_is_found(void **state)
{
	(void)state;
	compared = 0;
	dl_iterate_phdr(compare, NULL);
	assert_true(compared >= 3);
}

static void what_is_no_object_is_not_found(void **state)
{
	static char variable;
	struct object object;

	(void)state;
	assert_false(objects_find(0, &object));
	assert_false(objects_find(16, &object));
	assert_false(objects_find(UINTPTR_MAX, &object));
	assert_false(objects_find((uintptr_t)&object, &object));
	assert_true(objects_find((uintptr_t)&variable, &object));
	assert_string_equal(object.path, "");
}

static void libraries_that_come_later_are_found(void **state)
{
	struct object object;
	uintptr_t place;
	void *library;

	(void)state;
	assert_false(objects_find(16, &object));
	library = load();
	place = place_in(library);
	assert_true(objects_find(place, &object));
	assert_non_null(strstr(object.path, "libz.so"));
	objects_unloading();
	dlclose(library);
	/* Nobody has said so: it is not there all the same. */
	assert_false(objects_find(place, &object));
	objects_unloaded();
	assert_false(objects_find(place, &object));
	dl_iterate_phdr(compare, NULL);
}

/* One library goes, and another comes to where it was, before anybody is told. */
static void another_library_in_the_same_place_is_itself(void **state)
{
	struct object object;
	char other[] = "/tmp/unit_objects.XXXXXX";
	void *library = load();
	uintptr_t place = place_in(library);

	(void)state;
	assert_true(objects_find(place, &object));
	objects_unloading();
	make_copy_of(object.path, other);
	dlclose(library);
	library = dlopen(other, RTLD_NOW | RTLD_LOCAL);
	unlink(other);
	assert_non_null(library);
	assert_int_equal(place_in(library), place);
	assert_true(objects_find(place, &object));
	assert_string_equal(object.path, other);
	objects_unloaded();
	dlclose(library);
	objects_unloading();
	objects_unloaded();
}

static void without_a_list_nothing_is_found(void **state)
{
	struct object object;

	(void)state;
	no_list = true;
	objects_unloading();
	objects_unloaded();
	assert_null(objects_first());
	assert_false(objects_find((uintptr_t)&printf, &object));
	no_list = false;
	assert_true(objects_find((uintptr_t)&printf, &object));
}

static void under_a_filter_the_list_is_believed(void **state)
{
	struct object object;

	(void)state;
	sys_forbidden = true;
	objects_unloading();
	objects_unloaded();
	assert_true(objects_find((uintptr_t)&printf, &object));
	assert_false(objects_find(16, &object));
	sys_forbidden = false;
}

/* ---- while libraries come and go ---- */

static volatile bool over;
static volatile unsigned asked, wrong;

static void ask(int number)
{
	struct object object;

	(void)number;
	asked++;
	/* In a handler that has interrupted a reading, nothing is known. */
	if (objects_find((uintptr_t)&dl_iterate_phdr, &object) &&
		!strstr(object.path, "libc.so"))
		wrong++;
	if (objects_find((uintptr_t)&object, &object))
		wrong++;
}

static void *ask_on(void *unused)
{
	while (!over)
		ask(0);
	return unused;
}

static void handlers_and_threads_may_ask_at_any_time(void **state)
{
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct object object;
	pthread_t other;

	(void)state;
	signal(SIGALRM, ask);
	assert_int_equal(pthread_create(&other, NULL, ask_on, NULL), 0);
	setitimer(ITIMER_REAL, &often, NULL);
	for (unsigned i = 0; i < 2000; i++) {
		void *library = load();

		assert_true(place_in(library) != 0);
		objects_find(place_in(library), &object);
		objects_unloading();
		dlclose(library);
		objects_unloaded();
	}
	setitimer(ITIMER_REAL, &never, NULL);
	over = true;
	pthread_join(other, NULL);
	assert_int_equal(wrong, 0);
	assert_true(asked > 1000);
	dl_iterate_phdr(compare, NULL);
}

static void *read_on(void *unused)
{
	while (!over) {
		objects_unloading();
		objects_unloaded();
		ask(0);
	}
	return unused;
}

/* A fork leaves behind the thread that was reading. */
static void a_child_reads_for_itself(void **state)
{
	struct object object;
	pthread_t other;
	int status;

	(void)state;
	over = false;
	assert_int_equal(pthread_create(&other, NULL, read_on, NULL), 0);
	for (unsigned i = 0; i < 300; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(objects_find((uintptr_t)&printf, &object) ? 0
									: 1);
		waitpid(child, &status, 0);
		assert_int_equal(status, 0);
	}
	over = true;
	pthread_join(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_the_loader_lists_is_found),
		cmocka_unit_test(what_is_no_object_is_not_found),
		cmocka_unit_test(libraries_that_come_later_are_found),
		cmocka_unit_test(another_library_in_the_same_place_is_itself),
		cmocka_unit_test(without_a_list_nothing_is_found),
		cmocka_unit_test(under_a_filter_the_list_is_believed),
		cmocka_unit_test(handlers_and_threads_may_ask_at_any_time),
		cmocka_unit_test(a_child_reads_for_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
