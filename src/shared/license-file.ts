// The file with the licenses of what is shipped, which the build writes beside the window.

export const LICENSES_FILE = 'licenses.txt'

/** Around the packages of a text. No license contains such a line. */
export const LICENSES_RULE = '='.repeat(80)
