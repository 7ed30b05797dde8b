// How a thread shows another that it is not stuck: it adds one to a number in shared memory with each period.

/** The number when the thread ends in order. */
const ENDED = -1

export interface Heartbeat {
  beats: Int32Array
  end(): void
}

export function startBeating(periodMs: number, beats = new Int32Array(new SharedArrayBuffer(4))): Heartbeat {
  const timer = setInterval(() => Atomics.add(beats, 0, 1), periodMs).unref()
  return {
    beats,
    end() {
      clearInterval(timer)
      Atomics.store(beats, 0, ENDED)
    },
  }
}

export interface BeatTimes {
  beatMs: number
  /** The time without a beat that counts as a hang. */
  hangMs: number
}

interface BeatListener {
  onBeat?(): void
  onHang(): void
  /** `afterMs`: the time since the last beat before the hang. */
  onRecovery(afterMs: number): void
}

/** Watches the beats of another thread until they end, or the returned function is called. */
export function watchBeats(
  beats: Int32Array,
  { beatMs, hangMs }: BeatTimes,
  { onBeat, onHang, onRecovery }: BeatListener,
): () => void {
  let last = Atomics.load(beats, 0)
  let aliveAt = performance.now()
  let lookedAt = aliveAt
  let isHanging = false
  const timer = setInterval(() => {
    const now = performance.now()
    const beat = Atomics.load(beats, 0)
    // A computer that slept stops both threads, and a long task this one: what counts is only the time during which it ran.
    const slept = now - lookedAt > 3 * beatMs
    lookedAt = now
    if (beat === ENDED) clearInterval(timer)
    else if (beat !== last) {
      if (isHanging) onRecovery(now - aliveAt)
      isHanging = false
      last = beat
      aliveAt = now
      onBeat?.()
    } else if (slept && !isHanging) {
      aliveAt = now
    } else if (!isHanging && now - aliveAt >= hangMs) {
      isHanging = true
      onHang()
    }
  }, beatMs).unref()
  return () => clearInterval(timer)
}
