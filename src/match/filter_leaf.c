#include "match/filter_leaf.h"

/* As kernels/filter.cl has them. */
_Static_assert(GEMP_INTEGER == 1 && GEMP_FLOAT == 2 && GEMP_BOOLEAN == 3, "types of kernels/filter.cl");
enum { LESS = 1, EQUAL = 2, GREATER = 4, ANY = 7 };
enum { CONTAINS = 1, STARTS_WITH = 2, ENDS_WITH = 3 };

const char *const gemp_filter_kernel_name[GEMP_FILTER_KERNELS] = {
	"filter_fill", "filter_and", "filter_or", "filter_null", "filter_label", "filter_numbers", "filter_strings",
	"filter_parts", "filter_in_numbers", "filter_in_strings",
};

#define LAUNCH(site, which, ...)                                                                             \
	gemp_launch((site)->device, (site)->kernels[which], (site)->words, (site)->device->gpu ? 256 : 64,   \
	            GEMP_ARG(&(site)->rows), __VA_ARGS__)

#define NUMBERS(operand)                                                                               \
	GEMP_ARG(&(operand)->values.mem), GEMP_ARG(&(cl_uint){ (operand)->type }), GEMP_ARG(&(operand)->step), \
	GEMP_ARG(&(operand)->null.mem), GEMP_ARG(&(operand)->null_step)

#define STRINGS(operand)                                                                               \
	GEMP_ARG(&(operand)->values.mem), GEMP_ARG(&(operand)->offsets.mem), GEMP_ARG(&(operand)->step), \
	GEMP_ARG(&(operand)->null.mem), GEMP_ARG(&(operand)->null_step)

static cl_uint outcomes_of(gemp_expr_kind kind, bool negated)
{
	cl_uint outcomes = 0;
	switch (kind) {
	case GEMP_EQ:
		outcomes = EQUAL;
		break;
	case GEMP_NE:
		outcomes = LESS | GREATER;
		break;
	case GEMP_LT:
		outcomes = LESS;
		break;
	case GEMP_LE:
		outcomes = LESS | EQUAL;
		break;
	case GEMP_GT:
		outcomes = GREATER;
		break;
	case GEMP_GE:
		outcomes = GREATER | EQUAL;
		break;
	default:
		GEMP_CHECK(!"a comparison");
	}
	return negated ? ANY ^ outcomes : outcomes;
}

static bool is_number(gemp_type type)
{
	return type == GEMP_INTEGER || type == GEMP_FLOAT;
}

bool gemp_filter_comparable(gemp_type a, gemp_type b)
{
	return a == b || (is_number(a) && is_number(b));
}

gemp_code gemp_filter_fill(const gemp_filter_site *site, bool value, const gemp_buffer *out)
{
	return LAUNCH(site, GEMP_FILTER_FILL, GEMP_ARG(&(cl_uint){ value }), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_null(const gemp_filter_site *site, bool wanted, const gemp_operand *left,
                           const gemp_operand *right, const gemp_buffer *out)
{
	return LAUNCH(site, GEMP_FILTER_NULL, GEMP_ARG(&(cl_uint){ wanted }), GEMP_ARG(&left->null.mem),
	              GEMP_ARG(&left->null_step), GEMP_ARG(&right->null.mem), GEMP_ARG(&right->null_step),
	              GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_compare(const gemp_filter_site *site, gemp_expr_kind kind, bool negated, const gemp_operand *left,
                              const gemp_operand *right, const gemp_buffer *out)
{
	cl_uint outcomes = outcomes_of(kind, negated);
	if (!gemp_filter_comparable(left->type, right->type)) {
		/* Values of different kinds are not equal, and which comes first is unknown. */
		if (outcomes == (LESS | GREATER))
			return gemp_filter_null(site, false, left, right, out);
		return gemp_filter_fill(site, false, out);
	}
	if (left->type == GEMP_STRING)
		return LAUNCH(site, GEMP_FILTER_STRINGS, GEMP_ARG(&outcomes), STRINGS(left), STRINGS(right),
		              GEMP_ARG(&out->mem));
	return LAUNCH(site, GEMP_FILTER_NUMBERS, GEMP_ARG(&outcomes), NUMBERS(left), NUMBERS(right), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_parts(const gemp_filter_site *site, gemp_expr_kind kind, bool negated, const gemp_operand *left,
                            const gemp_operand *right, const gemp_buffer *out)
{
	cl_uint where = kind == GEMP_CONTAINS ? CONTAINS : kind == GEMP_STARTS_WITH ? STARTS_WITH : ENDS_WITH;
	if (left->type != GEMP_STRING || right->type != GEMP_STRING)
		return gemp_filter_fill(site, false, out);
	return LAUNCH(site, GEMP_FILTER_PARTS, GEMP_ARG(&where), GEMP_ARG(&(cl_uint){ !negated }), STRINGS(left),
	              STRINGS(right), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_label(const gemp_filter_site *site, bool negated, const gemp_buffer *label_set,
                            const gemp_buffer *has, const gemp_buffer *out)
{
	return LAUNCH(site, GEMP_FILTER_LABEL, GEMP_ARG(&(cl_uint){ !negated }), GEMP_ARG(&label_set->mem),
	              GEMP_ARG(&has->mem), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_in(const gemp_filter_site *site, bool negated, const gemp_operand *left, const gemp_operand *list,
                         size_t count, const gemp_buffer *out)
{
	cl_uint wanted = !negated, size = (cl_uint)count, type = list->type;
	if (list->type == GEMP_STRING)
		return LAUNCH(site, GEMP_FILTER_IN_STRINGS, GEMP_ARG(&wanted), STRINGS(left), GEMP_ARG(&list->values.mem),
		              GEMP_ARG(&list->offsets.mem), GEMP_ARG(&size), GEMP_ARG(&out->mem));
	return LAUNCH(site, GEMP_FILTER_IN_NUMBERS, GEMP_ARG(&wanted), NUMBERS(left), GEMP_ARG(&list->values.mem),
	              GEMP_ARG(&type), GEMP_ARG(&size), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_combine(const gemp_filter_site *site, bool or, const gemp_buffer *other, const gemp_buffer *out)
{
	return LAUNCH(site, or ? GEMP_FILTER_OR : GEMP_FILTER_AND, GEMP_ARG(&other->mem), GEMP_ARG(&out->mem));
}
