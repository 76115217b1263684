/* Pages: man pages of section 7, made from documents. See pages.h.
 *
 * Understands the parts of Markdown that these documents use: headings, paragraphs, lists, tables, blocks of code, and
 * within a line `code`, **strong**, *emphasis* and links, of which only the text is kept. Omits the table of contents,
 * because a man page has none. Never reads the tables of the command.
 */
#include "pages/pages.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char contents[] = "| section |";
static const char fence[] = "```";

struct document {
	char *text; /* a zero byte ends each line */
	char **lines;
	size_t count;
};

/* Lines first..end of a document. */
struct block {
	const struct document *document;
	size_t first, end;
};

static bool begins_with(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

static bool is_blank(const char *line)
{
	return !line[strspn(line, " \t")];
}

/* The length of the marker of a list item, "- " or "1. "; 0: the line is no item. */
static size_t marker_length(const char *line)
{
	size_t digits = strspn(line, "0123456789");
	if (digits)
		return begins_with(line + digits, ". ") ? digits + 2 : 0;
	return begins_with(line, "- ") ? 2 : 0;
}

/* Whether a line ends the paragraph above it. */
static bool ends_paragraph(const char *line)
{
	return is_blank(line) || *line == '|' || *line == '#' || begins_with(line, "- ") ||
	       begins_with(line, fence);
}

/* The length of **strong** or *emphasis* at the start of `text`, with its marks; 0: neither. */
static size_t starred_length(const char *text)
{
	size_t stars = strspn(text, "*");
	size_t inner = strcspn(text + stars, "*");
	const char *last = text + stars + inner;
	if (stars > 2 || !inner || strspn(last, "*") < stars)
		return 0;
	if (isspace((unsigned char)text[stars]) || isspace((unsigned char)last[-1]))
		return 0;
	return inner + 2 * stars;
}

/* The length of marked text (code, emphasis, link) at the start of `text`, with its marks; 0: the text is not marked. */
static size_t marked_length(const char *text)
{
	size_t inner, target;
	switch (*text) {
	case '`':
		inner = strcspn(text + 1, "`");
		return inner && text[1 + inner] ? inner + 2 : 0;
	case '*':
		return starred_length(text);
	case '[':
		inner = strcspn(text + 1, "]");
		if (!inner || !begins_with(text + 1 + inner, "]("))
			return 0;
		target = strcspn(text + inner + 3, ")");
		return target && text[inner + 3 + target] ? inner + target + 4 : 0;
	default:
		return 0;
	}
}

/* In tables, a `|` is written with a backslash before it. */
static bool is_escape(const char *text, const char *end)
{
	return *text == '\\' && text + 1 < end && text[1] == '|';
}

static void put_code(FILE *file, const char *text, const char *end)
{
	for (; text < end; text++)
		if (!is_escape(text, end))
			put_roff_letter(file, *text);
}

/* Writes running text; `font` is the font of the text around it. */
static void put_inline(FILE *file, const char *text, const char *end, char font)
{
	while (text < end) {
		size_t marked = marked_length(text);
		if (!marked || marked > (size_t)(end - text)) {
			if (!is_escape(text, end))
				put_roff_letter(file, *text);
			text++;
			continue;
		}
		const char *next = text + marked;
		if (*text == '[') {
			put_inline(file, text + 1, strchr(text, ']'), font);
		} else if (*text == '`') {
			fputs("\\fB", file);
			put_code(file, text + 1, next - 1);
			fprintf(file, "\\f%c", font);
		} else {
			size_t stars = strspn(text, "*");
			char inner = stars == 2 ? 'B' : 'I';
			fprintf(file, "\\f%c", inner);
			put_inline(file, text + stars, next - stars, inner);
			fprintf(file, "\\f%c", font);
		}
		text = next;
	}
}

/* Writes text on a line of its own; a dot at the start is escaped, because groff would read a request. */
static void put_text(FILE *file, const char *text, size_t length)
{
	if (length && *text == '.')
		fputs("\\&", file);
	put_inline(file, text, text + length, 'R');
	fputc('\n', file);
}

/* Joins the lines of a block in place, without margins. `marker`: number of bytes to skip before the text. */
static const char *join(const struct block *block, size_t marker)
{
	char *const *lines = block->document->lines;
	char *text = lines[block->first] + marker, *end;
	text += strspn(text, " \t");
	end = text + strlen(text);
	for (size_t i = block->first + 1; i < block->end; i++) {
		const char *line = lines[i] + strspn(lines[i], " \t");
		size_t length = strlen(line);
		*end++ = ' ';
		memmove(end, line, length + 1);
		end += length;
	}
	return text;
}

static void put_joined(FILE *file, const struct block *block, size_t marker)
{
	const char *text = join(block, marker);
	put_text(file, text, strlen(text));
}

static void put_heading(FILE *file, const char *line)
{
	size_t level = strspn(line, "#");
	if (level < 2)
		return;
	fputs(level == 2 ? ".SH \"" : ".SS \"", file);
	for (line += strspn(line, "# "); *line; line++)
		put_roff_letter(file, level == 2 ? (char)toupper((unsigned char)*line) : *line);
	fputs("\"\n", file);
}

static void put_code_block(FILE *file, const struct block *block)
{
	fputs(".PP\n.RS 4\n.nf\n", file);
	for (size_t i = block->first; i < block->end; i++) {
		const char *line = block->document->lines[i];
		if (*line == '.')
			fputs("\\&", file);
		for (; *line; line++)
			put_roff_letter(file, *line);
		fputc('\n', file);
	}
	fputs(".fi\n.RE\n", file);
}

/* Reads the next cell of a row, without margins. False: there is none. */
static bool next_cell(const char **row, const char **text, size_t *length)
{
	const char *from = *row, *end;
	if (*from == '|')
		from++;
	for (end = from; *end && (*end != '|' || end[-1] == '\\'); end++)
		;
	*row = end;
	from += strspn(from, " \t");
	if (!*end && from >= end)
		return false;
	while (end > from && isspace((unsigned char)end[-1]))
		end--;
	*text = from;
	*length = (size_t)(end - from);
	return true;
}

/* Each row becomes an entry: the first cell is the term, the other cells are its description. */
static void put_table(FILE *file, const struct block *block)
{
	for (size_t i = block->first + 2; i < block->end; i++) {
		const char *row = block->document->lines[i], *cell;
		size_t length;
		bool any = false;
		if (!next_cell(&row, &cell, &length))
			continue;
		fputs(".TP\n", file);
		put_text(file, cell, length);
		while (next_cell(&row, &cell, &length)) {
			if (!length)
				continue;
			if (any)
				fputs(": ", file);
			else if (*cell == '.')
				fputs("\\&", file);
			put_inline(file, cell, cell + length, 'R');
			any = true;
		}
		fputs(any ? "\n" : "\\&.\n", file);
	}
}

static void put_item(FILE *file, const struct block *block)
{
	const char *line = block->document->lines[block->first];
	size_t marker = marker_length(line);
	if (*line == '-')
		fputs(".IP \\(bu 2\n", file);
	else
		fprintf(file, ".IP %.*s 4\n", (int)marker - 1, line);
	put_joined(file, block, marker);
}

/* Writes the block that begins at `*at`, and moves `*at` behind it. */
static void put_block(FILE *file, const struct document *document, size_t *at)
{
	char *const *lines = document->lines, *line = lines[*at];
	struct block block = {document, *at, *at + 1};
	if (begins_with(line, fence)) {
		while (block.end < document->count && !begins_with(lines[block.end], fence))
			block.end++;
		*at = block.end + 1;
		block.first++;
		put_code_block(file, &block);
		return;
	}
	if (*line == '#') {
		put_heading(file, line);
	} else if (*line == '|') {
		while (block.end < document->count && *lines[block.end] == '|')
			block.end++;
		if (!begins_with(line, contents))
			put_table(file, &block);
	} else if (marker_length(line)) {
		while (block.end < document->count && begins_with(lines[block.end], "  "))
			block.end++;
		put_item(file, &block);
	} else if (!is_blank(line)) {
		while (block.end < document->count && !ends_paragraph(lines[block.end]))
			block.end++;
		fputs(".PP\n", file);
		put_joined(file, &block, 0);
	}
	*at = block.end;
}

/* Reads the whole file at `path` as text; NULL with errno set. */
static char *read_text(const char *path, size_t *size)
{
	char *text = NULL, piece[4096];
	FILE *from = fopen(path, "r");
	FILE *to = from ? open_memstream(&text, size) : NULL;
	if (to) {
		for (size_t got; (got = fread(piece, 1, sizeof piece, from)) > 0;)
			fwrite(piece, 1, got, to);
		bool bad = ferror(from);
		if (fclose(to) || bad) {
			free(text);
			text = NULL;
			errno = EIO;
		}
	}
	if (from)
		fclose(from);
	return text;
}

static bool document_read(struct document *document, const char *path)
{
	size_t size;
	*document = (struct document){.text = read_text(path, &size)};
	if (!document->text)
		return false;
	/* there are at most as many lines as bytes */
	document->lines = calloc(size + 1, sizeof *document->lines);
	if (!document->lines) {
		free(document->text);
		return false;
	}
	for (char *line = document->text, *end; *line; line = end) {
		document->lines[document->count++] = line;
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = 0;
	}
	return true;
}

static void put_title(FILE *file, const struct manual *manual)
{
	fputs(".TH ", file);
	for (const char *letter = manual->name; *letter; letter++)
		fputc(toupper((unsigned char)*letter), file);
	fprintf(file, " 7 \"\" \"Varve %s\" \"Varve\"\n.SH NAME\n%s \\- ", VARVE_VERSION,
		manual->name);
	put_inline(file, manual->title, strchr(manual->title, 0), 'R');
	fputs("\n.SH DESCRIPTION\n", file);
}

bool document_write(FILE *file, const struct manual *manual, const char *path)
{
	struct document document;
	if (!document_read(&document, path))
		return false;
	put_title(file, manual);
	for (size_t at = 0; at < document.count;)
		put_block(file, &document, &at);
	fputs(".SH \"SEE ALSO\"\nvarve(1), varve\\-record(1), varve\\-dump(1), varve\\-info(1)\n",
	      file);
	free(document.lines);
	free(document.text);
	return true;
}
