/* Base: values of settings and options. See parse.h. */
#include "base/parse.h"

#include <stddef.h>
#include <string.h>

bool parse_number(const char *text, uint64_t most, uint64_t *number)
{
	uint64_t value = 0;
	if (!*text)
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(value, 10ull, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return false;
	*number = value;
	return !*text && value <= most;
}

bool parse_size(const char *text, uint64_t *bytes)
{
	char digits[24];
	size_t length = strspn(text, "0123456789");
	if (!length || length >= sizeof digits)
		return false;
	memcpy(digits, text, length);
	digits[length] = 0;
	if (!parse_number(digits, UINT64_MAX, bytes))
		return false;
	const char *unit = text + length;
	static const char letters[] = "KMGT";
	unsigned shift = 0;
	const char *letter = strchr(letters, *unit & ~0x20);
	if (letter && *letter) {
		shift = 10 * (unsigned)(letter - letters + 1);
		unit++;
		unit += *unit == 'i';
	}
	unit += *unit == 'B';
	if (*unit || (*bytes << shift) >> shift != *bytes)
		return false;
	*bytes <<= shift;
	return true;
}

/* Reads digits with an optional point, as a whole part and billionths; returns the end of them, or NULL. */
static const char *decimal_read(const char *text, uint64_t *whole, uint64_t *billionths)
{
	uint64_t scale = 100000000;
	size_t digits = strspn(text, "0123456789");
	bool any = digits > 0;
	*whole = *billionths = 0;
	for (; digits; digits--, text++)
		if (__builtin_mul_overflow(*whole, 10ull, whole) ||
		    __builtin_add_overflow(*whole, (uint64_t)(*text - '0'), whole))
			return NULL;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, scale /= 10, any = true)
			*billionths += (uint64_t)(*text - '0') * scale;
	return any ? text : NULL;
}

bool parse_time(const char *text, int64_t *ns)
{
	static const struct {
		char name[4];
		uint64_t ns;
	} units[] = {{"", 1000000000}, {"s", 1000000000},    {"ms", 1000000},	  {"us", 1000},
		     {"ns", 1},	       {"min", 60000000000}, {"h", 3600000000000}};
	uint64_t whole, part, sum;
	text = decimal_read(text, &whole, &part);
	for (size_t i = 0; text && i < sizeof units / sizeof *units; i++) {
		if (strcmp(text, units[i].name))
			continue;
		/* The part is below 1, so its product with the largest unit fits. */
		uint64_t more = part * (units[i].ns / 1000) / 1000000;
		if (units[i].ns < 1000)
			more = part * units[i].ns / 1000000000;
		if (__builtin_mul_overflow(whole, units[i].ns, &sum) ||
		    __builtin_add_overflow(sum, more, &sum) || sum > INT64_MAX)
			return false;
		*ns = (int64_t)sum;
		return true;
	}
	return false;
}

bool parse_truth(const char *text, bool *truth)
{
	static const char names[][6] = {"0", "1", "no", "yes", "off", "on", "false", "true"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i])) {
			*truth = i & 1;
			return true;
		}
	return false;
}

static const char *digits_read(const char *text, uint64_t *number)
{
	const char *at = text;
	for (*number = 0; *at >= '0' && *at <= '9' && *number < UINT32_MAX; at++)
		*number = *number * 10 + (uint64_t)(*at - '0');
	return at == text || *number > UINT32_MAX ? NULL : at;
}

const char *parse_rank_range(const char *list, struct rank_range *range)
{
	const char *at = digits_read(list, &range->first);
	range->last = range->first;
	range->step = 1;
	if (at && (*at == ':' || *at == '-')) {
		bool stride = *at == ':';
		at = digits_read(at + 1, &range->last);
		if (at && stride && *at == ':')
			at = digits_read(at + 1, &range->step);
	}
	if (!at || range->last < range->first || !range->step || (*at && *at != ','))
		return NULL;
	return at;
}

bool rank_range_has(const struct rank_range *range, uint64_t number)
{
	return number >= range->first && number <= range->last &&
	       (number - range->first) % range->step == 0;
}

bool parse_ranks(const char *list, uint64_t number, bool *good)
{
	bool found = false;
	*good = false;
	for (const char *at = list;; at++) {
		struct rank_range range;
		at = parse_rank_range(at, &range);
		if (!at)
			return false;
		found |= rank_range_has(&range, number);
		if (!*at)
			break;
	}
	*good = true;
	return found;
}
