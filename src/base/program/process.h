/* Base: which process is which: start time, boot, pid namespace, and whether one is still there.
 *
 * Raw system calls only: used inside traced programs and by readers alike.
 */
#ifndef BASE_PROGRAM_PROCESS_H
#define BASE_PROGRAM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start time of a process in clock ticks since boot (field 22 of its stat file); 0 when it is not there. `parent` may be
 * NULL. `zombie` is set when it has ended and only waits to be reaped. */
uint64_t process_start(int pid, int *parent, bool *zombie);

/* The same of the calling process, whose number in /proc (`*seen`) is another than its own when it is in a pid namespace
 * below that of /proc; parent as in /proc. */
uint64_t process_start_own(int *seen, int *parent);

/* The id of this boot; zeroes when the kernel has none. */
void process_boot_id(uint8_t boot_id[16]);

/* Inode of our pid namespace, 0 when unknown. */
uint64_t process_namespace(void);

/* Inode of our user namespace, 0 when unknown. */
uint64_t process_user_namespace(void);

/* Whether that process still runs. A process of another boot does not. One in another pid namespace is looked for in /proc,
 * when that shows all namespaces of the run: ours is that of the run's beginning (`run_namespace`), or that of the whole
 * machine. Otherwise nothing is known: `*unsure` is set and the answer is true. */
bool process_alive(int pid, uint64_t start, const uint8_t boot_id[16], uint64_t pid_namespace,
		   uint64_t run_namespace, bool *unsure);

#endif
