/* flags: -pthread
 * A rank that ends in the given way, and logs each call that has returned: a line in log.RANK (of a thread: log.RANK.THREAD),
 * which is in the file before anything else is done.
 *
 *	ends kill | abort | exit | _exit | around | threads
 *
 * kill, abort: rank 1, while the others work until they are killed. exit, _exit: without MPI_Finalize.
 * around: files and MPI before MPI_Init and after MPI_Finalize. threads: four, all in MPI at the same time.
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STEPS = 40, FURTHER = 20000, THREADS = 4, VICTIM = 1, CODE = 7, BLOCK = 16 };

static int rank, size;
static __thread int record = -1;
static char block[BLOCK] = "fifteen letters";

static void log_open(const char *name)
{
	char line[64];
	record = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
	int length = snprintf(line, sizeof line, "{\"tid\":%ld}\n", syscall(SYS_gettid));
	if (write(record, line, (size_t)length) != length)
		_exit(99);
}

/* Writes a returned call: {"function": NAME, "args": {FIELDS}}; FIELDS with ' for ". */
static void done(int result, const char *name, const char *fields, ...)
{
	char line[512];
	int length = snprintf(line, sizeof line, "{\"function\":\"%s\",\"args\":{", name);
	va_list list;
	va_start(list, fields);
	length += vsnprintf(line + length, sizeof line - (size_t)length, fields, list);
	va_end(list);
	length += snprintf(line + length, sizeof line - (size_t)length, "}}\n");
	for (char *at = line; *at; at++)
		if (*at == '\'')
			*at = '"';
	if (result != MPI_SUCCESS || write(record, line, (size_t)length) != length)
		_exit(98);
}

static int rank_given(void)
{
	const char *text = getenv("PMIX_RANK") ? getenv("PMIX_RANK") : getenv("PMI_RANK");
	return text ? atoi(text) : 0;
}

static void ask_size(void)
{
	int result = MPI_Comm_size(MPI_COMM_WORLD, &size);
	done(result, "MPI_Comm_size", "'size':%d", size);
}

static void begin(void)
{
	done(MPI_Init(NULL, NULL), "MPI_Init", "'rank':%d", rank);
	ask_size();
}

static void write_block(MPI_File file, int at)
{
	MPI_Offset offset = (MPI_Offset)at * BLOCK;
	done(MPI_File_write_at(file, offset, block, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE),
	     "MPI_File_write_at", "'offset':%lld,'count':%d,'bytes':%d", (long long)offset, BLOCK,
	     BLOCK);
}

/* To the next rank, from the one before. */
static void pass_on(int tag)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size, given = tag, taken = -1;
	done(MPI_Sendrecv(&given, 1, MPI_INT, to, tag, &taken, 1, MPI_INT, from, tag,
			  MPI_COMM_WORLD, MPI_STATUS_IGNORE),
	     "MPI_Sendrecv", "'dest':'%d','sendtag':'%d','source':'%d','bytes':8", to, tag, from);
	if (taken != tag)
		_exit(97);
}

static MPI_File own_file(const char *kind, int number)
{
	char name[64];
	MPI_File file;
	snprintf(name, sizeof name, "%s.%d.%d", kind, rank, number);
	done(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
			   &file),
	     "MPI_File_open", "'filename':'%s'", name);
	return file;
}

static void file_close(MPI_File *file)
{
	done(MPI_File_close(file), "MPI_File_close", "");
}

static void work(MPI_File file)
{
	for (int i = 0; i < STEPS; i++) {
		write_block(file, i);
		pass_on(i);
	}
}

/* The others do not wait for the rank that ends: they are in the middle of their work when they are ended. */
static void work_until_killed(MPI_File file)
{
	for (int i = STEPS; i < FURTHER; i++) {
		write_block(file, i);
		usleep(200);
	}
	pause();
}

static void plain_file(const char *kind)
{
	char name[64];
	snprintf(name, sizeof name, "%s.%d", kind, rank);
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
	for (int i = 0; i < STEPS; i++)
		if (pwrite(fd, block, BLOCK, (off_t)i * BLOCK) != BLOCK)
			_exit(96);
	close(fd);
}

static void around(void)
{
	int flag;
	plain_file("before");
	done(MPI_Initialized(&flag), "MPI_Initialized", "'flag':0");
	begin();
	MPI_File file = own_file("file", 0);
	work(file);
	file_close(&file);
	done(MPI_Finalize(), "MPI_Finalize", "");
	done(MPI_Finalized(&flag), "MPI_Finalized", "'flag':1");
	plain_file("after");
}

static MPI_File files[THREADS];
static int threads[THREADS];

static void *thread_work(void *given)
{
	int number = *(const int *)given;
	char name[64];
	snprintf(name, sizeof name, "log.%d.%d", rank, number + 1);
	log_open(name);
	for (int i = 0; i < STEPS; i++) {
		write_block(files[number], i);
		pass_on(number * 1000 + i);
	}
	return NULL;
}

static int threads_work(void)
{
	int provided;
	pthread_t all[THREADS];
	done(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread",
	     "'rank':%d", rank);
	ask_size();
	if (provided < MPI_THREAD_MULTIPLE)
		return 77;
	for (int i = 0; i < THREADS; i++) {
		threads[i] = i;
		files[i] = own_file("file", i);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, thread_work, &threads[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i < THREADS; i++)
		file_close(&files[i]);
	done(MPI_Finalize(), "MPI_Finalize", "");
	return 0;
}

int main(int count, char **words)
{
	const char *end = count > 1 ? words[1] : "";
	char name[64];
	rank = rank_given();
	snprintf(name, sizeof name, "log.%d", rank);
	log_open(name);
	if (!strcmp(end, "threads"))
		return threads_work();
	if (!strcmp(end, "around")) {
		around();
		return 0;
	}
	begin();
	MPI_File file = own_file("file", 0);
	work(file);
	if (!strcmp(end, "exit"))
		exit(CODE);
	if (!strcmp(end, "_exit"))
		_exit(CODE);
	if (rank == VICTIM && !strcmp(end, "kill"))
		raise(SIGKILL);
	if (rank == VICTIM && !strcmp(end, "abort"))
		MPI_Abort(MPI_COMM_WORLD, CODE);
	work_until_killed(file);
	return 95;
}
