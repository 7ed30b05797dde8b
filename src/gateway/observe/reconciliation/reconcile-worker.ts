// The entry point of the thread that reads exports. It has one task, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { ExportError } from './table.ts'
import { runTask, type TaskResults, type WorkerTask } from './worker-task.ts'

export type WorkerAnswer<Result> = { result: Result } | { refused: string }

if (parentPort) parentPort.postMessage(answer(workerData))

function answer(task: WorkerTask): WorkerAnswer<TaskResults[WorkerTask['kind']]> {
  try {
    return { result: runTask(task) }
  } catch (error) {
    if (error instanceof ExportError) return { refused: error.message }
    throw error
  }
}
