// `npm run fuzz -- requests|upstream|properties`: long fuzzing runs. Exits with 1 when anything was found.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { newSeed } from '../../gateway/testing/random.ts'
import { applySourceFlags } from '../../gateway/testing/source-flags.ts'
import { packageScript, root, runNode } from '../commands.ts'
import { fuzzProgram, type StartSuite } from './program.ts'
import { startRequests } from './requests.ts'
import { startUpstream } from './upstream.ts'

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

const suites: Readonly<Record<string, StartSuite>> = { requests: startRequests, upstream: startUpstream }
const DEFAULT_CASES = 10_000
const DEFAULT_ROUNDS = 10
const seed = values.seed === undefined ? newSeed() : Number(values.seed)
const [name = ''] = positionals
const suite = suites[name]
if (name !== 'properties' && !suite) {
  const names = [...Object.keys(suites), 'properties'].join('|')
  console.error(`Usage: npm run fuzz -- ${names} [--count N] [--seed N] [--only CASE] [--at-once N]`)
  process.exit(2)
}
console.log(`seed ${seed}`)
if (!suite) process.exit((await fuzzProperties(Number(values.count ?? DEFAULT_ROUNDS))) ? 0 : 1)
const findings = await fuzzProgram(suite, {
  count: Number(values.count ?? DEFAULT_CASES),
  seed,
  only: values.only === undefined ? null : Number(values.only),
  atOnce: Number(values['at-once']),
})
console.log(`seed ${seed}; ${findings.formatCounts()}\n${findings.report()}`)
process.exit(findings.any ? 1 : 0)

/** Runs the property tests several times, each with a new seed. Returns whether all passed. */
async function fuzzProperties(rounds: number): Promise<boolean> {
  const tests = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('tooling'))
    .map((path) => join('src', path))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'"))
  const args = ['run', '--config', 'src/tooling/vitest.config.ts', '--reporter=dot', ...tests]
  for (let round = 0; round < rounds; round++) {
    const drawn = seed + round
    const env = { ...process.env, TOLLGATE_TEST_SEED: String(drawn) }
    const { code } = await runNode(packageScript('vitest'), args, { env })
    if (code === 0) continue
    console.log(`npm run fuzz -- properties --count 1 --seed ${drawn}`)
    return false
  }
  return true
}
