// A process for the lock tests: takes the data dir, says so, and holds it until it is killed.
import { lockDataDir } from '../lock.ts'

const lock = lockDataDir(process.argv[2] ?? '', { pid: process.pid, startedAt: 1 })
lock.note({ baseUrl: 'http://127.0.0.1:8655' })
process.stdout.write('locked\n')
setInterval(() => {}, 60_000)
