// Random files: whatever they contain, a change is either refused or undone to the same content.
import { stringify as stringifyToml } from '@decimalturn/toml-patch'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stringify as stringifyYaml } from 'yaml'
import type { ConfigSyntax } from '../shared/tools/tool-config.ts'
import { configurableTools } from '../shared/tools/tool-table.ts'
import { applyChanges, undoChanges } from './changes.ts'
import { UnreadableFileError } from './edit.ts'
import { editors } from './editors.ts'

const input = { baseUrl: 'http://127.0.0.1:8655/v1', secret: 'tg-secret', model: 'm' }
const files = configurableTools.flatMap((tool) => tool.files(input))
/** Names that the tools use are frequent, so that the changes meet them. */
const name = fc.oneof(
  fc.constantFrom(...new Set(files.flatMap(({ changes }) => changes.flatMap(({ at }) => at)))),
  fc.stringMatching(/^[a-z][a-z0-9 .-]{0,8}$/),
)
const scalar = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean())
const { document } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, tie('document'), fc.array(scalar, { maxLength: 3 })),
  document: fc.dictionary(name, tie('value'), { maxKeys: 5 }),
}))

const writers: Readonly<Record<Exclude<ConfigSyntax, 'dotenv'>, (value: object) => string>> = {
  json: (value) => JSON.stringify(value, null, 2),
  yaml: (value) => stringifyYaml(value),
  toml: (value) => stringifyToml(value),
}

it.each(['json', 'yaml', 'toml'] as const)('%s', (syntax) => {
  const changed = files.filter((file) => file.syntax === syntax)
  let refused = 0
  let done = 0
  fc.assert(
    fc.property(document, fc.constantFrom(...changed), (content, file) => {
      const text = writers[syntax](Object(content))
      const before = editors[syntax].parse(text)
      let result: ReturnType<typeof applyChanges>
      try {
        result = applyChanges(syntax, text, file.changes)
      } catch (error) {
        // A name of the tool has another kind of value.
        if (!(error instanceof UnreadableFileError)) throw error
        refused++
        return
      }
      done++
      const undone = undoChanges(syntax, result.text, result.steps)
      expect(undone.kept).toEqual([])
      expect(editors[syntax].parse(undone.text)).toEqual(before)
    }),
    { numRuns: 300 },
  )
  expect(done).toBeGreaterThan(refused)
})
