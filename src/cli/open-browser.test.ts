import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openBrowser } from './open-browser.ts'

function emptyPath(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-open-'))
  vi.stubEnv('PATH', dir)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(dir, { recursive: true })
  })
  return dir
}

test.runIf(process.platform === 'linux')('the browser of the desktop gets the address', async () => {
  const dir = emptyPath()
  const opened = join(dir, 'opened')
  writeFileSync(
    join(dir, 'xdg-open'),
    `#!/bin/sh\necho "$@" > ${opened}.part && /bin/mv ${opened}.part ${opened}\n`,
    {
      mode: 0o755,
    },
  )
  expect(await openBrowser('http://127.0.0.1:8655')).toBe(true)
  await vi.waitFor(() => expect(existsSync(opened)).toBe(true))
  expect(readFileSync(opened, 'utf8')).toBe('http://127.0.0.1:8655\n')
})

test.runIf(process.platform === 'linux')('without such a program, the answer is no', async () => {
  emptyPath()
  expect(await openBrowser('http://127.0.0.1:8655')).toBe(false)
})
