/*
 * Functions of other libraries that are looked up when they are first called:
 * a program calls few of the hundreds that we know of.  A row says how such a
 * function is called and which pointer it is called through; that points to a
 * few instructions of its own until then.  Used by host.c, and to make the
 * tables of the functions that we borrow and interpose.
 */
#ifndef SHIM_FIRST_USE_H
#define SHIM_FIRST_USE_H

/* All are distances from the field itself, so that the loader has nothing to
 * fill in. */
struct first_use {
	int32_t name;
	int32_t next; /* the pointer */
	int32_t stub; /* null: there are none for this machine */
};

static inline const char *first_use_name(const struct first_use *row)
{
	return (const char *)&row->name + row->name;
}

static inline void **first_use_next(const struct first_use *row)
{
	return (void **)((uintptr_t)&row->next +
			 (uintptr_t)(intptr_t)row->next);
}

static inline void *first_use_stub(const struct first_use *row)
{
	return row->stub ? (void *)((uintptr_t)&row->stub +
				    (uintptr_t)(intptr_t)row->stub)
			 : NULL;
}

/*
 * Where a stub ends up: finds the function of this row, stores its address,
 * and returns it, never null.  Async-signal-safe; any thread, any number of
 * times.
 */
extern HIDDEN void *(*first_use_find)(const struct first_use *row);

/*
 * A table, as one __asm__: FIRST_USE_TABLE(table), FIRST_USE_ROW() for each
 * function, FIRST_USE_END(table).  In C it is an array from `table` to
 * `table_end`.
 */
#define FIRST_USE_TABLE(table)                                                 \
	FIRST_USE_STUBS                                                        \
	".pushsection .rodata\n\t.balign 4\n\t.hidden " #table "\n\t"          \
	".globl " #table "\n" #table ":\n\t.popsection\n"
#define FIRST_USE_END(table)                                                   \
	".pushsection .rodata\n\t.hidden " #table "_end\n\t"                   \
	".globl " #table "_end\n" #table                                       \
	"_end:\n\t.popsection\n" FIRST_USE_STUBS_END
#if defined(__x86_64__)
#define FIRST_USE_STUBS ".pushsection .text\n\t.cfi_startproc\n\t.popsection\n"
#define FIRST_USE_STUBS_END                                                    \
	".pushsection .text\n\t.cfi_endproc\n\t.popsection\n"
#define FIRST_USE_STUB                                                         \
	".pushsection .text\n"                                                 \
	"3:\tlea 1f(%rip), %r11\n\tjmp first_use\n\t.popsection\n"
#define FIRST_USE_STUB_PLACE "3b - ."
#else
#define FIRST_USE_STUBS ""
#define FIRST_USE_STUBS_END ""
#define FIRST_USE_STUB ""
#define FIRST_USE_STUB_PLACE "0"
#endif
#define FIRST_USE_ROW(function, pointer)                                       \
	FIRST_USE_STUB                                                         \
	".pushsection .rodata\n"                                               \
	"1:\t.long 2f - .\n\t.long " #pointer                                  \
	" - .\n\t.long " FIRST_USE_STUB_PLACE "\n\t.popsection\n"              \
	".pushsection .rodata.first_use,\"a\"\n"                               \
	"2:\t.asciz \"" #function "\"\n\t.popsection\n"

#endif
