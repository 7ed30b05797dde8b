// The known exports of providers: how each is recognized, and which column has what.
import type { ExportMapping } from '../../../shared/api/reconciliations.ts'

export interface ExportFormat {
  id: string
  name: string
  /** The id that the vendor has among the known providers. */
  vendor: string
  /** Columns that no other format has together. */
  recognizedBy: readonly string[]
  mapping: ExportMapping
  /** The zone of its days; absent: UTC. */
  timeZone?: string
  /** The model in a text that has more than the model. */
  getModel?(text: string): string
  /** Rows that are about something else are left out. */
  only?: { column: string; pattern: RegExp; what: string }
  /** The column with the currency, which must be USD. */
  currency?: string
}

const base: ExportMapping = {
  each: 'period',
  time: 'date',
  model: null,
  id: null,
  requests: null,
  input: [],
  output: [],
  cost: null,
  costUnit: 'usd',
}

/** "gpt-5-mini-2025-08-07, input" → the model. */
const beforeComma = (text: string) => text.split(',')[0] ?? ''

/** "Generate content output token count gemini 2.5 flash lite text" → gemini-2.5-flash-lite */
function modelOfSku(text: string): string {
  const found = /gemini[\s-]+(\d+(?:\.\d+)?)[\s-]+(pro|flash(?:[\s-]+lite)?|nano|ultra)/i.exec(text)
  if (found) return `gemini-${found[1]}-${(found[2] ?? '').toLowerCase().replaceAll(/\s+/g, '-')}`
  const embedding = /gemini[\s-]+embedding(?:[\s-]+(\d+))?/i.exec(text)
  return embedding ? `gemini-embedding-${(embedding[1] ?? '001').padStart(3, '0')}` : text
}

const google = {
  vendor: 'gemini',
  // Cloud Billing's days: https://cloud.google.com/billing/docs/how-to/reports
  timeZone: 'America/Los_Angeles',
  getModel: modelOfSku,
  only: {
    column: 'Service description',
    pattern: /gemini|vertex|generative language/i,
    what: 'other Google services',
  },
} as const

const EXPORT_FORMATS: readonly ExportFormat[] = [
  {
    // The columns of a generation log of the Activity page: https://openrouter.ai/docs/guides/guides/activity-export
    id: 'openrouter-generations',
    name: 'OpenRouter activity, by generation',
    vendor: 'openrouter',
    recognizedBy: ['generation_id', 'created_at', 'cost_total', 'model_permaslug'],
    mapping: {
      ...base,
      each: 'request',
      time: 'created_at',
      model: 'model_permaslug',
      input: ['tokens_prompt'],
      output: ['tokens_completion'],
      cost: 'cost_total',
    },
  },
  {
    // The generations of https://openrouter.ai/docs/api-reference/get-a-generation, saved as a list
    id: 'openrouter-generations-json',
    name: 'OpenRouter generations (API)',
    vendor: 'openrouter',
    recognizedBy: ['created_at', 'model', 'total_cost', 'tokens_prompt', 'tokens_completion'],
    mapping: {
      ...base,
      each: 'request',
      time: 'created_at',
      model: 'model',
      input: ['tokens_prompt'],
      output: ['tokens_completion'],
      cost: 'total_cost',
    },
  },
  {
    // GET /api/v1/activity: https://openrouter.ai/docs/client-sdks/typescript/models/activityitem
    id: 'openrouter-activity-json',
    name: 'OpenRouter activity (API)',
    vendor: 'openrouter',
    recognizedBy: ['date', 'model_permaslug', 'usage', 'prompt_tokens', 'completion_tokens'],
    mapping: {
      ...base,
      model: 'model_permaslug',
      requests: 'requests',
      input: ['prompt_tokens'],
      output: ['completion_tokens'],
      cost: 'usage',
    },
  },
  {
    // The chart of the Activity page by model
    id: 'openrouter-activity',
    name: 'OpenRouter activity, by day',
    vendor: 'openrouter',
    recognizedBy: ['Date', 'Slug', 'Usage', 'Requests', 'Prompt Tokens', 'Completion Tokens'],
    mapping: {
      ...base,
      time: 'Date',
      model: 'Slug',
      requests: 'Requests',
      input: ['Prompt Tokens'],
      output: ['Completion Tokens'],
      cost: 'Usage',
    },
  },
  {
    // Usage dashboard, and GET /v1/organization/usage/completions: https://platform.openai.com/docs/api-reference/usage.
    // `input_tokens` includes the cached ones.
    id: 'openai-usage',
    name: 'OpenAI usage',
    vendor: 'openai',
    recognizedBy: ['start_time', 'num_model_requests', 'input_tokens'],
    mapping: {
      ...base,
      time: 'start_time',
      model: 'model',
      requests: 'num_model_requests',
      input: ['input_tokens'],
      output: ['output_tokens'],
    },
  },
  {
    // Usage dashboard, Costs
    id: 'openai-costs',
    name: 'OpenAI costs',
    vendor: 'openai',
    recognizedBy: ['start_time', 'amount_value', 'line_item'],
    getModel: beforeComma,
    currency: 'amount_currency',
    mapping: { ...base, time: 'start_time', model: 'line_item', cost: 'amount_value' },
  },
  {
    // GET /v1/organization/costs: https://platform.openai.com/docs/api-reference/usage/costs
    id: 'openai-costs-api',
    name: 'OpenAI costs (API)',
    vendor: 'openai',
    recognizedBy: ['start_time', 'amount.value'],
    getModel: beforeComma,
    currency: 'amount.currency',
    mapping: { ...base, time: 'start_time', model: 'line_item', cost: 'amount.value' },
  },
  {
    // Claude Console, Usage, Export. Input, cache reads and cache writes never overlap.
    id: 'anthropic-usage',
    name: 'Anthropic usage',
    vendor: 'anthropic',
    recognizedBy: ['usage_date_utc', 'model_version', 'usage_output_tokens'],
    mapping: {
      ...base,
      time: 'usage_date_utc',
      model: 'model_version',
      input: [
        'usage_input_tokens_no_cache',
        'usage_input_tokens_cache_write_5m',
        'usage_input_tokens_cache_write_1h',
        'usage_input_tokens_cache_read',
      ],
      output: ['usage_output_tokens'],
    },
  },
  {
    // Claude Console, Cost, Export: a row for each kind of token
    id: 'anthropic-cost',
    name: 'Anthropic cost',
    vendor: 'anthropic',
    recognizedBy: ['usage_date_utc', 'model', 'cost_usd'],
    mapping: { ...base, time: 'usage_date_utc', model: 'model', cost: 'cost_usd' },
  },
  {
    // GET /v1/organizations/usage_report/messages: https://platform.claude.com/docs/en/build-with-claude/usage-cost-api
    id: 'anthropic-usage-api',
    name: 'Anthropic usage report (API)',
    vendor: 'anthropic',
    recognizedBy: ['starting_at', 'uncached_input_tokens', 'output_tokens'],
    mapping: {
      ...base,
      time: 'starting_at',
      model: 'model',
      input: [
        'uncached_input_tokens',
        'cache_creation.ephemeral_5m_input_tokens',
        'cache_creation.ephemeral_1h_input_tokens',
        'cache_read_input_tokens',
      ],
      output: ['output_tokens'],
    },
  },
  {
    // GET /v1/organizations/cost_report: https://platform.claude.com/docs/en/api/admin/cost_report. `amount` is in cents.
    id: 'anthropic-cost-api',
    name: 'Anthropic cost report (API)',
    vendor: 'anthropic',
    recognizedBy: ['starting_at', 'amount', 'currency'],
    currency: 'currency',
    mapping: { ...base, time: 'starting_at', model: 'model', cost: 'amount', costUnit: 'cents' },
  },
  {
    // Cloud Billing, Reports, Download CSV, grouped by SKU with a column for the day
    id: 'google-report',
    name: 'Google Cloud billing report',
    ...google,
    recognizedBy: ['Date', 'Service description', 'SKU description', 'Unrounded subtotal ($)'],
    mapping: { ...base, time: 'Date', model: 'SKU description', cost: 'Unrounded subtotal ($)' },
  },
  {
    // Cloud Billing, Cost table, Download CSV
    id: 'google-cost-table',
    name: 'Google Cloud cost table',
    ...google,
    recognizedBy: ['Service description', 'SKU description', 'Usage start date', 'Unrounded cost ($)'],
    mapping: { ...base, time: 'Usage start date', model: 'SKU description', cost: 'Unrounded cost ($)' },
  },
]

/** The format whose columns a file has; null if none is known. */
export function findFormat(columns: readonly string[]): ExportFormat | null {
  const names = new Set(columns.map(foldName))
  return (
    EXPORT_FORMATS.find(({ recognizedBy }) => recognizedBy.every((name) => names.has(foldName(name)))) ?? null
  )
}

/** Exports of different dates differ in their capitals. */
export function foldName(name: string): string {
  return name.trim().toLowerCase()
}
