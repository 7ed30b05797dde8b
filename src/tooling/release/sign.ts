// `npm run release:sign -- dist [--staging 20]`, with the private key in TOLLGATE_UPDATE_SIGNING_KEY.
// `npm run release:sign -- --new-key` makes a key pair, once.
import { generateKeyPairSync } from 'node:crypto'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { appVersion } from '../../host/files.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { root } from '../commands.ts'
import { readChangelog } from './check-version.ts'
import { ownPublicKeys, signFeeds } from './sign-feeds.ts'

const VARIABLE = 'TOLLGATE_UPDATE_SIGNING_KEY'

try {
  await run()
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { staging: { type: 'string' }, 'new-key': { type: 'boolean' } },
  })
  if (values['new-key']) return printNewKey()
  const privateKey = process.env[VARIABLE]
  if (!privateKey) throw new Error(`${VARIABLE} is not set.`)
  const names = await signFeeds({
    dir: resolve(positionals[0] ?? join(root, 'dist')),
    privateKey,
    publicKeys: ownPublicKeys(),
    changelog: readChangelog(),
    version: appVersion(),
    stagingPercentage: parsePercentage(values.staging),
  })
  process.stdout.write(`Signed ${names.join(', ')}\n`)
}

function parsePercentage(text: string | undefined): number | null {
  if (text === undefined) return null
  const percentage = Number(text)
  if (!Number.isInteger(percentage) || percentage < 1 || percentage > 100)
    throw new Error('--staging is a whole number of percent, from 1 to 100.')
  return percentage
}

function printNewKey(): void {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const print = (title: string, bytes: Buffer) =>
    process.stdout.write(`${title}\n${bytes.toString('base64')}\n\n`)
  print(
    `The private key, for the secret ${VARIABLE}. Keep it nowhere else:`,
    privateKey.export({ format: 'der', type: 'pkcs8' }),
  )
  print(
    'The public key, for "publicKeys" in resources/update-feed.json:',
    publicKey.export({ format: 'der', type: 'spki' }),
  )
}
