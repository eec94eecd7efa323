#include "match/filter/filter_kernels.h"

#include "core/memory.h"
#include "device/launch.h"

/* As kernels/match/filter.cl has them. */
_Static_assert(GEMP_INTEGER == 1 && GEMP_FLOAT == 2 && GEMP_BOOLEAN == 3, "types of kernels/match/filter.cl");
enum { LESS = 1, EQUAL = 2, GREATER = 4, ANY = 7 };
enum { STARTS_WITH = 1, ENDS_WITH = 2, CONTAINS = 3 };

/* Bytes of strings that a work-item of filter_contains goes through: on a GPU as contains.clh has it. */
enum { CONTAINS_GPU = 64, CONTAINS_CPU = 1 << 16 };

static const char *const kernel_name[GEMP_FILTER_KERNELS] = {
	"filter_fill",   "filter_and",        "filter_or",         "filter_null",    "filter_label",
	"filter_lookup", "filter_known",      "filter_contains",   "filter_numbers", "filter_strings",
	"filter_parts",  "filter_in_numbers", "filter_in_strings",
};

#define LAUNCH_ITEMS(site, which, items, group, ...) \
	gemp_launch((site)->device, (site)->kernels[which], (items), (group), GEMP_ARG(&(site)->rows), __VA_ARGS__)

/* Kernels of a work-item for each word. */
#define LAUNCH_WORDS(site, which, ...) \
	LAUNCH_ITEMS(site, which, (site)->words, (site)->device->gpu ? 256 : 64, __VA_ARGS__)

/* Kernels with MAKE_WORD: on a GPU a work-item for each row, 32 of them a worker. */
#define LAUNCH(site, which, ...)                                                        \
	LAUNCH_ITEMS(site, which, (site)->device->gpu ? (site)->words * 32 : (site)->words, \
	             (site)->device->gpu ? gemp_worker_group_size((site)->device, 32, 256) : 64, __VA_ARGS__)

#define NUMBERS(operand)                                                                                   \
	GEMP_ARG(&(operand)->values.mem), GEMP_ARG(&(cl_uint){ (operand)->type }), GEMP_ARG(&(operand)->step), \
		GEMP_ARG(&(operand)->null.mem), GEMP_ARG(&(operand)->null_step)

#define STRINGS(operand)                                                                             \
	GEMP_ARG(&(operand)->values.mem), GEMP_ARG(&(operand)->offsets.mem), GEMP_ARG(&(operand)->step), \
		GEMP_ARG(&(operand)->null.mem), GEMP_ARG(&(operand)->null_step)

gemp_code gemp_filter_launcher_new(gemp_filter_launcher *out, gemp_runtime *context)
{
	gemp_code code = GEMP_OK;
	char *source = NULL;
	*out = (gemp_filter_launcher){ .device = context->device };
	code = gemp_kernel_source(&source, "filter.cl");
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_runtime_program(context, &out->program, source, NULL));
	for (int i = 0; i < GEMP_FILTER_KERNELS && code == GEMP_OK; i++)
		code = gemp_kernel_new(&out->kernels[i], &out->program, kernel_name[i]);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
done:
	gemp_free(source);
	if (code != GEMP_OK)
		gemp_filter_launcher_free(out);
	return code;
}

/* The binary is stored here, since PoCL compiles the last part of a program at its first launches. */
void gemp_filter_launcher_free(gemp_filter_launcher *site)
{
	if (site->program.program && !site->program.cached)
		gemp_program_store(site->device, &site->program); /* with what its first launches compiled */
	for (int i = 0; i < GEMP_FILTER_KERNELS; i++)
		if (site->kernels[i])
			clReleaseKernel(site->kernels[i]);
	gemp_program_free(&site->program);
	*site = (gemp_filter_launcher){ 0 };
}

/* A comparison is the set of orders for which it holds; its negation is the complement. */
static cl_uint outcomes_of(gemp_expr_kind kind, bool negated)
{
	cl_uint outcomes = 0;
	switch (kind) {
	case GEMP_EQ: outcomes = EQUAL; break;
	case GEMP_NE: outcomes = LESS | GREATER; break;
	case GEMP_LT: outcomes = LESS; break;
	case GEMP_LE: outcomes = LESS | EQUAL; break;
	case GEMP_GT: outcomes = GREATER; break;
	case GEMP_GE: outcomes = GREATER | EQUAL; break;
	default: GEMP_CHECK(!"a comparison");
	}
	return negated ? ANY ^ outcomes : outcomes;
}

static bool is_number(gemp_type type)
{
	return type == GEMP_INTEGER || type == GEMP_FLOAT;
}

gemp_code gemp_filter_fill(const gemp_filter_launcher *site, bool value, const gemp_buffer *out)
{
	return LAUNCH_WORDS(site, GEMP_FILTER_FILL, GEMP_ARG(&(cl_uint){ value }), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_null(const gemp_filter_launcher *site, bool wanted, const gemp_operand *left,
                           const gemp_operand *right, const gemp_buffer *out)
{
	return LAUNCH(site, GEMP_FILTER_NULL, GEMP_ARG(&(cl_uint){ wanted }), GEMP_ARG(&left->null.mem),
	              GEMP_ARG(&left->null_step), GEMP_ARG(&right->null.mem), GEMP_ARG(&right->null_step),
	              GEMP_ARG(&out->mem));
}

/* Strings and numbers have kernels of their own. */
gemp_code gemp_filter_compare(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                              const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out)
{
	cl_uint outcomes = outcomes_of(kind, negated);
	if (left->type != right->type && !(is_number(left->type) && is_number(right->type))) {
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

/* One work-item goes through some bytes of all strings together, so that long and short strings cost alike. */
static gemp_code contains(const gemp_filter_launcher *site, bool negated, const gemp_operand *left,
                          const gemp_operand *part, const gemp_buffer *out)
{
	bool gpu = site->device->gpu;
	size_t each = gpu ? CONTAINS_GPU : CONTAINS_CPU, items = (left->bytes + each - 1) / each;
	cl_ulong bytes = left->bytes;
	cl_uint size = (cl_uint)part->bytes;
	if (size == 0)
		return negated ? gemp_filter_fill(site, false, out) : gemp_filter_null(site, false, left, left, out);
	GEMP_PROPAGATE(gemp_filter_fill(site, false, out));
	if (part->bytes <= bytes)
		GEMP_PROPAGATE(LAUNCH_ITEMS(site, GEMP_FILTER_CONTAINS, items, gpu ? 256 : 1, GEMP_ARG(&bytes),
		                            GEMP_ARG(&left->values.mem), GEMP_ARG(&left->offsets.mem),
		                            GEMP_ARG(&part->values.mem), GEMP_ARG(&size), GEMP_ARG(&out->mem)));
	if (negated || left->null_step)
		GEMP_PROPAGATE(LAUNCH(site, GEMP_FILTER_KNOWN, GEMP_ARG(&(cl_uint){ !negated }), GEMP_ARG(&left->null.mem),
		                      GEMP_ARG(&left->null_step), GEMP_ARG(&out->mem)));
	return GEMP_OK;
}

gemp_code gemp_filter_substring(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                                const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out)
{
	cl_uint where = kind == GEMP_CONTAINS ? CONTAINS : kind == GEMP_STARTS_WITH ? STARTS_WITH : ENDS_WITH;
	if (left->type != GEMP_STRING || right->type != GEMP_STRING)
		return gemp_filter_fill(site, false, out);
	if (kind == GEMP_CONTAINS && left->step && !right->step)
		return contains(site, negated, left, right, out);
	return LAUNCH(site, GEMP_FILTER_SUBSTRING, GEMP_ARG(&where), GEMP_ARG(&(cl_uint){ !negated }), STRINGS(left),
	              STRINGS(right), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_label(const gemp_filter_launcher *site, bool negated, const gemp_buffer *label_set,
                            const gemp_buffer *has, const gemp_buffer *out)
{
	return LAUNCH(site, GEMP_FILTER_LABEL, GEMP_ARG(&(cl_uint){ !negated }), GEMP_ARG(&label_set->mem),
	              GEMP_ARG(&has->mem), GEMP_ARG(&out->mem));
}

/* The device searches the ascending literals by halving. */
gemp_code gemp_filter_in(const gemp_filter_launcher *site, bool negated, const gemp_operand *left,
                         const gemp_operand *list, size_t count, const gemp_buffer *out)
{
	cl_uint wanted = !negated, size = (cl_uint)count, type = list->type;
	if (list->type == GEMP_STRING)
		return LAUNCH(site, GEMP_FILTER_IN_STRINGS, GEMP_ARG(&wanted), STRINGS(left), GEMP_ARG(&list->values.mem),
		              GEMP_ARG(&list->offsets.mem), GEMP_ARG(&size), GEMP_ARG(&out->mem));
	return LAUNCH(site, GEMP_FILTER_IN_NUMBERS, GEMP_ARG(&wanted), NUMBERS(left), GEMP_ARG(&list->values.mem),
	              GEMP_ARG(&type), GEMP_ARG(&size), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_lookup(const gemp_filter_launcher *site, const gemp_buffer *codes, const gemp_buffer *of_values,
                             const gemp_buffer *out)
{
	return LAUNCH(site, GEMP_FILTER_LOOKUP, GEMP_ARG(&codes->mem), GEMP_ARG(&of_values->mem), GEMP_ARG(&out->mem));
}

gemp_code gemp_filter_combine(const gemp_filter_launcher *site, bool or, const gemp_buffer *other,
                              const gemp_buffer *out)
{
	return LAUNCH_WORDS(site, or ? GEMP_FILTER_OR : GEMP_FILTER_AND, GEMP_ARG(&other->mem), GEMP_ARG(&out->mem));
}
