/* Record: system calls that a program makes through syscall(), recorded like the functions of the same name. */
#ifndef RECORD_LIBC_DIRECT_H
#define RECORD_LIBC_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

/* The id of the call with this number; 0: none. */
uint16_t direct_id(long number);

/* Makes the system call and returns the result of syscall(). A call with a `direct` line in a table makes an inner record. */
long direct_call(long number, long a, long b, long c, long d, long e, long f);

/* process_end.c: exit_group, recorded as _exit(). */
void exit_expected(int status);

/* exec.c: exec by number, which has no `direct` line. Also called when nothing is recorded, because the new program needs an
 * environment in which it is traced. */
bool is_exec(long number);
long direct_exec(long number, long a, long b, long c, long d, long e);

#endif
