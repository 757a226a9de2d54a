/*
 * The next definition of each function that we interpose, as next_NAME:
 * what a call is passed on to.  Generated from functions.def; filled in by
 * host_resolve() before the first call gets here.
 */
#ifndef WRAPPERS_NEXT_H
#define WRAPPERS_NEXT_H

#include <getopt.h>
#include <locale.h>
#include <printf.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <threads.h>
#include <ucontext.h>
#include <wchar.h>

#include "shim/host/pass_on.h"

struct aiocb;
struct open_how;
struct argp;
struct argp_state;

#define PLAIN(returns, name, parameters, what)                                 \
	extern returns(*next_##name) parameters;
#define VARIADIC(returns, name, last, parameters, what)                        \
	extern returns(*next_##name) parameters;
#define QUICK(returns, name, entry, parameters, condition, value, what)        \
	extern returns(*next_##name) parameters;
#define QUICK_CHARACTER(returns, name, parameters, arguments, c, file, what)   \
	extern HIDDEN returns(*next_##name) parameters;
#define QUICK_VARIADIC(                                                        \
	returns, name, entry, last, parameters, condition, value, what)        \
	extern returns(*next_##name) parameters;
#define PLAIN_VOID(name, parameters, what) extern void(*next_##name) parameters;
#define QUICK_VOID(name, last, parameters, what)                               \
	extern void(*next_##name) parameters;
#define VARIADIC_VOID(name, last, parameters, what)                            \
	extern void(*next_##name) parameters;
#define HAND_ON(name, parameters, before) extern void(*next_##name) parameters;
#define INPUT(returns, name, parameters, arguments, what)                      \
	extern returns(*next_##name) parameters;
#define INPUT_VARIADIC(returns, name, last, parameters, native, what)          \
	extern returns(*next_##name) parameters;
#include "wrappers/functions.def"
#undef INPUT
#undef INPUT_VARIADIC
#undef QUICK
#undef QUICK_CHARACTER
#undef QUICK_VARIADIC
#undef PLAIN
#undef VARIADIC
#undef PLAIN_VOID
#undef VARIADIC_VOID
#undef QUICK_VOID
#undef HAND_ON

#endif
