const SEPARATOR = ' · '

/** The headings of docs/contract.md, in order. */
export const SECTIONS = [
  'Listening',
  'HTTP',
  'Headless',
  'Backups',
  'API keys',
  'Scopes',
  'Charges',
  'Caps',
  'Account',
  'Estimator',
  'Chat requests',
  'Chat answers',
  'Streaming',
  'Upstream calls',
  'Errors',
  'Rate limits',
  'Idempotency',
  'Models',
  'Providers',
  'Plans and agents',
  'Requests and usage',
  'OpenAPI',
  'Embeddings, images and audio',
  'Batches',
  'Client libraries',
] as const
export type Section = (typeof SECTIONS)[number]

export function ruleName(section: Section, text: string): string {
  return section + SEPARATOR + text
}

/** The section and the rule in a test's name; null for a test that is not a rule. */
export function readRule(testName: string): { section: Section; text: string } | null {
  const [name, ...rest] = testName.split(SEPARATOR)
  const section = SECTIONS.find((each) => each === name)
  return section && rest.length > 0 ? { section, text: rest.join(SEPARATOR) } : null
}
