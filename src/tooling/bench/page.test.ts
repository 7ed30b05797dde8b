import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../commands.ts'
import { formatScalingPage } from './page.ts'

test('new tables of proxies replace the ones of the page, and nothing else', () => {
  const page = readFileSync(join(root, 'docs/scaling.md'), 'utf8')
  const table = (title: string, value: string) => ({
    title,
    columns: ['', 'relative to direct'],
    rows: [['nginx', value]],
  })
  const first = formatScalingPage(page, [table('First', '0.91 ×'), table('Second', '0.92 ×')])
  const second = formatScalingPage(first, [table('Third', '0.93 ×')])
  expect(first).toContain('**Second**\n\n|  | relative to direct |\n| --- | --: |\n| nginx | 0.92 × |\n')
  expect(second).toContain('| nginx | 0.93 × |')
  expect(second).not.toMatch(/\*\*First|\*\*Second|0\.9[12] ×/)
  const withoutTables = (text: string) => text.replaceAll(/^(\||\*\*).*\n+/gm, '')
  expect(withoutTables(second)).toBe(withoutTables(page))
})
