// What the threads of the store run. The build has one file for them, and the role selects which.
import type { MessagePort } from 'node:worker_threads'
import { createLog, type Log } from '../../platform/log.ts'
import { reads, writes } from '../calls.ts'
import { attachParts, type Operations, type StorePart } from '../part.ts'
import { toStoreError } from '../sql/store-error.ts'
import { noteProgramVersion } from './backup.ts'
import { backupTasks } from './backup-tasks.ts'
import { openForReading } from './connection.ts'
import { openDatabase } from './open.ts'
import { type FromThread, runReads, serve, type ThreadData, Writer } from './worker-loop.ts'

/** Serves the port until it is closed, or runs one task. */
export async function runThread(
  port: MessagePort,
  data: ThreadData,
  parts: readonly StorePart[],
): Promise<void> {
  const { dataDir } = data
  const operations = listOperations(parts)
  const post = (message: FromThread) => port.postMessage(message)
  try {
    switch (data.role) {
      case 'writer': {
        const { db, restored } = openDatabase(dataDir, logTo(post), Date.now())
        if (data.version !== undefined) noteProgramVersion(db, data.version)
        attachParts(db, parts)
        serve(port, new Writer(db, { ...operations.reads, ...operations.writes }))
        post({ type: 'ready', restored })
        break
      }
      case 'reader': {
        const db = openForReading(dataDir)
        attachParts(db, parts)
        serve(port, { run: (calls) => runReads(db, operations.reads, calls), close: () => db.close() })
        post({ type: 'ready', restored: null })
        break
      }
      case 'backup': {
        const done = Reflect.apply(backupTasks[data.task], undefined, [dataDir, Date.now(), ...data.args])
        post({ type: 'done', value: await done })
        port.close()
      }
    }
  } catch (thrown) {
    const { code, message } = toStoreError(thrown)
    post({ type: 'refused', error: { code, message } })
    port.close()
  }
}

/** The operations of the core and of the parts of features. */
export function listOperations(parts: readonly StorePart[]): Record<'reads' | 'writes', Operations> {
  return {
    reads: Object.assign({}, reads, ...parts.map((part) => part.reads)),
    writes: Object.assign({}, writes, ...parts.map((part) => part.writes)),
  }
}

function logTo(post: (message: FromThread) => void): Log {
  return createLog({ write: (level, message, fields) => post({ type: 'log', level, message, fields }) })
}
