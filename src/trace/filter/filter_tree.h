/* Trace: shared by the files of the filter language: words, the tree, and what conditions are bound to. See filter.h.
 *
 * filter_words.c divides the text into words, filter_parse.c makes the tree, filter_bind.c and filter_arguments.c bind names to
 * numbers by the tables of the trace, filter_block.c and filter_rows.c evaluate. A filter owns all its memory, which is freed
 * with it on every path and bounded by the length of the text times the number of functions of the trace.
 */
#ifndef TRACE_FILTER_FILTER_TREE_H
#define TRACE_FILTER_FILTER_TREE_H

#include "base/host/arena.h"
#include "base/nearest.h"
#include "trace/filter/filter.h"

#include <regex.h>

enum {
	FILTER_TEXT_MOST = 64 * 1024, /* bytes of a filter */
	FILTER_DEPTH_MOST = 200,      /* parentheses and nots inside each other */
	FILTER_CONDITIONS_MOST = 1000,
	FILTER_INSIDE_MOST = 32,
};

/* Wide enough for every signed and unsigned word and every date. */
__extension__ typedef __int128 wide;

enum word_type {
	WORD_END,
	WORD_BARE,
	WORD_QUOTED,
	WORD_OPEN,
	WORD_CLOSE,
	WORD_COMMA,
	WORD_COLON,
	WORD_BAR,
	WORD_AND,
	WORD_OR,
	WORD_NOT,
	WORD_EQUAL,
	WORD_UNEQUAL,
	WORD_LESS,
	WORD_LESS_EQUAL,
	WORD_MORE,
	WORD_MORE_EQUAL,
	WORD_FITS,
	WORD_UNFITS,
	WORD_IN,
	WORD_LIKE,
	WORD_STARTS,
	WORD_ENDS,
	WORD_HAS,
	WORD_INSIDE,
};

struct word {
	enum word_type type;
	size_t at;	   /* in the text */
	size_t end;	   /* behind it */
	const char *bytes; /* of bare and quoted ones, without escapes, ended by a zero byte */
	size_t length;
};

/* A value as it was written: words with `|` between them. */
struct literal {
	const char *bytes;
	size_t length;
	size_t at;
	bool quoted;
	struct literal *bar; /* the next one, behind a `|` */
};

/* A member of a set. A range has at least one end; both are in it. */
struct item {
	struct literal *low;
	struct literal *high;
	struct literal *stride;
	bool range;
	size_t at;
	struct item *next;
};

enum field_id {
#define FIELD(id, name, source, type, is_signed, wants, help) FIELD_##id,
#include "trace/filter/filter_fields.def"
#undef FIELD
	FIELD_ARGUMENT,
};

/* What a field depends on. */
enum field_source {
	OF_FUNCTION,
	OF_PARENT,
	OF_FILE,
	OF_WORDS,
	OF_OUTCOME,
	OF_TIMES,
	OF_PROCESS,
	OF_ORDER,
	OF_MARKS,
	OF_REGION,
	OF_ARGUMENT,
};

enum field_type {
	TYPE_TRUTH,
	TYPE_TEXT,
	TYPE_NUMBER,
	TYPE_BYTES,
	TYPE_MOMENT,
	TYPE_DURATION,
	TYPE_ERROR,
	TYPE_ARGUMENT,
};

struct field {
	enum field_id id;
	const char *name;
	enum field_source source;
	enum field_type type;
	bool is_signed;
	unsigned wants;
	const char *help;
};

/* Numbers as keys: unsigned, in the order of what they stand for. */
struct range {
	uint64_t low;
	uint64_t high;
	uint64_t stride; /* from `low` on */
};

/* A set of keys: ranges without strides, in order and apart from each other, then those with strides. */
struct number_set {
	struct range *ranges;
	size_t plain;
	size_t count;
};

#define KEY_SIGN (UINT64_C(1) << 63)

static inline uint64_t key_signed(int64_t value)
{
	return (uint64_t)value ^ KEY_SIGN;
}

/* The texts that a condition compares with. */
struct matcher {
	enum word_type op; /* WORD_EQUAL, WORD_FITS, WORD_LIKE, WORD_STARTS, WORD_ENDS */
	const struct item *items;
	regex_t *regex;
};

/* Where a function has the value that a field means, and how to read it. */
enum place_way {
	PLACE_NONE,
	PLACE_INPUT,  /* argument word */
	PLACE_OUTPUT, /* argument word, once the call has returned without failing */
	PLACE_RESULT, /* the result, likewise */
	PLACE_MOVED   /* by the rule for bytes */
};

struct place {
	uint8_t way; /* enum place_way */
	uint8_t word;
	uint8_t style;	 /* enum varve_style */
	bool unrecorded; /* 0 is an address that was not recorded */
	uint32_t kind;
};

/* The places of a field, by function; shared by the conditions that name it. */
struct places {
	const struct field *field;
	const char *argument; /* of FIELD_ARGUMENT: its name */
	struct place *by_function;
	struct places *next;
};

/* What the words of one kind must be to satisfy a condition on an argument. */
struct bits {
	uint64_t mask;
	uint64_t value;
};

struct bound {
	uint32_t kind;
	bool is_text;	/* by the condition's matcher */
	bool is_signed; /* how words become keys */
	size_t bit_count;
	struct bits *bits; /* all of them must hold; NULL: the set of numbers counts */
	struct number_set numbers;
};

enum term_type { TERM_AND, TERM_OR, TERM_NOT, TERM_TRUTH, TERM_PRESENT, TERM_COMPARE, TERM_INSIDE };

struct term {
	enum term_type type;
	size_t at;
	struct term *first; /* of and, or, not */
	struct term *next;  /* its sibling */

	/* conditions, as written */
	const struct field *field;
	const char *argument;
	enum word_type op;
	size_t op_at;
	struct item *items;

	/* conditions, as bound */
	bool negate;	 /* != and !~: of what is there */
	uint32_t inside; /* its bit */
	uint8_t *
		by_function; /* whether the function alone satisfies it; NULL: it does not decide */
	struct places *places; /* of values in words */
	uint16_t *bound_of;    /* by function: which of the bounds counts, from 1; 0: none */
	struct bound *bounds;
	size_t bound_count;
	struct number_set numbers;
	struct matcher matcher;
};

struct varve_filter {
	const struct varve_trace *trace;
	const char *text;
	size_t length;
	struct term *root;
	unsigned depth; /* of the tree */
	unsigned conditions;
	unsigned wants;
	uint32_t *inside;
	unsigned inside_count;
	uint8_t *region_words; /* by place of the function: word of a region's name, from 1 */
	/* by function id: place in the arrays `by_function`, 0 for functions that the tables do not have */
	uint16_t *place_of;
	size_t functions; /* entries of such an array */
	bool addresses;	  /* the trace has addresses */
	bool worlds;	  /* it uses `world`: ranks of all of them count */
	uint8_t *
		launchers; /* by place of the process: it only starts the program; NULL: not used */
	struct places *places;
	size_t regex_weight;
	struct filter_regex *regexes;
	struct arena memory;
	/* while it is made */
	char *texts; /* where the next word's bytes go */
	size_t *column;
	struct varve_causes *causes;
};

/* filter.c */
enum varve_status filter_take(struct varve_filter *filter, size_t count, size_t size,
			      void *result) MUST_CHECK;
/* Says what is wrong at `at`. */
enum varve_status filter_wrong(struct varve_filter *filter, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Bytes of the text as they may be shown. */
struct shown {
	char text[64];
};
struct shown filter_shown(const char *bytes, size_t length);

/* "; did you mean `x`?", or nothing. */
struct shown nearest_ask(const struct nearest *nearest);

/* filter_words.c: the word behind `*word`. */
enum varve_status filter_next(struct varve_filter *filter, struct word *word) MUST_CHECK;

/* filter_parse.c */
enum varve_status filter_parse(struct varve_filter *filter) MUST_CHECK;

/* filter_fields.c */
extern const struct field filter_fields[];
extern const size_t filter_field_count;
extern const struct field filter_argument;
const struct field *field_find(const char *name);
const char *field_type_name(enum field_type type);
enum { FILTER_KINDS = VARVE_HANDLE_KINDS };

/* filter_numbers.c: literals as numbers. False: the literal is none. */
bool literal_number(const struct literal *literal, bool octal, wide *number);
bool literal_time(const struct literal *literal, wide *ns);
bool literal_date(const struct literal *literal, wide *ns);
bool literal_error(const struct literal *literal, wide *number);
/* A comparison or the members of a set, as numbers; `number` is called for each literal. */
typedef enum varve_status number_of(void *with, const struct literal *literal, wide *number);
enum varve_status numbers_make(struct varve_filter *filter, const struct term *term, bool is_signed,
			       number_of *number, void *with, struct number_set *set) MUST_CHECK;
bool numbers_hold(const struct number_set *set, uint64_t key);
/* Whether all keys of the range are in the set, or none. */
enum filter_verdict numbers_verdict(const struct number_set *set, uint64_t low, uint64_t high);

/* filter_text.c */
enum varve_status matcher_make(struct varve_filter *filter, struct term *term) MUST_CHECK;
bool matcher_fits(const struct matcher *matcher, struct varve_text text);
void filter_regexes_free(struct varve_filter *filter);

/* filter_bind.c */
enum varve_status filter_bind(struct varve_filter *filter) MUST_CHECK;
enum varve_status places_find(struct varve_filter *filter, const struct field *field,
			      const char *argument, struct places **result) MUST_CHECK;

/* filter_arguments.c: a condition on `arg.NAME`. */
enum varve_status argument_bind(struct varve_filter *filter, struct term *term) MUST_CHECK;

/* filter_rows.c: of the process that a block is of. False: absent. */
bool process_text(const struct varve_trace *trace, const struct block_header *header,
		  enum field_id id, struct varve_text *text);
/* Whether the process of a block is a launcher; only if the filter uses `runtime`. */
bool process_launches(const struct varve_filter *filter, const struct block_header *header);
bool process_key(const struct varve_filter *filter, const struct block_header *header,
		 enum field_id id, uint64_t *key);
/* A text of a file; false: absent. */
bool file_text(const struct varve_file *file, enum field_id id, struct varve_text *text);

#endif
