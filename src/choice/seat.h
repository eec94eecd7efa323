/* seat: what is known of a seat while a choice is made. */
#ifndef GEMP_CHOICE_SEAT_H
#define GEMP_CHOICE_SEAT_H

#include "choice/choose.h"

typedef struct gemp_seat {
	uint64_t first[GEMP_TOUCHES]; /* least priority of undecided matches that touch it so; UINT64_MAX: none does */
	uint32_t chosen;              /* bit: how chosen matches touch it */
} gemp_seat;

/* Several threads may enter and choose at the same time. */
static inline void gemp_seat_clear(gemp_seat *seat)
{
	for (gemp_touch touch = GEMP_READS; touch < GEMP_TOUCHES; touch++)
		__atomic_store_n(&seat->first[touch], UINT64_MAX, __ATOMIC_RELAXED);
}

static inline void gemp_seat_enter(gemp_seat *seat, gemp_touch touch, uint64_t priority)
{
	uint64_t *first = &seat->first[touch], there = __atomic_load_n(first, __ATOMIC_RELAXED);
	while (priority < there &&
	       !__atomic_compare_exchange_n(first, &there, priority, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static inline void gemp_seat_choose(gemp_seat *seat, gemp_touch touch)
{
	__atomic_fetch_or(&seat->chosen, 1u << touch, __ATOMIC_RELAXED);
}

/* Of a match of this priority that has entered: chosen, as far as this seat is concerned; undecided if a conflicting
 * one comes before it; out if one is chosen. */
static inline gemp_choice gemp_seat_judge(const gemp_seat *seat, gemp_touch touch, uint64_t priority)
{
	gemp_choice choice = GEMP_CHOSEN;
	for (gemp_touch other = GEMP_READS; other < GEMP_TOUCHES; other++) {
		if (!gemp_touches_conflict(touch, other))
			continue;
		if (seat->chosen & 1u << other)
			return GEMP_LEFT_OUT;
		if (seat->first[other] < priority)
			choice = GEMP_UNDECIDED;
	}
	return choice;
}

#endif
