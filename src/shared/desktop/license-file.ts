// The file with the licenses of shipped packages, which the build writes next to the window.

export const LICENSES_FILE = 'licenses.txt'

/** Around the packages of a text. No license contains such a line. */
export const LICENSES_RULE = '='.repeat(80)
