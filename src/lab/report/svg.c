/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/svg.h"

#include <math.h>
#include <string.h>

#include "lab/report/markup.h"

#define WIDE 760.0
#define NARROW 358.0
#define CHARACTER 6.5 /* pixels of an average one, at 12 pixels */
#define LINE 16.0
#define SAMPLE 34.0 /* room of a legend's line sample */

const char sp_lab_svg_style[] =
    ".c0{--c:#0a63c9}.c1{--c:#c23b0b}.c2{--c:#0a7d57}.c3{--c:#8b3fb5}.c4{--c:#95660a}"
    ".c5{--c:#c4246c}.c6{--c:#5b6675}.c7{--c:#1b1f24}\n"
    ".d1{stroke-dasharray:8 4}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:9 3 2 3}"
    ".d4{stroke-dasharray:14 4}.d5{stroke-dasharray:5 2 1 2}.d6{stroke-dasharray:1 4}"
    ".d7{stroke-dasharray:10 3 2 3 2 3}\n"
    "@media (prefers-color-scheme:dark){.c0{--c:#62adff}.c1{--c:#ff8f66}.c2{--c:#3fd0a0}"
    ".c3{--c:#cf9bf5}.c4{--c:#e3b341}.c5{--c:#ff8ab8}.c6{--c:#a7b3c0}.c7{--c:#f0f3f6}}\n"
    ".chart{display:block;width:100%;height:auto}\n"
    ".chart text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica "
    "Neue\",sans-serif;"
    "fill:var(--ink)}\n"
    ".chart .dim{fill:var(--dim)}.chart .head{font-weight:600}.chart .title{font-size:15px;"
    "font-weight:600}\n"
    ".grid{stroke:var(--line)}.axis{stroke:var(--dim)}.hint{stroke:var(--dim);stroke-dasharray:3 "
    "3}\n"
    ".l{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}\n"
    ".m{fill:var(--c);stroke:var(--back);stroke-width:1.2}.bar{fill:var(--c)}\n"
    ".whisker{stroke:var(--ink);stroke-width:1.5}.back{fill:var(--back)}\n";

/* The page has its own; these are for charts that are alone. */
static const char variables[] =
    ":root{color-scheme:light dark;--back:#fff;--ink:#1b1f24;--dim:#57606a;--line:#dde2e8}\n"
    "@media (prefers-color-scheme:dark){:root{--back:#0f1419;--ink:#e6e9ec;--dim:#9aa5b1;"
    "--line:#2b343d}}\n";

double sp_lab_svg_width(const sp_lab_canvas_t *canvas)
{
    return canvas->narrow ? NARROW : WIDE;
}

double sp_lab_svg_title_height(const sp_lab_canvas_t *canvas, const char *title)
{
    sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX];

    if (!canvas->alone) {
        return 0;
    }
    return 12 + 20 * (double)sp_lab_svg_wrap(title, sp_lab_svg_width(canvas) * 0.66, lines);
}

static void put_title(const sp_lab_canvas_t *canvas, const char *title)
{
    sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX];
    size_t count = sp_lab_svg_wrap(title, sp_lab_svg_width(canvas) * 0.66, lines);

    for (size_t i = 0; i != count; ++i) {
        sp_lab_svg_text(canvas, 12, 22 + 20 * (double)i, 's', "title", sp_str_from(lines[i].text));
    }
}

void sp_lab_svg_begin(const sp_lab_canvas_t *canvas, double height, const char *title,
                      const char *desc)
{
    sp_buf_t *out = canvas->out;
    double width = sp_lab_svg_width(canvas);

    sp_buf_printf(out, "<svg class=\"chart %s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\"",
                  canvas->narrow ? "narrow" : "wide", width, height);
    if (canvas->alone) {
        sp_buf_printf(out, " xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\"",
                      width, height);
    }
    sp_buf_append(out, SP_STR("><title>"));
    sp_lab_append_text(out, sp_str_from(title));
    sp_buf_append(out, SP_STR("</title><desc>"));
    sp_lab_append_text(out, sp_str_from(desc));
    sp_buf_append(out, SP_STR("</desc>\n"));
    if (canvas->alone) {
        sp_buf_append(out, SP_STR("<style>"));
        sp_buf_append(out, sp_str_from(variables));
        sp_buf_append(out, sp_str_from(sp_lab_svg_style));
        sp_buf_append(out, SP_STR("</style>\n"));
        sp_buf_printf(out, "<rect class=\"back\" width=\"%.0f\" height=\"%.0f\" rx=\"8\"/>\n",
                      width, height);
        put_title(canvas, title);
    }
}

void sp_lab_svg_end(const sp_lab_canvas_t *canvas)
{
    sp_buf_append(canvas->out, SP_STR("</svg>\n"));
}

void sp_lab_svg_text(const sp_lab_canvas_t *canvas, double x, double y, char anchor,
                     const char *class, sp_str_t text)
{
    sp_buf_printf(canvas->out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
    if (anchor != 's') {
        sp_buf_printf(canvas->out, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end");
    }
    if (class[0] != '\0') {
        sp_buf_printf(canvas->out, " class=\"%s\"", class);
    }
    sp_buf_append_char(canvas->out, '>');
    sp_lab_append_text(canvas->out, text);
    sp_buf_append(canvas->out, SP_STR("</text>\n"));
}

void sp_lab_svg_line(const sp_lab_canvas_t *canvas, const double from_to[4], const char *class)
{
    sp_buf_printf(canvas->out,
                  "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
                  from_to[0], from_to[1], from_to[2], from_to[3]);
}

void sp_lab_svg_marker(const sp_lab_canvas_t *canvas, double x, double y, size_t look,
                       const char *hint)
{
    /* About the point 0,0: circle, square, triangles, diamond, cross, hexagon, bow tie. */
    static const char *const shapes[SP_LAB_LOOKS] = {
        "m-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0-9,0",
        "m-4,-4h8v8h-8z",
        "m0,-5.5l5,9h-10z",
        "m0,-5.8l5.2,5.8l-5.2,5.8l-5.2,-5.8z",
        "m0,5.5l5,-9h-10z",
        "m-1.8,-5h3.6v3.2h3.2v3.6h-3.2v3.2h-3.6v-3.2h-3.2v-3.6h3.2z",
        "m-2.7,-4.6h5.4l2.7,4.6l-2.7,4.6h-5.4l-2.7,-4.6z",
        "m-5,-4.5l5,3l5,-3v9l-5,-3l-5,3z",
    };

    sp_buf_printf(canvas->out, "<path class=\"m c%zu\" d=\"M%.1f,%.1f%s\"", look % SP_LAB_LOOKS, x,
                  y, shapes[look % SP_LAB_LOOKS]);
    if (hint[0] == '\0') {
        sp_buf_append(canvas->out, SP_STR("/>\n"));
        return;
    }
    sp_buf_append(canvas->out, SP_STR("><title>"));
    sp_lab_append_text(canvas->out, sp_str_from(hint));
    sp_buf_append(canvas->out, SP_STR("</title></path>\n"));
}

static bool is_start(char octet)
{
    return ((unsigned char)octet & 0xC0) != 0x80;
}

/* Octets of the longest beginning of `text` with at most `most` characters, broken at a blank where
 * there is one. */
static size_t line_len(const char *text, size_t most)
{
    size_t at = 0, characters = 0, blank = 0;

    while (text[at] != '\0') {
        if (is_start(text[at]) && characters++ == most) {
            return blank != 0 ? blank : at;
        }
        blank = text[at] == ' ' ? at : blank;
        ++at;
    }
    return at;
}

size_t sp_lab_svg_wrap(const char *text, double width,
                       sp_lab_label_t ret_lines[SP_LAB_SVG_LINES_MAX])
{
    size_t most = width < 4 * CHARACTER ? 4 : (size_t)(width / CHARACTER), count = 0;

    while (*text != '\0' && count != SP_LAB_SVG_LINES_MAX) {
        size_t len = line_len(text, most);
        bool cut = count == SP_LAB_SVG_LINES_MAX - 1 && text[len] != '\0';

        ret_lines[count++] = sp_lab_label("%.*s%s", (int)len, text, cut ? "\u2026" : "");
        text += len;
        text += *text == ' ' ? 1 : 0;
    }
    return count;
}

static double legend_room(const sp_lab_canvas_t *canvas)
{
    return sp_lab_svg_width(canvas) - SAMPLE - 24;
}

/* Two columns, where every label fits into a half of the width in one line. */
static bool has_columns(const sp_lab_canvas_t *canvas, const sp_lab_legend_entry_t *entries,
                        size_t count)
{
    sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX];

    for (size_t i = 0; i != count; ++i) {
        if (sp_lab_svg_wrap(entries[i].label.text, sp_lab_svg_width(canvas) / 2 - SAMPLE - 20,
                            lines) > 1) {
            return false;
        }
    }
    return true;
}

double sp_lab_svg_legend_height(const sp_lab_canvas_t *canvas, const sp_lab_legend_entry_t *entries,
                                size_t count)
{
    sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX];
    size_t rows = (count + 1) / 2;
    double height = 8;

    if (has_columns(canvas, entries, count)) {
        return height + 20 * (double)rows;
    }
    for (size_t i = 0; i != count; ++i) {
        height +=
            4 + LINE * (double)sp_lab_svg_wrap(entries[i].label.text, legend_room(canvas), lines);
    }
    return height;
}

static void put_sample(const sp_lab_canvas_t *canvas, double x, double y,
                       const sp_lab_legend_entry_t *entry)
{
    if (entry->line) {
        sp_buf_printf(canvas->out, "<path class=\"l c%zu d%zu\" d=\"M%.1f,%.1fh%.0f\"/>\n",
                      entry->look % SP_LAB_LOOKS, entry->dash % SP_LAB_LOOKS, x, y, SAMPLE);
    }
    sp_lab_svg_marker(canvas, x + SAMPLE / 2, y, entry->look, "");
}

void sp_lab_svg_legend(const sp_lab_canvas_t *canvas, double y,
                       const sp_lab_legend_entry_t *entries, size_t count)
{
    bool columns = has_columns(canvas, entries, count);
    double at = y + 8;

    for (size_t i = 0; i != count; ++i) {
        bool right = columns && i % 2 == 1;
        double x = right ? sp_lab_svg_width(canvas) / 2 : 12;
        sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX];
        size_t line_count = sp_lab_svg_wrap(entries[i].label.text, legend_room(canvas), lines);

        put_sample(canvas, x, at + 8, &entries[i]);
        for (size_t j = 0; j != line_count; ++j) {
            sp_lab_svg_text(canvas, x + SAMPLE + 8, at + 12 + LINE * (double)j, 's', "",
                            sp_str_from(lines[j].text));
        }
        if (!columns || right) {
            at += columns ? 20 : 4 + LINE * (double)line_count;
        }
    }
}
