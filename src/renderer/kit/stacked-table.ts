/** The classes of a table whose rows are grids in the narrowest windows, so that cells can stand below each other. */
export const stackedTable = 'max-sm:block max-sm:[&>tbody]:block max-sm:[&>thead]:block'

/** The classes of its head: the heads stand side by side, as they have no columns there. */
export const stackedHead = 'max-sm:flex max-sm:items-center max-sm:[&>th]:w-auto'
