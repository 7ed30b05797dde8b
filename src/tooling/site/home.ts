import { stringify } from 'yaml'

const FEATURES = [
  [
    'Caps that hold',
    'Money is reserved before a request is sent. At the cap, requests stop until you raise it.',
    'caps',
  ],
  [
    'Exact to the request',
    'Every request has a receipt: its tokens, the price and its source, and whether the cost is exact.',
    'money',
  ],
  [
    'Every tool, any model',
    'Clients of OpenAI, Anthropic and Google, with any provider behind them.',
    'connect',
  ],
  [
    'Private',
    'Credentials are in your keychain, prompts are not stored, and nothing is sent to us.',
    'security',
  ],
  ['Fast', 'Measured with caps, prices and a durable log on, next to a bare proxy.', 'performance'],
  ['For agents', 'Each run gets its own key, cap and receipt. The guard pauses loops that run away.', 'cli'],
] as const

/** The first page, in the form of VitePress's theme. */
export function createHome(): string {
  return `---\n${stringify({
    layout: 'home',
    title: 'Tollgate',
    titleTemplate: 'a metered gateway to language models',
    hero: {
      name: 'Tollgate',
      text: 'Know what your agents spend. Stop it in time.',
      tagline: 'A private, metered gateway on your own machine to every language model you use.',
      image: {
        light: '/images/overview-light.png',
        dark: '/images/overview-dark.png',
        alt: 'The overview of Tollgate',
      },
      actions: [
        { theme: 'brand', text: 'Get started', link: '/start' },
        { theme: 'alt', text: 'Connect a tool', link: '/connect' },
      ],
    },
    features: FEATURES.map(([title, details, page]) => ({ title, details, link: `/${page}` })),
  })}---\n`
}
