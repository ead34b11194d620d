/* SPDX-License-Identifier: Apache-2.0 */

/* main() for builds without libFuzzer: gives each file named on the command line, and each file of
 * each folder named there, to the fuzz target. A fault ends the process by a signal. */

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* the target's */

#define INPUT_MAX ((size_t)1 << 20) /* octets; libFuzzer's own default is 4096 */
#define PATH_LENGTH_MAX 4096

static bool complain(const char *path, const char *what)
{
    (void)fprintf(stderr, "replay: %s: %s\n", path, what);
    return false;
}

/* Exactly as large as the input, so that AddressSanitizer sees a read behind its end. */
static bool replay_octets(const char *path, const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size == 0 ? 1 : size);

    if (exact == NULL) {
        return complain(path, "out of memory");
    }
    if (size != 0) {
        memcpy(exact, data, size);
    }
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return true;
}

static bool replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(INPUT_MAX);
    size_t size = 0;
    bool good = false;

    if (file == NULL) {
        (void)complain(path, strerror(errno));
    } else if (data == NULL) {
        (void)complain(path, "out of memory");
    } else if ((size = fread(data, 1, INPUT_MAX, file)) == INPUT_MAX || ferror(file) != 0) {
        (void)complain(path, "can't be read, or is 1 MiB or longer");
    } else {
        good = replay_octets(path, data, size);
    }
    free(data);
    if (file != NULL) {
        (void)fclose(file);
    }
    return good;
}

static bool replay_folder(const char *path, size_t *count)
{
    DIR *folder = opendir(path);
    const struct dirent *entry = NULL;
    bool good = true;

    if (folder == NULL) {
        return complain(path, strerror(errno));
    }
    while (good && (entry = readdir(folder)) != NULL) {
        char inner[PATH_LENGTH_MAX];
        int len = snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);

        if (entry->d_name[0] == '.') {
            continue;
        }
        if (len < 0 || (size_t)len >= sizeof(inner)) {
            good = complain(path, "the path is too long");
        } else {
            good = replay_file(inner);
            ++*count;
        }
    }
    (void)closedir(folder);
    return good;
}

static bool replay(const char *path, size_t *count)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        return complain(path, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return replay_folder(path, count);
    }
    ++*count;
    return replay_file(path);
}

int main(int argc, char **argv)
{
    size_t count = 0;

    for (int i = 1; i < argc; ++i) {
        if (!replay(argv[i], &count)) {
            return EXIT_FAILURE;
        }
    }
    if (count == 0) {
        (void)complain("arguments",
                       "no input to replay: expected files, or folders that hold some");
        return EXIT_FAILURE;
    }
    (void)printf("%zu inputs replayed\n", count);
    return EXIT_SUCCESS;
}
