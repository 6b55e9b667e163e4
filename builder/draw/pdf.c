/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pictures as files: see svg.h. SVG becomes PDF by librsvg and cairo. These depend on forty other libraries, which each start
 * would load: so they are opened only when there is a PDF to write. Only this file uses them.
 */
#include "builder/draw/svg.h"
#include "builder/support/diag.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"

#include <cairo-pdf.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define POINTS_AN_INCH 72

/* LIBRARY(name): the functions after it are its own. */
#define FUNCTIONS(LIBRARY, FUNCTION)                                                                                               \
	LIBRARY("librsvg-2.so.2")                                                                                                  \
	FUNCTION(rsvg_handle_new_from_data)                                                                                        \
	FUNCTION(rsvg_handle_set_dpi)                                                                                              \
	FUNCTION(rsvg_handle_get_intrinsic_size_in_pixels)                                                                         \
	FUNCTION(rsvg_handle_render_document)                                                                                      \
	LIBRARY("libcairo.so.2")                                                                                                   \
	FUNCTION(cairo_pdf_surface_create_for_stream)                                                                              \
	FUNCTION(cairo_pdf_surface_set_metadata)                                                                                   \
	FUNCTION(cairo_create)                                                                                                     \
	FUNCTION(cairo_destroy)                                                                                                    \
	FUNCTION(cairo_surface_finish)                                                                                             \
	FUNCTION(cairo_surface_status)                                                                                             \
	FUNCTION(cairo_surface_destroy)                                                                                            \
	FUNCTION(cairo_status_to_string)                                                                                           \
	LIBRARY("libgobject-2.0.so.0")                                                                                             \
	FUNCTION(g_object_unref)                                                                                                   \
	LIBRARY("libglib-2.0.so.0")                                                                                                \
	FUNCTION(g_error_free)

#define NOTHING(name)
#define MEMBER(name) __typeof__(name) *name##_;
static struct {
	FUNCTIONS(NOTHING, MEMBER)
} call;

/* They stay open until the builder ends. */
static const char *load(void)
{
	static bool is_loaded;
	void *library = NULL;
	if (is_loaded)
		return NULL;
#define OPEN(name)                                                                                                                 \
	if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) == NULL)                                                               \
		return dlerror();
#define FIND(name)                                                                                                                 \
	if ((call.name##_ = (__typeof__(name) *)dlsym(library, #name)) == NULL)                                                    \
		return dlerror();
	FUNCTIONS(OPEN, FIND)
	is_loaded = true;
	return NULL;
}

static cairo_status_t write_bytes(void *out, const unsigned char *bytes, unsigned n)
{
	return fwrite(bytes, 1, n, out) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void put_date(cairo_surface_t *surface, uint64_t date_ns)
{
	char text[32];
	time_t seconds = (time_t)(date_ns / 1000000000);
	struct tm date;
	if (gmtime_r(&seconds, &date) == NULL)
		return;
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
	call.cairo_pdf_surface_set_metadata_(surface, CAIRO_PDF_METADATA_CREATE_DATE, text);
}

/* Draws it as large as it says. NULL, or what is wrong; *failure is to be freed. */
static const char *draw(RsvgHandle *handle, FILE *out, uint64_t date_ns, GError **failure)
{
	RsvgRectangle page = {0, 0, 0, 0};
	call.rsvg_handle_set_dpi_(handle, POINTS_AN_INCH);
	if (!call.rsvg_handle_get_intrinsic_size_in_pixels_(handle, &page.width, &page.height))
		return "the picture has no size";
	cairo_surface_t *surface = call.cairo_pdf_surface_create_for_stream_(write_bytes, out, page.width, page.height);
	cairo_t *context = call.cairo_create_(surface);
	put_date(surface, date_ns);
	bool is_drawn = call.rsvg_handle_render_document_(handle, context, &page, failure);
	call.cairo_destroy_(context);
	call.cairo_surface_finish_(surface);
	cairo_status_t status = call.cairo_surface_status_(surface);
	call.cairo_surface_destroy_(surface);
	if (!is_drawn)
		return *failure != NULL ? (*failure)->message : "the picture cannot be drawn";
	/* A full disk is reported when the file is closed. */
	return status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR ? NULL : call.cairo_status_to_string_(status);
}

static int write_pdf(const struct picture_place *place, const char *file, const char *svg, size_t n_bytes)
{
	const char *why = load();
	GError *failure = NULL;
	if (why != NULL)
		return error("%s/%s: needs librsvg and cairo: %s", place->dir, file, why);
	RsvgHandle *handle = call.rsvg_handle_new_from_data_((const guint8 *)svg, n_bytes, &failure);
	FILE *out = handle != NULL ? file_open(place->dir, file) : NULL;
	if (handle == NULL)
		why = failure != NULL ? failure->message : "the picture cannot be read";
	else if (out != NULL)
		why = draw(handle, out, place->date_ns, &failure);
	int rc = why != NULL ? error("%s/%s: %s", place->dir, file, why) : out == NULL ? -1 : 0;
	if (out != NULL)
		rc |= file_close(out, place->dir, file);
	if (failure != NULL)
		call.g_error_free_(failure);
	if (handle != NULL)
		call.g_object_unref_(handle);
	return rc;
}

static int write_svg(const struct picture_place *place, const char *file, const char *svg, size_t n_bytes)
{
	FILE *out = file_open(place->dir, file);
	if (out == NULL)
		return -1;
	fwrite(svg, 1, n_bytes, out);
	return file_close(out, place->dir, file);
}

int picture_write(const struct picture_place *place, const char *name, const char *svg, size_t n_bytes)
{
	int rc = 0;
	for (unsigned format = PICTURE_SVG; format <= PICTURE_PDF; format <<= 1) {
		char *file = text_format("%s.%s", name, format == PICTURE_SVG ? "svg" : "pdf");
		if (place->formats & format)
			rc |= format == PICTURE_SVG ? write_svg(place, file, svg, n_bytes) : write_pdf(place, file, svg, n_bytes);
		free(file);
	}
	return rc;
}
