/* What mail looks like: places, 32 to a word, of what a rank sends or has as ghosts; and the bytes of messages. Of
 * this room alone. */
#ifndef GEMP_GAS_MAIL_PARTS_H
#define GEMP_GAS_MAIL_PARTS_H

#include "comm/board.h"
#include "comm/shared.h"
#include "device/readback.h"
#include "gas/mail.h"

typedef enum mail_form {
	MAIL_ALL,   /* of all places: values */
	MAIL_BITS,  /* a bitmap of places, values of those that are set */
	MAIL_PAIRS, /* places, then their values */
} mail_form;

typedef struct mail_head {
	uint32_t form, count; /* of values */
} mail_head;

/* One direction. Places of each rank begin at a word of their own. */
typedef struct mail_side {
	uint32_t *count;   /* [ranks] places */
	uint32_t *first;   /* [ranks + 1] words */
	uint32_t *bits;    /* [words] who has changed */
	uint32_t *before;  /* [words + 1] how many in the words before */
	size_t *region;    /* [ranks + 1] bytes where the message of each rank begins, and has room for any form */
	gemp_locked locked; /* the messages where a device reads and writes them, else bytes of the host; */
	char *bytes;       /* NULL: all of them are in common memory, */
	gemp_locked *pinned; /* [ranks] which is the same to the device */
	char **at[2];      /* [ranks] where messages are; rounds take turns */
	int turn;
	int requests;      /* under way */
	MPI_Request *request;
} mail_side;

/* A buffer of a CPU device. */
typedef struct mail_known {
	cl_mem mem; /* NULL: none */
	char *host;
} mail_known;
enum { MAIL_KNOWN = 6 };

/* From own vertices to places of each rank. */
typedef struct mail_finder {
	size_t words;                        /* of bitmaps of own vertices */
	uint32_t *sent, *before;             /* [ranks][words] which a rank is sent, and how many in the words before */
	uint32_t most;                       /* changes that are few; 0: there are none */
	uint32_t *changed, *places, *vertices; /* [most] at hand */
} mail_finder;

struct gemp_gas_mail {
	const gemp_comm *comm;
	const gemp_gas_links *links;
	gemp_device *device;
	size_t size;       /* bytes of a value */
	int ranks;
	bool kernels;
	bool all;          /* bits[] and before[] of out are those of all places, on the device, too */
	bool begun;        /* there are messages that have not been sent */
	mail_side out, in;
	uint32_t *slot;    /* [words of out * 32] own vertex of each place; GEMP_NO_VERTEX: none */
	gemp_traffic traffic;
	/* of ranks that share memory */
	int *near;         /* [ranks] which of the node it is; -1: on another one, or there is no common memory */
	bool far;          /* there are ranks elsewhere */
	gemp_shared shared;
	gemp_board board;
	/* without kernels */
	mail_finder finder;
	mail_known known[MAIL_KNOWN];
	unsigned known_next;
	/* with kernels */
	gemp_program program;
	cl_kernel mark, gather, set_all, put_bits, put_pairs;
	gemp_buffer slots, bits, before, packed; /* out */
	gemp_buffer first, few;                  /* out: where words of ranks begin; what few changes come to */
	cl_uint most;                            /* values of a rank that are listed */
	cl_uint counting;                        /* the row of counts that the next launch takes */
	gemp_locked desk;                        /* what the host looks at between launches */
	gemp_buffer inbox, came_before;          /* in */
	cl_event reading, writing[2];            /* the last of the transfers from the device, and to it, by each queue */
	bool ordered;      /* transfers to the device wait for kernels that were enqueued before `begin` */
};

static inline size_t mail_words(size_t places)
{
	return (places + 31) / 32;
}

/* Where values begin in a message, and its size. */
static inline size_t mail_values_at(mail_form form, size_t places, size_t count)
{
	size_t words = form == MAIL_ALL ? 0 : form == MAIL_BITS ? mail_words(places) : count;
	return sizeof(mail_head) + (words * sizeof(uint32_t) + 7) / 8 * 8;
}

static inline size_t mail_size(mail_form form, size_t places, size_t count, size_t value)
{
	return mail_values_at(form, places, count) + count * value;
}

static inline mail_form mail_form_of(size_t places, size_t count)
{
	if (count == places)
		return MAIL_ALL;
	return mail_values_at(MAIL_BITS, places, count) < mail_values_at(MAIL_PAIRS, places, count) ? MAIL_BITS : MAIL_PAIRS;
}

static inline char *mail_of(const mail_side *side, int rank)
{
	return side->at[side->turn][rank];
}

static inline uint32_t mail_count(const mail_side *side, int rank)
{
	return side->before[side->first[rank + 1]] - side->before[side->first[rank]];
}

/* before[] of bits[] from one word to another. */
void gemp_gas_mail_sum(mail_side *side, uint32_t from, uint32_t end);

/* Room for the largest message of a rank. */
static inline size_t mail_room(const mail_side *side, int rank, size_t value)
{
	return side->count[rank] ? mail_size(MAIL_BITS, side->count[rank], side->count[rank], value) : 0;
}

/* COMMON: collective; where messages of ranks of this node are, at[], if there is room. */
void gemp_gas_mail_common_new(gemp_gas_mail *mail);
void gemp_gas_mail_common_free(gemp_gas_mail *mail);

/* FAR: to ranks of other nodes, and from them; returns when all has gone and come. */
void gemp_gas_mail_far(gemp_gas_mail *mail);

/* HOST: waits for kernels before. */
gemp_code gemp_gas_mail_pack_host(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed,
                                  const gemp_gas_look *look);
gemp_code gemp_gas_mail_unpack_host(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *arrived);
gemp_code gemp_gas_mail_few_make(gemp_gas_mail *mail); /* once it is needed */
void gemp_gas_mail_few_free(gemp_gas_mail *mail);
/* Messages of few changes, if they are few and such messages as short as any. */
bool gemp_gas_mail_pack_few(gemp_gas_mail *mail, const uint32_t *bits, const char *values);
void gemp_gas_mail_host_free(gemp_gas_mail *mail);
/* Heads, bitmaps and places of messages, once bits[] and before[] are known. */
void gemp_gas_mail_heads(gemp_gas_mail *mail);
/* bits[] and before[] of all places. */
void gemp_gas_mail_mark_all(gemp_gas_mail *mail);

/* DEVICE */
gemp_code gemp_gas_mail_device_new(gemp_gas_mail *mail);
void gemp_gas_mail_device_free(gemp_gas_mail *mail);
gemp_code gemp_gas_mail_pack_device(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed,
                                    const gemp_gas_look *look);
gemp_code gemp_gas_mail_unpack_device(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *arrived);
/* Messages are whole, and those of the round before are where they belong. */
gemp_code gemp_gas_mail_wait_device(gemp_gas_mail *mail);

#endif
