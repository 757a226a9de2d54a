/*
 * Part of fast_x86_64.S: where its pieces are, for fast_code.c, as distances from
 * fast_code; and what the pieces look up themselves.
 */

	.section .rodata
	.p2align 4
mantissa:	/* of a double */
	.quad	(1 << 52) - 1, 0
leading_one:
	.quad	1 << 52, 0
masks:	/* from masks + 16 - n: n bytes of ones */
	.fill	16, 1, 255
	.fill	16, 1, 0

.macro TABLE name
	.p2align 2
	.globl	\name
	.hidden	\name
	.type	\name, @object
\name:
.endm
.macro PLACE label
	.long	\label - fast_code
.endm
.macro PLACE_INTS named, first, second
	PLACE	ints_\named\()_\first\()_\second
.endm
.macro PLACE_STEP kind, wide, name
	PLACE	step_\kind\()_\wide\()_\name
.endm
.macro WAY entry
	PLACE	miss_\entry
	PLACE	check_fp_\entry
	PLACE	words_\entry
.endm
.macro WAYS entry
	WAY	\entry
	PLACE	check_fp_piece_\entry
	PLACE	words_piece_\entry
.endm

TABLE fast_code_ways
	.fill	5, 4, 0
	.irp	entry, ENTRY_PRINTF, ENTRY_FPRINTF, ENTRY_PRINTF_CHK, ENTRY_FPRINTF_CHK
	WAYS	\entry
	.endr
	.irp	entry, ENTRY_PUTS, ENTRY_FPUTS, ENTRY_FPUTS_UNLOCKED, ENTRY_FWRITE, \
		ENTRY_FWRITE_UNLOCKED
	WAY	\entry
	.long	0, 0
	.endr
TABLE fast_code_word_bytes
	.long	WORD_BYTES
TABLE fast_code_ints
	.irp	named, 1, 2, 3
	PLACE_INTS \named, nothing, nothing
	.long	0, 0, 0
	.irp	first, signed, unsigned, hex
	.irp	second, nothing, signed, unsigned, hex
	PLACE_INTS \named, \first, \second
	.endr
	.endr
	.endr
TABLE fast_code_steps
	.fill	10, 4, 0
	.irp	kind, signed, unsigned, hex, long, long_unsigned, character, string
	.irp	wide, 0, 1
	.irp	name, rsi, rdx, rcx, r8, r9
	PLACE_STEP \kind, \wide, \name
	.endr
	.endr
	.endr
TABLE fast_code_floats
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	PLACE	step_fixed_\number
	.endr
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	PLACE	step_only_fixed_\number
	.endr
TABLE fast_code_loads
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	PLACE	load_\number
	.endr
TABLE fast_code_begin
	PLACE	begin
TABLE fast_code_save
	PLACE	save
TABLE fast_code_end
	PLACE	end
	PLACE	end_piece
