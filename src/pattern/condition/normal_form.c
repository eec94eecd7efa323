/* The normal form of conditions, in which equal conditions compare equal:
 *
 * - NOT stands only above label tests, CONTAINS, STARTS WITH, ENDS WITH, =~, EXISTS and IN; a negated comparison is the
 *   opposite one (all of them are unknown for NULL), and NOT (x IS NULL) is x IS NOT NULL. a XOR b is one
 *   without the other.
 * - AND and OR are flat, sorted, without repetitions; true and false are folded away. A condition that is unknown in
 * every
 *   row (x = NULL) is false, since no NOT stands above it any more.
 * - A literal stands right of a comparison. Between two other operands there are only =, <>, < and <=, and the operands
 * of
 *   = and <> are sorted. IN lists are sorted, without repetitions and NULL; a list of one element is =.
 * - An operation on literals is a literal, and the two operands of + and * on numbers are sorted. Sums of three are not
 *   sorted, because floats give another sum and integers may overflow in another order.
 *
 * This holds where only "is it true?" is asked. A condition that is the operand of something else, as in (a.x = 1) IS
 * NULL, stays as it was written.
 */

#include "pattern/condition/normal_form.h"

#include "pattern/condition/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gemp_code push_negation(gemp_expr **slot, bool negate);

/* Evaluates an expression without variables. The scope may be NULL, because no leaf reads it. */
static gemp_truth literal_truth(const gemp_expr *expr, gemp_code *code)
{
	gemp_arena scratch = { 0 };
	gemp_value value = { .null = true };
	*code = gemp_expr_value(expr, NULL, &scratch, &value);
	gemp_arena_free(&scratch);
	return value.null || value.type != GEMP_BOOLEAN ? GEMP_IS_UNKNOWN : value.truth ? GEMP_IS_TRUE : GEMP_IS_FALSE;
}

/* Replaces the condition in place by the literal true or false. */
static gemp_code fold_to(gemp_expr **slot, bool truth)
{
	gemp_expr_set_literal(*slot, (gemp_value){ .type = GEMP_BOOLEAN, .truth = truth });
	return GEMP_OK;
}

/* An unknown condition becomes false, because no NOT is above it. */
static gemp_code fold_literal(gemp_expr **slot, bool negate)
{
	gemp_code code;
	gemp_truth truth = literal_truth(*slot, &code);
	return code == GEMP_OK ? fold_to(slot, truth == (negate ? GEMP_IS_FALSE : GEMP_IS_TRUE)) : code;
}

/* Replaces a node by its child `index`, and frees the node with its other children. */
static void promote(gemp_expr **slot, size_t index)
{
	gemp_expr *parent = *slot;
	*slot = parent->children[index];
	parent->children[index] = NULL;
	gemp_expr_free(parent);
}

/* Puts a NOT above a leaf that has no opposite. */
static gemp_code wrap_not(gemp_expr **slot)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *negation = NULL;
	GEMP_TRY(gemp_expr_new_operator(&negation, GEMP_NOT, 1, (*slot)->line, (*slot)->column));
	negation->children[0] = *slot;
	*slot = negation;
	negation = NULL;
	return GEMP_OK;
}

/* For qsort: the order of gemp_expr_compare. */
static int by_order(const void *a, const void *b)
{
	return gemp_expr_compare(*(gemp_expr *const *)a, *(gemp_expr *const *)b);
}

/* Sorts children [from, count) and frees repeated children. */
static void sort_children(gemp_expr *expr, size_t from)
{
	if (expr->count <= from)
		return;
	qsort(expr->children + from, expr->count - from, sizeof *expr->children, by_order);
	size_t kept = from + 1;
	for (size_t i = from + 1; i < expr->count; i++) {
		if (gemp_expr_compare(expr->children[kept - 1], expr->children[i]) == 0)
			gemp_expr_free(expr->children[i]);
		else
			expr->children[kept++] = expr->children[i];
	}
	expr->count = kept;
}

/* Removes the neutral constant of a junction: true of AND, false of OR. The caller has handled the other constant,
 * which determines the result. */
static void drop_constants(gemp_expr *expr, bool truth)
{
	size_t kept = 0;
	for (size_t i = 0; i < expr->count; i++) {
		if (gemp_expr_is_boolean(expr->children[i], truth))
			gemp_expr_free(expr->children[i]);
		else
			expr->children[kept++] = expr->children[i];
	}
	expr->count = kept;
}

/* Bound label tests of one variable below an OR are merged into one test. Sorting makes them neighbours. */
static gemp_code merge_labels(gemp_expr *expr)
{
	size_t kept = 1;
	for (size_t i = 1; i < expr->count; i++) {
		gemp_expr *into = expr->children[kept - 1], *from = expr->children[i];
		bool merge = into->kind == GEMP_HAS_LABEL && from->kind == GEMP_HAS_LABEL && into->label_sets &&
		             from->label_sets && into->variable == from->variable;
		if (!merge) {
			expr->children[kept++] = from;
			continue;
		}
		char **names = gemp_realloc(into->names, into->name_count + from->name_count, sizeof *names);
		if (!names) { /* the tree stays valid, because the remaining children are unchanged */
			while (i < expr->count)
				expr->children[kept++] = expr->children[i++];
			expr->count = kept;
			return GEMP_ENOMEM;
		}
		into->names = names;
		memcpy(names + into->name_count, from->names, from->name_count * sizeof *names);
		into->name_count += from->name_count;
		from->name_count = 0;
		for (size_t set = 0; set < into->label_set_count; set++)
			into->label_sets[set] = into->label_sets[set] || from->label_sets[set];
		gemp_expr_free(from);
	}
	expr->count = kept;
	return GEMP_OK;
}

/* Applies De Morgan's laws. Then a neutral constant is dropped, and the other constant replaces the junction. */
static gemp_code push_into_junction(gemp_expr **slot, bool negate)
{
	gemp_expr *expr = *slot;
	if (negate)
		expr->kind = expr->kind == GEMP_AND ? GEMP_OR : GEMP_AND;
	bool neutral = expr->kind == GEMP_AND;
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(push_negation(&expr->children[i], negate));
	for (size_t i = 0; i < expr->count; i++) {
		if (gemp_expr_is_boolean(expr->children[i], !neutral)) {
			promote(slot, i);
			return GEMP_OK;
		}
	}
	drop_constants(expr, neutral);
	if (expr->count == 0)
		return fold_to(slot, neutral);
	GEMP_TRY(gemp_expr_flatten(expr));
	sort_children(expr, 0);
	if (expr->kind == GEMP_OR)
		GEMP_TRY(merge_labels(expr));
	if (expr->count == 1)
		promote(slot, 0);
	return GEMP_OK;
}

/* Returns the negation of a comparison. Both comparisons are unknown for NULL, so a NOT above can be dropped. */
static gemp_expr_kind opposite(gemp_expr_kind kind)
{
	static const gemp_expr_kind kinds[] = { [GEMP_EQ] = GEMP_NE, [GEMP_NE] = GEMP_EQ, [GEMP_LT] = GEMP_GE,
		                                    [GEMP_LE] = GEMP_GT, [GEMP_GT] = GEMP_LE, [GEMP_GE] = GEMP_LT };
	return kinds[kind];
}

/* Returns the comparison that is equivalent after its operands are exchanged. */
static gemp_expr_kind mirrored(gemp_expr_kind kind)
{
	static const gemp_expr_kind kinds[] = { [GEMP_EQ] = GEMP_EQ, [GEMP_NE] = GEMP_NE, [GEMP_LT] = GEMP_GT,
		                                    [GEMP_LE] = GEMP_GE, [GEMP_GT] = GEMP_LT, [GEMP_GE] = GEMP_LE };
	return kinds[kind];
}

/* True for the literal NULL, which makes every comparison unknown. */
static bool is_null(const gemp_expr *expr)
{
	return expr->kind == GEMP_LITERAL && expr->value.null;
}

/* A negated comparison becomes the opposite comparison, which is unknown for NULL, too. A literal becomes the right
 * operand. Two other operands get a fixed order. */
static gemp_code push_into_comparison(gemp_expr **slot, bool negate)
{
	gemp_expr *expr = *slot;
	gemp_expr **operand = expr->children;
	if (is_null(operand[0]) || is_null(operand[1]))
		return fold_to(slot, false);
	if (gemp_expr_is_literal(operand[0]) && gemp_expr_is_literal(operand[1]))
		return fold_literal(slot, negate);
	if (negate)
		expr->kind = opposite(expr->kind);
	bool equality = expr->kind == GEMP_EQ || expr->kind == GEMP_NE, literal = gemp_expr_is_literal(operand[1]);
	bool swap = gemp_expr_is_literal(operand[0]) ||
	            (!literal && (equality ? gemp_expr_compare(operand[0], operand[1]) > 0
	                                   : expr->kind == GEMP_GT || expr->kind == GEMP_GE));
	if (swap) {
		gemp_expr *left = operand[0];
		operand[0] = operand[1];
		operand[1] = left;
		expr->kind = mirrored(expr->kind);
	}
	return GEMP_OK;
}

/* =~ with two literals is not folded before binding has compiled the regular expression. */
static gemp_code push_into_search(gemp_expr **slot, bool negate)
{
	gemp_expr **operand = (*slot)->children;
	if (is_null(operand[0]) || is_null(operand[1]))
		return fold_to(slot, false);
	bool uncompiled = (*slot)->kind == GEMP_MATCHES && !(*slot)->regex; /* binding compiles it later */
	if (gemp_expr_is_literal(operand[0]) && gemp_expr_is_literal(operand[1]) && !uncompiled)
		return fold_literal(slot, negate);
	return negate ? wrap_not(slot) : GEMP_OK;
}

/* NOT IN is never true for a list with NULL, because the value might equal the NULL element. */
static gemp_code push_into_in(gemp_expr **slot, bool negate)
{
	gemp_expr *expr = *slot;
	if (expr->count == 1)
		return fold_to(slot, negate);
	if (gemp_expr_has_literals_only(expr))
		return fold_literal(slot, negate);
	size_t kept = 1;
	for (size_t i = 1; i < expr->count; i++) {
		if (is_null(expr->children[i]))
			gemp_expr_free(expr->children[i]);
		else
			expr->children[kept++] = expr->children[i];
	}
	bool had_null = kept < expr->count;
	expr->count = kept;
	if (had_null && (negate || kept == 1)) /* unknown or false for every value */
		return fold_to(slot, false);
	sort_children(expr, 1);
	if (expr->count == 2) {
		expr->kind = GEMP_EQ;
		return push_into_comparison(slot, negate);
	}
	return negate ? wrap_not(slot) : GEMP_OK;
}

/* IS NULL is never unknown, so negation exchanges IS NULL and IS NOT NULL. */
static gemp_code push_into_null_test(gemp_expr **slot, bool negate)
{
	gemp_expr *expr = *slot, *operand = expr->children[0];
	bool null = (expr->kind == GEMP_IS_NULL) != negate;
	if (gemp_expr_is_literal(operand))
		return fold_to(slot, operand->value.null == null);
	expr->kind = null ? GEMP_IS_NULL : GEMP_IS_NOT_NULL;
	return GEMP_OK;
}

/* True for a literal that may be a condition. Binding refuses other literals, with their place. */
static bool is_truth(const gemp_expr *literal)
{
	return literal->value.null || literal->value.type == GEMP_BOOLEAN;
}

/* The condition `a.x` becomes a.x = true, and NOT a.x becomes a.x = false. */
static gemp_code push_into_attribute(gemp_expr **slot, bool negate)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *equal = NULL;
	const gemp_value truth = { .type = GEMP_BOOLEAN, .truth = !negate };
	GEMP_TRY(gemp_expr_new_operator(&equal, GEMP_EQ, 2, (*slot)->line, (*slot)->column));
	GEMP_TRY(gemp_expr_new_literal(&equal->children[1], truth, (*slot)->line, (*slot)->column));
	equal->children[0] = *slot;
	*slot = equal;
	equal = NULL;
	return GEMP_OK;
}

/* a XOR b becomes (a AND NOT b) OR (NOT a AND b). Its negation becomes (a AND b) OR (NOT a AND NOT b). */
static gemp_code push_into_xor(gemp_expr **slot, bool negate)
{
	const gemp_expr *old = *slot;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *either = NULL;
	GEMP_TRY(gemp_expr_new_operator(&either, GEMP_OR, 2, old->line, old->column));
	for (size_t i = 0; i < 2; i++) {
		GEMP_TRY(gemp_expr_new_operator(&either->children[i], GEMP_AND, 2, old->line, old->column));
		for (size_t j = 0; j < 2; j++) {
			GEMP_TRY(gemp_expr_copy(&either->children[i]->children[j], old->children[j]));
			if (negate ? i == 1 : i == j)
				GEMP_TRY(wrap_not(&either->children[i]->children[j]));
		}
	}
	gemp_expr_free(*slot);
	*slot = either;
	either = NULL;
	return push_negation(slot, false);
}

/* Folds the operands first, because then all operands of the expression may be literals. */
static gemp_code expr_fold_operands(gemp_expr *expr)
{
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(gemp_expr_fold(&expr->children[i]));
	return GEMP_OK;
}

/* Makes the negation normal form in one descent. `negate` is the parity of the number of NOTs above. */
static gemp_code push_negation(gemp_expr **slot, bool negate)
{
	GEMP_TRY(expr_fold_operands(*slot));
	switch ((*slot)->kind) {
	case GEMP_NOT: promote(slot, 0); return push_negation(slot, !negate);
	case GEMP_AND:
	case GEMP_OR: return push_into_junction(slot, negate);
	case GEMP_XOR: return push_into_xor(slot, negate);
	case GEMP_LITERAL: return is_truth(*slot) ? fold_literal(slot, negate) : GEMP_OK;
	case GEMP_ATTRIBUTE:
	case GEMP_COLUMN: return push_into_attribute(slot, negate);
	case GEMP_MATCHES:
	case GEMP_CONTAINS ... GEMP_ENDS_WITH: return push_into_search(slot, negate);
	case GEMP_IN: return push_into_in(slot, negate);
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL: return push_into_null_test(slot, negate);
	case GEMP_EQ ... GEMP_GE: return push_into_comparison(slot, negate);
	default: /* label tests and EXISTS; binding refuses expressions that are not conditions */
		return negate ? wrap_not(slot) : GEMP_OK;
	}
}

/* There is no NOT above the whole condition. */
gemp_code gemp_expr_normalise(gemp_expr **slot)
{
	return push_negation(slot, false);
}

/* Takes *expr and adds it as a conjunct if it differs from the first `known` conjuncts. Every condition must use some
 * element, so `false` is assigned to vertex 0. */
static gemp_code add_conjunct(gemp_pattern *pattern, size_t known, gemp_expr **expr)
{
	for (size_t i = 0; i < known; i++)
		if (gemp_expr_compare(pattern->conditions[i].expr, *expr) == 0)
			return GEMP_OK;
	gemp_condition condition = { .expr = *expr };
	gemp_expr_uses(condition.expr, &condition.vertices, &condition.edges);
	if (!condition.vertices && !condition.edges)
		condition.vertices = 1;
	GEMP_TRY(GEMP_APPEND(pattern->conditions, pattern->condition_count, &condition));
	*expr = NULL;
	return GEMP_OK;
}

/* Outside of OPTIONAL MATCH, a vertex, an edge or a key is never NULL and equals itself. */
static void fold_presence(gemp_expr *expr)
{
	const gemp_expr *left = expr->count ? expr->children[0] : NULL;
	bool null = expr->kind == GEMP_IS_NULL || expr->kind == GEMP_IS_NOT_NULL;
	bool same = expr->kind == GEMP_EQ || expr->kind == GEMP_NE;
	for (size_t i = 0; i < expr->count; i++)
		fold_presence(expr->children[i]);
	if (!(null && (gemp_expr_is_element(left) || left->kind == GEMP_KEY)) &&
	    !(same && gemp_expr_is_element(left) && gemp_expr_compare(left, expr->children[1]) == 0))
		return;
	bool truth = expr->kind == GEMP_IS_NOT_NULL || expr->kind == GEMP_EQ;
	gemp_expr_set_literal(expr, (gemp_value){ .type = GEMP_BOOLEAN, .truth = truth });
}

/* The conjuncts of one condition differ from each other, so a conjunct is compared with the conjuncts of earlier
 * conditions only. */
gemp_code gemp_pattern_require(gemp_pattern *pattern, gemp_expr **expr)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *whole = *expr;
	size_t known = pattern->condition_count;
	*expr = NULL;
	fold_presence(whole);
	GEMP_TRY(gemp_expr_normalise(&whole));
	if (gemp_expr_is_boolean(whole, true))
		return GEMP_OK;
	if (whole->kind != GEMP_AND)
		return add_conjunct(pattern, known, &whole);
	for (size_t i = 0; i < whole->count; i++)
		GEMP_TRY(add_conjunct(pattern, known, &whole->children[i]));
	return GEMP_OK;
}

/* True for arithmetic and functions, which are contiguous in gemp_expr_kind. */
static bool computes(const gemp_expr *expr)
{
	return expr->kind >= GEMP_ADD && expr->kind <= GEMP_SIZE;
}

/* If the computation fails, the expression is left unchanged, and binding reports the reason with a place. An operation
 * with an infinite result is left, too, because infinity cannot be written as a literal. */
static gemp_code compute(gemp_expr *expr)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	const gemp_value *left = &expr->children[0]->value, *right = expr->count > 1 ? &expr->children[1]->value : NULL;
	gemp_value value;
	if (!gemp_expr_can_compute(expr->kind, left, right))
		return GEMP_OK;
	gemp_code code = gemp_expr_compute(expr, left, right, &scratch, &value);
	if (code != GEMP_OK)
		return code == GEMP_EDATA ? GEMP_OK : code;
	if (!value.null && value.type == GEMP_FLOAT && isinf(value.real))
		return GEMP_OK;
	if (!value.null && value.type == GEMP_STRING) {
		value.string.bytes = gemp_strndup(value.string.bytes, value.string.size);
		if (!value.string.bytes)
			return GEMP_ENOMEM;
	}
	gemp_expr_set_literal(expr, value);
	return GEMP_OK;
}

/* For two numbers, a + b equals b + a and a * b equals b * a, also in floating point. A literal becomes the right
 * operand. */
static void sort_operands(gemp_expr *expr)
{
	gemp_expr **operand = expr->children, *left = operand[0];
	bool number = expr->type == GEMP_INTEGER || expr->type == GEMP_FLOAT; /* unknown before binding */
	if (!number || (expr->kind != GEMP_ADD && expr->kind != GEMP_MULTIPLY))
		return;
	bool swap = gemp_expr_is_literal(left) ||
	            (!gemp_expr_is_literal(operand[1]) && gemp_expr_compare(left, operand[1]) > 0);
	operand[0] = swap ? operand[1] : left;
	operand[1] = swap ? left : operand[1];
}

/* A junction with one operand appears where the syntax tree has rewritten `x IN [y]`. */
gemp_code gemp_expr_fold(gemp_expr **slot)
{
	bool junction = (*slot)->kind == GEMP_AND || (*slot)->kind == GEMP_OR;
	if (junction && (*slot)->count == 1)
		promote(slot, 0);
	GEMP_TRY(expr_fold_operands(*slot));
	if ((*slot)->kind == GEMP_AND || (*slot)->kind == GEMP_OR)
		GEMP_TRY(gemp_expr_flatten(*slot));
	if (!computes(*slot))
		return GEMP_OK;
	if (gemp_expr_has_literals_only(*slot))
		return compute(*slot);
	sort_operands(*slot);
	return GEMP_OK;
}
