// Bodies with every member of a type, at every place where it can stand, by the TypeScript compiler.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { API, type Checker, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync'
import type { VendorRequests } from './vendor-requests.ts'

const root = resolve(import.meta.dirname, '../../..')
const TYPES = resolve(import.meta.dirname, 'vendor-requests.ts')

/** One alternative of a type. */
type Shape = { kind: 'value'; value: unknown } | { kind: 'list'; of: () => Shape[] } | ObjectShape

interface ObjectShape {
  kind: 'object'
  name: string
  members: () => Member[]
}

interface Member {
  name: string
  isRequired: boolean
  shapes: readonly Shape[]
}

/** A body with one member, and the name of the vendor's type that has it. */
interface MemberBody {
  type: string
  /** With the type of its value, if that is an object. */
  member: string
  body: unknown
}

/** Returns whether the members of the value are of interest, too. */
type Visit = (found: MemberBody) => boolean

/** A text that is no address and no data. */
const TEXT = 'some words '.repeat(50)
const URL = 'https://example.com/a.png'

export class RequestTypes {
  readonly #api = new API({ cwd: root })
  readonly #checker: Checker
  readonly #requests: readonly Member[]
  readonly #shapes = new Map<number, Shape>()

  constructor() {
    const folder = join(root, '.cache', 'vendor-requests')
    mkdirSync(folder, { recursive: true })
    const config = join(folder, 'tsconfig.json')
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: ['node'] },
      ...{ target: 'esnext', module: 'nodenext', allowImportingTsExtensions: true },
    }
    writeFileSync(config, JSON.stringify({ compilerOptions, files: [TYPES] }))
    const project = this.#api.updateSnapshot({ openProject: config }).getProject(config)
    const at = project?.program.getSourceFile(TYPES)?.text.indexOf('VendorRequests') ?? -1
    const requests = project?.checker.getTypeAtPosition(TYPES, at)
    if (!project || !requests) throw new Error('the types of the requests were not found')
    this.#checker = project.checker
    this.#requests = this.#readMembers(requests)
  }

  close(): void {
    this.#api.close()
  }

  /** Visits each member of a request, at each place, but none within another one of the same type. */
  visit(request: keyof VendorRequests, visit: Visit): void {
    const shapes = this.#requests.find(({ name }) => name === request)?.shapes ?? []
    for (const shape of shapes) visitShape(shape, (value) => value, visit, [])
  }

  #readMembers(type: Type): Member[] {
    return this.#checker.getPropertiesOfType(type).map((member) => {
      const { name, flags } = member
      const shapes = this.#listShapes(this.#checker.getTypeOfSymbol(member)).map((shape): Shape => {
        const isUrl = shape.kind === 'value' && shape.value === TEXT && /ur[il]$/i.test(name)
        return isUrl ? { kind: 'value', value: URL } : shape
      })
      return { name, isRequired: !(flags & SymbolFlags.Optional), shapes }
    })
  }

  #listShapes(type: Type | undefined): Shape[] {
    if (!type || type.flags & (TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Never)) return []
    if (type.isUnionType()) return type.getTypes().flatMap((each) => this.#listShapes(each))
    const shape = this.#shapes.get(type.id) ?? this.#readShape(type)
    this.#shapes.set(type.id, shape)
    return [shape]
  }

  #readShape(type: Type): Shape {
    const checker = this.#checker
    if (type.isLiteralType()) return { kind: 'value', value: type.value }
    if (type.flags & TypeFlags.Number) return { kind: 'value', value: 1 }
    if (type.isTypeReference() && checker.isArrayLikeType(type))
      return {
        kind: 'list',
        of: once(() => checker.getTypeArguments(type).flatMap((each) => this.#listShapes(each))),
      }
    const isObject = type.isObjectType() || type.isIntersectionType()
    // A text of any value, next to known ones, is an intersection.
    if (!isObject || checker.getPropertyOfType(type, 'charAt')) return { kind: 'value', value: TEXT }
    const members = once(() => this.#readMembers(type))
    if (checker.getPropertiesOfType(type).length === 0 && checker.getIndexInfosOfType(type).length > 0)
      return { kind: 'value', value: { name: TEXT } }
    return {
      kind: 'object',
      name: type.getAliasSymbol()?.name ?? type.getSymbol()?.name ?? 'object',
      members,
    }
  }
}

function once<T>(read: () => T): () => T {
  let known: { value: T } | null = null
  return () => {
    known ??= { value: read() }
    return known.value
  }
}

type Wrap = (value: unknown) => unknown

function visitShape(shape: Shape, wrap: Wrap, visit: Visit, within: readonly Shape[]): void {
  if (shape.kind === 'value' || within.includes(shape)) return
  if (shape.kind === 'list') {
    for (const each of shape.of()) visitShape(each, (value) => wrap([value]), visit, within)
    return
  }
  const members = shape.members()
  for (const { name, shapes } of members) {
    const others = createObject(members.filter((each) => each.name !== name && each.isRequired))
    const wrapMember: Wrap = (value) => wrap({ ...others, [name]: value })
    for (const value of shapes.flatMap(listElements)) {
      // A member that is off asks for nothing.
      if (value.of.kind === 'value' && value.of.value === false) continue
      const member = value.of.kind === 'object' ? `${name}<${value.of.name}>` : name
      const body = wrapMember(value.wrap(createValue(value.of)))
      if (visit({ type: shape.name, member, body }))
        visitShape(value.of, (inner) => wrapMember(value.wrap(inner)), visit, [...within, shape])
    }
  }
}

/** The elements of a list and of lists in it, or the value itself. */
function listElements(shape: Shape): { of: Shape; wrap: Wrap }[] {
  if (shape.kind !== 'list') return [{ of: shape, wrap: (value) => value }]
  return shape
    .of()
    .flatMap(listElements)
    .map(({ of, wrap }) => ({ of, wrap: (value) => [wrap(value)] }))
}

function createObject(members: readonly Member[]): Record<string, unknown> {
  return Object.fromEntries(members.map(({ name, shapes: [first] }) => [name, first && createValue(first)]))
}

function createValue(shape: Shape): unknown {
  if (shape.kind === 'value') return shape.value
  if (shape.kind === 'object') return createObject(shape.members().filter(({ isRequired }) => isRequired))
  const [first] = shape.of()
  return first ? [createValue(first)] : []
}
