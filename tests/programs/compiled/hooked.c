/* For tests/cli/test_regions.py, which compiles it with -finstrument-functions and several other options: functions that call each
 * other, one that is inlined, one that longjmp() leaves.
 *
 * -DOTHER: another program, whose functions have other addresses. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;

#ifdef OTHER
int other(void);

int other(void)
{
	return 1;
}
#endif

void leaf(void);
void jumps(void);

__attribute__((noinline)) void leaf(void)
{
	puts("leaf");
}

__attribute__((noinline)) static int middle(int levels)
{
	leaf();
	return levels ? middle(levels - 1) + 1 : 0;
}

__attribute__((noinline)) void jumps(void)
{
	puts("jumps");
	longjmp(back, 1);
}

static inline void inlined(void)
{
	puts("inlined");
}

int main(void)
{
	middle(1);
	inlined();
	if (!setjmp(back))
		jumps();
	puts("main");
	leaf();
	return 0;
}
