/* Base: identifying processes: start time, boot, pid namespace, and whether a process still exists.
 *
 * Raw system calls only: used inside traced programs and by readers.
 */
#ifndef BASE_PROGRAM_PROCESS_H
#define BASE_PROGRAM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start time of a process in clock ticks since boot (field 22 of its stat file); 0 if there is no such process. `parent` may be
 * NULL. `zombie` is set if the process has ended and only waits to be reaped. */
uint64_t process_start(int pid, int *parent, bool *zombie);

/* The same for the calling process. `*seen` is its number in /proc, which differs from its own if it is in a pid namespace
 * inside that of /proc. `*parent` is the parent's number in /proc. */
uint64_t process_start_own(int *seen, int *parent);

/* The id of this boot; zeros if the kernel has none. */
void process_boot_id(uint8_t boot_id[16]);

/* Inode of our pid namespace, 0 if unknown. */
uint64_t process_namespace(void);

/* Inode of our user namespace, 0 if unknown. */
uint64_t process_user_namespace(void);

/* Whether a process still runs. A process of another boot does not. A process of another pid namespace is searched in /proc, if
 * our /proc shows all namespaces of the run, that is, if our namespace is the one in which the run began (`run_namespace`) or
 * the initial one of the machine. Otherwise the answer is unknown: `*unsure` is set, and true returned. */
bool process_alive(int pid, uint64_t start, const uint8_t boot_id[16], uint64_t pid_namespace,
		   uint64_t run_namespace, bool *unsure);

#endif
