/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What eslint finds in the page's JavaScript. tests/lint/page.sh runs it: its NODE_PATH says where the modules are, which
 * only a CommonJS file follows.
 */
const { configs } = require('@eslint/js');

/* What the page uses of a browser. */
const BROWSER = [
	'Blob',
	'DecompressionStream',
	'DOMPoint',
	'Event',
	'MouseEvent',
	'Path2D',
	'ResizeObserver',
	'Response',
	'addEventListener',
	'atob',
	'console',
	'devicePixelRatio',
	'document',
	'getComputedStyle',
	'innerHeight',
	'innerWidth',
	'location',
	'matchMedia',
	'performance',
	'requestAnimationFrame',
	'setTimeout',
];

module.exports = [
	configs.recommended,
	{
		files: ['**/*.js'],
		languageOptions: {
			ecmaVersion: 2022,
			sourceType: 'module',
			globals: Object.fromEntries(BROWSER.map(name => [name, 'readonly'])),
		},
		linterOptions: { reportUnusedDisableDirectives: 'error' },
		rules: {
			complexity: ['error', 10],
			eqeqeq: 'error',
			'max-lines': ['error', 400],
			'max-lines-per-function': ['error', { max: 60, skipComments: true }],
			'no-unused-vars': ['error', { argsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' }],
			'no-var': 'error',
			'one-var': ['error', 'never'],
			'prefer-const': 'error',
			'prefer-template': 'error',
		},
	},
];
