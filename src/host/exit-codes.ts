/** The exit codes of `tollgate`. */
export const EXIT = { done: 0, failed: 1, badFlags: 2, dataDir: 3, portTaken: 4, oldNode: 5 } as const
