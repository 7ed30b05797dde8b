// Owns what a program needs to call the gateway: curl and the official SDKs. Pure text.
import type { Snippet, SnippetInput } from './snippets.ts'

export function codeSnippets({ baseUrl, secret, model }: SnippetInput): Snippet[] {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] })
  return [
    {
      id: 'curl',
      name: 'curl',
      kind: 'code',
      intro: null,
      blocks: [
        {
          title: 'Terminal',
          code: [
            `curl -i ${baseUrl}/chat/completions \\`,
            `  -H "Authorization: Bearer ${secret}" \\`,
            `  -H "Content-Type: application/json" \\`,
            `  -d '${body.replaceAll("'", "'\\''")}'`,
          ].join('\n'),
        },
      ],
    },
    {
      id: 'python',
      name: 'Python',
      kind: 'code',
      intro: 'The official openai package: pip install openai',
      blocks: [
        {
          title: 'hello.py',
          code: `from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(baseUrl)},
    api_key=${JSON.stringify(secret)},
)

completion = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Say hello."}],
)
print(completion.choices[0].message.content)`,
        },
      ],
    },
    {
      id: 'node',
      name: 'Node',
      kind: 'code',
      intro: 'The official openai package: npm install openai',
      blocks: [
        {
          title: 'hello.mjs',
          code: `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${baseUrl}',
  apiKey: '${secret}',
})

const completion = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Say hello.' }],
})
console.log(completion.choices[0].message.content)`,
        },
      ],
    },
  ]
}
