/* Trace: shared by the files of the filter language: words, the tree, and its bound conditions. See filter.h.
 *
 * filter_words.c divides the text into words, filter_parse.c makes the tree, filter_bind.c and filter_arguments.c bind
 * names to numbers with the tables of the trace, filter_block.c and filter_rows.c evaluate. A filter owns all its memory,
 * which is freed with it in every case, and limited by the length of the text times the number of functions of the trace.
 */
#ifndef TRACE_FILTER_FILTER_TREE_H
#define TRACE_FILTER_FILTER_TREE_H

#include "base/host/arena.h"
#include "base/nearest.h"
#include "trace/filter/filter.h"

#include <regex.h>

enum {
	FILTER_TEXT_MOST = 64 * 1024, /* bytes of a filter */
	FILTER_DEPTH_MOST = 200,      /* nesting of parentheses and nots */
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
	size_t end;	   /* first byte after it */
	const char *bytes; /* of bare and quoted words, without escapes, ended by a zero byte */
	size_t length;
};

/* A value as written: one word, or several words with `|` between them. */
struct literal {
	const char *bytes;
	size_t length;
	size_t at;
	bool quoted;
	struct literal *bar; /* the next word after a `|` */
};

/* A member of a set. A range has at least one end; both ends belong to it. */
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

/* The part of a record that a field is computed from. */
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

/* Numbers as keys: unsigned, in the order of the values that they represent. */
struct range {
	uint64_t low;
	uint64_t high;
	uint64_t stride; /* distance of the members, from `low` */
};

/* A set of keys: sorted, separate ranges without strides, then ranges with strides. */
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

/* How to read the value of a field from a record of a function. */
enum place_way {
	PLACE_NONE,
	PLACE_INPUT,  /* argument word */
	PLACE_OUTPUT, /* argument word, if the call has returned and did not fail */
	PLACE_RESULT, /* the result, if the call has returned */
	PLACE_MOVED   /* computed by the bytes rule */
};

struct place {
	uint8_t way; /* enum place_way */
	uint8_t word;
	uint8_t style; /* enum varve_style */
	/* the value is an address, and this trace has no addresses, so 0 means not recorded */
	bool unrecorded;
	uint32_t kind;
};

/* The places of a field, by function; shared by all conditions on this field. */
struct places {
	const struct field *field;
	const char *argument; /* name of the argument, with FIELD_ARGUMENT */
	struct place *by_function;
	struct places *next;
};

/* The bits that a word must have to satisfy a condition on an argument. */
struct bits {
	uint64_t mask;
	uint64_t value;
};

struct bound {
	uint32_t kind;
	bool is_text;	/* compare texts with the condition's matcher */
	bool is_signed; /* how to convert words to keys */
	size_t bit_count;
	struct bits *bits; /* all must be satisfied; NULL: use `numbers` */
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
	bool negate;	 /* != and !~: inverts the result if the field has a value */
	uint32_t inside; /* its bit in the masks of `inside` */
	uint8_t *
		by_function; /* whether the function alone satisfies it; NULL: the function does not decide */
	struct places *places; /* where values in words are */
	uint16_t *bound_of;    /* by function: number of the entry in `bounds`, from 1; 0: none */
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
	/* by index of the function: word with the name of a region, plus 1 */
	uint8_t *region_words;
	/* by function id: index in arrays by function; 0 for functions that are not in the tables */
	uint16_t *place_of;
	size_t functions; /* number of entries of an array by function */
	bool addresses;	  /* addresses are recorded in the trace */
	bool worlds;	  /* the filter uses `world`: the ranks of all worlds are selected */
	uint8_t *
		launchers; /* by index of the process: 1: a launcher, which only starts the program; NULL: not used */
	struct places *places;
	size_t regex_weight;
	struct filter_regex *regexes;
	struct arena memory;
	/* used while the filter is made */
	char *texts; /* where the bytes of the next word are stored */
	size_t *column;
	struct varve_causes *causes;
};

/* filter.c */
enum varve_status filter_take(struct varve_filter *filter, size_t count, size_t size,
			      void *result) MUST_CHECK;
/* Reports an error at `at`. */
enum varve_status filter_wrong(struct varve_filter *filter, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Bytes of the text in a form that can be printed. */
struct shown {
	char text[64];
};
struct shown filter_shown(const char *bytes, size_t length);

/* "; did you mean `x`?", or nothing. */
struct shown nearest_ask(const struct nearest *nearest);

/* filter_words.c: reads the next word after `*word`. */
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

/* filter_numbers.c: converts literals to numbers. False: it is not such a literal. */
bool literal_number(const struct literal *literal, bool octal, wide *number);
bool literal_time(const struct literal *literal, wide *ns);
bool literal_date(const struct literal *literal, wide *ns);
bool literal_error(const struct literal *literal, wide *number);
/* Makes a set from the values of a comparison, or from the members of a set; calls `number` for each literal. */
typedef enum varve_status number_of(void *with, const struct literal *literal, wide *number);
enum varve_status numbers_make(struct varve_filter *filter, const struct term *term, bool is_signed,
			       number_of *number, void *with, struct number_set *set) MUST_CHECK;
bool numbers_hold(const struct number_set *set, uint64_t key);
/* Whether the set contains all keys of the range, some or none. */
enum filter_verdict numbers_verdict(const struct number_set *set, uint64_t low, uint64_t high);

/* filter_block.c: from the first entry to the last exit in a block, in ns. False: not known. */
bool block_moments(const struct block_header *header, int64_t *low, int64_t *high);

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

/* filter_rows.c: values of the process of a block. False: not known. */
bool process_text(const struct varve_trace *trace, const struct block_header *header,
		  enum field_id id, struct varve_text *text);
/* Whether the process of a block is a launcher; only if the filter uses `runtime`. */
bool process_launches(const struct varve_filter *filter, const struct block_header *header);
bool process_key(const struct varve_filter *filter, const struct block_header *header,
		 enum field_id id, uint64_t *key);
/* A text of a file; false: not known. */
bool file_text(const struct varve_file *file, enum field_id id, struct varve_text *text);

#endif
