import { type Store, StoreError, type Writes } from '../store/store.ts'

export interface FailingStore {
  store: Store
  /** Makes these operations fail; all of them when none is named. */
  fail(...operations: (keyof Writes)[]): void
  /** Makes the n-th write from now on fail (from 1), and all after it if that is `lasting`. */
  failNth(n: number, lasting: boolean): void
  /** Whether a write has failed since they were last made to. */
  hasFailed(): boolean
  recover(): void
  /** Resolves when the next write of this operation has succeeded or failed. */
  written(operation: keyof Writes): Promise<void>
}

/** A real store whose writes can be made to fail, as with a full disk. */
export function createFailingStore(real: Store): FailingStore {
  let fails: (operation: keyof Writes) => boolean = () => false
  let failed = false
  const listeners = new Set<(operation: keyof Writes) => void>()
  const write: Store['write'] = async (operation, ...args) => {
    try {
      if (fails(operation)) {
        failed = true
        throw new StoreError('full', 'database or disk is full')
      }
      return await real.write(operation, ...args)
    } finally {
      for (const listener of listeners) listener(operation)
    }
  }
  return {
    store: { ...real, write, writeSoon: write },
    fail(...operations) {
      fails = (operation) => operations.length === 0 || operations.includes(operation)
    },
    failNth(n, lasting) {
      let writes = 0
      failed = false
      fails = () => {
        writes += 1
        return lasting ? writes >= n : writes === n
      }
    },
    hasFailed: () => failed,
    recover() {
      fails = () => false
    },
    written(operation) {
      return new Promise((resolve) => {
        const listener = (answered: keyof Writes) => {
          if (answered !== operation) return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
      })
    },
  }
}
