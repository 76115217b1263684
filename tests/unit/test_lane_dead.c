/* Tests: the rule which image of a process is the last one, which the collector and the readers of lanes share. */
#include "codec/inprocess/lane_dead.h"
#include "unit/harness.h"

static const struct lane_image first = {
	.process = 3, .pid = 100, .start = 5000, .pid_namespace = 7};

CASE(a_later_image_replaces_an_earlier_one)
{
	struct lane_image later = first;
	later.process = 9;
	CHECK(lane_image_replaced(&first, &later));
	CHECK(!lane_image_replaced(&later, &first));
	CHECK(!lane_image_replaced(&first, &first));
}

CASE(another_process_replaces_none)
{
	struct lane_image others[3] = {first, first, first};
	others[0].pid++;
	others[1].start++;
	others[2].pid_namespace++;
	for (size_t i = 0; i < 3; i++) {
		others[i].process = 9;
		CHECK(!lane_image_replaced(&first, &others[i]));
	}
}

CASE(a_lane_that_is_not_signed_replaces_none)
{
	struct lane_image unsigned_one = first;
	unsigned_one.process = 0;
	CHECK(!lane_image_replaced(&first, &unsigned_one));
}

CASE(an_image_is_that_of_the_head)
{
	const struct lane lane = {
		.process = 3, .pid = 100, .process_start = 5000, .pid_namespace = 7};
	const struct lane_image image = lane_image_of(&lane);
	CHECK_EQ(image.process, first.process);
	CHECK_EQ(image.pid, first.pid);
	CHECK_EQ(image.start, first.start);
	CHECK_EQ(image.pid_namespace, first.pid_namespace);
	CHECK(lane_same_process(&lane, &lane));
}

RUN(ENTRY(a_later_image_replaces_an_earlier_one), ENTRY(another_process_replaces_none),
    ENTRY(a_lane_that_is_not_signed_replaces_none), ENTRY(an_image_is_that_of_the_head))
