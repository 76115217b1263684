/* Tests: the filter language: errors are reported at their place, and valid filters have the meaning in docs/filter.md.
 *
 * Pages are filled by hand, with the tables of this Varve. */
#include "codec/host/decode.h"
#include "trace/filter/filter_tree.h"
#include "unit/filter_page.h"

#include <errno.h>
#include <fcntl.h>

static void check_wrong(struct made *made, const char *text, size_t expected, const char *part,
			int line)
{
	struct varve_causes causes = {0};
	struct varve_filter *filter;
	size_t column = 12345;
	enum varve_status status = filter_make(&made->trace, text, &filter, &column, &causes);
	bool said = causes.count && strstr(causes.text[0], part);
	if (status != VARVE_USAGE || filter || column != expected || !said) {
		harness_failures++;
		printf("# line %d: `%.60s`: status %d, column %zu, \"%s\"; expected column %zu, "
		       "\"%s\"\n",
		       line, text, (int)status, column, causes.count ? causes.text[0] : "",
		       expected, part);
	}
	filter_free(filter);
}

#define WRONG(text, column, part) check_wrong(made, text, column, part, __LINE__)
#define WANTED(text, rows) CHECK_STR(wanted(made, text), rows)

CASE(wrong_words)
{
	struct made *made = made_new();
	WRONG("", 0, "column 1: the filter is empty");
	WRONG("  ", 0, "empty");
	WRONG("size = 3", 5, "column 6: `=`");
	WRONG("failed & vfork", 7, "write `and`");
	WRONG("path == $x", 8, "quotes");
	WRONG("path == \"a", 8, "quote");
	WRONG("path == 'a\"", 8, "quote");
	WRONG("path == \"\\x4\"", 9, "two hexadecimal digits");
	WRONG("path == \"\\x00\"", 9, "zero byte");
	WRONG("failed # all", 7, "`#`");
	made_free(made);
}

CASE(wrong_grammar)
{
	struct made *made = made_new();
	WRONG("(failed", 0, "parenthesis");
	WRONG("failed and (vfork or (failed)", 11, "parenthesis");
	WRONG("failed)", 6, "`)`");
	WRONG("(failed vfork)", 8, "expected `and`, `or` or `)`, found `vfork`");
	WRONG("failed and", 10, "expected a condition, found the end");
	WRONG("not", 3, "expected a condition");
	WRONG("failed vfork", 7, "`and`, `or` or the end");
	WRONG("size", 0, "write `has size`");
	WRONG("failed and arg.fd", 11, "`arg.fd` alone");
	WRONG("arg.\xc3\xa9 and failed", 0, "write `has arg.??`");
	WRONG("failed == 1", 7, "write `failed` or `not failed`");
	WRONG("path == and", 8, "in quotes");
	WRONG("rank == 1:3", 9, "`in`");
	WRONG("rank in :", 8, "0:15");
	WRONG("rank in :5:2", 8, "needs a first value");
	WRONG("rank in 5:1", 8, "ends before it begins");
	WRONG("rank in 0:5:0", 12, "stride");
	WRONG("has 3", 4, "field `3`");
	WRONG("\"path\" == 3", 0, "expected a condition");
	made_free(made);
}

CASE(wrong_names)
{
	struct made *made = made_new();
	WRONG("failed and pth == \"a\"", 11,
	      "column 12: unknown field `pth`; did you mean `path`?");
	WRONG("function == opne", 12, "`opne` in this trace; did you mean `open`?");
	WRONG("function == open64", 12, "`open64` is recorded under the name `open`");
	WRONG("function in open,pred", 17, "did you mean `pread`?");
	WRONG("parent.function == fopn", 19, "did you mean `fopen`?");
	WRONG("layer == posx", 9, "did you mean `posix`?");
	WRONG("kind == fil", 8, "did you mean `file`?");
	WRONG("errno in ENOENT,EACES", 16, "did you mean `EACCES`?");
	WRONG("inside fopen,fopn", 13, "did you mean `fopen`?");
	WRONG("arg.flgs == 1", 0, "no function has an argument `flgs`; did you mean `flags`?");
	WRONG("arg.flags has O_WRONLY|O_CRAET", 23, "did you mean `O_CREAT`?");
	WRONG("arg.whence == SEK_SET", 14, "did you mean `SEEK_SET`?");
	WRONG("errno == ENOTRECO", 9, "did you mean `ENOTRECOVERABLE`?");
	WRONG("function == zzzzzzzzzzzz", 12, "`zzzzzzzzzzzz`");
	made_free(made);
}

CASE(wrong_types)
{
	struct made *made = made_new();
	WRONG("size > \"4\"", 7, "4KiB");
	WRONG("size > many", 7, "`size` is a number");
	WRONG("rank == 010", 8, "without a leading 0");
	WRONG("rank == 99999999999999999999", 8, "is a number");
	WRONG("rank == 18446744073709551616", 8, "is a number");
	WRONG("rank == 0x10000000000000000", 8, "is a number");
	WRONG("rank == -18446744073709551616", 8, "is a number");
	WRONG("size like 3", 5, "`size` is a number: `like` does not apply");
	WRONG("size has 3", 5, "`has` does not apply");
	WRONG("path < 3", 5, "`path` is a text: `<` does not apply");
	WRONG("path has 3", 5, "`has` does not apply");
	WRONG("path in a:b", 8, "no ranges");
	WRONG("path == a|b", 9, "quotes");
	WRONG("time > 5", 7, "1.5s");
	WRONG("time > \"yesterday\"", 7, "date and time");
	WRONG("time > \"2026-02-29T00:00\"", 7, "date and time");
	WRONG("time > \"2026-11-15\"", 7, "date and time");
	WRONG("duration > \"2026-11-15T20:00\"", 11, "`duration` is a time");
	WRONG("arg.flags like \"x\"", 10, "use ==");
	WRONG("arg.path > 3", 9, "`arg.path` is a text");
	WRONG("arg.path in 1:3", 12, "no ranges");
	WRONG("arg.mode == 644", 12, "permission bits are octal; write 0644");
	WRONG("arg.offset == x", 14, "`arg.offset` is a number");
	made->trace.description_length = 0;
	WRONG("time > \"2026-11-15T20:00\"", 7, "time of day");
	made_free(made);
}

CASE(limits)
{
	struct made *made = made_new();
	static char text[2 * FILTER_TEXT_MOST];
	memset(text, ' ', FILTER_TEXT_MOST + 1);
	WRONG(text, FILTER_TEXT_MOST, "at most 65536 bytes");
	memset(text, '(', 201);
	strcpy(text + 201, "failed");
	WRONG(text, 200, "at most 200");
	memset(text, '!', 201);
	WRONG(text, 200, "at most 200");
	memset(text + 200, ' ', 1);
	ROW(made, "close", 0, 3);
	WANTED(text, "");
	text[199] = ' ';
	WANTED(text, "0");
	strcpy(text, "inside open");
	for (int i = 0; i < 32; i++)
		strcat(text, " or inside open");
	WRONG(text, 32 * 15, "at most 32 `inside`");
	strcpy(text, "failed");
	for (int i = 0; i < 1000; i++)
		strcat(text, " or failed");
	WRONG(text, 1000 * 10, "at most 1000 conditions");
	made_free(made);
}

CASE(regular_expressions)
{
	struct made *made = made_new();
	char text[400];
	WRONG("path ~ \"a(b\"", 7, "regular expression: ");
	WRONG("path ~ \"(a)\\1\"", 7, "back references");
	WRONG("path ~ \"((a{200}){200})\"", 7, "600 parts");
	WRONG("path ~ \"a**\"", 7, "two repetitions");
	WRONG("path ~ \"(a)+{2}\"", 7, "two repetitions");
	WRONG("path ~ \"(((((a?)*)+)?)*)\"", 7, "at most 4 deep");
	WRONG("path ~ \"a{256}\"", 7, "at most 255 times");
	WRONG("path ~ \"a{1,99999999999999999999}\"", 7, "at most 255 times");
	WRONG("path ~ \"((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)\"", 7, "at most 4 deep");
	snprintf(text, sizeof text, "path ~ \"%0257d\"", 0);
	WRONG(text, 7, "at most 256 bytes");
	ROW(made, "close", 0, 3);
	made_file(made, "b", "/a/b.nc");
	WANTED("absolute ~ \"\\.nc$\"", "0");
	WANTED("absolute ~ \"^/a/[[:alpha:]]{1,2}\\.\"", "0");
	WANTED("absolute ~ '/B'", "");
	WANTED("absolute !~ '/B'", "0");
	WANTED("absolute ~ \"[]\\\\1]\"", "");
	WANTED("path ~ \"\"", "0");
	made_free(made);
}

CASE(numbers)
{
	struct made *made = made_new();
	ROW(made, "pwrite", 4096, pair_make(4, 9), 4096, 0);
	ROW(made, "pread", 0, pair_make(5, 9), 100, 8192);
	ROW(made, "fwrite", 3, 10, 4, 7);
	size_t failed = ROW(made, "pwrite", -1, pair_make(4, 9), 5000, (uint64_t)-1);
	made->page.marks[failed] = VARVE_FAILED;
	made->page.error[failed] = 28;
	size_t open = ROW(made, "pwrite", 0, pair_make(6, 9), 100, 0);
	made->page.marks[open] = VARVE_UNFINISHED;
	ROW(made, "close", 0, pair_make(4, 9));
	WANTED("size >= 0", "0 1 2");
	WANTED("size == 4KiB", "0");
	WANTED("size == 4K or size == 30", "0 2");
	WANTED("size != 0", "0 2");
	WANTED("not size != 0", "1 3 4 5");
	WANTED("size in 0,30:40", "1 2");
	WANTED("size in 4KiB:", "0");
	WANTED("size in :29", "1");
	WANTED("size in -4:30:17", "2");
	WANTED("size in 0:4096:2048", "0 1");
	WANTED("size < -1", "");
	WANTED("has size", "0 1 2");
	WANTED("fd == 4", "0 3 5");
	WANTED("fd in 5,6", "1 4");
	WANTED("has fd", "0 1 3 4 5");
	WANTED("offset == -1", "3");
	WANTED("offset < 0x2000", "0 3 4");
	WANTED("result < 0", "3");
	WANTED("has result", "0 1 2 3 5");
	WANTED("errno == ENOSPC", "3");
	WANTED("errno == 28 and failed", "3");
	WANTED("errno != ENOENT", "3");
	WANTED("errno in 1:27", "");
	WANTED("unfinished", "4");
	WANTED("has unfinished", "0 1 2 3 4 5");
	WANTED("ordinal in 1:5:2", "1 3 5");
	WANTED("ordinal >= 18446744073709551615", "");
	WANTED("depth == 0 and ordinal > 4", "5");
	made_free(made);
}

CASE(descriptors)
{
	struct made *made = made_new();
	ROW(made, "open", 7, 0, O_RDWR, 0, 12);
	ROW(made, "openat", 8, pair_make(-100, 0), 0, O_CREAT, 0644, 13);
	ROW(made, "fopen", 14, 0, 0, 14);
	size_t failed = ROW(made, "open", -1, 0, O_RDONLY, 0, 0);
	made->page.marks[failed] = VARVE_FAILED;
	ROW(made, "pipe", 0, pair_make(20, 15), pair_make(21, 16));
	WANTED("fd == 7 or fd == -1", "");
	WANTED("fd == -100", "1");
	WANTED("has fd", "1 4");
	WANTED("fd == 20", "4");
	WANTED("arg.dirfd == AT_FDCWD", "1");
	WANTED("arg.handle in 12,13", "0 1");
	made_free(made);
}

CASE(times)
{
	struct made *made = made_new();
	for (int i = 0; i < 4; i++)
		ROW(made, "close", 0, 1);
	made->page.entry[3] = 30000000; /* 3 s */
	made->page.exit[3] = 30000000 + 15000;
	made->page.marks[1] = VARVE_UNFINISHED;
	WANTED("time == 1us", "1");
	WANTED("time in 1us:2s", "1 2");
	WANTED("time >= 2.999999999s", "3");
	WANTED("time > -1ns", "0 1 2 3");
	WANTED("time >= 0", "0 1 2 3");
	WANTED("end == 200ns", "0");
	WANTED("has end", "0 2 3");
	WANTED("duration > 1ms", "3");
	WANTED("duration <= 200ns", "0 2");
	WANTED("time >= \"2026-11-15T20:00:03\"", "3");
	WANTED("time > \"2026-11-15T20:00:03Z\"", "");
	WANTED("time >= \"2026-11-15T21:00:02.75+01:00\"", "3");
	WANTED("time < \"2026-11-15 15:00-05:00\"", "");
	WANTED("time <= '2026-11-15 20:00:00.000001'", "0 1");
	WANTED("time > \"0001-01-01T00:00\" and time < \"9999-12-31T23:59:59\"", "0 1 2 3");
	made_free(made);
}

CASE(texts)
{
	struct made *made = made_new();
	ROW(made, "open", 3, 0, 0, 0, 1);
	struct varve_file *file = made_file(made, "run.d/out.nc", "/scratch/run.d/out.nc");
	*file = (struct varve_file){
		file->given, file->absolute, VARVE_HANDLE_FILE, 1, VARVE_IDENTITY_SEEN, 66, 1234};
	ROW(made, "stat", 0, 0);
	made_file(made, "/home/.bashrc/", NULL);
	ROW(made, "close", 0, 1);
	made_file(made, NULL, "pipe:[77]")->handle = 2;
	ROW(made, "stat", 0, 0);
	made_file(made, "/", "/");
	ROW(made, "umask", 0, 0);
	ROW(made, "stat", 0, 0);
	made_file(made, "a\xff\"b", "/x/a\xff\"b");
	WANTED("has path", "0 1 3 5");
	WANTED("path == run.d/out.nc", "0");
	WANTED("path != run.d/out.nc", "1 3 5");
	WANTED("not path == run.d/out.nc", "1 2 3 4 5");
	WANTED("absolute like \"/scratch/*.nc\"", "0");
	WANTED("absolute like '/s*/???.d/[!a]*'", "0");
	WANTED("absolute startswith /s", "0");
	WANTED("absolute endswith c", "0");
	WANTED("absolute endswith a/longer/text/than/any/of/these/paths", "");
	WANTED("file == out.nc", "0");
	WANTED("file in .bashrc,\"pipe:[77]\"", "1 2");
	WANTED("has file", "0 1 2 5");
	WANTED("extension == nc", "0");
	WANTED("has extension", "0");
	WANTED("kind == file", "0");
	WANTED("kind != file", "2");
	WANTED("handle == 2", "2");
	WANTED("has handle", "0 2");
	WANTED("device == 66 and inode == 1234", "0");
	WANTED("inode != 5", "0");
	WANTED("path == \"a\\xff\\\"b\"", "5");
	WANTED("path == 'a\\xFF\"b'", "5");
	WANTED("has region or region == x or not region != x", "0 1 2 3 4 5");
	made_free(made);
}

CASE(functions)
{
	struct made *made = made_new();
	ROW(made, "fopen", 1, 0, 0, 1);
	ROW(made, "open", 3, 0, 0, 0, 2);
	ROW(made, "pread", 1, 0, 1, 0);
	ROW(made, "close", 0, 0);
	made->page.function[3] = 0xfe00; /* of a later Varve */
	made->page.parent[1] = made_id(made, "fopen");
	made->page.inside[1] = 2;
	made->page.marks[2] = VARVE_VFORK;
	WANTED("function == open", "1");
	WANTED("function != open", "0 2");
	WANTED("function in open,fopen", "0 1");
	WANTED("function like \"*open\"", "0 1");
	WANTED("function ~ '^pread.'", "");
	WANTED("function ~ \"^p\"", "2");
	WANTED("has function", "0 1 2");
	WANTED("has result", "0 1 2 3");
	WANTED("layer == stdio", "0");
	WANTED("layer != stdio", "1 2");
	WANTED("parent.function == fopen", "1");
	WANTED("parent.layer in stdio,posix", "1");
	WANTED("parent.function != open", "1");
	WANTED("has parent.layer", "1");
	WANTED("vfork", "2");
	WANTED("inside open or inside fopen", "1");
	WANTED("inside fopen", "");
	WANTED("not inside close and not inside 'f*'", "0 2 3");
	made_free(made);
}

CASE(inside_bits)
{
	struct made *made = made_new();
	struct varve_causes causes = {0};
	struct varve_filter *filter;
	size_t column;
	CHECK(filter_make(&made->trace, "inside open or inside \"f*\",close", &filter, &column,
			  &causes) == VARVE_OK);
	const uint32_t *inside = filter_inside(filter);
	CHECK_EQ(inside[made_id(made, "open")], 1);
	CHECK_EQ(inside[made_id(made, "close")], 2);
	CHECK_EQ(inside[made_id(made, "fopen")], 2);
	CHECK_EQ(inside[made_id(made, "pread")], 0);
	filter_free(filter);
	CHECK(filter_make(&made->trace, "failed", &filter, &column, &causes) == VARVE_OK);
	CHECK(!filter_inside(filter));
	filter_free(filter);
	made_free(made);
}

CASE(arguments)
{
	struct made *made = made_new();
	ROW(made, "open", 3, 1, O_RDWR | O_CREAT, 0644, 2);
	made_name(made, 0, "in.nc");
	ROW(made, "open", 3, 0, O_RDONLY | O_DSYNC, 0, 2);
	ROW(made, "open", 3, 0, O_RDONLY | O_SYNC, 0, 2);
	ROW(made, "fopen", 1, 1, 2, 1);
	made_name(made, 0, "log");
	made_name(made, 1, "0644");
	ROW(made, "lseek", 5, pair_make(3, 2), (uint64_t)-5, SEEK_END);
	size_t failed = ROW(made, "pipe", -1, 0, 0);
	made->page.marks[failed] = VARVE_FAILED;
	size_t few = ROW(made, "open", 3, 1);
	made_name(made, 0, "cut");
	WANTED("arg.flags has O_CREAT", "0");
	WANTED("arg.flags has O_RDWR|O_CREAT", "0");
	WANTED("arg.flags has O_RDONLY", "1 2");
	WANTED("arg.flags has O_DSYNC", "1");
	WANTED("arg.flags has O_SYNC", "2");
	WANTED("arg.flags has 0x42", "0");
	WANTED("arg.flags == O_RDWR|O_CREAT", "0");
	WANTED("arg.flags == O_RDWR", "");
	WANTED("arg.flags != O_RDWR|O_CREAT", "1 2");
	WANTED("arg.flags in O_RDONLY|O_DSYNC,0x42", "0 1");
	WANTED("has arg.flags", "0 1 2");
	WANTED("arg.mode == 0644", "0 3");
	WANTED("arg.mode == \"0644\"", "3");
	WANTED("arg.mode in 0600:0700", "0");
	WANTED("arg.mode startswith 06", "3");
	WANTED("has arg.mode", "0 1 2 3");
	WANTED("arg.path == in.nc", "0");
	WANTED("arg.path != in.nc", "3 6");
	WANTED("arg.path ~ 'o|u'", "3 6");
	WANTED("arg.mode == R_OK", "");
	WANTED("arg.mode == 4 or arg.mode == 42", "");
	WANTED("arg.offset < 0", "4");
	WANTED("arg.whence == SEEK_END", "4");
	WANTED("arg.whence in SEEK_SET,2", "4");
	WANTED("arg.whence > SEEK_CUR", "4");
	WANTED("arg.fd == 3", "4");
	CHECK_EQ(few, 6);
	made_free(made);
}

CASE(processes)
{
	struct made *made = made_new();
	ROW(made, "close", 0, 1);
	WANTED("rank in 0:3,5", "0");
	WANTED("rank != 5", "");
	WANTED("process == 3 and thread == 2 and pid == 700 and tid == 701", "0");
	WANTED("host == node7", "0");
	WANTED("program endswith solver", "0");
	made->block.header.rank = -1;
	WANTED("has rank or rank == -1 or rank != 5", "");
	made->block.header.process = 4;
	WANTED("host == front", "0");
	WANTED("has program", "");
	made_free(made);
}

CASE(logic)
{
	struct made *made = made_new();
	for (int i = 0; i < 8; i++) {
		ROW(made, "close", 0, 1);
		made->page.marks[i] =
			(uint8_t)((i & 1 ? VARVE_FAILED : 0) | (i & 2 ? VARVE_UNFINISHED : 0) |
				  (i & 4 ? VARVE_VFORK : 0));
	}
	WANTED("failed or unfinished and vfork", "1 3 5 6 7");
	WANTED("(failed or unfinished) and vfork", "5 6 7");
	WANTED("not failed and vfork", "4 6");
	WANTED("not (failed and vfork)", "0 1 2 3 4 6");
	WANTED("! failed && ! vfork || failed && vfork", "0 2 5 7");
	WANTED("not not failed", "1 3 5 7");
	WANTED("failed and not failed", "");
	WANTED("failed or not failed or vfork", "0 1 2 3 4 5 6 7");
	WANTED("((((((((((failed))))))) and ((((vfork and (not (not (not unfinished))))))))))",
	       "5");
	made_free(made);
}

static unsigned wants_of(struct made *made, const char *text)
{
	struct varve_causes causes = {0};
	struct varve_filter *filter;
	size_t column;
	if (!CHECK(filter_make(&made->trace, text, &filter, &column, &causes) == VARVE_OK))
		return UINT32_MAX;
	unsigned wants = filter_wants(filter);
	filter_free(filter);
	return wants;
}

CASE(wants)
{
	struct made *made = made_new();
	CHECK_EQ(wants_of(made, "function == open and failed and rank == 3"), 0);
	CHECK_EQ(wants_of(made, "duration > 1s"), WANT_TIMES);
	CHECK_EQ(wants_of(made, "has duration or has errno"), 0);
	CHECK_EQ(wants_of(made, "errno == ENOENT"), WANT_RESULTS);
	CHECK_EQ(wants_of(made, "size > 3"), WANT_RESULTS | WANT_WORDS);
	CHECK_EQ(wants_of(made, "offset > 3 or fd == 3"), WANT_WORDS);
	CHECK_EQ(wants_of(made, "arg.whence == 0"), WANT_WORDS);
	CHECK_EQ(wants_of(made, "arg.path == a"), WANT_WORDS | WANT_DEFINITIONS);
	CHECK_EQ(wants_of(made, "path == a or inode == 3"), PAGE_FILES);
	CHECK_EQ(wants_of(made, "parent.layer == posix"), PAGE_PARENTS);
	CHECK_EQ(wants_of(made, "inside open"), PAGE_INSIDE);
	made_free(made);
}

/* For each field a value, and the rows of field_rows() that have it: no other field has this value in the same rows. */
static const struct {
	const char *field, *value, *rows;
} field_values[] = {
	{"layer", "posix", "0"},
	{"function", "pread", "0"},
	{"path", "given", "0"},
	{"absolute", "/x/last.ext", "0"},
	{"file", "last.ext", "0"},
	{"extension", "ext", "0"},
	{"kind", "pipe", "0"},
	{"fd", "6", "0"},
	{"handle", "7", "0"},
	{"device", "66", "0"},
	{"inode", "1234", "0"},
	{"size", "100", "0 1"},
	{"offset", "4096", "0"},
	{"result", "100", "0"},
	{"errno", "ENOSPC", "2"},
	{"time", "300ns", "0"},
	{"end", "800ns", "0"},
	{"duration", "500ns", "0"},
	{"rank", "5", "0 1 2 3 4 5"},
	{"world", "1", "0 1 2 3 4 5"},
	{"process", "3", "0 1 2 3 4 5"},
	{"thread", "2", "0 1 2 3 4 5"},
	{"pid", "700", "0 1 2 3 4 5"},
	{"tid", "701", "0 1 2 3 4 5"},
	{"host", "node7", "0 1 2 3 4 5"},
	{"program", "/usr/bin/solver", "0 1 2 3 4 5"},
	{"depth", "9", "0"},
	{"ordinal", "40", "0"},
	{"region", "solve", "0"},
	{"parent.function", "lio_listio", "0"},
	{"parent.layer", "process", "1"},
	{"failed", NULL, "2"},
	{"unfinished", NULL, "3"},
	{"vfork", NULL, "4"},
	{"runtime", NULL, "5"},
};

/* A row with all values, and one for each mark. */
static struct made *field_rows(void)
{
	static const uint8_t marks[] = {
		0, 0, VARVE_FAILED, VARVE_UNFINISHED, VARVE_VFORK, VARVE_RUNTIME};
	struct made *made = made_new();
	struct page *page = &made->page;
	ROW(made, "pread", 100, pair_make(6, 7), 200, 4096);
	struct varve_file *file = made_file(made, "given", "/x/last.ext");
	*file = (struct varve_file){
		file->given, file->absolute, VARVE_HANDLE_PIPE, 7, VARVE_IDENTITY_SEEN, 66, 1234};
	ROW(made, "fread", 25, 4, 30, 8);
	for (size_t i = 2; i < sizeof marks; i++)
		ROW(made, "fclose", 0, 8);
	memcpy(page->marks, marks, sizeof marks);
	page->error[2] = ENOSPC;
	page->entry[0] = 3;
	page->exit[0] = 8;
	page->depth[0] = 9;
	page->ordinal[0] = 40;
	page->region[0] = (struct varve_text){"solve", 5};
	page->parent[0] = made_id(made, "lio_listio");
	page->parent[1] = made_id(made, "fork");
	return made;
}

/* Each field has its own value and not that of another one: a field without its branch in filter_rows.c has none. */
CASE(every_field)
{
	const size_t count = sizeof field_values / sizeof *field_values;
	struct made *made = field_rows();
	for (size_t i = 0; i < filter_field_count; i++) {
		const char *name = filter_fields[i].name;
		char text[128];
		size_t at = 0;
		while (at < count && strcmp(field_values[at].field, name) != 0)
			at++;
		if (!CHECK(at < count)) {
			printf("# field_values has no row for `%s`\n", name);
			continue;
		}
		const char *value = field_values[at].value;
		snprintf(text, sizeof text, value ? "%s == %s" : "%s", name, value);
		if (!CHECK_STR(wanted(made, text), field_values[at].rows))
			printf("# %s\n", text);
	}
	made_free(made);
}

/* The table in the document has a row for each field, with the text of filter_fields.def. */
CASE(document)
{
	const char *folder = getenv("VARVE_SOURCE");
	char path[4096], row[1024];
	static char text[256 * 1024];
	if (!folder) {
		printf("# VARVE_SOURCE is not set: the document is not looked at\n");
		return;
	}
	snprintf(path, sizeof path, "%s/docs/filter.md", folder);
	FILE *file = fopen(path, "r");
	if (!CHECK(file))
		return;
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	for (size_t i = 0; i <= filter_field_count; i++) {
		const struct field *field =
			i < filter_field_count ? &filter_fields[i] : &filter_argument;
		snprintf(row, sizeof row, "\n| `%s` | %s | %s |\n", field->name,
			 field_type_name(field->type), field->help);
		if (!CHECK(strstr(text, row)))
			printf("# missing: %s", row + 1);
	}
}

RUN(ENTRY(wrong_words), ENTRY(wrong_grammar), ENTRY(wrong_names), ENTRY(wrong_types), ENTRY(limits),
    ENTRY(regular_expressions), ENTRY(numbers), ENTRY(descriptors), ENTRY(times), ENTRY(texts),
    ENTRY(functions), ENTRY(inside_bits), ENTRY(arguments), ENTRY(processes), ENTRY(logic),
    ENTRY(wants), ENTRY(every_field), ENTRY(document))
