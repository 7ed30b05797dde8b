// Lowers the effort and the budget for reasoning that a request asks for, and makes it fit another model of the same API.
import type { Quirks } from '../../../gateway/formats/chat/codec-types.ts'
import { nearestEffort } from '../../../gateway/formats/chat/message-content.ts'
import type { JsonPath } from '../../../gateway/formats/json/edit-json.ts'
import { isObject, type JsonObject } from '../../../gateway/formats/json/json.ts'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { EFFORTS, type Effort } from '../api/terms.ts'
import { type Edit, readAt } from './body-edits.ts'

const EFFORT_PATHS: readonly JsonPath[] = [
  ['reasoning_effort'],
  ['reasoning', 'effort'],
  ['output_config', 'effort'],
  ['generationConfig', 'thinkingConfig', 'thinkingLevel'],
]
const BUDGET_PATHS: readonly JsonPath[] = [
  ['thinking', 'budget_tokens'],
  ['reasoning', 'max_tokens'],
  ['thinking_budget'],
  ['generationConfig', 'thinkingConfig', 'thinkingBudget'],
]
const OUTPUT_PATHS: readonly JsonPath[] = [
  ['max_tokens'],
  ['max_completion_tokens'],
  ['max_output_tokens'],
  ['generationConfig', 'maxOutputTokens'],
]

/** A change of a member of the body. */
export interface Reduction extends Edit {
  asked: string
}

function toEffort(value: unknown): Effort | null {
  const name = typeof value === 'string' ? value.toLowerCase() : ''
  return EFFORTS.find((effort) => effort === name) ?? null
}

/** The effort that a request in any format asks for; null where it leaves that to the model. */
export function readEffort(json: JsonObject): Effort | null {
  for (const path of EFFORT_PATHS) {
    const effort = toEffort(readAt(json, path))
    if (effort) return effort
  }
  return null
}

/** `known`: the efforts that the model has, weakest first. */
export function lowerEffort(
  json: JsonObject,
  atMost: Effort,
  known: readonly Effort[] | undefined,
): Reduction[] {
  return EFFORT_PATHS.flatMap((path) => {
    const value = readAt(json, path)
    const asked = toEffort(value)
    if (asked === null || EFFORTS.indexOf(asked) <= EFFORTS.indexOf(atMost)) return []
    const [first, ...others] = known ?? []
    const lowered = first ? nearestEffort(atMost, [first, ...others]) : atMost
    if (EFFORTS.indexOf(lowered) >= EFFORTS.indexOf(asked)) return []
    const isUpper = value === String(value).toUpperCase()
    return [{ path, asked: String(value), value: isUpper ? lowered.toUpperCase() : lowered }]
  })
}

/** `atMost`: tokens. */
export function lowerBudget(json: JsonObject, atMost: number): Reduction[] {
  return BUDGET_PATHS.flatMap((path) => {
    const asked = readAt(json, path)
    // Google's -1 leaves it to the model.
    const isMore = typeof asked === 'number' && (asked > atMost || asked === -1)
    return isMore ? [{ path, asked: String(asked), value: atMost }] : []
  })
}

/** Changes the members that the target would reject, although the requested model has them. */
export function fitModel(
  json: JsonObject,
  { maxOutputTokens, contextWindow, price }: Pick<Offer, 'maxOutputTokens' | 'contextWindow' | 'price'>,
  quirks: Quirks,
): Edit[] {
  const edits: Edit[] = []
  for (const path of OUTPUT_PATHS) {
    const asked = readAt(json, path)
    if (maxOutputTokens !== null && typeof asked === 'number' && asked > maxOutputTokens)
      edits.push({ path, value: maxOutputTokens })
  }
  for (const name of quirks.dropFields ?? []) if (json[name] !== undefined) edits.push({ path: [name] })
  if (json.speed === 'fast' && price?.pricing.tierFactors?.fast === undefined) edits.push({ path: ['speed'] })
  if (contextWindow !== null && contextWindow <= 200_000 && Array.isArray(json.anthropic_beta))
    for (const [at, beta] of [...json.anthropic_beta.entries()].reverse())
      if (/^context-\d+m-/.test(String(beta))) edits.push({ path: ['anthropic_beta', at] })
  return [...edits, ...fitReasoning(json, quirks, maxOutputTokens)]
}

function fitReasoning(
  json: JsonObject,
  { thinking: style = 'level', efforts }: Quirks,
  maxOutput: number | null,
): Edit[] {
  if (style === 'none')
    return [
      ['thinking'],
      ['reasoning'],
      ['reasoning_effort'],
      ['output_config', 'effort'],
      ['context_management'],
      ['include'],
    ].map((path) => ({ path }))
  const edits: Edit[] = EFFORT_PATHS.flatMap((path) => {
    const value = readAt(json, path)
    const asked = toEffort(value)
    if (asked === null) return []
    // Models with budgets have no efforts in Anthropic's API.
    if (style === 'budget') return path[0] === 'output_config' ? [{ path }] : []
    const [first, ...others] = efforts ?? []
    const nearest = first ? nearestEffort(asked, [first, ...others]) : asked
    if (nearest === asked) return []
    return [{ path, value: value === String(value).toUpperCase() ? nearest.toUpperCase() : nearest }]
  })
  const { thinking } = json
  if (!isObject(thinking)) return edits
  const { type, budget_tokens: budget } = thinking
  if (style === 'budget' && type === 'adaptive')
    edits.push({ path: ['thinking'] }, { path: ['context_management'] })
  if (style === 'level' && type === 'enabled') edits.push({ path: ['thinking'], value: { type: 'adaptive' } })
  if (style === 'level' && type === 'disabled' && efforts && !efforts.includes('none'))
    edits.push({ path: ['thinking'] })
  if (style === 'budget' && typeof budget === 'number' && maxOutput !== null && budget >= maxOutput)
    edits.push({ path: ['thinking', 'budget_tokens'], value: Math.max(1_024, maxOutput >> 1) })
  return edits
}
