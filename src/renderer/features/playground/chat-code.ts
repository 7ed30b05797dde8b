import { type ChatInput, toRequestBody } from '../../data/chat-stream.ts'
import { toPython } from '../../parts/snippets/quoting.ts'

export const CODE_KINDS = ['curl', 'Python', 'TypeScript'] as const
export type CodeKind = (typeof CODE_KINDS)[number]

const writeCode: Record<CodeKind, (input: ChatInput, baseUrl: string) => string> = {
  curl(input, baseUrl) {
    const body = JSON.stringify(toRequestBody(input), null, 2)
    return [
      `curl ${baseUrl}/chat/completions \\`,
      `  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\`,
      `  -H "Content-Type: application/json" \\`,
      `  -d '${body.replaceAll("'", "'\\''")}'`,
    ].join('\n')
  },
  Python(input, baseUrl) {
    // The openai package rejects unknown arguments; it forwards the fields of `extra_body`.
    const { extra, ...known } = input
    const body = extra === undefined ? toRequestBody(known) : { ...toRequestBody(known), extra_body: extra }
    const fields = Object.entries(body).map(([name, value]) => `    ${name}=${toPython(value, 1)},`)
    return `import os

from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["TOLLGATE_API_KEY"])

completion = client.chat.completions.create(
${fields.join('\n')}
)
print(completion.choices[0].message.content)`
  },
  TypeScript(input, baseUrl) {
    return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: process.env.TOLLGATE_API_KEY,
})

const completion = await client.chat.completions.create(${JSON.stringify(toRequestBody(input), null, 2)})
console.log(completion.choices[0]?.message.content)`
  },
}

/** A chat as code that sends the same request. It reads the key from the environment, so that no script contains one. */
export function writeChatCode(kind: CodeKind, input: ChatInput, baseUrl: string): string {
  return writeCode[kind](input, baseUrl)
}
