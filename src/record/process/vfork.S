/* Record: vfork. A C function around the real one would return twice on the same stack, the second time into a frame that the child
 * has overwritten. Here the return address is kept in a register during the system call, as in the C library. C code is called only
 * before the system call, and once after it in child and parent each.
 */
#if defined(__x86_64__)
	.text
	.globl vfork
	.globl __vfork
	.type vfork, @function
	.type __vfork, @function
vfork:
__vfork:
	.cfi_startproc
	movq %rsp, %rdi
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call vfork_before@PLT
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	popq %rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %rdi
	movl $58, %eax
	syscall
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	movq %rax, %rdi
	jmp vfork_after@PLT
	.cfi_endproc
	.size vfork, .-vfork
	.size __vfork, .-__vfork
	.section .note.GNU-stack, "", @progbits
#else
#error "vfork is written for x86-64 so far"
#endif
