// The window loads the routes first: no schema.

export const promptRoutes = {
  getCaching: { method: 'GET', path: '/v1/usage/caching' },
} as const

/** The parts that fill a prompt, and the causes for which a provider no longer had the beginning of one in its cache. */
export const PROMPT_PARTS = ['system', 'tools', 'history', 'results', 'media'] as const
export const CACHE_CAUSES = [
  'lifetime',
  'model',
  'tools',
  'tool-order',
  'system',
  'history',
  'compaction',
  'unknown',
] as const
