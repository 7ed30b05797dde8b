/** The exit codes of `tollgate`. `run` ends as the command that it ran, or with one of the shell's codes below. */
export const EXIT = {
  done: 0,
  failed: 1,
  badFlags: 2,
  dataDir: 3,
  portTaken: 4,
  oldNode: 5,
  notRunning: 6,
  cannotExecute: 126,
  commandNotFound: 127,
} as const
