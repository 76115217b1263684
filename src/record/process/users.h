/* Record: processes of the run that change their user: who may still reach the run then.
 *
 * The lane folder and its control page are open to the user that began the run alone. A process that may still do so lets the
 * user in that it is about to become; where it may not, it takes lanes in reserve. Never opens anything to all.
 */
#ifndef RECORD_PROCESS_USERS_H
#define RECORD_PROCESS_USERS_H

#include <stdbool.h>
#include <stdint.h>

/* Lets that user make lanes and use the control page; false: it cannot be let in. */
bool user_admit(uint32_t user);

/* Whether the file's list of users names that one. */
bool user_admitted(const char *path, uint32_t user);

/* Whether the process has one of these capabilities, bits of the first 32, or may have it: that is not known. */
bool may_have(uint32_t capabilities);

/* Whether everybody may search the folders on the way to a file. */
bool way_open(const char *path);

#endif
