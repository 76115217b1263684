/* Record: how calls change the recorder's tables: hooks before and after the real function, by op of the row.
 *
 * Hooks are the recorder's own work: the thread is busy, and only raw system calls are made. `after` hooks have the result; a
 * failed call changes none of these tables. `begun` and `returned` hooks run right around the real function, while the thread is
 * not busy: they make records inside the open one (inner.h).
 */
#ifndef RECORD_OPS_H
#define RECORD_OPS_H

#include "record/recorder.h"

#include <dirent.h>
#include <stdio.h>

/* The arguments of a call that hooks use, by meaning; a row fills in those that it has. */
struct op {
	int fd;
	int dirfd;
	const char *path;
	struct name_place place; /* of `path` */
	long flags;
	long cmd;
	FILE *stream;
	DIR *dir;
	void *walk;
	void *buf;
	unsigned first;
	unsigned last;
	const void *items; /* a list, or an address */
	long number;	   /* of items, or length at the address */
	int64_t result;
	bool failed;
	bool hidden; /* the call leaves no record: hooks define nothing */
	int error;
	int fds[2];
	uint32_t handle; /* the new handle that the call made, for its record */
};

/* files.c: descriptors and names */
void after_open(struct thread *self, struct op *op);
void before_close(struct thread *self, struct op *op);
void before_close_range(struct thread *self, struct op *op);
void after_dup(struct thread *self, struct op *op);
void begun_fcntl(const struct op *op);
void returned_fcntl(const struct op *op);
void after_fcntl(struct thread *self, struct op *op);
void after_pipe(struct thread *self, struct op *op);
void after_stat_fd(struct thread *self, struct op *op);
void after_stat_path(struct thread *self, struct op *op);
void after_statx(struct thread *self, struct op *op);
void after_unlink(struct thread *self, struct op *op);
void after_map(struct thread *self, struct op *op);
void after_unmap(struct thread *self, struct op *op);
void before_unload(struct thread *self, struct op *op); /* loaded_objects.c */
void after_unload(struct thread *self, struct op *op);
void after_chdir(struct thread *self, struct op *op);

/* streams.c: FILE and DIR */
void after_fopen(struct thread *self, struct op *op);
void after_fdopen(struct thread *self, struct op *op);
void before_fclose(struct thread *self, struct op *op);
void after_popen(struct thread *self, struct op *op);
void after_opendir(struct thread *self, struct op *op);
void after_fdopendir(struct thread *self, struct op *op);
void before_closedir(struct thread *self, struct op *op);

/* environment.c: around functions that start a shell with the program's own environment: popen, system, wordexp. The environment is
 * restored even when the record is lost meanwhile. */
void shell_begin(void);
void shell_end(void);
/* For calls that started shells and were left by longjmp, and for a thread that ends inside them. */
void shell_left(void);

/* sockets.c */
void after_socket(struct thread *self, struct op *op);
void after_socket_pair(struct thread *self, struct op *op);
void after_socket_accept(struct thread *self, struct op *op);
void after_socket_other(struct thread *self, struct op *op);
void after_bind(struct thread *self, struct op *op);
void after_bind_port(struct thread *self, struct op *op);
void after_connect(struct thread *self, struct op *op);
void returned_send_message(const struct op *op);
void returned_send_messages(const struct op *op);
void returned_receive_message(const struct op *op);
void returned_receive_messages(const struct op *op);

/* events.c: epoll, eventfd, timerfd, signalfd */
void after_open_events(struct thread *self, struct op *op);
void after_open_signals(struct thread *self, struct op *op);

/* aio.c: requests of the C library and of libaio */
void after_aio_done(struct thread *self, struct op *op);
void begun_aio_list(const struct op *op);
void begun_submit(const struct op *op);
void returned_reap(const struct op *op);
void returned_cancel(const struct op *op);

/* ring_calls.c: io_uring */
void after_ring_open(struct thread *self, struct op *op);
void after_ring_setup(struct thread *self, struct op *op);
void before_ring_close(struct thread *self, struct op *op);
void begun_ring_close(const struct op *op);
void begun_ring_submit(const struct op *op);
void returned_ring_submit(const struct op *op);
void returned_ring_reap(const struct op *op);
void begun_ring_enter(const struct op *op);
void returned_ring_enter(const struct op *op);
void after_ring_files(struct thread *self, struct op *op);
void after_ring_files_update(struct thread *self, struct op *op);
void after_ring_files_gone(struct thread *self, struct op *op);
void after_ring_register(struct thread *self, struct op *op);

/* system.c: descriptors that are not files, terminals, walks, roots */
void after_make(struct thread *self, struct op *op);
void after_ioctl(struct thread *self, struct op *op);
void after_login_tty(struct thread *self, struct op *op);
void after_chroot(struct thread *self, struct op *op);
void before_expand(struct thread *self, struct op *op);
void after_fts_open(struct thread *self, struct op *op);
void before_fts_close(struct thread *self, struct op *op);

/* users.c */
void before_user(struct thread *self, struct op *op);
void before_root(struct thread *self, struct op *op);

/* files.c: records in the tables a descriptor opened by a path relative to the folder `dirfd`; used for streams and folders,
 * too. */
uint32_t opened(struct thread *self, int fd, int dirfd, const char *path, struct name_place place,
		long flags);

#endif
