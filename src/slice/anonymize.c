/* Slice: makes texts anonymous. See anonymize.h.
 *
 * A component of a path becomes ten letters and digits, followed by its extension. In other texts each word is replaced in the
 * same way, unless it is a number or a word that is the same everywhere (names of MPI, HDF5 and system calls).
 */
#include "slice/anonymize.h"

#include "base/program/launchers.h"
#include "slice/references.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { HASH_LETTERS = 10, EXTENSION_MOST = 8 };

/* Only one vowel, so that results are not words by coincidence. */
static const char letters[] = "0123456789ABCDFGHJKLMNPQRSTVWXYZ";

static const char *const system_folders[] = {"usr", "lib",  "lib64", "bin", "sbin", "etc",
					     "dev", "proc", "sys",   "tmp", NULL};

/* Words of the texts that Varve makes itself, and of sockets, pipes and the like. */
static const char *const vocabulary[] = {
	"socket",    "unix",	  "inet",	"inet6",     "netlink",	  "packet",	 "alg",
	"vsock",     "family",	  "type",	"stream",    "dgram",	  "raw",	 "rdm",
	"seqpacket", "pipe",	  "anon_inode", "eventpoll", "eventfd",	  "timerfd",	 "signalfd",
	"inotify",   "fanotify",  "io_uring",	"memfd",     "pidfd",	  "userfaultfd", "deleted",
	"world",     "self",	  "null",	"dup",	     "split",	  "create",	 "group",
	"comm",	     "vector",	  "hvector",	"indexed",   "hindexed",  "contiguous",	 "struct",
	"subarray",  "darray",	  "resized",	"of",	     "from",	  "to",		 "at",
	"int",	     "char",	  "short",	"long",	     "float",	  "double",	 "byte",
	"bytes",     "unsigned",  "signed",	"integer",   "real",	  "string",	 "compound",
	"enum",	     "array",	  "opaque",	"bitfield",  "reference", "vlen",	 "scalar",
	"simple",    "all",	  "none",	"points",    "hyperslab", "chunked",	 "compact",
	"virtual",   "unlimited", "dimensions", "elements",  "rank",	  "ranks",	 "size",
	"start",     "count",	  "stride",	"block",     "and",	  "in",		 "x",
	NULL};

/* Extensions that stay in texts that are not paths; after a dot there may be anything else: the domain of a host, a family
 * name. */
static const char *const file_kinds[] = {
	"nc",	"nc4", "cdf", "h5",  "hdf5", "hdf",  "txt", "csv", "json", "xml",
	"yaml", "yml", "dat", "bin", "log",  "out",  "py",  "sh",  "c",	   "h",
	"cc",	"cpp", "f",   "f90", "so",   "a",    "o",   "gz",  "xz",   "zst",
	"bz2",	"tar", "tgz", "zip", "pdf",  "png",  "npy", "npz", "pkl",  "pt",
	"grib", "grb", "vtk", "vtu", "bp",   "conf", "cfg", "ini", NULL};

static bool is_listed(const char *const *words, const char *text, size_t length)
{
	for (; *words; words++)
		if (strlen(*words) == length && !memcmp(*words, text, length))
			return true;
	return false;
}

enum varve_status anonymizer_start(struct anonymizer *anonymizer, const void *key, size_t length,
				   struct varve_causes *causes)
{
	*anonymizer = (struct anonymizer){0};
	if (!key) {
		if (getrandom(&anonymizer->key, sizeof anonymizer->key, 0) !=
		    sizeof anonymizer->key)
			return cause(causes, VARVE_SYSTEM,
				     "cannot get a random key from the system");
		return VARVE_OK;
	}
	for (uint64_t half = 0; half < 2; half++) {
		const struct siphash_key fixed = {{0x7661727665206b65ull, half}};
		anonymizer->key.half[half] = siphash(&fixed, key, length);
	}
	return VARVE_OK;
}

void anonymizer_clear(struct anonymizer *anonymizer)
{
	free(anonymizer->secrets);
	explicit_bzero(anonymizer, sizeof *anonymizer);
}

enum varve_status anonymizer_learn(struct anonymizer *anonymizer, const char *name,
				   struct varve_causes *causes)
{
	/* The name of a host is also secret without its domain. */
	size_t length = name ? strcspn(name, ".") : 0;
	/* A single letter is in every word. */
	if (length < 2)
		return VARVE_OK;
	char *longer = realloc(anonymizer->secrets, anonymizer->secrets_length + length + 1);
	if (!longer)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a name");
	memcpy(longer + anonymizer->secrets_length, name, length);
	longer[anonymizer->secrets_length + length] = 0;
	anonymizer->secrets = longer;
	anonymizer->secrets_length += length + 1;
	return VARVE_OK;
}

/* Whether a text may stay unchanged: it contains no name of a host or user. */
static bool is_harmless(const struct anonymizer *anonymizer, const char *text, size_t length)
{
	for (size_t at = 0; at < anonymizer->secrets_length;
	     at += strlen(anonymizer->secrets + at) + 1) {
		const char *name = anonymizer->secrets + at;
		if (memmem(text, length, name, strlen(name)))
			return false;
	}
	return true;
}

static void text_put(struct anonymizer *anonymizer, const char *text, size_t length)
{
	size_t room = ANONYMOUS_MOST - anonymizer->length;
	length = length < room ? length : room;
	memcpy(anonymizer->text + anonymizer->length, text, length);
	anonymizer->length += length;
	anonymizer->text[anonymizer->length] = 0;
}

static void put_hash(struct anonymizer *anonymizer, const char *text, size_t length)
{
	char word[HASH_LETTERS];
	uint64_t hash = siphash(&anonymizer->key, text, length);
	for (size_t i = 0; i < HASH_LETTERS; i++, hash >>= 5)
		word[i] = letters[hash & 31];
	text_put(anonymizer, word, sizeof word);
}

/* Length of the extension that may stay, including its dot. A name that begins with its only dot has no extension; digits alone
 * are a number. */
static size_t extension_length(const struct anonymizer *anonymizer, const char *text, size_t length)
{
	size_t count = 0;
	bool letter = false;
	while (count < length && count <= EXTENSION_MOST &&
	       isalnum((unsigned char)text[length - 1 - count])) {
		letter |= isalpha((unsigned char)text[length - 1 - count]) != 0;
		count++;
	}
	bool is = count && count <= EXTENSION_MOST && letter && count + 1 < length &&
		  text[length - 1 - count] == '.' &&
		  is_harmless(anonymizer, text + length - count, count);
	return is ? count + 1 : 0;
}

static void put_component(struct anonymizer *anonymizer, const char *text, size_t length)
{
	bool dots = (length == 1 && text[0] == '.') || (length == 2 && !memcmp(text, "..", 2));
	if (!length || dots) {
		text_put(anonymizer, text, length);
		return;
	}
	size_t extension = extension_length(anonymizer, text, length);
	put_hash(anonymizer, text, length);
	text_put(anonymizer, text + length - extension, extension);
}

/* Replaces a word of a text. */
static void put_word(struct anonymizer *anonymizer, const char *text, size_t length)
{
	size_t extension = extension_length(anonymizer, text, length);
	if (extension && is_listed(file_kinds, text + length - extension + 1, extension - 1))
		put_component(anonymizer, text, length);
	else
		put_hash(anonymizer, text, length);
}

static void put_path(struct anonymizer *anonymizer, const char *text, size_t length)
{
	bool top = true;
	for (size_t at = 0; at < length;) {
		size_t slashes = 0, component = 0;
		while (at + slashes < length && text[at + slashes] == '/')
			slashes++;
		text_put(anonymizer, text + at, slashes);
		top = top && slashes;
		at += slashes;
		while (at + component < length && text[at + component] != '/')
			component++;
		if (top && anonymizer->keep_system &&
		    is_listed(system_folders, text + at, component))
			text_put(anonymizer, text + at, component);
		else
			put_component(anonymizer, text + at, component);
		top = false;
		at += component;
	}
}

static bool text_is_number(const char *text, size_t length)
{
	size_t dots = 0;
	for (size_t i = 0; i < length; i++) {
		dots += text[i] == '.';
		if (!isdigit((unsigned char)text[i]) && text[i] != '.' &&
		    !(i == 0 && text[i] == '-' && length > 1))
			return false;
	}
	return length && dots < 2;
}

/* Whether a word is the same on every machine. */
static bool is_common(const struct anonymizer *anonymizer, const char *text, size_t length)
{
	bool constant = length > 3 && (!memcmp(text, "MPI_", 4) || !memcmp(text, "H5T_", 4) ||
				       !memcmp(text, "H5S_", 4) || !memcmp(text, "H5P_", 4));
	for (size_t i = 4; constant && i < length; i++)
		constant = isupper((unsigned char)text[i]) || isdigit((unsigned char)text[i]) ||
			   text[i] == '_';
	return (constant || text_is_number(text, length) || is_listed(vocabulary, text, length)) &&
	       is_harmless(anonymizer, text, length);
}

static bool in_word(char letter)
{
	return isalnum((unsigned char)letter) || (letter && strchr("_.-/+@~%#", letter)) ||
	       (unsigned char)letter > 127;
}

static void put_words(struct anonymizer *anonymizer, const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		size_t count = 0;
		while (at + count < length && in_word(text[at + count]))
			count++;
		if (count && is_common(anonymizer, text + at, count))
			text_put(anonymizer, text + at, count);
		else if (count && memchr(text + at, '/', count))
			put_path(anonymizer, text + at, count);
		else if (count)
			put_word(anonymizer, text + at, count);
		else
			text_put(anonymizer, text + at, count = 1);
		at += count;
	}
}

/* The position of the address in the text of a socket, "socket:inet:stream:127.0.0.1:80" or "inet:127.0.0.1:80"; 0: none. */
static size_t address_begin(const char *text, size_t length)
{
	static const char *const families[] = {"unix",	 "inet", "inet6", "netlink",
					       "packet", "alg",	 "vsock", NULL};
	const char *colon = memchr(text, ':', length);
	if (!colon)
		return 0;
	size_t first = (size_t)(colon - text);
	if (is_listed(families, text, first))
		return first + 1;
	if (first != 6 || memcmp(text, "socket", first))
		return 0;
	for (unsigned colons = 1; colons < 3; colons++) {
		colon = memchr(colon + 1, ':', length - (size_t)(colon + 1 - text));
		if (!colon)
			return length;
	}
	return (size_t)(colon - text) + 1;
}

/* Replaces the host of an address, and keeps its port. */
static void put_address(struct anonymizer *anonymizer, const char *text, size_t length)
{
	size_t end = length;
	while (end && isdigit((unsigned char)text[end - 1]))
		end--;
	bool port = end > 1 && end < length && text[end - 1] == ':';
	if (memchr(text, '/', length)) {
		put_path(anonymizer, text, length);
	} else if (length) {
		put_hash(anonymizer, text, port ? end - 1 : length);
		if (port)
			text_put(anonymizer, text + end - 1, length - end + 1);
	}
}

static void text_start(struct anonymizer *anonymizer)
{
	anonymizer->length = 0;
	anonymizer->text[0] = 0;
}

void anonymize_component(struct anonymizer *anonymizer, const char *text, size_t length)
{
	text_start(anonymizer);
	put_component(anonymizer, text, length);
}

void anonymize_path(struct anonymizer *anonymizer, const char *text, size_t length)
{
	text_start(anonymizer);
	/* The system's text for a descriptor: "pipe:[12]". */
	if (!memchr(text, '/', length) && memmem(text, length, ":[", 2))
		put_words(anonymizer, text, length);
	else
		put_path(anonymizer, text, length);
}

void anonymize_executable(struct anonymizer *anonymizer, const char *text, size_t length)
{
	const char *slash = memrchr(text, '/', length);
	size_t folders = slash ? (size_t)(slash + 1 - text) : 0;
	if (!slash || !launcher_program(text + folders, length - folders)) {
		anonymize_path(anonymizer, text, length);
		return;
	}
	text_start(anonymizer);
	put_path(anonymizer, text, folders);
	text_put(anonymizer, text + folders, length - folders);
}

void anonymize_text(struct anonymizer *anonymizer, const char *text, size_t length)
{
	text_start(anonymizer);
	size_t address = address_begin(text, length);
	text_put(anonymizer, text, address);
	if (address)
		put_address(anonymizer, text + address, length - address);
	else
		put_words(anonymizer, text, length);
}

/* Length of an option: "--name", "-n" or "-n4"; for "--name=value" that of "--name". 0: not an option. */
static size_t option_length(const char *text, size_t length)
{
	bool is_long = length > 2 && text[0] == '-' && text[1] == '-';
	size_t at = is_long ? 2 : 1;
	if (length < 2 || text[0] != '-' || !isalpha((unsigned char)text[at]))
		return 0;
	while (at < length && text[at] != '=' &&
	       (is_long ? isalnum((unsigned char)text[at]) || text[at] == '-' || text[at] == '_'
			: at == 1 || isdigit((unsigned char)text[at])))
		at++;
	return at == length || text[at] == '=' ? at : 0;
}

void anonymize_argument(struct anonymizer *anonymizer, const char *text, size_t length)
{
	text_start(anonymizer);
	size_t option = option_length(text, length);
	if (!is_harmless(anonymizer, text, option))
		option = 0;
	text_put(anonymizer, text, option);
	if (option && option < length) {
		text_put(anonymizer, "=", 1);
		option++;
	}
	if (option < length)
		put_words(anonymizer, text + option, length - option);
}

void anonymize_name(struct anonymizer *anonymizer, unsigned uses, const char **text,
		    uint32_t *length)
{
	if (uses & USE_PATH)
		anonymize_path(anonymizer, *text, *length);
	else if (uses & USE_TEXT)
		anonymize_text(anonymizer, *text, *length);
	else
		return;
	*text = anonymizer->text;
	*length = (uint32_t)anonymizer->length;
}
