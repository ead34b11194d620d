/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_COMPAT_H2O_H
#define SIGNPOST_DNS_COMPAT_H2O_H

/* Every include of h2o goes through here, so that what differs between its versions has one place.
 * The event loop of libh2o-evloop must be asked for: its headers take libuv otherwise, which is
 * another ABI. */

#ifndef H2O_USE_LIBUV
#define H2O_USE_LIBUV 0
#endif

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <h2o.h>
#include <h2o/http1.h>
#include <h2o/http2.h>

#endif
