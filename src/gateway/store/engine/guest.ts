// Other modules that run in the writer's thread, which has time when the main thread hangs.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Guest } from './messages.ts'

const require = createRequire(import.meta.url)

/** Calls the function `run` of the module. */
export function runGuest({ module, data }: Guest): void {
  const { run }: { run(data: unknown): void } = require(fileURLToPath(module))
  run(data)
}
