import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageScript, root, runNode } from '../commands.ts'

/** Runs the property tests `rounds` times, each with a new seed. Returns whether all passed. */
export async function fuzzProperties(seed: number, rounds: number): Promise<boolean> {
  const args = ['run', '--config', 'src/tooling/vitest.config.ts', '--reporter=dot', ...propertyTests()]
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

function propertyTests(): string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  return files
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('tooling'))
    .map((path) => join('src', path))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'"))
}
