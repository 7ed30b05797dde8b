// The built app with a feed of the test in its own files, as an AppImage that is replaced when it quits.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from '@playwright/test'
import { startUpdateServer } from '../src/host/testing/update-server.ts'
import { test } from './app.ts'
import { open } from './views.ts'

const root = resolve(import.meta.dirname, '..')

/** A copy of the app whose own files name another update server. */
function copyApp(dir: string, feed: { url: string; publicKeys: string[] }): string {
  const app = join(dir, 'app')
  mkdirSync(app)
  for (const name of ['out', 'resources', 'package.json'])
    cpSync(join(root, name), join(app, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'))
  writeFileSync(join(app, 'resources/update-feed.json'), JSON.stringify(feed))
  writeFileSync(join(app, 'dev-app-update.yml'), 'updaterCacheDirName: tollgate-updater\n')
  return app
}

test('an update is downloaded after a yes, refused if it is another file, and installed at the exit', async ({
  launcher,
}) => {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-update-'))
  const server = await startUpdateServer()
  const newer = Buffer.from('#!/bin/sh\necho the newer app\n')
  const name = 'Tollgate-9.0.0.AppImage'
  server.release('9.0.0', { [name]: newer })
  const appImage = join(dir, 'Tollgate.AppImage')
  writeFileSync(appImage, 'the app that runs')
  const app = await launcher.launch({
    appDir: copyApp(dir, { url: server.url, publicKeys: [server.publicKey] }),
    env: { APPIMAGE: appImage, XDG_CACHE_HOME: join(dir, 'cache') },
  })
  await open(app.window, 'Settings')
  await app.window.getByRole('button', { name: 'Check now' }).click()
  await expect(app.window.getByText('Version 9.0.0 is available.')).toBeVisible()
  expect(server.requests).not.toContain(name)

  server.replace(name, Buffer.from('#!/bin/sh\necho something else\n'))
  const download = app.window.getByRole('button', { name: /^Download \(/ })
  await download.click()
  await expect(app.window.getByText(/is not the one that was released, so it was deleted/)).toBeVisible()
  server.replace(name, newer.subarray(0, 10))
  await download.click()
  await expect(app.window.getByText(/is not the one that was released, so it was deleted/)).toBeVisible()

  server.replace(name, newer)
  await download.click()
  await expect(app.window.getByText(/Version 9\.0\.0 is downloaded and verified/)).toBeVisible()
  expect(readFileSync(appImage, 'utf8')).toBe('the app that runs')
  await app.quit()
  expect(readFileSync(appImage)).toEqual(newer)
  expect(statSync(appImage).mode & 0o111).not.toBe(0)
  await server.close()
  rmSync(dir, { recursive: true, force: true })
})
