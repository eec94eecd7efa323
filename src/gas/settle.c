#include "gas/settle.h"

enum { ROWS, IDS, STEPS, EQUAL };

gemp_code gemp_settle_new(gemp_settle *out, gemp_frontier *f, int kernels, bool equal)
{
	gemp_code code = GEMP_OK;
	const gemp_gas_layout *l = f->layout;
	*out = (gemp_settle){ .frontier = f, .kernels = kernels };
	if (equal)
		GEMP_TRY(gemp_buffer_new(&out->step, f->device, l->known * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->best, f->device, l->own * sizeof(cl_ulong), NULL));
	GEMP_TRY(gemp_buffer_borrow(&out->id, f->device, l->known * sizeof *l->id, l->id));
done:
	return code;
}

void gemp_settle_free(gemp_settle *s)
{
	if (!s->frontier)
		return;
	gemp_gas_mail_free(s->mail);
	gemp_buffer_free(&s->step, s->frontier->device);
	gemp_buffer_free(&s->best, s->frontier->device);
	gemp_buffer_free(&s->id, s->frontier->device);
}

static gemp_code look_at(gemp_settle *s, const gemp_frontier_rows *in, const gemp_buffer *values)
{
	gemp_frontier *f = s->frontier;
	if (in->rows->edges == 0)
		return GEMP_OK;
	const gemp_argument arguments[] = {
		GEMP_ARG(&in->rows->begin.mem), GEMP_ARG(&in->rows->end.mem), GEMP_ARG(&in->rows->weight.mem),
		GEMP_ARG(&in->slices.mem), GEMP_ARG(&in->slice_count), GEMP_ARG(&f->layout->own), GEMP_ARG(&values->mem),
		GEMP_ARG(&f->held.key_rank.mem), GEMP_ARG(&s->best.mem), GEMP_ARG(&f->control.mem),
	};
	return gemp_frontier_launch(f, s->kernels + ROWS, arguments, sizeof arguments / sizeof *arguments);
}

gemp_code gemp_settle_least(gemp_settle *s, const gemp_buffer *values)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_buffer_zero(s->frontier->device, &s->best, 0, s->best.size));
	GEMP_TRY(look_at(s, &s->frontier->in, values));
	code = look_at(s, &s->frontier->in_ghost, values);
done:
	return code;
}

/* Collective. Adds up what launches before counted, of all ranks, and clears the sum. */
static gemp_code take_count(gemp_settle *s, gemp_code code, uint64_t *count)
{
	gemp_frontier *f = s->frontier;
	double sum = 0;
	if (code == GEMP_OK)
		code = gemp_frontier_read(f);
	if (code == GEMP_OK) {
		sum = (double)f->state[GAS_SUMS];
		f->state[GAS_SUMS] = 0;
		code = gemp_frontier_write(f);
	}
	code = gemp_gas_round(f->layout->comm, code, &sum, 1);
	*count = (uint64_t)sum;
	return code;
}

/* Collective. Steps of ghosts: of all, or of those that have got one. */
static gemp_code tell(gemp_settle *s, const gemp_buffer *changed)
{
	gemp_code code = GEMP_OK;
	gemp_frontier *f = s->frontier;
	if (f->layout->comm->size == 1)
		return GEMP_OK;
	if (!s->mail)
		GEMP_TRY(gemp_gas_mail_new(&s->mail, f->layout, f->device, sizeof(cl_uint)));
	code = gemp_gas_mail_begin(s->mail, &s->step, changed);
	gemp_code ended = gemp_gas_mail_end(s->mail, &s->step, NULL);
	code = code == GEMP_OK ? ended : code;
done:
	return code;
}

static gemp_code equal_round(gemp_settle *s, const gemp_frontier_rows *in, const gemp_buffer *values, cl_uint round)
{
	gemp_frontier *f = s->frontier;
	if (in->rows->edges == 0)
		return GEMP_OK;
	const gemp_argument arguments[] = {
		GEMP_ARG(&in->rows->begin.mem), GEMP_ARG(&in->rows->end.mem), GEMP_ARG(&in->rows->weight.mem),
		GEMP_ARG(&f->layout->own), GEMP_ARG(&values->mem), GEMP_ARG(&f->held.key_rank.mem), GEMP_ARG(&s->best.mem),
		GEMP_ARG(&s->step.mem), GEMP_ARG(&f->bitmap[0].mem), GEMP_ARG(&round), GEMP_ARG(&f->control.mem),
	};
	return gemp_frontier_launch(f, s->kernels + EQUAL, arguments, sizeof arguments / sizeof *arguments);
}

gemp_code gemp_settle_equal(gemp_settle *s, const gemp_buffer *values, cl_uint source)
{
	gemp_code code = GEMP_OK;
	gemp_frontier *f = s->frontier;
	uint64_t without, found;
	const gemp_argument arguments[] = {
		GEMP_ARG(&s->best.mem), GEMP_ARG(&values->mem), GEMP_ARG(&source), GEMP_ARG(&s->step.mem),
		GEMP_ARG(&f->layout->own), GEMP_ARG(&f->control.mem),
	};
	code = gemp_frontier_launch(f, s->kernels + STEPS, arguments, sizeof arguments / sizeof *arguments);
	GEMP_TRY(take_count(s, code, &without));
	if (without)
		GEMP_TRY(gemp_comm_agree(f->layout->comm, tell(s, NULL)));
	for (cl_uint round = 1; without > 0; round++, without -= found) {
		code = gemp_buffer_zero(f->device, &f->bitmap[0], 0, f->bitmap[0].size);
		if (code == GEMP_OK)
			code = equal_round(s, &f->in, values, round);
		if (code == GEMP_OK)
			code = equal_round(s, &f->in_ghost, values, round);
		GEMP_TRY(take_count(s, code, &found));
		GEMP_TRY(gemp_comm_agree(f->layout->comm, tell(s, &f->bitmap[0])));
		GEMP_CHECK(found > 0);
	}
done:
	return code;
}

gemp_code gemp_settle_name(gemp_settle *s, const gemp_buffer *parent, bool least)
{
	gemp_frontier *f = s->frontier;
	const cl_uint by_key = least;
	const gemp_argument arguments[] = {
		GEMP_ARG(&s->best.mem), GEMP_ARG(&s->id.mem), GEMP_ARG(&parent->mem), GEMP_ARG(&f->layout->own), GEMP_ARG(&by_key),
	};
	return gemp_frontier_launch(f, s->kernels + IDS, arguments, sizeof arguments / sizeof *arguments);
}
