/* halo: the halo exchange of vertex values: each rank sends values of own vertices to the ranks that have them as
 * ghosts, while the device goes on with work that needs no ghosts.
 *
 *   begin -> kernels over own sources are enqueued, without a wait -> round -> end -> kernels over ghosts
 *
 * For each rank and round the sender takes the smallest of three forms: all values; the changed values with a bitmap of
 * them; or the changed values with their places. Ranks of one node write messages into shared memory and post the
 * numbers of a round with them (comm/shared.h); other ranks receive messages by MPI. One rank has nothing to send.
 *
 * A place is the number of a vertex among those that one rank sends to another, in the order of links->send. Bitmaps
 * have 32 places a word, and each rank's places begin at a word of their own: out.first[ranks + 1] words. A message is
 * a halo_head, then nothing (HALO_ALL), a bitmap (HALO_BITS) or places (HALO_PAIRS), padded to 8 bytes, then the
 * values. Invariant: before[w] is the number of set bits in bits[0 .. w), which gives the value of a set bit a known
 * place. Names that begin with halo_ are private to this folder.
 *
 * begin, round and end are collective: all ranks call them in turn, also after a failure.
 */

#ifndef GEMP_ANALYTICS_HALO_HALO_H
#define GEMP_ANALYTICS_HALO_HALO_H

#include "analytics/layout/layout.h"
#include "comm/exchange.h"
#include "comm/shared.h"
#include "core/bitset.h"
#include "device/program.h"

typedef struct gemp_halo gemp_halo;

/* The first `size` bytes of another buffer, which the host reads together with the bitmap of changes. */
typedef struct gemp_halo_read {
	const gemp_buffer *from;
	size_t size; /* at most GEMP_HALO_READ */
	void *to;
} gemp_halo_read;
enum { GEMP_HALO_READ = 512 };

typedef enum halo_form {
	HALO_ALL,   /* the values of all places */
	HALO_BITS,  /* a bitmap of places, and the values of set bits */
	HALO_PAIRS, /* places, and their values */
} halo_form;

typedef struct halo_head {
	uint32_t form, count; /* of values */
} halo_head;

/* Messages of one direction, to or from all ranks. Places of each rank begin at a word of their own. */
typedef struct halo_direction {
	uint32_t *count;          /* [ranks] places */
	uint32_t *first;          /* [ranks + 1] words */
	uint32_t *bits;           /* [words] places that have changed */
	uint32_t *before;         /* [words + 1] set bits in the words before */
	size_t *region;           /* [ranks + 1] where each rank's message begins, in bytes; a region holds any form */
	char *bytes;              /* the messages of ranks of other nodes; NULL: there are none */
	gemp_pinned pinned_block; /* the memory of bytes[] where kernels pack, else it is the host's */
	gemp_pinned *pinned;      /* [ranks] messages in shared memory, registered with the device where kernels pack */
	char **at[2];             /* [ranks] where messages are, for even and odd rounds */
	int parity;
	int requests; /* number of pending requests */
	MPI_Request *request;
} halo_direction;

/* A buffer of a CPU device, and its address on the host. */
typedef struct halo_mapping {
	cl_mem mem; /* NULL: none */
	char *host;
} halo_mapping;
enum { HALO_MAPPINGS = 6 };

/* An index from own vertices to their places in the messages of each rank; only the host's threads use it. */
typedef struct halo_index {
	size_t words;            /* of bitmaps of own vertices */
	uint32_t *sent, *before; /* [ranks][words] vertices that a rank is sent; set bits in the words before */
	uint32_t listed_max;     /* the maximum of changes that are listed; 0: there is no index */
	uint32_t *changed, *places, *vertices; /* [listed_max] of one message */
} halo_index;

struct gemp_halo {
	const gemp_comm *comm;
	const gemp_layout_links *links;
	gemp_device *device;
	size_t size; /* bytes of a value */
	int ranks;
	bool kernels; /* kernels pack and unpack, else the host's threads */
	bool all;     /* bits[] and before[] of `out` are those of all places, also on the device */
	bool begun;   /* there are packed messages that have not been sent */
	halo_direction out, in;
	uint32_t *slot; /* [words of out * 32] own vertex of each place; GEMP_NO_VERTEX: none */
	gemp_traffic traffic;
	/* of ranks that share memory */
	int *node_rank;  /* [ranks] the rank's number on this node; -1: it shares no memory with this one */
	bool has_remote; /* there are ranks that share no memory with this one */
	gemp_shared shared;
	gemp_node_barrier barrier;
	/* without kernels */
	halo_index index;
	halo_mapping mappings[HALO_MAPPINGS];
	unsigned next_mapping;
	/* with kernels */
	gemp_program program;
	cl_kernel mark, gather, set_all, put_bits, put_pairs;
	gemp_buffer slots, bits, before, packed; /* of `out`: slot[], bits[], before[], and the packed values */
	gemp_buffer first, listed;               /* of `out`: first[]; the lists of few changes */
	cl_uint listed_max;                      /* the maximum of changes for a rank that are listed */
	cl_uint counting;                        /* the row of counts that the next launch adds to */
	gemp_pinned staging;                     /* what the host reads between launches */
	gemp_buffer inbox, received_prefix;      /* of `in`: messages as they came; before[] */
	cl_event reading, writing[2];            /* the last transfer from the device, and to it by each queue */
	bool ordered; /* a transfer has waited for the kernels that were enqueued before `begin` */
};

static inline size_t halo_words(size_t places)
{
	return gemp_bits32_words(places);
}

/* Where values begin in a message, and its size. */
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

/* Sets before[] behind the words [from, end) of bits[]. */
void gemp_halo_prefix(halo_direction *direction, uint32_t from, uint32_t end);

/* The bytes of the largest message of a rank. */
static inline size_t halo_capacity(const halo_direction *direction, int rank, size_t value)
{
	return direction->count[rank] ? halo_size(HALO_BITS, direction->count[rank], direction->count[rank], value) : 0;
}

/* Writes the heads, bitmaps and places of all messages, once bits[] and before[] are set. */
void gemp_halo_write_heads(gemp_halo *halo);
/* Sets bits[] and before[] of all places. */
void gemp_halo_mark_all(gemp_halo *halo);

/* Packing and unpacking by kernels (halo_device.c) or by the host's threads (halo_host.c), which wait for kernels. */
gemp_code gemp_halo_device_new(gemp_halo *halo);
void gemp_halo_device_free(gemp_halo *halo);
gemp_code gemp_halo_pack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                                const gemp_halo_read *read);
gemp_code gemp_halo_unpack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived);
/* Waits until the messages of this round are complete, and those of the round before are on the device. */
gemp_code gemp_halo_wait_device(gemp_halo *halo);

void gemp_halo_host_free(gemp_halo *halo);
gemp_code gemp_halo_pack_host(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                              const gemp_halo_read *read);
gemp_code gemp_halo_unpack_host(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived);

/* Collective. value_size: 4 or 8 bytes, or 0: messages say only which vertices have changed. comm and links are
 * borrowed. */
gemp_code gemp_halo_new_links(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links,
                              gemp_device *device, size_t value_size);
gemp_code gemp_halo_new(gemp_halo **out, const gemp_layout *layout, gemp_device *device, size_t value_size);
/* Collective. Takes NULL; then all ranks must pass NULL. */
void gemp_halo_free(gemp_halo *halo);

/* Packs this round's messages. A rank that has failed calls round and end nevertheless: messages that it cannot pack
 * are sent empty, and the ranks agree on their codes at the end of the round.
 *
 * values[known], of value_size bytes; NULL if that is 0. changed: a bitmap of local vertices, of which bits of own
 * vertices are read; kernels enqueued before have ended on return. NULL: all have changed; the call then does not wait
 * on a GPU, and until `end` kernels may read own values, but neither write them nor read those of ghosts. read: a
 * buffer that the host reads with the bitmap, or NULL. */
gemp_code gemp_halo_begin(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                          const gemp_halo_read *read);

/* Collective. Exchanges the messages of this round, if `begin` was called. A failure of any rank is a failure of all;
 * otherwise sums[] become those of all ranks, modulo 2^64, and greatest[] the maxima. */
enum { GEMP_HALO_MAX_SUMS = 8 };
gemp_code gemp_halo_round(gemp_halo *halo, gemp_code mine, uint64_t *sums, int sum_count, uint64_t *greatest,
                          int greatest_count);

/* Writes received values to their ghosts, for kernels that are launched from now on, and sets bits of these ghosts in
 * `arrived` (which may be `changed`; NULL: not wanted); no bits are cleared. Does not wait for kernels on a GPU.
 * Without a round since `begin` it exchanges the messages first. */
gemp_code gemp_halo_end(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived);

const gemp_traffic *gemp_halo_traffic(const gemp_halo *halo); /* of this rank so far */
/* The difference between the present traffic and `before`; zeros if halo is NULL. */
gemp_traffic gemp_halo_traffic_since(const gemp_halo *halo, const gemp_traffic *before);

/* Collective. Without messages: a failure of any rank is a failure of all; otherwise sums[count] become those of all
 * ranks. */
gemp_code gemp_halo_agree(const gemp_comm *comm, gemp_code mine, double *sums, int count);

#endif
