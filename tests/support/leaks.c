/* SPDX-License-Identifier: Apache-2.0 */

/* Criterion 2.4 runs each test in a process of its own and does not look at that process's exit
 * status, so a leak that LeakSanitizer finds at exit goes unnoticed. Here the process looks for
 * leaks itself when it ends, and dies of a signal, which Criterion does count. Linking this file is
 * enough; without AddressSanitizer it does nothing. */

#if defined(__SANITIZE_ADDRESS__)
#define SP_LEAK_CHECK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SP_LEAK_CHECK 1
#endif
#endif

#if defined(SP_LEAK_CHECK)

#include <sanitizer/lsan_interface.h>
#include <stdlib.h>

__attribute__((destructor)) static void die_of_leaks(void)
{
    if (__lsan_do_recoverable_leak_check() != 0) {
        abort();
    }
}

#else

/* ISO C wants a translation unit to hold something. */
typedef int sp_no_leak_check_t;

#endif
