// An update server on this machine, with its own key.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { stringify } from 'yaml'
import { listen } from '../../gateway/testing/listen.ts'
import { channelFileName, signatureFileName, signFeed, type UpdateFeed } from '../updates/feed.ts'

export interface UpdateServer {
  /** As the app would read it from its own files. */
  feed: UpdateFeed
  url: string
  /** The paths that were asked for. */
  requests: string[]
  privateKey: string
  publicKey: string
  /** Serves a version whose files have these contents, signed. */
  release(version: string, files: Readonly<Record<string, Buffer>>, more?: object): void
  /** Serves other bytes at a path, or nothing. */
  replace(path: string, bytes: Buffer | string | null): void
  text(path: string): string
  close(): Promise<void>
}

/** The name of the feed on this machine. */
export const CHANNEL_FILE = channelFileName(process.platform, process.arch)
export const SIGNATURE_FILE = signatureFileName(CHANNEL_FILE)

export async function startUpdateServer(): Promise<UpdateServer> {
  const keys = generateKeyPairSync('ed25519')
  const privateKey = keys.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const served = new Map<string, Buffer>()
  const requests: string[] = []
  const server = createServer(({ url = '' }, response) => {
    const path = new URL(url, 'http://localhost').pathname.slice(1)
    requests.push(path)
    const bytes = served.get(path)
    response.writeHead(bytes ? 200 : 404, bytes ? { 'content-length': bytes.length } : {}).end(bytes)
  })
  const url = `http://127.0.0.1:${await listen(server)}/`
  const replace: UpdateServer['replace'] = (path, bytes) =>
    void (bytes === null ? served.delete(path) : served.set(path, Buffer.from(bytes)))
  return {
    feed: {
      channelUrl: (file) => new URL(file, url),
      filesUrl: () => new URL(url),
      pageUrl: (version) => `https://example.com/v${version}`,
      publicKeys: [publicKey],
    },
    url,
    requests,
    privateKey,
    publicKey,
    release(version, files, more = {}) {
      const text = stringify({ ...describeRelease(version, files), releaseNotes: '- Exact.', ...more })
      for (const [name, bytes] of Object.entries(files)) replace(name, bytes)
      replace(CHANNEL_FILE, text)
      replace(SIGNATURE_FILE, signFeed(CHANNEL_FILE, text, privateKey))
    },
    replace,
    text: (path) => served.get(path)?.toString() ?? '',
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The feed of electron-builder. */
export function describeRelease(version: string, files: Readonly<Record<string, Buffer>>): object {
  const rows = Object.entries(files).map(([url, bytes]) => ({
    url,
    sha512: createHash('sha512').update(bytes).digest('base64'),
    size: bytes.length,
  }))
  return {
    version,
    files: rows,
    path: rows[0]?.url,
    sha512: rows[0]?.sha512,
    releaseDate: '2027-01-31T12:00:00.000Z',
  }
}
