import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { appVersion } from '../../host/files.ts'
import { describeRelease } from '../../host/testing/update-server.ts'
import { isFeedSigned } from '../../host/updates/feed.ts'
import { parseFeed } from '../../host/updates/read-feed.ts'
import { findNotes } from '../../shared/desktop/changelog.ts'
import { root } from '../commands.ts'
import { derivePublicKey, signFeeds } from './sign-feeds.ts'

const privateKey = generateKeyPairSync('ed25519')
  .privateKey.export({ format: 'der', type: 'pkcs8' })
  .toString('base64')
const FILE = 'Tollgate-0.2.0.AppImage'

function createRelease() {
  const dir = tempDirForTest()
  const bytes = Buffer.from('an app image')
  writeFileSync(join(dir, FILE), bytes)
  for (const name of ['latest-linux.yml', 'latest-linux-arm64.yml'])
    writeFileSync(join(dir, name), stringify(describeRelease('0.2.0', { [FILE]: bytes })))
  writeFileSync(join(dir, 'builder-debug.yml'), 'x: 1')
  return {
    dir,
    privateKey,
    publicKeys: [derivePublicKey(privateKey)],
    changelog: '## 0.2.0\n\n- Exact.\n',
    version: '0.2.0',
    stagingPercentage: 20,
  }
}

test('each feed gets the notes of the version, the rollout and a signature that the app accepts', async () => {
  const release = createRelease()
  const names = await signFeeds(release)
  expect(names.toSorted()).toEqual(['latest-linux-arm64.yml', 'latest-linux.yml'])
  for (const channelFile of names) {
    const text = readFileSync(join(release.dir, channelFile), 'utf8')
    const signature = readFileSync(join(release.dir, `${channelFile}.sig`), 'utf8')
    expect(isFeedSigned({ channelFile, text, signature }, release.publicKeys)).toBe(true)
    expect(parseFeed(text)).toMatchObject({ releaseNotes: '- Exact.', stagingPercentage: 20 })
  }
})

test('a release that the installed apps would refuse is not signed', async () => {
  const release = createRelease()
  await expect(signFeeds({ ...release, publicKeys: [] })).rejects.toThrow(/no installed app would accept/)
  await expect(signFeeds({ ...release, changelog: '# Changelog' })).rejects.toThrow(
    /says nothing about 0\.2\.0/,
  )
  await expect(signFeeds({ ...release, version: '0.3.0', changelog: '## 0.3.0\n\nx' })).rejects.toThrow(
    /is of version 0\.2\.0/,
  )
  writeFileSync(join(release.dir, FILE), 'another file')
  await expect(signFeeds(release)).rejects.toThrow(`${FILE} is not the file that`)
})

test('our own changelog tells what is new in this version', () => {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  expect(findNotes(text, appVersion())?.length).toBeGreaterThan(100)
})
