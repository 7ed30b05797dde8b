// Checks JSON values with the TypeScript compiler: every required member must be there, no literal may be another than those of
// the type, and no member may be there that the type does not have.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { WireTypes } from './wire-types.ts'

const root = resolve(import.meta.dirname, '../../..')
const COMPILER = join(root, 'node_modules/typescript/bin/tsc')
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const run = promisify(execFile)

export interface Sample {
  /** Named in the errors. */
  from: string
  type: keyof WireTypes
  value: unknown
}

const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'esnext',
    module: 'nodenext',
    allowImportingTsExtensions: true,
    types: ['node'],
  },
  files: ['samples.ts'],
}

export interface SampleError {
  /** Null for an error that is about no sample. */
  sample: Sample | null
  text: string
}

/** The compiler's errors. One call for many samples is faster, as the compiler reads the vendors' types each time. */
export async function findTypeErrors(samples: readonly Sample[]): Promise<SampleError[]> {
  const cache = join(root, '.cache')
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'samples-'))
  try {
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(OPTIONS))
    writeFileSync(
      join(dir, 'samples.ts'),
      [
        "import type { WireTypes } from '../../src/contract/testing/wire-types.ts'",
        ...samples.map(
          ({ type, value }, at) =>
            `export const s${at}: WireTypes[${JSON.stringify(type)}] = ${JSON.stringify(value)}`,
        ),
      ].join('\n'),
    )
    return (await compile(dir)).map((error) => describe(error, samples))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The first line of each error and of its explanation. */
async function compile(dir: string): Promise<string[]> {
  // The compiler exits with an error code when it reports errors.
  const { stdout } = await run(process.execPath, [COMPILER, '-p', dir, '--pretty', 'false'], {
    cwd: dir,
    maxBuffer: MAX_OUTPUT_BYTES,
  }).catch((error: { stdout: string }) => error)
  const lines = stdout.split('\n')
  const errors: string[] = []
  for (const line of lines) {
    if (/^\s/.test(line)) errors.push(`${errors.pop() ?? ''}\n${line}`)
    else if (line !== '') errors.push(line)
  }
  return errors
}

/** The first sample is in the second line of the file. */
function describe(error: string, samples: readonly Sample[]): SampleError {
  const [, line = ''] = /^samples\.ts\((\d+),/.exec(error) ?? []
  const sample = samples[Number(line) - 2]
  if (!sample) return { sample: null, text: error }
  const value = JSON.stringify(sample.value).slice(0, 1000)
  return { sample, text: `${sample.type} from ${sample.from}: ${error}\n${value}` }
}
