#include "euler/ranks_join.h"

#include "core/memory.h"
#include "euler/ranks_bits.h"

/* The stretch that leads to a slot: its own, and if a new one begins there, the one before. */
static uint64_t stretch_to(const gemp_euler_list *list, size_t slot)
{
	uint64_t label = gemp_label_at(list, slot, list->wide), flag = gemp_label_flag(list->wide);
	return label & flag ? gemp_number_at(list->from.at, (label & ~flag) - 1, list->wide) : label - 1;
}

/* A stretch is changed: its bit is set here, or it is put down for its owner. */
typedef struct noting {
	uint64_t *bits;
	gemp_euler_subset *elsewhere; /* NULL: there is but one team */
} noting;

static void note(const noting *n, uint64_t number)
{
	if (n->elsewhere)
		gemp_euler_subset_add(n->elsewhere, number);
	else
		gemp_bit_set(n->bits, number);
}

/* Slots of runs of joined ones, the first of which has no bit of its own. */
static void note_changed(const gemp_euler_list *list, const uint64_t *joined, noting n)
{
	for (size_t word = list->part / 64; word * 64 < list->part_end; word++)
		GEMP_EACH_BIT(joined[word], bit) {
			size_t slot = word * 64 + bit;
			if (slot < list->part || slot >= list->part_end)
				continue;
			note(&n, stretch_to(list, slot));
			if (!gemp_bit(joined, slot - 1))
				note(&n, stretch_to(list, slot - 1));
		}
}

/* Of several teams: to their owners, each once. */
static gemp_code tell_owners(const gemp_euler_list *list, const uint64_t *joined, uint64_t *bits)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	gemp_euler_subset changed = { 0 };
	uint64_t bound = list->splitters, *numbers = NULL;
	size_t count = 0;
	gemp_comm_max(team->comm, &bound, 1);
	code = gemp_euler_subset_new(&changed, bound * team->teams);
	if (code == GEMP_OK) {
		note_changed(list, joined, (noting){ .elsewhere = &changed });
		gemp_euler_subset_seal(&changed);
		code = GEMP_NEW(numbers, changed.count);
	}
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	for (size_t word = 0; word < changed.words; word++)
		GEMP_EACH_BIT(changed.word[word].bits, bit)
			numbers[count++] = word * 64 + bit;
	GEMP_TRY(gemp_euler_bits_deliver(team, numbers, count, NULL, bits));
done:
	gemp_euler_subset_free(&changed);
	gemp_free(numbers);
	return code;
}

static gemp_code list_bits(const gemp_euler_list *list, const uint64_t *bits, void **starts, size_t *count)
{
	size_t first, end;
	gemp_euler_team_part(list->team, list->splitters, &first, &end);
	*count = 0;
	for (size_t k = first; k < end; k++)
		*count += gemp_bit(bits, k);
	*starts = gemp_calloc(*count, gemp_number_size(list->wide));
	if (!*starts)
		return GEMP_ENOMEM;
	*count = 0;
	for (size_t k = first; k < end; k++)
		if (gemp_bit(bits, k))
			gemp_number_set(*starts, (*count)++, k, list->wide);
	return GEMP_OK;
}

gemp_code gemp_euler_changed(const gemp_euler_list *list, const uint64_t *joined, void **starts, size_t *count)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	gemp_euler_block bits = { 0 };
	code = gemp_euler_block_new(team, &bits, list->splitters / 64 + 1, sizeof(uint64_t));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	if (team->teams > 1)
		GEMP_TRY(tell_owners(list, joined, bits.at));
	else
		note_changed(list, joined, (noting){ .bits = bits.at });
	gemp_euler_team_fence(team);
	GEMP_TRY(gemp_comm_agree(team->comm, list_bits(list, bits.at, starts, count)));
done:
	gemp_euler_block_free(&bits);
	return code;
}
