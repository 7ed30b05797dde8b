import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { root } from './commands.ts'

const Versions = z.record(z.string(), z.string()).default({})
const Manifest = z.object({ dependencies: Versions, devDependencies: Versions })
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ integrity: z.string().optional(), inBundle: z.boolean().optional() }),
  ),
})
const parse = <T>(path: string, shape: z.ZodType<T>) =>
  shape.parse(JSON.parse(readFileSync(join(root, path), 'utf8')))
const folders = globSync(['package.json', 'docs/*/package.json'], { cwd: root }).map((path) =>
  path.replace('package.json', ''),
)

test.each(folders)('every package that %spackage.json names has an exact version', (folder) => {
  const { dependencies, devDependencies } = parse(`${folder}package.json`, Manifest)
  const versions = Object.entries({ ...dependencies, ...devDependencies })
  expect(versions.length).toBeGreaterThan(0)
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})

test.each(folders)('every package in %spackage-lock.json has a checksum', (folder) => {
  const { '': _project, ...packages } = parse(`${folder}package-lock.json`, Lock).packages
  expect(
    Object.entries(packages).filter(
      ([, { inBundle, integrity }]) => !inBundle && !/^sha512-/.test(integrity ?? ''),
    ),
  ).toEqual([])
})
