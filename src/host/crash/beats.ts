// How the main thread shows another that it is not stuck: it adds one to a number in shared memory with each period.

/** The number when the main thread ends. */
export const ENDED = -1

export interface Heartbeat {
  beats: Int32Array
  end(): void
}

export function startBeating(periodMs: number): Heartbeat {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const timer = setInterval(() => Atomics.add(beats, 0, 1), periodMs).unref()
  return {
    beats,
    end() {
      clearInterval(timer)
      Atomics.store(beats, 0, ENDED)
    },
  }
}
