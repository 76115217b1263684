/* Command line: opens files and folders in places where anybody can create some, such as /tmp and /dev/shm.
 *
 * Opens only what belongs to the effective user, also for root. Never follows a symbolic link at the end of a path, never blocks on
 * a FIFO.
 */
#ifndef CLI_DOCTOR_OWN_FILE_H
#define CLI_DOCTOR_OWN_FILE_H

#include <sys/stat.h>

/* A regular file with one name, for reading; -1: it is none, or errno says why. `*found` is what it was when it was opened. */
int own_file_open(int folder, const char *name, struct stat *found);

/* A folder; -1 likewise. */
int own_folder_open(const char *path);

#endif
