/* device_exchange: elements move from a buffer on the device of one rank to buffers on the devices of all ranks.
 *
 *   new -> (run -> back, as often as wanted) -> free
 *
 * run sends the elements of a buffer that lie in the order of their target ranks, and receives elements in the order of
 * their source ranks. back sends an answer to each received element, so that the answers lie in the order of the
 * elements that were sent. A rank's own elements are copied on its device. Kernels that were enqueued on the device's
 * queue before have ended when a call returns, and the received elements are there.
 *
 * If any rank has failed before, as its `code` says, nothing moves, and all ranks return the code and the message of
 * gemp_comm_agree. The buffers of a failed rank are not read and may be {0}. */

#ifndef GEMP_PRIMITIVE_DEVICE_EXCHANGE_H
#define GEMP_PRIMITIVE_DEVICE_EXCHANGE_H

#include "comm/exchange.h"
#include "device/device.h"

typedef struct gemp_device_exchange gemp_device_exchange;

/* Local. Says that GPUs will exchange much: starts a driver on a thread, which is best before devices are opened. Does
 * nothing if no other rank is on this node. */
void gemp_device_exchange_preload(const gemp_comm *comm);

/* Collective. The device is borrowed; each rank has one. */
gemp_code gemp_device_exchange_new(gemp_device_exchange **out, const gemp_comm *comm, gemp_device *device);
/* Collective, before the device is closed. NULL is allowed, but then all ranks must pass NULL. */
void gemp_device_exchange_free(gemp_device_exchange *exchange);

/* Collective. Makes the memory for exchanges in which no rank sends more than `bytes` bytes to other ranks, so that the
 * first of them need not make it: locking 64 MB of pages takes as long as an exchange of 1 GB. Ranks may give different
 * numbers. The codes are agreed. */
gemp_code gemp_device_exchange_reserve(gemp_device_exchange *exchange, size_t bytes);

/* Collective. `from` has send[r] elements of `size` bytes for each rank r, in rank order, from its first byte on.
 * received[ranks] becomes the number of elements from each rank. *to, which may be {0}, gets all received elements in
 * rank order from its first byte on; it is replaced by a larger buffer if it is too small, and the caller frees it. */
gemp_code gemp_device_exchange_run(gemp_device_exchange *exchange, gemp_code code, const gemp_buffer *from,
                                   const uint64_t *send, size_t size, gemp_buffer *to, uint64_t *received);
/* Collective. Answers the last run: `from` has an element of `size` bytes, which may be another size, for each element
 * that was received, and *to gets one for each element that was sent. */
gemp_code gemp_device_exchange_back(gemp_device_exchange *exchange, gemp_code code, const gemp_buffer *from,
                                    size_t size, gemp_buffer *to);

/* What this rank has moved since the exchange was made. */
typedef struct gemp_device_exchange_cost {
	gemp_traffic traffic; /* to other ranks */
	double seconds;       /* in reserve, run and back, without the wait for kernels that were enqueued before */
} gemp_device_exchange_cost;
gemp_device_exchange_cost gemp_device_exchange_costs(const gemp_device_exchange *exchange);
/* Adds the traffic and the seconds since the exchange was made to those of an engine; each may be NULL. */
void gemp_device_exchange_charge(const gemp_device_exchange *exchange, gemp_traffic *traffic, double *seconds);

#endif
