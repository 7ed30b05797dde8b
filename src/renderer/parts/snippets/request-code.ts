import { quoteShell, toPython } from './snippet.ts'

export const REQUEST_CODE_KINDS = ['curl', 'Python', 'TypeScript'] as const
export type RequestCodeKind = (typeof REQUEST_CODE_KINDS)[number]

export interface RecordedCall {
  /** `POST /v1/messages` */
  endpoint: string
  body: unknown
}

/** Reads the key from the environment, so that no script contains one. */
const writers: Record<RequestCodeKind, (call: ParsedCall) => string> = {
  curl: ({ method, url, body, headers }) =>
    [
      `curl ${method === 'POST' ? '' : `-X ${method} `}${quoteShell(url)}`,
      `-H "Authorization: Bearer $TOLLGATE_API_KEY"`,
      `-H "Content-Type: application/json"`,
      ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
      `-d ${quoteShell(JSON.stringify(body, null, 2))}`,
    ].join(' \\\n  '),
  Python: ({ method, url, body, headers }) => `import os

import requests

response = requests.request(
    ${JSON.stringify(method)},
    ${JSON.stringify(url)},
    headers={
        "Authorization": f"Bearer {os.environ['TOLLGATE_API_KEY']}",
${headers.map(([name, value]) => `        "${name}": "${value}",\n`).join('')}    },
    json=${toPython(body, 1)},
)
print(response.text)`,
  TypeScript: ({ method, url, body, headers }) => `const response = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: {
    Authorization: \`Bearer \${process.env.TOLLGATE_API_KEY}\`,
    'Content-Type': 'application/json',
${headers.map(([name, value]) => `    '${name}': '${value}',\n`).join('')}  },
  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),
})
console.log(await response.text())`,
}

interface ParsedCall {
  method: string
  url: string
  body: unknown
  /** The headers besides the key and the content type. */
  headers: [string, string][]
}

/** A recorded request as code that sends it again. `origin` is the gateway's address without a path. */
export function writeRequestCode(
  kind: RequestCodeKind,
  { endpoint, body }: RecordedCall,
  origin: string,
): string {
  const [method = 'POST', path = ''] = endpoint.split(' ')
  const query = path.endsWith(':streamGenerateContent') ? '?alt=sse' : ''
  const headers: [string, string][] = path.startsWith('/v1/messages')
    ? [['anthropic-version', '2023-06-01']]
    : []
  return writers[kind]({ method, url: `${origin}${path}${query}`, body, headers })
}

const PLACEHOLDER = 'Your message'

/** The body to send where the prompt was not stored: the same model, with a placeholder for the message. */
export function createPlaceholderBody(endpoint: string, model: string): unknown {
  const messages = [{ role: 'user', content: PLACEHOLDER }]
  if (endpoint.includes('enerateContent'))
    return { contents: [{ role: 'user', parts: [{ text: PLACEHOLDER }] }] }
  if (/\/(responses|embeddings|moderations|speech)$/.test(endpoint)) return { model, input: PLACEHOLDER }
  if (endpoint.includes('/v1/messages')) return { model, max_tokens: 1024, messages }
  if (endpoint.endsWith('/chat/completions')) return { model, messages }
  if (endpoint.endsWith('/rerank')) return { model, query: PLACEHOLDER, documents: [PLACEHOLDER] }
  return /\/(completions|generations)$/.test(endpoint) ? { model, prompt: PLACEHOLDER } : { model, messages }
}
