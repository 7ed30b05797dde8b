export interface FuzzOptions {
  count: number
  seed: number
  /** Runs only this case, and prints what is sent and received. */
  only: number | null
  atOnce: number
}
