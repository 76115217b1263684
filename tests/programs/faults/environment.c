/* Prints its environment. Usage: environment [change]
 *
 * `change`: another thread changes variables while a shell runs; all changes must stay, and nothing else may appear. */
#define _GNU_SOURCE
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void list(const char *title, char **list)
{
	printf("%s\n", title);
	for (; list && *list; list++)
		printf("  %s\n", *list);
}

/* The auxiliary vector follows the environment; runtimes of other languages search it there. */
static unsigned long page_size(char **list)
{
	while (*list)
		list++;
	for (const Elf64_auxv_t *entry = (const void *)(list + 1); entry->a_type; entry++)
		if (entry->a_type == AT_PAGESZ)
			return entry->a_un.a_val;
	return 0;
}

static void *change(void *unused)
{
	usleep(100000);
	setenv("CHANGED", "in another thread", 1);
	unsetenv("REMOVED");
	setenv("ADDED", "in another thread", 1);
	setenv("CHANGED", "twice", 1);
	return unused;
}

static void *change_in_place(void *unused)
{
	usleep(100000);
	setenv("CHANGED", "in place", 1);
	unsetenv("REMOVED");
	return unused;
}

static void during(void *(*body)(void *))
{
	pthread_t thread;
	setenv("CHANGED", "before", 1);
	setenv("REMOVED", "before", 1);
	pthread_create(&thread, NULL, body, NULL);
	printf("shell %d\n", system("sleep 0.3; test -n \"$CHANGED\""));
	pthread_join(thread, NULL);
	list("after a shell", environ);
}

static void *fork_meanwhile(void *unused)
{
	usleep(100000);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		list("in a child", environ);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return unused;
}

int main(int count, char **arguments, char **given)
{
	list("given", given);
	list("environ", environ);
	printf("page size %lu\n", page_size(given));
	fflush(stdout);
	if (count > 1 && strcmp(arguments[1], "change") == 0) {
		during(change_in_place);
		during(change);
		during(fork_meanwhile);
		return 0;
	}
	printf("shell %d\n", system("echo $A; env | grep -c ."));
	FILE *shell = popen("env | grep -v ^PWD= | sort", "w");
	printf("popen %d\n", pclose(shell));
	list("after shells", environ);
	fflush(stdout);
	clearenv();
	printf("cleared %d\n", system("test -z \"$A\""));
	list("still cleared", environ);
	fflush(stdout);
	execl("/usr/bin/env", "env", (char *)NULL);
	return 1;
}
