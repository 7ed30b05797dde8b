import { EventEmitter } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import '../../compose/store-worker.ts'
import type { StoreWorker } from '../engine/thread.ts'
import type { FromThread, ThreadData } from '../engine/worker.ts'
import { runThread } from '../engine/worker.ts'

/**
 * Runs a thread of the store in the thread of the test: the same code, messages and database. Starting a thread takes longer than
 * all the rest of a gateway.
 */
export function startInSameThread(data: ThreadData): StoreWorker {
  const { port1, port2 } = new MessageChannel()
  const worker = Object.assign(new EventEmitter(), { postMessage: port1.postMessage.bind(port1) })
  port1.on('message', (message: FromThread) => worker.emit('message', message))
  port1.on('close', () => worker.emit('exit', 0))
  void runThread(port2, data)
  return worker
}
