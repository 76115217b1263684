/* Record: system calls that a program makes through syscall(), recorded as the calls that they are. */
#ifndef RECORD_LIBC_DIRECT_H
#define RECORD_LIBC_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

/* The id of the call that it is; 0: of none. */
uint16_t direct_id(long number);

/* What syscall() answers. Those that a table has a `direct` line for make a record inside the one that is open. */
long direct_call(long number, long a, long b, long c, long d, long e, long f);

/* process_end.c: exit_group, as the _exit() that it is. */
void exit_expected(int status);

/* exec.c: the same for exec, which has no such line; also where nothing is recorded, because the environment must
 * be one in which the new program is traced. */
bool is_exec(long number);
long direct_exec(long number, long a, long b, long c, long d, long e);

#endif
