// Data folders of released versions, recorded by `src/tooling/releases/record.ts`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

export const releasesDir = resolve(import.meta.dirname, '../fixtures/releases')

export interface ReleaseKey {
  id: string
  secret: string
}

export interface ReleaseFacts {
  version: string
  commit: string
  recordedAt: number
  /** The secret of its admin key. */
  admin: string
  keys: Record<'roomy' | 'tight' | 'spent' | 'uncapped' | 'revoked', ReleaseKey>
  /** Sent by the roomy key with the `Idempotency-Key` `order-1`. */
  idempotent: { body: string; answer: string }
  /** A request whose prompt and answer are stored. */
  stored: { id: string }
  /** The request that ran when the program was killed. */
  runningId: string
  /** The release's own answers after a restart. */
  said: {
    keys: {
      id: string
      name: string
      spendUsd: number
      spendLimitUsd: number | null
      revokedAt: string | null
    }[]
    account: { spendUsd: number; monthSpendUsd: number; monthlyLimitUsd: number | null }
    requests: { id: string; status: string; costUsd: number | null; costStatus: string; keyId: string }[]
    byModel: { group: string; requests: number; costUsd: number }[]
    byDay: { group: string; requests: number; costUsd: number }[]
  }
}

interface DataFile {
  name: string
  bytes: Uint8Array
}

export function releaseNames(): string[] {
  return readdirSync(releasesDir)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
}

export function packRelease(name: string, facts: ReleaseFacts, files: readonly DataFile[]): void {
  mkdirSync(releasesDir, { recursive: true })
  const packed = files.map((file) => [file.name, Buffer.from(file.bytes).toString('base64')])
  writeFileSync(join(releasesDir, `${name}.json`), `${JSON.stringify(facts, null, 1)}\n`)
  writeFileSync(join(releasesDir, `${name}.br`), brotliCompressSync(JSON.stringify(packed)))
}

export function getFacts(name: string): ReleaseFacts {
  const facts: ReleaseFacts = JSON.parse(readFileSync(join(releasesDir, `${name}.json`), 'utf8'))
  return facts
}

/** Writes the files of the release's data folder. */
export function unpackRelease(name: string, dataDir: string): void {
  const packed: [string, string][] = JSON.parse(
    brotliDecompressSync(readFileSync(join(releasesDir, `${name}.br`))).toString('utf8'),
  )
  for (const [file, bytes] of packed)
    writeFileSync(join(dataDir, file), Buffer.from(bytes, 'base64'), { mode: 0o600 })
}
