// What terminal coding agents need to call the gateway, according to their own documentation.
import { quoteShell } from './quoting.ts'
import type { Snippet, SnippetInput } from './snippet.ts'

export function buildAgentSnippets(input: SnippetInput): Snippet[] {
  const { baseUrl, secret, model } = input
  return [
    {
      id: 'opencode',
      name: 'opencode',
      group: 'editor',
      intro:
        'Put this file in a project, or in ~/.config/opencode for all projects. Then choose the model with /models.',
      blocks: [
        {
          title: 'opencode.json',
          code: JSON.stringify(openCodeConfig('https://opencode.ai/config.json', input), null, 2),
        },
      ],
    },
    {
      id: 'kilo',
      name: 'Kilo Code',
      group: 'editor',
      intro:
        'For the CLI: merge this into the file, then choose the model with /models. In VS Code, add a custom OpenAI-compatible provider with the same three values.',
      blocks: [
        {
          title: '~/.config/kilo/kilo.json',
          code: JSON.stringify(openCodeConfig('https://app.kilo.ai/config.json', input), null, 2),
        },
      ],
    },
    {
      id: 'qwen',
      name: 'Qwen Code',
      group: 'editor',
      intro: 'Merge this into the file.',
      blocks: [
        {
          title: '~/.qwen/settings.json',
          code: JSON.stringify(
            {
              env: { TOLLGATE_API_KEY: secret },
              modelProviders: {
                openai: [{ id: model, name: `${model} (Tollgate)`, baseUrl, envKey: 'TOLLGATE_API_KEY' }],
              },
              security: { auth: { selectedType: 'openai' } },
              model: { name: model },
            },
            null,
            2,
          ),
        },
      ],
    },
    {
      id: 'copilot',
      name: 'GitHub Copilot CLI',
      group: 'editor',
      intro: 'With your own provider it needs no GitHub account. It reads these variables when it starts.',
      blocks: [
        {
          title: 'Terminal',
          code: [
            `export COPILOT_PROVIDER_BASE_URL=${quoteShell(baseUrl)}`,
            `export COPILOT_PROVIDER_API_KEY=${quoteShell(secret)}`,
            `export COPILOT_MODEL=${quoteShell(model)}`,
            'copilot',
          ].join('\n'),
        },
      ],
    },
    {
      id: 'pi',
      name: 'pi',
      group: 'editor',
      intro: 'Merge this into the file. Then choose the model with /model.',
      blocks: [
        {
          title: '~/.pi/agent/models.json',
          code: JSON.stringify(
            {
              providers: {
                tollgate: {
                  baseUrl,
                  api: 'openai-completions',
                  apiKey: secret,
                  models: [{ id: model }],
                },
              },
            },
            null,
            2,
          ),
        },
      ],
    },
  ]
}

/** opencode's configuration, which Kilo Code shares. */
function openCodeConfig($schema: string, { baseUrl, secret, model }: SnippetInput) {
  return {
    $schema,
    provider: {
      tollgate: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Tollgate',
        options: { baseURL: baseUrl, apiKey: secret },
        models: { [model]: { name: model } },
      },
    },
  }
}
