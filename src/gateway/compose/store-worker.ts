// The entry point of all threads of the store, with the parts of features in it.
import { parentPort, workerData } from 'node:worker_threads'
import { activityRows } from '../../features/activity/gateway/activity-rows.ts'
import { runThread } from '../store/engine/worker.ts'
import type { StorePart } from '../store/sql/part.ts'

/** Without its line, the part of a feature is gone. */
export const storeParts: readonly StorePart[] = [activityRows]

if (parentPort) void runThread(parentPort, workerData, storeParts)
