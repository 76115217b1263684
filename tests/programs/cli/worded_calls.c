/* For tests/cli/test_words.py. Usage: worded_calls [again [PROGRAM]]
 *
 * Calls whose values `varve dump` prints as words: addresses, times, ends of processes, system calls, options of sockets, exec.
 * With `again` it only tries a program that does not exist, then becomes PROGRAM (/bin/true). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct pollfd ready = {1, POLLOUT, 0};

static void map_and_poll(void)
{
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page, 4096);
	mmap(0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ppoll(NULL, 0, &(struct timespec){0, 1500}, NULL);
	ppoll(&ready, 1, &(struct timespec){3599, 999999999}, NULL);
	ppoll(&ready, 1, NULL, NULL);
}

static void end_children(void)
{
	int status;
	siginfo_t info;
	if (!fork())
		_exit(7);
	wait(&status);
	if (!fork())
		kill(getpid(), SIGKILL);
	wait(&status);
	pid_t child = fork();
	if (!child)
		_exit(3);
	waitid(P_PID, (id_t)child, &info, WEXITED);
}

static void set_options(void)
{
	int one = 1, fd = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){1, 500000},
		   sizeof(struct timeval));
	one = 1500;
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &one, sizeof one);
	poll(&ready, 1, 1500);
	poll(&ready, 1, -1);
	poll(&ready, 1, 0);
	int events = epoll_create1(0);
	epoll_wait(events, &(struct epoll_event){0}, 1, 2);
	char room[64] = "lo";
	ioctl(fd, SIOCGIFINDEX, room);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND);
}

int main(int argc, char **argv)
{
	int status;
	if (argc > 1) {
		execl("/nowhere/true", "true", NULL);
		execl(argc > 2 ? argv[2] : "/bin/true", "true", NULL);
		_exit(1);
	}
	map_and_poll();
	end_children();
	syscall(SYS_lseek, 99, 0, SEEK_CUR);
	set_options();
	if (!vfork()) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	wait(&status);
	if (!vfork())
		_exit(2);
	wait(&status);
	execl(argv[0], argv[0], "again", NULL);
	return 1;
}
