#include "euler/devices/records.h"

gemp_code gemp_euler_stage_records(gemp_euler_state *e, size_t count)
{
	return gemp_euler_reserve(e, &e->on.stage, count, sizeof(cl_uint4));
}

/* Local. Counts the staged records of each rank, and sets cursors[] to the places of their first records. */
static gemp_code count_records(gemp_euler_state *e, cl_uint staged)
{
	gemp_buffer *cursors = &e->on.cursors;
	const size_t bytes = e->ranks * sizeof *e->table;
	GEMP_TRY(gemp_buffer_zero(e->device, cursors, 0, bytes));
	GEMP_TRY(GEMP_EULER_LAUNCH(COUNT, staged, GEMP_EULER_MEM(stage), GEMP_ARG(&staged), GEMP_ARG(&e->ranks),
	                           GEMP_EULER_MEM(cursors), GEMP_LOCAL(bytes)));
	GEMP_TRY(gemp_buffer_read(e->device, cursors, 0, bytes, e->table));
	e->sent = 0;
	for (size_t r = 0; r < e->ranks; r++) {
		e->send[r] = e->table[r];
		e->table[r] = (cl_uint)e->sent;
		e->sent += e->send[r];
	}
	return gemp_buffer_write(e->device, cursors, 0, bytes, e->table);
}

/* Local. Writes the records to grouped[] in the order of their ranks. */
static gemp_code group_records(gemp_euler_state *e, cl_uint staged, cl_uint words, cl_uint tagged)
{
	const size_t word = sizeof(cl_uint);
	GEMP_TRY(count_records(e, staged));
	GEMP_TRY(gemp_euler_reserve(e, &e->on.grouped, e->sent * words, word));
	if (tagged)
		GEMP_TRY(gemp_euler_reserve(e, &e->on.tags, e->sent, word));
	return GEMP_EULER_LAUNCH(GROUP, staged, GEMP_EULER_MEM(stage), GEMP_ARG(&staged), GEMP_ARG(&e->ranks),
	                         GEMP_EULER_MEM(cursors), GEMP_EULER_MEM(grouped), GEMP_ARG(&words), GEMP_EULER_MEM(tags),
	                         GEMP_ARG(&tagged), GEMP_LOCAL(2 * e->ranks * word));
}

gemp_code gemp_euler_deliver(gemp_euler_state *e, gemp_code code, const gemp_buffer *from, size_t size, gemp_buffer *to)
{
	GEMP_TRY(gemp_device_exchange_run(e->exchange, code, from, e->send, size, to, e->received));
	e->arrivals = 0;
	for (size_t r = 0; r < e->ranks; r++)
		e->arrivals += e->received[r];
	return GEMP_OK;
}

gemp_code gemp_euler_send_records(gemp_euler_state *e, gemp_code code, size_t staged, cl_uint words, bool tagged)
{
	GEMP_THEN(group_records(e, (cl_uint)staged, words, tagged));
	return gemp_euler_deliver(e, code, &e->on.grouped, words * sizeof(cl_uint), &e->on.inbox);
}

gemp_code gemp_euler_reply_words(gemp_euler_state *e, gemp_code code)
{
	return gemp_device_exchange_back(e->exchange, code, &e->on.answers, sizeof(cl_uint), &e->on.grouped);
}
