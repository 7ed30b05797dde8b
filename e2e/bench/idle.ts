// Conditions under which a view counts as completely painted.
import { setTimeout as pause } from 'node:timers/promises'
import { OVERVIEW_PAINTED } from '../../src/tooling/bench/overview-painted.ts'
import type { Painted } from './stopwatch.ts'

/** A row of the log. */
export const row = '[role=table][aria-label=Requests] [data-id]'
const loading = '[role=status][aria-label=Loading]'

export const logPainted: Painted = { shown: [row], gone: [loading, '[role=listbox]'] }
export const overviewPainted: Painted = OVERVIEW_PAINTED

const SETTLE_MS = 400

/** Lets background work finish, so that it does not affect the next measurement. */
export const waitUntilIdle = () => pause(SETTLE_MS)
