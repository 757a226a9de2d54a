#include "record/linux.h"
#include "shim/file/capture_file.h"
#include "shim/host/host.h"
#include "shim/host/objects.h"
#include "shim/host/sys.h"
#include "shim/stdio/stdio_buffer.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * syscall(): a number that writes to an output, or changes what a descriptor
 * is, does what the function of that name does.  The functions are points of
 * cancellation, the numbers are not.
 */

/*
 * Functions of libc lie next to each other.  One that does not is that of a
 * library between us and libc.
 */
#define LIBC_REACH ((uintptr_t)1 << 21)

/*
 * The call that is on its way to the kernel in this thread.  If a library
 * behind us makes it by its number, it comes here once more.
 */
struct on_its_way {
	uintptr_t sp; /* of the call; 0: none is */
	long number, a, b;
};

static __thread struct on_its_way on_its_way;

static bool is_on_its_way(const struct call *call, long number, long a, long b)
{
	return unlikely(on_its_way.sp != 0) && call->sp < on_its_way.sp &&
	       on_its_way.number == number && on_its_way.a == a &&
	       on_its_way.b == b;
}

static uintptr_t function_of(long number)
{
	switch (number) {
#define WAY(name, function, what)                                              \
	case SYS_##name:                                                       \
		return (uintptr_t)next_##function;
#include "wrappers/system_call.def"
#undef WAY
	default:
		return 0;
	}
}

/*
 * A library behind us has a function of that name, which we pass calls on to,
 * and it is that library which calls: what comes now is the rest of a call that
 * was here before.
 */
static bool is_rest(const struct call *call, uintptr_t function)
{
	struct object object;

	return unlikely(function - (uintptr_t)next_syscall + LIBC_REACH >
			2 * LIBC_REACH) &&
	       objects_find(call->pc, &object) && function >= object.start &&
	       function < object.end;
}

/* The call is made for us, in the middle of one of the program's. */
static bool is_unwinder(const struct call *call)
{
	struct object object;

	return unlikely(unwind_library != 0) &&
	       objects_find(unwind_library, &object) &&
	       call->pc >= object.start && call->pc < object.end;
}

static long make(const struct call *call, long number, va_list ap)
{
	va_list words;
	long a, b, c, d, e, f;

	va_copy(words, ap);
	a = va_arg(words, long);
	b = va_arg(words, long);
	c = va_arg(words, long);
	d = va_arg(words, long);
	e = va_arg(words, long);
	f = va_arg(words, long);
	va_end(words);
	switch (number) {
#define WAY(name, function, what)                                              \
	case SYS_##name:                                                       \
		return what;
#include "wrappers/system_call.def"
#undef WAY
	default:
		return fork_syscall(call, number, ap);
	}
}

long system_call(const struct call *call, long number, va_list ap)
{
	uintptr_t function = function_of(number);
	struct on_its_way before = on_its_way;
	int cancel = PTHREAD_CANCEL_ENABLE;
	va_list look;
	long result, a, b;

	if (!function)
		return fork_syscall(call, number, ap);
	va_copy(look, ap);
	a = va_arg(look, long);
	b = va_arg(look, long);
	va_end(look);
	if (is_on_its_way(call, number, a, b) || is_rest(call, function) ||
		is_unwinder(call))
		return lockdown_syscall(number, ap);
	on_its_way = (struct on_its_way){call->sp, number, a, b};
	host_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	result = make(call, number, ap);
	host_pthread_setcancelstate(cancel, NULL);
	on_its_way = before;
	return result;
}
