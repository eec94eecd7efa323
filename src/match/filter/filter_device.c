#include "match/filter/filter_device.h"

#include "core/status.h"
#include "device/launch.h"

#include <string.h>

enum { READ_PAST = 32 }; /* bytes that filter_contains may read past the end of the strings on a GPU */

/* A CPU device uses host memory in place if this memory outlives the filter (lasting). */
static gemp_code copy(gemp_buffer *out, gemp_device *device, size_t size, void *from, bool lasting)
{
	return lasting ? gemp_buffer_borrow(out, device, size, from) : gemp_buffer_new(out, device, size, from);
}

/* On a GPU filter_contains reads whole words, also past the end of the strings. */
static gemp_code copy_bytes(gemp_operand *out, gemp_device *device, const gemp_column *column, bool lasting)
{
	if (!device->gpu)
		return copy(&out->values, device, out->bytes, column->bytes, lasting);
	GEMP_TRY(gemp_buffer_new(&out->values, device, out->bytes + READ_PAST, NULL));
	return gemp_buffer_write(device, &out->values, 0, out->bytes, column->bytes);
}

/* Copies the values of a column. Strings are an array of offsets and an array of bytes. */
static gemp_code copy_values(gemp_operand *out, gemp_device *device, const gemp_column *column, bool lasting)
{
	size_t rows = column->rows;
	switch (column->type) {
	case GEMP_INTEGER: return copy(&out->values, device, rows * sizeof(int64_t), column->integers, lasting);
	case GEMP_FLOAT: return copy(&out->values, device, rows * sizeof(double), column->floats, lasting);
	case GEMP_BOOLEAN: return copy(&out->values, device, rows, column->booleans, lasting);
	case GEMP_STRING:
	case GEMP_LIST: break;
	}
	static uint64_t none[1];
	uint64_t *offsets = rows ? column->offsets : none;
	out->bytes = offsets[rows];
	GEMP_TRY(copy(&out->offsets, device, (rows + 1) * sizeof *offsets, offsets, lasting));
	return copy_bytes(out, device, column, lasting);
}

/* A column without NULLs gets one byte that is 0. Kernels read this byte for every row, with a step of 0. */
gemp_code gemp_operand_column(gemp_operand *out, gemp_device *device, const gemp_column *column, bool lasting)
{
	static uint8_t not_null;
	gemp_code code = GEMP_OK;
	*out = (gemp_operand){ .type = column->type, .step = 1, .null_step = column->null ? 1 : 0 };
	GEMP_TRY_DONE(copy_values(out, device, column, lasting));
	if (column->null)
		GEMP_TRY_DONE(copy(&out->null, device, column->rows, column->null, lasting));
	else
		GEMP_TRY_DONE(gemp_buffer_new(&out->null, device, 1, &not_null));
done:
	if (code != GEMP_OK) {
		gemp_operand_release(out);
		gemp_fail_in(code, "attribute %s: ", column->name);
	}
	return code;
}

/* The literals become a column. With a step of 0 every row reads the first literal. */
gemp_code gemp_operand_literals(gemp_operand *out, gemp_device *device, gemp_type type, const gemp_value *values,
                                size_t count)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column column = { 0 };
	*out = (gemp_operand){ 0 };
	GEMP_TRY(gemp_column_init(&column, "literal", type));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_column_add(&column, &values[i]));
	GEMP_TRY(gemp_operand_column(out, device, &column, false));
	out->step = 0;
	return GEMP_OK;
}

/* Releases the buffers. Host memory that a buffer borrows stays. */
void gemp_operand_release(gemp_operand *operand)
{
	gemp_buffer_release(&operand->values);
	gemp_buffer_release(&operand->offsets);
	gemp_buffer_release(&operand->null);
	*operand = (gemp_operand){ 0 };
}

/* Frees all columns, and keeps the memory of the array for the next rows. */
void gemp_filter_columns_reset(gemp_filter_columns *c)
{
	for (size_t i = 0; i < c->count; i++) {
		gemp_filter_column *column = &c->columns[i];
		gemp_operand_release(&column->operand);
		gemp_operand_release(&column->values);
		gemp_buffer_free(&column->codes, c->device);
		gemp_filter_codes_free(&column->dictionary);
	}
	c->count = 0;
	gemp_buffer_free(&c->label_set, c->device);
}

/* The device and the clock are borrowed and stay. */
void gemp_filter_columns_free(gemp_filter_columns *c)
{
	gemp_filter_columns_reset(c);
	gemp_free(c->columns);
	c->columns = NULL;
	c->capacity = 0;
}

static size_t operand_bytes(const gemp_operand *operand)
{
	return operand->values.counted + operand->offsets.counted + operand->null.counted;
}

void gemp_filter_columns_measure(gemp_filter_columns *c)
{
	size_t bytes = c->label_set.counted;
	for (size_t i = 0; i < c->count; i++)
		bytes += operand_bytes(&c->columns[i].operand) + operand_bytes(&c->columns[i].values) +
		         c->columns[i].codes.counted;
	c->peak = gemp_max(c->peak, bytes);
}

/* Finds or adds a column. *out is valid until the next column is added. */
static gemp_code find(gemp_filter_columns *c, int id, gemp_filter_column **out)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->columns[i].id == id) {
			*out = &c->columns[i];
			return GEMP_OK;
		}
	GEMP_TRY(GEMP_RESERVE(c->columns, c->capacity, c->count + 1));
	*out = &c->columns[c->count++];
	**out = (gemp_filter_column){ .id = id };
	return GEMP_OK;
}

/* The time of making and copying a column counts to the phase that has the other work on these rows. */
static void add_time(gemp_filter_columns *c, const gemp_filter_view *view, double began)
{
	gemp_timers_add(c->timers, view->rows->residual ? GEMP_PHASE_VALUES : GEMP_PHASE_UPLOAD, began);
}

gemp_code gemp_filter_need_column(gemp_filter_columns *c, const gemp_filter_view *view, int id, gemp_operand *out)
{
	gemp_filter_column *column;
	double began = gemp_now();
	GEMP_TRY(find(c, id, &column));
	if (!column->on_device) {
		GEMP_TRY(
			gemp_operand_column(&column->operand, c->device, gemp_filter_column_of(view, id), view->rows->lasting));
		column->on_device = true;
		c->copied += view->count;
		add_time(c, view, began);
	}
	*out = column->operand;
	return GEMP_OK;
}

/* Uploads codes and distinct values. The strings of the rows stay on the host. */
static gemp_code upload_dictionary(gemp_filter_columns *c, gemp_filter_column *column, size_t rows)
{
	if (!column->codes.mem)
		GEMP_TRY(gemp_buffer_borrow(&column->codes, c->device, rows * sizeof(uint32_t), column->dictionary.codes));
	GEMP_TRY(gemp_operand_column(&column->values, c->device, &column->dictionary.values, true));
	column->dictionary_on_device = true;
	c->copied += rows + column->dictionary.values.rows;
	return GEMP_OK;
}

/* A column is sampled once. If a sample has found no dictionary, an expensive test (eager) tries once more. */
gemp_code gemp_filter_need_dictionary(gemp_filter_columns *c, const gemp_filter_view *view, int id, bool eager,
                                      const gemp_filter_column **out)
{
	gemp_filter_column *column;
	double began = gemp_now();
	*out = NULL;
	GEMP_TRY(find(c, id, &column));
	if (!column->dictionary.codes && !(eager ? column->tried : column->sampled)) {
		GEMP_TRY(gemp_filter_codes_new(&column->dictionary, gemp_filter_column_of(view, id), eager));
		column->sampled = true;
		column->tried = eager;
	}
	if (column->dictionary.codes && !column->dictionary_on_device)
		GEMP_TRY(upload_dictionary(c, column, view->count));
	add_time(c, view, began);
	*out = column->dictionary.codes ? column : NULL;
	return GEMP_OK;
}

/* Label sets are numbers of 32 bits. They are copied once for all conditions on labels. */
gemp_code gemp_filter_need_label_set(gemp_filter_columns *c, const gemp_filter_view *view)
{
	const gemp_filter_rows *rows = view->rows;
	double began = gemp_now();
	if (c->label_set.mem)
		return GEMP_OK;
	GEMP_CHECK(rows->label_set != NULL);
	GEMP_TRY(gemp_buffer_new(&c->label_set, c->device, rows->rows * sizeof *rows->label_set, rows->label_set));
	add_time(c, view, began);
	return GEMP_OK;
}

/* kernels/match/filter.cl defines the same numbers. */
_Static_assert(GEMP_INTEGER == 1 && GEMP_FLOAT == 2 && GEMP_BOOLEAN == 3, "types of kernels/match/filter.cl");
enum { LESS = 1, EQUAL = 2, GREATER = 4, ANY = 7 };
enum { STARTS_WITH = 1, ENDS_WITH = 2, CONTAINS = 3 };

/* Bytes of strings that a work-item of filter_contains reads. contains.clh has the same number for a GPU. */
enum { CONTAINS_GPU = 64, CONTAINS_CPU = 1 << 16 };

static const char *const kernel_name[GEMP_FILTER_KERNELS] = {
	"filter_fill",   "filter_and",        "filter_or",         "filter_null",    "filter_label",
	"filter_lookup", "filter_known",      "filter_contains",   "filter_numbers", "filter_strings",
	"filter_parts",  "filter_in_numbers", "filter_in_strings",
};

#define LAUNCH_ITEMS(site, which, items, group, ...) \
	gemp_launch((site)->device, (site)->kernels[which], (items), (group), GEMP_ARG(&(site)->rows), __VA_ARGS__)

/* Launches a kernel with one work-item for each word of the bitmap. */
#define LAUNCH_WORDS(site, which, ...) \
	LAUNCH_ITEMS(site, which, (site)->words, (site)->device->gpu ? 256 : 64, __VA_ARGS__)

/* Launches a kernel with MAKE_WORD. A GPU has one work-item for each row, and 32 work-items are a worker. */
#define LAUNCH(site, which, ...)                                                        \
	LAUNCH_ITEMS(site, which, (site)->device->gpu ? (site)->words * 32 : (site)->words, \
	             (site)->device->gpu ? gemp_worker_group_size((site)->device, 32, 256) : 64, __VA_ARGS__)

#define NUMBERS(operand)                                                                                   \
	GEMP_ARG(&(operand)->values.mem), GEMP_ARG(&(cl_uint){ (operand)->type }), GEMP_ARG(&(operand)->step), \
		GEMP_ARG(&(operand)->null.mem), GEMP_ARG(&(operand)->null_step)

#define STRINGS(operand)                                                                             \
	GEMP_ARG(&(operand)->values.mem), GEMP_ARG(&(operand)->offsets.mem), GEMP_ARG(&(operand)->step), \
		GEMP_ARG(&(operand)->null.mem), GEMP_ARG(&(operand)->null_step)

/* Collective, since one rank of a node builds the program and the other ranks load it. */
gemp_code gemp_filter_launcher_new(gemp_filter_launcher *out, gemp_runtime *context)
{
	gemp_code code = GEMP_OK;
	char *source = NULL;
	*out = (gemp_filter_launcher){ .device = context->device };
	code = gemp_kernel_source(&source, "filter.cl");
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, code));
	GEMP_TRY_DONE(gemp_runtime_program(context, &out->program, source, NULL));
	for (int i = 0; i < GEMP_FILTER_KERNELS && code == GEMP_OK; i++)
		code = gemp_kernel_new(&out->kernels[i], &out->program, kernel_name[i]);
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, code));
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
		gemp_program_store(site->device, &site->program); /* includes the code that the first launches compiled */
	for (int i = 0; i < GEMP_FILTER_KERNELS; i++)
		if (site->kernels[i])
			clReleaseKernel(site->kernels[i]);
	gemp_program_free(&site->program);
	*site = (gemp_filter_launcher){ 0 };
}

/* Turns a comparison into the set of orders for which it is true. Negation complements the set. */
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

/* Integers and floats compare by value, both in the kernels and on the host. */
static bool is_number(gemp_type type)
{
	return type == GEMP_INTEGER || type == GEMP_FLOAT;
}

/* Gives the bits of all rows the same value. Bits of the last word past the last row are 0. */
gemp_code gemp_filter_fill(const gemp_filter_launcher *site, bool value, const gemp_buffer *out)
{
	return LAUNCH_WORDS(site, GEMP_FILTER_FILL, GEMP_ARG(&(cl_uint){ value }), GEMP_ARG(&out->mem));
}

/* A row counts as NULL if either side is NULL. To test one side, pass it twice. */
gemp_code gemp_filter_null(const gemp_filter_launcher *site, bool wanted, const gemp_operand *left,
                           const gemp_operand *right, const gemp_buffer *out)
{
	return LAUNCH(site, GEMP_FILTER_NULL, GEMP_ARG(&(cl_uint){ wanted }), GEMP_ARG(&left->null.mem),
	              GEMP_ARG(&left->null_step), GEMP_ARG(&right->null.mem), GEMP_ARG(&right->null_step),
	              GEMP_ARG(&out->mem));
}

/* Strings and numbers have different kernels. */
gemp_code gemp_filter_compare(const gemp_filter_launcher *site, gemp_expr_kind kind, bool negated,
                              const gemp_operand *left, const gemp_operand *right, const gemp_buffer *out)
{
	cl_uint outcomes = outcomes_of(kind, negated);
	if (left->type != right->type && !(is_number(left->type) && is_number(right->type))) {
		/* Values of different kinds are not equal, and their order is unknown. */
		if (outcomes == (LESS | GREATER))
			return gemp_filter_null(site, false, left, right, out);
		return gemp_filter_fill(site, false, out);
	}
	if (left->type == GEMP_STRING)
		return LAUNCH(site, GEMP_FILTER_STRINGS, GEMP_ARG(&outcomes), STRINGS(left), STRINGS(right),
		              GEMP_ARG(&out->mem));
	return LAUNCH(site, GEMP_FILTER_NUMBERS, GEMP_ARG(&outcomes), NUMBERS(left), NUMBERS(right), GEMP_ARG(&out->mem));
}

/* The bytes of all strings are divided evenly among work-items, so a few long strings delay no work-item. */
static gemp_code contains(const gemp_filter_launcher *site, bool negated, const gemp_operand *left,
                          const gemp_operand *part, const gemp_buffer *out)
{
	bool gpu = site->device->gpu;
	size_t each = gpu ? CONTAINS_GPU : CONTAINS_CPU, items = (left->bytes + each - 1) / each;
	cl_ulong bytes = left->bytes;
	cl_uint size = (cl_uint)part->bytes;
	if (size == 0)
		return negated ? gemp_filter_fill(site, false, out) : gemp_filter_null(site, false, left, left, out);
	GEMP_TRY(gemp_filter_fill(site, false, out));
	if (part->bytes <= bytes)
		GEMP_TRY(LAUNCH_ITEMS(site, GEMP_FILTER_CONTAINS, items, gpu ? 256 : 1, GEMP_ARG(&bytes),
		                      GEMP_ARG(&left->values.mem), GEMP_ARG(&left->offsets.mem), GEMP_ARG(&part->values.mem),
		                      GEMP_ARG(&size), GEMP_ARG(&out->mem)));
	if (negated || left->null_step)
		GEMP_TRY(LAUNCH(site, GEMP_FILTER_KNOWN, GEMP_ARG(&(cl_uint){ !negated }), GEMP_ARG(&left->null.mem),
		                GEMP_ARG(&left->null_step), GEMP_ARG(&out->mem)));
	return GEMP_OK;
}

/* CONTAINS of a literal in a column divides the bytes evenly. All other cases test row by row. */
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

/* The device searches the ascending literals by bisection. */
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
