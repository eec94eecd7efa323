#include "device/transfer.h"

#include "core/threads.h"
#include "device/readback.h"

#include <string.h>

enum {
	THREADS = 8,          /* that convert a piece: no more are worth their making */
	ALONE_BELOW = 1 << 17 /* numbers: others are not worth it at all */
};

size_t gemp_euler_transfer_piece = 16 << 20;

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* CONVERSION of numbers[first .. first + count), from or to what is locked. */

typedef struct conversion {
	gemp_euler_numbers numbers;
	size_t first, count;
	uint32_t *locked;
	size_t parts;
	bool send;
} conversion;

static void convert_part(void *context, unsigned thread, size_t part)
{
	(void)thread;
	const conversion *c = context;
	size_t from = c->count * part / c->parts, end = c->count * (part + 1) / c->parts;
	if (c->numbers.narrow && c->send)
		memcpy(c->locked + from, c->numbers.narrow + c->first + from, (end - from) * sizeof *c->locked);
	else if (c->numbers.narrow)
		memcpy(c->numbers.narrow + c->first + from, c->locked + from, (end - from) * sizeof *c->locked);
	else if (c->send)
		for (size_t i = from; i < end; i++)
			c->locked[i] = (uint32_t)c->numbers.wide[c->first + i];
	else
		for (size_t i = from; i < end; i++)
			c->numbers.wide[c->first + i] = c->locked[i];
}

static void convert(conversion *c, size_t first, size_t count, char *locked)
{
	c->first = first;
	c->count = count;
	c->locked = (uint32_t *)(void *)locked;
	c->parts = count < ALONE_BELOW ? 1 : THREADS;
	gemp_parallel_for(c->parts, convert_part, c);
}

/* TWO PIECES in turns. */

typedef struct lanes {
	gemp_device *device;
	gemp_locked locked[2];
	cl_event under_way[2];
} lanes;

static gemp_code open(lanes *l, gemp_device *device, size_t count)
{
	gemp_code code = GEMP_OK;
	size_t room = lesser(gemp_euler_transfer_piece, count * sizeof(cl_uint));
	*l = (lanes){ .device = device };
	for (int i = 0; i < 2; i++)
		GEMP_TRY(gemp_locked_take(&l->locked[i], device, room ? room : sizeof(cl_uint)));
done:
	return code;
}

static gemp_code arrived(lanes *l, size_t lane)
{
	gemp_code code = l->under_way[lane] ? GEMP_CL(clWaitForEvents(1, &l->under_way[lane])) : GEMP_OK;
	if (l->under_way[lane])
		clReleaseEvent(l->under_way[lane]);
	l->under_way[lane] = NULL;
	return code;
}

static gemp_code finish(lanes *l, gemp_code code)
{
	for (size_t i = 0; i < 2; i++) {
		gemp_code last = arrived(l, i);
		code = code == GEMP_OK ? last : code;
		gemp_locked_leave(&l->locked[i], l->device);
	}
	return code;
}

gemp_code gemp_euler_send(gemp_device *device, const gemp_buffer *to, gemp_euler_numbers from, size_t count)
{
	gemp_code code = GEMP_OK;
	lanes l;
	conversion c = { .numbers = from, .send = true };
	size_t piece = gemp_euler_transfer_piece / sizeof *c.locked, lane = 0;
	GEMP_TRY(open(&l, device, count));
	for (size_t at = 0; at < count; at += piece, lane = !lane) {
		size_t now = lesser(piece, count - at);
		GEMP_TRY(arrived(&l, lane));
		convert(&c, at, now, l.locked[lane].host);
		GEMP_TRY(GEMP_CL(clEnqueueWriteBuffer(device->transfer, to->mem, CL_FALSE, at * sizeof *c.locked,
		                                      now * sizeof *c.locked, l.locked[lane].host, 0, NULL,
		                                      &l.under_way[lane])));
		GEMP_TRY(GEMP_CL(clFlush(device->transfer)));
	}
done:
	return finish(&l, code);
}

static gemp_code request(lanes *l, size_t lane, const gemp_buffer *from, size_t at, size_t count)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(l->device->transfer, from->mem, CL_FALSE, at * sizeof(cl_uint),
	                                     count * sizeof(cl_uint), l->locked[lane].host, 0, NULL, &l->under_way[lane])));
	GEMP_TRY(GEMP_CL(clFlush(l->device->transfer)));
done:
	return code;
}

gemp_code gemp_euler_take(gemp_device *device, const gemp_buffer *from, size_t at, gemp_euler_numbers to, size_t count)
{
	gemp_code code = GEMP_OK;
	lanes l;
	conversion c = { .numbers = to };
	size_t piece = gemp_euler_transfer_piece / sizeof *c.locked, lane = 0;
	GEMP_TRY(open(&l, device, count));
	if (count)
		GEMP_TRY(request(&l, 0, from, at, lesser(piece, count)));
	for (size_t done = 0; done < count; done += piece, lane = !lane) {
		size_t behind = done + piece;
		if (behind < count)
			GEMP_TRY(request(&l, !lane, from, at + behind, lesser(piece, count - behind)));
		GEMP_TRY(arrived(&l, lane));
		convert(&c, done, lesser(piece, count - done), l.locked[lane].host);
	}
done:
	return finish(&l, code);
}
