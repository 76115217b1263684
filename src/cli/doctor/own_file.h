/* Command line: opens files and folders in places where every user can create files, such as /tmp and /dev/shm.
 *
 * Opens only files and folders of the effective user, also for root. Never follows a symbolic link at the end of a path,
 * never blocks on a FIFO.
 */
#ifndef CLI_DOCTOR_OWN_FILE_H
#define CLI_DOCTOR_OWN_FILE_H

#include <sys/stat.h>

/* Opens a regular file with a single name for reading; -1: it is not such a file, or see errno. `*found` is its state when
 * it was opened. */
int own_file_open(int folder, const char *name, struct stat *found);

/* Opens a folder; -1 as above. */
int own_folder_open(const char *path);

#endif
