// Reads from the sources which texts of the window and of the app’s menus are marked for translation, and which are not. Run as a
// script, it brings the catalogs up to date: it moves texts, drops those that are gone, and adds new ones for a translator to
// fill in.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseAst } from 'vite'

const SOURCES = join(import.meta.dirname, '..')

export interface WindowText {
  /** The catalog that translates it: a folder of `src`. */
  folder: string
  /** The English text, with `${ name }` for what is filled in, after its context and `|` if it has one. */
  text: string
  /** The first of its places, as `file:line`. */
  place: string
}

/** The folders whose files have texts to translate. */
const FOLDERS = ['shared', 'renderer', 'main']
/** The catalog of texts that several folders use. */
const COMMON = 'shared'

/** Every marked text once, in the catalog of its folder, or in the common one if several folders use it. */
export function readTexts(): WindowText[] {
  const texts = new Map<string, WindowText>()
  for (const file of listFiles()) {
    const folder = findFolder(file)
    visit(parse(file), (node) => {
      const text = readMarked(node)
      if (text === null) return
      const known = texts.get(toKey(text))
      if (known === undefined) texts.set(toKey(text), { folder, text, place: locate(file, node) })
      else if (known.folder !== folder) known.folder = COMMON
    })
  }
  return [...texts.values()]
}

/** Texts that are shown as they are, each as `file:line text`. */
export function findUnmarked(): string[] {
  return listFiles().flatMap((file) => {
    const found: string[] = []
    const isSchema = file.startsWith('shared/')
    visit(parse(file), (node, parents) => {
      const text = readShown(node, parents, isSchema)
      if (text !== null) found.push(`${locate(file, node)} ${text}`)
    })
    return found
  })
}

/** The German texts of a folder by the English ones. */
export function readCatalog(folder: string): Record<string, string> {
  const file = join(SOURCES, folder, CATALOG)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

const CATALOG = 'de.json'

function updateCatalogs(): void {
  const folders = Map.groupBy(readTexts(), ({ folder }) => folder)
  const known = new Map<string, readonly [text: string, german: string]>()
  for (const folder of folders.keys()) {
    for (const entry of Object.entries(readCatalog(folder))) known.set(toKey(entry[0]), entry)
  }
  for (const [folder, texts] of folders) {
    const entries = texts.map(({ text }) => {
      const [before, german] = known.get(toKey(text)) ?? [text, '']
      return [text, renamePlaceholders(german, before, text)] as const
    })
    const sorted = entries.sort(([a], [b]) => a.localeCompare(b, 'en'))
    writeFileSync(join(SOURCES, folder, CATALOG), `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
  }
}

/** A translation with the names of what is filled in that the text has now. */
function renamePlaceholders(german: string, before: string, now: string): string {
  const names = new Map(listInOrder(before).map((name, index) => [name, listInOrder(now)[index] ?? name]))
  return german.replaceAll(PLACEHOLDER, (name) => names.get(name) ?? name)
}

/** A text without the names of what is filled in, which ttag ignores. */
export function toKey(text: string): string {
  return text.replaceAll(PLACEHOLDER, '$')
}

function listInOrder(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([placeholder]) => placeholder)
}

export function listPlaceholders(text: string): string[] {
  return listInOrder(text).sort()
}

const PLACEHOLDER = /\$\{ \w+ \}/g

/** One catalog for the common texts, and one for each noun of the window. */
function findFolder(file: string): string {
  const [top = '', second = '', third = ''] = file.split('/')
  if (top !== 'renderer') return top
  return second === 'features' || second === 'parts' ? `${top}/${second}/${third}` : `${top}/${second}`
}

function listFiles(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(SOURCES, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\/testing\/|\.d\.ts$/.test(file)),
  ).sort()
}

// biome-ignore lint/suspicious/noExplicitAny: the tree is read by the names of its fields, which no common type has.
type Node = any

const sources = new Map<string, string>()

function parse(file: string): Node {
  const source = readFileSync(join(SOURCES, file), 'utf8')
  sources.set(file, source)
  return parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' })
}

function locate(file: string, node: Node): string {
  const line = (sources.get(file) ?? '').slice(0, node.start).split('\n').length
  return `${relative('.', join(SOURCES, file))}:${line}`
}

function visit(
  node: Node,
  look: (node: Node, parents: readonly Node[]) => void,
  parents: readonly Node[] = [],
): void {
  look(node, parents)
  const inner = [node, ...parents]
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof child.type === 'string') visit(child, look, inner)
    }
  }
}

/** The text of t`…`, jt`…` or c('context').t`…`. */
function readMarked(node: Node): string | null {
  if (node.type !== 'TaggedTemplateExpression') return null
  const { tag, quasi } = node
  const isPlain = tag.type === 'Identifier' && (tag.name === 't' || tag.name === 'jt')
  const isInContext = tag.type === 'MemberExpression' && tag.object.callee?.name === 'c'
  if (!isPlain && !isInContext) return null
  const taken = new Set<string>()
  const names = quasi.expressions.map((each: Node, index: number) => {
    const name = nameValue(each)
    const unique = name === null || taken.has(name) ? `${name ?? ''}${index}` : name
    taken.add(unique)
    return unique
  })
  const strings: string[] = quasi.quasis.map((each: Node) => each.value.cooked)
  const text = strings
    .map((each, index) => (index === 0 ? each : `\${ ${names[index - 1]} }${each}`))
    .join('')
  return isInContext ? `${tag.object.arguments[0].value}|${text}` : text
}

/** A name for what is filled in, which helps a translator: that of a variable, a field, or an element. */
function nameValue(node: Node): string | null {
  if (node.type === 'Identifier') return node.name
  if (node.type === 'MemberExpression') return node.property.name ?? null
  if (node.type === 'JSXElement') return node.openingElement.name.name ?? null
  if (node.type !== 'CallExpression') return null
  const [first] = node.arguments
  return (first && nameValue(first)) ?? node.callee.name ?? null
}

const SHOWN_ATTRIBUTES =
  /^(aria-description|aria-label|alt|caption|children|confirm|description|empty|heading|hint|label|name|note|placeholder|subtitle|title|tooltip)$/
/** Schemas have some of them, too, but no texts of the window. */
const SHOWN_PROPERTIES = /^(hint|label|message|placeholder|title)$/
/** Elements whose text is code or the name of a key. */
const CODE = /^(code|kbd|pre|Code|Kbd|style)$/

function readShown(node: Node, parents: readonly Node[], isSchema: boolean): string | null {
  const [parent] = parents
  if (node.type === 'JSXText') {
    const isCode = CODE.test(parent?.openingElement?.name.name ?? '')
    return !isCode && WORD.test(node.value) ? node.value.trim() : null
  }
  if (node.type === 'JSXAttribute' && node.value?.type === 'Literal') {
    const { value } = node.value
    return SHOWN_ATTRIBUTES.test(node.name.name) && /^\p{Lu}\p{Ll}|\p{L} \p{L}/u.test(value) ? value : null
  }
  if (node.type !== 'Literal' || !WORD.test(node.value)) return null
  if (
    !isSchema &&
    parent?.type === 'Property' &&
    parent.value === node &&
    SHOWN_PROPERTIES.test(parent.key.name ?? '')
  ) {
    return /^\p{Lu}\p{Ll}|\p{L} \p{L}/u.test(node.value) ? node.value : null
  }
  const index = parents.findIndex(
    ({ type }) => type !== 'ConditionalExpression' && type !== 'LogicalExpression',
  )
  const [inner, around] = [parents[index - 1], parents[index]]
  if (inner?.test === node || around === undefined) return null
  const isAlternative = [inner?.consequent, inner?.alternate].some(
    (other) => readMarked(other ?? {}) !== null,
  )
  const isFilledIn =
    (around.type === 'TemplateLiteral' && parents[index + 1]?.type === 'TaggedTemplateExpression') ||
    (around.type === 'JSXExpressionContainer' && parents[index + 1]?.type === 'JSXElement')
  return isAlternative || isFilledIn ? node.value : null
}

const WORD = /\p{L}{2}/u

if (import.meta.main) updateCatalogs()
