/* Base: the entries of a folder, by raw system calls. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

/* Calls `see` for every name in the folder, including `.` and `..`. Returns 0, or -errno if the folder cannot be read. */
int folder_list(const char *path, void (*see)(void *context, const char *name), void *context);

#endif
