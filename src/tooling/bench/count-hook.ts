// Loaded before the program whose requests are counted (`node --import`). At SIGUSR2 it writes what the main thread has created so
// far to the file in COUNTS_FILE: promises, or, in a run of its own because counting allocates memory, bytes of its heap.
import { createHook } from 'node:async_hooks'
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const { COUNTS_FILE: file, COUNTS_OF: counted } = process.env
if (isMainThread && file !== undefined) {
  let promises = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises += 1
    },
  })
  if (counted === 'promises') hook.enable()
  process.on('SIGUSR2', () => {
    writeFileSync(file, String(counted === 'promises' ? promises : process.memoryUsage().heapUsed))
  })
}
