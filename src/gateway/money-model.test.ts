// Holds the gateway against a reference model of its ledger: random commands, and the books compared after each.
import { expect, test } from 'vitest'
import { runModel } from './testing/money/run.ts'

const STEPS = 2_000

test('whatever callers, providers, caps and crashes do, every charge is what the model says', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  expect(await runModel({ steps: STEPS, seed })).toBeGreaterThanOrEqual(STEPS)
}, 240_000)
