/* Tests: the data file: blocks of many writers in one file, claimed and unused space, failed writes. */
#include "base/hash.h"
#include "codec/block.h"
#include "sink/data.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITERS = 4, BLOCKS = 1000, PAYLOAD_MOST = 900 };

static const uint8_t run_id[16] = {1, 2, 3};
static char folder[] = "/tmp/varve-unit-data-XXXXXX";
static char path[sizeof folder + 16];

/* Makes a data.0 of this run. */
static void first_block(const uint8_t id[16])
{
	_Alignas(8) uint8_t block[512];
	size_t length = block_plain(block, BLOCK_RUN, id, 0, "host=x", 7);
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	CHECK_EQ(write(fd, block, length), length);
	close(fd);
}

/* An empty data.0 in a folder of its own. */
static struct data_file data_new(struct control *control)
{
	struct data_file file;
	if (!path[0]) {
		CHECK(mkdtemp(folder) != NULL);
		snprintf(path, sizeof path, "%s/data.0", folder);
	}
	unlink(path);
	first_block(run_id);
	memset(control, 0, sizeof *control);
	memcpy(control->run_id, run_id, sizeof run_id);
	CHECK_EQ(data_open(folder, control, &file), VARVE_OK);
	CHECK_EQ(truncate(path, 0), 0);
	return file;
}

static uint8_t *data_read(size_t *size)
{
	struct stat found;
	int fd = open(path, O_RDONLY);
	CHECK_EQ(fstat(fd, &found), 0);
	*size = (size_t)found.st_size;
	uint8_t *bytes = malloc(*size + 1);
	CHECK_EQ(read(fd, bytes, *size), *size);
	close(fd);
	return bytes;
}

static void data_remove(struct data_file *file)
{
	data_close(file);
	CHECK_EQ(file->fd, -1);
	unlink(path);
	rmdir(folder);
	path[0] = 0;
	memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
}

/* Payload of block `number` of a writer: its length and bytes follow from both. */
static size_t payload_make(uint32_t writer, uint64_t number, uint8_t payload[PAYLOAD_MOST])
{
	struct chance chance = chance_start(writer * 100000ull + number);
	size_t length = chance_below(&chance, PAYLOAD_MOST);
	chance_fill(&chance, payload, length);
	return length;
}

struct writer {
	uint32_t number;
	struct data_file *file;
	struct control *control;
	unsigned refused;
	pthread_t thread;
};

static void *write_blocks(void *argument)
{
	struct writer *writer = argument;
	uint8_t payload[PAYLOAD_MOST];
	_Alignas(8) uint8_t block[PAYLOAD_MOST + sizeof(struct block_header) + BLOCK_ALIGN];
	struct lane lane = {.magic = LANE_MAGIC};
	for (uint64_t i = 1; i <= BLOCKS; i++) {
		size_t length = payload_make(writer->number, i, payload);
		struct block_header header = {.type = BLOCK_RUN,
					      .header_length = sizeof header,
					      .length = sizeof header + length,
					      .sequence = i,
					      .process = writer->number};
		memcpy(block + sizeof header, payload, length);
		block_seal(block, &header);
		enum varve_status status = data_append(writer->file, writer->control, &lane.claim,
						       block, header.length);
		writer->refused += status != VARVE_OK;
	}
	return NULL;
}

static void write_together(struct data_file *file, struct control *control, unsigned *refused)
{
	struct writer writers[WRITERS];
	*refused = 0;
	for (uint32_t i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){.number = i + 1, .file = file, .control = control};
		CHECK_EQ(pthread_create(&writers[i].thread, NULL, write_blocks, &writers[i]), 0);
	}
	for (uint32_t i = 0; i < WRITERS; i++) {
		pthread_join(writers[i].thread, NULL);
		*refused += writers[i].refused;
	}
}

CASE(blocks_of_many_writers_are_all_there_and_whole)
{
	struct control control;
	struct data_file file = data_new(&control);
	unsigned refused;
	write_together(&file, &control, &refused);
	CHECK_EQ(refused, 0);
	size_t size, found = 0;
	uint8_t *bytes = data_read(&size);
	CHECK_EQ(size, control.data_tail);
	uint8_t *seen = calloc((WRITERS + 1) * (BLOCKS + 1), 1), payload[PAYLOAD_MOST];
	for (size_t at = 0; at < size;) {
		struct block_header header;
		if (!CHECK_EQ(block_open(bytes + at, size - at, &header, NULL), VARVE_OK) ||
		    !CHECK_EQ(block_check(bytes + at, &header, NULL), VARVE_OK))
			break;
		CHECK(header.process <= WRITERS && header.sequence <= BLOCKS);
		CHECK_EQ(seen[header.process * (BLOCKS + 1) + header.sequence]++, 0);
		size_t length = payload_make(header.process, header.sequence, payload);
		CHECK(memcmp(bytes + at + header.header_length, payload, length) == 0);
		at += header.length;
		found++;
	}
	CHECK_EQ(found, WRITERS * BLOCKS);
	free(seen);
	free(bytes);
	data_remove(&file);
}

CASE(a_limit_stops_all_writers)
{
	struct control control;
	struct data_file file = data_new(&control);
	control.limit = 100000;
	unsigned refused;
	write_together(&file, &control, &refused);
	CHECK(refused > 0 && refused < WRITERS * BLOCKS);
	size_t size;
	uint8_t *bytes = data_read(&size);
	CHECK_EQ(size, control.data_tail);
	/* Writers do not wait for each other: each may have been below the limit when it compared. */
	CHECK(size <=
	      control.limit + WRITERS * (PAYLOAD_MOST + sizeof(struct block_header) + BLOCK_ALIGN));
	free(bytes);
	data_remove(&file);
}

CASE(a_claim_is_noted_in_the_lane)
{
	struct control control;
	struct data_file file = data_new(&control);
	struct lane lane = {.magic = LANE_MAGIC};
	_Alignas(8) uint8_t block[512];
	control.data_tail = 4096;
	size_t length = block_plain(block, BLOCK_RUN, run_id, 1, "text", 4);
	CHECK_EQ(data_append(&file, &control, &lane.claim, block, length), VARVE_OK);
	CHECK_EQ(lane.claim.offset, 4096);
	CHECK_EQ(lane.claim.length, length);
	CHECK_EQ(control.data_tail, 4096 + length);
	CHECK_EQ(data_append(&file, &control, NULL, block, length), VARVE_OK);
	CHECK_EQ(control.data_tail, 4096 + 2 * length);
	data_remove(&file);
}

CASE(a_void_is_a_block_that_wipes_what_was_there)
{
	struct control control;
	struct data_file file = data_new(&control);
	static const size_t lengths[] = {sizeof(struct block_header), 1000,
					 4096 + sizeof(struct block_header), 20000};
	uint8_t noise[20008];
	struct chance chance = chance_start(20);
	for (size_t i = 0; i < 4; i++) {
		chance_fill(&chance, noise, sizeof noise);
		CHECK_EQ(pwrite(file.fd, noise, sizeof noise, 0), sizeof noise);
		data_void(&file, run_id, 0, lengths[i]);
		size_t size;
		uint8_t *bytes = data_read(&size);
		struct block_header header;
		CHECK_EQ(block_open(bytes, size, &header, NULL), VARVE_OK);
		CHECK_EQ(block_check(bytes, &header, NULL), VARVE_OK);
		CHECK_EQ(header.type, BLOCK_VOID);
		CHECK_EQ(header.length, lengths[i]);
		for (size_t at = sizeof header; at < lengths[i]; at++)
			CHECK_EQ(bytes[at], 0);
		CHECK(memcmp(bytes + lengths[i], noise + lengths[i], sizeof noise - lengths[i]) ==
		      0);
		free(bytes);
	}
	data_void(&file, run_id, 0,
		  sizeof(struct block_header) - 8); /* no room for a header: nothing is changed */
	size_t size;
	uint8_t *bytes = data_read(&size);
	struct block_header header;
	CHECK_EQ(block_open(bytes, size, &header, NULL), VARVE_OK);
	free(bytes);
	data_remove(&file);
}

static volatile sig_atomic_t delivered;

static void on_signal(int signal)
{
	(void)signal;
	delivered++;
}

/* In a process of its own: a limit on file sizes cannot always be raised again. */
static int against_a_size_limit(bool pending)
{
	struct control control;
	struct data_file file = data_new(&control);
	struct lane lane = {.magic = LANE_MAGIC};
	_Alignas(8) static uint8_t block[8192];
	static uint8_t payload[4000];
	struct rlimit limit = {6000, 6000};
	size_t length = block_plain(block, BLOCK_RUN, run_id, 1, payload, sizeof payload);
	sigset_t size_signal, now;
	sigemptyset(&size_signal);
	sigaddset(&size_signal, SIGXFSZ);
	signal(SIGXFSZ, on_signal);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	if (pending) {
		sigprocmask(SIG_BLOCK, &size_signal, NULL);
		raise(SIGXFSZ);
	}
	CHECK_EQ(data_append(&file, &control, &lane.claim, block, length), VARVE_OK);
	CHECK_EQ(data_append(&file, &control, &lane.claim, block, length), VARVE_NO_SPACE);
	CHECK_EQ(lane.claim.offset, 0);
	CHECK_EQ(control.data_tail, length); /* returned: there was no later claim */
	CHECK_EQ(delivered, 0);
	sigpending(&now);
	CHECK_EQ(sigismember(&now, SIGXFSZ), pending); /* the program's own signal stays */
	sigset_t mask;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	CHECK_EQ(sigismember(&mask, SIGXFSZ), pending);
	CHECK(!sigismember(&mask, SIGTERM));
	if (pending) {
		sigprocmask(SIG_UNBLOCK, &size_signal, NULL);
		CHECK_EQ(delivered, 1);
	}
	CHECK_EQ(data_append(&file, &control, &lane.claim, block, length / 4), VARVE_OK);
	data_remove(&file);
	return harness_failures;
}

/* Space whose end cannot be written. */
static int void_against_a_size_limit(void)
{
	struct control control;
	struct data_file file = data_new(&control);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(ftruncate(file.fd, 0), 0);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &(struct rlimit){5003, 6000}), 0);
	CHECK(data_void(&file, run_id, 0, 8192));
	size_t size;
	uint8_t *bytes = data_read(&size);
	struct block_header header;
	CHECK_EQ(block_open(bytes, size, &header, NULL), VARVE_OK);
	CHECK_EQ(block_check(bytes, &header, NULL), VARVE_OK);
	CHECK_EQ(header.type, BLOCK_VOID);
	CHECK_EQ(header.length, 5000);
	free(bytes);
	/* The space left after it has room for a void block of its own. */
	CHECK(data_void(&file, run_id, 0, 5064));
	bytes = data_read(&size);
	CHECK_EQ(block_open(bytes, size, &header, NULL), VARVE_OK);
	CHECK_EQ(block_check(bytes, &header, NULL), VARVE_OK);
	CHECK_EQ(header.length, 5064 - sizeof header);
	free(bytes);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &(struct rlimit){sizeof header - 8, 6000}), 0);
	CHECK(!data_void(&file, run_id, 0, 8192));
	data_remove(&file);
	return harness_failures;
}

CASE(a_void_that_does_not_fit_is_as_long_as_it_can_be)
{
	pid_t child = fork();
	if (child == 0)
		exit(void_against_a_size_limit() != 0);
	int status = -1;
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
}

CASE(a_write_beyond_the_size_limit_sends_no_signal)
{
	for (int pending = 0; pending < 2; pending++) {
		pid_t child = fork();
		if (child == 0)
			exit(against_a_size_limit(pending) != 0);
		int status = -1;
		CHECK_EQ(waitpid(child, &status, 0), child);
		CHECK(WIFEXITED(status));
		CHECK_EQ(WEXITSTATUS(status), 0);
	}
}

CASE(a_descriptor_closes_on_exec)
{
	struct control control;
	struct data_file file = data_new(&control);
	data_close(&file);
	CHECK_EQ(file.fd, -1);
	first_block(run_id);
	CHECK_EQ(data_open(folder, &control, &file), VARVE_OK);
	CHECK(fcntl(file.fd, F_GETFD) & FD_CLOEXEC);
	data_remove(&file);
	CHECK_EQ(data_open("/nonexistent", &control, &file), VARVE_SYSTEM);
}

CASE(a_file_of_another_run_is_left_alone)
{
	static const uint8_t other[16] = {4, 5, 6};
	struct control control;
	struct data_file file = data_new(&control), foreign;
	CHECK_EQ(data_open(folder, &control, &foreign), VARVE_FOREIGN); /* empty */
	CHECK_EQ(foreign.fd, -1);
	first_block(other);
	CHECK_EQ(data_open(folder, &control, &foreign), VARVE_FOREIGN);
	memcpy(control.run_id, other, sizeof other);
	CHECK_EQ(data_open(folder, &control, &foreign), VARVE_OK);
	data_close(&foreign);
	data_remove(&file);
}

RUN(ENTRY(blocks_of_many_writers_are_all_there_and_whole), ENTRY(a_limit_stops_all_writers),
    ENTRY(a_claim_is_noted_in_the_lane), ENTRY(a_void_is_a_block_that_wipes_what_was_there),
    ENTRY(a_void_that_does_not_fit_is_as_long_as_it_can_be),
    ENTRY(a_write_beyond_the_size_limit_sends_no_signal), ENTRY(a_descriptor_closes_on_exec),
    ENTRY(a_file_of_another_run_is_left_alone))
