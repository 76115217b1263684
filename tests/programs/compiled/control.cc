// For tests/cli/test_control.py: the header in C++, with the warnings of a strict program. The status is the number of calls that a
// recorder answered.
#include <varve/control.h>

int main()
{
	return varve_pause() + varve_resume() + varve_flush();
}
