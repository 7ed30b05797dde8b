// `npm run fuzz -- requests|upstream|properties`: long fuzzing runs. Exits with 1 when anything was found.
import { parseArgs } from 'node:util'
import { newSeed } from '../../gateway/testing/random.ts'
import { applySourceFlags } from '../../gateway/testing/source-flags.ts'
import type { Findings } from '../findings.ts'
import type { FuzzOptions } from './options.ts'
import { fuzzProperties } from './properties.ts'
import { fuzzRequests } from './requests.ts'
import { fuzzUpstream } from './upstream.ts'

applySourceFlags()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '100' },
  },
})

const suites: Record<string, (options: FuzzOptions) => Promise<Findings>> = {
  requests: fuzzRequests,
  upstream: fuzzUpstream,
}

const DEFAULT_CASES = 10_000
const DEFAULT_ROUNDS = 10
const count = values.count === undefined ? null : Number(values.count)
const seed = values.seed === undefined ? newSeed() : Number(values.seed)
if (positionals[0] === 'properties') {
  console.log(`seed ${seed}`)
  process.exit((await fuzzProperties(seed, count ?? DEFAULT_ROUNDS)) ? 0 : 1)
}

const suite = suites[positionals[0] ?? '']
if (!suite) {
  console.error(
    `Usage: npm run fuzz -- ${[...Object.keys(suites), 'properties'].join('|')} [--count N] [--seed N] [--only CASE] [--at-once N]`,
  )
  process.exit(2)
}
console.log(`seed ${seed}`)
const findings = await suite({
  count: count ?? DEFAULT_CASES,
  seed,
  only: values.only === undefined ? null : Number(values.only),
  atOnce: Number(values['at-once']),
})
console.log(`seed ${seed}; ${findings.formatCounts()}\n${findings.report()}`)
process.exit(findings.any ? 1 : 0)
