/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/rule/qr.h>

#include <errno.h>
#include <png.h>
#include <qrencode.h>
#include <string.h>

/* Light modules that a reader needs around the code, both sides together (ISO/IEC 18004, 5.3.8). */
static const size_t quiet_zones = 8;

/* One pixel of the image as a palette index: 1 for a dark module. */
static png_byte pixel_at(const QRcode *code, size_t scale, size_t margin, size_t x, size_t y)
{
    size_t width = (size_t)code->width;
    size_t column = (x - margin) / scale;
    size_t row = (y - margin) / scale;

    if (x < margin || y < margin || column >= width || row >= width) {
        return 0;
    }
    return code->data[row * width + column] & 1;
}

/* The whole image as palette indices, an octet each; NULL when memory is out. */
static png_byte *draw_pixels(const QRcode *code, size_t edge, sp_arena_t *arena)
{
    size_t modules = (size_t)code->width + quiet_zones;
    size_t scale = edge / modules;
    size_t margin = (edge - scale * (size_t)code->width) / 2;
    png_byte *pixels = sp_arena_alloc(arena, edge * edge);

    for (size_t y = 0; pixels != NULL && y != edge; ++y) {
        for (size_t x = 0; x != edge; ++x) {
            pixels[y * edge + x] = pixel_at(code, scale, margin, x, y);
        }
    }
    return pixels;
}

static void set_colour(png_byte *rgba, uint32_t colour)
{
    rgba[0] = (png_byte)(colour >> 24);
    rgba[1] = (png_byte)(colour >> 16 & 0xff);
    rgba[2] = (png_byte)(colour >> 8 & 0xff);
    rgba[3] = (png_byte)(colour & 0xff);
}

static sp_status_t write_png(const png_byte *pixels, size_t edge, const sp_qr_policy_t *policy,
                             sp_arena_t *arena, sp_str_t *ret_png)
{
    png_byte colours[2][4];
    png_image image;
    png_alloc_size_t size = 0;
    void *memory = NULL;

    memset(&image, 0, sizeof(image));
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)edge;
    image.height = (png_uint_32)edge;
    image.format = PNG_FORMAT_RGBA_COLORMAP;
    image.colormap_entries = 2;
    set_colour(colours[0], policy->background);
    set_colour(colours[1], policy->foreground);
    size = PNG_IMAGE_PNG_SIZE_MAX(image);
    memory = sp_arena_alloc(arena, size);
    if (memory == NULL || png_image_write_to_memory(&image, memory, &size, 0, pixels,
                                                    (png_int_32)edge, colours) == 0) {
        png_image_free(&image);
        return SP_NO_MEMORY;
    }
    *ret_png = (sp_str_t){.ptr = memory, .len = size};
    return SP_OK;
}

sp_status_t sp_qr_draw(sp_str_t text, const sp_qr_policy_t *policy, sp_arena_t *arena,
                       sp_str_t *ret_png)
{
    static const QRecLevel levels[] = {QR_ECLEVEL_L, QR_ECLEVEL_M, QR_ECLEVEL_Q, QR_ECLEVEL_H};
    QRcode *code = QRcode_encodeData((int)text.len, (const unsigned char *)text.ptr, 0,
                                     levels[policy->recovery_level & 3]);
    size_t edge = policy->size < SP_QR_SIZE_MAX ? policy->size : SP_QR_SIZE_MAX;
    const png_byte *pixels = NULL;
    sp_status_t status = SP_NO_MEMORY;

    if (code == NULL) {
        return errno == ENOMEM ? SP_NO_MEMORY : SP_TOO_LONG;
    }
    if (edge < (size_t)code->width + quiet_zones) {
        edge = (size_t)code->width + quiet_zones;
    }
    pixels = draw_pixels(code, edge, arena);
    if (pixels != NULL) {
        status = write_png(pixels, edge, policy, arena, ret_png);
    }
    QRcode_free(code);
    return status;
}
