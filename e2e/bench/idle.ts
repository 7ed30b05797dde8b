// Conditions under which a view counts as completely painted.
import { setTimeout as pause } from 'node:timers/promises'
import { VIEWS } from '../../src/shared/desktop/views.ts'
import { OVERVIEW_PAINTED } from '../../src/tooling/bench/overview-painted.ts'
import type { View } from '../views.ts'
import type { Painted } from './stopwatch.ts'

/** A row of the log. */
export const row = 'table[aria-label=Requests] tr[data-row]'
const loading = '[role=status][aria-label=Loading]'

export const logPainted: Painted = { shown: [row], gone: [loading, '[role=listbox]'] }
export const overviewPainted: Painted = OVERVIEW_PAINTED

/** The view is shown, and nothing of what it shows first is still loading. */
export function viewPainted(view: View): Painted {
  const href = VIEWS.find(({ name }) => name === view)?.href ?? ''
  return {
    shown: [`nav a[aria-current=page][href^="${href}"]`, 'main h1'],
    gone: [loading],
  }
}

const SETTLE_MS = 400

/** Lets background work finish, so that it does not affect the next measurement. */
export const waitUntilIdle = () => pause(SETTLE_MS)
