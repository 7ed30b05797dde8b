// Owns when a view is all there, in terms of its page.
import { setTimeout as pause } from 'node:timers/promises'
import type { Painted } from './stopwatch.ts'

/** A row of the log. */
export const row = '[role=table][aria-label=Requests] [data-id]'
const loading = '[role=status][aria-label=Loading]'

export const logPainted: Painted = { shown: [row], gone: [loading, '[role=listbox]'] }
export const overviewPainted: Painted = {
  shown: ['figure[aria-label="Spend over time"] rect[data-layer]'],
  gone: ['.animate-pulse[aria-hidden]', loading],
}

const REST_MS = 400

/** What was set going is not part of the next measurement. */
export const rest = () => pause(REST_MS)
