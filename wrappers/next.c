/*
 * Where host_resolve() finds the functions that we interpose, and the pointers
 * to their next definitions, next_NAME: a table that is generated from
 * functions.def.
 */
#include "shim/host/first_use.h"

#define ROW(name) FIRST_USE_ROW(name, next_##name)
#define PLAIN(returns, name, parameters, what) ROW(name)
#define VARIADIC(returns, name, last, parameters, what) ROW(name)
#define PLAIN_VOID(name, parameters, what) ROW(name)
#define VARIADIC_VOID(name, last, parameters, what) ROW(name)
#define QUICK_VOID(name, last, parameters, what) ROW(name)
#define HAND_ON(name, parameters, before) ROW(name)
#define INPUT(returns, name, parameters, arguments, what) ROW(name)
#define INPUT_VARIADIC(returns, name, last, parameters, native, what) ROW(name)
#define QUICK(returns, name, entry, parameters, condition, value, what)        \
	ROW(name)
#define QUICK_CHARACTER(returns, name, parameters, arguments, c, file, what)   \
	ROW(name)
#define QUICK_VARIADIC(                                                        \
	returns, name, entry, last, parameters, condition, value, what)        \
	ROW(name)

/* clang-format off */
__asm__(FIRST_USE_TABLE(host_functions)
#include "wrappers/functions.def"
	FIRST_USE_END(host_functions));
/* clang-format on */

/*
 * put.c and wide.c ask by the first of these pointers which function they were
 * called by; the others are what a child calls first, and each would have to
 * look it up again.
 */
__asm__(FIRST_USE_TABLE(host_at_once) ROW(fputs_unlocked) ROW(fwrite_unlocked)
		ROW(putc_unlocked) ROW(putwc) ROW(putwc_unlocked) ROW(
			_exit) ROW(execve) ROW(execvp) ROW(dup2) ROW(close)
			ROW(sigaction) ROW(write) FIRST_USE_END(host_at_once));
