/* Trace: divides the text of a filter into words. See filter_tree.h.
 *
 * Reads names, values and signs, one at a time, and removes the escapes from quoted texts. Does not interpret them.
 */
#include "trace/filter/filter_tree.h"

#include <string.h>

static bool is_bare(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || (byte && strchr("_./%@+*?-", byte)) ||
	       (unsigned char)byte >= 0x80;
}

static int hex_digit(char byte)
{
	static const char digits[] = "0123456789abcdef";
	char small = byte >= 'A' && byte <= 'F' ? (char)(byte | 0x20) : byte;
	const char *at = small ? strchr(digits, small) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* Reads an escape at `*at` and moves `*at` behind it. A backslash before a letter that is not listed here stands for
 * itself, so that regular expressions need no second one. */
static enum varve_status word_escape(struct varve_filter *filter, size_t *at, char *byte)
{
	const char *text = filter->text + *at;
	static const char letters[] = "\"'\\nt", meant[] = "\"'\\\n\t";
	const char *letter = text[1] ? strchr(letters, text[1]) : NULL;
	if (letter) {
		*byte = meant[letter - letters];
		*at += 2;
		return VARVE_OK;
	}
	if (text[1] != 'x') {
		*byte = '\\';
		*at += 1;
		return VARVE_OK;
	}
	int high = hex_digit(text[2]), low = high < 0 ? -1 : hex_digit(text[3]);
	if (low < 0)
		return filter_wrong(filter, *at, "`\\x` needs two hexadecimal digits");
	if (!high && !low)
		return filter_wrong(filter, *at, "no text in a trace contains a zero byte");
	*byte = (char)(high << 4 | low);
	*at += 4;
	return VARVE_OK;
}

static enum varve_status word_quoted(struct varve_filter *filter, struct word *word)
{
	char quote = filter->text[word->at];
	char *to = filter->texts;
	size_t at = word->at + 1;
	while (filter->text[at] != quote) {
		if (!filter->text[at])
			return filter_wrong(filter, word->at, "missing closing quote %c", quote);
		char byte = filter->text[at];
		if (byte == '\\')
			TRY(word_escape(filter, &at, &byte));
		else
			at++;
		*to++ = byte;
	}
	word->type = WORD_QUOTED;
	word->bytes = filter->texts;
	word->length = (size_t)(to - filter->texts);
	word->end = at + 1;
	*to++ = 0;
	filter->texts = to;
	return VARVE_OK;
}

static enum varve_status word_bare(struct varve_filter *filter, struct word *word)
{
	static const struct {
		char name[12];
		enum word_type type;
	} reserved[] = {{"and", WORD_AND}, {"or", WORD_OR},	    {"not", WORD_NOT},
			{"in", WORD_IN},   {"like", WORD_LIKE},	    {"startswith", WORD_STARTS},
			{"has", WORD_HAS}, {"endswith", WORD_ENDS}, {"inside", WORD_INSIDE}};
	size_t end = word->at;
	while (is_bare(filter->text[end]))
		end++;
	word->length = end - word->at;
	memcpy(filter->texts, filter->text + word->at, word->length);
	filter->texts[word->length] = 0;
	word->bytes = filter->texts;
	word->end = end;
	filter->texts += word->length + 1;
	word->type = WORD_BARE;
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (!strcmp(word->bytes, reserved[i].name))
			word->type = reserved[i].type;
	return VARVE_OK;
}

static enum varve_status word_sign(struct varve_filter *filter, struct word *word)
{
	/* Longer signs first. */
	static const struct {
		char name[4];
		enum word_type type;
	} signs[] = {{"==", WORD_EQUAL},      {"!=", WORD_UNEQUAL}, {"<=", WORD_LESS_EQUAL},
		     {">=", WORD_MORE_EQUAL}, {"!~", WORD_UNFITS},  {"&&", WORD_AND},
		     {"||", WORD_OR},	      {"<", WORD_LESS},	    {">", WORD_MORE},
		     {"~", WORD_FITS},	      {"!", WORD_NOT},	    {"(", WORD_OPEN},
		     {")", WORD_CLOSE},	      {",", WORD_COMMA},    {":", WORD_COLON},
		     {"|", WORD_BAR}};
	const char *text = filter->text + word->at;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		size_t length = strlen(signs[i].name);
		if (strncmp(text, signs[i].name, length))
			continue;
		word->type = signs[i].type;
		word->end = word->at + length;
		return VARVE_OK;
	}
	if (*text == '=')
		return filter_wrong(filter, word->at, "`=` is not a comparison; write `==`");
	if (*text == '&')
		return filter_wrong(filter, word->at, "unexpected `&`; write `and`");
	struct shown shown = filter_shown(text, 1);
	return filter_wrong(filter, word->at,
			    "unexpected `%s`; put a text that contains it in quotes", shown.text);
}

enum varve_status filter_next(struct varve_filter *filter, struct word *word)
{
	size_t at = word->end;
	at += strspn(filter->text + at, " \t\r\n");
	*word = (struct word){.at = at, .end = at};
	char byte = filter->text[at];
	if (!byte) {
		word->type = WORD_END;
		return VARVE_OK;
	}
	if (byte == '"' || byte == '\'')
		return word_quoted(filter, word);
	return is_bare(byte) ? word_bare(filter, word) : word_sign(filter, word);
}
