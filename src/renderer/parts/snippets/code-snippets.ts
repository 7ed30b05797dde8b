import { getOrigin } from '../../../shared/tools/tool-config.ts'
import { quoteShell, type Snippet, type SnippetInput } from './snippet.ts'

export function buildCodeSnippets({ baseUrl, secret, model }: SnippetInput): Snippet[] {
  const origin = getOrigin(baseUrl)
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] })
  const snippets: Omit<Snippet, 'group'>[] = [
    {
      id: 'curl',
      name: 'curl',
      intro: null,
      blocks: [
        {
          title: 'Terminal',
          code: `curl -i ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d ${quoteShell(body)}`,
        },
      ],
    },
    {
      id: 'python',
      name: 'Python',
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
      intro: 'The official openai package: npm install openai',
      blocks: [
        {
          title: 'hello.mjs',
          code: `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: ${JSON.stringify(secret)},
})

const completion = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: 'Say hello.' }],
})
console.log(completion.choices[0].message.content)`,
        },
      ],
    },
    {
      id: 'anthropic-sdk',
      name: 'Anthropic SDK',
      intro:
        'pip install anthropic, or npm install @anthropic-ai/sdk. The base URL has no /v1: the SDK adds it.',
      blocks: [
        {
          title: 'hello.py',
          code: `from anthropic import Anthropic

client = Anthropic(
    base_url=${JSON.stringify(origin)},
    auth_token=${JSON.stringify(secret)},
)

message = client.messages.create(
    model=${JSON.stringify(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Say hello."}],
)
print(message.content[0].text)`,
        },
        {
          title: 'hello.mjs',
          code: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: ${JSON.stringify(origin)},
  authToken: ${JSON.stringify(secret)},
})

const message = await client.messages.create({
  model: ${JSON.stringify(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Say hello.' }],
})
console.log(message.content[0].text)`,
        },
      ],
    },
    {
      id: 'google-genai',
      name: 'Google Gen AI SDK',
      intro:
        'pip install google-genai, or npm install @google/genai. The base URL has no /v1: the SDK adds the version.',
      blocks: [
        {
          title: 'hello.py',
          code: `from google import genai
from google.genai import types

client = genai.Client(
    api_key=${JSON.stringify(secret)},
    http_options=types.HttpOptions(base_url=${JSON.stringify(origin)}),
)

response = client.models.generate_content(
    model=${JSON.stringify(model)},
    contents="Say hello.",
)
print(response.text)`,
        },
        {
          title: 'hello.mjs',
          code: `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: ${JSON.stringify(secret)},
  httpOptions: { baseUrl: ${JSON.stringify(origin)} },
})

const response = await client.models.generateContent({
  model: ${JSON.stringify(model)},
  contents: 'Say hello.',
})
console.log(response.text)`,
        },
      ],
    },
    {
      id: 'ai-sdk',
      name: 'Vercel AI SDK',
      intro:
        'npm install ai @ai-sdk/openai-compatible. Without includeUsage the SDK shows no tokens of a stream; without supportsStructuredOutputs it sends no schema for an object.',
      blocks: [
        {
          title: 'hello.ts',
          code: [
            `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'`,
            `import { generateText } from 'ai'`,
            '',
            `const tollgate = createOpenAICompatible({`,
            `  name: 'tollgate',`,
            `  baseURL: ${JSON.stringify(baseUrl)},`,
            `  apiKey: ${JSON.stringify(secret)},`,
            `  includeUsage: true,`,
            `  supportsStructuredOutputs: true,`,
            `})`,
            '',
            `const { text } = await generateText({`,
            `  model: tollgate(${JSON.stringify(model)}),`,
            `  prompt: 'Say hello.',`,
            `})`,
            `console.log(text)`,
          ].join('\n'),
        },
      ],
    },
    {
      id: 'langchain',
      name: 'LangChain',
      intro: 'pip install langchain-openai, or npm install @langchain/openai.',
      blocks: [
        {
          title: 'hello.py',
          code: `from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model=${JSON.stringify(model)},
    base_url=${JSON.stringify(baseUrl)},
    api_key=${JSON.stringify(secret)},
)
print(model.invoke("Say hello.").content)`,
        },
        {
          title: 'hello.ts',
          code: `import { ChatOpenAI } from '@langchain/openai'

const model = new ChatOpenAI({
  model: ${JSON.stringify(model)},
  apiKey: ${JSON.stringify(secret)},
  configuration: { baseURL: ${JSON.stringify(baseUrl)} },
})
const answer = await model.invoke('Say hello.')
console.log(answer.content)`,
        },
      ],
    },
  ]
  return snippets.map((snippet) => ({ group: 'code', ...snippet }))
}
