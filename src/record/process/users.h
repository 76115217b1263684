/* Record: processes of the run that change their user, and how they keep access to the run.
 *
 * Only the user that began the run can use the lane folder and its control page. Before a process becomes another user, it admits
 * that user, if it may; otherwise it makes lanes in reserve. Access is never given to all users.
 */
#ifndef RECORD_PROCESS_USERS_H
#define RECORD_PROCESS_USERS_H

#include <stdbool.h>
#include <stdint.h>

/* Allows that user to make lanes and use the control page; false: not possible. */
bool user_admit(uint32_t user);

/* Whether the file's access list has that user. */
bool user_admitted(const char *path, uint32_t user);

/* Whether the process has one of these capabilities (bits of the first 32); also true when that is not known. */
bool may_have(uint32_t capabilities);

/* Whether all users may search the folders on the path to a file. */
bool way_open(const char *path);

#endif
