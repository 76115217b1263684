/* Unusual paths: odd bytes, the longest ones, links and renames, a removed folder, a descriptor that was received over a socket,
 * very many files. Does what its first argument names and prints the results; does not use Varve. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *what, long result)
{
	printf("%s %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "-");
}

static int made(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	tell("open", fd);
	return fd;
}

/* Names from stdin, each ended by a zero byte: made, written, stat, linked, renamed, removed. */
static void names(void)
{
	static char name[5000], other[5100];
	size_t length = 0;
	char byte;
	while (read(0, &byte, 1) == 1) {
		name[length++] = byte;
		if (byte)
			continue;
		length = 0;
		struct stat about;
		int fd = made(name);
		tell("pwrite", pwrite(fd, name, 3, 5));
		tell("close", close(fd));
		tell("stat", stat(name, &about));
		snprintf(other, sizeof other, "%s+", name);
		tell("link", link(name, other));
		snprintf(name, sizeof name, "%s-", other);
		tell("rename", rename(other, name));
		tell("unlink", unlink(name));
	}
}

/* Paths of these lengths to the same file, with many `./`. */
static void lengths(int count, char **words)
{
	for (int i = 0; i < count; i++) {
		size_t length = strtoul(words[i], NULL, 10);
		char *path = malloc(length + 1), *at = path;
		if (length % 2 == 0)
			*at++ = '.', *at++ = '/', *at++ = '/';
		while (at < path + length - 1)
			*at++ = '.', *at++ = '/';
		*at++ = 'x';
		*at = 0;
		int fd = made(path);
		if (fd >= 0)
			tell("close", close(fd));
		free(path);
	}
}

/* One file under several names: for each opening and writing the present name is printed. */
static void links(void)
{
	int first = made("a");
	tell("link", link("a", "b"));
	int second = open("b", O_RDONLY);
	tell("rename", rename("b", "c"));
	int third = open("c", O_RDONLY);
	tell("pwrite", pwrite(first, "abc", 3, 0));
	char bytes[3];
	tell("pread", pread(second, bytes, 3, 0));
	tell("pread", pread(third, bytes, 2, 1));
	tell("close", close(made("other")));
	tell("renameat2", renameat2(AT_FDCWD, "c", AT_FDCWD, "other", RENAME_EXCHANGE));
	int exchanged = open("c", O_RDONLY);
	tell("pread", pread(exchanged, bytes, 1, 0));
	tell("symlink", symlink("other", "s"));
	int through = open("s", O_RDONLY);
	tell("pread", pread(through, bytes, 3, 0));
	tell("mkdir", mkdir("d", 0700));
	tell("close", close(made("d/inside")));
	tell("rename", rename("d", "e"));
	int moved = open("e/inside", O_RDONLY);
	tell("pread", pread(moved, bytes, 3, 0));
}

/* The working directory is removed, with a descriptor of it open. */
static void gone(void)
{
	char path[4096];
	struct stat about;
	tell("mkdir", mkdir("d", 0700));
	tell("chdir", chdir("d"));
	int here = open(".", O_RDONLY | O_DIRECTORY);
	tell("rmdir", rmdir("../d"));
	tell("getcwd", getcwd(path, sizeof path) ? 0 : -1);
	tell("open", open("x", O_RDWR | O_CREAT, 0600));
	tell("stat", stat(".", &about));
	tell("openat", openat(here, "y", O_RDONLY));
	tell("open", open("/dev/null", O_RDONLY));
	tell("fchdir", fchdir(here));
	tell("chdir", chdir(".."));
	tell("open", open("..", O_RDONLY | O_DIRECTORY));
	tell("chdir", chdir("/"));
	tell("stat", stat("dev", &about));
}

static int received(int from)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec vector = {&byte, 1};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = room,
				 .msg_controllen = sizeof room};
	if (recvmsg(from, &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
		return -1;
	int fd;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
	return fd;
}

static void sent(int to, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec vector = {&byte, 1};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = room,
				 .msg_controllen = sizeof room};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	tell("sendmsg", sendmsg(to, &message, 0));
}

/* The child receives two descriptors one after the other, with the same number. */
static void passed(void)
{
	int pair[2], status;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(2);
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		close(pair[0]);
		for (long i = 0; i < 2; i++) {
			int fd = received(pair[1]);
			if (pwrite(fd, "child", 5, i) != 5)
				_exit(3);
			close(fd);
		}
		_exit(0);
	}
	close(pair[1]);
	int one = made("one"), two = made("two");
	sent(pair[0], one);
	sent(pair[0], two);
	waitpid(child, &status, 0);
	tell("child", status);
	tell("pread", pread(one, &status, 4, 0));
	tell("pread", pread(two, &status, 4, 1));
}

/* `count` different files, in 256 folders: made, written, closed, removed. */
static void many(unsigned count)
{
	char path[64];
	for (unsigned i = 0; i < 256; i++) {
		snprintf(path, sizeof path, "d%02x", i);
		if (mkdir(path, 0700))
			exit(2);
	}
	for (unsigned i = 0; i < count; i++) {
		snprintf(path, sizeof path, "d%02x/file-%08u", i % 256, i * 7919u);
		int fd = open(path, O_WRONLY | O_CREAT, 0600);
		if (fd < 0 || pwrite(fd, path, 8, i) != 8 || close(fd) || unlink(path))
			exit(3);
	}
	tell("files", (long)count);
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "";
	if (!strcmp(what, "names"))
		names();
	else if (!strcmp(what, "lengths"))
		lengths(count - 2, words + 2);
	else if (!strcmp(what, "links"))
		links();
	else if (!strcmp(what, "gone"))
		gone();
	else if (!strcmp(what, "passed"))
		passed();
	else if (!strcmp(what, "many") && count > 2)
		many((unsigned)strtoul(words[2], NULL, 10));
	else
		return 1;
	return 0;
}
