#include "match/search/pivot_costs.h"

#include "core/memory.h"
#include "device/launch.h"
#include "device/program.h"

#include <stdio.h>

enum {
	SAMPLED_NEIGHBOURS = 16, /* about this number of a pivot's neighbours have their rows measured */
	ONE_BY_ONE = 4096,       /* the cost of each of the first pivots is estimated, */
	ONE_OF = 16,             /* and after these the cost of one pivot in 16 */
	GROUP = 256,
};

bool gemp_pivot_is_estimated(size_t pivot)
{
	return pivot < ONE_BY_ONE || pivot % ONE_OF == 0;
}

/* The first two steps of a search. */
typedef struct first_steps {
	bool extends;           /* there is a second step that extends matches; otherwise each pivot costs 1 */
	size_t near, far;       /* view of the pivot's row; view of the second vertex's row */
	uint32_t less, greater; /* must the second vertex have a slot less or greater than the pivot's? */
} first_steps;

/* The view in which a later step reads the row of the second vertex. If no step does, the view of the second step. */
static size_t second_view(const gemp_plan *plan, size_t second)
{
	for (size_t s = second + 1; s < plan->step_count; s++)
		for (size_t j = 0; j < plan->steps[s].check_count; j++)
			if (plan->steps[s].checks[j].from == plan->steps[second].vertex)
				return (size_t)plan->steps[s].checks[j].view;
	return (size_t)plan->steps[second].checks[0].view;
}

static first_steps steps_of(const gemp_plan *plan)
{
	const size_t second = (size_t)plan->root + 1;
	const uint64_t pivot = UINT64_C(1) << plan->steps[plan->root].vertex;
	if (second >= plan->step_count || plan->steps[second].kind != GEMP_EXTEND)
		return (first_steps){ 0 };
	const gemp_step *step = &plan->steps[second];
	return (first_steps){ .extends = true,
		                  .near = (size_t)step->checks[0].view,
		                  .far = second_view(plan, second),
		                  .less = (step->less & pivot) != 0,
		                  .greater = (step->greater & pivot) != 0 };
}

static uint64_t row_length(const gemp_view *view, gemp_vertex slot)
{
	return view->begin[slot + 1] - view->begin[slot];
}

/* The rows of about SAMPLED_NEIGHBOURS neighbours that can be the second vertex are scaled up to all neighbours. */
static uint64_t pivot_cost(const first_steps *steps, const gemp_view *views, gemp_vertex slot)
{
	const gemp_view *near = &views[steps->near], *far = &views[steps->far];
	uint64_t cost = 1, stride = row_length(near, slot) / SAMPLED_NEIGHBOURS + 1;
	for (uint64_t i = near->begin[slot] + stride / 2; i < near->begin[slot + 1]; i += stride) {
		gemp_vertex next = near->neighbours[i];
		bool wanted = next < far->rows && !(steps->less && next >= slot) && !(steps->greater && next <= slot);
		cost += wanted ? stride * (1 + row_length(far, next)) : 0;
	}
	return cost + row_length(near, slot);
}

/* ON THE DEVICE */

typedef struct device_costs {
	gemp_device *device;
	gemp_program program;
	cl_kernel kernel;
	gemp_buffer slots, costs;
} device_costs;

static void free_device_costs(device_costs *d)
{
	gemp_kernels_free(&d->kernel);
	gemp_program_store_and_free(d->device, &d->program);
	gemp_buffers_free(d->device, &d->slots, &d->costs);
}

/* Sets cost[count] to the costs of the pivots slots[count]. */
static gemp_code find_on_device(const gemp_search *search, const first_steps *steps, gemp_vertex *slots, size_t count,
                                uint64_t *cost)
{
	gemp_device *device = search->context->device;
	GEMP_OWNED_BY(free_device_costs) device_costs d = { .device = device };
	const cl_uint rows = (cl_uint)search->views[steps->far].rows, pivots = (cl_uint)count;
	char options[64];
	snprintf(options, sizeof options, "-DSAMPLED=%d%s", SAMPLED_NEIGHBOURS, search->emit.wide ? " -DCOST_WIDE" : "");
	GEMP_TRY(gemp_program_build(&d.program, device, "pivot_costs.cl", options, { "pivot_costs", &d.kernel }));
	search->context->timers.seconds[GEMP_PHASE_BUILD] += d.program.seconds;
	GEMP_TRY(gemp_buffer_new(&d.slots, device, count * sizeof *slots, slots));
	GEMP_TRY(gemp_buffer_new(&d.costs, device, count * sizeof *cost, NULL));
	GEMP_TRY(gemp_launch(device, d.kernel, device->gpu ? count : gemp_min(count, (size_t)device->units),
	                     device->gpu ? gemp_min((size_t)GROUP, device->max_group) : 1,
	                     GEMP_ARG(&search->row_offsets[steps->near].mem),
	                     GEMP_ARG(&search->column_indices[steps->near].mem),
	                     GEMP_ARG(&search->row_offsets[steps->far].mem), GEMP_ARG(&rows), GEMP_ARG(&d.slots.mem),
	                     GEMP_ARG(&pivots), GEMP_ARG(&steps->less), GEMP_ARG(&steps->greater), GEMP_ARG(&d.costs.mem)));
	return gemp_buffer_read(device, &d.costs, 0, count * sizeof *cost, cost);
}

/* The estimated pivots are packed to the front of cost[] and then spread, from the last one on. */
static gemp_code find_packed(const gemp_search *search, const first_steps *steps, uint64_t *cost)
{
	GEMP_OWNED gemp_vertex *slots = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(slots, search->pivots));
	for (size_t i = 0; i < search->pivots; i++)
		if (gemp_pivot_is_estimated(i))
			slots[count++] = search->pivot_slots[i];
	if (count)
		GEMP_TRY(find_on_device(search, steps, slots, count, cost));
	for (size_t i = search->pivots; i-- > 0;)
		if (gemp_pivot_is_estimated(i))
			cost[i] = cost[--count];
	return GEMP_OK;
}

gemp_code gemp_pivot_costs_find(const gemp_search *search, uint64_t *cost)
{
	const first_steps steps = steps_of(search->plan);
	const bool on_device = steps.extends && !search->views[steps.near].neighbours;
	if (on_device)
		GEMP_TRY(find_packed(search, &steps, cost));
	for (size_t i = 0; i < search->pivots; i++) {
		if (!gemp_pivot_is_estimated(i))
			cost[i] = cost[i - 1];
		else if (!on_device)
			cost[i] = steps.extends ? pivot_cost(&steps, search->views, search->pivot_slots[i]) : 1;
	}
	return GEMP_OK;
}
