/* Record: words of arguments that are more than a number: addresses of sockets, messages, times, asynchronous requests.
 *
 * Each function checks that memory of the program is readable; where it is not, the word is 0 (for times -1).
 */
#ifndef RECORD_WORDS_H
#define RECORD_WORDS_H

#include "record/names/requests.h"
#include "record/recorder.h"

#include <sys/socket.h>
#include <sys/time.h>

/* sockets.c */
uint64_t word_sockaddr(struct thread *self, const void *address, socklen_t length);
uint64_t word_option(struct thread *self, int level, int option, const void *value,
		     socklen_t length);
/* The size of the buffer that the kernel may fill, and how much of it the kernel has filled; 0 when there is none. */
socklen_t room_for(struct thread *self, const socklen_t *length);
socklen_t reported_length(struct thread *self, const socklen_t *length, socklen_t room);
uint64_t word_message_size(struct thread *self, const struct msghdr *message);
uint64_t word_message_address(struct thread *self, const struct msghdr *message);
/* The number of descriptors in the message. */
uint64_t word_message_passed(struct thread *self, const struct msghdr *message);
uint64_t word_messages(struct thread *self, const struct mmsghdr *messages, int count);
uint64_t word_host(struct thread *self, char *const *host);

/* files.c, events.c; a time may be any struct of seconds and nanoseconds */
uint64_t word_offset_given(struct thread *self, const void *offset);
uint64_t word_timespec(struct thread *self, const void *time);
uint64_t word_timeval(struct thread *self, const struct timeval *time);
uint64_t word_itimer(struct thread *self, const struct itimerspec *timer);
uint64_t word_events(struct thread *self, const void *event);

/* aio.c; an aiocb or aiocb64, which have the same layout. word_request(): the number of a request of any kind, by its address. */
uint64_t word_request_new(struct thread *self, const void *request, enum direction direction);
uint64_t word_request_fd(struct thread *self, const void *request);
uint64_t word_request_direction(const void *request);
uint64_t word_request(struct thread *self, const void *request);
uint64_t word_aiocb_fd(struct thread *self, const void *request);
uint64_t word_aiocb_offset(struct thread *self, const void *request);
uint64_t word_aiocb_size(struct thread *self, const void *request);
/* The error number of a request that has completed. */
int aio_error_of(const void *request);

/* ring_calls.c */
uint64_t word_ring(struct thread *self, const void *ring);
uint64_t word_ring_number(struct thread *self, int number, unsigned flags);

#endif
