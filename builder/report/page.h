/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page itself, which `make` puts together from page/ and the libraries that it uses: what comes before the data, and
 * what comes after. Read by report.c.
 */
#ifndef OTTER_BUILDER_REPORT_PAGE_H
#define OTTER_BUILDER_REPORT_PAGE_H

extern const char report_page_begin[], report_page_data[], report_page_end[];

#endif
