/* Looks functions up by name, in the way of its first argument, and calls the found ones. Prints the facts that a program can see:
 * whether a function is found, whether it is the function that the program is linked with, and the errors.
 *
 *	lookups calls PATH	the C library's functions, by all handles; writes 6 times 3 bytes to PATH and reads them
 *	lookups errors		names that do not exist, and old versions of others
 *	lookups plugin LIBRARY	the library defines functions with names of the C library
 *	lookups aio LIBRARY PATH	libaio, opened here
 *	lookups namespace	the C library of another namespace
 *	lookups threads		many threads look the same names up
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ssize_t writes(int fd, const void *bytes, size_t size);

static void *library;

static void calls(const char *path)
{
	void *program = dlopen(NULL, RTLD_NOW);
	int (*opens)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(library, "open");
	writes *by[] = {(writes *)dlsym(library, "write"),
			(writes *)dlvsym(library, "write", "GLIBC_2.2.5"),
			(writes *)dlsym(program, "write"),
			(writes *)dlsym(RTLD_DEFAULT, "write"),
			(writes *)dlsym(RTLD_NEXT, "write"),
			(writes *)dlvsym(RTLD_DEFAULT, "write", "GLIBC_2.2.5")};
	int fd = opens(path, O_CREAT | O_RDWR, 0600);
	for (size_t i = 0; i < sizeof by / sizeof *by; i++)
		printf("%zu: %zd %d\n", i, by[i](fd, "abc", 3), by[i] == write);
	char buffer[18];
	void *(*looks)(void *, const char *) =
		(void *(*)(void *, const char *))dlsym(library, "dlsym");
	ssize_t (*reads)(int, void *, size_t, off_t) =
		(ssize_t(*)(int, void *, size_t, off_t))looks(library, "pread");
	printf("dlsym %d, pread %zd\n", looks == dlsym, reads(fd, buffer, sizeof buffer, 0));
	close(fd);
}

static void asked(void *handle, const char *name, const char *version)
{
	void *found = version ? dlvsym(handle, name, version) : dlsym(handle, name);
	const char *error = dlerror();
	printf("%s %s: %d, %s, ", name, version ? version : "", found != NULL,
	       error ? error : "no error");
	puts(dlerror() ? "then an error" : "then none");
}

static void errors(void)
{
	void *handles[] = {RTLD_DEFAULT, RTLD_NEXT, library, dlopen(NULL, RTLD_NOW)};
	static const char *const names[] = {"MPI_Init",		"PMPI_Send", "H5Fopen",
					    "nc_open",		"io_submit", "io_uring_submit",
					    "no_such_function", "read",	     "strlen"};
	for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
			asked(handles[i], names[k], NULL);
			asked(handles[i], names[k], "GLIBC_2.2.5");
			asked(handles[i], names[k], "NO_SUCH_VERSION");
		}
	/* An error that was not read is cleared by the next successful lookup. */
	dlsym(RTLD_DEFAULT, "MPI_Init");
	dlsym(library, "write");
	printf("%s\n", dlerror() ? "an error" : "none");
	dlsym(RTLD_DEFAULT, "MPI_Init");
	dlsym(library, "strlen");
	printf("%s\n", dlerror() ? "an error" : "none");
	char *(*old)(const char *, char *) =
		(char *(*)(const char *, char *))dlvsym(library, "realpath", "GLIBC_2.2.5");
	printf("%d %s\n", old("/", NULL) == NULL, realpath("/", NULL));
}

static void plugin(const char *path)
{
	void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*own)(int) = (int (*)(int))dlsym(opened, "open");
	writes *past = (writes *)dlsym(dlsym(opened, "next_write") ? opened : NULL, "write");
	writes *(*next)(void) = (writes * (*)(void)) dlsym(opened, "next_write");
	printf("%d %d %zd\n", own(7), past == write, next()(1, "past\n", 5));
}

static void aio(const char *path, const char *name)
{
	void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*setup)(int, void **) = (int (*)(int, void **))dlsym(opened, "io_setup");
	int (*destroy)(void *) = (int (*)(void *))dlsym(opened, "io_destroy");
	void *context = NULL;
	int made = setup(4, &context);
	printf("%d %d\n", made, destroy(context));
	(void)name;
}

static void *looks(void *argument)
{
	static const char *const names[] = {"read",   "MPI_Init", "open",
					    "strlen", "pwrite",	  "H5Fopen"};
	size_t found = 0;
	(void)argument;
	for (int i = 0; i < 3000; i++)
		found += dlsym(i % 2 ? library : RTLD_DEFAULT, names[i % 6]) != NULL;
	return (void *)found;
}

static void threads(void)
{
	enum { THREADS = 8 };
	pthread_t all[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, looks, NULL);
	for (int i = 0; i < THREADS; i++) {
		void *found;
		pthread_join(all[i], &found);
		printf("%zu\n", (size_t)found);
	}
}

int main(int count, char **words)
{
	const char *how = count > 1 ? words[1] : "";
	library = dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL);
	if (!strcmp(how, "calls"))
		calls(words[2]);
	else if (!strcmp(how, "errors"))
		errors();
	else if (!strcmp(how, "plugin"))
		plugin(words[2]);
	else if (!strcmp(how, "aio"))
		aio(words[2], words[3]);
	else if (!strcmp(how, "threads"))
		threads();
	else if (!strcmp(how, "namespace")) {
		void *other = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
		writes *there = (writes *)dlsym(other, "write");
		printf("%zd %d\n", there(1, "there\n", 6), there == write);
	}
	return 0;
}
