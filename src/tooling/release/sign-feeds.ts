// Completes and signs the feeds that electron-builder has written: `npm run release:sign -- dist [--staging 20]`.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'yaml'
import { readUpdateFeed, signatureFileName, signFeed } from '../../host/updates/feed.ts'
import { type FeedContent, parseFeed } from '../../host/updates/read-feed.ts'
import { findNotes } from '../../shared/desktop/changelog.ts'

interface SigningOptions {
  /** The folder with the files of the release. */
  dir: string
  /** The private key, PKCS #8, base64. */
  privateKey: string
  /** The keys of the app that this release updates. */
  publicKeys: readonly string[]
  changelog: string
  version: string
  /** To how many percent of the users it goes. */
  stagingPercentage: number | null
}

/** Returns the names of the feeds. Throws if a feed names a file that is not in the folder as the feed describes it. */
export async function signFeeds(options: SigningOptions): Promise<string[]> {
  const { dir, privateKey, publicKeys, changelog, version, stagingPercentage } = options
  if (!publicKeys.includes(derivePublicKey(privateKey)))
    throw new Error(
      'The signing key does not belong to a public key in resources/update-feed.json: no installed app would accept this release.',
    )
  const notes = findNotes(changelog, version)
  if (notes === null) throw new Error(`CHANGELOG.md says nothing about ${version}.`)
  const names = readdirSync(dir).filter((name) => /^latest(-[\w-]+)?\.yml$/.test(name))
  if (names.length === 0) throw new Error(`${dir} has no feed (latest*.yml). Run npm run dist first.`)
  for (const name of names) {
    const content = parseFeed(readFileSync(join(dir, name), 'utf8'))
    if (content.version !== version)
      throw new Error(`${name} is of version ${content.version}, and package.json of ${version}.`)
    await checkFiles(dir, name, content)
    const staging = stagingPercentage === null ? {} : { stagingPercentage }
    const text = stringify({ ...content, ...staging, releaseNotes: notes })
    writeFileSync(join(dir, name), text)
    writeFileSync(join(dir, signatureFileName(name)), signFeed(name, text, privateKey))
  }
  return names
}

/** The public key of the private one, as it is written in `resources/update-feed.json`. */
export function derivePublicKey(privateKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The signing key must be an Ed25519 key.')
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')
}

async function checkFiles(dir: string, name: string, { files }: FeedContent): Promise<void> {
  for (const { url, sha512, size } of files) {
    const path = join(dir, url)
    const hash = createHash('sha512')
    await pipeline(createReadStream(path), hash)
    if (statSync(path).size !== size || hash.digest('base64') !== sha512)
      throw new Error(`${url} is not the file that ${name} describes.`)
  }
}

/** The keys of the app in this repository. */
export const ownPublicKeys = () => readUpdateFeed().publicKeys
