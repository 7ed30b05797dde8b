// `npm run test:model`: the money model for longer than the tests run it.
import { parseArgs } from 'node:util'
import { runModel } from '../../gateway/testing/money/run.ts'
import { newSeed } from '../../gateway/testing/random.ts'
import { applySourceFlags } from '../../gateway/testing/source-flags.ts'

applySourceFlags()
const { values } = parseArgs({
  options: { steps: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})
const seed = values.seed === undefined ? newSeed() : Number(values.seed)
console.log(`seed ${seed}`)
const startedAt = performance.now()
let reportedAt = 0
const steps = await runModel({
  steps: Number(values.steps),
  seed,
  progress(done) {
    if (done - reportedAt < 1_000) return
    reportedAt = done
    const rate = done / ((performance.now() - startedAt) / 1000)
    console.error(`${done} steps, ${rate.toFixed(0)} a second`)
  },
})
console.log(`${steps} steps, all as the model predicts`)
process.exit(0)
