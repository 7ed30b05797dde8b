// Installs VitePress from the registry, builds the site, and looks for what a page would load from elsewhere.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, run, runNode } from '../commands.ts'

test('the site is built without dead links, and loads nothing from other servers', async () => {
  const installed = await run('npm', ['ci', '--prefix', 'docs/site', '--no-audit', '--no-fund'], {
    stdio: 'pipe',
    shell: process.platform === 'win32',
  })
  expect(installed.code, installed.output).toBe(0)
  const built = await runNode(join(import.meta.dirname, 'build.ts'), [], { stdio: 'pipe' })
  expect(built.code, built.output).toBe(0)
  const pages = globSync('docs/site/dist/**/*.html', { cwd: root })
  expect(pages.length).toBeGreaterThan(60)
  for (const page of pages) {
    const html = readFileSync(join(root, page), 'utf8')
    expect(html.match(/<(?:script|img|link)[^>]+(?:src|href)="(?:https?:)?\/\/[^"]*"/g), page).toBeNull()
  }
})
