#include "euler/ranks_list.h"

#include "core/memory.h"
#include "euler/ranks_mail.h"

#include <inttypes.h>

enum { LANES = 24, STARTS_A_PIECE = 1024, NEAR_SPACING = 1024, NEAR = UINT16_MAX };

/* Walkers go on until they come to a splitter or to another team. Each thread moves many of them in turns, so that
 * memory has the next element ready when their turn comes. */
typedef struct walking {
	gemp_euler_list *list;
	bool wide;
	const void *starts;   /* numbers of splitters; NULL: they are first + i */
	size_t first;
	bool near;            /* distances of records have 2 bytes */
	bool lost;            /* one was longer */
	const char *arrived;  /* [arrivals] records: element, splitter, distance */
	size_t arrivals, count; /* of this round: arrivals, then starts */
	gemp_euler_mail mail;
} walking;

typedef struct lane {
	size_t at;
	uint64_t from, distance;
} lane;

GEMP_INLINE void come_to(const gemp_euler_list *list, lane *l, size_t element, bool wide)
{
	l->at = gemp_rotated(list->joined, element);
	__builtin_prefetch((char *)list->link.at + 2 * l->at * gemp_number_size(wide), 1);
	if (list->distance.at)
		__builtin_prefetch((char *)list->distance.at + l->at * gemp_number_size(wide), 1);
}

GEMP_INLINE uint64_t weight_of(const gemp_euler_list *list, size_t x, bool wide)
{
	return list->weight.at ? gemp_number_at(list->weight.at, x, wide) : 1;
}

static size_t record_size(const walking *w)
{
	return 2 * gemp_number_size(w->wide) + (w->near ? sizeof(uint16_t) : gemp_number_size(w->wide));
}

static void write_record(walking *w, size_t piece, const lane *l, uint64_t next, bool wide)
{
	const gemp_euler_list *list = w->list;
	size_t owner = gemp_team_of(list->bounds, list->team->teams, next);
	char *record = gemp_euler_mail_put(&w->mail, piece, owner, 0);
	gemp_number_put(record, 0, next - list->bounds[owner], wide);
	gemp_number_put(record, 1, l->from, wide);
	if (!w->near) {
		gemp_number_put(record, 2, l->distance, wide);
		return;
	}
	uint16_t distance = (uint16_t)l->distance;
	memcpy(record + 2 * gemp_number_size(wide), &distance, sizeof distance);
	if (l->distance > NEAR)
		__atomic_store_n(&w->lost, true, __ATOMIC_RELAXED);
}

GEMP_INLINE void read_record(const walking *w, size_t i, lane *l, bool wide)
{
	const char *record = w->arrived + i * w->mail.size;
	uint16_t distance;
	l->at = gemp_number_in(record, 0, wide);
	l->from = gemp_number_in(record, 1, wide);
	memcpy(&distance, record + 2 * gemp_number_size(wide), sizeof distance);
	l->distance = w->near ? distance : gemp_number_in(record, 2, wide);
}

/* False: the walker has left for another team. */
GEMP_INLINE bool leave(walking *w, size_t piece, lane *l, uint64_t next, bool wide)
{
	gemp_euler_list *list = w->list;
	if (next - list->low < list->count) {
		come_to(list, l, next - list->low, wide);
		return true;
	}
	write_record(w, piece, l, next, wide);
	return false;
}

GEMP_INLINE bool enter(walking *w, size_t piece, size_t i, lane *l, bool wide)
{
	const gemp_euler_list *list = w->list;
	if (i < w->arrivals) {
		read_record(w, i, l, wide);
		come_to(list, l, l->at, wide);
		return true;
	}
	size_t k = w->first + i - w->arrivals;
	if (w->starts)
		k = gemp_number_at(w->starts, k, wide);
	size_t x = gemp_number_at(list->splitter.at, k, wide);
	l->from = k * list->team->teams + list->team->team;
	l->distance = weight_of(list, x, wide);
	return leave(w, piece, l, gemp_next_at(list, x, wide), wide);
}

/* False: the walker has come to a splitter, or left. */
GEMP_INLINE bool step(walking *w, size_t piece, lane *l, bool wide)
{
	gemp_euler_list *list = w->list;
	uint64_t label = gemp_label_at(list, l->at, wide), flag = gemp_label_flag(wide);
	if (label & flag) {
		uint64_t k = (label & ~flag) - 1;
		gemp_number_set(list->from.at, k, l->from, wide);
		gemp_number_set(list->length.at, k, l->distance, wide);
		return false;
	}
	gemp_number_set(list->link.at, 2 * l->at + 1, l->from + 1, wide);
	if (list->distance.at)
		gemp_number_set(list->distance.at, l->at, l->distance, wide);
	l->distance += weight_of(list, l->at, wide);
	return leave(w, piece, l, gemp_next_at(list, l->at, wide), wide);
}

GEMP_INLINE void walk_piece(walking *w, size_t piece, bool wide)
{
	lane lanes[LANES];
	size_t live = 0, i, end;
	if (w->list->team->teams > 1) {
		i = w->mail.begin[piece];
		end = w->mail.begin[piece + 1];
	} else {
		i = piece * STARTS_A_PIECE;
		end = i + STARTS_A_PIECE < w->count ? i + STARTS_A_PIECE : w->count;
	}
	while (live < LANES && i < end)
		live += enter(w, piece, i++, &lanes[live], wide);
	while (live)
		for (size_t n = 0; n < live; n++) {
			if (step(w, piece, &lanes[n], wide))
				continue;
			bool entered = false;
			while (!entered && i < end)
				entered = enter(w, piece, i++, &lanes[n], wide);
			if (!entered)
				lanes[n] = lanes[--live];
		}
}
GEMP_WIDTHS(walk_body, walk_piece, walking)

/* Rounds: all walkers that are here go on, new ones as far as there is room; those that left are delivered. */
static gemp_code walk_in_rounds(walking *w, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = w->list->team;
	w->near = w->list->level == 0 && team->spacing <= NEAR_SPACING;
	GEMP_TRY(gemp_comm_agree(team->comm, gemp_euler_mail_new(&w->mail, team, record_size(w), false)));
	for (uint64_t left = 1; left > 0;) {
		size_t room = w->arrivals < team->in_flight ? team->in_flight - w->arrivals : 0;
		size_t starting = count < room ? count : room;
		w->count = w->arrivals + starting;
		code = gemp_euler_mail_open(&w->mail, w->count);
		w->arrived = w->mail.receive;
		if (code == GEMP_OK)
			gemp_parallel_for(w->mail.pieces, walk_body, w);
		if (w->lost)
			code = gemp_fail(GEMP_EINTERNAL, "no splitter was met on %d edges, though one of %" PRIu32 " is one; "
			                 "another seed chooses others", NEAR, team->spacing);
		w->first += starting;
		count -= starting;
		left = count;
		GEMP_TRY(gemp_euler_mail_send(&w->mail, code, &left));
		w->arrivals = w->mail.received;
	}
done:
	gemp_euler_mail_free(&w->mail);
	return code;
}

gemp_code gemp_euler_list_walk(gemp_euler_list *list, const void *starts, size_t first, size_t count)
{
	walking w = { .list = list, .wide = list->wide, .starts = starts, .first = first };
	if (list->team->teams > 1)
		return walk_in_rounds(&w, count);
	w.count = count;
	gemp_parallel_for((count + STARTS_A_PIECE - 1) / STARTS_A_PIECE, walk_body, &w);
	gemp_euler_team_fence(list->team);
	return GEMP_OK;
}
