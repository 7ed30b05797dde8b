import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import {
  CHANNEL_FILE,
  SIGNATURE_FILE,
  startUpdateServer,
  type UpdateServer,
} from '../testing/update-server.ts'
import { readUpdateFeed, signFeed } from './feed.ts'
import { readFeed } from './read-feed.ts'

let server: UpdateServer
beforeEach(async () => {
  server = await startUpdateServer()
  server.release('0.2.0', { 'Tollgate-0.2.0.AppImage': Buffer.from('new') })
})
afterEach(() => server.close())

const read = (feed = server.feed) => readFeed(feed, CHANNEL_FILE, fetch)
const NOT_SIGNED = /not signed by Tollgate, so nothing was downloaded/

test('a signed feed is read', async () => {
  expect(await read()).toMatchObject({
    version: '0.2.0',
    releaseNotes: '- Exact.',
    files: [{ url: 'Tollgate-0.2.0.AppImage', size: 3 }],
  })
})

test('a feed that was changed, or is of another system, or signed by another key, is not read', async () => {
  const [text, signature] = [server.text(CHANNEL_FILE), server.text(SIGNATURE_FILE)]
  server.replace(CHANNEL_FILE, text.replace('0.2.0', '0.2.1'))
  await expect(read()).rejects.toThrow(NOT_SIGNED)
  server.replace(CHANNEL_FILE, text.slice(0, -1))
  await expect(read()).rejects.toThrow(NOT_SIGNED)
  server.replace(CHANNEL_FILE, text)
  expect(await read()).toMatchObject({ version: '0.2.0' })
  server.replace(SIGNATURE_FILE, signFeed('latest-other.yml', text, server.privateKey))
  await expect(read()).rejects.toThrow(NOT_SIGNED)
  const other = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' })
  server.replace(SIGNATURE_FILE, signFeed(CHANNEL_FILE, text, other.toString('base64')))
  await expect(read()).rejects.toThrow(NOT_SIGNED)
  for (const wrong of ['', 'x', signature.slice(4)]) {
    server.replace(SIGNATURE_FILE, wrong)
    await expect(read()).rejects.toThrow(NOT_SIGNED)
  }
})

test('while the key is replaced, the feed may be signed with either', async () => {
  const next = generateKeyPairSync('ed25519')
  const publicKey = next.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const feed = { ...server.feed, publicKeys: [publicKey, server.publicKey] }
  expect(await read(feed)).toMatchObject({ version: '0.2.0' })
  await expect(read({ ...feed, publicKeys: [publicKey] })).rejects.toThrow(NOT_SIGNED)
})

test('without a key nothing is asked of the server', async () => {
  await expect(read({ ...server.feed, publicKeys: [] })).rejects.toThrow(/has no key to verify updates/)
  expect(server.requests).toEqual([])
})

test('a server that is down, or has no feed, or a feed of another form, is said plainly', async () => {
  server.replace(SIGNATURE_FILE, null)
  await expect(read()).rejects.toThrow('The update server answered with HTTP 404. Try again later.')
  server.release('0.2.0', { 'x.AppImage': Buffer.from('x') }, { version: '../../x' })
  await expect(read()).rejects.toThrow('The update server’s list of versions cannot be read.')
  server.release('0.2.0', { '../x.AppImage': Buffer.from('x') })
  await expect(read()).rejects.toThrow('The update server’s list of versions cannot be read.')
  server.replace(CHANNEL_FILE, Buffer.alloc(2_000_000, 'x'))
  await expect(read()).rejects.toThrow(/too long/)
  await server.close()
  await expect(read()).rejects.toThrow(
    'The update server cannot be reached. Check the network, and try again.',
  )
  server = await startUpdateServer()
})

test('updates come from the releases of the repository, by https', async () => {
  const feed = readUpdateFeed()
  expect(feed.channelUrl('latest.yml').href).toMatch(
    /^https:\/\/github\.com\/[^/]+\/[^/]+\/releases\/latest\/download\/latest\.yml$/,
  )
  expect(feed.filesUrl('1.2.3').href).toMatch(/\/releases\/download\/v1\.2\.3\/$/)
  const insecure = { ...server.feed, channelUrl: () => new URL('http://example.com/latest.yml') }
  await expect(read(insecure)).rejects.toThrow(/must begin with https/)
})

test('another address is only in the files of the app', () => {
  const root = tempDirForTest()
  mkdirSync(join(root, 'resources'))
  writeFileSync(join(root, 'package.json'), '{"repository":{"url":"https://example.com/a.git"}}')
  const own = { url: 'https://updates.example.com/', publicKeys: ['x'] }
  writeFileSync(join(root, 'resources/update-feed.json'), JSON.stringify(own))
  const feed = readUpdateFeed(root)
  expect(feed.channelUrl('latest.yml').href).toBe('https://updates.example.com/latest.yml')
  expect(feed.pageUrl('1.0.0')).toBe('https://example.com/a/releases/tag/v1.0.0')
})
