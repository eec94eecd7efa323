#include "match/nested_filters.h"

#define BIT(i) (UINT64_C(1) << (i))

static bool same_row(const gemp_row_filter *a, const gemp_row_filter *b)
{
	return a->view == b->view && a->from == b->from && a->absent == b->absent;
}

static bool asks_for(const gemp_filters *filters, const gemp_row_filter *row)
{
	for (size_t i = 0; i < filters->row_count; i++)
		if (same_row(&filters->rows[i], row))
			return true;
	return false;
}

void gemp_filters_of(gemp_filters *out, const gemp_plan *plan, const gemp_step *step, uint64_t seen)
{
	*out = (gemp_filters){ .candidates = step->candidates ? step->vertex : -1, .differ = step->differ & seen,
		.less = step->less & seen, .greater = step->greater & seen, .same = step->same & seen,
		.key_less = step->key_less & seen, .key_most = step->key_most & seen,
		.key_greater = step->key_greater & seen, .key_least = step->key_least & seen };
	for (size_t j = 0; j < step->check_count; j++) {
		const gemp_check *check = &step->checks[j];
		bool own = check->from == step->vertex;
		gemp_row_filter row = { check->view, own ? -1 : check->from, check->absent, j < step->sources };
		if ((!own && !(seen >> check->from & 1)) || asks_for(out, &row))
			continue;
		out->rows[out->row_count++] = row;
		if (!own && !check->absent && plan->views[check->view].simple) /* no row names itself */
			out->differ &= ~BIT(check->from);
	}
}

bool gemp_filters_within(const gemp_filters *a, const gemp_filters *b)
{
	for (size_t i = 0; i < a->row_count; i++)
		if (!asks_for(b, &a->rows[i]))
			return false;
	uint64_t more = (a->differ & ~(b->differ | b->less | b->greater)) | (a->less & ~b->less) |
	                (a->greater & ~b->greater) | (a->same & ~b->same) | (a->key_less & ~b->key_less) |
	                (a->key_most & ~b->key_most) | (a->key_greater & ~b->key_greater) | (a->key_least & ~b->key_least);
	return !more && (a->candidates < 0 || a->candidates == b->candidates);
}

void gemp_filters_minus(gemp_filters *out, const gemp_filters *b, const gemp_filters *a)
{
	*out = (gemp_filters){ .candidates = a->candidates == b->candidates ? -1 : b->candidates,
		.differ = b->differ & ~a->differ, .less = b->less & ~a->less, .greater = b->greater & ~a->greater,
		.same = b->same & ~a->same, .key_less = b->key_less & ~a->key_less, .key_most = b->key_most & ~a->key_most,
		.key_greater = b->key_greater & ~a->key_greater, .key_least = b->key_least & ~a->key_least };
	for (size_t i = 0; i < b->row_count; i++)
		if (!asks_for(a, &b->rows[i]))
			out->rows[out->row_count++] = b->rows[i];
}

uint64_t gemp_filters_sources(const gemp_filters *filters)
{
	uint64_t sources = 0;
	for (size_t i = 0; i < filters->row_count; i++)
		sources |= filters->rows[i].source ? BIT(i) : 0;
	return sources;
}

bool gemp_filters_costly(const gemp_filters *f)
{
	return f->row_count > 1 || f->candidates >= 0 || f->key_less || f->key_most || f->key_greater || f->key_least;
}
