// `npm run pack`: writes the npm package to out/npm, and its archive to dist.
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildIfNeeded } from '../build.ts'
import { root } from '../commands.ts'
import { packArchive } from './archive.ts'
import { createNpmPackage } from './create.ts'

const dir = join(root, 'out/npm')
const dist = join(root, 'dist')

if ((await buildIfNeeded()) !== 0) process.exit(1)
createNpmPackage(dir)
mkdirSync(dist, { recursive: true })
const archive = await packArchive(dir, dist)
console.log(`${dir}: ${megabytes(computeSize(dir))}\n${archive}: ${megabytes(statSync(archive).size)}`)

function computeSize(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
