/* Object: finds I/O of an object that Varve cannot record. See unseen.h. */
#include "object/unseen.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define NUMBER(name)                                                                               \
	{                                                                                          \
		SYS_##name, #name                                                                  \
	}

/* System calls that work on files and descriptors. */
static const struct {
	int number;
	const char *name;
} kernel_calls[] = {
	NUMBER(read),
	NUMBER(write),
	NUMBER(open),
	NUMBER(close),
	NUMBER(stat),
	NUMBER(fstat),
	NUMBER(lstat),
	NUMBER(lseek),
	NUMBER(mmap),
	NUMBER(ioctl),
	NUMBER(pread64),
	NUMBER(pwrite64),
	NUMBER(readv),
	NUMBER(writev),
	NUMBER(access),
	NUMBER(pipe),
	NUMBER(dup),
	NUMBER(dup2),
	NUMBER(sendfile),
	NUMBER(socket),
	NUMBER(connect),
	NUMBER(accept),
	NUMBER(sendto),
	NUMBER(recvfrom),
	NUMBER(sendmsg),
	NUMBER(recvmsg),
	NUMBER(fcntl),
	NUMBER(flock),
	NUMBER(fsync),
	NUMBER(fdatasync),
	NUMBER(truncate),
	NUMBER(ftruncate),
	NUMBER(getdents),
	NUMBER(getdents64),
	NUMBER(chdir),
	NUMBER(rename),
	NUMBER(mkdir),
	NUMBER(rmdir),
	NUMBER(creat),
	NUMBER(link),
	NUMBER(unlink),
	NUMBER(symlink),
	NUMBER(readlink),
	NUMBER(chmod),
	NUMBER(fchmod),
	NUMBER(statfs),
	NUMBER(fstatfs),
	NUMBER(sync),
	NUMBER(mount),
	NUMBER(io_setup),
	NUMBER(io_submit),
	NUMBER(io_getevents),
	NUMBER(openat),
	NUMBER(mkdirat),
	NUMBER(newfstatat),
	NUMBER(unlinkat),
	NUMBER(renameat),
	NUMBER(splice),
	NUMBER(tee),
	NUMBER(sync_file_range),
	NUMBER(vmsplice),
	NUMBER(fallocate),
	NUMBER(dup3),
	NUMBER(pipe2),
	NUMBER(preadv),
	NUMBER(pwritev),
	NUMBER(memfd_create),
	NUMBER(copy_file_range),
	NUMBER(preadv2),
	NUMBER(pwritev2),
	NUMBER(statx),
	NUMBER(io_uring_setup),
	NUMBER(io_uring_enter),
	NUMBER(io_uring_register),
	NUMBER(openat2),
	NUMBER(close_range),
};
enum { KERNEL_CALLS = sizeof kernel_calls / sizeof *kernel_calls };

/* Functions of I/O libraries without a row; the calls that they make are recorded. */
static const struct {
	const char *prefix;
	const char *why;
} families[] = {
	{"io_uring_", "io_uring: requests submitted to a ring are not recorded"},
	{"MPI_File_", "not recorded, unlike the rest of MPI-IO; the calls below it are"},
	{"H5D", "not recorded, unlike the rest of HDF5; the calls below it are"},
	{"H5F", "not recorded, unlike the rest of HDF5; the calls below it are"},
	{"nc_", "not recorded, unlike the rest of NetCDF; the calls below it are"},
	{"ncmpi_", "not recorded, unlike the rest of PnetCDF; the calls below it are"},
};

static const char **symbol_place(const struct unseen_rows *rows, const char *name)
{
	size_t at = hash_name(name, strlen(name), 0) & (rows->room - 1);
	while (rows->symbols[at] && strcmp(rows->symbols[at], name))
		at = (at + 1) & (rows->room - 1);
	return &rows->symbols[at];
}

/* Collects all symbols of functions in a hash table: an object imports hundreds, and there are thousands. */
static bool symbols_learn(struct unseen_rows *rows,
			  const struct varve_function *(*function_at)(const void *from, size_t i),
			  const void *from, size_t functions)
{
	size_t count = 1;
	for (size_t i = 0; i < functions; i++)
		count += function_at(from, i)->symbol_count;
	for (rows->room = 64; rows->room < count * 2;)
		rows->room *= 2;
	rows->symbols = calloc(rows->room, sizeof *rows->symbols);
	for (size_t i = 0; rows->symbols && i < functions; i++) {
		const struct varve_function *function = function_at(from, i);
		const char *symbol = function->symbols;
		for (uint32_t k = 0; k < function->symbol_count; k++) {
			*symbol_place(rows, symbol) = symbol;
			symbol += strlen(symbol) + 1;
		}
	}
	return rows->symbols;
}

static const struct varve_function *own_function(const void *from, size_t i)
{
	return &((const struct tables *)from)->functions[i];
}

static const struct varve_function *recorded_function(const void *from, size_t i)
{
	return varve_function_at(from, i);
}

void unseen_known_make(struct unseen_known *known, const struct varve_trace *trace)
{
	*known = (struct unseen_known){.by_trace = trace,
				       .part = trace && !varve_functions_whole(trace)};
	if (tables_parse(tables_blob, tables_blob_size, &known->tables, NULL) != VARVE_OK)
		return;
	if (!symbols_learn(&known->own, own_function, &known->tables,
			   known->tables.function_count) ||
	    (trace && !symbols_learn(&known->recorded, recorded_function, trace,
				     varve_function_count(trace))))
		unseen_known_clear(known);
}

void unseen_known_clear(struct unseen_known *known)
{
	free(known->own.symbols);
	free(known->recorded.symbols);
	tables_clear(&known->tables);
	*known = (struct unseen_known){0};
}

static bool rows_cover(const struct unseen_rows *rows, const char *name)
{
	return *symbol_place(rows, name);
}

/* Why calls of an imported symbol are not recorded; NULL: they are recorded, it is unknown, or they do not concern files. */
static const char *unseen_reason(const char *name, const struct unseen_known *known,
				 size_t *not_known)
{
	for (const struct excluded_symbol *at = excluded_symbols; at->name; at++)
		if (!strcmp(at->name, name))
			return at->reason;
	if (rows_cover(known->by_trace ? &known->recorded : &known->own, name))
		return NULL;
	if (rows_cover(&known->own, name) && known->part) {
		++*not_known;
		return NULL;
	}
	if (rows_cover(&known->own, name))
		return "unknown to the version of Varve that recorded the trace";
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (!strncmp(name, families[i].prefix, strlen(families[i].prefix)))
			return families[i].why;
	return NULL;
}

/* The C library and the loader: their work is recorded where it is called, or is internal. */
static bool is_system(const char *path)
{
	static const char *const names[] = {"libc.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0",
					    "libvarve-record.so"};
	const char *slash = strrchr(path, '/');
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(slash ? slash + 1 : path, names[i]))
			return true;
	return false;
}

static bool symbol_add(struct unseen *unseen, const char *name, const char *why)
{
	struct unseen_symbol *more =
		reallocarray(unseen->symbols, unseen->symbol_count + 1, sizeof *unseen->symbols);
	if (!more)
		return false;
	unseen->symbols = more;
	struct unseen_symbol *symbol = &more[unseen->symbol_count++];
	*symbol = (struct unseen_symbol){.why = why};
	memcpy(symbol->name, name, strnlen(name, sizeof symbol->name - 1));
	return true;
}

static bool imports_find(struct elf *elf, const struct unseen_known *known, struct unseen *unseen)
{
	struct elf_symbol symbol;
	bool fine = true;
	for (size_t at = 0; fine && elf_symbol_next(elf, &at, &symbol);) {
		const char *why = symbol.imported
					  ? unseen_reason(symbol.name, known, &unseen->not_known)
					  : NULL;
		if (why)
			fine = symbol_add(unseen, symbol.name, why);
	}
	return fine;
}

static bool kernel_find(struct elf *elf, struct unseen *unseen)
{
	struct elf_kernel_entries *found = malloc(sizeof *found);
	unseen->kernel = calloc(KERNEL_CALLS, sizeof *unseen->kernel);
	if (found && unseen->kernel) {
		elf_kernel_entries(elf, found);
		unseen->kernel_any = found->any;
		for (size_t i = 0; i < KERNEL_CALLS; i++)
			if (found->numbers[kernel_calls[i].number])
				unseen->kernel[unseen->kernel_count++] = kernel_calls[i].name;
	}
	bool fine = found && unseen->kernel;
	free(found);
	return fine;
}

enum elf_status unseen_find(const char *path, const struct unseen_known *known,
			    struct unseen *unseen)
{
	struct elf elf;
	*unseen = (struct unseen){0};
	if (is_system(path))
		return ELF_OK;
	if (!known->own.symbols)
		return ELF_UNREADABLE;
	enum elf_status status = elf_open(path, &elf);
	if (status != ELF_OK)
		return status;
	unseen->go = elf_has_go(&elf);
	bool fine = imports_find(&elf, known, unseen) && kernel_find(&elf, unseen);
	elf_close(&elf);
	if (!fine)
		unseen_clear(unseen);
	return fine ? ELF_OK : ELF_UNREADABLE;
}

void unseen_clear(struct unseen *unseen)
{
	free(unseen->symbols);
	free(unseen->kernel);
	*unseen = (struct unseen){0};
}
