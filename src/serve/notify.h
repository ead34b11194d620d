/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_NOTIFY_H
#define SIGNPOST_SERVE_NOTIFY_H

/* Tells the service manager how we are (sd_notify(3)): one datagram to the socket that
 * NOTIFY_SOCKET names. Nothing happens where there is none. */

/* `state`: "READY=1", "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=…". */
void sp_notify(const char *state);

#endif
