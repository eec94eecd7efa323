/* What is computed from literals alone becomes a literal, wherever it stands. */
#include "core/memory.h"
#include "pattern/arithmetic.h"
#include "pattern/expr.h"

#include <math.h>

static bool computes(const gemp_expr *expr)
{
	return expr->kind >= GEMP_ADD && expr->kind <= GEMP_SIZE;
}

static gemp_code own_string(gemp_value *value)
{
	if (value->null || value->type != GEMP_STRING)
		return GEMP_OK;
	value->string.bytes = gemp_strndup(value->string.bytes, value->string.size);
	return value->string.bytes ? GEMP_OK : GEMP_ENOMEM;
}

static gemp_code compute(gemp_expr **slot)
{
	gemp_code code = GEMP_OK;
	gemp_scratch scratch = { 0 };
	gemp_expr *expr = *slot, *literal = NULL;
	const gemp_value *left = &expr->children[0]->value, *right = expr->count > 1 ? &expr->children[1]->value : NULL;
	gemp_value value;
	if (!gemp_can_compute(expr->kind, left, right))
		goto done;
	GEMP_TRY(gemp_compute(expr, left, right, &scratch, &value));
	if (!value.null && value.type == GEMP_FLOAT && isinf(value.real))
		goto done; /* no literal can be written for it */
	GEMP_TRY(gemp_expr_new(&literal, GEMP_LITERAL, expr->line, expr->column));
	GEMP_TRY(own_string(&value));
	literal->value = value;
	literal->type = value.type;
	gemp_expr_free(expr);
	*slot = literal;
	literal = NULL;
done:
	gemp_expr_free(literal);
	gemp_scratch_free(&scratch);
	return code == GEMP_EDATA ? GEMP_OK : code; /* binding tells why it cannot be computed, and where */
}

/* Of two numbers a + b is b + a, and their product too; a literal comes last. */
static void sort_operands(gemp_expr *expr)
{
	gemp_expr **operand = expr->children, *left = operand[0];
	bool number = expr->type == GEMP_INTEGER || expr->type == GEMP_FLOAT; /* not known before binding */
	if (!number || (expr->kind != GEMP_ADD && expr->kind != GEMP_MULTIPLY))
		return;
	bool turn = gemp_expr_is_literal(left) ||
	            (!gemp_expr_is_literal(operand[1]) && gemp_expr_compare(left, operand[1]) > 0);
	operand[0] = turn ? operand[1] : left;
	operand[1] = turn ? left : operand[1];
}

gemp_code gemp_expr_flatten(gemp_expr *expr)
{
	size_t count = 0, used = 0;
	for (size_t i = 0; i < expr->count; i++)
		count += expr->children[i]->kind == expr->kind ? expr->children[i]->count : 1;
	if (count == expr->count)
		return GEMP_OK;
	gemp_expr **flat;
	gemp_code code = GEMP_NEW(flat, count);
	if (code != GEMP_OK)
		return code;
	for (size_t i = 0; i < expr->count; i++) {
		gemp_expr *child = expr->children[i];
		if (child->kind != expr->kind) {
			flat[used++] = child;
			continue;
		}
		for (size_t j = 0; j < child->count; j++)
			flat[used++] = child->children[j];
		child->count = 0;
		gemp_expr_free(child);
	}
	gemp_free(expr->children);
	expr->children = flat;
	expr->count = count;
	return GEMP_OK;
}

/* AND and OR of one condition are that condition: so `x IN [y]` is read. */
static void unwrap(gemp_expr **slot)
{
	gemp_expr *junction = *slot;
	if ((junction->kind != GEMP_AND && junction->kind != GEMP_OR) || junction->count != 1)
		return;
	*slot = junction->children[0];
	junction->count = 0;
	gemp_expr_free(junction);
}

gemp_code gemp_expr_fold(gemp_expr **slot)
{
	bool literals = true;
	unwrap(slot);
	gemp_code code = gemp_expr_fold_operands(*slot);
	if (code == GEMP_OK && ((*slot)->kind == GEMP_AND || (*slot)->kind == GEMP_OR))
		code = gemp_expr_flatten(*slot);
	if (code != GEMP_OK || !computes(*slot))
		return code;
	for (size_t i = 0; i < (*slot)->count; i++)
		literals = literals && gemp_expr_is_literal((*slot)->children[i]);
	if (literals)
		return compute(slot);
	sort_operands(*slot);
	return GEMP_OK;
}

gemp_code gemp_expr_fold_operands(gemp_expr *expr)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < expr->count && code == GEMP_OK; i++)
		code = gemp_expr_fold(&expr->children[i]);
	return code;
}
