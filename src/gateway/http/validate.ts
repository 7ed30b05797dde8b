import { z } from 'zod'
import { isObject } from '../formats/json/json.ts'
import { invalidRequest } from '../platform/errors.ts'

type Issue = z.core.$ZodIssue

/** Parses `value`, or throws a 400 whose `param` is the path of the first issue (`messages[2].content[0].text`). */
export function validate<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const early = findIssueInLongList(schema, value)
  const result = early ? null : schema.safeParse(value)
  if (result?.success) return result.data
  const first = early ?? result?.error.issues[0]
  if (!first) throw invalidRequest(`The ${what} is invalid.`)
  const { path, issue } = findDeepestIssue(first, [])
  const param = formatPath(issue.code === 'unrecognized_keys' ? [...path, issue.keys[0] ?? ''] : path)
  throw invalidRequest(formatIssue(issue, param, what), param === '' ? {} : { param })
}

/**
 * Zod collects the issues of every element, which takes seconds for tens of thousands of invalid ones. So long lists are
 * checked first, up to the first invalid element.
 */
function findIssueInLongList(schema: z.ZodType, value: unknown): Issue | null {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return null
  for (const [name, list] of Object.entries(value)) {
    if (!Array.isArray(list) || countElements(list) < LONG_LIST) continue
    const element = elementSchema(schema.shape[name])
    for (const [index, item] of element ? list.entries() : []) {
      const issue = element?.safeParse(item).error?.issues[0]
      if (issue) return { ...issue, path: [name, index, ...issue.path] }
    }
  }
  return null
}

/** Zod needs at most 60 ms for the issues of a shorter one, and a valid list is checked twice. */
const LONG_LIST = 1_000

/** The number of elements of a list, including those of lists inside its elements, such as the parts of messages. */
function countElements(list: readonly unknown[]): number {
  let sum = list.length
  for (const element of list) {
    if (!isObject(element)) continue
    for (const name in element) {
      const inner = element[name]
      if (Array.isArray(inner)) sum += inner.length
    }
  }
  return sum
}

/** The schema of an array's elements; null for any other schema. */
function elementSchema(schema: unknown): z.ZodType | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return elementSchema(schema.unwrap())
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodType ? schema.element : null
}

/** In a union, the branch whose issue has the longest path is most likely the one that the caller meant. */
function findDeepestIssue(
  issue: Issue,
  prefix: readonly PropertyKey[],
): { path: readonly PropertyKey[]; issue: Issue } {
  const path = [...prefix, ...issue.path]
  if (issue.code !== 'invalid_union') return { path, issue }
  const branches = issue.errors
    .flatMap((branch) => branch.slice(0, 1))
    .map((inner) => findDeepestIssue(inner, path))
  let best: (typeof branches)[number] | undefined
  for (const branch of branches) if (branch.path.length > (best?.path.length ?? path.length)) best = branch
  return best ?? { path, issue }
}

function formatPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text
}

function formatIssue(issue: Issue, param: string, what: string): string {
  if (issue.code === 'unrecognized_keys')
    return `Unknown field "${param}" in the ${what}. Remove it or check its spelling.`
  if (param === '') return `The ${what} is invalid: ${formatReason(issue)}.`
  return `Invalid value for "${param}": ${formatReason(issue)}.`
}

function formatReason(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return `it is required (${issue.expected})`
  if (issue.code === 'invalid_union') {
    const expected = issue.errors.flatMap((branch) => branch.slice(0, 1)).map((inner) => inner.message)
    if (expected.length > 0) return [...new Set(expected)].join('; or ')
    return 'it is none of the allowed values'
  }
  return issue.message.replace(/\.$/, '')
}
