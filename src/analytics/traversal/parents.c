#include "analytics/traversal/parents.h"

#include "core/memory.h"
#include "core/threads.h"
#include "device/transfer.h"

enum { BEGIN, ROWS, IDS, STEPS, ZERO };

/* Names the known vertices 0, 1, ... in the order of their keys, so the smallest name belongs to the smallest key. If a
 * rank knows all vertices, key_rank already has these numbers. */
static gemp_code number_keys(const gemp_layout *l, uint32_t *name)
{
	GEMP_OWNED_BY(gemp_rank_bitmap_free) gemp_rank_bitmap bits = { 0 };
	GEMP_TRY(gemp_rank_bitmap_new(&bits, l->vertices));
	for (uint32_t v = 0; v < l->known; v++)
		gemp_bits64_set(bits.words, l->key_rank[v]);
	gemp_rank_bitmap_count(&bits);
	for (uint32_t v = 0; v < l->known; v++)
		name[v] = (uint32_t)gemp_rank_bitmap_rank(&bits, l->key_rank[v]);
	return GEMP_OK;
}

typedef struct name_task {
	const gemp_layout *layout;
	const uint32_t *name;
	gemp_vertex *id;
} name_task;

/* No two vertices have the same name, so threads write different elements. */
static void list_ids(void *context, size_t begin, size_t end)
{
	const name_task *t = context;
	for (size_t v = begin; v < end; v++)
		t->id[t->name[v]] = t->layout->id[v];
}

/* The transfers go through page-locked memory, several times as fast as from other memory. */
static gemp_code upload_numbers(gemp_buffer *out, gemp_device *device, uint32_t *numbers, size_t count)
{
	GEMP_TRY(gemp_buffer_new(out, device, count * sizeof *numbers, NULL));
	return gemp_transfer_upload(device, out, (gemp_transfer_numbers){ .narrow = numbers }, count);
}

/* Uploads the names of vertices, and the ids by name. */
static gemp_code upload_names(gemp_parents *s, gemp_device *device, const gemp_layout *l)
{
	uint32_t *name = l->key_rank;
	GEMP_OWNED uint32_t *own = NULL;
	GEMP_OWNED gemp_vertex *id = NULL;
	GEMP_TRY(GEMP_NEW(id, l->known));
	if (l->known < l->vertices) {
		GEMP_TRY(GEMP_NEW(own, l->known));
		GEMP_TRY(number_keys(l, own));
		name = own;
	}
	gemp_for_elements(l->known, list_ids, &(name_task){ l, name, id });
	GEMP_TRY(upload_numbers(&s->name, device, name, l->known));
	return upload_numbers(&s->id, device, id, l->known);
}

/* gemp_parents_min makes best[] and hint[]. A search that names predecessors during its rounds needs neither of
 * them. */
gemp_code gemp_parents_new(gemp_parents *out, gemp_frontier *f, int kernels, bool equal)
{
	const gemp_layout *l = f->layout;
	*out = (gemp_parents){ .frontier = f, .kernels = kernels };
	if (equal)
		GEMP_TRY(gemp_buffer_new(&out->step, f->device, l->known * sizeof(cl_uint), NULL));
	return upload_names(out, f->device, l);
}

/* Freeing the halo is collective. All ranks have made the halo, or no rank has. */
void gemp_parents_free(gemp_parents *s)
{
	if (!s->frontier)
		return;
	gemp_halo_free(s->halo);
	gemp_buffers_free(s->frontier->device, &s->step, &s->hint, &s->best, &s->name, &s->id);
}

/* Launches over a set of rows. send: sources send their names to their targets. Otherwise targets search for their
 * parents. */
static gemp_code launch_rows(gemp_parents *s, const gemp_frontier_rows *rows, const gemp_buffer *values, cl_ulong how,
                             cl_uint send)
{
	gemp_frontier *f = s->frontier;
	const gemp_device_rows *device_rows = rows->rows;
	if (device_rows->edges == 0)
		return GEMP_OK;
	return gemp_frontier_launch(f, s->kernels + ROWS, GEMP_ARG(&device_rows->begin.mem),
	                            GEMP_ARG(&device_rows->end.mem), GEMP_ARG(&device_rows->weight.mem),
	                            GEMP_ARG(&rows->slices.mem), GEMP_ARG(&rows->slice_count), GEMP_ARG(&device_rows->rows),
	                            GEMP_ARG(&values->mem), GEMP_ARG(&s->name.mem), GEMP_ARG(&s->hint.mem),
	                            GEMP_ARG(&s->best.mem), GEMP_ARG(&how), GEMP_ARG(&send), GEMP_ARG(&f->control.mem));
}

/* The first launch clears the results. The following launches find parents along each set of rows. */
gemp_code gemp_parents_min(gemp_parents *s, const gemp_buffer *values, uint64_t how, bool send)
{
	gemp_frontier *f = s->frontier;
	if (!s->best.mem)
		GEMP_TRY(gemp_buffer_new(&s->best, f->device, f->layout->own * sizeof(cl_ulong), NULL));
	if (!s->hint.mem)
		GEMP_TRY(gemp_buffer_new(&s->hint, f->device, f->layout->known, NULL));
	GEMP_TRY(gemp_frontier_launch(f, s->kernels + BEGIN, GEMP_ARG(&values->mem), GEMP_ARG(&s->best.mem),
	                              GEMP_ARG(&f->layout->own), GEMP_ARG(&s->hint.mem), GEMP_ARG(&f->layout->known)));
	if (send)
		GEMP_TRY(launch_rows(s, &f->out, values, how, true));
	GEMP_TRY(launch_rows(s, &f->in, values, how, false));
	return launch_rows(s, &f->in_ghost, values, how, false);
}

/* Collective. *count: the sum of the counters of all ranks. The counters are then cleared. */
static gemp_code sum_count(gemp_parents *s, gemp_code code, uint64_t *count)
{
	gemp_frontier *f = s->frontier;
	double sum = 0;
	GEMP_THEN(gemp_frontier_read(f));
	if (code == GEMP_OK) {
		sum = (double)f->state[GAS_SUMS];
		f->state[GAS_SUMS] = 0;
		code = gemp_frontier_write(f);
	}
	code = gemp_halo_agree(f->layout->comm, code, &sum, 1);
	*count = (uint64_t)sum;
	return code;
}

/* Collective. Sends the steps of own vertices to the ranks that have them as ghosts. changed: the vertices whose steps
 * changed in this round; NULL: all. */
static gemp_code send_steps(gemp_parents *s, const gemp_buffer *changed)
{
	gemp_frontier *f = s->frontier;
	if (f->layout->comm->size == 1)
		return GEMP_OK;
	if (!s->halo)
		GEMP_TRY(gemp_halo_new(&s->halo, f->layout, f->device, sizeof(cl_uint)));
	gemp_code code = gemp_halo_begin(s->halo, &s->step, changed, NULL);
	GEMP_ALSO(gemp_halo_end(s->halo, &s->step, NULL, NULL));
	return code;
}

/* Gives parents to the vertices that `round` edges of weight 0 connect to a vertex whose parent is nearer to the
 * source. */
static gemp_code launch_zero(gemp_parents *s, const gemp_frontier_rows *in, const gemp_buffer *values,
                             const gemp_buffer *best, cl_uint round)
{
	gemp_frontier *f = s->frontier;
	if (in->rows->edges == 0)
		return GEMP_OK;
	return gemp_frontier_launch(f, s->kernels + ZERO, GEMP_ARG(&in->rows->begin.mem), GEMP_ARG(&in->rows->end.mem),
	                            GEMP_ARG(&in->rows->weight.mem), GEMP_ARG(&f->layout->own), GEMP_ARG(&values->mem),
	                            GEMP_ARG(&s->name.mem), GEMP_ARG(&best->mem), GEMP_ARG(&s->step.mem),
	                            GEMP_ARG(&f->bitmap[0].mem), GEMP_ARG(&round), GEMP_ARG(&f->control.mem));
}

/* Vertices that shortest paths reach only by edges of weight 0 get parents in rounds. Each round goes one edge farther
 * from the vertices that have a parent. Each round finds at least one parent, since otherwise the distances would be
 * wrong. */
gemp_code gemp_parents_zero(gemp_parents *s, const gemp_buffer *values, const gemp_buffer *best, cl_uint source)
{
	gemp_frontier *f = s->frontier;
	uint64_t without, found;
	gemp_code code = gemp_frontier_launch(f, s->kernels + STEPS, GEMP_ARG(&best->mem), GEMP_ARG(&values->mem),
	                                      GEMP_ARG(&source), GEMP_ARG(&s->step.mem), GEMP_ARG(&f->layout->own),
	                                      GEMP_ARG(&f->control.mem));
	GEMP_TRY(sum_count(s, code, &without));
	if (without)
		GEMP_TRY(gemp_comm_agree(f->layout->comm, send_steps(s, NULL)));
	for (cl_uint round = 1; without > 0; round++, without -= found) {
		code = gemp_buffer_zero(f->device, &f->bitmap[0], 0, f->bitmap[0].size);
		GEMP_THEN(launch_zero(s, &f->in, values, best, round));
		GEMP_THEN(launch_zero(s, &f->in_ghost, values, best, round));
		GEMP_TRY(sum_count(s, code, &found));
		GEMP_TRY(gemp_comm_agree(f->layout->comm, send_steps(s, &f->bitmap[0])));
		GEMP_CHECK(found > 0);
	}
	return GEMP_OK;
}

gemp_code gemp_parents_ids(gemp_parents *s, const gemp_buffer *best, const gemp_buffer *parent)
{
	gemp_frontier *f = s->frontier;
	return gemp_frontier_launch(f, s->kernels + IDS, GEMP_ARG(&best->mem), GEMP_ARG(&s->id.mem), GEMP_ARG(&parent->mem),
	                            GEMP_ARG(&f->layout->own));
}
