/*
 * Part of fast_x86_64.S: what copies the arguments of formats into the record,
 * and adds up the length of their text as it goes.  For each kind of argument
 * and register that it may come in there is a piece of code, and for formats
 * with at most two plain numbers one that does it all.
 */

/* ---- publishing a record that ends at `bytes` from rdi, or at rdi ---- */

.macro PUBLISH bytes
	movl	$0, \bytes(%rdi)
	movl	M_context(%r10), %ecx
	movl	%ecx, (%rdi)
	addq	$\bytes, %rdi
	movq	%rdi, W_cursor(%r11)
	RETURN
.endm

/* The length of the text is in rax. */
.macro RETURN
	movl	streams_flushes(%rip), %ecx
	orl	M_stream(%r10), %ecx
	cmpl	%ecx, W_said_key(%r11)
	jne	fast_code_other_stream
	addq	%rax, W_said(%r11)
	movq	W_idle(%r11), %rcx
	movq	%rcx, W_state(%r11)
	ret
.endm

	.p2align 4
	.type	fast_code_pieces, @function
fast_code_pieces:
	.cfi_startproc
fast_code_other_stream:
	movq	%r11, %rdi
	movq	%r10, %rsi
	movl	%eax, %edx
	jmp	fast_code_said

/* ---- formats with at most two plain numbers of 32 bits ---- */

/* The number of digits in place of the number; see struct measure_tables. */
.macro DIGITS_OF table, r
	leaq	1(\r,\r), %rax
	bsrq	%rax, %rax
	addq	\table(%r11,%rax,8), \r
	shrq	$32, \r
.endm
.macro DIGITS kind, r, e
	.ifc	\kind, signed
	movl	\e, %eax
	negl	%eax
	cmovnsl	%eax, \e
	DIGITS_OF W_digits, \r
	.else
	movl	\e, \e
	.ifc	\kind, hex
	DIGITS_OF W_hex_digits, \r
	.else
	DIGITS_OF W_digits, \r
	.endif
	.endif
.endm
/* Adds them up, and the sign of the number, which is at `place`. */
.macro SUM kind, r, place
	.ifc	\kind, signed
	btl	$31, \place
	adcl	\r, %eax
	.else
	addl	\r, %eax
	.endif
.endm

.macro NO_INTS named
	.p2align 4
ints_\named\()_nothing_nothing:
	movl	M_literal(%r10), %eax
	PUBLISH	8
.endm
.macro ONE_INT named, kind, r, e
	.p2align 4
ints_\named\()_\kind\()_nothing:
	movl	\e, 8(%rdi)
	DIGITS	\kind, \r, \e
	movl	M_literal(%r10), %eax
	SUM	\kind, \e, 8(%rdi)
	PUBLISH	12
.endm
.macro TWO_INTS named, first, r1, e1, second, r2, e2
	.p2align 4
ints_\named\()_\first\()_\second:
	movl	\e1, 8(%rdi)
	movl	\e2, 12(%rdi)
	DIGITS	\first, \r1, \e1
	DIGITS	\second, \r2, \e2
	movl	M_literal(%r10), %eax
	SUM	\first, \e1, 8(%rdi)
	SUM	\second, \e2, 12(%rdi)
	PUBLISH	16
.endm
.macro INTS named, r1, e1, r2, e2
	NO_INTS	\named
	.irp	first, signed, unsigned, hex
	ONE_INT	\named, \first, \r1, \e1
	.irp	second, signed, unsigned, hex
	TWO_INTS \named, \first, \r1, \e1, \second, \r2, \e2
	.endr
	.endr
.endm
	INTS	1, %rsi, %esi, %rdx, %edx
	INTS	2, %rdx, %edx, %rcx, %ecx
	INTS	3, %rcx, %ecx, %r8, %r8d

/* ---- all other formats, argument by argument ---- */

	.p2align 4
begin:
	movl	M_literal(%r10), %eax
	movl	%eax, W_length(%r11)
	movq	M_steps(%r10), %r10
	addq	$8, %rdi
	jmp	*(%r10)

.macro NEXT
	addq	$STEP_BYTES, %r10
	jmp	*(%r10)
.endm

/* Some of the steps that follow may have to give up. */
save:
	movq	%rsi, -16(%rsp)
	movq	%rdx, -24(%rsp)
	movq	%rcx, -32(%rsp)
	movq	%r8, -40(%rsp)
	movq	%r9, -48(%rsp)
	NEXT
fail:
	movq	-16(%rsp), %rsi
	movq	-24(%rsp), %rdx
	movq	-32(%rsp), %rcx
	movq	-40(%rsp), %r8
	movq	-48(%rsp), %r9
fail_unsaved:	/* no register has changed */
	movq	W_last(%r11), %r10
	jmp	*M_miss(%r10)
end:
	movq	W_last(%r11), %r10
	movq	W_cursor(%r11), %rsi
	movl	W_length(%r11), %eax
	movl	$0, (%rdi)
	movl	M_context(%r10), %ecx
	movl	%ecx, (%rsi)
	movq	%rdi, W_cursor(%r11)
	RETURN

end_piece:
	movq	W_last(%r11), %r10
	movq	W_cursor(%r11), %rsi
	movl	W_length(%r11), %eax
	movl	W_first(%r11), %edx
	movl	$0, (%rdi)
	movl	%edx, (%rsi)
	movq	%rdi, W_cursor(%r11)
	movl	streams_flushes(%rip), %ecx
	orl	M_stream(%r10), %ecx
	cmpl	%ecx, W_said_key(%r11)
	jne	fast_code_other_stream
	movq	%rdi, W_open(%r11)
	movl	M_context(%r10), %ecx
	movl	W_open_context(%r11), %esi
	cmpl	%ecx, %edx
	je	1f
	cmpl	%ecx, %esi
	jne	2f
	jmp	3f
1:	xorl	%esi, %esi	/* the first of its line */
2:	movl	%esi, W_other_context(%r11)
3:	movl	%ecx, W_open_context(%r11)
	addq	%rax, W_said(%r11)
	movq	W_idle(%r11), %rcx
	movq	%rcx, W_state(%r11)
	ret

/* A word of the stack into the register of an argument copied already. */
.macro LOAD number
load_\number:
	movq	8*\number+8(%rsp), %rsi
	NEXT
.endm
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	LOAD	\number
	.endr

/* `e` is the length of the text, unless the directive has a larger width. */
.macro WIDEN wide, e, scratch
	.if	\wide
	movq	STEP_argument(%r10), \scratch
	cmpl	A_least(\scratch), \e
	cmovbl	A_least(\scratch), \e
	.endif
.endm

.macro STEP_INT kind, wide, r, e, name
	.p2align 4
step_\kind\()_\wide\()_\name:
	movl	\e, (%rdi)
	DIGITS	\kind, \r, \e
	.ifc	\kind, signed
	btl	$31, (%rdi)
	adcl	$0, \e
	.endif
	WIDEN	\wide, \e, %rax
	addl	\e, W_length(%r11)
	addq	$4, %rdi
	NEXT
.endm

.macro STEP_LONG kind, wide, r, name
	.p2align 4
step_\kind\()_\wide\()_\name:
	movq	\r, (%rdi)
	.ifc	\kind, long
	movq	\r, %rax
	negq	%rax
	cmovnsq	%rax, \r
	.endif
	movq	\r, %rax
	orq	$1, %rax
	bsrq	%rax, %rax
	cmpq	W_powers(%r11,%rax,8), \r
	movzbl	W_exponents(%r11,%rax), %eax
	sbbl	$-1, %eax
	.ifc	\kind, long
	btl	$31, 4(%rdi)
	adcl	$0, %eax
	.endif
	WIDEN	\wide, %eax, \r
	addl	%eax, W_length(%r11)
	addq	$8, %rdi
	NEXT
.endm

.macro STEP_CHARACTER wide, e, name
step_character_\wide\()_\name:
	movl	\e, (%rdi)
	addq	$4, %rdi
	NEXT
.endm

/*
 * What is copied beyond the end are zeros.  No byte is read that is not in the
 * page of one of the string's.
 */
.macro STEP_STRING wide, r, e, name
	.p2align 4
step_string_\wide\()_\name:
	testq	\r, \r
	jz	fail
	movq	STEP_argument(%r10), %rax
	cmpq	A_constant(%rax), \r
	je	.Lconstant\@
	movl	\e, %eax
	andl	$4095, %eax
	cmpl	$4096-16, %eax
	ja	fail
	movdqu	(\r), %xmm9
	pxor	%xmm8, %xmm8
	pcmpeqb	%xmm9, %xmm8
	pmovmskb %xmm8, %eax
	testl	%eax, %eax
	jz	.Llong\@
	bsfl	%eax, %eax
	leaq	masks+16(%rip), \r
	subq	%rax, \r
	movdqu	(\r), %xmm8
	pand	%xmm8, %xmm9
	movdqu	%xmm9, 4(%rdi)
	movl	%eax, (%rdi)
	leaq	7(%rdi,%rax), %rdi
	andq	$-4, %rdi
.Lsum\@:
	WIDEN	\wide, %eax, \r
	addl	%eax, W_length(%r11)
	NEXT
.Lconstant\@:
	movl	A_constant_id(%rax), \e
	orl	$STRING_ID, \e
	movl	\e, (%rdi)
	movl	A_constant_bytes(%rax), %eax
	addq	$4, %rdi
	jmp	.Lsum\@
.Llong\@:	/* the rest by aligned blocks, rdi going along */
	movdqu	%xmm9, 4(%rdi)
	movq	%rdi, -56(%rsp)
	movl	\e, %eax
	andl	$15, %eax
	subq	%rax, \r
	subq	%rax, %rdi
.Lmore\@:
	addq	$16, \r
	addq	$16, %rdi
	cmpq	W_limit(%r11), %rdi
	ja	fail
	movdqa	(\r), %xmm9
	pxor	%xmm8, %xmm8
	pcmpeqb	%xmm9, %xmm8
	pmovmskb %xmm8, %eax
	testl	%eax, %eax
	jnz	.Llast\@
	movdqu	%xmm9, 4(%rdi)
	jmp	.Lmore\@
.Llast\@:
	bsfl	%eax, %eax
	leaq	masks+16(%rip), \r
	subq	%rax, \r
	movdqu	(\r), %xmm8
	pand	%xmm8, %xmm9
	movdqu	%xmm9, 4(%rdi)
	addq	%rdi, %rax
	movq	-56(%rsp), \r
	leaq	7(%rax), %rdi
	andq	$-4, %rdi
	subq	\r, %rax
	movl	%eax, (\r)
	jmp	.Lsum\@
.endm

/*
 * "%f", unless rounding may make one more digit, or there are many.  Without a
 * floating-point instruction, each of which may raise a flag or a signal.
 */
.macro STEP_FIXED number, name, fail
	.p2align 4
\name\()_\number:
	movq	%xmm\number, %rax
	movq	%rax, (%rdi)
	shrq	$52, %rax
	andl	$0x7ff, %eax	/* the exponent */
	cmpl	$1023+30, %eax
	ja	\fail
	negl	%eax
	addl	$1023+52, %eax	/* bits of the fraction */
	movd	%eax, %xmm9
	movdqa	%xmm\number, %xmm8
	pand	mantissa(%rip), %xmm8
	por	leading_one(%rip), %xmm8
	psrlq	%xmm9, %xmm8
	movq	%xmm8, %rax
	movq	%rax, -64(%rsp)
	leaq	1(%rax,%rax), %rax
	bsrq	%rax, %rax
	movq	W_digits(%r11,%rax,8), %rax
	addq	-64(%rsp), %rax
	cmpl	$-1, %eax
	je	\fail
	shrq	$32, %rax
	addl	%eax, W_length(%r11)
	movmskpd %xmm\number, %eax
	andl	$1, %eax
	addl	%eax, W_length(%r11)
	addq	$8, %rdi
	NEXT
.endm

.macro STEPS wide, r, e, name
	STEP_INT signed, \wide, \r, \e, \name
	STEP_INT unsigned, \wide, \r, \e, \name
	STEP_INT hex, \wide, \r, \e, \name
	STEP_LONG long, \wide, \r, \name
	STEP_LONG long_unsigned, \wide, \r, \name
	STEP_CHARACTER \wide, \e, \name
	STEP_STRING \wide, \r, \e, \name
.endm
	.irp	wide, 0, 1
	STEPS	\wide, %rsi, %esi, rsi
	STEPS	\wide, %rdx, %edx, rdx
	STEPS	\wide, %rcx, %ecx, rcx
	STEPS	\wide, %r8, %r8d, r8
	STEPS	\wide, %r9, %r9d, r9
	.endr
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	STEP_FIXED \number, step_fixed, fail
	STEP_FIXED \number, step_only_fixed, fail_unsaved
	.endr
	.cfi_endproc
	.size	fast_code_pieces, . - fast_code_pieces
