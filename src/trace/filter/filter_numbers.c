/* Trace: numbers, times and dates of a filter, and sets of them. See filter_tree.h.
 *
 * Every comparison with numbers becomes a set of ranges of keys: unsigned 64-bit numbers in the order of the values that
 * they represent, so that signed and unsigned values need only one loop.
 */
#include "base/parse.h"
#include "trace/filter/filter_tree.h"
#include "trace/names/errno_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Outside of all numbers that can be written or recorded. */
static const wide LEAST = -((wide)1 << 100), MOST = (wide)1 << 100;

/* Reads digits in this base up to the end of the text. */
static bool digits_read(const char *text, unsigned base, uint64_t *number)
{
	static const char letters[] = "0123456789abcdefABCDEF";
	*number = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		const char *letter = strchr(letters, *text);
		if (!letter)
			return false;
		size_t digit = (size_t)(letter - letters);
		digit -= digit > 15 ? 6 : 0;
		if (digit >= base || __builtin_mul_overflow(*number, (uint64_t)base, number) ||
		    __builtin_add_overflow(*number, (uint64_t)digit, number))
			return false;
	}
	return true;
}

bool literal_number(const struct literal *literal, bool octal, wide *number)
{
	if (literal->quoted || literal->bar)
		return false;
	const char *text = literal->bytes;
	bool minus = *text == '-';
	text += minus;
	uint64_t value;
	if (text[0] == '0' && text[1] == 'x') {
		if (!digits_read(text + 2, 16, &value))
			return false;
	} else if (text[0] == '0' && text[1]) {
		if (!octal || !digits_read(text, 8, &value))
			return false;
	} else if (!parse_size(text, &value)) {
		return false;
	}
	*number = minus ? -(wide)value : (wide)value;
	return true;
}

bool literal_time(const struct literal *literal, wide *ns)
{
	if (literal->quoted || literal->bar || !literal->length)
		return false;
	const char *text = literal->bytes;
	bool minus = *text == '-';
	text += minus;
	/* A unit is required: 5 could mean seconds or nanoseconds. */
	bool unit = !strchr("0123456789.", literal->bytes[literal->length - 1]);
	int64_t value;
	if ((!unit && strcmp(text, "0") != 0) || !parse_time(text, &value))
		return false;
	*ns = minus ? -(wide)value : (wide)value;
	return true;
}

/* Reads `count` decimal digits at `*text`, and the byte after them unless `behind` is 0. */
static bool date_number(const char **text, int count, char behind, int64_t *number)
{
	*number = 0;
	for (int i = 0; i < count; i++, (*text)++) {
		if (**text < '0' || **text > '9')
			return false;
		*number = *number * 10 + (**text - '0');
	}
	if (!behind)
		return true;
	return *(*text)++ == behind;
}

/* Days since 1970-01-01 in the Gregorian calendar. Years begin in March here, so that a leap day is the last day of a
 * year. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719468;
}

static bool is_day(int64_t year, int64_t month, int64_t day)
{
	static const int8_t most[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= most[month - 1] &&
	       (month != 2 || day < 29 || leap);
}

/* The digits after a decimal point: up to nine, as ns. */
static bool date_fraction(const char **text, int64_t *ns)
{
	int64_t scale = 100000000;
	const char *from = *text;
	for (*ns = 0; **text >= '0' && **text <= '9'; (*text)++, scale /= 10)
		*ns += (**text - '0') * scale;
	return *text > from && *text - from <= 9;
}

/* Nothing or `Z`: UTC. Else `+HH:MM` or `-HH:MM`: how far local time is ahead of UTC, in seconds. */
static bool date_zone(const char **text, int64_t *seconds)
{
	int64_t hours, minutes;
	char sign = **text;
	*seconds = 0;
	if (!sign)
		return true;
	(*text)++;
	if (sign == 'Z')
		return true;
	if ((sign != '+' && sign != '-') || !date_number(text, 2, ':', &hours) ||
	    !date_number(text, 2, 0, &minutes) || hours > 23 || minutes > 59)
		return false;
	*seconds = (hours * 60 + minutes) * (sign == '+' ? 60 : -60);
	return true;
}

bool literal_date(const struct literal *literal, wide *ns)
{
	const char *text = literal->bytes;
	int64_t year, month, day, hour, minute, second = 0, after = 0, ahead;
	if (!literal->quoted || literal->bar || literal->length != strlen(text) ||
	    !date_number(&text, 4, '-', &year) || !date_number(&text, 2, '-', &month) ||
	    !date_number(&text, 2, 0, &day) || !is_day(year, month, day) ||
	    (*text != 'T' && *text != ' '))
		return false;
	text++;
	if (!date_number(&text, 2, ':', &hour) || !date_number(&text, 2, 0, &minute))
		return false;
	if (*text == ':') {
		text++;
		if (!date_number(&text, 2, 0, &second))
			return false;
		if (*text == '.' && (text++, !date_fraction(&text, &after)))
			return false;
	}
	if (hour > 23 || minute > 59 || second > 59 || !date_zone(&text, &ahead) || *text)
		return false;
	int64_t seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
	*ns = (wide)(seconds - ahead) * 1000000000 + after;
	return true;
}

bool literal_error(const struct literal *literal, wide *number)
{
	static const struct {
		char name[12];
		int number;
	} others[] = {{"EWOULDBLOCK", EWOULDBLOCK},
		      {"EDEADLOCK", EDEADLOCK},
		      {"EOPNOTSUPP", EOPNOTSUPP},
		      {"ENOTSUP", ENOTSUP}};
	if (literal->bar)
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(others[i].name, literal->bytes)) {
			*number = others[i].number;
			return true;
		}
	*number = errno_number(literal->bytes, literal->length);
	if (*number)
		return true;
	return literal_number(literal, false, number);
}

/* Adds a range from first to last with a stride; both ends are limited to values that keys can represent. */
static void range_add(struct number_set *set, bool is_signed, wide first, wide last, wide stride)
{
	wide lowest = is_signed ? INT64_MIN : 0;
	wide highest = is_signed ? (wide)INT64_MAX : (wide)UINT64_MAX;
	if (first < lowest)
		first += (lowest - first + stride - 1) / stride * stride;
	if (last > highest)
		last = highest;
	if (first > last)
		return;
	struct range *range = &set->ranges[set->count++];
	range->low = is_signed ? key_signed((int64_t)first) : (uint64_t)first;
	range->high = is_signed ? key_signed((int64_t)last) : (uint64_t)last;
	range->stride = (uint64_t)(stride > (wide)UINT64_MAX ? (wide)UINT64_MAX : stride);
}

static int by_place(const void *a, const void *b)
{
	const struct range *one = a, *other = b;
	bool strides[] = {one->stride > 1, other->stride > 1};
	if (strides[0] != strides[1])
		return strides[0] - strides[1];
	return (one->low > other->low) - (one->low < other->low);
}

/* Sorts the ranges and merges those without strides, so that a binary search finds a key. */
static void set_settle(struct number_set *set)
{
	struct range *ranges = set->ranges;
	size_t kept = 0;
	if (!set->count)
		return;
	qsort(ranges, set->count, sizeof *ranges, by_place);
	for (size_t i = 0; i < set->count; i++) {
		bool plain = ranges[i].stride <= 1;
		if (plain && kept &&
		    (ranges[kept - 1].high == UINT64_MAX ||
		     ranges[i].low <= ranges[kept - 1].high + 1)) {
			if (ranges[i].high > ranges[kept - 1].high)
				ranges[kept - 1].high = ranges[i].high;
			continue;
		}
		set->plain += plain;
		ranges[kept++] = ranges[i];
	}
	set->count = kept;
}

static enum varve_status add_item(struct varve_filter *filter, const struct item *item,
				  bool is_signed, number_of *number, void *with,
				  struct number_set *set)
{
	wide first = LEAST, last = MOST, stride = 1;
	if (item->low)
		TRY(number(with, item->low, &first));
	if (item->high)
		TRY(number(with, item->high, &last));
	if (!item->range)
		last = first;
	if (first > last)
		return filter_wrong(filter, item->at, "this range ends before it begins");
	if (item->stride) {
		TRY(number(with, item->stride, &stride));
		if (stride < 1)
			return filter_wrong(filter, item->stride->at,
					    "a stride must be at least 1");
	}
	range_add(set, is_signed, first, last, stride);
	return VARVE_OK;
}

enum varve_status numbers_make(struct varve_filter *filter, const struct term *term, bool is_signed,
			       number_of *number, void *with, struct number_set *set)
{
	size_t most = 0;
	for (const struct item *item = term->items; item; item = item->next)
		most++;
	*set = (struct number_set){0};
	if (!most)
		return VARVE_OK;
	TRY(filter_take(filter, most, sizeof *set->ranges, &set->ranges));
	if (term->op == WORD_IN || term->op == WORD_EQUAL || term->op == WORD_UNEQUAL) {
		for (const struct item *item = term->items; item; item = item->next)
			TRY(add_item(filter, item, is_signed, number, with, set));
		set_settle(set);
		return VARVE_OK;
	}
	wide value = 0;
	TRY(number(with, term->items->low, &value));
	if (term->op == WORD_LESS || term->op == WORD_LESS_EQUAL)
		range_add(set, is_signed, LEAST, value - (term->op == WORD_LESS), 1);
	else
		range_add(set, is_signed, value + (term->op == WORD_MORE), MOST, 1);
	set_settle(set);
	return VARVE_OK;
}

bool numbers_hold(const struct number_set *set, uint64_t key)
{
	size_t low = 0, high = set->plain;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (key > set->ranges[middle].high)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < set->plain && key >= set->ranges[low].low)
		return true;
	for (size_t i = set->plain; i < set->count; i++) {
		const struct range *range = &set->ranges[i];
		if (key >= range->low && key <= range->high &&
		    (key - range->low) % range->stride == 0)
			return true;
	}
	return false;
}

enum filter_verdict numbers_verdict(const struct number_set *set, uint64_t low, uint64_t high)
{
	if (low == high)
		return numbers_hold(set, low) ? FILTER_ALL : FILTER_NONE;
	enum filter_verdict verdict = FILTER_NONE;
	for (size_t i = 0; i < set->count; i++) {
		const struct range *range = &set->ranges[i];
		if (high < range->low || low > range->high)
			continue;
		if (i < set->plain && range->low <= low && high <= range->high)
			return FILTER_ALL;
		verdict = FILTER_SOME;
	}
	return verdict;
}
