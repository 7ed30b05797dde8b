// Owns a conversation as code that asks the same: curl, Python, TypeScript. Pure text. The key is read from the
// environment, so that none stands in a script.
import { type ChatInput, toRequestBody } from '../../chat-stream.ts'

export const CODE_KINDS = ['curl', 'Python', 'TypeScript'] as const
export type CodeKind = (typeof CODE_KINDS)[number]

const writers: Record<CodeKind, (ask: ChatInput, baseUrl: string) => string> = {
  curl(ask, baseUrl) {
    const body = JSON.stringify(toRequestBody(ask), null, 2)
    return [
      `curl ${baseUrl}/chat/completions \\`,
      `  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\`,
      `  -H "Content-Type: application/json" \\`,
      `  -d '${body.replaceAll("'", "'\\''")}'`,
    ].join('\n')
  },
  Python(ask, baseUrl) {
    // The package refuses arguments that it does not know; in `extra_body` it passes on any field.
    const { extra, ...known } = ask
    const body = extra === undefined ? toRequestBody(known) : { ...toRequestBody(known), extra_body: extra }
    const fields = Object.entries(body).map(([name, value]) => `    ${name}=${python(value, 1)},`)
    return `import os

from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["TOLLGATE_API_KEY"])

completion = client.chat.completions.create(
${fields.join('\n')}
)
print(completion.choices[0].message.content)`
  },
  TypeScript(ask, baseUrl) {
    return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: process.env.TOLLGATE_API_KEY,
})

const completion = await client.chat.completions.create(${JSON.stringify(toRequestBody(ask), null, 2)})
console.log(completion.choices[0]?.message.content)`
  },
}

export function chatCode(kind: CodeKind, ask: ChatInput, baseUrl: string): string {
  return writers[kind](ask, baseUrl)
}

/** A JSON value as a Python literal. A JSON string is one already, once its lone surrogates are out of the way. */
function python(value: unknown, depth: number): string {
  const pad = '    '.repeat(depth + 1)
  const end = '    '.repeat(depth)
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((one) => `${pad}${python(one, depth + 1)},`).join('\n')}\n${end}]`
  }
  if (typeof value === 'object') {
    const fields = Object.entries(value)
    if (fields.length === 0) return '{}'
    const lines = fields.map(([name, one]) => `${pad}${JSON.stringify(name)}: ${python(one, depth + 1)},`)
    return `{\n${lines.join('\n')}\n${end}}`
  }
  return JSON.stringify(value)
}
