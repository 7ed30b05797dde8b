/** The spend cap that a new key starts from, wherever it is created. The user can change it, or clear the field for none. */
export const DEFAULT_CAP_USD = 5
