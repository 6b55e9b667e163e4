/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The elements of GraphML, by libxml2: see graphml.h.
 */
#include "builder/graphml/graphml.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <libxml/xmlwriter.h>
#include <stdlib.h>

static const xmlChar *xml(const char *text)
{
	return (const xmlChar *)text;
}

void graphml_attribute(xmlTextWriterPtr out, const char *name, const char *value)
{
	xmlTextWriterWriteAttribute(out, xml(name), xml(value));
}

void graphml_begin(xmlTextWriterPtr out, const char *element, const char *name, const char *value)
{
	xmlTextWriterWriteString(out, xml("\n"));
	xmlTextWriterStartElement(out, xml(element));
	if (name != NULL)
		graphml_attribute(out, name, value);
}

void graphml_end(xmlTextWriterPtr out)
{
	xmlTextWriterEndElement(out);
}

static void put_key_name(xmlTextWriterPtr out, const char *attribute, bool is_node, const char *column)
{
	char *id = text_format("%s_%s", is_node ? "n" : "e", column);
	graphml_attribute(out, attribute, id);
	free(id);
}

void graphml_key(xmlTextWriterPtr out, bool is_node, const char *column, bool is_number)
{
	graphml_begin(out, "key", NULL, NULL);
	put_key_name(out, "id", is_node, column);
	graphml_attribute(out, "for", is_node ? "node" : "edge");
	graphml_attribute(out, "attr.name", column);
	graphml_attribute(out, "attr.type", is_number ? "long" : "string");
	graphml_end(out);
}

/* Bytes that are not valid in XML, such as control characters, become \xHH. */
void graphml_value(xmlTextWriterPtr out, bool is_node, const char *column, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	char *text = text_utf8(value);
	xmlTextWriterStartElement(out, xml("data"));
	put_key_name(out, "key", is_node, column);
	xmlTextWriterWriteString(out, xml(text));
	graphml_end(out);
	free(text);
}
