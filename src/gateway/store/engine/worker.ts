// The entry point of all threads of the store: the build has one file for them, and the role selects what it runs.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createLog, type Log } from '../../platform/log.ts'
import { combined, reads, writes } from '../calls.ts'
import { runBackupTask } from './backup-tasks.ts'
import { connectReader } from './connection.ts'
import { databasePath } from './files.ts'
import { noteProgramVersion } from './newer-data.ts'
import { openDatabase } from './open.ts'
import { toStoreError } from './store-error.ts'
import { type FromThread, serveReads, serveWrites, type ThreadData } from './worker-loop.ts'

if (parentPort) void start(parentPort, workerData)

async function start(port: MessagePort, data: ThreadData): Promise<void> {
  const { dataDir } = data
  const post = (message: FromThread) => port.postMessage(message)
  try {
    switch (data.role) {
      case 'writer': {
        const { db, restored } = openDatabase(dataDir, logTo(post), Date.now())
        if (data.version !== undefined) noteProgramVersion(db, data.version)
        serveWrites(port, db, { single: { ...reads, ...writes }, combined })
        post({ type: 'ready', restored })
        break
      }
      case 'reader':
        serveReads(port, () => connectReader(databasePath(dataDir)), reads)
        post({ type: 'ready', restored: null })
        break
      case 'backup':
        post({ type: 'done', value: await runBackupTask(dataDir, data.task, Date.now()) })
        port.close()
    }
  } catch (thrown) {
    const { code, message } = toStoreError(thrown)
    post({ type: 'refused', error: { code, message } })
    port.close()
  }
}

function logTo(post: (message: FromThread) => void): Log {
  return createLog({ write: (level, message, fields) => post({ type: 'log', level, message, fields }) })
}
