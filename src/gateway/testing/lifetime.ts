// The lifetime of servers that tests start.
import { afterAll, afterEach, beforeEach, onTestFinished } from 'vitest'

interface Server {
  close(): Promise<unknown>
}

/** Closes it after the last test of the file. */
export async function forFile<T extends Server>(starting: Promise<T>): Promise<T> {
  const server = await starting
  afterAll(() => server.close())
  return server
}

/** Closes it after the running test, which must not be a concurrent one. */
export async function forTest<T extends Server>(starting: Promise<T>): Promise<T> {
  const server = await starting
  onTestFinished(async () => void (await server.close()))
  return server
}

/** Starts one for each test of the file. The result is that of the running test. */
export function forEachTest<T extends Server>(start: () => Promise<T>): T {
  let current: T | undefined
  beforeEach(async () => {
    current = await start()
  })
  afterEach(async () => {
    await current?.close()
    current = undefined
  })
  const running = () => {
    if (!current) throw new Error('no test is running')
    return current
  }
  return new Proxy({} as T, {
    get: (_, name) => {
      const value: unknown = Reflect.get(running(), name)
      // A method may need the object itself, for its private fields.
      return typeof value === 'function' ? value.bind(running()) : value
    },
    set: (_, name, value) => Reflect.set(running(), name, value),
  })
}
