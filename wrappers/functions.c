/*
 * The interposed functions themselves, all generated from functions.def: each
 * notes where its caller is and goes on to a handler.  The only names that
 * libbinlog.so exports.
 */
#include "shim/capture.h"
#include "shim/host.h"
#include "shim/stdio_turn.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

#define EXPORT __attribute__((visibility("default")))

#define PLAIN(returns, name, parameters, what)                                 \
	returns(*next_##name) parameters;                                      \
	EXPORT returns name parameters;                                        \
	EXPORT returns name parameters                                         \
	{                                                                      \
		struct call_turn turn = {0};                                   \
		const struct call call = CAPTURE_CALL(#name, &turn);           \
		returns result;                                                \
                                                                               \
		process_start();                                               \
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
		process_start();                                               \
		(void)call;                                                    \
		va_start(ap, last);                                            \
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
		process_start();                                               \
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
		process_start();                                               \
		(void)call;                                                    \
		va_start(ap, last);                                            \
		what;                                                          \
		va_end(ap);                                                    \
		stdio_turn_end(&turn);                                         \
	}
#include "wrappers/functions.def"
#undef PLAIN
#undef VARIADIC
#undef PLAIN_VOID
#undef VARIADIC_VOID

#define ROW(name) {#name, (void **)&next_##name},
#define PLAIN(returns, name, parameters, what) ROW(name)
#define VARIADIC(returns, name, last, parameters, what) ROW(name)
#define PLAIN_VOID(name, parameters, what) ROW(name)
#define VARIADIC_VOID(name, last, parameters, what) ROW(name)

const struct host_function host_functions[] = {
#include "wrappers/functions.def"
	{NULL, NULL},
};
