// The packages in `node_modules` are the ordinary code: sources, their types, licenses, documentation, checksums and minified files.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSecrets } from './find-secrets.ts'

const CORPUS_BYTES = 50_000_000
const MOST_FILE_BYTES = 4_000_000
const READ = /\.(?:[cm]?[jt]s|json|md|css|html|txt|map)$/

function readCorpus(dir: string): Buffer[] {
  const files: Buffer[] = []
  let bytes = 0
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (bytes >= CORPUS_BYTES) break
    if (!entry.isFile() || !READ.test(path) || statSync(path).size > MOST_FILE_BYTES) continue
    const file = readFileSync(path)
    files.push(file)
    bytes += file.length
  }
  return files
}

test('no secret is found in 50 MB of ordinary code, and 100 kB take at most a millisecond of processor time', () => {
  const corpus = readCorpus('node_modules')
  const bytes = corpus.reduce((sum, { length }) => sum + length, 0)
  expect(bytes).toBeGreaterThan(CORPUS_BYTES)
  expect(corpus.flatMap((file) => findSecrets(file).map(({ kind }) => kind))).toEqual([])
  const whole = Buffer.from(JSON.stringify(Buffer.concat(corpus).toString()))
  const before = process.cpuUsage()
  findSecrets(whole)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000 / (whole.length / 100_000)).toBeLessThan(1)
})
