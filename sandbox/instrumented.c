#include "sandbox/instrumented.h"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#ifdef __has_feature /* clang */
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
	HAS(address_sanitizer) || HAS(thread_sanitizer)
#define SANITIZED true
#else
#define SANITIZED false
#endif

bool instrumented(void)
{
	return SANITIZED || RUNNING_ON_VALGRIND;
}
