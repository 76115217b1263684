/* Calls: arguments that are hard to record: addresses that cannot be read, names that are too long, odd characters.
 * See tests/calls/call.h.
 */
#include "../../calls/call.h"

#include <sys/mman.h>
#include <sys/uio.h>

enum { PAGE = 4096 };

static int (*open_it)(const char *, int, ...);
static int (*look)(const char *, struct stat *);

static void opened(const char *path, const char *shown)
{
	use("open", &(struct variant)LINKED(open));
	TRY(open_it(path, O_RDONLY));
	line("path=%s, flags=O_RDONLY", shown);
	if (call.result >= 0)
		close_fd(call.result);
}

static void looked(const char *path, const char *shown)
{
	struct stat found;
	use("stat", &(struct variant)LINKED(stat));
	TRY(look(path, &found));
	line("path=%s", shown);
}

static char *map_pages(int count)
{
	void *(*map)(void *, size_t, int, int, int, off_t) =
		use("mmap", &(struct variant)LINKED(mmap));
	char *found = (char *)TRY(map(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	line_as(" = NULL",
		"addr=NULL, length=%d, prot=PROT_READ|PROT_WRITE, flags=MAP_PRIVATE|MAP_ANONYMOUS, "
		"fd=-1, offset=0",
		count * PAGE);
	return found;
}

/* Addresses that are not mapped reach the real function, which fails with EFAULT. */
static void wrong_addresses(void)
{
	opened(NULL, "NULL");
	opened((char *)8, "NULL");
	opened((char *)0x1000, "NULL");
	opened((char *)~0ul, "NULL");
	opened((char *)0x7000000000000000, "NULL");
	looked((char *)1, "NULL");
	ssize_t (*write_it)(int, const struct iovec *, int) =
		use("writev", &(struct variant)LINKED(writev));
	TRY(write_it(1, (void *)0x7000000000000000, 3));
	line("fd=%s, iov=0, count=3", fd(1));
}

/* Text at the end of a page; the next page is there, missing, or not readable. */
static void at_the_edge(void)
{
	char *pages = map_pages(2);
	char *text_at = pages + PAGE - 8;
	memcpy(text_at, "straddle-path", 14);
	opened(text_at, "\"straddle-path\"");
	int (*forget)(void *, size_t) = use("munmap", &(struct variant)LINKED(munmap));
	TRY(forget(pages + PAGE, PAGE));
	line("addr=NULL, length=4096");
	opened(text_at, "NULL");
	memcpy(text_at, "missing", 8);
	opened(text_at, "\"missing\"");
}

/* A page that was read before is moved away, or mapped over. */
static void gone_again(int how)
{
	char *pages = map_pages(1);
	strcpy(pages, "missing");
	opened(pages, "\"missing\"");
	if (how == 1) {
		void *(*resize)(void *, size_t, size_t, int, ...) =
			use("mremap", &(struct variant)LINKED(mremap));
		TRY(resize(pages, PAGE, 1000 * PAGE, MREMAP_MAYMOVE));
		line_as(" = NULL", "addr=NULL, length=4096, newlength=4096000, "
				   "flags=MREMAP_MAYMOVE, newaddr=NULL");
		if ((char *)call.result == pages)
			return;
	} else {
		void *(*map)(void *, size_t, int, int, int, off_t) =
			use("mmap", &(struct variant)LINKED(mmap));
		TRY(map(pages, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
		line_as(" = NULL", "addr=NULL, length=4096, prot=PROT_NONE, "
				   "flags=MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS, "
				   "fd=-1, offset=0");
	}
	opened(pages, "NULL");
}

/* Names are recorded up to 4096 bytes. */
static void too_long(void)
{
	static char path[5001];
	memset(path, 'p', sizeof path - 1);
	opened(path, text("\"%.4096s\"", path));
	path[4095] = 0;
	opened(path, text("\"%s\"", path));
	for (int i = 100; i < 4095; i += 100)
		path[i] = '/';
	path[4094] = '/';
	looked(path, text("\"%s\"", path));
	path[255] = 0;
	looked(path, text("\"%s\"", path));
}

static void odd(const char *path, const char *shown, const char *in_json)
{
	put_file(path, "x");
	use("stat", &(struct variant)LINKED(stat));
	struct stat found;
	TRY(look(path, &found));
	facts("\"path\":\"%s\",\"absolute\":\"%s/%s\"", in_json, call.folder, in_json);
	line("path=\"%s\"", shown);
}

static void odd_characters(void)
{
	odd("a \"quoted\" name", "a \\\"quoted\\\" name", "a \\\"quoted\\\" name");
	odd("two\nlines\tand\\more\r", "two\\nlines\\tand\\\\more\\r",
	    "two\\nlines\\tand\\\\more\\r");
	odd("bell\a\x1b[31m\x7f", "bell\\x07\\x1b[31m\\x7f", "bell\\u0007\\u001b[31m\\u007f");
	odd("grün-\xe6\xbc\xa2", "grün-\xe6\xbc\xa2", "grün-\xe6\xbc\xa2");
	odd("latin\xfc\xff", "latin\\xfc\\xff", "latin\\udcfc\\udcff");
	odd("cut\xe6\xbc", "cut\\xe6\\xbc", "cut\\udce6\\udcbc");
	odd("<angle>", "<angle>", "<angle>");
	int number = open_fd("<angle>", O_RDONLY, "O_RDONLY");
	int (*sync_it)(int) = use("fsync", &(struct variant)LINKED(fsync));
	TRY(sync_it(number));
	line("fd=%d <%s/<angle\\x3e>", number, call.folder);
	int (*link_it)(const char *, const char *) =
		use("symlink", &(struct variant)LINKED(symlink));
	TRY(link_it("\"to\"\n", "pointer"));
	line("target=\"\\\"to\\\"\\n\", newpath=\"pointer\"");
}

int main(int count, char **arguments)
{
	open_it = open;
	look = stat;
	if (count > 1) {
		gone_again(atoi(arguments[1]));
		return 0;
	}
	wrong_addresses();
	at_the_edge();
	too_long();
	odd_characters();
	return 0;
}
