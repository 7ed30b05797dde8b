/**
 * Milliseconds of a clock that all processes of the machine share, so that one process can compute how long ago another
 * one sent something.
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
