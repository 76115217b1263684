/* Record: the environment that the program sees: as if we were not there.
 *
 * What brought us into the process (LD_PRELOAD, VARVE_RUN) is taken out before the program looks, and put into that of
 * each program that it starts (exec_environment.h). With --no-follow all is left as it is. docs/adr/0012.
 */
#ifndef RECORD_PROCESS_ENVIRONMENT_H
#define RECORD_PROCESS_ENVIRONMENT_H

/* At the start of the process. `library` is our name in LD_PRELOAD. */
void environment_hide(const char *library);

/* Instead of that, in a program with a runtime that makes its system calls itself: what it starts gets the environment as it is,
 * and is not looked at before. */
void environment_show(const char *library);

/* In a forked child, whose parent may have lent it in another thread. */
void environment_forked(void);

#endif
