/* halo: the halo exchange of vertex values. Each rank sends values of own vertices to the ranks that have these
 * vertices as ghosts. Meanwhile the device goes on with work that needs no ghosts.
 *
 *   begin -> kernels over own sources are enqueued, without a wait -> round -> end -> kernels over ghosts
 *
 * In each round a message to a rank has one of three forms. If all values have changed: all values. Otherwise the
 * smaller of two: a bitmap of the changed vertices, or a list of them; the changed values follow. Ranks of one node
 * write messages into shared memory if every node has enough of it (comm/shared.h). All other messages travel by MPI.
 * If all ranks share one node's memory, the sums and maxima of a round lie in it, too. A single rank has nothing to
 * send.
 *
 * A place is the number of a vertex among the vertices that one rank sends to another, in the order of links->send.
 * Bitmaps have 32 places in a word, and the places of each rank begin at a new word: out.first[ranks + 1] words. A
 * message is a halo_head, then nothing (HALO_ALL), a bitmap (HALO_BITS) or places (HALO_PAIRS), padded to 8 bytes, then
 * the values. Invariant: before[w] is the number of set bits in bits[0 .. w), from which the position of a place's
 * value follows. Names that begin with halo_ are private to this folder.
 *
 * A round is gemp_halo_begin, gemp_halo_round or none, and gemp_halo_end. All ranks call the same functions in the same
 * order. A rank that has failed goes on calling them until gemp_halo_round returns the failure to all ranks. */

#ifndef GEMP_ANALYTICS_HALO_HALO_H
#define GEMP_ANALYTICS_HALO_HALO_H

#include "analytics/layout/layout.h"
#include "comm/exchange.h"
#include "comm/shared.h"
#include "core/bitset.h"
#include "device/program.h"

typedef struct gemp_halo gemp_halo;

/* The first `size` bytes of the buffer `from`, which the host reads to `to` together with the bitmap of changes. */
typedef struct gemp_halo_read {
	const gemp_buffer *from;
	size_t size; /* at most GEMP_HALO_READ */
	void *to;
} gemp_halo_read;
enum { GEMP_HALO_READ = 512 };

typedef enum halo_form {
	HALO_ALL,   /* the values of all places */
	HALO_BITS,  /* a bitmap of places, and the values of the set bits */
	HALO_PAIRS, /* places, and the values of these places */
} halo_form;

typedef struct halo_head {
	uint32_t form, count; /* count: number of values */
} halo_head;

/* The messages of one direction: to all ranks (out), or from all ranks (in). The places of each rank begin at a new
 * word. */
typedef struct halo_direction {
	uint32_t *count;          /* [ranks] number of places */
	uint32_t *first;          /* [ranks + 1] first word of each rank */
	uint32_t *bits;           /* [words] a bit for each place that has changed */
	uint32_t *before;         /* [words + 1] number of set bits in the words before */
	size_t *region;           /* [ranks + 1] offset of each rank's message; a region holds any form */
	char *bytes;              /* the messages to or from ranks that share no memory with this rank, or NULL */
	gemp_pinned pinned_block; /* owns bytes[] if kernels pack; otherwise bytes[] is ordinary memory */
	gemp_pinned *pinned;      /* [ranks] messages in shared memory, registered with the device if kernels pack */
	char **at[2];             /* [ranks] address of each message, in even and in odd rounds */
	int parity;
	int requests; /* number of pending requests */
	MPI_Request *request;
} halo_direction;

/* A buffer of a CPU device, and its address on the host. */
typedef struct halo_mapping {
	cl_mem mem; /* NULL: the entry is unused */
	char *host;
} halo_mapping;
enum { HALO_MAPPINGS = 8 };

/* An index from own vertices to their places in the messages of each rank. Only the host's threads use it. */
typedef struct halo_index {
	size_t words; /* of a bitmap of own vertices */
	/* [ranks][words] bitmap of the vertices that a rank is sent; number of set bits in the words before */
	uint32_t *sent, *before;
	uint32_t listed_max; /* maximum number of changes that are listed; 0: there is no index */
	/* [listed_max] the changed vertices; for one message: their places, and their ids */
	uint32_t *changed, *places, *vertices;
} halo_index;

struct gemp_halo {
	const gemp_comm *comm;
	const gemp_layout_links *links;
	gemp_device *device;
	size_t size; /* bytes of a value */
	int ranks;
	bool kernels; /* true: kernels pack and unpack; false: the host's threads do */
	bool all;     /* out.bits[] has the bits of all places, and out.before[] agrees, also on the device */
	bool begun;   /* packed messages have not been sent yet */
	halo_direction out, in;
	uint32_t *slot; /* [words of out * 32] own vertex of each place; GEMP_NO_VERTEX: no vertex */
	gemp_traffic traffic;
	/* for ranks that share memory: */
	int *node_rank;  /* [ranks] the rank's number on this node; -1: the rank shares no memory with this rank */
	bool has_remote; /* some rank shares no memory with this rank */
	gemp_shared shared;
	gemp_node_barrier barrier;
	/* if the host's threads pack and unpack: */
	halo_index index;
	halo_mapping mappings[HALO_MAPPINGS];
	unsigned next_mapping;
	/* if kernels pack and unpack: */
	gemp_program program;
	cl_kernel mark, gather, set_all, put_bits, put_pairs;
	gemp_buffer slots, bits, before, packed; /* copies of slot[], out.bits[] and out.before[]; the packed values */
	gemp_buffer first, listed;               /* copy of out.first[]; counts and lists of few changes (gas_halo_mark) */
	cl_uint listed_max;                      /* maximum number of changes for a rank that are listed */
	cl_uint counting;                        /* the row of counts to which the next launch adds */
	gemp_pinned staging;                     /* page-locked memory for reads between launches */
	gemp_buffer inbox, received_prefix;      /* received messages, unchanged; copy of in.before[] */
	/* the last transfer from the device, and the last one to it on each queue */
	cl_event reading, writing[2];
	bool ordered; /* a transfer has waited for the kernels that were enqueued before `begin` */
};

static inline size_t halo_words(size_t places)
{
	return gemp_bits32_words(places);
}

/* The offset of the values in a message. */
static inline size_t halo_values_at(halo_form form, size_t places, size_t count)
{
	size_t words = form == HALO_ALL ? 0 : form == HALO_BITS ? halo_words(places) : count;
	return sizeof(halo_head) + (words * sizeof(uint32_t) + 7) / 8 * 8;
}

static inline size_t halo_size(halo_form form, size_t places, size_t count, size_t value)
{
	return halo_values_at(form, places, count) + count * value;
}

static inline halo_form halo_form_of(size_t places, size_t count)
{
	if (count == places)
		return HALO_ALL;
	return halo_values_at(HALO_BITS, places, count) < halo_values_at(HALO_PAIRS, places, count) ? HALO_BITS
	                                                                                            : HALO_PAIRS;
}

static inline char *halo_message_of(const halo_direction *direction, int rank)
{
	return direction->at[direction->parity][rank];
}

static inline uint32_t halo_count(const halo_direction *direction, int rank)
{
	return direction->before[direction->first[rank + 1]] - direction->before[direction->first[rank]];
}

/* Sets before[from + 1 .. end] from bits[from .. end - 1]. */
void gemp_halo_prefix(halo_direction *direction, uint32_t from, uint32_t end);

/* The bytes of the largest message to or from a rank. */
static inline size_t halo_capacity(const halo_direction *direction, int rank, size_t value)
{
	return direction->count[rank] ? halo_size(HALO_BITS, direction->count[rank], direction->count[rank], value) : 0;
}

/* Writes the heads, bitmaps and places of all messages. bits[] and before[] have been set. */
void gemp_halo_write_heads(gemp_halo *halo);
/* Sets bits[] of all places, and before[]. */
void gemp_halo_mark_all(gemp_halo *halo);

/* Packing and unpacking by kernels (halo_device.c), or by the host's threads (halo_host.c). The host's threads wait for
 * the kernels on the device first. */
gemp_code gemp_halo_device_new(gemp_halo *halo);
void gemp_halo_device_free(gemp_halo *halo);
gemp_code gemp_halo_pack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                                const gemp_halo_read *read);
gemp_code gemp_halo_unpack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived);
/* Waits until the messages of this round are complete, and the messages of the previous round are on the device. */
gemp_code gemp_halo_wait_device(gemp_halo *halo);

void gemp_halo_host_free(gemp_halo *halo);
gemp_code gemp_halo_pack_host(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                              const gemp_halo_read *read);
gemp_code gemp_halo_unpack_host(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived);

/* Collective. value_size is 4 or 8 bytes, or 0 if messages only say which vertices have changed. comm and links are
 * borrowed. */
gemp_code gemp_halo_new_links(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links,
                              gemp_device *device, size_t value_size);
gemp_code gemp_halo_new(gemp_halo **out, const gemp_layout *layout, gemp_device *device, size_t value_size);
/* Collective. halo may be NULL, but then all ranks must pass NULL. */
void gemp_halo_free(gemp_halo *halo);

/* Packs this round's messages. A rank that has failed still calls begin and round: the messages that it cannot pack are
 * sent empty, and the ranks agree on their codes at the end of the round.
 *
 * values[known] have value_size bytes each; NULL if value_size is 0. changed: a bitmap of local vertices, in which the
 * bits of own vertices are read; NULL: all vertices have changed. On return the kernels that were enqueued before have
 * ended, except on a GPU if `changed` is NULL: then the call does not wait for them. From begin until gemp_halo_end,
 * kernels may read the values of own vertices; they must neither write values nor read the values of ghosts. read: a
 * buffer that the host reads with the bitmap; it needs `changed`, and a single rank does not read it; NULL: none. */
gemp_code gemp_halo_begin(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                          const gemp_halo_read *read);

/* Collective. Exchanges the messages of this round, if `begin` was called. If any rank has failed, all ranks return a
 * failure. Otherwise sums[] become the sums over all ranks, modulo 2^64, and greatest[] the maxima. */
enum { GEMP_HALO_MAX_SUMS = 8 };
gemp_code gemp_halo_round(gemp_halo *halo, gemp_code mine, uint64_t *sums, int sum_count, uint64_t *greatest,
                          int greatest_count);

/* Writes received values to their ghosts, for kernels that are launched from now on. Sets the bits of these ghosts in
 * `arrived`, which may be `changed`, or NULL if the bits are not wanted; clears no bits. Does not wait for kernels on a
 * GPU. If there was no round since `begin`, it exchanges the messages first. */
gemp_code gemp_halo_end(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived);

const gemp_traffic *gemp_halo_traffic(const gemp_halo *halo); /* the traffic of this rank so far */
/* The traffic since `before`, an earlier value of gemp_halo_traffic; zeros if halo is NULL. */
gemp_traffic gemp_halo_traffic_since(const gemp_halo *halo, const gemp_traffic *before);

/* Collective, without a halo and its messages. If any rank has failed, all ranks return a failure. Otherwise
 * sums[count] become the sums over all ranks. */
gemp_code gemp_halo_agree(const gemp_comm *comm, gemp_code mine, double *sums, int count);

#endif
