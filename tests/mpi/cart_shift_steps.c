/* Run by mpi/nested with cart_shift.c: calls MPI_Cart_shift while the processor's trap flag is set, so that the signal handler runs
 * after each instruction of it. The handler calls MPI_Cart_shift, too. The direction is the number of the communicator that a
 * call was made with. Status 0 when the handler ran often enough.
 */
#include <signal.h>
#include <stddef.h>

int MPI_Init(int *, char ***), MPI_Cart_shift(int, int, int, int *, int *);

enum { COMMUNICATORS = 40, FIRST = 0x44000010 };

static long steps;
static int now;

static void shift(int which)
{
	int from, to;
	MPI_Cart_shift(FIRST + which, which, 1, &from, &to);
}

/* In turns the communicator of the interrupted call, and others that replace it in the recorder's tables. */
static void nested(int number)
{
	(void)number;
	shift(steps++ % 2 ? now : (int)(steps / 2 % COMMUNICATORS));
}

int main(void)
{
	MPI_Init(NULL, NULL);
	sigaction(SIGTRAP, &(struct sigaction){.sa_handler = nested}, NULL);
	for (int i = 0; i < COMMUNICATORS; i++)
		shift(i);
	for (int i = 0; i < 3 * COMMUNICATORS; i++) {
		now = i * 7 % COMMUNICATORS;
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
		shift(now);
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
	}
	return steps < 1000;
}
