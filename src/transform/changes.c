#include "transform/changes.h"

#include "comm/exchange.h"
#include "core/memory.h"

#include <string.h>

typedef struct sending {
	const gemp_comm *comm;
	const gemp_graph *graph;
	gemp_changes *out;
	gemp_fresh *fresh;
	const uint8_t *chosen;
	uint64_t *firsts; /* [relation_count][ranks]: each rank's first edge, in its relation */
} sending;

bool gemp_update_varies(const gemp_update *update)
{
	return update->kind == GEMP_MERGE || (update->kind == GEMP_SET_ATTRIBUTE && !update->constant);
}

/* Collective. */
static gemp_code find_owners(sending *s)
{
	gemp_code code = GEMP_OK;
	size_t relations = s->graph->relation_count, ranks = (size_t)s->comm->size;
	code = GEMP_NEW(s->out->offsets, relations + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(s->firsts, relations * ranks);
	GEMP_TRY(gemp_comm_agree(s->comm, code));
	for (size_t r = 0; r < relations; r++) {
		s->out->offsets[r + 1] = s->out->offsets[r] + s->graph->relations[r].edges;
		s->firsts[r * ranks + (size_t)s->comm->rank] = s->graph->relations[r].first;
		gemp_comm_sum(s->comm, s->firsts + r * ranks, (int)ranks);
	}
done:
	return code;
}

/* The last rank whose first edge is not behind it. */
static int owner_of_edge(const sending *s, uint64_t edge)
{
	size_t r = 0;
	while (edge >= s->out->offsets[r + 1])
		r++;
	const uint64_t *first = s->firsts + r * (size_t)s->comm->size;
	int low = 0, high = s->comm->size - 1;
	while (low < high) {
		int middle = low + (high - low + 1) / 2;
		if (first[middle] <= edge - s->out->offsets[r])
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Rows of chosen matches that have the element. */
static gemp_code pick_rows(const sending *s, const gemp_update *u, uint64_t **rows, size_t *count)
{
	gemp_code code = GEMP_OK;
	const gemp_frame *frame = s->fresh->frame;
	*count = 0;
	GEMP_TRY(GEMP_NEW(*rows, frame->rows));
	for (size_t row = 0; row < frame->rows; row++)
		if (s->chosen[row] && frame->columns[u->element.index].elements[row] != GEMP_NO_ELEMENT)
			(*rows)[(*count)++] = row;
done:
	return code;
}

static gemp_code pack_value(const sending *s, const gemp_update *u, size_t row, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	gemp_column one = { 0 };
	if (u->kind == GEMP_SET_ATTRIBUTE)
		return gemp_column_pack(&s->fresh->frame->columns[u->column].values, row, out);
	gemp_value key = gemp_fresh_key(s->fresh, &u->to, row);
	GEMP_TRY(gemp_column_init(&one, "", s->fresh->type));
	GEMP_TRY(gemp_column_add(&one, &key));
	code = gemp_column_pack(&one, 0, out);
done:
	gemp_column_free(&one);
	return code;
}

/* By owner, and for each in the order of rows. */
static gemp_code pack(const sending *s, const gemp_update *u, gemp_text *bytes, size_t *size)
{
	gemp_code code = GEMP_OK;
	uint64_t *rows = NULL;
	size_t count = 0;
	int *owner = NULL;
	GEMP_TRY(pick_rows(s, u, &rows, &count));
	GEMP_TRY(GEMP_NEW(owner, count));
	const uint64_t *elements = s->fresh->frame->columns[u->element.index].elements;
	for (size_t i = 0; i < count; i++)
		owner[i] = u->element.edge ? owner_of_edge(s, elements[rows[i]]) : gemp_graph_owner(s->graph, elements[rows[i]]);
	for (int r = 0; r < s->comm->size; r++) {
		size_t before = bytes->size;
		for (size_t i = 0; i < count; i++) {
			if (owner[i] != r)
				continue;
			gemp_text_add(bytes, &elements[rows[i]], sizeof *elements);
			if (gemp_update_varies(u))
				GEMP_TRY(pack_value(s, u, rows[i], bytes));
		}
		size[r] = bytes->size - before;
	}
	code = gemp_text_status(bytes);
done:
	gemp_free(rows);
	gemp_free(owner);
	return code;
}

static gemp_code unpack(gemp_change *out, const sending *s, const gemp_update *u, const char *at, const char *end)
{
	gemp_code code = GEMP_OK;
	size_t capacity = 0;
	bool varies = gemp_update_varies(u);
	bool set = u->kind == GEMP_SET_ATTRIBUTE && varies;
	gemp_type type = set ? s->fresh->frame->columns[u->column].values.type : s->fresh->type;
	GEMP_TRY(gemp_column_init(&out->values, "", type));
	while (at < end) {
		GEMP_TRY(GEMP_RESERVE(out->elements, capacity, out->count + 1));
		memcpy(&out->elements[out->count++], at, sizeof *out->elements);
		at += sizeof *out->elements;
		if (varies)
			GEMP_TRY(gemp_column_unpack(&out->values, &at, end));
	}
done:
	return code;
}

/* Collective. */
static gemp_code send_update(const sending *s, size_t index)
{
	gemp_code code = GEMP_OK;
	const gemp_update *u = &s->out->rule->updates[index];
	size_t ranks = (size_t)s->comm->size, *sizes = NULL, *received_sizes = NULL, capacity = 0, all = 0;
	void *received = NULL;
	gemp_text bytes = { 0 };
	code = GEMP_NEW(sizes, ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(received_sizes, ranks);
	if (code == GEMP_OK)
		code = pack(s, u, &bytes, sizes);
	GEMP_TRY(gemp_comm_agree(s->comm, code));
	GEMP_TRY(gemp_exchange(s->comm, bytes.data, sizes, &received, &capacity, received_sizes, NULL));
	for (size_t r = 0; r < ranks; r++)
		all += received_sizes[r];
	code = unpack(&s->out->changes[index], s, u, received, (const char *)received + all);
	code = gemp_comm_agree(s->comm, code);
done:
	gemp_text_free(&bytes);
	gemp_free(sizes);
	gemp_free(received_sizes);
	gemp_free(received);
	return code;
}

gemp_code gemp_changes_send(gemp_changes *out, const gemp_comm *comm, const gemp_graph *graph, gemp_fresh *fresh,
                            const uint8_t *chosen)
{
	gemp_code code = GEMP_OK;
	sending s = { .comm = comm, .graph = graph, .out = out, .fresh = fresh, .chosen = chosen };
	*out = (gemp_changes){ .rule = fresh->rule };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->changes, out->rule->update_count)));
	GEMP_TRY(find_owners(&s));
	for (size_t i = 0; i < out->rule->update_count; i++)
		if (!out->rule->updates[i].element.created)
			GEMP_TRY(send_update(&s, i));
done:
	gemp_free(s.firsts);
	if (code != GEMP_OK)
		gemp_changes_free(out);
	return code;
}

void gemp_changes_free(gemp_changes *changes)
{
	for (size_t i = 0; changes->changes && i < changes->rule->update_count; i++) {
		gemp_free(changes->changes[i].elements);
		gemp_column_free(&changes->changes[i].values);
	}
	gemp_free(changes->changes);
	gemp_free(changes->offsets);
	*changes = (gemp_changes){ 0 };
}
