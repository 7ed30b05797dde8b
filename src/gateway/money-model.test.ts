// Compares the gateway with a reference model of its ledger after each of many random commands.
import { expect, test } from 'vitest'
import { runModel } from './testing/money/run.ts'

/** `npm run test:long` takes more. */
const STEPS = 600

test("after random calls, failures, cap changes and crashes, every charge equals the model's", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  expect(await runModel({ steps: STEPS, seed })).toBeGreaterThanOrEqual(STEPS)
}, 120_000)
