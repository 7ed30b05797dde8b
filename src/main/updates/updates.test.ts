// electron-updater itself checks; only Electron is replaced, and with it the download, which e2e/updates.spec.ts has.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CHANNEL_FILE, startUpdateServer, type UpdateServer } from '../../host/testing/update-server.ts'
import { ownAppImage } from '../app-image.ts'
import { createUpdateEngine } from './feed-updaters.ts'
import { findInstallation, type Installation } from './installation.ts'
import { createUpdates, type UpdatesOptions } from './updates.ts'

let server: UpdateServer
let dir = ''
beforeEach(async () => {
  server = await startUpdateServer()
  dir = mkdtempSync(join(tmpdir(), 'tollgate-updates-'))
})
afterEach(async () => {
  await server.close()
  rmSync(dir, { recursive: true, force: true })
})

const log = { info() {}, warn() {} }
const FILES = {
  'Tollgate-0.2.0.AppImage': Buffer.from('app image'),
  'tollgate_0.2.0_amd64.deb': Buffer.from('deb'),
}

function create(installation: Installation, more: Partial<UpdatesOptions> = {}) {
  const saved: string[] = []
  const loadEngine = async () =>
    createUpdateEngine({
      installation,
      feed: server.feed,
      fetch,
      log,
      app: {
        version: '0.1.0',
        name: 'tollgate',
        isPackaged: true,
        appUpdateConfigPath: join(dir, 'none.yml'),
        userDataPath: dir,
        baseCachePath: dir,
        whenReady: async () => {},
        relaunch() {},
        quit() {},
        onQuit() {},
      },
    })
  const updates = createUpdates({
    installation,
    canVerify: true,
    installedVersion: '0.1.0',
    updatedFrom: null,
    mode: 'ask',
    saveMode: (mode) => saved.push(mode),
    saveCheck() {},
    loadEngine,
    pageUrl: server.feed.pageUrl,
    onChange() {},
    log,
    ...more,
  })
  return { updates, saved }
}

const DEB = { kind: 'deb' } as const

test('a newer version is shown with its notes, and nothing is downloaded without a yes', async () => {
  const { updates } = create({ kind: 'app-image', path: join(dir, 'Tollgate.AppImage') })
  server.release('0.2.0', FILES)
  expect(await updates.check()).toMatchObject({
    method: 'self',
    phase: 'available',
    problem: null,
    update: { version: '0.2.0', notes: '- Exact.', bytes: 9, command: null },
  })
  expect(server.requests.every((path) => path.startsWith(CHANNEL_FILE))).toBe(true)
})

test('the version that runs, an older one and one that is not for everyone yet are not shown', async () => {
  const { updates } = create(DEB)
  for (const version of ['0.1.0', '0.0.9']) {
    server.release(version, FILES)
    expect(await updates.check()).toMatchObject({ phase: 'idle', update: null, problem: null })
  }
  server.release('0.2.0', FILES, { stagingPercentage: 0 })
  expect(await updates.check()).toMatchObject({ phase: 'idle', update: null })
  server.release('0.2.0', FILES, { stagingPercentage: 100 })
  expect(await updates.check()).toMatchObject({ phase: 'available' })
})

test('an installed package gets the command that installs the new one', async () => {
  const { updates } = create(DEB)
  server.release('0.2.0', FILES)
  const { method, update } = await updates.check()
  expect(method).toBe('person')
  expect(update).toMatchObject({ bytes: null, command: 'sudo apt install ./tollgate_0.2.0_amd64.deb' })
  expect(updates.download().phase).toBe('available')
})

test('a check that fails says why, and keeps what was known', async () => {
  const { updates } = create(DEB)
  server.release('0.2.0', FILES)
  await updates.check()
  server.replace(CHANNEL_FILE, server.text(CHANNEL_FILE).replace('0.2.0', '0.3.0'))
  expect(await updates.check()).toMatchObject({
    phase: 'available',
    update: { version: '0.2.0' },
    problem: expect.stringMatching(/not signed by Tollgate/),
  })
})

test('from its sources it looks for nothing', async () => {
  const { updates } = create({ kind: 'source' })
  expect(await updates.check()).toMatchObject({ method: 'none', phase: 'idle' })
  expect(server.requests).toEqual([])
})

test('a build without a key asks no server, and says so', async () => {
  const { updates } = create(DEB, { canVerify: false })
  expect(await updates.check()).toMatchObject({
    method: 'none',
    reason: 'This build has no key to verify updates with, so it looks for none.',
    phase: 'idle',
    problem: null,
  })
  expect(server.requests).toEqual([])
})

test('it downloads by itself only if the user chose that, and installs only what is ready', async () => {
  const done: string[] = []
  const engine = {
    check: async () => null,
    download: async () => void done.push('download'),
    install: () => void done.push('install'),
  }
  const { updates, saved } = create({ kind: 'mac' }, { loadEngine: async () => engine })
  await updates.installBeforeExit(false)
  expect(done).toEqual([])
  Object.assign(engine, {
    check: async () => ({
      version: '0.2.0',
      files: [{ url: 'a.zip', sha512: '', size: 1 }],
      path: '',
      sha512: '',
      releaseDate: '',
    }),
  })
  expect((await updates.check()).phase).toBe('available')
  expect(done).toEqual([])
  updates.setMode('download')
  expect(saved).toEqual(['download'])
  await expect.poll(() => updates.state().phase).toBe('ready')
  await updates.installBeforeExit(false)
  expect(done).toEqual(['download', 'install'])
})

test('the kind of installation is known, and an inherited APPIMAGE is not our own', () => {
  const base = { isPackaged: true, platform: 'linux', resourcesPath: dir, appImage: null } as const
  expect(findInstallation(base)).toEqual({ kind: 'unpacked' })
  expect(findInstallation({ ...base, appImage: '/a/T.AppImage' })).toMatchObject({ kind: 'app-image' })
  writeFileSync(join(dir, 'package-type'), 'deb\n')
  expect(findInstallation({ ...base, appImage: '/a/T.AppImage' })).toEqual(DEB)
  expect(findInstallation({ ...base, isPackaged: false })).toEqual({ kind: 'source' })
  const env = { APPIMAGE: '/a/T.AppImage', APPDIR: '/tmp/.mount_T' }
  expect(ownAppImage(env, '/tmp/.mount_T/tollgate')).toBe('/a/T.AppImage')
  expect(ownAppImage(env, '/opt/Tollgate/tollgate')).toBeNull()
  expect(ownAppImage({ APPIMAGE: '/a/T.AppImage' }, '/opt/Tollgate/tollgate')).toBeNull()
})
