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
 * Bitmaps have 32 places in a word, and the places of each rank begin at a new word: out.first[ranks + 1] words.
 * HALO_BLOCK words form a block. A message is a halo_head, then nothing (HALO_ALL), places (HALO_PAIRS), or a bitmap
 * and for each block of words the position of its first value (HALO_BITS), padded to 8 bytes, then the values. The
 * values of a block are in the order of places, but the blocks may be in any order, since kernels write them without
 * waiting for each other. Without values there are no positions. Names that begin with halo_ are private to this
 * folder.
 *
 * A round is gemp_halo_begin or gemp_halo_begin_marked, gemp_halo_round or none, and gemp_halo_end. All ranks call
 * the same functions in the same order. A rank that has failed goes on calling them until gemp_halo_round returns
 * the failure to all ranks. */

#ifndef GEMP_ANALYTICS_HALO_HALO_H
#define GEMP_ANALYTICS_HALO_HALO_H

#include "analytics/layout/layout.h"
#include "comm/exchange.h"
#include "comm/shared.h"
#include "core/bitset.h"
#include "device/program.h"

typedef struct gemp_halo gemp_halo;

/* The first words of a buffer, which travel to the host or back together with the messages, in the same commands. */
typedef struct gemp_halo_carried {
	const gemp_buffer *buffer;
	size_t words; /* at most GEMP_HALO_CARRIED */
	uint64_t *host;
} gemp_halo_carried;
enum { GEMP_HALO_CARRIED = 32 };

/* Bits of messages without values, which the caller's kernels set when they change a vertex, so no kernel packs. Own
 * vertex v has the bits place[begin[v]] .. place[begin[v + 1] - 1], one for each rank that has v as a ghost. Rounds use
 * two bitmaps alternately: launches before gemp_halo_begin_marked set bits in bits[turn], which is empty, and clear the
 * other bitmap. A bitmap begins with GEMP_HALO_CARRIED words of 64 bits that travel to the host, written by the last
 * launch, and with space for a halo_head: one transfer reads both and the bits of a message. */
typedef struct gemp_halo_marks {
	gemp_buffer begin;   /* [own + 1] u32 */
	gemp_buffer place;   /* [places] u32 */
	gemp_buffer bits[2]; /* [words] u32 */
	cl_uint words;
	unsigned turn;
} gemp_halo_marks;

typedef enum halo_form {
	HALO_ALL,   /* the values of all places */
	HALO_BITS,  /* a bitmap of places, positions of blocks, and the values of the set bits */
	HALO_PAIRS, /* places, and the values of these places */
} halo_form;

typedef struct halo_head {
	uint32_t form, count; /* count: number of values */
} halo_head;

/* The bytes in shared memory before each message, which a transfer of gemp_halo_marks fills with carried words. */
enum { HALO_LEAD = GEMP_HALO_CARRIED * 8 };

enum { HALO_BLOCK = 256 }; /* words of a block, which a work-group of 256 work-items processes */

/* The messages of one direction: to all ranks (out), or from all ranks (in). The places of each rank begin at a new
 * word. */
typedef struct halo_direction {
	uint32_t *count; /* [ranks] number of places */
	uint32_t *first; /* [ranks + 1] first word of each rank */
	/* outgoing, if the host's threads pack: [words] a bit for each place that has changed; [words + 1] number of set
	 * bits in the words before */
	uint32_t *bits, *before;
	size_t *region;           /* [ranks + 1] offset of each rank's message; a region holds any form */
	char *bytes;              /* the messages to or from ranks that share no memory with this rank, or NULL */
	gemp_pinned pinned_block; /* owns bytes[] if kernels pack; otherwise bytes[] is ordinary memory */
	gemp_pinned *pinned;      /* [ranks] messages in shared memory, registered with the device if kernels pack */
	char **at[2];             /* [ranks] address of each message, in even and in odd rounds */
	int parity;
	int requests; /* number of pending requests */
	MPI_Request *request;
} halo_direction;

/* The ranks with which this rank exchanges messages in one direction, in the form that kernels read. */
typedef struct halo_parts {
	cl_uint count, blocks; /* number of ranks, and of blocks of all ranks */
	int *rank;             /* [count] */
	cl_uint4 *part;        /* [count + 1] halo_part of kernels/analytics/gas_halo.cl */
	gemp_buffer buffer;    /* a copy of part[] */
} halo_parts;

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
	size_t size;  /* bytes of a value */
	size_t apart; /* 2: values are the upper halves of words of twice their size; otherwise 1 */
	int ranks;
	bool kernels; /* true: kernels pack and unpack; false: the host's threads do */
	bool all;     /* out.bits[] has the bits of all places, and out.before[] agrees; only if the host's threads pack */
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
	cl_kernel pack, unpack;
	halo_parts to, from;        /* the ranks that get messages from this rank, and the ranks that send some */
	gemp_buffer slots, regions; /* copy of slot[]; packed messages without heads */
	gemp_buffer front;          /* carried words, counts, and lists of few changes: read in one transfer */
	gemp_buffer inbox;          /* received messages, unchanged */
	gemp_pinned staging;        /* page-locked memory for reads of front[], and for a bitmap */
	gemp_halo_marks marks;      /* empty unless values have 0 bytes */
	cl_uint listed_max;         /* maximum number of changes for a rank that are listed */
	cl_uint turn;               /* the row of counts to which the next launch adds */
	/* the last transfer from the device, and the last one to it on each queue */
	cl_event reading, writing[2];
	bool ordered; /* a transfer has waited for the kernels that were enqueued before `begin` */
};

static inline size_t halo_words(size_t places)
{
	return gemp_bits32_words(places);
}

/* Without values a message needs no positions of blocks. */
static inline size_t halo_blocks(size_t places, size_t value)
{
	return value ? (halo_words(places) + HALO_BLOCK - 1) / HALO_BLOCK : 0;
}

/* The offset of the values in a message. value: bytes of a value. */
static inline size_t halo_values_at(halo_form form, size_t places, size_t count, size_t value)
{
	size_t words = form == HALO_ALL ? 0 : form == HALO_BITS ? halo_words(places) + halo_blocks(places, value) : count;
	return sizeof(halo_head) + (words * sizeof(uint32_t) + 7) / 8 * 8;
}

static inline size_t halo_size(halo_form form, size_t places, size_t count, size_t value)
{
	return halo_values_at(form, places, count, value) + count * value;
}

/* The form of a message that is made anew: all values, or the smaller one of the other two forms. */
static inline halo_form halo_form_of(size_t places, size_t count, size_t value)
{
	if (count == places)
		return HALO_ALL;
	return halo_values_at(HALO_BITS, places, count, value) < halo_values_at(HALO_PAIRS, places, count, value)
	           ? HALO_BITS
	           : HALO_PAIRS;
}

/* The offset of a vertex's value in values[]. */
static inline size_t halo_value_at(const gemp_halo *halo, size_t vertex)
{
	return (vertex * halo->apart + halo->apart - 1) * halo->size;
}

static inline char *halo_message_of(const halo_direction *direction, int rank)
{
	return direction->at[direction->parity][rank];
}

/* The bytes of the largest message to or from a rank. */
static inline size_t halo_capacity(const halo_direction *direction, int rank, size_t value)
{
	return direction->count[rank] ? halo_size(HALO_BITS, direction->count[rank], direction->count[rank], value) : 0;
}

/* Packing and unpacking by kernels (halo_device.c), or by the host's threads (halo_host.c). The host's threads wait for
 * the kernels on the device first. */
gemp_code gemp_halo_device_new(gemp_halo *halo);
void gemp_halo_device_free(gemp_halo *halo);
gemp_code gemp_halo_pack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                                const gemp_halo_carried *read);
gemp_code gemp_halo_pack_marked(gemp_halo *halo, const gemp_buffer *changed, const gemp_halo_carried *read);
gemp_code gemp_halo_unpack_device(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived,
                                  const gemp_halo_carried *write);
/* Waits until the messages of this round are complete, and the messages of the previous round are on the device. */
gemp_code gemp_halo_wait_device(gemp_halo *halo);

void gemp_halo_host_free(gemp_halo *halo);
gemp_code gemp_halo_pack_host(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                              const gemp_halo_carried *read);
gemp_code gemp_halo_unpack_host(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived,
                                const gemp_halo_carried *write);

/* Collective. value_size is 4 or 8 bytes, or 0 if messages only say which vertices have changed. comm and links are
 * borrowed. */
gemp_code gemp_halo_new_links(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links,
                              gemp_device *device, size_t value_size);
gemp_code gemp_halo_new(gemp_halo **out, const gemp_layout *layout, gemp_device *device, size_t value_size);
/* The same for the upper halves of words of 64 bits. The lower halves are neither sent nor changed. */
gemp_code gemp_halo_new_halves(gemp_halo **out, const gemp_layout *layout, gemp_device *device);
/* Collective. halo may be NULL, but then all ranks must pass NULL. */
void gemp_halo_free(gemp_halo *halo);

/* Packs this round's messages. A rank that has failed still calls begin and round: the messages that it cannot pack are
 * sent empty, and the ranks agree on their codes at the end of the round.
 *
 * values[known] have value_size bytes each, or are words whose upper halves are sent; NULL if value_size is 0.
 * changed: a bitmap of local vertices, in which the bits of own vertices are read; NULL: all vertices have changed.
 * On return the kernels that were enqueued before have ended, except on a GPU if `changed` is NULL: then the call
 * does not wait for them. From begin until gemp_halo_end, kernels may read the values of own vertices; they must
 * neither write values nor read the values of ghosts. read: words that the host reads; they need `changed`, and a
 * single rank does not read them; NULL: none. */
gemp_code gemp_halo_begin(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                          const gemp_halo_carried *read);

/* NULL: kernels set no bits, because values have bytes, the host packs, or bitmaps are large. The ranks may differ. */
const gemp_halo_marks *gemp_halo_marks_of(const gemp_halo *halo);
/* The same as gemp_halo_begin for a halo with marks. changed: NULL: kernels have set the bits; otherwise a kernel
 * makes them of this bitmap, which costs less if many vertices have changed. The words of `read` come from the
 * bitmap; a rank that sends nothing reads read->buffer. */
gemp_code gemp_halo_begin_marked(gemp_halo *halo, const gemp_buffer *changed, const gemp_halo_carried *read);

/* Collective. Exchanges the messages of this round, if `begin` was called. If any rank has failed, all ranks return a
 * failure. Otherwise sums[] become the sums over all ranks, modulo 2^64, and greatest[] the maxima. */
enum { GEMP_HALO_MAX_SUMS = 8 };
gemp_code gemp_halo_round(gemp_halo *halo, gemp_code mine, uint64_t *sums, int sum_count, uint64_t *greatest,
                          int greatest_count);

/* Writes received values to their ghosts, for kernels that are launched from now on. Sets the bits of these ghosts in
 * `arrived`, which may be `changed`, or NULL if the bits are not wanted; clears no bits. Does not wait for kernels on a
 * GPU. If there was no round since `begin`, it exchanges the messages first. write: words that the host writes to a
 * buffer; a single rank does not write them; NULL: none. */
gemp_code gemp_halo_end(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived,
                        const gemp_halo_carried *write);

const gemp_traffic *gemp_halo_traffic(const gemp_halo *halo); /* the traffic of this rank so far */
/* The traffic since `before`, an earlier value of gemp_halo_traffic; zeros if halo is NULL. */
gemp_traffic gemp_halo_traffic_since(const gemp_halo *halo, const gemp_traffic *before);

/* Collective, without a halo and its messages. If any rank has failed, all ranks return a failure. Otherwise
 * sums[count] become the sums over all ranks. */
gemp_code gemp_halo_agree(const gemp_comm *comm, gemp_code mine, double *sums, int count);

#endif
