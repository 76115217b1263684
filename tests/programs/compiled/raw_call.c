/* For tests/cli/test_doctor.py and test_unseen.py, as a program and as a library: a system call instruction of its own.
 *
 * -DNUMBER=N: the system call, which Varve finds in the code. Nothing calls it in a library. */
long raw(void);

long raw(void)
{
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(NUMBER), "D"(3), "S"(0), "d"(0)
			 : "rcx", "r11", "memory");
	return result;
}

int main(void)
{
	return (unsigned long)raw() > -4096ul;
}
