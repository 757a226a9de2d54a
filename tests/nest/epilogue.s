# Rows that begin an epilogue, as clang and rustc write them, in mid-function.
	.text
	.file 1 "epilogue.s"
	.globl main
	.type main, %function
main:
	.loc 1 10
	.rept 40
	nop
	.endr
	.loc 1 20 0 epilogue_begin
	.rept 40
	nop
	.endr
	.loc 1 30
	.rept 40
	nop
	.endr
	ret
	.size main, . - main
