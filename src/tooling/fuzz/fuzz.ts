// `npm run fuzz -- requests|upstream`: long fuzzing runs. Exits with 1 when anything was found.
import { parseArgs } from 'node:util'
import { applySourceFlags } from '../../gateway/testing/source-flags.ts'
import { newSeed } from '../random.ts'
import type { Findings } from './findings.ts'
import type { FuzzOptions } from './options.ts'
import { fuzzRequests } from './requests.ts'
import { fuzzUpstream } from './upstream.ts'

applySourceFlags()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '100' },
  },
})

const suites: Record<string, (options: FuzzOptions) => Promise<Findings>> = {
  requests: fuzzRequests,
  upstream: fuzzUpstream,
}

const suite = suites[positionals[0] ?? '']
if (!suite) {
  console.error(
    `Usage: npm run fuzz -- ${Object.keys(suites).join('|')} [--count N] [--seed N] [--only CASE] [--at-once N]`,
  )
  process.exit(2)
}
const seed = values.seed === undefined ? newSeed() : Number(values.seed)
console.log(`seed ${seed}`)
const findings = await suite({
  count: Number(values.count),
  seed,
  only: values.only === undefined ? null : Number(values.only),
  atOnce: Number(values['at-once']),
})
console.log(`seed ${seed}; ${findings.formatEnds()}\n${findings.report()}`)
process.exit(findings.any ? 1 : 0)
