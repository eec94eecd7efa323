#ifndef GEMP_ANALYTICS_HALO_HALO_DEVICE_H
#define GEMP_ANALYTICS_HALO_HALO_DEVICE_H

#include "analytics/halo/halo_message.h"

/* DEVICE */
gemp_code gemp_halo_device_new(gemp_halo *mail);
void gemp_halo_device_free(gemp_halo *mail);
gemp_code gemp_halo_pack_device(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed,
                                const gemp_halo_read *look);
gemp_code gemp_halo_unpack_device(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *arrived);
/* Messages are whole, and those of the round before are where they belong. */
gemp_code gemp_halo_wait_device(gemp_halo *mail);

#endif
