#include "partition/row_code.h"

uint8_t *gemp_number_put(uint8_t *to, uint64_t number)
{
	while (number >= 128) {
		*to++ = (uint8_t)(number | 128);
		number >>= 7;
	}
	*to++ = (uint8_t)number;
	return to;
}

const uint8_t *gemp_number_get(const uint8_t *from, const uint8_t *end, uint64_t *number)
{
	uint64_t value = 0;
	for (unsigned shift = 0; from < end && shift < 64; shift += 7) {
		uint8_t byte = *from++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*number = value;
			return from;
		}
	}
	return NULL;
}

uint8_t *gemp_slots_put(uint8_t *to, const gemp_vertex *slots, size_t count)
{
	gemp_vertex last = 0;
	for (size_t i = 0; i < count; i++) {
		to = gemp_number_put(to, slots[i] - last);
		last = slots[i];
	}
	return to;
}

const uint8_t *gemp_slots_get(const uint8_t *from, const uint8_t *end, gemp_vertex *slots, size_t count)
{
	uint64_t slot = 0, step;
	for (size_t i = 0; i < count; i++) {
		if (from < end && *from < 128)
			step = *from++;
		else if ((from = gemp_number_get(from, end, &step)) == NULL)
			return NULL;
		if (step > GEMP_MAX_VERTICES - slot)
			return NULL;
		slot += step;
		slots[i] = (gemp_vertex)slot;
	}
	return from;
}

uint8_t *gemp_edges_put(uint8_t *to, const gemp_edge *edges, size_t count)
{
	gemp_edge last = 0;
	for (size_t i = 0; i < count; i++) {
		bool down = edges[i] < last;
		uint64_t step = down ? last - edges[i] : edges[i] - last;
		to = gemp_number_put(to, step << 1 | down);
		last = edges[i];
	}
	return to;
}

const uint8_t *gemp_edges_get(const uint8_t *from, const uint8_t *end, gemp_edge *edges, size_t count)
{
	gemp_edge edge = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t step;
		if ((from = gemp_number_get(from, end, &step)) == NULL)
			return NULL;
		edge = step & 1 ? edge - (step >> 1) : edge + (step >> 1);
		edges[i] = edge;
	}
	return from;
}
