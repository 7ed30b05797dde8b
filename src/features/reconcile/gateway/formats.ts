// The exports of providers that are read: how each is recognized, and which column has what.

export interface ExportFormat {
  name: string
  /** The id that the vendor has among the known providers. */
  vendor: string
  /** Columns that no other format has together. */
  recognizedBy: readonly string[]
  /** Set where a row is a request; others have the sums of a day or another period. */
  counted?: 'request'
  time: string
  /** The model is the text up to a comma. */
  model: string
  requests?: string
  /** Columns whose sum is the prompt tokens, cached ones included. */
  input?: readonly string[]
  output?: string
  cost?: string
  costUnit?: 'cents'
  /** The column with the currency, which must be USD. */
  currency?: string
}

const generation = { counted: 'request', input: ['tokens_prompt'], output: 'tokens_completion' } as const

const EXPORT_FORMATS: readonly ExportFormat[] = [
  {
    // The columns of a generation log of the Activity page: https://openrouter.ai/docs/guides/guides/activity-export
    name: 'OpenRouter activity, by generation',
    vendor: 'openrouter',
    ...generation,
    recognizedBy: ['generation_id', 'created_at', 'cost_total', 'model_permaslug'],
    time: 'created_at',
    model: 'model_permaslug',
    cost: 'cost_total',
  },
  {
    // The generations of https://openrouter.ai/docs/api-reference/get-a-generation, saved as a list
    name: 'OpenRouter generations (API)',
    vendor: 'openrouter',
    ...generation,
    recognizedBy: ['created_at', 'model', 'total_cost', 'tokens_prompt', 'tokens_completion'],
    time: 'created_at',
    model: 'model',
    cost: 'total_cost',
  },
  {
    // GET /api/v1/activity: https://openrouter.ai/docs/client-sdks/typescript/models/activityitem
    name: 'OpenRouter activity (API)',
    vendor: 'openrouter',
    recognizedBy: ['date', 'model_permaslug', 'usage', 'prompt_tokens', 'completion_tokens'],
    time: 'date',
    model: 'model_permaslug',
    requests: 'requests',
    cost: 'usage',
    input: ['prompt_tokens'],
    output: 'completion_tokens',
  },
  {
    // The chart of the Activity page by model
    name: 'OpenRouter activity, by day',
    vendor: 'openrouter',
    recognizedBy: ['date', 'slug', 'usage', 'requests', 'prompt tokens', 'completion tokens'],
    time: 'date',
    model: 'slug',
    requests: 'requests',
    cost: 'usage',
    input: ['prompt tokens'],
    output: 'completion tokens',
  },
  {
    // Usage dashboard, and GET /v1/organization/usage/completions: https://platform.openai.com/docs/api-reference/usage.
    // `input_tokens` includes the cached ones.
    name: 'OpenAI usage',
    vendor: 'openai',
    recognizedBy: ['start_time', 'num_model_requests', 'input_tokens'],
    time: 'start_time',
    model: 'model',
    requests: 'num_model_requests',
    input: ['input_tokens'],
    output: 'output_tokens',
  },
  {
    // Usage dashboard, Costs
    name: 'OpenAI costs',
    vendor: 'openai',
    recognizedBy: ['start_time', 'amount_value', 'line_item'],
    time: 'start_time',
    model: 'line_item',
    cost: 'amount_value',
    currency: 'amount_currency',
  },
  {
    // GET /v1/organization/costs: https://platform.openai.com/docs/api-reference/usage/costs
    name: 'OpenAI costs (API)',
    vendor: 'openai',
    recognizedBy: ['start_time', 'amount.value'],
    time: 'start_time',
    model: 'line_item',
    cost: 'amount.value',
    currency: 'amount.currency',
  },
  {
    // Claude Console, Usage, Export. Input, cache reads and cache writes never overlap.
    name: 'Anthropic usage',
    vendor: 'anthropic',
    recognizedBy: ['usage_date_utc', 'model_version', 'usage_output_tokens'],
    time: 'usage_date_utc',
    model: 'model_version',
    output: 'usage_output_tokens',
    input: ['no_cache', 'cache_write_5m', 'cache_write_1h', 'cache_read'].map(
      (kind) => `usage_input_tokens_${kind}`,
    ),
  },
  {
    // Claude Console, Cost, Export: a row for each kind of token
    name: 'Anthropic cost',
    vendor: 'anthropic',
    recognizedBy: ['usage_date_utc', 'model', 'cost_usd'],
    time: 'usage_date_utc',
    model: 'model',
    cost: 'cost_usd',
  },
  {
    // GET /v1/organizations/usage_report/messages: https://platform.claude.com/docs/en/build-with-claude/usage-cost-api
    name: 'Anthropic usage report (API)',
    vendor: 'anthropic',
    recognizedBy: ['starting_at', 'uncached_input_tokens', 'output_tokens'],
    time: 'starting_at',
    model: 'model',
    output: 'output_tokens',
    input: [
      ...['uncached_input_tokens', 'cache_read_input_tokens'],
      ...['cache_creation.ephemeral_5m_input_tokens', 'cache_creation.ephemeral_1h_input_tokens'],
    ],
  },
  {
    // GET /v1/organizations/cost_report: https://platform.claude.com/docs/en/api/admin/cost_report. `amount` is in cents.
    name: 'Anthropic cost report (API)',
    vendor: 'anthropic',
    recognizedBy: ['starting_at', 'amount', 'currency'],
    time: 'starting_at',
    model: 'model',
    cost: 'amount',
    costUnit: 'cents',
    currency: 'currency',
  },
]

/** The format whose columns a row has; null if none is known. */
export function findFormat(cells: Readonly<Record<string, string>>): ExportFormat | null {
  return EXPORT_FORMATS.find(({ recognizedBy }) => recognizedBy.every((name) => name in cells)) ?? null
}
