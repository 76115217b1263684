/* Record: the environment that the program sees, which is the same as without Varve.
 *
 * The variables that load the recorder (LD_PRELOAD, VARVE_RUN) are removed before the program reads its environment, and added to
 * that of each program that it starts (exec_environment.h). With --no-follow nothing is changed. docs/adr/0012.
 */
#ifndef RECORD_PROCESS_ENVIRONMENT_H
#define RECORD_PROCESS_ENVIRONMENT_H

/* At the start of the process. `library` is the recorder's path in LD_PRELOAD. */
void environment_hide(const char *library);

/* Instead of environment_hide(), in a program with a runtime that makes its own system calls: programs that it starts inherit its
 * environment, and are not checked before they start. */
void environment_show(const char *library);

/* In a forked child; another thread of its parent may have lent the environment. */
void environment_forked(void);

#endif
