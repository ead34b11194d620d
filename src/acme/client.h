/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_CLIENT_H
#define SIGNPOST_ACME_CLIENT_H

/* The ACME client that is run as a child, dehydrated: what it is told, and what it says. It was
 * chosen over uacme, which takes no certificate of the authority's own server, shows the secret of
 * an external account to everybody who lists processes, and looks after an order every five seconds
 * only, half of the time that a handshake waits. */

#include <signpost/base/buf.h>

#include "acme/settings.h"

#define SP_ACME_CLIENT "dehydrated"
#define SP_ACME_CLIENT_FILE_MAX 1024

/* Where programs are looked for: PATH of our environment, else the usual folders. */
const char *sp_acme_client_search_path(void);

/* The program's path. False when it is not installed. */
bool sp_acme_client_find(char ret_file[SP_ACME_CLIENT_FILE_MAX]);

/* Its configuration for one order, a shell script that it sources: `storage` is the folder with all
 * the state, `work` that of the order. Bounds processing time and the size of each file. */
void sp_acme_client_config(const sp_acme_settings_t *settings, const char *storage,
                           const char *work, sp_buf_t *buf);

/* The certificates among what it has printed on standard output, the server's own first, without
 * what stands between them; nothing when there are none. */
void sp_acme_client_chain(sp_str_t output, sp_buf_t *buf);

/* Of everything that it has printed, the part that says what went wrong; in `output`, not
 * empty. */
sp_str_t sp_acme_client_fault(sp_str_t output);

/* The authority has had enough of us (RFC 8555, 6.6); it does not know our account (any more); it
 * wants the same once more (RFC 8555, 6.5), which the client does not do by itself. */
bool sp_acme_client_is_limited(sp_str_t output);
bool sp_acme_client_lacks_account(sp_str_t output);
bool sp_acme_client_is_to_repeat(sp_str_t output);

/* It could not even read the authority's directory, which it begins with: nothing was ordered. */
bool sp_acme_client_lacks_directory(sp_str_t output, sp_str_t directory);

/* What the account that the storage holds was registered with: other settings need another
 * registration. */
void sp_acme_client_account(const sp_acme_settings_t *settings, sp_buf_t *buf);

#endif
