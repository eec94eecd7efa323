/* The halo exchange by kernels, as on a GPU. A kernel packs the messages to all ranks: bitmaps, values, and lists if
 * few values have changed. The host reads the counts with the lists, chooses each message's form, and reads bitmaps
 * and values straight into the messages. Bitmaps without values are set by the caller's kernels (gemp_halo_marks)
 * unless they are large; then no kernel packs, and the host waits once.
 *
 * Received values of a HALO_ALL message are written straight to their ghosts, if possible on the copy queue, beside
 * kernels. Any other message is written to the device unchanged, and a kernel unpacks the messages from all ranks. */

#include "analytics/halo/halo.h"
#include "core/limits.h"
#include "core/memory.h"
#include "device/launch.h"
#include "device/staging.h"

#include <stdio.h>

/* Bitmaps of up to this number of words are read whether bits are set or not. 512 KiB take 12 us at 45 GB/s, as long as
 * a second read takes. */
enum { MARKED_WORDS = 1 << 17 };
/* The words of a bitmap of gemp_halo_marks before the bits. */
enum { MARKS_LEAD = (HALO_LEAD + sizeof(halo_head)) / sizeof(cl_uint) };
enum { QUEUE, TRANSFER };        /* the two queues of the device */
enum { WORD = sizeof(cl_uint) }; /* bytes of a word */

/* The offsets in front[], in words: the counts, the lists of values, and the lists of places. */
enum { COUNTS = GEMP_HALO_CARRIED * 2 };

static size_t listed_values_at(const halo_parts *to)
{
	return COUNTS + (2 * (size_t)to->count + 1) / 2 * 2;
}

static size_t listed_places_at(const gemp_halo *halo)
{
	return listed_values_at(&halo->to) + (size_t)halo->to.count * halo->listed_max * (halo->size / WORD);
}

static const cl_uint *staged_words(const gemp_halo *halo, size_t at)
{
	return (const cl_uint *)(const void *)halo->staging.host + at;
}

/* The number of changes for each part. The last launch has counted in the other row. */
static const cl_uint *staged_counts(const gemp_halo *halo)
{
	return staged_words(halo, COUNTS + (size_t)!halo->turn * halo->to.count);
}

/* Lists the ranks with which messages are exchanged, and copies the list to the device. *words: the words of all
 * regions of outgoing messages. */
static gemp_code new_parts(gemp_halo *halo, halo_parts *out, const halo_direction *direction, size_t *words)
{
	const size_t ranks = (size_t)halo->ranks;
	const bool outgoing = direction == &halo->out;
	*words = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->rank, ranks), GEMP_ARRAY(out->part, ranks + 1)));
	for (int r = 0; r < halo->ranks; r++) {
		const size_t places = direction->count[r];
		if (!places)
			continue;
		out->rank[out->count] = r;
		out->part[out->count++] = (cl_uint4){ { out->blocks, (cl_uint)(outgoing ? *words : direction->region[r] / WORD),
			                                    outgoing ? direction->first[r] : halo->links->ghost_begin[r],
			                                    (cl_uint)places } };
		out->blocks += (cl_uint)(halo_words(places) + HALO_BLOCK - 1) / HALO_BLOCK;
		*words += (halo_size(HALO_BITS, places, places, halo->size) - sizeof(halo_head) + 7) / 8 * 8 / WORD;
	}
	out->part[out->count].s[0] = out->blocks;
	return gemp_buffer_new(&out->buffer, halo->device, (out->count + 1) * sizeof *out->part, out->part);
}

/* The lists of changes have gemp_limits.halo_listed_max entries together, an equal part for each other rank. */
static gemp_code new_front(gemp_halo *halo)
{
	halo->listed_max = gemp_limits_now()->halo_listed_max / (unsigned)(halo->ranks - 1);
	const size_t words = listed_places_at(halo) + (size_t)halo->to.count * halo->listed_max;
	GEMP_TRY(gemp_buffer_new(&halo->front, halo->device, words * WORD, NULL));
	GEMP_TRY(gemp_buffer_zero(halo->device, &halo->front, 0, words * WORD));
	return gemp_pinned_take(&halo->staging, halo->device, halo->front.size + halo->out.first[halo->ranks] * WORD);
}

/* The numbers of the bits are those of slot[], sorted by vertex, behind the lead. */
static gemp_code new_marks(gemp_halo *halo)
{
	const size_t own = halo->links->ghost_begin[0], sent = halo->links->send_begin[halo->ranks];
	const size_t slots = (size_t)halo->out.first[halo->ranks] * 32;
	gemp_halo_marks *m = &halo->marks;
	GEMP_OWNED uint32_t *begin = NULL, *place = NULL;
	if (halo->size || halo->out.first[halo->ranks] > MARKED_WORDS)
		return GEMP_OK;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(begin, own + 2), GEMP_ARRAY(place, sent)));
	for (size_t i = 0; i < slots; i++)
		if (halo->slot[i] != GEMP_NO_VERTEX)
			begin[halo->slot[i] + 2]++;
	for (size_t v = 2; v <= own; v++)
		begin[v + 1] += begin[v];
	for (size_t i = 0; i < slots; i++)
		if (halo->slot[i] != GEMP_NO_VERTEX)
			place[begin[halo->slot[i] + 1]++] = (uint32_t)i + MARKS_LEAD * 32;
	m->words = MARKS_LEAD + halo->out.first[halo->ranks];
	GEMP_TRY(gemp_buffer_new(&m->begin, halo->device, (own + 1) * WORD, begin));
	GEMP_TRY(gemp_buffer_new(&m->place, halo->device, sent * WORD, place));
	for (int b = 0; b < 2; b++) {
		GEMP_TRY(gemp_buffer_new(&m->bits[b], halo->device, m->words * WORD, NULL));
		GEMP_TRY(gemp_buffer_zero(halo->device, &m->bits[b], 0, m->words * WORD));
	}
	return GEMP_OK;
}

const gemp_halo_marks *gemp_halo_marks_of(const gemp_halo *halo)
{
	return halo->marks.begin.mem ? &halo->marks : NULL;
}

/* Compiles the kernels for the size of a value, and copies slot[], which never changes. */
gemp_code gemp_halo_device_new(gemp_halo *halo)
{
	size_t out_words, in_words;
	char options[96];
	snprintf(options, sizeof options, "-DHALO_SIZE=%zu -DHALO_APART=%zu -DHALO_GROUP=%d -DHALO_CARRIED=%d", halo->size,
	         halo->apart, HALO_BLOCK, GEMP_HALO_CARRIED);
	GEMP_TRY(gemp_program_build(&halo->program, halo->device, "gas_halo.cl", options, { "gas_halo_pack", &halo->pack },
	                            { "gas_halo_unpack", &halo->unpack }));
	GEMP_TRY(new_parts(halo, &halo->to, &halo->out, &out_words));
	GEMP_TRY(new_parts(halo, &halo->from, &halo->in, &in_words));
	GEMP_TRY(gemp_buffer_new(&halo->slots, halo->device, halo->out.first[halo->ranks] * 32 * sizeof *halo->slot,
	                         halo->slot));
	GEMP_TRY(gemp_buffer_new(&halo->regions, halo->device, out_words * WORD, NULL));
	GEMP_TRY(gemp_buffer_new(&halo->inbox, halo->device, halo->in.region[halo->ranks], NULL));
	GEMP_TRY(new_marks(halo));
	return new_front(halo);
}

static void free_parts(gemp_halo *halo, halo_parts *parts)
{
	gemp_buffer_free(&parts->buffer, halo->device);
	gemp_free_all(parts->rank, parts->part);
}

/* The transfers must end before the memory that they read and write is released. */
void gemp_halo_device_free(gemp_halo *halo)
{
	gemp_kernels_free(&halo->pack, &halo->unpack);
	gemp_halo_wait_device(halo);
	gemp_program_free(&halo->program);
	gemp_pinned_release(&halo->staging, halo->device);
	free_parts(halo, &halo->to);
	free_parts(halo, &halo->from);
	gemp_buffers_free(halo->device, &halo->slots, &halo->regions, &halo->front, &halo->inbox);
	gemp_buffers_free(halo->device, &halo->marks.begin, &halo->marks.place, &halo->marks.bits[0], &halo->marks.bits[1]);
}

/* *event may be NULL. */
static void release_event(cl_event *event)
{
	if (*event)
		clReleaseEvent(*event);
	*event = NULL;
}

/* Waits for all three transfers, even after one has failed, since the caller writes their host memory next. */
gemp_code gemp_halo_wait_device(gemp_halo *halo)
{
	cl_event *events[] = { &halo->reading, &halo->writing[QUEUE], &halo->writing[TRANSFER] };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		if (*events[i])
			GEMP_ALSO(GEMP_CL(clWaitForEvents(1, events[i])));
		release_event(events[i]);
	}
	return code;
}

/* Launches the kernel that packs all messages. changed: NULL if all values are sent. */
static gemp_code launch_pack(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                             const gemp_halo_carried *read)
{
	const halo_parts *to = &halo->to;
	const cl_mem none = NULL;
	const cl_uint carried = read ? (cl_uint)read->words : 0, turn = halo->turn, lead = 0;
	halo->turn = changed ? !turn : turn;
	return gemp_launch(halo->device, halo->pack, (size_t)to->blocks * HALO_BLOCK, HALO_BLOCK, GEMP_ARG(&to->buffer.mem),
	                   GEMP_ARG(&to->count), GEMP_ARG(&halo->slots.mem), GEMP_ARG(changed ? &changed->mem : &none),
	                   GEMP_ARG(values ? &values->mem : &none), GEMP_ARG(&halo->regions.mem),
	                   GEMP_ARG(read ? &read->buffer->mem : &none), GEMP_ARG(&carried), GEMP_ARG(&halo->front.mem),
	                   GEMP_ARG(&turn), GEMP_ARG(&halo->listed_max), GEMP_ARG(&lead));
}

/* Launches the kernel that makes a bitmap of gemp_halo_marks of a bitmap of changes. */
static gemp_code launch_marks(gemp_halo *halo, const gemp_buffer *changed, const gemp_halo_carried *read)
{
	const halo_parts *to = &halo->to;
	const gemp_buffer *bits = &halo->marks.bits[halo->marks.turn];
	const cl_mem none = NULL;
	const cl_uint carried = read ? (cl_uint)read->words : 0, turn = 0, listed_max = 0, lead = MARKS_LEAD;
	return gemp_launch(halo->device, halo->pack, (size_t)to->blocks * HALO_BLOCK, HALO_BLOCK, GEMP_ARG(&to->buffer.mem),
	                   GEMP_ARG(&to->count), GEMP_ARG(&halo->slots.mem), GEMP_ARG(&changed->mem), GEMP_ARG(&none),
	                   GEMP_ARG(&bits->mem), GEMP_ARG(read ? &read->buffer->mem : &none), GEMP_ARG(&carried),
	                   GEMP_ARG(&bits->mem), GEMP_ARG(&turn), GEMP_ARG(&listed_max), GEMP_ARG(&lead));
}

/* Reads bytes of a buffer into the part behind the head of a message, without waiting. */
static gemp_code read_part(gemp_halo *halo, cl_uint p, const gemp_buffer *from, size_t at, size_t size)
{
	char *to = halo_message_of(&halo->out, halo->to.rank[p]) + sizeof(halo_head);
	release_event(&halo->reading);
	return GEMP_CL(
		clEnqueueReadBuffer(halo->device->queue, from->mem, CL_FALSE, at, size, to, 0, NULL, &halo->reading));
}

/* Reads the values of all places into the messages. The first read waits for the last launch. The later reads follow in
 * order on the copy queue. */
static gemp_code read_all(gemp_halo *halo)
{
	const gemp_device *device = halo->device;
	for (cl_uint p = 0; p < halo->to.count; p++) {
		const size_t places = halo->to.part[p].s[3];
		const size_t at = halo_values_at(HALO_BITS, places, places, halo->size) - sizeof(halo_head);
		halo_head *head = (halo_head *)(void *)halo_message_of(&halo->out, halo->to.rank[p]);
		*head = (halo_head){ HALO_ALL, (uint32_t)places };
		if (!halo->size)
			continue;
		release_event(&halo->reading);
		GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(device->copy_queue, halo->regions.mem, CL_FALSE,
		                                     (size_t)halo->to.part[p].s[1] * WORD + at, places * halo->size, head + 1,
		                                     halo->ordered ? 0 : 1, halo->ordered ? NULL : &device->last_launch,
		                                     &halo->reading)));
		halo->ordered = true;
	}
	GEMP_TRY(GEMP_CL(clFlush(device->queue)));
	return GEMP_CL(clFlush(device->copy_queue));
}

/* Replaces the bitmap of a message without values by a list of its places if the list is shorter. MPI then sends fewer
 * bytes. */
static void list_bits(gemp_halo *halo, halo_head *head, size_t places)
{
	const size_t words = halo_words(places);
	uint32_t *copy = (uint32_t *)(void *)(halo->staging.host + halo->front.size), *place = (uint32_t *)(head + 1);
	memcpy(copy, place, words * sizeof *copy);
	head->count = 0;
	for (size_t w = 0; w < words; w++)
		head->count += (uint32_t)__builtin_popcount(copy[w]);
	head->form = halo_form_of(places, head->count, 0);
	for (size_t w = 0; head->form == HALO_PAIRS && w < words; w++)
		for (uint32_t bits = copy[w]; bits; bits &= bits - 1)
			*place++ = (uint32_t)w * 32 + (uint32_t)__builtin_ctz(bits);
}

/* Reads the bitmaps straight into the messages. If the first message lies in shared memory, the transfer of its bitmap
 * also fills its lead. The last transfer waits. */
static gemp_code read_marks(gemp_halo *halo, const gemp_halo_carried *read)
{
	const halo_parts *to = &halo->to;
	const gemp_buffer *bits = &halo->marks.bits[halo->marks.turn];
	const bool leads = halo->node_rank[to->rank[0]] >= 0;
	char *lead = leads ? halo_message_of(&halo->out, to->rank[0]) - HALO_LEAD : halo->staging.host;
	const size_t size = leads ? (MARKS_LEAD + halo_words(to->part[0].s[3])) * WORD : HALO_LEAD;
	for (cl_uint p = leads; p < to->count; p++)
		GEMP_TRY(read_part(halo, p, bits, (MARKS_LEAD + (size_t)to->part[p].s[2]) * WORD,
		                   halo_words(to->part[p].s[3]) * WORD));
	GEMP_TRY(gemp_buffer_read(halo->device, bits, 0, size, lead));
	if (read)
		memcpy(read->host, lead, read->words * sizeof *read->host);
	release_event(&halo->reading); /* all transfers of this queue have ended */
	release_event(&halo->writing[QUEUE]);
	return GEMP_OK;
}

/* Within a node a bitmap is sent even if a list is shorter, since it is there, and nobody counts its bits: a count of 1
 * says that some may be set. */
gemp_code gemp_halo_pack_marked(gemp_halo *halo, const gemp_buffer *changed, const gemp_halo_carried *read)
{
	const halo_parts *to = &halo->to;
	if (to->count && changed)
		GEMP_TRY(launch_marks(halo, changed, read));
	if (to->count)
		GEMP_TRY(read_marks(halo, read));
	else if (read)
		GEMP_TRY(gemp_buffer_read(halo->device, read->buffer, 0, read->words * sizeof *read->host, read->host));
	halo->marks.turn = !halo->marks.turn;
	halo->ordered = true;
	for (cl_uint p = 0; p < to->count; p++) {
		halo_head *head = (halo_head *)(void *)halo_message_of(&halo->out, to->rank[p]);
		*head = (halo_head){ HALO_BITS, 1 };
		if (halo->node_rank[to->rank[p]] < 0)
			list_bits(halo, head, to->part[p].s[3]);
	}
	return GEMP_OK;
}

/* Makes a message from its list of changes. */
static void write_list(gemp_halo *halo, cl_uint p, halo_head *head, size_t count)
{
	const size_t at = (size_t)p * halo->listed_max;
	*head = (halo_head){ HALO_PAIRS, (uint32_t)count };
	memcpy(head + 1, staged_words(halo, listed_places_at(halo)) + at, count * WORD);
	memcpy((char *)head + halo_values_at(HALO_PAIRS, halo->to.part[p].s[3], count, halo->size),
	       (const char *)staged_words(halo, listed_values_at(&halo->to)) + at * halo->size, count * halo->size);
}

/* Reads the counts and the lists. Messages with more changes follow in a second read, for which gemp_halo_round
 * waits. */
static gemp_code read_lists(gemp_halo *halo)
{
	const halo_parts *to = &halo->to;
	GEMP_TRY(gemp_buffer_read(halo->device, &halo->front, 0, halo->front.size, halo->staging.host));
	for (cl_uint p = 0; p < to->count; p++) {
		const cl_uint places = to->part[p].s[3], count = staged_counts(halo)[p];
		halo_head *head = (halo_head *)(void *)halo_message_of(&halo->out, to->rank[p]);
		const bool listed = count <= halo->listed_max;
		if (listed && halo_form_of(places, count, halo->size) == HALO_PAIRS) {
			write_list(halo, p, head, count);
			continue;
		}
		*head = (halo_head){ count == places && !halo->size ? HALO_ALL : HALO_BITS, count };
		if (head->form == HALO_BITS)
			GEMP_TRY(read_part(halo, p, &halo->regions, (size_t)to->part[p].s[1] * WORD,
			                   halo_size(HALO_BITS, places, count, halo->size) - sizeof *head));
	}
	return GEMP_CL(clFlush(halo->device->queue));
}

/* The host waits for the kernels if it needs the counts of changes. After this wait the copy queue may write to ghosts
 * that the kernels have read. */
gemp_code gemp_halo_pack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                                const gemp_halo_carried *read)
{
	halo->ordered = false;
	if (!halo->to.count)
		return read ? gemp_buffer_read(halo->device, read->buffer, 0, read->words * sizeof *read->host, read->host)
		            : GEMP_OK;
	if (changed || halo->size)
		GEMP_TRY(launch_pack(halo, values, changed, read));
	if (!changed)
		return read_all(halo);
	GEMP_TRY(read_lists(halo));
	halo->ordered = true;
	if (read)
		memcpy(read->host, halo->staging.host, read->words * sizeof *read->host);
	return GEMP_OK;
}

/* Enqueues a write. The event of the queue's last write is kept for gemp_halo_wait_device. */
static gemp_code enqueue_write(gemp_halo *halo, int which, const gemp_buffer *to, size_t at, size_t size,
                               const void *from)
{
	cl_command_queue queue = which == TRANSFER ? halo->device->copy_queue : halo->device->queue;
	if (!size)
		return GEMP_OK;
	release_event(&halo->writing[which]);
	return GEMP_CL(clEnqueueWriteBuffer(queue, to->mem, CL_FALSE, at, size, from, 0, NULL, &halo->writing[which]));
}

/* Are the values of this message written straight to their ghosts? */
static bool goes_straight(const gemp_halo *halo, const halo_head *head)
{
	return head->form == HALO_ALL && halo->apart == 1;
}

static bool needs_kernel(const gemp_halo *halo, const halo_head *head, const gemp_buffer *arrived)
{
	return head->count && (arrived || !goes_straight(halo, head));
}

/* Writes a message to the device: the values of all places to their ghosts, other messages to the inbox. Kernels that
 * were enqueued before `begin` may read the ghosts. So the copy queue is used only if one of its transfers has waited
 * for these kernels (ordered), and if no kernel sets bits after it. launched: the kernel will read the head. */
static gemp_code write_message(gemp_halo *halo, int r, const gemp_buffer *values, bool arrives, bool launched)
{
	const halo_head *head = (const halo_head *)(const void *)halo_message_of(&halo->in, r);
	const size_t places = halo->in.count[r], size = halo->size;
	const bool straight = goes_straight(halo, head), whole = head->count && !straight;
	if (straight)
		GEMP_TRY(enqueue_write(halo, halo->ordered && !arrives ? TRANSFER : QUEUE, values,
		                       halo->links->ghost_begin[r] * size, places * size, head + 1));
	if (!launched)
		return GEMP_OK;
	return enqueue_write(halo, QUEUE, &halo->inbox, halo->in.region[r],
	                     whole ? halo_size((halo_form)head->form, places, head->count, size) : sizeof *head, head);
}

/* Launches the kernel that unpacks the messages from all ranks, or only carries words if there are none. */
static gemp_code launch_unpack(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived,
                               const gemp_halo_carried *write, bool messages)
{
	const halo_parts *from = &halo->from;
	const cl_mem none = NULL;
	const cl_uint count = messages ? from->count : 0, words = write ? (cl_uint)write->words : 0;
	uint64_t carried[GEMP_HALO_CARRIED] = { 0 };
	if (write)
		memcpy(carried, write->host, write->words * sizeof *carried);
	return gemp_launch(halo->device, halo->unpack, (size_t)(messages ? from->blocks : 1) * HALO_BLOCK, HALO_BLOCK,
	                   GEMP_ARG(&from->buffer.mem), GEMP_ARG(&count), GEMP_ARG(&halo->inbox.mem),
	                   GEMP_ARG(values ? &values->mem : &none), GEMP_ARG(arrived ? &arrived->mem : &none),
	                   GEMP_ARG(write ? &write->buffer->mem : &none), GEMP_ARG(&words), GEMP_ARG(&carried));
}

/* A barrier on the kernels' queue waits for the last transfer of the copy queue, and kernels launched later wait for
 * the barrier. */
gemp_code gemp_halo_unpack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived,
                                  const gemp_halo_carried *write)
{
	bool messages = false;
	for (cl_uint p = 0; p < halo->from.count; p++)
		messages |= needs_kernel(halo, (const halo_head *)(const void *)halo_message_of(&halo->in, halo->from.rank[p]),
		                         arrived);
	for (cl_uint p = 0; p < halo->from.count; p++)
		GEMP_TRY(write_message(halo, halo->from.rank[p], values, arrived != NULL, messages));
	if (messages || write)
		GEMP_TRY(launch_unpack(halo, values, arrived, write, messages));
	if (!halo->writing[TRANSFER])
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clFlush(halo->device->copy_queue)));
	return GEMP_CL(clEnqueueBarrierWithWaitList(halo->device->queue, 1, &halo->writing[TRANSFER], NULL));
}
