/*
 * The short way (fast.h) of the most frequent functions, for calls that come
 * after the same call as last time.  Nothing is spilled: arguments are copied
 * from the registers that they come in.  Whatever is unusual goes to the
 * function in C, portable_NAME, with all registers as they came and the writer
 * free again; so what there is to know about a step is said there.
 *
 * r11 is the writer, r10 the memo (in a list of steps: the step), rdi where
 * the next argument goes, rax scratch.  Nothing is pushed but by `drain`, hence
 * the unwind information of a function holds throughout.
 *
 * The functions are those rows of functions.def that name an entry, and those
 * that put a character or have a priority.  Here they find their memo; how
 * arguments are copied is in fast_x86_64_formats.S, which is part of this file.
 */
#if defined(__x86_64__) && !defined(PORTABLE)
#include "offsets.h"
#include "shim/host/entry.h"

	.text

/* ---- finding the memo ---- */

/* As C has left it, but for the number of vector registers used, in al, of
 * which 8 is the most. */
.macro GIVE_UP name
	movl	$8, %eax
	jmp	portable_\name
.endm

.macro LEAVE
	movq	W_idle(%r11), %rax
	movq	%rax, W_state(%r11)
.endm

/* writer_try(), or to `turn`; then r11 and r10, or to `miss`.  First: whether
 * some calls are switched off.  An even generation is none of ours: 0 would be
 * that of a writer that is not there. */
.macro GUESS entry, miss
	movq	control_switches(%rip), %r11
	movq	SWITCHES_turn(%r11), %rax
	cmpl	drops_generation(%rip), %eax
	jbe	drop_\entry
on_\entry:
	movq	writer_place(%rip), %r11
	movq	%fs:(%r11), %r11
	cmpxchgq %rsp, W_state(%r11)
	jne	turn_\entry
entered_\entry:
	movq	W_last(%r11), %r10
	movq	M_next+8*(\entry-1)(%r10), %r10
	movq	(%rsp), %rax
	cmpq	%rax, M_pc(%r10)
	jne	guess_\entry
same_pc_\entry:
	cmpq	%rsp, M_place(%r10)
	jne	\miss
	movl	streams_version+4*\entry(%rip), %eax
	cmpl	%eax, M_version(%r10)
	jne	\miss
.endm

/* Whether this one is: see drops.h.  A generation of 0, in a page that was
 * damaged, gets here as well, being below: in a child of fork a writer could be
 * 0, too. */
.macro DROP entry, key, file
drop_\entry:
	movzbl	(%rsp), %r10d
	leaq	drops+\entry*DROPS_BYTES(%rip), %rax
	movq	(%rsp), %r11
	cmpq	%r11, DROPS_pc(%rax,%r10,8)
	jne	1f
	cmpq	\key, DROPS_key(%rax,%r10,8)
	jne	1f
	.ifc	\file, stdout
	movq	stdout@GOTPCREL(%rip), %r11
	movq	(%r11), %r11
	cmpq	%r11, DROPS_file(%rax,%r10,8)
	.else
	cmpq	\file, DROPS_file(%rax,%r10,8)
	.endif
	jne	1f
	movq	control_switches(%rip), %r11
	incq	SWITCHES_suppressed(%r11)
	movq	DROPS_result(%rax,%r10,8), %rax
	ret
1:	movq	control_switches(%rip), %rax
	movq	SWITCHES_turn(%rax), %rax
	orq	$1, %rax
	jmp	on_\entry
.endm

/* writer_take_turn() of one of many, or to `busy`.  rax is the state. */
.macro TURN entry, busy
turn_\entry:
	cmpq	W_idle(%r11), %rax
	jne	\busy
	movq	control_switches(%rip), %r10
	cmpl	SWITCHES_generation(%r10), %eax
	jne	\busy
	cmpl	$SPEAKER_MANY, SWITCHES_speaker(%r10)
	jne	\busy
	cmpl	$0, W_turns(%r11)
	je	\busy
	decl	W_turns(%r11)
	lfence
	cmpxchgq %rsp, W_state(%r11)
	jne	\busy
	jmp	entered_\entry
.endm

/* Again, by pc and the call before this one: see fast_guess_at(); from now on
 * that is what comes after it. */
.macro GUESS_AGAIN entry, miss
guess_\entry:
	imull	$GUESS_MULTIPLIER, %eax, %eax
	shrl	$GUESS_SHIFT, %eax
	movq	W_last(%r11), %r10
	xorw	M_mix(%r10), %ax
	andl	$GUESSES-1, %eax
	movzwl	W_guesses(%r11,%rax,4), %eax
	imull	$M_BYTES, %eax, %r10d
	addq	W_memo(%r11), %r10
	movq	(%rsp), %rax
	cmpq	%rax, M_pc(%r10)
	jne	\miss
	movq	W_last(%r11), %rax
	movq	%r10, M_next+8*(\entry-1)(%rax)
	jmp	same_pc_\entry
.endm

/* `file` has the FILE, or is for that of stdout. */
.macro FIND_FILE file, miss
	cmpq	\file, M_file(%r10)
	jne	\miss
.endm
.macro FIND_STDOUT file, miss
	movq	stdout@GOTPCREL(%rip), \file
	movq	(\file), \file
	cmpq	\file, M_file(%r10)
	jne	\miss
.endm

	.set	WORD_BYTES, 23

/*
 * The stack, innermost word first; M_check has where to begin.  All jumps have
 * the same length, so that it can be computed.
 */
.macro COMPARE_STACK which, miss
check_fp_\which:
	cmpq	%rbp, M_fp(%r10)
	jne	\miss
	jmp	*M_check_words(%r10)
check_words_\which:
	.set	.Lword, M_word
	.rept	M_WORDS
	movq	.Lword(%r10), %rax
	movq	(%rax), %rax
	cmpq	.Lword+8(%r10), %rax
	.byte	0x0f, 0x85	/* jne, far */
	.long	\miss - . - 4
	.set	.Lword, .Lword + 16
	.endr
words_\which:
	.if	words_\which - check_words_\which - M_WORDS * WORD_BYTES
	.error	"the jumps differ in length"
	.endif
.endm

/* What is in the buffer of the FILE comes before. */
.macro EMPTY file, which
	movq	FILE_write_ptr(\file), %rax
	cmpq	FILE_write_base(\file), %rax
	jne	drain_\which
empty_\which:
.endm
.macro DRAIN which
drain_\which:
	leaq	empty_\which(%rip), %rax
	jmp	drain
.endm

/*
 * Has C record it, and goes on at rax with all registers as they were, or to
 * the miss of the memo.  What is right below the stack pointer stays, too.
 */
	.p2align 4
	.type	drain, @function
drain:
	.cfi_startproc
	subq	$216, %rsp
	.cfi_adjust_cfa_offset 216
	movq	%rax, (%rsp)
	movq	%rdi, 8(%rsp)
	movq	%rsi, 16(%rsp)
	movq	%rdx, 24(%rsp)
	movq	%rcx, 32(%rsp)
	movq	%r8, 40(%rsp)
	movq	%r9, 48(%rsp)
	movq	%r10, 56(%rsp)
	movq	%r11, 64(%rsp)
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	%xmm\number, 80+16*\number(%rsp)
	.endr
	movq	%r11, %rdi
	movq	%r10, %rsi
	leaq	224(%rsp), %rdx
	call	fast_drain_before
	movq	8(%rsp), %rdi
	movq	16(%rsp), %rsi
	movq	24(%rsp), %rdx
	movq	32(%rsp), %rcx
	movq	40(%rsp), %r8
	movq	48(%rsp), %r9
	movq	56(%rsp), %r10
	movq	64(%rsp), %r11
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	80+16*\number(%rsp), %xmm\number
	.endr
	testb	%al, %al
	movq	(%rsp), %rax
	leaq	216(%rsp), %rsp
	.cfi_adjust_cfa_offset -216
	jz	1f
	jmp	*%rax
1:	jmp	*M_miss(%r10)
	.cfi_endproc
	.size	drain, . - drain

.macro FUNCTION name
	.globl	\name
	.type	\name, @function
	.p2align 6
\name:
	.cfi_startproc
.endm
.macro END name
	.cfi_endproc
	.size	\name, . - \name
.endm

/* ---- bytes: the rest in C, see fast.c ---- */

.macro BYTES name, entry, function, find, file, writer, memo, drop
	FUNCTION \name
	GUESS	\entry, miss_\entry
	\find	\file, miss_\entry
	jmp	*M_check(%r10)
miss_\entry:
	LEAVE
1:	GIVE_UP	\name
	TURN	\entry, 1b
	GUESS_AGAIN \entry, miss_\entry
	COMPARE_STACK \entry, miss_\entry
	movq	%r11, \writer
	movq	%r10, \memo
	jmp	\function
	DROP	\entry, %rdi, \drop
	END	\name
.endm

/* ---- characters: fast_collect() of fast.h ---- */

.macro COLLECT name
	cmpq	%rsi, streams_collecting(%rip)
	jne	portable_\name
	cmpq	$0, stdio_buffer_putting(%rip)
	jne	portable_\name
	testb	$FILE_NEEDS_LOCK, FILE_flags2(%rsi)
	jnz	portable_\name
	cmpb	$10, %dil	/* newline */
	je	portable_\name
	movq	%rsp, stdio_buffer_putting(%rip)
	movq	FILE_write_ptr(%rsi), %rax
	cmpq	FILE_write_end(%rsi), %rax
	jae	1f
	movb	%dil, (%rax)
	incq	%rax
	movq	%rax, FILE_write_ptr(%rsi)
	movq	$0, stdio_buffer_putting(%rip)
	movzbl	%dil, %eax
	ret
1:	movq	$0, stdio_buffer_putting(%rip)
	jmp	portable_\name
.endm

/* int putc(int c, FILE *file) */
.macro CODE_CHARACTER_file name
	FUNCTION \name
	COLLECT	\name
	END	\name
.endm

/* int putchar(int c) */
.macro CODE_CHARACTER_stdout name
	FUNCTION \name
	movq	stdout@GOTPCREL(%rip), %rsi
	movq	(%rsi), %rsi
	COLLECT	\name
	END	\name
.endm

/* void syslog(int priority, const char *format, ...): syslog_is_off() */
.macro CODE_SYSLOG name
	FUNCTION \name
	testl	$~SYSLOG_BITS, %edi
	jnz	portable_\name
	movq	control_switches(%rip), %r11
	movl	SWITCHES_version(%r11), %r11d
	cmpl	control_seen(%rip), %r11d
	jne	portable_\name
	movl	%edi, %r10d
	andl	$SYSLOG_PRIORITIES, %r10d
	movl	syslog_off(%rip), %r11d
	btl	%r10d, %r11d
	jnc	portable_\name
	ret
	END	\name
.endm

/* ---- formats ---- */

/*
 * `file` and `format` are free once they are found to be those of the memo.
 * rdx is kept in `spare`, one of them, while the clock needs it.
 */
.macro TIME_AND_PLACE spare, miss
	movq	W_core_now(%r11), %rax
	movl	(%rax), %eax
	cmpl	%eax, W_core(%r11)
	jne	\miss
	.ifnc	\spare, none
	movq	%rdx, \spare
	.endif
	rdtsc
	cmpl	%edx, W_epoch(%r11)
	.ifnc	\spare, none
	movq	\spare, %rdx
	.endif
	jne	\miss
	movq	W_cursor(%r11), %rdi
	cmpq	W_limit(%r11), %rdi
	ja	\miss
	movl	%eax, 4(%rdi)
	movq	%r10, W_last(%r11)
	jmp	*M_record(%r10)
.endm

/*
 * Where a piece of a line goes on with what stands before it, it needs no time;
 * see fast_begin() and fast_commit().
 */
.macro PIECE entry, file, spare
	COMPARE_STACK piece_\entry, miss_\entry
	EMPTY	\file, piece_\entry
	movq	W_cursor(%r11), %rax
	cmpq	W_open(%r11), %rax
	jne	begin_\entry
	testl	$FILE_NEEDS_LOCK, FILE_flags2(\file)
	jnz	begin_\entry
	cmpq	W_limit(%r11), %rax
	ja	miss_\entry
	movl	streams_flushes(%rip), %eax
	orl	M_stream(%r10), %eax
	cmpl	W_said_key(%r11), %eax
	jne	begin_\entry
	movl	M_context(%r10), %eax
	orl	$CONTINUES, %eax
	movl	%eax, W_first(%r11)
	movq	W_cursor(%r11), %rdi
	subq	$4, %rdi
	movq	%r10, W_last(%r11)
	jmp	*M_record(%r10)
begin_\entry:
	movl	M_context(%r10), %eax
	movl	%eax, W_first(%r11)
	TIME_AND_PLACE \spare, miss_\entry
.endm

/* int printf(const char *format, ...) */
.macro CODE_PRINTF name, entry
	FUNCTION \name
	GUESS	\entry, 1f
	cmpq	%rdi, M_key(%r10)
	jne	1f
	FIND_STDOUT %rdi, miss_\entry
	jmp	*M_check(%r10)
miss_\entry:
	movq	M_key(%r10), %rdi
1:	LEAVE
2:	GIVE_UP	\name
	TURN	\entry, 2b
	GUESS_AGAIN \entry, 1b
	COMPARE_STACK \entry, miss_\entry
	EMPTY	%rdi, \entry
	TIME_AND_PLACE %rdi, miss_\entry
	PIECE	\entry, %rdi, %rdi
	DRAIN	\entry
	DRAIN	piece_\entry
	DROP	\entry, %rdi, stdout
	END	\name
.endm

/* int fprintf(FILE *file, const char *format, ...) */
.macro CODE_FPRINTF name, entry
	FUNCTION \name
	GUESS	\entry, 1f
	cmpq	%rsi, M_key(%r10)
	jne	1f
	FIND_FILE %rdi, 1f
	jmp	*M_check(%r10)
miss_\entry:
	movq	M_file(%r10), %rdi
	movq	M_key(%r10), %rsi
1:	LEAVE
2:	GIVE_UP	\name
	TURN	\entry, 2b
	GUESS_AGAIN \entry, 1b
	COMPARE_STACK \entry, miss_\entry
	EMPTY	%rdi, \entry
	TIME_AND_PLACE %rsi, miss_\entry
	PIECE	\entry, %rdi, %rsi
	DRAIN	\entry
	DRAIN	piece_\entry
	DROP	\entry, %rsi, %rdi
	END	\name
.endm

/* int __printf_chk(int flag, const char *format, ...) */
.macro CODE_PRINTF_CHK name, entry
	FUNCTION \name
	movl	%edi, -8(%rsp)
	GUESS	\entry, 1f
	cmpq	%rsi, M_key(%r10)
	jne	1f
	FIND_STDOUT %rsi, miss_\entry
	jmp	*M_check(%r10)
miss_\entry:
	movl	-8(%rsp), %edi
	movq	M_key(%r10), %rsi
1:	LEAVE
2:	GIVE_UP	\name
	TURN	\entry, 2b
	GUESS_AGAIN \entry, 1b
	COMPARE_STACK \entry, miss_\entry
	EMPTY	%rsi, \entry
	TIME_AND_PLACE %rsi, miss_\entry
	PIECE	\entry, %rsi, %rsi
	DRAIN	\entry
	DRAIN	piece_\entry
	DROP	\entry, %rsi, stdout
	END	\name
.endm

/* int __fprintf_chk(FILE *file, int flag, const char *format, ...) */
.macro CODE_FPRINTF_CHK name, entry
	FUNCTION \name
	GUESS	\entry, 1f
	cmpq	%rdx, M_key(%r10)
	jne	1f
	FIND_FILE %rdi, 1f
	jmp	*M_check(%r10)
miss_\entry:
	movq	M_file(%r10), %rdi
	movq	M_key(%r10), %rdx
1:	LEAVE
2:	GIVE_UP	\name
	TURN	\entry, 2b
	GUESS_AGAIN \entry, 1b
	COMPARE_STACK \entry, miss_\entry
	EMPTY	%rdi, \entry
	TIME_AND_PLACE none, miss_\entry
	PIECE	\entry, %rdi, none
	DRAIN	\entry
	DRAIN	piece_\entry
	DROP	\entry, %rdx, %rdi
	END	\name
.endm

/* ---- the functions ---- */

#define CODE_NONE(name)
#define CODE_PRINTF(name) CODE_PRINTF name, ENTRY_PRINTF;
#define CODE_FPRINTF(name) CODE_FPRINTF name, ENTRY_FPRINTF;
#define CODE_PRINTF_CHK(name) CODE_PRINTF_CHK name, ENTRY_PRINTF_CHK;
#define CODE_FPRINTF_CHK(name) CODE_FPRINTF_CHK name, ENTRY_FPRINTF_CHK;
#define CODE_PUTS(name)                                                        \
	BYTES name, ENTRY_PUTS, fast_found_puts, FIND_STDOUT, %rsi, %rdx, %rcx, \
		stdout;
#define CODE_FPUTS(name)                                                       \
	BYTES name, ENTRY_FPUTS, fast_found_fputs, FIND_FILE, %rsi, %rdx, %rcx, \
		%rsi;
#define CODE_FPUTS_UNLOCKED(name)                                              \
	BYTES name, ENTRY_FPUTS_UNLOCKED, fast_found_fputs_unlocked, FIND_FILE, \
		%rsi, %rdx, %rcx, %rsi;
#define CODE_FWRITE(name)                                                      \
	BYTES name, ENTRY_FWRITE, fast_found_fwrite, FIND_FILE, %rcx, %r8, %r9, \
		%rcx;
#define CODE_FWRITE_UNLOCKED(name)                                             \
	BYTES name, ENTRY_FWRITE_UNLOCKED, fast_found_fwrite_unlocked,         \
		FIND_FILE, %rcx, %r8, %r9, %rcx;
#define PLAIN(...)
#define VARIADIC(...)
#define PLAIN_VOID(...)
#define VARIADIC_VOID(...)
#define QUICK_VOID(name, ...) CODE_SYSLOG name;
#define HAND_ON(...)
#define INPUT(...)
#define INPUT_VARIADIC(...)
#define QUICK_CHARACTER(returns, name, parameters, arguments, c, file, what)   \
	CODE_CHARACTER_##file name;
#define QUICK(returns, name, entry, ...) CODE_##entry(name)
#define QUICK_VARIADIC(returns, name, entry, ...) CODE_##entry(name)

	.type	fast_code, @object
	.globl	fast_code
	.hidden	fast_code
fast_code:
#include "wrappers/functions.def"

#include "wrappers/fast_x86_64_formats.S"
#include "wrappers/fast_x86_64_tables.S"
#endif

	.section .note.GNU-stack, "", %progbits
