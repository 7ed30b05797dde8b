// A process for the lock tests: locks the data dir, prints a line, and holds the lock until it is killed.
import { lockDataDir } from '../engine/lock.ts'

const lock = lockDataDir(process.argv[2] ?? '', { pid: process.pid, startedAt: 1 })
lock.note({ baseUrl: 'http://127.0.0.1:8655' })
process.stdout.write('locked\n')
setInterval(() => {}, 60_000)
