#include "shim/unwind/unwind_backend.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "shim/host/host.h"

/* Without its header, as when the compiler is one for another machine, there is
 * no such backend. */
#if __has_include(<libunwind.h>)

#define UNW_LOCAL_ONLY
#include <libunwind.h>

/* The names that the header makes of its functions on this architecture. */
#define STRING(x) #x
#define NAME(function) STRING(function)

/* Frames between the recorded call and here, ours and libc's. */
#define OWN_FRAMES_MAX 32

#if defined(__x86_64__)
#define CONTEXT_PC(context) ((context)->uc_mcontext.gregs[REG_RIP])
#define CONTEXT_SP(context) ((context)->uc_mcontext.gregs[REG_RSP])
#define CONTEXT_FP(context) ((context)->uc_mcontext.gregs[REG_RBP])
#define READ_REGISTERS(pc, sp, fp)                                             \
	__asm__("lea 0(%%rip), %0\n\t"                                         \
		"mov %%rsp, %1\n\t"                                            \
		"mov %%rbp, %2"                                                \
		: "=r"(pc), "=r"(sp), "=r"(fp))
#elif defined(__aarch64__)
#define CONTEXT_PC(context) ((context)->uc_mcontext.pc)
#define CONTEXT_SP(context) ((context)->uc_mcontext.sp)
#define CONTEXT_FP(context) ((context)->uc_mcontext.regs[29])
#define READ_REGISTERS(pc, sp, fp)                                             \
	__asm__("adr %0, .\n\t"                                                \
		"mov %1, sp\n\t"                                               \
		"mov %2, x29"                                                  \
		: "=r"(pc), "=r"(sp), "=r"(fp))
#endif

/* Too large for the host's stack. */
struct unwind_cache {
	unw_context_t context;
	unw_cursor_t cursor;
};

_Static_assert(sizeof(struct unwind_cache) <= UNWIND_CACHE_BYTES,
	"the caller provides so much");

/* Written once, before there is a second thread. */
static __typeof__(unw_init_local) *init_local;
static __typeof__(unw_step) *step;
static __typeof__(unw_get_reg) *get_register;
static __typeof__(unw_flush_cache) *flush_cache;
static unw_addr_space_t *local_space;

static bool begin_at(
	struct unwind_cache *cache, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	CONTEXT_PC(&cache->context) =
		(__typeof__(CONTEXT_PC(&cache->context)))pc;
	CONTEXT_SP(&cache->context) =
		(__typeof__(CONTEXT_SP(&cache->context)))sp;
	CONTEXT_FP(&cache->context) =
		(__typeof__(CONTEXT_FP(&cache->context)))fp;
	return init_local(&cache->cursor, &cache->context) == 0;
}

static uintptr_t current(struct unwind_cache *cache, unw_regnum_t number)
{
	unw_word_t value = 0;

	return get_register(&cache->cursor, number, &value) == 0 ? value : 0;
}

static bool skip_to(
	struct unwind_cache *cache, const struct unwind_start *start)
{
	for (int i = 0; i < OWN_FRAMES_MAX; i++) {
		if (current(cache, UNW_REG_IP) == start->pc &&
			current(cache, UNW_REG_SP) == start->sp)
			return true;
		if (step(&cache->cursor) <= 0)
			break;
	}
	return false;
}

static void walk_from_here(const struct unwind_start *start, unsigned max_depth,
	struct unwind_cache *cache, struct unwind_trace *trace)
{
	uintptr_t pc, sp, fp;

	/*
	 * All registers that a call preserves go into this frame, where its
	 * tables say they are: so these three are a complete context.
	 */
	__builtin_unwind_init();
	READ_REGISTERS(pc, sp, fp);
	unwind_backend_begin(trace, start->pc, false);
	if (!(begin_at(cache, pc, sp, fp) && skip_to(cache, start)) &&
		!begin_at(cache, start->pc, start->sp, start->fp))
		return;
	while (trace->depth < max_depth && step(&cache->cursor) > 0) {
		pc = current(cache, UNW_REG_IP);
		if (pc == 0)
			return;
		trace->pc[trace->depth++] = pc;
	}
}

/* libunwind asks the kernel what can be read. */
static void walk(const struct unwind_start *start, unsigned max_depth,
	struct unwind_cache *cache, struct unwind_trace *trace)
{
	int kept = errno;

	walk_from_here(start, max_depth, cache, trace);
	errno = kept;
}

static void forget(struct unwind_cache *cache)
{
	(void)cache;
	if (flush_cache && local_space)
		flush_cache(*local_space, 0, 0);
}

const struct unwind_backend *unwind_libunwind_load(void)
{
	static const struct unwind_backend unwind_libunwind = {
		walk, forget, forget};
	/* Before glibc 2.34 in a library of their own, which may be missing. */
	void *(*open)(const char *, int);
	void *(*find)(void *, const char *);
	void *library;

	__extension__(open = host_find("dlopen"));
	__extension__(find = host_find("dlsym"));
	if (!open || !find)
		return NULL;
	library = open("libunwind.so.8", RTLD_LOCAL | RTLD_NOW);
	if (!library)
		return NULL;
	__extension__(init_local = find(library, NAME(unw_init_local)));
	__extension__(step = find(library, NAME(unw_step)));
	__extension__(get_register = find(library, NAME(unw_get_reg)));
	__extension__(flush_cache = find(library, NAME(unw_flush_cache)));
	local_space = find(library, NAME(unw_local_addr_space));
	if (step)
		unwind_library = (uintptr_t)step;
	return init_local && step && get_register ? &unwind_libunwind : NULL;
}

#else

const struct unwind_backend *unwind_libunwind_load(void)
{
	return NULL;
}

#endif
