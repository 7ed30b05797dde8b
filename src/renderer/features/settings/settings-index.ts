// Every setting, by the headings of the Settings view: for its addresses, its search and the command palette.

export const SECTION_TITLES = [
  'Gateway',
  'Network',
  'Limits',
  'Runaway guard',
  'Notifications',
  'Records',
  'Integrations',
  'Browser access (CORS)',
  'Appearance',
  'Backup and restore',
  'Updates',
  'Diagnostics',
  'Advanced',
  'About',
] as const
export type SectionTitle = (typeof SECTION_TITLES)[number]

export interface Setting {
  /** The heading of its row. */
  name: string
  section: SectionTitle
  /** Other words for it, lowercase. */
  keywords: string
  /** Only in the desktop app, not in a browser. */
  desktopOnly?: true
}

export const settingsIndex: readonly Setting[] = [
  { name: 'Port', section: 'Gateway', keywords: 'base url address listen localhost 127.0.0.1 server' },
  {
    name: 'Launch at login',
    section: 'Gateway',
    keywords: 'autostart start background boot startup',
    desktopOnly: true,
  },
  {
    name: 'Containers',
    section: 'Gateway',
    keywords: 'docker network host.docker.internal bridge',
  },
  {
    name: 'This computer’s proxy and certificates',
    section: 'Network',
    keywords: 'https_proxy no_proxy socks company corporate vpn ca certificate tls outbound',
  },
  { name: 'Monthly limit', section: 'Limits', keywords: 'cap budget spend account maximum usd month' },
  {
    name: 'Further limits',
    section: 'Limits',
    keywords: 'cap budget spend day week session project tag model rolling warn usd',
  },
  {
    name: 'Strict limits',
    section: 'Limits',
    keywords: 'cap budget spend exceed over hard limit worst case',
  },
  { name: 'Requests per minute', section: 'Limits', keywords: 'rpm rate limit 429 throttle' },
  { name: 'Tokens per minute', section: 'Limits', keywords: 'tpm rate limit 429 throttle' },
  {
    name: 'Pause runaway keys',
    section: 'Runaway guard',
    keywords: 'loop agent stop pause detect repeat retry',
  },
  { name: 'Sensitivity', section: 'Runaway guard', keywords: 'loop low standard high threshold' },
  {
    name: 'Spend alerts',
    section: 'Notifications',
    keywords: 'notify warning threshold percent cap monthly limit',
  },
  { name: 'Custom thresholds', section: 'Notifications', keywords: 'alert notify percent' },
  { name: 'Webhook', section: 'Notifications', keywords: 'alert url http post signed slack chat' },
  { name: 'Keep requests for', section: 'Records', keywords: 'retention delete old log days history' },
  { name: 'Maximum request log size', section: 'Records', keywords: 'disk space database megabytes storage' },
  {
    name: 'Record requests before sending them',
    section: 'Records',
    keywords: 'durability strict ledger power cut',
  },
  {
    name: 'Store prompts and answers',
    section: 'Records',
    keywords: 'log bodies messages content privacy capture replay 30 minutes',
  },
  {
    name: 'Stored prompts and answers',
    section: 'Records',
    keywords: 'delete bodies messages privacy remove',
  },
  { name: 'Time zone', section: 'Records', keywords: 'timezone days months calendar clock utc' },
  {
    name: 'OpenTelemetry',
    section: 'Integrations',
    keywords: 'otel otlp traces metrics spans collector observability langfuse grafana datadog',
  },
  { name: 'Prometheus', section: 'Integrations', keywords: 'metrics scrape grafana monitoring' },
  { name: 'MCP server', section: 'Integrations', keywords: 'agent tools model context protocol' },
  {
    name: 'Allowed origins',
    section: 'Browser access (CORS)',
    keywords: 'cors web page website origin extension',
  },
  { name: 'Theme', section: 'Appearance', keywords: 'dark light system colour color mode' },
  {
    name: 'Backups',
    section: 'Backup and restore',
    keywords: 'copy restore database export recover',
  },
  { name: 'New version', section: 'Updates', keywords: 'update upgrade release check download restart' },
  {
    name: 'Look for updates',
    section: 'Updates',
    keywords: 'automatic auto update off github signature',
    desktopOnly: true,
  },
  { name: 'Backup before an update', section: 'Updates', keywords: 'migration database downgrade' },
  {
    name: 'Checks',
    section: 'Diagnostics',
    keywords: 'doctor health port keychain disk clock database providers test problem',
  },
  {
    name: 'Crash reports',
    section: 'Diagnostics',
    keywords: 'error hang crashed minidump',
    desktopOnly: true,
  },
  { name: 'Diagnostics for a bug report', section: 'Diagnostics', keywords: 'copy support issue' },
  {
    name: 'Negotiated discount',
    section: 'Advanced',
    keywords: 'plan bundle percent off list price fee account',
  },
  { name: 'Data folder', section: 'About', keywords: 'path location files database directory' },
  { name: 'Log', section: 'About', keywords: 'file path errors debug' },
  { name: 'Provider credentials', section: 'About', keywords: 'keychain api key secret stored' },
  { name: 'Version', section: 'About', keywords: 'release update running since' },
  {
    name: 'Licenses',
    section: 'About',
    keywords: 'license licence open source mit copyright third party packages',
  },
]

/** The id of the section or row with this heading. */
export function settingAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** The address of the section or row with this heading. */
export function settingHref(heading: string): string {
  return `/settings#${settingAnchor(heading)}`
}

/** The names of the settings in which every word of the text occurs. `inDesktop`: those of the desktop app, too. */
export function findSettings(text: string, inDesktop: boolean): Set<string> {
  const words = text.toLowerCase().split(/\s+/)
  const found = settingsIndex.filter(({ name, section, keywords, desktopOnly }) => {
    if (desktopOnly && !inDesktop) return false
    const where = `${name} ${section} ${keywords}`.toLowerCase()
    return words.every((word) => where.includes(word))
  })
  return new Set(found.map(({ name }) => name))
}
