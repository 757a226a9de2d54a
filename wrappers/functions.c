/*
 * The interposed functions themselves, all generated from functions.def: each
 * notes where its caller is and goes on to a handler.  The only names that
 * libbinlog.so exports.
 */
#include "shim/host/host.h"
#include "shim/record/capture.h"
#include "shim/record/terminal.h"
#include "shim/start/startup.h"
#include "shim/stdio/fast.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/writer/stdio_turn.h"
#include "wrappers/hand_on.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

#define EXPORT __attribute__((visibility("default")))

/* Where fast_x86_64.S has the function, it calls ours by another name. */
#define IN_C(entry, returns, name, parameters)                                 \
	IN_C_##entry(returns, name, parameters)
#define IN_C_NONE(returns, name, parameters) EXPORT returns name parameters
#if FAST_CODE
#define IN_C_SOME(returns, name, parameters) returns portable_##name parameters
#else
#define IN_C_SOME(returns, name, parameters) EXPORT returns name parameters
#endif
#define IN_C_PRINTF IN_C_SOME
#define IN_C_FPRINTF IN_C_SOME
#define IN_C_PRINTF_CHK IN_C_SOME
#define IN_C_FPRINTF_CHK IN_C_SOME
#define IN_C_PUTS IN_C_SOME
#define IN_C_FPUTS IN_C_SOME
#define IN_C_FPUTS_UNLOCKED IN_C_SOME
#define IN_C_FWRITE IN_C_SOME
#define IN_C_FWRITE_UNLOCKED IN_C_SOME

#define PLAIN(returns, name, parameters, what)                                 \
	returns(*next_##name) parameters;                                      \
	EXPORT returns name parameters;                                        \
	EXPORT returns name parameters                                         \
	{                                                                      \
		struct call_turn turn = {0};                                   \
		const struct call call = CAPTURE_CALL(#name, &turn);           \
		returns result;                                                \
                                                                               \
		startup();                                               \
		(void)call;                                                    \
		result = what;                                                 \
		stdio_turn_end(&turn);                                         \
		return result;                                                 \
	}
#define VARIADIC(returns, name, last, parameters, what)                        \
	returns(*next_##name) parameters;                                      \
	EXPORT returns name parameters;                                        \
	EXPORT returns name parameters                                         \
	{                                                                      \
		struct call_turn turn = {0};                                   \
		const struct call call = CAPTURE_CALL(#name, &turn);           \
		returns result;                                                \
		va_list ap;                                                    \
                                                                               \
		startup();                                               \
		(void)call;                                                    \
		va_start(ap, last);                                            \
		result = what;                                                 \
		va_end(ap);                                                    \
		stdio_turn_end(&turn);                                         \
		return result;                                                 \
	}
/* The caller's registers, as in CAPTURE_CALL(). */
#define CALLER                                                                 \
	(uintptr_t) __builtin_return_address(0),                               \
		(uintptr_t)__builtin_dwarf_cfa(),                              \
		*(const uintptr_t *)__builtin_frame_address(0)
#define HERE CALLER, entry_of_it

#define QUICK(returns, name, entry, parameters, condition, value, what)        \
	returns(*next_##name) parameters;                                      \
	IN_C(entry, returns, name, parameters);                                \
	IN_C(entry, returns, name, parameters)                                 \
	{                                                                      \
		const char *const name_of_it = #name;                          \
		const unsigned entry_of_it = ENTRY_##entry;                    \
		returns result;                                                \
                                                                               \
		if (likely(condition))                                         \
			return value;                                          \
		struct call_turn turn = {0};                                   \
		const struct call call =                                       \
			CAPTURE_CALL_OF(name_of_it, &turn, entry_of_it);       \
                                                                               \
		startup();                                               \
		result = what;                                                 \
		stdio_turn_end(&turn);                                         \
		return result;                                                 \
	}
/* What is rare is elsewhere, so that nothing has to be saved on the stack. */
#define BARE(...) __VA_ARGS__
#define QUICK_CHARACTER(returns, name, parameters, arguments, c, file, what)   \
	returns(*next_##name) parameters;                                      \
	static __attribute__((noinline)) returns slow_##name(                  \
		uintptr_t pc, uintptr_t sp, uintptr_t fp, BARE parameters)     \
	{                                                                      \
		struct call_turn turn = {0};                                   \
		const struct call call = {.pc = pc,                            \
			.sp = sp,                                              \
			.fp = fp,                                              \
			.function = #name,                                     \
			.turn = &turn};                                        \
		returns result;                                                \
                                                                               \
		if (fast_character(pc, sp, fp, file, (unsigned char)(c)))      \
			return (unsigned char)(c);                             \
		startup();                                               \
		result = what;                                                 \
		stdio_turn_end(&turn);                                         \
		return result;                                                 \
	}                                                                      \
	IN_C_SOME(returns, name, parameters);                                  \
	IN_C_SOME(returns, name, parameters)                                   \
	{                                                                      \
		if (likely(fast_collect(                                       \
			    (uintptr_t)__builtin_dwarf_cfa(), file, c)))       \
			return (unsigned char)(c);                             \
		return slow_##name(CALLER, BARE arguments);                    \
	}
#define QUICK_VARIADIC(                                                        \
	returns, name, entry, last, parameters, condition, value, what)        \
	returns(*next_##name) parameters;                                      \
	IN_C(entry, returns, name, parameters);                                \
	IN_C(entry, returns, name, parameters)                                 \
	{                                                                      \
		const char *const name_of_it = #name;                          \
		const unsigned entry_of_it = ENTRY_##entry;                    \
		returns result;                                                \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, last);                                            \
		if (likely(condition)) {                                       \
			va_end(ap);                                            \
			return value;                                          \
		}                                                              \
		struct call_turn turn = {0};                                   \
		const struct call call =                                       \
			CAPTURE_CALL_OF(name_of_it, &turn, entry_of_it);       \
                                                                               \
		startup();                                               \
		result = what;                                                 \
		va_end(ap);                                                    \
		stdio_turn_end(&turn);                                         \
		return result;                                                 \
	}
#define PLAIN_VOID(name, parameters, what)                                     \
	void(*next_##name) parameters;                                         \
	EXPORT void name parameters;                                           \
	EXPORT void name parameters                                            \
	{                                                                      \
		struct call_turn turn = {0};                                   \
		const struct call call = CAPTURE_CALL(#name, &turn);           \
                                                                               \
		startup();                                               \
		(void)call;                                                    \
		what;                                                          \
		stdio_turn_end(&turn);                                         \
	}
#define VARIADIC_VOID(name, last, parameters, what)                            \
	void(*next_##name) parameters;                                         \
	EXPORT void name parameters;                                           \
	EXPORT void name parameters                                            \
	{                                                                      \
		struct call_turn turn = {0};                                   \
		const struct call call = CAPTURE_CALL(#name, &turn);           \
		va_list ap;                                                    \
                                                                               \
		startup();                                               \
		(void)call;                                                    \
		va_start(ap, last);                                            \
		what;                                                          \
		va_end(ap);                                                    \
		stdio_turn_end(&turn);                                         \
	}
#define QUICK_VOID(name, last, parameters, what)                               \
	void(*next_##name) parameters;                                         \
	IN_C_SOME(void, name, parameters);                                     \
	IN_C_SOME(void, name, parameters)                                      \
	{                                                                      \
		struct call_turn turn = {0};                                   \
		const struct call call = CAPTURE_CALL(#name, &turn);           \
		va_list ap;                                                    \
                                                                               \
		if (syslog_is_off(priority))                                   \
			return;                                                \
		startup();                                               \
		(void)call;                                                    \
		va_start(ap, last);                                            \
		what;                                                          \
		va_end(ap);                                                    \
		stdio_turn_end(&turn);                                         \
	}
#define HAND_ON(name, parameters, before)                                      \
	__attribute__((used)) void(*next_##name) parameters;                   \
	EXPORT void name parameters;                                           \
	__asm__(HAND_ON_CODE(#name, #before));
/* So thin that a program that reads a byte at a time does not feel it. */
#define INPUT(returns, name, parameters, arguments, what)                      \
	returns(*next_##name) parameters;                                      \
	EXPORT returns name parameters;                                        \
	EXPORT returns name parameters                                         \
	{                                                                      \
		if (unlikely(streams_reading_shows)) {                              \
			const struct call call = CAPTURE_CALL(#name, NULL);    \
                                                                               \
			startup();                                       \
			(void)call;                                            \
			what;                                                  \
		}                                                              \
		return next_##name arguments;                                  \
	}
#define INPUT_VARIADIC(returns, name, last, parameters, native, what)          \
	returns(*next_##name) parameters;                                      \
	EXPORT returns name parameters;                                        \
	EXPORT returns name parameters                                         \
	{                                                                      \
		returns result;                                                \
		va_list ap;                                                    \
                                                                               \
		if (unlikely(streams_reading_shows)) {                              \
			const struct call call = CAPTURE_CALL(#name, NULL);    \
                                                                               \
			startup();                                       \
			(void)call;                                            \
			what;                                                  \
		}                                                              \
		va_start(ap, last);                                            \
		result = native;                                               \
		va_end(ap);                                                    \
		return result;                                                 \
	}
#include "wrappers/functions.def"
#undef PLAIN
#undef VARIADIC
#undef PLAIN_VOID
#undef VARIADIC_VOID
#undef QUICK_VOID
#undef HAND_ON
#undef INPUT
#undef INPUT_VARIADIC
#undef QUICK
#undef QUICK_CHARACTER
#undef QUICK_VARIADIC
