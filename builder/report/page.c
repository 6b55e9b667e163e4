/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of the page as bytes of the executable: see page.h. REPORT_PAGE is their folder, which the Makefile names.
 */
#include "builder/report/page.h"

__asm__(".pushsection .rodata\n"
	".hidden report_page_begin, report_page_data, report_page_end\n"
	".global report_page_begin, report_page_data, report_page_end\n"
	"report_page_begin: .incbin \"" REPORT_PAGE "/head.html\"\n"
	"report_page_data: .incbin \"" REPORT_PAGE "/tail.html\"\n"
	"report_page_end: .byte 0\n"
	".popsection\n");
