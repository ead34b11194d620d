/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <png.h>
#include <signpost/rule/qr.h>
#include <stdlib.h>
#include <string.h>

static sp_arena_t arena;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 65536);
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(qr, .init = start, .fini = finish);

static const sp_qr_policy_t black_on_white = {.enabled = true,
                                              .size = 256,
                                              .background = 0xffffffffU,
                                              .foreground = 0x000000ffU,
                                              .recovery_level = 1};

/* The picture as 0xRRGGBBAA pixels, in the arena. */
static uint32_t *draw(sp_str_t text, const sp_qr_policy_t *policy, size_t *ret_edge)
{
    sp_str_t png;
    png_image image = {.version = PNG_IMAGE_VERSION};
    png_byte *octets = NULL;
    uint32_t *pixels = NULL;

    cr_assert_eq(sp_qr_draw(text, policy, &arena, &png), SP_OK);
    cr_assert(png_image_begin_read_from_memory(&image, png.ptr, png.len) != 0);
    image.format = PNG_FORMAT_RGBA;
    octets = sp_arena_alloc(&arena, PNG_IMAGE_SIZE(image));
    pixels = sp_arena_zalloc(&arena, (size_t)image.width * image.height, sizeof(*pixels));
    cr_assert(octets != NULL && pixels != NULL);
    cr_assert(png_image_finish_read(&image, NULL, octets, 0, NULL) != 0);
    cr_assert_eq(image.width, image.height);
    for (size_t i = 0; i != (size_t)image.width * image.height; ++i) {
        for (size_t j = 0; j != 4; ++j) {
            pixels[i] = pixels[i] << 8 | octets[4 * i + j];
        }
    }
    *ret_edge = image.width;
    return pixels;
}

/* Edge of the square that the three finder patterns span: distance from the first dark pixel of the
 * diagonal's row to the last one. */
static size_t code_edge(const uint32_t *pixels, size_t edge, uint32_t dark, size_t *ret_margin)
{
    size_t margin = 0;
    size_t last = edge - 1;

    while (margin != edge && pixels[margin * edge + margin] != dark) {
        ++margin;
    }
    while (last != margin && pixels[margin * edge + last] != dark) {
        --last;
    }
    *ret_margin = margin;
    return last - margin + 1;
}

Test(qr, has_the_edge_that_is_asked_for)
{
    size_t edge = 0;

    (void)draw(SP_STR("https://example.com/"), &black_on_white, &edge);
    cr_expect_eq(edge, 256);
}

Test(qr, shows_finder_patterns_inside_a_quiet_zone)
{
    size_t edge = 0;
    size_t margin = 0;
    const uint32_t *pixels = draw(SP_STR("https://example.com/"), &black_on_white, &edge);
    size_t size = code_edge(pixels, edge, 0x000000ffU, &margin);
    size_t module = size / 25; /* version 2 has 25 modules an edge */

    cr_expect_eq(size % 25, 0);
    cr_expect_geq(margin, 4 * module);
    for (size_t i = 0; i != 7; ++i) {
        size_t dark_row = margin * edge + margin + i * module;

        cr_expect_eq(pixels[dark_row], 0x000000ffU, "top of a finder pattern is dark");
    }
    cr_expect_eq(pixels[margin * edge + margin + 7 * module], 0xffffffffU,
                 "its separator is light");
}

Test(qr, is_drawn_in_the_colours_of_the_policy)
{
    sp_qr_policy_t policy = black_on_white;
    size_t edge = 0;
    size_t margin = 0;
    const uint32_t *pixels = NULL;

    policy.background = 0x11223300U;
    policy.foreground = 0xa0b0c0ffU;
    pixels = draw(SP_STR("a"), &policy, &edge);
    (void)code_edge(pixels, edge, 0xa0b0c0ffU, &margin);
    cr_expect_eq(pixels[0] & 0xffU, 0, "the background is transparent");
    cr_expect_eq(pixels[margin * edge + margin], 0xa0b0c0ffU);
}

Test(qr, grows_beyond_the_wanted_edge_when_the_code_needs_it)
{
    sp_qr_policy_t policy = black_on_white;
    size_t edge = 0;

    policy.size = 1;
    (void)draw(SP_STR("a"), &policy, &edge);
    cr_expect_eq(edge, 21 + 8, "version 1 and the quiet zone, a pixel each");
}

Test(qr, has_an_edge_of_2048_at_most)
{
    sp_qr_policy_t policy = black_on_white;
    size_t edge = 0;

    policy.size = SP_QR_SIZE_MAX + 1;
    (void)draw(SP_STR("a"), &policy, &edge);
    cr_expect_eq(edge, SP_QR_SIZE_MAX);
}

/* ISO/IEC 18004, table 7: octets that the largest code holds at each level. */
Test(qr, refuses_text_that_does_not_fit)
{
    static const size_t capacity[] = {2953, 2331, 1663, 1273};
    static char text[3000];
    sp_qr_policy_t policy = black_on_white;
    sp_str_t png;

    memset(text, 0xe9, sizeof(text));
    for (uint8_t level = 0; level != 4; ++level) {
        policy.recovery_level = level;
        cr_expect_eq(
            sp_qr_draw((sp_str_t){.ptr = text, .len = capacity[level]}, &policy, &arena, &png),
            SP_OK);
        cr_expect_eq(
            sp_qr_draw((sp_str_t){.ptr = text, .len = capacity[level] + 1}, &policy, &arena, &png),
            SP_TOO_LONG);
    }
}
