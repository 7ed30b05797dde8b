// Owns the order of changes that must not overlap: each begins when the one before has ended, however it ended.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Resolves when all that was asked before is done. */
  async idle(): Promise<void> {
    await this.#last
  }
}
