/* Calls: threads that wait for each other, each call once with success and once with failure. Recorded with layer sync alone.
 * Objects are numbered in order of first use: `number` does the same. See tests/calls/call.h. */
#include "../../calls/call.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static const void *objects[64];
static int objects_known;

static int number(const void *object)
{
	for (int i = 0; i < objects_known; i++)
		if (objects[i] == object)
			return i + 1;
	objects[objects_known++] = object;
	return objects_known;
}

static const struct timespec past = {.tv_sec = 1};
static struct timespec future;

static pthread_mutex_t checked;
static mtx_t timed;
static cnd_t small_condition;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

typedef int one(void *);
typedef int two(void *, const void *);
typedef int three(void *, long, const void *);
typedef int four(void *, void *, long, const void *);

/* Locks, and locks again: an error for a mutex that checks this. */
static void mutex_lock(const struct variant *variant)
{
	one *take = use(variant->symbol, variant);
	for (int i = 0; i < 2; i++) {
		TRY(take(&checked));
		line_errno("mutex=%d", number(&checked));
	}
}

static void mutex_unlock(const struct variant *variant)
{
	one *give = use(variant->symbol, variant);
	for (int i = 0; i < 2; i++) {
		TRY(give(&checked));
		line_errno("mutex=%d", number(&checked));
	}
}

static void give_back(void)
{
	one *give = use("pthread_mutex_unlock", &(struct variant)LINKED(pthread_mutex_unlock));
	TRY(give(&checked));
	line_errno("mutex=%d", number(&checked));
}

static void mutex_timed(const struct variant *variant)
{
	two *take = use(variant->symbol, variant);
	for (int i = 0; i < 2; i++) {
		TRY(take(&checked, &past));
		line_errno("mutex=%d", number(&checked));
	}
	give_back();
}

static void mutex_clock(const struct variant *variant)
{
	three *take = use(variant->symbol, variant);
	for (int i = 0; i < 2; i++) {
		TRY(take(&checked, CLOCK_MONOTONIC, &past));
		line_errno("mutex=%d, clock=%d", number(&checked), CLOCK_MONOTONIC);
	}
	give_back();
}

/* Results of C11 are not error numbers: they are printed unchanged. */
static void line_small(const char *field, const void *object)
{
	line_as(text(" = %ld", call.result), "%s=%d", field, number(object));
}

static void small_one(const struct variant *variant)
{
	one *act = use(variant->symbol, variant);
	TRY(act(&timed));
	line_small("mutex", &timed);
}

static void small_timed(const struct variant *variant)
{
	two *take = use(variant->symbol, variant);
	TRY(take(&timed, &past));
	line_small("mutex", &timed);
}

static void small_notify(const struct variant *variant)
{
	one *act = use(variant->symbol, variant);
	TRY(act(&small_condition));
	line_small("condition", &small_condition);
}

static void notify(const struct variant *variant)
{
	one *act = use(variant->symbol, variant);
	TRY(act(&condition));
	line_errno("condition=%d", number(&condition));
}

/* A thread that notifies until it has an effect; its calls are not expected, only those of the main thread. */
static volatile int over;
static int awake; /* of these */

static void *waker(void *unused)
{
	(void)unused;
	while (!over) {
		pthread_cond_broadcast(&condition);
		cnd_broadcast(&small_condition);
		raw(SYS_sched_yield, 0, 0, 0, 0);
	}
	__atomic_sub_fetch(&awake, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* `late`: it finds nothing to do. */
static pthread_t waker_start(int late)
{
	pthread_t thread;
	over = late;
	__atomic_add_fetch(&awake, 1, __ATOMIC_RELAXED);
	pthread_create(&thread, NULL, waker, NULL);
	return thread;
}

/* A later notification would end the next wait. */
static void waker_stop(void)
{
	over = 1;
	while (__atomic_load_n(&awake, __ATOMIC_ACQUIRE))
		raw(SYS_sched_yield, 0, 0, 0, 0);
}

static void *nothing(void *unused)
{
	return unused;
}

static int small_nothing(void *unused)
{
	(void)unused;
	return 0;
}

static void take(void)
{
	one *lock_it = use("pthread_mutex_lock", &(struct variant)LINKED(pthread_mutex_lock));
	TRY(lock_it(&checked));
	line_errno("mutex=%d", number(&checked));
}

static void await_forever(const struct variant *variant)
{
	int (*await)(pthread_cond_t *, pthread_mutex_t *) = use(variant->symbol, variant);
	pthread_t thread = waker_start(0);
	take();
	use(variant->symbol, variant);
	TRY(await(&condition, &checked));
	line_errno("condition=%d, mutex=%d", number(&condition), number(&checked));
	waker_stop();
	give_back();
	pthread_detach(thread);
}

static void await_timed(const struct variant *variant)
{
	int (*await)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) =
		use(variant->symbol, variant);
	for (int i = 0; i < 2; i++) {
		const struct timespec *until = i ? &past : &future;
		pthread_t thread = waker_start(i);
		take();
		use(variant->symbol, variant);
		TRY(await(&condition, &checked, until));
		line_errno("condition=%d, mutex=%d", number(&condition), number(&checked));
		waker_stop();
		give_back();
		pthread_detach(thread);
	}
}

static void await_clock(const struct variant *variant)
{
	four *await = use(variant->symbol, variant);
	for (int i = 0; i < 2; i++) {
		pthread_t thread = waker_start(i);
		take();
		use(variant->symbol, variant);
		TRY(await(&condition, &checked, CLOCK_REALTIME, i ? &past : &future));
		line_errno("condition=%d, mutex=%d, clock=%d", number(&condition), number(&checked),
			   CLOCK_REALTIME);
		waker_stop();
		give_back();
		pthread_detach(thread);
	}
}

/* With the mutex held that small_one() has locked. */
static void small_await(const struct variant *variant)
{
	int (*await)(cnd_t *, mtx_t *, const struct timespec *) = use(variant->symbol, variant);
	pthread_t thread = waker_start(0);
	TRY(await(&small_condition, &timed, &future));
	line_as(text(" = %ld", call.result), "condition=%d, mutex=%d", number(&small_condition),
		number(&timed));
	waker_stop();
	pthread_detach(thread);
}

static void barrier(const struct variant *variant)
{
	static pthread_barrier_t alone;
	one *await = use(variant->symbol, variant);
	pthread_barrier_init(&alone, NULL, 1);
	TRY(await(&alone));
	line_small("barrier", &alone);
}

/* Once for reading or writing, and once more while it is taken for writing. */
static void lock_plain(const struct variant *variant)
{
	one *act = use(variant->symbol, variant);
	TRY(act(&lock));
	line_errno("lock=%d", number(&lock));
}

static void lock_timed(const struct variant *variant)
{
	two *act = use(variant->symbol, variant);
	TRY(act(&lock, &past));
	line_errno("lock=%d", number(&lock));
}

static void lock_clock(const struct variant *variant)
{
	three *act = use(variant->symbol, variant);
	TRY(act(&lock, CLOCK_MONOTONIC, &past));
	line_errno("lock=%d, clock=%d", number(&lock), CLOCK_MONOTONIC);
}

static void semaphore_plain(const struct variant *variant)
{
	one *act = use(variant->symbol, variant);
	TRY(act(&semaphore));
	line("semaphore=%d", number(&semaphore));
}

static void semaphore_timed(const struct variant *variant)
{
	two *act = use(variant->symbol, variant);
	TRY(act(&semaphore, &past));
	line("semaphore=%d", number(&semaphore));
}

static void semaphore_clock(const struct variant *variant)
{
	three *act = use(variant->symbol, variant);
	TRY(act(&semaphore, CLOCK_MONOTONIC, &past));
	line("semaphore=%d, clock=%d", number(&semaphore), CLOCK_MONOTONIC);
}

/* Joins a thread while it runs, which fails for functions that do not wait, and after it has ended. */
static void join(const struct variant *variant)
{
	int (*plain)(pthread_t, void **) = use(variant->symbol, variant);
	int (*until)(pthread_t, void **, const struct timespec *) = (void *)plain;
	int (*clocked)(pthread_t, void **, long, const struct timespec *) = (void *)plain;
	bool waits = !strcmp(variant->symbol, "pthread_join");
	bool clock = strstr(variant->symbol, "clock");
	for (int i = waits; i < 2; i++) {
		pthread_t thread;
		if (i)
			pthread_create(&thread, NULL, nothing, NULL);
		else
			thread = waker_start(0);
		if (i && !waits && !strstr(variant->symbol, "time") && !clock)
			raw(SYS_nanosleep, (long)&(struct timespec){.tv_nsec = 50000000}, 0, 0, 0);
		if (clock)
			TRY(clocked(thread, NULL, CLOCK_REALTIME, i ? &future : &past));
		else if (strstr(variant->symbol, "time"))
			TRY(until(thread, NULL, i ? &future : &past));
		else
			TRY(plain(thread, NULL));
		if (clock)
			line_errno("thread=%d, clock=%d", number((void *)thread), CLOCK_REALTIME);
		else
			line_errno("thread=%d", number((void *)thread));
		if (!i)
			pthread_detach(thread);
		waker_stop();
	}
}

static void small_join(const struct variant *variant)
{
	int (*plain)(thrd_t, int *) = use(variant->symbol, variant);
	thrd_t thread;
	thrd_create(&thread, small_nothing, NULL);
	TRY(plain(thread, NULL));
	line_small("thread", (void *)thread);
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attributes);
	mtx_init(&timed, mtx_timed);
	cnd_init(&small_condition);
	sem_init(&semaphore, 0, 0);
	future.tv_sec = time(NULL) + 1000;

	RUN(mutex_lock, LINKED(pthread_mutex_lock));
	RUN(mutex_unlock, LINKED(pthread_mutex_unlock));
	RUN(mutex_lock, LINKED(pthread_mutex_trylock));
	give_back();
	RUN(mutex_timed, LINKED(pthread_mutex_timedlock));
	RUN(mutex_clock, LINKED(pthread_mutex_clocklock));

	/* Before another thread exists that uses, and so numbers, the conditions. */
	RUN(small_notify, LINKED(cnd_signal), LINKED(cnd_broadcast));
	RUN(notify, LINKED(pthread_cond_signal), LINKED(pthread_cond_broadcast));

	RUN(small_one, LINKED(mtx_lock), LINKED(mtx_unlock), LINKED(mtx_trylock),
	    LINKED(mtx_trylock));
	RUN(small_await, LINKED(cnd_wait), LINKED(cnd_timedwait));
	RUN(small_timed, LINKED(mtx_timedlock));

	RUN(await_forever, LINKED(pthread_cond_wait));
	RUN(await_timed, LINKED(pthread_cond_timedwait));
	RUN(await_clock, LINKED(pthread_cond_clockwait));
	RUN(barrier, LINKED(pthread_barrier_wait));

	RUN(lock_plain, LINKED(pthread_rwlock_rdlock), LINKED(pthread_rwlock_tryrdlock),
	    LINKED(pthread_rwlock_trywrlock));
	RUN(lock_timed, LINKED(pthread_rwlock_timedrdlock), LINKED(pthread_rwlock_timedwrlock));
	RUN(lock_clock, LINKED(pthread_rwlock_clockrdlock), LINKED(pthread_rwlock_clockwrlock));
	RUN(lock_plain, LINKED(pthread_rwlock_unlock), LINKED(pthread_rwlock_unlock),
	    LINKED(pthread_rwlock_unlock), LINKED(pthread_rwlock_unlock));
	RUN(lock_plain, LINKED(pthread_rwlock_wrlock), LINKED(pthread_rwlock_tryrdlock),
	    LINKED(pthread_rwlock_unlock), LINKED(pthread_rwlock_trywrlock),
	    LINKED(pthread_rwlock_unlock));
	RUN(lock_timed, LINKED(pthread_rwlock_timedwrlock));
	RUN(lock_plain, LINKED(pthread_rwlock_unlock));
	RUN(lock_clock, LINKED(pthread_rwlock_clockwrlock));
	RUN(lock_plain, LINKED(pthread_rwlock_unlock));

	RUN(semaphore_plain, LINKED(sem_post), LINKED(sem_wait), LINKED(sem_trywait),
	    LINKED(sem_post), LINKED(sem_trywait), LINKED(sem_post));
	RUN(semaphore_timed, LINKED(sem_timedwait), LINKED(sem_timedwait));
	RUN(semaphore_plain, LINKED(sem_post));
	RUN(semaphore_clock, LINKED(sem_clockwait), LINKED(sem_clockwait));

	RUN(join, LINKED(pthread_join), LINKED(pthread_tryjoin_np), LINKED(pthread_timedjoin_np),
	    LINKED(pthread_clockjoin_np));
	RUN(small_join, LINKED(thrd_join));
	return 0;
}
