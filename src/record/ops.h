/* Record: what calls mean for what the recorder knows: hooks before and after the real function, by op of the row.
 *
 * Hooks run as our own work: guard closed, raw system calls only. `after` hooks see the result; a failed call changes
 * nothing that they know.
 */
#ifndef RECORD_OPS_H
#define RECORD_OPS_H

#include "record/state.h"

#include <dirent.h>
#include <stdio.h>

/* Arguments of a call by their meaning, those that hooks look at; a row fills in those that it has. */
struct op {
	int fd;
	int dirfd;
	const char *path;
	struct name_place place; /* of `path` */
	long flags;
	long cmd;
	FILE *stream;
	DIR *dir;
	void *buf;
	unsigned first;
	unsigned last;
	int64_t result;
	bool failed;
	bool hidden; /* the call leaves no record: nothing is defined for it */
	int fds[2];
	uint32_t handle; /* the handle that the call made, for its record */
};

/* ops_file.c: descriptors and names */
void after_open(struct thread *self, struct op *op);
void before_close(struct thread *self, struct op *op);
void before_close_range(struct thread *self, struct op *op);
void after_dup(struct thread *self, struct op *op);
void after_fcntl(struct thread *self, struct op *op);
void after_pipe(struct thread *self, struct op *op);
void after_stat_fd(struct thread *self, struct op *op);
void after_stat_path(struct thread *self, struct op *op);
void after_statx(struct thread *self, struct op *op);
void after_unlink(struct thread *self, struct op *op);
void after_map(struct thread *self, struct op *op);
void after_unmap(struct thread *self, struct op *op);
void before_unload(struct thread *self, struct op *op); /* objects.c */
void after_unload(struct thread *self, struct op *op);
void after_chdir(struct thread *self, struct op *op);

/* ops_stream.c: FILE and DIR */
void after_fopen(struct thread *self, struct op *op);
void after_fdopen(struct thread *self, struct op *op);
void before_fclose(struct thread *self, struct op *op);
void after_popen(struct thread *self, struct op *op);
void after_opendir(struct thread *self, struct op *op);
void after_fdopendir(struct thread *self, struct op *op);
void before_closedir(struct thread *self, struct op *op);

/* environment.c: around what starts a shell with the program's environment as it is: popen, system, wordexp. Even when the
 * record is lost meanwhile, the environment comes back. */
void shell_begin(void);
void shell_end(void);

/* ops_file.c: a descriptor got by a path, for streams and folders too. */
uint32_t opened(struct thread *self, int fd, const char *path, struct name_place place, long flags);

#endif
