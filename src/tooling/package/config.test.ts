import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { root } from '../commands.ts'
import { configuration } from './config.ts'

const Files = z.array(z.string())

test.each(['linux', 'mac', 'win'] as const)(
  'the list of files for %s is not only exclusions, or the whole project would be packed',
  (platform) => expect(Files.parse(configuration[platform]?.files)).toContain('package.json'),
)

test('the archive contains the build, the icons and where updates come from, and nothing else', () => {
  expect(Files.parse(configuration.files).filter((pattern) => !pattern.startsWith('!'))).toEqual([
    'out/**',
    'package.json',
    'resources/*.png',
    'resources/update-feed.json',
  ])
})

test('package.json has no configuration of electron-builder, which would not be used', () => {
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).not.toHaveProperty('build')
})
