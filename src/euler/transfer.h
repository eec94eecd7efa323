/* transfer: what the Euler engine sends to a device and gets from there; numbers are 32 bits there. */
#ifndef GEMP_EULER_TRANSFER_H
#define GEMP_EULER_TRANSFER_H

#include "euler/euler.h"

gemp_code gemp_euler_send_begin(gemp_device *device, const gemp_buffer *to, const uint64_t *begin, size_t count);

/* order->edge, or order->source: the `slots` numbers of the buffer from place `cut` on, round its end, as many as the order has. */
gemp_code gemp_euler_take_order(gemp_device *device, const gemp_buffer *from, size_t slots, size_t cut, gemp_euler_order *order);
gemp_code gemp_euler_take_sources(gemp_device *device, const gemp_buffer *from, size_t slots, size_t cut,
                                  gemp_euler_order *order);

#endif
