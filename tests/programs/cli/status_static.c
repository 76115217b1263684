/* flags: -static
 * For tests/cli/test_record.py and test_words.py. Usage: status_static [STATUS]
 *
 * A program that cannot be recorded; it only ends with STATUS (0). */
#include <stdlib.h>

int main(int count, char **words)
{
	return count > 1 ? atoi(words[1]) : 0;
}
