// The real tools that Connect's instructions are tested with: pinned packages, and how to call each without a terminal.
import type { ApiFormat } from '../../shared/api/providers.ts'
import type { SessionSource } from '../../shared/api/sessions.ts'

export interface Tool {
  /** The id of its instructions under Connect. */
  id: string
  /** npm packages at exact versions; empty if this project already depends on them. */
  packages: readonly string[]
  /**
   * The command that asks it a question after the setup, and lets it run tools without confirmation. Null if the
   * instructions include the question.
   */
  ask: ((prompt: string, model: string) => readonly string[]) | null
  /** Null if it is not an agent. */
  agent: Agent | null
  /**
   * The ways in which `tollgate run` is tested with it: unconfigured, from a script, or with another configuration in the
   * home folder.
   */
  runs?: readonly RunCase[]
  /** The API format that it speaks: `tollgate run` is also tested over a mock of a provider with it, and on the sandbox. */
  speaks?: ApiFormat
  /** How it is signed in to a plan. */
  plan?: PlanCase
  /** How it lists its MCP servers, and what it then says of one that works. */
  mcp?: { words: readonly string[]; shows: RegExp }
}

export interface RunCase {
  name: string
  inScript?: true
  /** Replaces the tool's own folder below the home folder. */
  own?: { folder: string; files: Readonly<Record<string, string>> }
}

export interface PlanCase {
  /** The provider of the plan. */
  provider: string
  model: string
  /** Its made-up credential. */
  token: string
  /** Its User-Agent. */
  agent: RegExp
  /** Arguments that name the model. */
  words: readonly string[]
  env: Readonly<Record<string, string>>
  own?: RunCase['own']
}

const CLAUDE_TOKEN = 'sk-ant-oat01-made-up-for-tests-0123456789abcdefghijklmnopqrstuvwxyz'

/** A made-up JSON Web Token, valid until 2100. */
function createToken(claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ exp: 4_102_444_800, ...claims })}.made-up`
}

const ACCOUNT = { chatgpt_account_id: 'acc-made-up', chatgpt_plan_type: 'plus' }
const CHATGPT_TOKEN = createToken({ email: 'ann@example.org', 'https://api.openai.com/auth': ACCOUNT })

const PLAIN: readonly RunCase[] = [{ name: 'as it is' }]

export interface Agent {
  /** The name of its tool that runs commands. */
  shell: string
  /** Its name in the request log. */
  client: string
  /** The source that makes its run a session. */
  session: SessionSource
  /** Its request for a title, if it makes one, has another session. */
  titlesApart?: true
  /** Its log does not have that request. */
  titlesUnlogged?: true
  /** `tollgate import` does not read its log. */
  log?: false
  /** The text that it shows instead of the message of a 403. */
  forbiddenText?: RegExp
}

/** Selects this platform's program of a package with one per platform, without an install script. */
const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

export const tools: readonly Tool[] = [
  { id: 'curl', packages: [], ask: null, agent: null },
  { id: 'node', packages: [], ask: () => ['node', 'hello.mjs'], agent: null },
  { id: 'anthropic-sdk', packages: [], ask: () => ['node', 'hello.mjs'], agent: null },
  { id: 'google-genai', packages: [], ask: () => ['node', 'hello.mjs'], agent: null },
  { id: 'ai-sdk', packages: [], ask: () => ['node', 'hello.ts'], agent: null },
  { id: 'langchain', packages: [], ask: () => ['node', 'hello.ts'], agent: null },
  {
    id: 'continue',
    packages: ['@continuedev/cli@1.5.47'],
    ask: (prompt) => ['cn', '--auto', '-p', prompt],
    agent: { shell: 'Bash', client: 'OpenAI/JS', session: 'pause', log: false },
    runs: PLAIN,
  },
  {
    id: 'cline',
    packages: ['cline@3.0.65'],
    ask: (prompt) => ['cline', prompt],
    agent: { shell: 'run_commands', client: 'ai-sdk/openai-compatible', session: 'pause' },
    runs: PLAIN,
  },
  {
    id: 'opencode',
    packages: [`opencode-${platform}@1.18.33`],
    ask: (prompt, model) => ['opencode', 'run', '-m', `tollgate/${model}`, prompt],
    agent: { shell: 'bash', client: 'opencode', session: 'opencode', titlesUnlogged: true },
    runs: PLAIN,
    speaks: 'openai-chat',
    mcp: { words: ['opencode', 'mcp', 'list'], shows: /tollgate connected/ },
  },
  {
    id: 'kilo',
    packages: [`@kilocode/cli-${platform}@7.7.9`],
    ask: (prompt, model) => ['kilo', 'run', '-m', `tollgate/${model}`, prompt],
    agent: { shell: 'bash', client: 'Kilo Code', session: 'header', titlesApart: true, titlesUnlogged: true },
    runs: PLAIN,
  },
  {
    id: 'qwen',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    ask: (prompt) => ['qwen', '--yolo', '-p', prompt],
    agent: { shell: 'run_shell_command', client: 'Qwen Code', session: 'pause' },
    runs: [...PLAIN, { name: 'never set up', own: { folder: '.qwen', files: {} } }],
  },
  {
    id: 'copilot',
    packages: ['@github/copilot@1.0.102'],
    ask: (prompt) => ['copilot', '--allow-all-tools', '-p', prompt],
    agent: {
      shell: 'bash',
      client: 'OpenAI/JS',
      session: 'pause',
      forbiddenText: /Authentication failed .*\(HTTP 403\)/,
    },
    runs: PLAIN,
  },
  {
    id: 'pi',
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    ask: (prompt, model) => ['pi', '--provider', 'tollgate', '--model', model, '-p', prompt],
    agent: { shell: 'bash', client: 'OpenAI/JS', session: 'pause' },
    runs: PLAIN,
  },
  {
    id: 'codex',
    packages: ['@openai/codex@0.169.0'],
    ask: (prompt) => [
      'codex',
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
    agent: { shell: 'exec_command', client: 'Codex', session: 'codex' },
    runs: [...PLAIN, { name: 'in a script', inScript: true }],
    speaks: 'openai-responses',
    plan: {
      provider: 'chatgpt-plan',
      model: 'gpt-5',
      token: CHATGPT_TOKEN,
      agent: /^codex/,
      words: ['-m', 'gpt-5'],
      env: {},
      own: {
        folder: '.codex',
        files: {
          'auth.json': JSON.stringify({
            auth_mode: 'chatgpt',
            OPENAI_API_KEY: null,
            tokens: {
              id_token: CHATGPT_TOKEN,
              access_token: CHATGPT_TOKEN,
              refresh_token: 'made-up',
              account_id: ACCOUNT.chatgpt_account_id,
            },
            last_refresh: new Date().toISOString(),
          }),
        },
      },
    },
    mcp: { words: ['codex', 'mcp', 'list'], shows: /^tollgate .* enabled/m },
  },
  {
    id: 'claude-code',
    packages: [`@anthropic-ai/claude-code-${platform}@2.1.330`],
    ask: (prompt) => ['claude', '--allowedTools', 'Bash', '-p', prompt],
    agent: { shell: 'Bash', client: 'Claude Code', session: 'claude-code' },
    runs: PLAIN,
    speaks: 'anthropic-messages',
    plan: {
      provider: 'claude-plan',
      model: 'claude-opus-5',
      token: CLAUDE_TOKEN,
      agent: /^claude-cli\//,
      words: ['--model', 'claude-opus-5'],
      env: { CLAUDE_CODE_OAUTH_TOKEN: CLAUDE_TOKEN },
    },
    mcp: { words: ['claude', 'mcp', 'list'], shows: /tollgate: .* Connected/ },
  },
  {
    id: 'gemini',
    packages: ['@google/gemini-cli@0.61.0'],
    ask: (prompt) => ['gemini', '--skip-trust', '--yolo', '-p', prompt],
    agent: { shell: 'run_shell_command', client: 'Gemini CLI', session: 'pause' },
    runs: [
      ...PLAIN,
      { name: 'never set up', own: { folder: '.gemini', files: {} } },
      {
        name: 'signed in with Google',
        own: {
          folder: '.gemini',
          files: { 'settings.json': '{"security":{"auth":{"selectedType":"oauth-personal"}}}' },
        },
      },
    ],
  },
]
