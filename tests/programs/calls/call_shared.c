/* Calls: shared memory, message queues, semaphores that are files, and pages of a mapping out of order. See
 * tests/calls/call.h.
 */
#include "../../calls/call.h"

#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <time.h>

mqd_t __mq_open_2(const char *, int);

static const char *name;
static mqd_t queue;
static long memory;
static void *address;

static void getting(const struct variant *variant)
{
	int (*call_it)(key_t, size_t, int) = use("shmget", variant);
	memory = TRY(call_it(IPC_PRIVATE, 8192, IPC_CREAT | 0600));
	line_number("key=0x0, size=8192, flags=IPC_CREAT|0x180");
	TRY(call_it((key_t)0x81234567, 8192, 0));
	line("key=0x81234567, size=8192, flags=0");
	TRY(call_it(IPC_PRIVATE, 0, IPC_CREAT | IPC_EXCL));
	line("key=0x0, size=0, flags=IPC_CREAT|IPC_EXCL");
}

static void attaching(const struct variant *variant)
{
	void *(*call_it)(int, const void *, int) = use("shmat", variant);
	address = (void *)TRY(call_it((int)memory, NULL, 0));
	say("shmat %d, errno %s", address != (void *)-1, said_errno());
	expect_as(" = NULL", "id=%ld, addr=NULL, flags=0", memory);
	TRY(call_it(-1, NULL, SHM_RDONLY));
	line_as(" = 0xffffffffffffffff EINVAL", "id=-1, addr=NULL, flags=SHM_RDONLY");
}

static void detaching(const struct variant *variant)
{
	int (*call_it)(const void *) = use("shmdt", variant);
	TRY(call_it(address));
	line("addr=NULL");
	TRY(call_it(address));
	line("addr=NULL");
}

static void controlling(const struct variant *variant)
{
	int (*call_it)(int, int, struct shmid_ds *) = use("shmctl", variant);
	struct shmid_ds found;
	TRY(call_it((int)memory, IPC_STAT, &found));
	line("id=%ld, cmd=IPC_STAT", memory);
	say("  %zu", found.shm_segsz);
	TRY(call_it((int)memory, IPC_RMID, NULL));
	line("id=%ld, cmd=IPC_RMID", memory);
	TRY(call_it(-1, 99, NULL));
	line("id=-1, cmd=99");
}

static void remapping(const struct variant *variant)
{
	int (*call_it)(void *, size_t, int, size_t, int) = use("remap_file_pages", variant);
	raw(SYS_truncate, (long)"data", 8192, 0, 0);
	int file = open_fd("data", O_RDWR, "O_RDWR");
	char *(*map)(void *, size_t, int, int, int, off_t) =
		use("mmap", &(struct variant)LINKED(mmap));
	char *pages = (char *)TRY(map(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
	expect_as(" = NULL",
		  "addr=NULL, length=8192, prot=PROT_READ|PROT_WRITE, flags=MAP_SHARED, fd=%s, "
		  "offset=0",
		  fd(file));
	pages[4096] = 'b';
	call_it = use("remap_file_pages", variant);
	TRY(call_it(pages, 4096, 0, 1, 0));
	line("addr=NULL, length=4096, prot=PROT_NONE, page=1, flags=0");
	say("  %c", pages[0]);
	TRY(call_it((void *)4096, 4096, PROT_READ, 0, 0));
	line("addr=NULL, length=4096, prot=PROT_READ, page=0, flags=0");
	close_fd(file);
}

static void opening(const struct variant *variant)
{
	mqd_t (*call_it)(const char *, int, ...) = use("mq_open", variant);
	struct mq_attr wanted = {.mq_maxmsg = 2, .mq_msgsize = 16};
	queue = (mqd_t)TRY(call_it(name, O_RDWR | O_CREAT | O_EXCL, 0600, &wanted));
	line("name=\"%s\", flags=O_RDWR|O_CREAT|O_EXCL, mode=0600", name);
	TRY(call_it(name, O_RDWR | O_CREAT | O_EXCL, 0600, NULL));
	line("name=\"%s\", flags=O_RDWR|O_CREAT|O_EXCL, mode=0600", name);
	TRY(call_it("/varve none", O_RDONLY));
	line("name=\"/varve none\", flags=O_RDONLY, mode=0");
}

static void opening_checked(const struct variant *variant)
{
	mqd_t (*call_it)(const char *, int) = use("mq_open", variant);
	long made = TRY(call_it(name, O_RDONLY | O_NONBLOCK));
	line("name=\"%s\", flags=O_RDONLY|O_NONBLOCK, mode=0", name);
	int (*close_it)(mqd_t) = use("mq_close", &(struct variant)LINKED(mq_close));
	const char *shown = fd((int)made);
	TRY(close_it((mqd_t)made));
	line("fd=%s", shown);
	TRY(close_it((mqd_t)made));
	line("fd=%ld", made);
}

static void attributes(const struct variant *variant)
{
	int (*call_it)(mqd_t, struct mq_attr *) = use("mq_getattr", variant);
	struct mq_attr found;
	TRY(call_it(queue, &found));
	line("fd=%s", fd(queue));
	say("  %ld %ld", found.mq_maxmsg, found.mq_msgsize);
	TRY(call_it(-1, &found));
	line("fd=-1");
}

static void attributes_set(const struct variant *variant)
{
	int (*call_it)(mqd_t, const struct mq_attr *, struct mq_attr *) =
		use("mq_setattr", variant);
	struct mq_attr wanted = {.mq_flags = O_NONBLOCK};
	TRY(call_it(queue, &wanted, NULL));
	line("fd=%s", fd(queue));
	TRY(call_it(-1, &wanted, NULL));
	line("fd=-1");
}

static void notifying(const struct variant *variant)
{
	int (*call_it)(mqd_t, const struct sigevent *) = use("mq_notify", variant);
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	TRY(call_it(queue, &event));
	line("fd=%s", fd(queue));
	TRY(call_it(queue, &event));
	line("fd=%s", fd(queue));
}

static void sending(const struct variant *variant)
{
	int (*call_it)(mqd_t, const char *, size_t, unsigned, const struct timespec *) =
		use(variant->symbol, variant);
	const struct timespec past = {1, 0};
	TRY(call_it(queue, "abc", 3, 5, &past));
	line("fd=%s, size=3, priority=5", fd(queue));
	TRY(call_it(queue, "abc", 17, 5, &past));
	line("fd=%s, size=17, priority=5", fd(queue));
}

static void receiving(const struct variant *variant)
{
	ssize_t (*call_it)(mqd_t, char *, size_t, unsigned *, const struct timespec *) =
		use(variant->symbol, variant);
	const struct timespec past = {1, 0};
	char message[16];
	unsigned priority = 0;
	TRY(call_it(queue, message, sizeof message, &priority, &past));
	line("fd=%s, size=16, priority=5", fd(queue));
	say("  %.3s %u", message, priority);
	TRY(call_it(queue, message, 1, NULL, &past));
	line("fd=%s, size=1", fd(queue));
}

static void forgetting(const struct variant *variant)
{
	int (*call_it)(const char *) = use(variant->symbol, variant);
	TRY(call_it(name));
	line("name=\"%s\"", name);
	TRY(call_it(name));
	line("name=\"%s\"", name);
}

static sem_t *semaphore;

static void semaphore_open(const struct variant *variant)
{
	sem_t *(*call_it)(const char *, int, ...) = use("sem_open", variant);
	semaphore = (sem_t *)TRY(call_it(name, O_CREAT | O_EXCL, 0600, 3));
	line_set("name=\"%s\", flags=O_RDONLY|O_CREAT|O_EXCL, mode=0600, value=3", name);
	int value = 0;
	sem_getvalue(semaphore, &value);
	say("  %d", value);
	TRY(call_it("/varve none", 0));
	line_set("name=\"/varve none\", flags=O_RDONLY, mode=0, value=0");
}

static void semaphore_close(const struct variant *variant)
{
	int (*call_it)(sem_t *) = use("sem_close", variant);
	TRY(call_it(semaphore));
	line("semaphore=NULL");
	TRY(call_it(NULL));
	line("semaphore=NULL");
}

int main(void)
{
	put_file("data", "x");
	name = text("/varve-test-%ld", raw(SYS_getpid, 0, 0, 0, 0));
	char kept_name[64];
	name = strcpy(kept_name, name);
	RUN(getting, LINKED(shmget));
	RUN(attaching, LINKED(shmat));
	RUN(detaching, LINKED(shmdt));
	RUN(controlling, LINKED(shmctl));
	RUN(remapping, LINKED(remap_file_pages));
	RUN(opening, LINKED(mq_open));
	RUN(opening_checked, LINKED(__mq_open_2));
	RUN(attributes, LINKED(mq_getattr));
	RUN(attributes_set, LINKED(mq_setattr));
	RUN(notifying, LINKED(mq_notify));
	RUN(sending, LINKED(mq_send), LINKED(mq_timedsend));
	RUN(receiving, LINKED(mq_receive), LINKED(mq_timedreceive));
	RUN(forgetting, LINKED(mq_unlink));
	RUN(semaphore_open, LINKED(sem_open));
	RUN(semaphore_close, LINKED(sem_close));
	RUN(forgetting, LINKED(sem_unlink));
	return 0;
}
