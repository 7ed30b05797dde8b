// electron-builder packs the whole project when a platform's own list of files contains only exclusions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { root } from './commands.ts'

const Files = z.object({ files: z.array(z.string()) })
const Manifest = z.object({
  build: z.object({ files: z.array(z.string()), linux: Files, mac: Files, win: Files }),
})
const { build } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))

test.each(['linux', 'mac', 'win'] as const)(
  'the archive for %s contains only what is listed, and no native modules of other systems',
  (platform) => {
    const { files } = build[platform]
    expect(files).toContain('package.json')
    expect(files.filter((pattern) => pattern.startsWith('!'))).toEqual([
      expect.stringContaining('/prebuilds/'),
    ])
  },
)

test('the archive contains the build and the icons, and nothing else', () => {
  expect(build.files.filter((pattern) => !pattern.startsWith('!'))).toEqual([
    'out/**',
    'package.json',
    'resources/*.png',
  ])
})
