/* Moves known numbers of bytes through streams and between files: 7,000 written and 14,000 read by characters, lines and blocks, each
 * file read to its end; then copies by calls on two files. For tests/cli/test_moved.py. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>
#include <wchar.h>

/* The compiler would replace these by other calls. */
static int (*volatile put_string)(const char *, FILE *) = fputs;
static int (*volatile put_char)(int, FILE *) = putc;
static int (*volatile print)(FILE *, const char *, ...) = fprintf;

static void write_all(const char *name)
{
	FILE *file = fopen(name, "w");
	for (int i = 0; i < 500; i++)
		put_string("123456\n", file);
	for (int i = 0; i < 2000; i++)
		put_char(i % 50 == 49 ? '\n' : 'c', file);
	for (int i = 0; i < 100; i++)
		print(file, "%09d\n", i);
	fwrite("0123456789", 5, 2, file);
	for (int i = 0; i < 490; i++)
		fputc('f', file);
	fclose(file);
}

static void read_all(const char *name)
{
	char line[64], *grown = NULL;
	size_t room = 0;
	FILE *file = fopen(name, "r");
	while (fgets(line, sizeof line, file))
		;
	fclose(file);
	file = fopen(name, "r");
	for (int i = 0; i < 1000; i++)
		getc(file);
	for (int i = 0; i < 1000; i++)
		fgetc(file);
	ungetc('x', file);
	while (getline(&grown, &room, file) >= 0)
		;
	free(grown);
	fclose(file);
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out = open(to, O_RDWR | O_CREAT | O_TRUNC, 0644);
	int ends[2];
	off_t at = 100;
	off_t from_at = 50, to_at = 4000;
	if (copy_file_range(in, NULL, out, NULL, 3000, 0) != 3000 ||
	    copy_file_range(in, &from_at, out, &to_at, 500, 0) != 500 ||
	    sendfile(out, in, &at, 1000) != 1000 || pipe(ends) ||
	    splice(in, NULL, ends[1], NULL, 700, 0) != 700 ||
	    splice(ends[0], NULL, out, NULL, 700, 0) != 700)
		_exit(1);
	from_at = 0, to_at = 5000;
	if (copy_file_range(out, &from_at, out, &to_at, 10, 0) != 10)
		_exit(2);
	close(in);
	close(out);
	rename(to, "moved");
	link("moved", "linked");
}

int main(void)
{
	write_all("text");
	read_all("text");
	copy("text", "copied");
	/* Wide characters: the number of their bytes depends on the stream. */
	FILE *file = fopen("wide", "w");
	fputwc(L'w', file);
	fputws(L"wide", file);
	fclose(file);
	return 0;
}
