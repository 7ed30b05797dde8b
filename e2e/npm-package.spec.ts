// The npm package, in Node alone. `npm run test:long` also installs it from the registry, in the oldest Node that it supports.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { root } from '../src/tooling/commands.ts'
import { packArchive } from '../src/tooling/npm-package/archive.ts'
import { createNpmPackage } from '../src/tooling/npm-package/create.ts'
import { AS_EXPECTED, exerciseCommand } from '../src/tooling/npm-package/testing/exercise-command.ts'

const MOST_BYTES = 5_000_000

test('the npm package is small, has no code of the desktop app, and serves the gateway and its interface', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-npm-'))
  try {
    createNpmPackage(join(home, 'folder'))
    const archive = await packArchive(join(home, 'folder'), home)
    expect(readFileSync(archive).length).toBeLessThan(MOST_BYTES)
    execFileSync('tar', ['-xzf', archive, '-C', home])
    const dir = join(home, 'package')
    expect(readdirSync(dir).sort()).toEqual(['LICENSE', 'README.md', 'deploy', 'out', 'package.json'])
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    expect(files.filter((path) => /\.(map|node|ts)$|preload/.test(path))).toEqual([])

    const named = readFileSync(join(dir, 'README.md'), 'utf8').matchAll(/`((?:out|deploy)\/[^`]+)`/g)
    expect([...named].map(([, path = '']) => path).filter((path) => !files.includes(path))).toEqual([])

    // The manifest as installed: with the packages that it names, and no other.
    const manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    const packages = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
    expect(packages).toEqual(['better-sqlite3', '@github/keytar'])
    for (const name of packages) {
      const to = join(dir, 'node_modules', name)
      mkdirSync(join(to, '..'), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), to)
    }
    const script = join(dir, manifest.bin.tollgate)
    const used = await exerciseCommand({ node: process.execPath, script, home })
    expect(used).toMatchObject({ ...AS_EXPECTED, version: manifest.version })
    expect(used.sandbox.costUsd).toBeGreaterThan(0)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
