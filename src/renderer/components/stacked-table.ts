/** On a table: in the narrowest windows its rows are grids, so that cells can stand below each other. */
export const stackedTable = 'max-sm:block max-sm:[&>tbody]:block max-sm:[&>thead]:block'

/** On the row of its head: the heads stand side by side, as they have no columns there. */
export const stackedHead = 'max-sm:flex max-sm:items-center max-sm:[&>th]:w-auto'
