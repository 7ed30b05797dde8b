import { expect, test } from 'vitest'
import { clientName } from './client-name.ts'

test.each([
  // SDKs.
  ['OpenAI/JS 7.55.0', 'OpenAI/JS'],
  ['OpenAI/Python 1.2.3', 'OpenAI/Python'],
  ['AsyncOpenAI/Python 2.8.1', 'AsyncOpenAI/Python'],
  ['Anthropic/JS 1.11.0', 'Anthropic/JS'],
  ['ai/7.0.173 ai-sdk-provider-utils/5.0.81 node.js/24', 'ai-sdk'],
  [
    'ai-sdk/openai-compatible/3.0.92 ai-sdk/provider-utils/5.0.81 runtime/node.js/24',
    'ai-sdk/openai-compatible',
  ],
  ['opencode/1.18.0 ai-sdk/provider-utils/5.0.81', 'opencode'],
  ['langchainjs-openai/1.0.0 ((node/v24.21.0; linux; x64))', 'langchainjs-openai'],
  ['google-genai-sdk/3.1.0 gl-node/v24.21.0', 'google-genai-sdk'],
  ['claude-cli/2.0 (external, cli)', 'claude-cli'],
  ['codex_cli_rs/0.169.0 (Ubuntu 22.4.0; x86_64) xterm-256color', 'codex_cli_rs'],
  // Other programs.
  ['python-requests/2.31', 'python-requests'],
  ['curl/8.5.0', 'curl'],
  ['Go-http-client/1.1', 'Go-http-client'],
  ['node', 'node'],
  ['My Own App 1.2.3 beta', 'My Own App'],
  ['Visual Studio Code/1.106', 'Visual Studio Code'],
  ['tool/v2.0', 'tool'],
  // Browsers, and programs built on one.
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0',
    'Browser',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0', 'Browser'],
  ['Mozilla/5.0 (cut off in the midd', 'Browser'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) CherryStudio/1.7.2 Chrome/142.0.0.0 Electron/39.2.0 Safari/537.36',
    'CherryStudio',
  ],
  ['Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.26100', 'WindowsPowerShell'],
  // The playground, as earlier versions recorded it.
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Tollgate/0.1.0 Chrome/150.0.0.0 Electron/43.2.0 Safari/537.36',
    'Tollgate',
  ],
  // Without a usable name.
  [null, ''],
  ['', ''],
  ['   ', ''],
  ['7.55.0', ''],
  ['(only a comment)', ''],
  ['/1.0', ''],
  ['x'.repeat(200), 'x'.repeat(60)],
])('%s → %s', (userAgent, name) => {
  expect(clientName(userAgent)).toBe(name)
})
