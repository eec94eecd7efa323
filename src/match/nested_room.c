#include "match/nested_room.h"

typedef enum side { WHOLE, BEFORE, AFTER } side;

/* Of a row, the entries on this side of its own slot. */
static uint64_t entries_of(const gemp_view *view, size_t row, side part)
{
	uint64_t first = view->begin[row], low = first, high = view->begin[row + 1], end = high;
	while (part != WHOLE && low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (view->neighbours[middle] < row + (part == AFTER))
			low = middle + 1;
		else
			high = middle;
	}
	return part == WHOLE ? end - first : part == BEFORE ? low - first : end - low;
}

static uint64_t longest_part(const gemp_view *view, side part)
{
	uint64_t most = 0;
	for (size_t r = 0; r < view->rows; r++) {
		uint64_t entries = view->begin[r + 1] - view->begin[r] > most ? entries_of(view, r, part) : 0;
		most = entries > most ? entries : most;
	}
	return most;
}

static uint64_t list_room(const gemp_filters *filters, const gemp_view *views, size_t view_count, uint64_t longest)
{
	uint64_t room = longest;
	for (size_t i = 0; i < filters->row_count; i++) {
		const gemp_row_filter *row = &filters->rows[i];
		if (!row->source || row->absent || row->from < 0 || row->view >= (int)view_count)
			continue;
		side part = filters->less >> row->from & 1 ? BEFORE : filters->greater >> row->from & 1 ? AFTER : WHOLE;
		uint64_t most = part == WHOLE ? room : longest_part(&views[row->view], part);
		room = most < room ? most : room;
	}
	return room;
}

uint64_t gemp_nested_room(const gemp_nested *nested, const gemp_view *views, size_t view_count, uint64_t longest)
{
	uint64_t room = 1;
	for (size_t l = 0; l < nested->list_count; l++) {
		uint64_t one = list_room(&nested->lists[l].filters, views, view_count, longest);
		room = one > room ? one : room;
	}
	return room;
}
