// `npm run test:contract`: runs the conformance suite and writes what came of it to docs/conformance.md. The table is
// made from the tests' own names, so it cannot say more than they show.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { elsewhere } from './covered-elsewhere.ts'
import { readRule } from './testing/rule-name.ts'

const root = resolve(import.meta.dirname, '../..')
const reportFile = join(root, '.cache/contract.json')

/** The largest run so far of the fuzzer, whose ordinary run is a small one. */
const LARGEST_FUZZ_RUN = { requests: 1_000_000, on: '2026-11-21', found: 'no flaw' }

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ title: z.string(), status: z.string() })),
    }),
  ),
})

interface Row {
  section: string
  text: string
  file: string
  passed: boolean
}

function readRows(): Row[] {
  const { testResults } = Report.parse(JSON.parse(readFileSync(reportFile, 'utf8')))
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ title, status }) => {
      const rule = readRule(title)
      return rule ? [{ ...rule, file: basename(name), passed: status === 'passed' }] : []
    }),
  )
}

/** `interface` before `decisions`; then by number, so that 4.3 comes before 10. */
function bySection(a: string, b: string): number {
  const key = (section: string) => {
    const [text = '', number = ''] = section.split(' ')
    return [text === 'interface' ? 0 : 1, ...number.split('.').map(Number)]
  }
  const [left, right] = [key(a), key(b)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function page(rows: readonly Row[]): string {
  const passed = rows.filter((row) => row.passed).length
  const sections = [...new Set(rows.map(({ section }) => section))].sort(bySection)
  const { requests, on, found } = LARGEST_FUZZ_RUN
  const tables = sections.flatMap((section) => [
    `## ${section}`,
    '',
    '| rule | test | result |',
    '|---|---|---|',
    ...rows
      .filter((row) => row.section === section)
      .map(({ text, file, passed }) => `| ${cell(text)} | \`${file}\` | ${passed ? 'holds' : '**fails**'} |`),
    '',
  ])
  return [
    '# Conformance',
    '',
    'Written by `npm run test:contract`; do not edit. Each rule of the interface specification and of the decisions',
    'that complete it is a test of the same name in `src/contract/`. The tests start the headless program and speak to',
    'it over HTTP, with upstreams of their own behind it; rules about time run inside the process with a clock in hand.',
    '',
    `**${passed} of ${rows.length} rules hold.**`,
    '',
    `Fuzzing: ${requests.toLocaleString('en')} requests with chat, key and estimate bodies on ${on}: ${found}. An ordinary run makes 3,000;`,
    '`FUZZ_CASES` sets another number.',
    '',
    ...tables,
    '## Shown elsewhere',
    '',
    '| section | rule | shown by |',
    '|---|---|---|',
    ...elsewhere.map(({ section, rule, shownBy }) => `| ${section} | ${cell(rule)} | ${shownBy} |`),
    '',
  ].join('\n')
}

const VITEST = join(root, 'node_modules/vitest/vitest.mjs')

rmSync(reportFile, { force: true })
const child = spawn(
  process.execPath,
  [
    ...[VITEST, 'run', '--config', 'src/tooling/vitest.config.ts', 'src/contract'],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`],
  ],
  { cwd: root, stdio: 'inherit' },
)
const [code] = await once(child, 'exit')
const rows = readRows()
writeFileSync(join(root, 'docs/conformance.md'), page(rows))
process.stdout.write(
  `${rows.filter((row) => row.passed).length} of ${rows.length} rules hold: docs/conformance.md\n`,
)
process.exitCode = code === 0 ? 0 : 1
