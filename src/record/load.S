/* Record: dlopen and dlmopen. The C library looks at the address that they return to: the object there decides where a
 * library is searched for (RUNPATH, $ORIGIN) and into which namespace it is loaded. So there may be no frame of ours in
 * between: the call is noted, then passed on by a jump, and it returns to the program.
 */
#if defined(__x86_64__)
	.text
	.globl dlopen
	.type dlopen, @function
dlopen:
	.cfi_startproc
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	pushq %rsi
	.cfi_adjust_cfa_offset 8
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call dlopen_noted@PLT
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	popq %rsi
	.cfi_adjust_cfa_offset -8
	popq %rdi
	.cfi_adjust_cfa_offset -8
	jmp *%rax
	.cfi_endproc
	.size dlopen, .-dlopen

	.globl dlmopen
	.type dlmopen, @function
dlmopen:
	.cfi_startproc
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	pushq %rsi
	.cfi_adjust_cfa_offset 8
	pushq %rdx
	.cfi_adjust_cfa_offset 8
	call dlmopen_noted@PLT
	popq %rdx
	.cfi_adjust_cfa_offset -8
	popq %rsi
	.cfi_adjust_cfa_offset -8
	popq %rdi
	.cfi_adjust_cfa_offset -8
	jmp *%rax
	.cfi_endproc
	.size dlmopen, .-dlmopen
	.section .note.GNU-stack, "", @progbits
#else
#error "dlopen is written for x86-64 so far"
#endif
