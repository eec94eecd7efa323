/* Edges that go with the vertices that a step deletes or merges. */
#include "changelog/record_parts.h"
#include "core/memory.h"
#include "match/values.h"

#include <stdlib.h>
#include <string.h>

bool gemp_record_takes_edges(const gemp_rule *rule)
{
	for (size_t i = 0; i < rule->update_count; i++)
		if (rule->updates[i].kind == GEMP_MERGE || (rule->updates[i].kind == GEMP_DELETE && rule->updates[i].detach))
			return true;
	return false;
}

static int compare_gone(const void *a, const void *b)
{
	const gemp_record_gone *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static gemp_code read_gone(gemp_recording *r, size_t size)
{
	gemp_code code = GEMP_OK;
	size_t capacity = 0;
	for (const char *at = r->gone_bytes, *end = at + size; at < end;) {
		GEMP_TRY(GEMP_RESERVE(r->gone, capacity, r->gone_count + 1));
		gemp_record_gone *gone = &r->gone[r->gone_count++];
		gone->id = gemp_unpack_number(&at);
		gone->number = gemp_unpack_number(&at);
		gone->into = gemp_unpack_value(&at);
	}
	if (r->gone_count)
		qsort(r->gone, r->gone_count, sizeof *r->gone, compare_gone);
done:
	return code;
}

/* Collective. */
static gemp_code gather_gone(gemp_recording *r)
{
	gemp_code code = GEMP_OK;
	gemp_text mine = { 0 };
	size_t *begin = NULL;
	for (size_t i = 0; i < r->event_count; i++) {
		const gemp_update *u = &r->rule->updates[r->events[i].update];
		if (u->element.edge || (u->kind != GEMP_DELETE && u->kind != GEMP_MERGE))
			continue;
		gemp_pack_number(&mine, r->events[i].element);
		gemp_pack_number(&mine, r->events[i].number);
		gemp_pack_value(&mine, &r->events[i].value);
	}
	GEMP_TRY(gemp_comm_agree(r->context->comm, gemp_text_status(&mine)));
	GEMP_TRY(gemp_comm_gather_all(r->context->comm, mine.data, mine.size, &r->gone_bytes, &begin));
	code = gemp_comm_agree(r->context->comm, read_gone(r, begin[r->context->comm->size]));
done:
	gemp_text_free(&mine);
	gemp_free(begin);
	return code;
}

const gemp_record_gone *gemp_record_find_gone(const gemp_recording *r, uint64_t id)
{
	const gemp_record_gone key = { .id = id };
	return r->gone_count ? bsearch(&key, r->gone, r->gone_count, sizeof key, compare_gone) : NULL;
}

static bool deleted_by_itself(const gemp_recording *r, uint64_t edge)
{
	const gemp_record_event *end, *event = gemp_record_find_events(r, true, edge, &end);
	for (; event < end; event++)
		if (r->rule->updates[event->update].kind == GEMP_DELETE)
			return true;
	return false;
}

static bool is_set(const uint64_t *bits, uint64_t at)
{
	return bits[at / 64] >> at % 64 & 1;
}

static gemp_code find_edges_of(gemp_recording *r, size_t k, const uint64_t *bits)
{
	gemp_code code = GEMP_OK;
	const gemp_relation *relation = &r->graph->relations[k];
	for (size_t v = 0; v < r->graph->rows; v++) {
		bool goes = is_set(bits, r->graph->first + v);
		for (uint64_t at = relation->out_begin[v]; at < relation->out_begin[v + 1]; at++) {
			if (!goes && !is_set(bits, relation->out[at]))
				continue;
			if (deleted_by_itself(r, r->offsets[k] + relation->first + at))
				continue;
			GEMP_TRY(GEMP_RESERVE(r->edges, r->edge_capacity, r->edge_count + 1));
			r->edges[r->edge_count++] = (gemp_record_edge){ (uint32_t)k, (uint32_t)v, at };
		}
	}
done:
	return code;
}

static gemp_code find_edges(gemp_recording *r)
{
	gemp_code code = GEMP_OK;
	uint64_t *bits = NULL;
	GEMP_TRY(GEMP_NEW(bits, (size_t)(r->graph->vertices / 64 + 1)));
	for (size_t i = 0; i < r->gone_count; i++)
		bits[r->gone[i].id / 64] |= (uint64_t)1 << r->gone[i].id % 64;
	for (size_t k = 0; k < r->graph->relation_count; k++)
		GEMP_TRY(find_edges_of(r, k, bits));
done:
	gemp_free(bits);
	return code;
}

gemp_code gemp_record_implied(gemp_recording *r)
{
	gemp_code code = GEMP_OK;
	if (!gemp_record_takes_edges(r->rule))
		return GEMP_OK;
	GEMP_TRY(gather_gone(r));
	code = gemp_comm_agree(r->context->comm, find_edges(r));
done:
	return code;
}
