// What editors and their assistants need to call the gateway, according to their own documentation.
import { quoteShell, quoteYaml } from './quoting.ts'
import type { Snippet, SnippetInput } from './snippet.ts'

export function buildEditorSnippets({ baseUrl, secret, model }: SnippetInput): Snippet[] {
  return [
    {
      id: 'continue',
      name: 'Continue',
      group: 'editor',
      intro: 'Add the model to your configuration file.',
      blocks: [
        {
          title: '~/.continue/config.yaml',
          code: `name: Tollgate
version: 1.0.0
schema: v1
models:
  - name: ${quoteYaml(`${model} (Tollgate)`)}
    provider: openai
    model: ${quoteYaml(model)}
    apiBase: ${quoteYaml(baseUrl)}
    apiKey: ${quoteYaml(secret)}
    roles:
      - chat
      - edit
      - apply`,
        },
      ],
    },
    {
      id: 'cline',
      name: 'Cline',
      group: 'editor',
      intro:
        'In VS Code, choose the API provider “OpenAI Compatible” in Cline’s settings and fill in three fields. The command does the same for the CLI.',
      blocks: [
        { title: 'Base URL', code: baseUrl },
        { title: 'API key', code: secret },
        { title: 'Model ID', code: model },
        {
          title: 'Terminal',
          code: `cline auth -p openai-compatible -k ${quoteShell(secret)} -m ${quoteShell(model)} -b ${quoteShell(baseUrl)}`,
        },
      ],
    },
    {
      id: 'aider',
      name: 'Aider',
      group: 'editor',
      intro: 'The openai/ prefix selects the API format in Aider; it is not part of the model’s name.',
      blocks: [
        {
          title: 'Terminal',
          code: [
            `export OPENAI_API_BASE=${quoteShell(baseUrl)}`,
            `export OPENAI_API_KEY=${quoteShell(secret)}`,
            `aider --model ${quoteShell(`openai/${model}`)}`,
          ].join('\n'),
        },
      ],
    },
    {
      id: 'zed',
      name: 'Zed',
      group: 'editor',
      intro:
        'Merge this into your settings. Zed does not read keys from there: enter the key under LLM Providers in the agent settings.',
      blocks: [
        {
          title: '~/.config/zed/settings.json',
          code: JSON.stringify(
            {
              language_models: {
                openai_compatible: {
                  Tollgate: {
                    api_url: baseUrl,
                    available_models: [
                      { name: model, display_name: `${model} (Tollgate)`, max_tokens: 128_000 },
                    ],
                  },
                },
              },
            },
            null,
            2,
          ),
        },
        { title: 'API key', code: secret },
      ],
    },
    {
      id: 'jetbrains',
      name: 'JetBrains IDEs',
      group: 'editor',
      intro:
        'In the settings of the AI Assistant, add an OpenAI-compatible provider and fill in three fields.',
      blocks: [
        { title: 'URL', code: baseUrl },
        { title: 'API key', code: secret },
        { title: 'Model', code: model },
      ],
    },
  ]
}
