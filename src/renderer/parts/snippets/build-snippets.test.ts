import { parse as parseToml } from '@decimalturn/toml-patch'
import { describe, expect, it } from 'vitest'
import { parse as load } from 'yaml'
import { pickModel } from '../../../shared/tools/tool-models.ts'
import { buildSnippets } from './build-snippets.ts'

const input = { baseUrl: 'http://127.0.0.1:8655/v1', secret: 'tg-secret', model: 'meta/llama-4' }
const findCode = (id: string) =>
  buildSnippets(input)
    .find((snippet) => snippet.id === id)
    ?.blocks.map(({ code }) => code)
    .join('\n') ?? ''

it('puts base URL, key and model into every snippet', () => {
  for (const { id } of buildSnippets(input)) {
    if (id === 'cursor') continue
    const { secret, model } = input
    const origin = 'http://127.0.0.1:8655'
    // Open WebUI fetches the list of models itself.
    const needed = id === 'open-webui' ? [origin, secret] : [origin, secret, model]
    for (const value of needed) expect(findCode(id), id).toContain(value)
  }
})

/** Names that need quoting in YAML, JavaScript, Python, JSON or a shell. */
const unusualNames = [
  '@cf/meta/llama-3.1-8b-instruct',
  '1.5',
  'no',
  'null',
  'a: b #c',
  "it's",
  'a "quoted" one',
  'back\\slash\\n',
  '$HOME `x` $(y)',
  'line\nbreak \u2028 \u0085',
  '東京-7b',
]

describe.each(unusualNames)('a model named %j is sent unchanged', (model) => {
  const findBlock = (id: string, title: string) =>
    buildSnippets({ ...input, model })
      .find((snippet) => snippet.id === id)
      ?.blocks.find((block) => block.title === title)?.code ?? ''

  it('in YAML', () => {
    const { baseUrl, secret } = input
    expect(load(findBlock('continue', '~/.continue/config.yaml'))).toMatchObject({
      models: [{ name: `${model} (Tollgate)`, model, apiBase: baseUrl, apiKey: secret }],
    })
    expect(load(findBlock('aider', '~/.aider.conf.yml'))).toEqual({
      'openai-api-base': baseUrl,
      'openai-api-key': secret,
      model: `openai/${model}`,
    })
    expect(load(findBlock('librechat', 'librechat.yaml'))).toMatchObject({
      endpoints: {
        allowedAddresses: ['127.0.0.1:8655'],
        custom: [{ apiKey: secret, baseURL: baseUrl, models: { default: [model] }, titleModel: model }],
      },
    })
  })

  it('in JSON', () => {
    const zed = JSON.parse(findBlock('zed', '~/.config/zed/settings.json'))
    expect(zed.language_models.openai_compatible.Tollgate).toMatchObject({
      api_url: input.baseUrl,
      available_models: [{ name: model }],
    })
    const options = { baseURL: input.baseUrl, apiKey: input.secret }
    for (const [id, title] of [
      ['opencode', '~/.config/opencode/opencode.json'],
      ['kilo', '~/.config/kilo/kilo.json'],
    ] as const) {
      expect(JSON.parse(findBlock(id, title)).provider.tollgate).toMatchObject({
        options,
        models: { [model]: { name: model } },
      })
      expect(JSON.parse(findBlock(id, title)).model).toBe(`tollgate/${model}`)
    }
    const qwen = JSON.parse(findBlock('qwen', '~/.qwen/settings.json'))
    expect([qwen.model.name, qwen.modelProviders.openai[0].id]).toEqual([model, model])
    const pi = JSON.parse(findBlock('pi', '~/.pi/agent/models.json'))
    expect(pi.providers.tollgate.models).toEqual([{ id: model }])
    const crush = JSON.parse(findBlock('crush', '~/.config/crush/crush.json'))
    expect(crush.models.large).toEqual({ provider: 'tollgate', model })
    const claude = JSON.parse(findBlock('claude-code', '~/.claude/settings.json'))
    expect(claude.env).toMatchObject({ ANTHROPIC_MODEL: model, ANTHROPIC_AUTH_TOKEN: input.secret })
    const gemini = JSON.parse(findBlock('gemini', '~/.gemini/settings.json'))
    expect(gemini).toEqual({ security: { auth: { selectedType: 'gemini-api-key' } }, model: { name: model } })
  })

  it('in TOML', () => {
    expect(parseToml(findBlock('codex', '~/.codex/config.toml'))).toEqual({
      model,
      model_provider: 'tollgate',
      model_providers: {
        tollgate: {
          name: 'Tollgate',
          base_url: input.baseUrl,
          env_key: 'TOLLGATE_API_KEY',
          wire_api: 'responses',
          supports_websockets: false,
        },
      },
    })
  })

  it.each([
    ['node', 'hello.mjs', input.baseUrl],
    ['anthropic-sdk', 'hello.mjs', 'http://127.0.0.1:8655'],
    ['google-genai', 'hello.mjs', 'http://127.0.0.1:8655'],
    ['ai-sdk', 'hello.ts', input.baseUrl],
    ['langchain', 'hello.ts', input.baseUrl],
  ])('in JavaScript: %s', async (id, title, baseUrl) => {
    const said = await stringsIn(findBlock(id, title))
    expect(said).toEqual(expect.arrayContaining([baseUrl, input.secret, model]))
  })

  it.each([
    ['python', 'hello.py'],
    ['anthropic-sdk', 'hello.py'],
    ['google-genai', 'hello.py'],
    ['langchain', 'hello.py'],
  ])('in Python, whose strings are JSON’s: %s', (id, title) => {
    expect(findBlock(id, title)).toContain(`model=${JSON.stringify(model)},`)
  })
})

/** Every string that the code passes to the packages it imports. */
async function stringsIn(code: string): Promise<string[]> {
  const strings: string[] = []
  const stub: unknown = new Proxy(class {}, {
    get: (_, name) => (name === 'then' ? undefined : stub),
    apply: (_, __, given) => collect(given),
    construct: (_, given) => collect(given),
  })
  const collect = (given: unknown[]) => {
    JSON.stringify(given, (_, value: unknown) => {
      if (typeof value === 'string') strings.push(value)
      return value
    })
    return Object(stub)
  }
  const names = [...code.matchAll(/^import \{? ?(\w+)/gm)].map((match) => match[1] ?? '')
  const body = code.replace(/^import .*$/gm, '')
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  await new AsyncFunction(...names, 'console', body)(...names.map(() => stub), { log: () => {} })
  return strings
}

it('asks the AI SDK to send the schema of an object', () => {
  expect(findCode('ai-sdk')).toContain('supportsStructuredOutputs: true')
})

it('leads with the most used tools, and says why Cursor cannot be connected', () => {
  const names = buildSnippets(input).map(({ name }) => name)
  expect(names.slice(0, 5)).toEqual(['Claude Code', 'Codex', 'GitHub Copilot CLI', 'Gemini CLI', 'Cline'])
  expect(buildSnippets(input).find(({ id }) => id === 'cursor')).toMatchObject({
    blocks: [],
    caution: expect.stringContaining('cannot reach this computer'),
  })
})

it('gives tools that add the version themselves a base URL without it', () => {
  for (const id of ['claude-code', 'gemini', 'anthropic-sdk', 'google-genai']) {
    expect(findCode(id), id).not.toContain('/v1')
  }
})

it('prefers a priced model of a real provider over the sandbox', () => {
  const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
  const sandbox = { id: 'sandbox-large', provider: 'sandbox', pricing }
  const unpriced = { id: 'a-local-one', provider: 'here', pricing: null }
  expect(pickModel([unpriced, sandbox, { id: 'gpt-5.5', provider: 'openai', pricing }])).toBe('gpt-5.5')
  expect(pickModel([unpriced, sandbox])).toBe('a-local-one')
  expect(pickModel([sandbox])).toBe('sandbox-small')
})
