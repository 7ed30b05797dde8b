// Compares the gateway with a reference model of its ledger after each of many random commands.
import { expect, test } from 'vitest'
import { runModel } from './testing/money/run.ts'

const STEPS = 600
/** The same commands in each run. `npm run test:model` draws others, as many as wanted. */
const SEED = 20_261_122

test("after random calls, failures, cap changes and crashes, every charge equals the model's", async () => {
  expect(await runModel({ steps: STEPS, seed: SEED })).toBeGreaterThanOrEqual(STEPS)
}, 120_000)
