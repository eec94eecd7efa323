#include "transform/conflicts/resolve.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/timer.h"
#include "transform/conflicts/rounds.h"

#include <assert.h>

/* With fewer keys, on average, the hosts finish before GPUs have received the keys and have launched the kernels of
 * about ten rounds. If no device is open yet, opening it and building the kernels takes a second or more, while the
 * hosts decide about 14 million keys in .15 s (16 cores of an H200's host, 2026-11-22). */
enum { MIN_DEVICE_KEYS = 1 << 20, MIN_CLOSED_DEVICE_KEYS = 1 << 26 };

/* PLACE */

/* Collective. All ranks decide alike. *device becomes true if the device of every rank resolves conflicts, and then the
 * resolver has its kernels. If the caller does not choose the place, the number of keys decides. Devices are opened
 * only if there are very many keys. */
static gemp_code choose_place(gemp_resolver *resolver, uint64_t slots, uint64_t matches, uint64_t keys, bool *device)
{
	gemp_runtime *context = resolver->context;
	const gemp_comm *comm = resolver->comm;
	const bool forced = resolver->on == GEMP_PLACE_DEVICE;
	*device = false;
	if (!context || resolver->on == GEMP_PLACE_HOST)
		return GEMP_OK;
	const uint64_t average = gemp_comm_sum1(comm, keys) / (uint64_t)comm->size;
	if (!forced && average < (context->device ? MIN_DEVICE_KEYS : MIN_CLOSED_DEVICE_KEYS))
		return GEMP_OK;
	GEMP_TRY(gemp_runtime_open_devices(context));
	uint64_t unfit = slots >> GEMP_DEVICE_SLOT_BITS ||
	                 !gemp_device_rounds_fit(comm, context->device, matches, keys, average) ||
	                 !(forced || context->device->gpu);
	gemp_comm_max(comm, &unfit, 1);
	if (unfit)
		return GEMP_OK;
	if (!resolver->device.box)
		GEMP_TRY(gemp_conflict_device_new(&resolver->device, context, resolver->form));
	*device = true;
	return GEMP_OK;
}

/* Notes where a step has run. */
static void finish(gemp_resolver *resolver, const char *step, uint64_t matches, uint64_t keys, bool device,
                   double since)
{
	resolver->on_device |= device;
	resolver->on_host |= !device;
	gemp_log(GEMP_VERBOSE, "%s: %llu matches with %llu conflict keys on the %s in %.3f s", step,
	         (unsigned long long)matches, (unsigned long long)keys, device ? "device" : "host", gemp_now() - since);
}

/* The kernels' times are those of this rank. After a failure they are of no interest. */
void gemp_resolver_close(gemp_resolver *resolver)
{
	double seconds = 0;
	if (!resolver->device.box)
		return;
	if (gemp_toolbox_seconds(resolver->device.box, &seconds) == GEMP_OK)
		resolver->context->timers.seconds[GEMP_PHASE_KERNEL] += seconds;
	if (resolver->device.exchange)
		gemp_device_exchange_charge(resolver->device.exchange, &resolver->cost.traffic, &resolver->cost.seconds);
	gemp_conflict_device_free(&resolver->device);
}

/* UNCONTENDED MATCHES */

/* With a single rank the host marks slots faster than it copies keys to a device. */
gemp_code gemp_resolve_uncontended(gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys, uint8_t *decisions,
                                   uint64_t *left)
{
	const uint64_t keys = conflict_keys->offsets[conflict_keys->matches];
	const double since = gemp_now();
	bool device = false;
	assert(gemp_conflict_keys_is_valid(conflict_keys));
	if (resolver->comm->size > 1 || resolver->on == GEMP_PLACE_DEVICE)
		GEMP_TRY(choose_place(resolver, conflict_keys->slots, conflict_keys->matches, keys, &device));
	GEMP_TRY(device ? gemp_device_uncontended(&resolver->device, conflict_keys, decisions, left)
	                : gemp_host_uncontended(resolver->comm, conflict_keys, decisions, left, &resolver->cost));
	finish(resolver, "uncontended matches", conflict_keys->matches, keys, device, since);
	*left = gemp_comm_sum1(resolver->comm, *left);
	return GEMP_OK;
}

/* ALL MATCHES, OR ONE */

/* A match without keys has no conflicts. */
static void select_keyless(const gemp_conflict_keys *k, uint8_t *decisions)
{
	for (size_t m = 0; m < k->matches; m++)
		if (decisions[m] == GEMP_UNDECIDED && k->offsets[m] == k->offsets[m + 1])
			decisions[m] = GEMP_SELECTED;
}

/* Collective. The rounds run on flat arrays of the undecided matches. */
static gemp_code resolve_flat(gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys,
                              const uint64_t *priority, uint8_t *decisions, uint64_t *rounds, bool device)
{
	GEMP_OWNED_BY(gemp_conflict_rounds_free) gemp_conflict_rounds problem = { 0 };
	gemp_code code = gemp_conflict_rounds_new(&problem, conflict_keys, priority, decisions);
	if (device)
		code = gemp_device_rounds_run(&resolver->device, code, &problem, rounds);
	else if (resolver->comm->size > 1)
		code = gemp_host_resolve(resolver->comm, code, &problem, rounds, &resolver->cost);
	else
		GEMP_THEN(gemp_conflict_rounds_host(&problem, rounds));
	for (size_t m = 0; code == GEMP_OK && m < problem.matches; m++)
		decisions[problem.rows[m]] = problem.decision[m];
	return code;
}

gemp_code gemp_resolve_all(gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys, const uint64_t *priority,
                           uint8_t *decisions, uint64_t *rounds)
{
	const double since = gemp_now();
	uint64_t keys = 0, matches = 0;
	bool device;
	assert(gemp_conflict_keys_is_valid(conflict_keys));
	select_keyless(conflict_keys, decisions);
	for (size_t m = 0; m < conflict_keys->matches; m++)
		if (decisions[m] == GEMP_UNDECIDED) {
			matches++;
			keys += conflict_keys->offsets[m + 1] - conflict_keys->offsets[m];
		}
	GEMP_TRY(choose_place(resolver, conflict_keys->slots, matches, keys, &device));
	GEMP_TRY(resolve_flat(resolver, conflict_keys, priority, decisions, rounds, device));
	finish(resolver, "contending matches", matches, keys, device, since);
	return GEMP_OK;
}

/* The ranks find the smallest priority as the maximum of the complements. The order of tuples breaks ties. */
gemp_code gemp_resolve_one(const gemp_comm *comm, const gemp_match_keys *matches, const uint64_t *priority,
                           uint8_t *decisions)
{
	uint64_t best = 0; /* the complement of a priority; the smallest priority has the largest complement */
	GEMP_OWNED uint64_t *number = NULL;
	for (size_t i = 0; i < matches->count; i++)
		if (decisions[i] == GEMP_UNDECIDED && ~priority[i] > best)
			best = ~priority[i];
	gemp_comm_max(comm, &best, 1);
	for (size_t i = 0; i < matches->count; i++)
		decisions[i] = decisions[i] == GEMP_UNDECIDED && ~priority[i] == best;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(number, matches->count)));
	GEMP_TRY(gemp_match_order_number(comm, matches, decisions, number, NULL));
	for (size_t i = 0; i < matches->count; i++)
		decisions[i] = decisions[i] && number[i] == 0 ? GEMP_SELECTED : GEMP_REJECTED;
	return GEMP_OK;
}
