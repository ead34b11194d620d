/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_PROCESS_H
#define SIGNPOST_SERVE_ADMIN_PROCESS_H

/* What the system says of this process, as the usual process_* metrics. */

#include <signpost/base/buf.h>

/* What can't be read is left out. */
void sp_process_metrics(sp_buf_t *buf);

#endif
