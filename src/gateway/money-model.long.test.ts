// As money-model.test.ts, with more commands.
import { expect, test } from 'vitest'
import { runModel } from './testing/money/run.ts'

const STEPS = 3_000

test("after random calls, failures, cap changes and crashes, every charge equals the model's", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  expect(await runModel({ steps: STEPS, seed })).toBeGreaterThanOrEqual(STEPS)
}, 600_000)
