/* Record: syscall(). Calls that return twice on one stack, or on another stack, must not be made inside a C frame of the recorder:
 * vfork, clone, clone3 go straight to the kernel, as in the C library; all others are recorded.
 */
#if defined(__x86_64__)
	.text
	.globl syscall
	.type syscall, @function
syscall:
	.cfi_startproc
	cmpq $56, %rdi /* clone */
	je 1f
	cmpq $58, %rdi /* vfork */
	je 1f
	cmpq $435, %rdi /* clone3 */
	je 1f
	jmp syscall_recorded@PLT
1:
	movq %rdi, %rax
	movq %rsi, %rdi
	movq %rdx, %rsi
	movq %rcx, %rdx
	movq %r8, %r10
	movq %r9, %r8
	movq 8(%rsp), %r9
	syscall
	cmpq $-4095, %rax
	jae 2f
	ret
2:
	movq %rax, %rdi
	jmp syscall_failed@PLT
	.cfi_endproc
	.size syscall, .-syscall
	.section .note.GNU-stack, "", @progbits
#else
#error "syscall is written for x86-64 so far"
#endif
