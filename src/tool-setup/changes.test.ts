import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ConfigFile, type ToolInput, toDocument } from '../shared/tools/tool-config.ts'
import { configurableTools } from '../shared/tools/tool-table.ts'
import { applyChanges, undoChanges } from './changes.ts'
import { editors } from './editors.ts'

const input: ToolInput = {
  baseUrl: 'http://127.0.0.1:8655/v1',
  secret: 'tg-secret',
  model: 'gpt-5.5',
  smallModel: 'gpt-5.5-mini',
  limits: { context: 200_000, output: 32_000 },
}
const files = configurableTools.flatMap((tool) =>
  tool.files(input).map((file) => ({ name: `${tool.id}: ${file.path}`, file })),
)

/** A file of someone who already uses the tool. */
const used = (file: ConfigFile) =>
  readFileSync(new URL(`./fixtures/${file.path.split('/').at(-1)}`, import.meta.url), 'utf8')
const withoutSpaces = (text: string) => text.replace(/\s/g, '')
const createFile = (name: string) => {
  const found = files.find((entry) => entry.name.startsWith(name))
  if (!found) throw new Error(name)
  return found.file
}

describe.each(files)('$name', ({ file }) => {
  const { syntax, changes } = file

  it('is written into an empty file and undone', () => {
    const { text, steps } = applyChanges(syntax, '', changes)
    expect(editors[syntax].parse(text)).toEqual(toDocument({ changes }))
    expect(editors[syntax].parse(undoChanges(syntax, text, steps).text || editors[syntax].empty)).toEqual({})
  })

  it('leaves every other line of a file in use as it is, but for spaces, and restores it', () => {
    const before = used(file)
    const { text, steps } = applyChanges(syntax, before, changes)
    const names = new Set(steps.flatMap(({ at }) => at))
    for (const line of before.split('\n')) {
      const isOurs = [...names].some((name) => line.includes(name))
      if (!isOurs) expect(withoutSpaces(text)).toContain(withoutSpaces(line))
    }
    const undone = undoChanges(syntax, text, steps)
    expect(undone.kept).toEqual([])
    expect(withoutSpaces(undone.text)).toBe(withoutSpaces(before))
  })

  it('can be written twice', () => {
    const once = applyChanges(syntax, used(file), changes)
    const twice = applyChanges(syntax, once.text, changes)
    expect(editors[syntax].parse(twice.text)).toEqual(editors[syntax].parse(once.text))
  })

  it('keeps Windows line endings and a byte order mark', () => {
    const before = `\ufeff${used(file).replaceAll('\n', '\r\n')}`
    const { text, steps } = applyChanges(syntax, before, changes)
    expect(text.startsWith('\ufeff')).toBe(true)
    expect(text).not.toMatch(/[^\r]\n/)
    const undone = undoChanges(syntax, text, steps).text
    expect(undone).not.toMatch(/[^\r]\n/)
    expect(undone.startsWith('\ufeff')).toBe(true)
  })

  it('keeps what someone else added since', () => {
    const { text, steps } = applyChanges(syntax, used(file), changes)
    const addition = { at: ['added_later'], value: 'mine' }
    const added = applyChanges(syntax, text, [addition]).text
    const expected = applyChanges(syntax, used(file), [addition]).text
    const undone = undoChanges(syntax, added, steps)
    expect(undone.kept).toEqual([])
    expect(editors[syntax].parse(undone.text)).toEqual(editors[syntax].parse(expected))
  })
})

it.each([
  ['json', '{"env": {', /not valid JSON: \w+ in line 1/],
  ['json', '[1]', /named members/],
  ['json', '{"env": "x"}', /env is not what/],
  ['json', '{"env": {"ANTHROPIC_MODEL": "a"}, "env": {"b": 1}}', /without touching other settings/],
  ['toml', 'a = \n[', /not valid TOML/],
  ['yaml', 'a: [', /not valid YAML/],
  ['yaml', 'a: 1\n---\nb: 2\n', /several YAML documents/],
  ['dotenv', 'A="x\ny"\n', /Line 2/],
  ['dotenv', 'TOLLGATE_API_KEY=1\nTOLLGATE_API_KEY=2\n', /more than once/],
  ['json', '{\r\n"a": 1,\n"b": 2}', /end in different ways/],
] as const)('%s that cannot be changed safely is refused: %j', (syntax, text, reason) => {
  const path = { json: 'claude-code', toml: 'codex', yaml: 'continue', dotenv: 'codex: .codex/.env' }[syntax]
  expect(() => applyChanges(syntax, text, createFile(path).changes)).toThrow(reason)
})

it('a setting that was changed since is kept and named', () => {
  const { syntax, changes } = createFile('codex')
  const { text, steps } = applyChanges(syntax, 'model = "before"\n', changes)
  const changed = text.replace('model = "gpt-5.5"', 'model = "another"')
  expect(undoChanges(syntax, changed, steps)).toEqual({ text: 'model = "another"\n', kept: ['model'] })
})

it('a setting that was put back since is not named', () => {
  const { syntax, changes } = createFile('codex')
  const { text, steps } = applyChanges(syntax, 'model = "before"\n', changes)
  const changed = text.replace('model = "gpt-5.5"', 'model = "before"')
  expect(undoChanges(syntax, changed, steps).kept).toEqual([])
})

it('our own provider goes as a whole, with what was added to it', () => {
  const { syntax, changes } = createFile('opencode')
  const { text, steps } = applyChanges(syntax, '{\n  "theme": "x"\n}\n', changes)
  const changed = text.replace('"name": "Tollgate",', '"name": "Tollgate", "extra": true,')
  expect(undoChanges(syntax, changed, steps)).toEqual({ text: '{\n  "theme": "x"\n}\n', kept: [] })
})

it('a list that has another model of Tollgate gets the new one first', () => {
  const { syntax, changes } = createFile('continue')
  const { text } = applyChanges(syntax, 'models:\n- name: mine # first\n  model: x\n', changes)
  expect(text).toMatch(/^models:\n- name: "gpt-5.5 \(Tollgate\)"\n/)
  expect(text).toContain('- name: mine # first\n  model: x\n')
})
