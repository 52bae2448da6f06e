/* SPDX-License-Identifier: ISC */
/* images.c - which of the images that the user gives belong to which profiles. */
#include "src/dcpi/images.h"

#define PATHS_MAX ((size_t)100) /* bytes of paths in a message */
#define ID_SHOWN 40 /* bytes of an id in a message */

void
dcpi_images_free(struct dcpi_images *m)
{
	tab_free(&m->ids);
	buf_free(&m->paths);
}

static bool
has_name(const struct header *h, struct slice name)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		if (h->line[i].known == WORD_PATH &&
		    slice_eq(slice_base(dcpi_header_value(h, i)), name))
			return true;
	return false;
}

/* Adds the path of an image to those in messages, or else its id. */
static bool
add_path(struct dcpi_images *m, struct slice id, const struct header *h)
{
	char shown[HEADER_SHOWN];
	struct slice path = dcpi_header_get(h, WORD_PATH);
	bool more = m->paths.len < PATHS_MAX;

	if (!more && slice_ends(buf_slice(&m->paths), SLICE(", ...")))
		return true;
	dcpi_header_shown(shown, path.len != 0 ? path : id);
	return (m->paths.len == 0 || buf_puts(&m->paths, ", ")) &&
	    buf_puts(&m->paths, more ? shown : "...");
}

int
dcpi_images_see(struct dcpi_images *m, struct slice id, const struct header *h, struct err *e)
{
	bool fresh;
	size_t number = tab_add(&m->ids, id, &fresh), i;

	if (number == TAB_NONE || (fresh && !add_path(m, id, h)))
		return err_nomem(e);
	for (i = 0; i < m->count; i++) {
		struct dcpi_names *n = &m->names[i];

		if (!has_name(h, slice_base(slice_of(n->path))))
			continue;
		if (n->id.p == NULL) {
			n->id = m->ids.item[number];
			n->late = !fresh && !m->surveying;
		} else if (!slice_eq(n->id, id)) {
			n->other = m->ids.item[number];
		}
	}
	return 0;
}

void
dcpi_images_settle(struct dcpi_images *m)
{
	if (m->count == 1 && m->ids.count == 1)
		m->names[0].id = m->ids.item[0];
}

struct dcpi_names *
dcpi_images_find(const struct dcpi_images *m, struct slice id)
{
	size_t i;

	for (i = 0; i < m->count; i++) {
		struct dcpi_names *n = &m->names[i];

		if (n->id.p != NULL && n->other.p == NULL && slice_eq(n->id, id))
			return n;
	}
	return NULL;
}

int
dcpi_images_check(const struct dcpi_images *m, size_t i, struct err *e)
{
	const struct dcpi_names *n = &m->names[i];

	if (n->other.p != NULL)
		return err_data(e,
		    "the profiles have two images with this name, %.*s and %.*s: give the profiles "
		    "of one of them",
		    slice_shown(n->id, ID_SHOWN), n->id.p, slice_shown(n->other, ID_SHOWN),
		    n->other.p);
	if (n->id.p == NULL && m->ids.count != 0)
		return err_data(e,
		    "no profile is of an image with this name, but of %.*s: give the file such a "
		    "name, or only the profiles of its image",
		    (int)m->paths.len, m->paths.p);
	if (n->late)
		return err_data(e,
		    "the first profiles of this image lack its path, so they were read without "
		    "names: put the input into a file");
	return 0;
}

size_t
dcpi_images_nameless(const struct dcpi_images *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->ids.count; i++)
		n += dcpi_images_find(m, m->ids.item[i]) == NULL;
	return n;
}
