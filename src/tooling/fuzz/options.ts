// Owns what every fuzzing suite is told.

export interface FuzzOptions {
  count: number
  seed: number
  /** Runs this one case alone, and shows what is sent and said. */
  only: number | null
  atOnce: number
}
