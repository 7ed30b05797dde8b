import type { TimedPart } from './answer-stream.ts'

/** The longest wait for an animation frame; a hidden window has none. */
const MAX_WAIT_MS = 250
/** After this long without a pause, reading lets the window handle input. */
const MAX_READ_MS = 8

/**
 * Collects the parts of a stream and applies them at most once per animation frame, and for at most half of the time: the
 * next batch waits for as long as the window took to show the last one.
 */
export class PartBatch {
  #parts: TimedPart[] = []
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #notBefore = 0
  readonly #apply: (parts: readonly TimedPart[]) => void

  constructor(apply: (parts: readonly TimedPart[]) => void) {
    this.#apply = apply
  }

  add(part: TimedPart): void {
    this.#parts.push(part)
    if (this.#timer === undefined) this.#schedule()
  }

  /** Applies what was collected now. */
  flush(): void {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
    this.#timer = undefined
    const parts = this.#parts
    this.#parts = []
    if (parts.length > 0) this.#apply(parts)
  }

  #schedule(): void {
    this.#frame = requestAnimationFrame(this.#onFrame)
    this.#timer = setTimeout(() => this.flush(), MAX_WAIT_MS)
  }

  readonly #onFrame = (): void => {
    const start = performance.now()
    if (start < this.#notBefore) {
      this.#frame = requestAnimationFrame(this.#onFrame)
      return
    }
    this.flush()
    // React renders at the end of this task.
    setTimeout(() => {
      const end = performance.now()
      this.#notBefore = end + (end - start)
    })
  }
}

/**
 * Returns a function that pauses reading for a moment when it has taken long, for example when many parts arrived together.
 */
export function createPause(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < MAX_READ_MS) return undefined
    return new Promise((resume) =>
      setTimeout(() => {
        since = performance.now()
        resume()
      }),
    )
  }
}
