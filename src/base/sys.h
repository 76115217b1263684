/* Base: raw system calls, for code that runs inside traced programs.
 *
 * They bypass the C library: no intercepted function is called, `errno` is never changed, no lock is taken, and there is no
 * cancellation point. Each returns the kernel's result: -errno on failure.
 */
#ifndef BASE_SYS_H
#define BASE_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__clang_analyzer__)
/* The analyzer of clang-tidy assumes that an instruction writes no memory. It assumes that an external function may write to
 * every address that it gets, as the kernel does. */
long sys6(long number, long a, long b, long c, long d, long e, long f);
#elif defined(__x86_64__)
static inline long sys6(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long sys6(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "the system calls are defined only for x86-64 and AArch64"
#endif

static inline long sys_address(const void *pointer)
{
	return (long)(uintptr_t)pointer;
}

static inline int sys_open(const char *path, int flags, mode_t mode)
{
	return (int)sys6(SYS_openat, AT_FDCWD, sys_address(path), flags | O_CLOEXEC, (long)mode, 0,
			 0);
}

static inline int sys_close(int fd)
{
	return (int)sys6(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long sys_read(int fd, void *bytes, size_t count)
{
	return sys6(SYS_read, fd, sys_address(bytes), (long)count, 0, 0, 0);
}

static inline long sys_pread(int fd, void *bytes, size_t count, uint64_t offset)
{
	return sys6(SYS_pread64, fd, sys_address(bytes), (long)count, (long)offset, 0, 0);
}

static inline long sys_pwrite(int fd, const void *bytes, size_t count, uint64_t offset)
{
	return sys6(SYS_pwrite64, fd, sys_address(bytes), (long)count, (long)offset, 0, 0);
}

static inline int sys_fstat(int fd, struct stat *found)
{
	return (int)sys6(SYS_fstat, fd, sys_address(found), 0, 0, 0, 0);
}

static inline int sys_stat(const char *path, struct stat *found)
{
	return (int)sys6(SYS_newfstatat, AT_FDCWD, sys_address(path), sys_address(found), 0, 0, 0);
}

static inline long sys_readlink(const char *path, char *text, size_t room)
{
	return sys6(SYS_readlinkat, AT_FDCWD, sys_address(path), sys_address(text), (long)room, 0,
		    0);
}

static inline int sys_mkdir(const char *path, mode_t mode)
{
	return (int)sys6(SYS_mkdirat, AT_FDCWD, sys_address(path), (long)mode, 0, 0, 0);
}

static inline int sys_unlink(const char *path)
{
	return (int)sys6(SYS_unlinkat, AT_FDCWD, sys_address(path), 0, 0, 0, 0);
}

static inline int sys_rmdir(const char *path)
{
	return (int)sys6(SYS_unlinkat, AT_FDCWD, sys_address(path), AT_REMOVEDIR, 0, 0, 0);
}

static inline int sys_rename(const char *from, const char *to)
{
	return (int)sys6(SYS_renameat2, AT_FDCWD, sys_address(from), AT_FDCWD, sys_address(to), 0,
			 0);
}

static inline int sys_access(const char *path, int mode)
{
	return (int)sys6(SYS_faccessat, AT_FDCWD, sys_address(path), mode, 0, 0, 0);
}

/* Whether a file may grow to this size: exceeding the limit would raise a signal in the program. */
static inline int sys_size_allowed(uint64_t size)
{
	uint64_t limit[2];
	return sys6(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, sys_address(limit), 0, 0) != 0 ||
	       size <= limit[0];
}

static inline int sys_fallocate(int fd, uint64_t offset, uint64_t length)
{
	if (!sys_size_allowed(offset + length))
		return -EFBIG;
	return (int)sys6(SYS_fallocate, fd, 0, (long)offset, (long)length, 0, 0);
}

static inline int sys_ftruncate(int fd, uint64_t length)
{
	return (int)sys6(SYS_ftruncate, fd, (long)length, 0, 0, 0, 0);
}

static inline int sys_fsync(int fd)
{
	return (int)sys6(SYS_fsync, fd, 0, 0, 0, 0, 0);
}

static inline int sys_fcntl(int fd, int command, long argument)
{
	return (int)sys6(SYS_fcntl, fd, command, argument, 0, 0, 0);
}

static inline int sys_flock(int fd, int how)
{
	return (int)sys6(SYS_flock, fd, how, 0, 0, 0, 0);
}

static inline long sys_getdents(int fd, void *bytes, size_t room)
{
	return sys6(SYS_getdents64, fd, sys_address(bytes), (long)room, 0, 0, 0);
}

/* NULL on failure; `*error` is set to the reason, unless `error` is NULL. */
static inline void *sys_mmap(void *where, size_t size, int protection, int flags, int fd,
			     uint64_t offset, int *error)
{
	long result =
		sys6(SYS_mmap, sys_address(where), (long)size, protection, flags, fd, (long)offset);
	if (error)
		*error = result < 0 && result > -4096 ? (int)-result : 0;
	return result < 0 && result > -4096 ? NULL : (void *)(uintptr_t)result;
}

/* Zeroed private memory from the kernel, not from a heap. */
static inline void *sys_memory(size_t size)
{
	return sys_mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, NULL);
}

static inline int sys_munmap(void *where, size_t size)
{
	return (int)sys6(SYS_munmap, sys_address(where), (long)size, 0, 0, 0, 0);
}

static inline int sys_madvise(void *where, size_t size, int advice)
{
	return (int)sys6(SYS_madvise, sys_address(where), (long)size, advice, 0, 0, 0);
}

static inline int sys_getpid(void)
{
	return (int)sys6(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int sys_gettid(void)
{
	return (int)sys6(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline int sys_tgkill(int pid, int tid, int signal)
{
	return (int)sys6(SYS_tgkill, pid, tid, signal, 0, 0, 0);
}

/* Signal sets in the kernel's form: 64 bits. */
static inline int sys_sigmask(int how, const uint64_t *set, uint64_t *old)
{
	return (int)sys6(SYS_rt_sigprocmask, how, sys_address(set), sys_address(old), sizeof *set,
			 0, 0);
}

static inline int sys_sigtake(const uint64_t *set, const struct timespec *wait)
{
	return (int)sys6(SYS_rt_sigtimedwait, sys_address(set), 0, sys_address(wait), sizeof *set,
			 0, 0);
}

static inline int sys_sigpending(uint64_t *set)
{
	return (int)sys6(SYS_rt_sigpending, sys_address(set), sizeof *set, 0, 0, 0, 0);
}

#endif
