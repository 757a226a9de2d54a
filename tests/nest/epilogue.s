# Rows that begin an epilogue, as clang and rustc write them, in mid-function;
# close to each other, so that each is one special opcode of the line program.
	.text
	.file 1 "epilogue.s"
	.globl main
	.type main, %function
main:
	.rept 30
	.loc 1 10
	nop
	.loc 1 12 0 epilogue_begin
	nop
	nop
	.loc 1 14
	nop
	.endr
	ret
	.size main, . - main
	.section .note.GNU-stack, "", %progbits
