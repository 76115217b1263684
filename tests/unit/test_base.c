/* Tests: src/base: varints, the hash, statuses and causes, processes, small texts, the nearest name. */
#include "base/hash.h"
#include "base/host/siphash.h"
#include "base/key_values.h"
#include "base/nearest.h"
#include "base/program/process.h"
#include "base/status.h"
#include "base/text.h"
#include "base/varint.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void round_trip(uint64_t value)
{
	uint8_t bytes[VARINT_MOST];
	uint8_t *end = varint_put(bytes, value);
	size_t expected = value ? (size_t)(64 - __builtin_clzll(value) + 6) / 7 : 1;
	CHECK_EQ(end - bytes, expected);
	const uint8_t *at = bytes;
	uint64_t got = ~value;
	CHECK(varint_get(&at, end, &got));
	CHECK_EQ(got, value);
	CHECK(at == end);
	for (uint8_t *cut = bytes; cut < end; cut++) {
		at = bytes;
		CHECK(!varint_get(&at, cut, &got));
		CHECK(at <= cut);
	}
}

CASE(varints_round_trip)
{
	struct chance chance = chance_start(1);
	for (unsigned shift = 0; shift < 64; shift++) {
		round_trip(1ull << shift);
		round_trip((1ull << shift) - 1);
		round_trip(~0ull >> shift);
	}
	for (int i = 0; i < 10000; i++)
		round_trip(chance_wide(&chance));
}

CASE(varints_beyond_64_bits_are_refused)
{
	uint8_t bytes[16];
	memset(bytes, 0xff, sizeof bytes);
	const uint8_t *at = bytes;
	uint64_t value = 0;
	CHECK(!varint_get(&at, bytes + sizeof bytes, &value));
	bytes[9] = 2; /* bit 64 */
	at = bytes;
	CHECK(!varint_get(&at, bytes + sizeof bytes, &value));
	bytes[9] = 1;
	at = bytes;
	CHECK(varint_get(&at, bytes + sizeof bytes, &value));
	CHECK_EQ(value, UINT64_MAX);
	CHECK_EQ(at - bytes, 10);
}

CASE(zigzag_keeps_small_numbers_small)
{
	CHECK_EQ(zigzag(0), 0);
	CHECK_EQ(zigzag(-1), 1);
	CHECK_EQ(zigzag(1), 2);
	CHECK_EQ(zigzag(INT64_MAX), UINT64_MAX - 1);
	CHECK_EQ(zigzag(INT64_MIN), UINT64_MAX);
	struct chance chance = chance_start(2);
	for (int i = 0; i < 10000; i++) {
		int64_t value = (int64_t)chance_wide(&chance);
		CHECK_EQ(unzigzag(zigzag(value)), value);
		CHECK_EQ(unzigzag(zigzag(-value)), -value);
		CHECK_EQ(zigzag(unzigzag((uint64_t)value)), value);
	}
	CHECK_EQ(unzigzag(zigzag(INT64_MIN)), INT64_MIN);
}

/* The values are those of the XXH64 specification: traces depend on them. */
CASE(the_hash_is_xxh64)
{
	CHECK_EQ(hash64("", 0, 0), 0xef46db3751d8e999ull);
	CHECK_EQ(hash64("abc", 3, 0), 0x44bc2cf5ad770999ull);
	CHECK(hash64("abc", 3, 1) != hash64("abc", 3, 0));
	CHECK(hash64("abd", 3, 0) != hash64("abc", 3, 0));
}

CASE(every_status_has_a_text)
{
	for (int i = 0; i <= VARVE_END; i++) {
		const char *text = status_text((enum varve_status)i);
		CHECK(text && *text);
		CHECK(strcmp(text, "unknown status") != 0);
		for (int k = 0; k < i; k++)
			CHECK(strcmp(text, status_text((enum varve_status)k)) != 0);
	}
	CHECK_STR(status_text(VARVE_OK), "success");
	CHECK_STR(status_text((enum varve_status)(VARVE_END + 1)), "unknown status");
	CHECK_STR(status_text((enum varve_status) - 1), "unknown status");
}

static enum varve_status tried(enum varve_status status)
{
	TRY(status);
	return VARVE_END;
}

CASE(causes_are_a_chain_with_an_end)
{
	struct varve_causes *causes = calloc(1, sizeof *causes);
	CHECK_EQ(cause(causes, VARVE_DAMAGED, "byte %d of %s", 7, "x"), VARVE_DAMAGED);
	CHECK_EQ(causes->count, 1);
	CHECK_STR(causes->text[0], "byte 7 of x");
	char wide[VARVE_CAUSE_TEXT * 2];
	memset(wide, 'w', sizeof wide - 1);
	wide[sizeof wide - 1] = 0;
	CHECK_EQ(cause(causes, VARVE_SYSTEM, "%s", wide), VARVE_SYSTEM);
	CHECK_EQ(strlen(causes->text[1]), VARVE_CAUSE_TEXT - 1);
	for (int i = 0; i < 2 * VARVE_CAUSES_MOST; i++)
		CHECK_EQ(cause(causes, VARVE_LIMIT, "%d", i), VARVE_LIMIT);
	CHECK_EQ(causes->count, VARVE_CAUSES_MOST);
	CHECK_STR(causes->text[0], "byte 7 of x");
	CHECK_EQ(cause(NULL, VARVE_END, "nobody listens"), VARVE_END);
	CHECK_EQ(tried(VARVE_BUSY), VARVE_BUSY);
	CHECK_EQ(tried(VARVE_OK), VARVE_END);
	free(causes);
}

CASE(texts_never_leave_their_room)
{
	char text[16];
	for (size_t room = 1; room <= sizeof text; room++) {
		memset(text, '#', sizeof text);
		char *end = text_add(text, text + room, "abc");
		end = text_add_number(end, text + room, 18446744073709551615ull);
		end = text_add(end, text + room, "z");
		CHECK_EQ(strlen(text), room - 1);
		CHECK(end == text + strlen(text));
		CHECK(memcmp(text, "abc184467440737", room - 1) == 0);
		for (size_t i = room; i < sizeof text; i++)
			CHECK_EQ(text[i], '#');
	}
	char number[24];
	text_add_number(number, number + sizeof number, 0);
	CHECK_STR(number, "0");
	text_add_number(number, number + sizeof number, UINT64_MAX);
	CHECK_STR(number, "18446744073709551615");
}

CASE(a_file_is_read_whole_or_up_to_the_room)
{
	char text[64], small[8];
	char path[] = "/tmp/varve-unit-base-XXXXXX";
	int fd = mkstemp(path);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, "0123456789", 10), 10);
	CHECK_EQ(file_read(path, text, sizeof text), 10);
	CHECK_STR(text, "0123456789");
	CHECK_EQ(file_read(path, small, sizeof small), 7);
	CHECK_STR(small, "0123456");
	close(fd);
	unlink(path);
	CHECK_EQ(file_read(path, text, sizeof text), -ENOENT);
	CHECK_EQ(file_read("/tmp", text, sizeof text), -EISDIR);
}

CASE(lists_of_keys_and_values)
{
	char bytes[32];
	struct key_values list = {.bytes = bytes, .room = sizeof bytes};
	CHECK(key_values_add(&list, "a", "1"));
	CHECK(key_values_add(&list, "ab", ""));
	CHECK(key_values_add_signed(&list, "a", -23));
	CHECK(key_values_add_list(&list, "none", 5));
	CHECK_EQ(list.length, 4 + 4 + 6 + 5);
	/* Twelve bytes remain with the zero byte after a string, and one more is refused. */
	CHECK(!key_values_add(&list, "long", "12345678"));
	CHECK(key_values_add(&list, "long", "1234567"));
	CHECK(!key_values_add(&list, "", ""));
	size_t at = 0;
	CHECK(!strcmp(key_values_find(bytes, list.length, "a", &at), "1"));
	CHECK(!strcmp(key_values_find(bytes, list.length, "a", &at), "-23"));
	CHECK(!key_values_find(bytes, list.length, "a", &at));
	struct key_value next;
	unsigned count = 0;
	for (at = 0; key_values_next(bytes, list.length, &at, &next); count++)
		CHECK_EQ(next.key_length + next.length + 1, strlen(next.key));
	CHECK_EQ(count, 4);
	/* A truncated string has no end, and is not read. */
	list = (struct key_values){.bytes = bytes, .room = 8};
	key_values_add_cut(&list, "a", "1");
	key_values_add_cut(&list, "b", "1234");
	CHECK_EQ(list.length, 7);
	at = 0;
	CHECK(!key_values_find(bytes, list.length, "b", &at));
	CHECK(!key_value("ab=1", "a"));
	CHECK(!strcmp(key_value("a==1", "a"), "=1"));
}

CASE(processes_are_told_apart)
{
	int parent = 0;
	bool zombie = true;
	uint8_t boot[16], other[16] = {1}, none[16] = {0};
	process_boot_id(boot);
	CHECK(memcmp(boot, none, sizeof boot) != 0);
	uint64_t start = process_start(getpid(), &parent, &zombie);
	CHECK(start > 0);
	CHECK_EQ(parent, getppid());
	CHECK(!zombie);
	bool unsure = true;
	uint64_t here = process_namespace();
	CHECK(here != 0);
	CHECK(process_alive(getpid(), start, boot, here, here, &unsure));
	CHECK(!unsure);
	CHECK(process_alive(getpid(), start, none, here, here, NULL));
	CHECK(!process_alive(getpid(), start + 1, boot, here, here, NULL));
	CHECK(!process_alive(getpid(), start, other, here, here, NULL));
	CHECK(!process_alive(getpid(), start, boot, here + 1, here, &unsure));
	CHECK(!unsure);
	/* A process of another namespace is unknown, unless /proc shows all processes. */
	CHECK(process_alive(getpid(), start, boot, here + 1, here + 1, &unsure) == unsure);
	CHECK(process_alive(getpid(), 0, boot, here + 1, here, &unsure));
	CHECK(unsure);
	int seen = 0;
	CHECK_EQ(process_start_own(&seen, &parent), start);
	CHECK_EQ(seen, getpid());
	CHECK_EQ(parent, getppid());
}

/* In an inner namespace it is found by its number there. Needs the privilege to make one. */
CASE(a_process_in_a_namespace_is_found)
{
	uint8_t boot[16];
	int pipes[2], ends[2];
	process_boot_id(boot);
	CHECK_EQ(pipe(pipes), 0);
	CHECK_EQ(pipe(ends), 0);
	pid_t maker = fork();
	if (maker == 0) {
		if (unshare(CLONE_NEWPID))
			_exit(77);
		pid_t inner = fork();
		if (inner == 0) {
			char byte;
			uint64_t told[3] = {(uint64_t)getpid(), process_start_own(NULL, NULL),
					    process_namespace()};
			close(ends[1]);
			_exit(write(pipes[1], told, sizeof told) != sizeof told ||
			      read(ends[0], &byte, 1) != 0);
		}
		close(ends[1]);
		int status;
		_exit(waitpid(inner, &status, 0) == inner && status == 0 ? 0 : 1);
	}
	close(pipes[1]);
	uint64_t told[3] = {0};
	int status;
	if (read(pipes[0], told, sizeof told) == sizeof told) {
		bool unsure = true;
		uint64_t here = process_namespace();
		CHECK_EQ(told[0], 1);
		CHECK(process_alive(1, told[1], boot, told[2], here, &unsure));
		CHECK(!unsure);
		CHECK(!process_alive(2, told[1], boot, told[2], here, NULL));
		CHECK(!process_alive(1, told[1], boot, told[2] + 1, here, NULL));
		close(ends[1]);
		CHECK_EQ(waitpid(maker, &status, 0), maker);
		CHECK_EQ(status, 0);
		CHECK(!process_alive(1, told[1], boot, told[2], here, &unsure));
		CHECK(!unsure);
	} else {
		close(ends[1]);
		CHECK_EQ(waitpid(maker, &status, 0), maker);
		CHECK_EQ(WEXITSTATUS(status), 77);
	}
	close(ends[0]);
	close(pipes[0]);
}

CASE(a_zombie_is_not_alive)
{
	uint8_t boot[16];
	process_boot_id(boot);
	int pipes[2];
	CHECK_EQ(pipe(pipes), 0);
	pid_t child = fork();
	if (child == 0) {
		char byte;
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) == 0 ? 0 : 1);
	}
	int parent = 0;
	bool zombie = true;
	uint64_t start = process_start(child, &parent, &zombie);
	CHECK(start > 0);
	CHECK_EQ(parent, getpid());
	CHECK(!zombie);
	CHECK(process_alive(child, start, boot, process_namespace(), 0, NULL));
	close(pipes[1]);
	siginfo_t info;
	CHECK_EQ(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	CHECK_EQ(process_start(child, NULL, &zombie), start);
	CHECK(zombie);
	CHECK(!process_alive(child, start, boot, process_namespace(), 0, NULL));
	CHECK_EQ(waitpid(child, NULL, 0), child);
	CHECK_EQ(process_start(child, NULL, NULL), 0);
	close(pipes[0]);
}

/* A process may have any name. */
CASE(a_name_with_parentheses_and_spaces)
{
	pid_t child = fork();
	if (child == 0) {
		FILE *file = fopen("/proc/self/comm", "w");
		bool named = file && fputs(") Z 1 ) (x", file) >= 0 && fclose(file) == 0;
		int parent = 0;
		bool zombie = true;
		bool right = process_start(getpid(), &parent, &zombie) > 0 && parent == getppid() &&
			     !zombie;
		_exit(!named ? 2 : right ? 0 : 1);
	}
	int status = -1;
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
}

static const char *near(const char *wanted, const char *one, const char *other)
{
	struct nearest nearest = {.wanted = wanted, .length = strlen(wanted)};
	nearest_offer(&nearest, one);
	nearest_offer(&nearest, other);
	return nearest.name;
}

CASE(the_nearest_name)
{
	CHECK_STR(near("opne", "close", "open"), "open");
	CHECK_STR(near("pen", "open", "pan"), "open");
	CHECK_STR(near("PREAD", "read", "pread"), "pread");
	CHECK_STR(near("pxy", "pread", "pwrite"), NULL);
	CHECK_STR(near("opxy", "open", "close"), "open");
	CHECK_STR(near("oxyz", "open", "close"), NULL);
	CHECK_STR(near("pthread_creating", "pthread_create", "pthread_join"), NULL);
	CHECK_STR(near("a", "b", ""), NULL);
	CHECK_STR(near("", "b", ""), NULL);
}

CASE(the_beginning_of_a_name)
{
	CHECK_STR(near("pth", "pthread_create", "pthread_join"), "pthread_join");
	CHECK_STR(near("pth", "pthread_a", "pthread_b"), "pthread_a");
	CHECK_STR(near("PTH", "open", "pthread_join"), "pthread_join");
	CHECK_STR(near("pwri", "pwritev2", "pwrit"), "pwrit");
	CHECK_STR(near("pwri", "pwrit", "pwritev2"), "pwrit");
	CHECK_STR(near("form", "from", "format"), "format");
	CHECK_STR(near("form", "format", "from"), "format");
	CHECK_STR(near("ope", "openat", "open"), "open");
	CHECK_STR(near("pt", "pthread_create", "pthread_join"), NULL);
}

CASE(names_that_are_too_long_are_not_near)
{
	char most[NEAREST_MOST + 1] = "", more[NEAREST_MOST + 2] = "";
	memset(most, 'x', NEAREST_MOST);
	memset(more, 'x', NEAREST_MOST + 1);
	CHECK_STR(near(most, more, most), most);
	CHECK_STR(near(more, more, most), NULL);
}

/* From the reference implementation: the key is 0 to 15, the text 0, 1, 2 ... */
CASE(the_keyed_hash_is_siphash)
{
	struct siphash_key key, other;
	uint8_t text[64];
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (uint8_t)i;
	memcpy(&key, text, sizeof key);
	CHECK_EQ(siphash(&key, text, 0), 0x726fdb47dd0e0e31ull);
	CHECK_EQ(siphash(&key, text, 1), 0x74f839c593dc67fdull);
	CHECK_EQ(siphash(&key, text, 8), 0x93f5f5799a932462ull);
	CHECK_EQ(siphash(&key, text, 15), 0xa129ca6149be45e5ull);
	CHECK_EQ(siphash(&key, text, 63), 0x958a324ceb064572ull);
	other = key;
	other.half[1] ^= 1;
	CHECK(siphash(&other, text, 15) != siphash(&key, text, 15));
}

RUN(ENTRY(varints_round_trip), ENTRY(varints_beyond_64_bits_are_refused),
    ENTRY(zigzag_keeps_small_numbers_small), ENTRY(the_hash_is_xxh64),
    ENTRY(every_status_has_a_text), ENTRY(causes_are_a_chain_with_an_end),
    ENTRY(texts_never_leave_their_room), ENTRY(a_file_is_read_whole_or_up_to_the_room),
    ENTRY(lists_of_keys_and_values), ENTRY(processes_are_told_apart),
    ENTRY(a_process_in_a_namespace_is_found), ENTRY(a_zombie_is_not_alive),
    ENTRY(a_name_with_parentheses_and_spaces), ENTRY(the_nearest_name),
    ENTRY(the_beginning_of_a_name), ENTRY(names_that_are_too_long_are_not_near),
    ENTRY(the_keyed_hash_is_siphash))
