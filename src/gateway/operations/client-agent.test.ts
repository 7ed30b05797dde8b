import { expect, test } from 'vitest'
import { clientName } from '../store/sums/client-name.ts'
import { describeClient } from './inference.ts'

const kilo = 'Kilo-Code/7.7.9 ai-sdk/openai-compatible/2.0.1 (linux)'

test.each([
  // headers, stored client, name
  [{}, null, ''],
  [{ 'user-agent': 'curl/8.5.0' }, 'curl/8.5.0', 'curl'],
  [{ 'user-agent': '  ' }, null, ''],
  // SDKs whose class name was shortened by a bundler.
  [
    { 'user-agent': 'ls/JS 5.23.2', 'x-stainless-lang': 'js' },
    'OpenAI/JS 5.23.2 (sent as ls/JS 5.23.2)',
    'OpenAI/JS',
  ],
  [
    { 'user-agent': '$/JS 6.1.0', 'x-stainless-lang': 'js' },
    'OpenAI/JS 6.1.0 (sent as $/JS 6.1.0)',
    'OpenAI/JS',
  ],
  [
    { 'user-agent': 'aM/JS 1.11.0', 'x-stainless-lang': 'js', 'anthropic-version': '2023-06-01' },
    'Anthropic/JS 1.11.0 (sent as aM/JS 1.11.0)',
    'Anthropic/JS',
  ],
  [{ 'user-agent': 'Groq/JS 1.0.0', 'x-stainless-lang': 'js' }, 'Groq/JS 1.0.0', 'Groq/JS'],
  [{ 'user-agent': 'ls/JS 5.23.2' }, 'ls/JS 5.23.2', 'ls/JS'],
  // Apps that send their name in addition to that of their library.
  [
    { 'user-agent': kilo, 'x-title': 'Kilo Code' },
    'Kilo Code (Kilo-Code/7.7.9 ai-sdk/openai-compatible/2.0.1 [linux])',
    'Kilo Code',
  ],
  [
    { 'user-agent': 'ls/JS 5.23', 'x-stainless-lang': 'js', 'x-openrouter-title': 'Continue' },
    'Continue (OpenAI/JS 5.23 [sent as ls/JS 5.23])',
    'Continue',
  ],
  [{ 'x-title': 'Roo Code' }, 'Roo Code', 'Roo Code'],
  // The playground, in the app and in a browser.
  [
    { 'user-agent': 'Mozilla/5.0 (X11) Firefox/145.0', 'x-tollgate-bill-to': 'playground' },
    'Tollgate',
    'Tollgate',
  ],
  [{ 'x-title': 'My (own) app', 'user-agent': 'node' }, 'My [own] app (node)', 'My [own] app'],
  [{ 'x-title': '', 'user-agent': 'node' }, 'node', 'node'],
  // Agents by the name that users know.
  [
    { 'user-agent': 'codex_exec/0.169.0 (Debian 12; x86_64) unknown' },
    'Codex (codex_exec/0.169.0 [Debian 12; x86_64] unknown)',
    'Codex',
  ],
  [{ 'user-agent': 'codex_cli_rs/0.169.0' }, 'Codex (codex_cli_rs/0.169.0)', 'Codex'],
  [
    { 'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)' },
    'Claude Code (claude-cli/2.1.330 [external, sdk-cli])',
    'Claude Code',
  ],
  [
    { 'user-agent': 'GeminiCLI/0.61.0/gemini-3-pro (linux; x64; terminal)' },
    'Gemini CLI (GeminiCLI/0.61.0/gemini-3-pro [linux; x64; terminal])',
    'Gemini CLI',
  ],
  [{ 'user-agent': 'QwenCode/0.24.4 (linux; x64)' }, 'Qwen Code (QwenCode/0.24.4 [linux; x64])', 'Qwen Code'],
  [{ 'user-agent': 'opencode/1.18.33' }, 'opencode/1.18.33', 'opencode'],
  // Invalid: control characters, characters that change the text direction, and excessive length.
  [{ 'user-agent': 'tool\u0085\u009b31m\t1.0' }, 'tool 31m 1.0', 'tool'],
  [{ 'x-title': Buffer.from('Übung \u202e東京').toString('latin1') }, 'Übung 東京', 'Übung 東京'],
  [{ 'x-title': 'x'.repeat(500) }, 'x'.repeat(60), 'x'.repeat(60)],
  [{ 'user-agent': '🙂'.repeat(300) }, '🙂'.repeat(200), '🙂'.repeat(60)],
])('%j is stored as %j and named %j', (headers, stored, name) => {
  expect(describeClient(headers)).toBe(stored)
  expect(clientName(stored)).toBe(name)
})
