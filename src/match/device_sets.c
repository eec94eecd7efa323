#include "match/device_sets.h"

#include "match/distinct/distinct.h"
#include "match/forecast.h"

/* The number of classes that one rank's devices are expected to find: no more than rows, and without order restrictions
 * an orbit has as many rows as the group has elements. Every rank may find all classes. */
static double expected_classes(const gemp_match *m)
{
	const double rows = gemp_match_forecast(m).rows;
	const bool orbits = m->options.distinct == GEMP_BY_ORBIT && !m->plan->broken && !m->plan->group_overflow;
	return orbits ? rows / (double)m->plan->group_order : rows;
}

/* Local. Every device gets a set of its own, since it does not know the rows of the others. */
static gemp_code make_sets(gemp_match *m, const gemp_packed_form *form, bool counts)
{
	for (gemp_search *s = m->search; s; s = s->next)
		GEMP_TRY(gemp_device_set_new(&s->device_set, s->context->device, form, expected_classes(m), s->result_capacity,
		                             counts));
	return GEMP_OK;
}

static bool set_counts(void *self, uint64_t *classes)
{
	const gemp_device_set *set = self;
	*classes = set->counted;
	return set->counting;
}

static gemp_code read_forms(void *self, size_t *at, uint64_t *records, size_t *count, bool *last)
{
	const gemp_device_set *set = self;
	GEMP_TRY(gemp_device_set_forms(set, at, records, count));
	*last = *at == set->slots;
	return GEMP_OK;
}

gemp_code gemp_device_sets_new(gemp_match *m, const gemp_sink *distinct)
{
	const gemp_packed_form *form = m->deduplicates ? gemp_distinct_form(distinct) : NULL;
	if (!form || m->phases.after_count || m->options.count_parts || m->plan->arguments || m->plan->live_edges)
		return GEMP_OK;
	const bool counts = !m->search->next && gemp_distinct_only_counts(distinct);
	GEMP_TRY(gemp_comm_agree(m->context->comm, make_sets(m, form, counts)));
	if (counts && m->search->device_set)
		gemp_distinct_take_from(distinct, &(gemp_form_source){ m->search->device_set, set_counts, read_forms });
	return GEMP_OK;
}

void gemp_device_sets_free(gemp_match *m, const gemp_sink *distinct)
{
	if (m->deduplicates)
		gemp_distinct_take_from(distinct, NULL);
	for (gemp_search *s = m->search; s; s = s->next) {
		gemp_device_set_free(s->device_set);
		s->device_set = NULL;
	}
}
