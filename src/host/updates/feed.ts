// Where updates come from, and which keys sign the feed. Both are part of the app's own files: no flag, variable or setting can
// send a user to another server.
import { createPublicKey, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { appRoot } from '../files.ts'

const FeedFile = z.object({
  /** The address of the feeds and of the files that they name; null for the releases of the repository. */
  url: z.string().nullable(),
  /** SPKI, base64. A feed has to be signed with one of them; a second one lets the key be replaced. */
  publicKeys: z.array(z.string()),
})

const Manifest = z.object({ repository: z.object({ url: z.string() }) })

export interface UpdateFeed {
  /** The address of the file that names the latest version. */
  channelUrl(channelFile: string): URL
  /** The address that the names of a version's files are relative to. */
  filesUrl(version: string): URL
  /** The page where a person downloads a version. */
  pageUrl(version: string): string
  publicKeys: readonly string[]
}

/** Reads the app's own `resources/update-feed.json` and `package.json`. */
export function readUpdateFeed(root = appRoot): UpdateFeed {
  const { url, publicKeys } = FeedFile.parse(readJson(join(root, 'resources/update-feed.json')))
  const { repository } = Manifest.parse(readJson(join(root, 'package.json')))
  const releases = `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/releases`
  const base = (fallback: string) => new URL(url ?? fallback)
  return {
    channelUrl: (file) => new URL(file, base(`${releases}/latest/download/`)),
    filesUrl: (version) => base(`${releases}/download/v${version}/`),
    pageUrl: (version) => `${releases}/tag/v${version}`,
    publicKeys,
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** The name of the file that names the latest version, as electron-builder writes it. */
export function channelFileName(platform: NodeJS.Platform, arch: string): string {
  if (platform === 'darwin') return 'latest-mac.yml'
  if (platform === 'win32') return 'latest.yml'
  return arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${arch}.yml`
}

/** The name of the file with the signature of another. */
export function signatureFileName(channelFile: string): string {
  return `${channelFile}.sig`
}

/** The private key (PKCS #8, base64) signs a feed. Returns the text of its signature file. */
export function signFeed(channelFile: string, text: string, privateKey: string): string {
  const key = { key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' } as const
  return `${sign(null, signedBytes(channelFile, text), key).toString('base64')}\n`
}

/** Whether one of the public keys has signed the feed. */
export function isFeedSigned(
  feed: { channelFile: string; text: string; signature: string },
  publicKeys: readonly string[],
): boolean {
  const signature = Buffer.from(feed.signature.trim(), 'base64')
  const bytes = signedBytes(feed.channelFile, feed.text)
  return publicKeys.some((key) => {
    const parsed = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    // Any other kind of key would be verified in its own way.
    return parsed.asymmetricKeyType === 'ed25519' && verify(null, bytes, parsed, signature)
  })
}

/** The signed bytes include the file's name, as the feed of another system or channel must not pass for this one. */
function signedBytes(channelFile: string, text: string): Buffer {
  return Buffer.from(`tollgate update feed\n${channelFile}\n${text}`)
}
