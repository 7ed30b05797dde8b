import { expect, test } from 'vitest'
import type { ModelRecord } from '../../shared/api/models.ts'
import { childArguments, childEnvironment, programName, type RunTarget } from './environment.ts'

function model(id: string, provider: string): ModelRecord {
  return {
    id,
    object: 'model',
    type: 'model',
    created: 0,
    created_at: '2026-01-01T00:00:00.000Z',
    owned_by: provider,
    name: id,
    display_name: id,
    provider,
    providers: [provider],
    contextWindow: 200_000,
    maxOutputTokens: 64_000,
    pricing: { inputPerMillion: 1, outputPerMillion: 2 },
    priceOrigin: null,
    capabilities: ['tools'],
    capabilitiesKnown: true,
    retirement: null,
    fallbacks: [],
    enabled: true,
    overridden: false,
    override: null,
  }
}

const target: RunTarget = {
  baseUrl: 'http://127.0.0.1:8655/v1',
  secret: 'tg-secret',
  keyId: 'key_1',
  dataDir: '/data',
  models: [model('llama', 'groq')],
  model: null,
  plan: false,
}

test('Claude Code keeps its own choice of a model where Tollgate has Claude, and else gets one that exists', () => {
  const claude = { ...target, models: [model('claude-sonnet-5', 'anthropic'), ...target.models] }
  expect(childEnvironment({}, claude)).not.toHaveProperty('ANTHROPIC_MODEL')
  expect(childEnvironment({}, target)).toMatchObject({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:8655',
    ANTHROPIC_AUTH_TOKEN: 'tg-secret',
    ANTHROPIC_MODEL: 'llama',
  })
  const named = childEnvironment({}, { ...claude, model: 'llama' })
  expect(named).toMatchObject({
    ANTHROPIC_MODEL: 'llama',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'llama',
    GEMINI_MODEL: 'llama',
  })
})

test('variables that would win over the key are removed, and a proxy is not used for this computer', () => {
  const parent = {
    CLAUDE_CODE_USE_BEDROCK: '1',
    GOOGLE_API_KEY: 'x',
    PATH: '/bin',
    HTTP_PROXY: 'http://proxy',
    no_proxy: 'intranet',
  }
  const env = childEnvironment(parent, target)
  expect(env).not.toHaveProperty('CLAUDE_CODE_USE_BEDROCK')
  expect(env).not.toHaveProperty('GOOGLE_API_KEY')
  expect(env).toMatchObject({ PATH: '/bin', no_proxy: 'intranet,127.0.0.1,localhost' })
})

test('Codex gets overrides before its subcommand, without the secret', () => {
  const args = childArguments('/opt/bin/codex', ['exec', '-m', 'x'], { ...target, model: 'a "b"' })
  expect(args).toEqual([
    '-c',
    String.raw`model="a \"b\""`,
    '-c',
    'web_search="disabled"',
    '-c',
    'model_provider="tollgate"',
    '-c',
    'model_providers.tollgate={name="Tollgate",base_url="http://127.0.0.1:8655/v1",env_key="TOLLGATE_RUN_KEY",wire_api="responses",supports_websockets=false}',
    'exec',
    '-m',
    'x',
  ])
  expect(args.join(' ')).not.toContain('tg-secret')
  expect(childEnvironment({}, target)).toMatchObject({ TOLLGATE_RUN_KEY: 'tg-secret' })
  expect(childArguments('claude', ['-p'], target)).toEqual(['-p'])
  expect(programName('C:\\npm\\Codex.CMD')).toBe('codex')
})

test('with a plan, Claude Code and Codex keep their own sign-in, and the key comes in a header of its own', () => {
  const plan = { ...target, plan: true }
  const parent = {
    ANTHROPIC_API_KEY: 'sk-ant-api',
    ANTHROPIC_AUTH_TOKEN: 'tg-other',
    ANTHROPIC_CUSTOM_HEADERS: 'x-mine: 1',
    CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat',
  }
  const env = childEnvironment(parent, plan)
  expect(env).toMatchObject({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:8655',
    ANTHROPIC_CUSTOM_HEADERS: 'x-mine: 1\nx-tollgate-key: tg-secret',
    CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
    CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1',
    CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat',
  })
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_MODEL'])
    expect(env).not.toHaveProperty(name)
  const args = childArguments('codex', [], plan)
  expect(args.at(-1)).toContain(
    'requires_openai_auth=true,env_http_headers={"x-tollgate-key"="TOLLGATE_RUN_KEY"}',
  )
  expect(args.join(' ')).not.toMatch(/env_key=|tg-secret|model="/)
})
