/* Record: a thread of the recorder with its own descriptor table, for one piece of work. See detached.h.
 *
 * long detached_thread(void (*work)(void *), void *given): the caller sleeps until the work is done (CLONE_VFORK), so the work runs
 * below the caller's frame on the same stack, with the same thread-local storage. Returns -errno when no thread could be made; then
 * nothing was done.
 */
#if defined(__x86_64__)
	.text
	.globl detached_thread
	.hidden detached_thread
	.type detached_thread, @function
detached_thread:
	.cfi_startproc
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	pushq %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	movq %rdi, %rbx
	movq %rsi, %r12
	movl $0x54f00, %edi /* VM, FS, FILES, SIGHAND, VFORK, THREAD, SYSVSEM */
	leaq -256(%rsp), %rsi
	andq $-16, %rsi
	xorl %edx, %edx
	xorl %r10d, %r10d
	xorl %r8d, %r8d
	movl $56, %eax /* clone */
	syscall
	testq %rax, %rax
	je 1f
	popq %r12
	.cfi_adjust_cfa_offset -8
	popq %rbx
	.cfi_adjust_cfa_offset -8
	ret
1:
	.cfi_undefined %rip
	xorl %ebp, %ebp
	/* Leaves the shared table and closes all descriptors in one step: nothing is copied, so nothing is flushed either. */
	xorl %edi, %edi
	movl $-1, %esi
	movl $2, %edx /* CLOSE_RANGE_UNSHARE */
	movl $436, %eax /* close_range */
	syscall
	movq %r12, %rdi
	call *%rbx
	xorl %edi, %edi
	movl $60, %eax /* exit */
	syscall
	hlt
	.cfi_endproc
	.size detached_thread, .-detached_thread
	.section .note.GNU-stack, "", @progbits
#else
#error "detached_thread is written for x86-64 so far"
#endif
