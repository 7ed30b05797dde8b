import { mkdirSync, symlinkSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Findings } from './findings.ts'
import { listFiles } from './list-files.ts'
import { createHome } from './testing/log-home.ts'

async function list(home: string, folders: readonly string[], getGroup?: (path: string) => string) {
  const order = { wants: (path: string) => path.endsWith('.jsonl'), ...(getGroup && { getGroup }) }
  const sink = new Findings()
  const found = await listFiles(
    folders.map((folder) => join(home, folder)),
    order,
    sink,
  )
  onTestFinished(() => found.close())
  const toName = (path: string) => path.slice(home.length + 1).replaceAll(sep, '/')
  return {
    units: [...found.units()].map((paths) => paths.map(toName)),
    find: (unit: string) => found.find(unit)?.map(toName) ?? null,
    skipped: sink.finish().skipped,
  }
}

test('folders in a circle and files with several names are listed once', async () => {
  const { home } = createHome({
    'logs/a/1.jsonl': '',
    'logs/2.jsonl': '',
    'logs/3.txt': '',
    'other/5.jsonl': '',
  })
  symlinkSync(join(home, 'logs'), join(home, 'logs/a/circle'))
  symlinkSync(join(home, 'logs/2.jsonl'), join(home, 'logs/a/link.jsonl'))
  symlinkSync(join(home, 'other'), join(home, 'logs/other'))
  symlinkSync(join(home, 'other'), join(home, 'logs/a/other'))
  mkdirSync(join(home, 'logs/4.jsonl'))
  const { units, skipped } = await list(home, ['logs', 'none'])
  expect(units).toEqual([['logs/2.jsonl'], ['other/5.jsonl'], ['logs/a/1.jsonl']])
  expect(skipped).toEqual([])
})

test('files of a group are one whole, in which those of the first folder replace others of the same name', async () => {
  const { home } = createHome({
    ...{ 'active/b-1.jsonl': '', 'active/deep/a-2.jsonl': '', 'archive/a-1.jsonl': '' },
    ...{ 'archive/b-1.jsonl': '', 'archive/b-2.jsonl': '' },
  })
  const getGroup = (path: string) => path.at(-'a-1.jsonl'.length) ?? ''
  const { units, find } = await list(home, ['active', 'archive'], getGroup)
  expect(units).toEqual([
    ['active/deep/a-2.jsonl', 'archive/a-1.jsonl'],
    ['active/b-1.jsonl', 'archive/b-2.jsonl'],
  ])
  expect([find('b'), find('c')]).toEqual([['active/b-1.jsonl', 'archive/b-2.jsonl'], null])
})

test('more files than are in memory at a time are listed in their order', async () => {
  const names = Array.from({ length: 2_500 }, (_, index) => `${String(index).padStart(4, '0')}.jsonl`)
  const { home } = createHome(Object.fromEntries(names.map((name) => [`logs/${name}`, ''])))
  expect((await list(home, ['logs'])).units).toEqual(names.map((name) => [`logs/${name}`]))
})
