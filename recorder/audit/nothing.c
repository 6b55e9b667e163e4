/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs of 32 bits below the launcher: under the names of the libraries that it preloads or lets audit, glibc's loader finds
 * this one there, instead of nothing, which it would report. It has and needs nothing, and withdraws as an auditing library.
 */
__attribute__((visibility("default"))) unsigned la_version(unsigned version);
unsigned la_version(unsigned version)
{
	(void)version;
	return 0;
}
