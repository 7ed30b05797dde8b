// What the sandbox answers to questions about Tollgate. Each answer is documented in README.md or docs/, and has no code, tags or
// commands (prose.ts has the reason).

export interface Topic {
  /** A question with this answer. */
  example: string
  /** Whether other answers suggest the question. */
  suggested?: true
  pattern: RegExp
  answer: string
}

/** The first that matches a question answers it, so the special ones come first. */
export const topics: readonly Topic[] = [
  {
    example: 'How do I use Claude Code with Tollgate?',
    suggested: true,
    pattern: /\bclaude[ -]?code\b/i,
    answer:
      'Open **Connect** and choose Claude Code. The desktop app writes its settings for you, shows the changes first and can undo them; otherwise copy the text from there. Claude Code uses the base URL without /v1, by default `http://127.0.0.1:8655`, and a Tollgate key.',
  },
  {
    example: 'How do I use Codex with Tollgate?',
    pattern: /\bcodex\b/i,
    answer:
      'Open **Connect** and choose Codex. The desktop app writes its configuration for you, shows the changes first and can undo them; otherwise copy the text from there. Codex uses the base URL, by default `http://127.0.0.1:8655/v1`, and a Tollgate key.',
  },
  {
    example: 'Does Cursor work?',
    pattern: /\b(use|with|connect|does|can|set up|from|for|in) cursor\b/i,
    answer:
      'Cursor cannot be connected: it sends requests from its own servers, and those cannot reach this computer. Other tools in Cursor’s terminal work. **Connect** lists the tools that can be connected.',
  },
  {
    example: 'How do I add Ollama?',
    suggested: true,
    pattern: /\b(ollama|lm ?studio|llama\.?cpp|vllm)\b|\blocal (models?|servers?)\b/i,
    answer:
      'Start the local server, then open **Providers** and choose Add provider. Servers of Ollama, LM Studio, llama.cpp and vLLM on their usual ports are found automatically. Models on this computer cost nothing.',
  },
  {
    example: 'How do I connect from Docker?',
    suggested: true,
    pattern: /\b(docker|podman)\b|\b(from|inside|in|within) (a |my )?containers?\b/i,
    answer:
      'Turn on Containers in **Settings**, under Gateway. The base URL inside a container is then shown there, by default `http://host.docker.internal:8655/v1`. On Linux the container also needs the option `--add-host=host.docker.internal:host-gateway`.',
  },
  {
    example: 'What does error 401 mean?',
    pattern: /\b401\b|\bunauthori[sz]ed\b|\binvalid (api )?key\b/i,
    answer:
      '401 means that the key is missing, wrong or revoked. Check that the tool sends a key of Tollgate, which begins with tg-, and not the key of a provider. **Keys** lists your keys; if a secret is lost, create a new key.',
  },
  {
    example: 'What does error 402 mean?',
    pattern: /\b402\b|\binsufficient[ _]quota\b|\bout of credit\b/i,
    answer:
      '402 means that the cap of the key or the monthly limit is reached. Raise the cap under **Keys**, or the monthly limit in **Settings**, under Limits. Until then, retrying does not help.',
  },
  {
    example: 'What does error 429 mean?',
    pattern: /\b429\b|\brate[ -]?limit/i,
    answer:
      '429 means too many requests or tokens per minute, or that running requests have reserved the rest of a cap. Retry after the seconds in the header `Retry-After`. Rate limits are set for a key under **Keys**, and for all keys together in **Settings**, under Limits.',
  },
  {
    example: 'What does error 404 mean?',
    pattern: /\b404\b|\bmodel( was| is)? not found\b/i,
    answer:
      '404 means that there is no such model or endpoint. **Models** lists the names that can be called. Most tools need a base URL that ends in /v1.',
  },
  {
    example: 'What does error 502 mean?',
    pattern: /\b(408|502|503|504)\b|\bupstream[ _]error\b/i,
    answer:
      '408, 502, 503 and 504 mean that the provider failed or did not answer in time, also after two retries. Open the request in **Requests** to see each attempt, and test the provider under **Providers**.',
  },
  {
    example: 'How do I set a cap?',
    suggested: true,
    pattern:
      /\b(set|raise|change|remove|add|spend(ing)?|cost|key|is) (a |the |my )?(spend(ing)? )?caps?\b|\b(set|monthly|spending) (a |the |my )?budgets?\b|\b(spend(ing)?|cost|monthly) limits?\b|\blimit (the |my |what .{0,20})?(spend(ing)?|costs?|spends)\b/i,
    answer:
      'Open **Keys** and set a cap in the row of the key, or when you create it. At the cap, every request with that key gets 402 until you raise it. A monthly limit for all keys together is in **Settings**, under Limits.',
  },
  {
    example: 'Where are keys stored?',
    suggested: true,
    pattern:
      /\b(keys?|credentials?|secrets?)\b.*\b(stored?|saved?|kept|keep|safe|secure|encrypted)\b|\b(stores?|saves?|keeps?)\b.*\b(keys?|credentials?|secrets?)\b|\bkeychain\b/i,
    answer:
      'The credentials of providers are in the keychain of this computer and never in a file, unless Tollgate was started with another setting; **Settings**, under About, says which applies. Of a Tollgate key only a hash and the last four characters are stored, so its secret is shown once, when you create it.',
  },
  {
    example: 'Are my prompts stored?',
    suggested: true,
    pattern:
      /\b(prompts?|answers?|messages|conversations?|my data)\b.{0,30}\b(stored?|saved?|kept|keep|recorded?|logged|private|sent)\b|\b(is|gets|do you|does (it|tollgate)) (logg(ed|ing)|log|record(ed)?)\b|\b(privacy|telemetry)\b|\b(stores?|saves?|records?|logs?) (my |the )?(prompts?|answers?|messages|data)\b/i,
    answer:
      'Prompts and answers are not stored unless you turn that on, in **Settings** under Records or for a single key under **Keys**. Recorded are the time, key, model, tokens, cost and status of each request, in a database on this computer. Requests go to the providers that you add, and to no one else.',
  },
  {
    example: 'Does it work offline?',
    suggested: true,
    pattern:
      /\boffline\b|\bwithout (a |an |the )?(internet|network)\b|\bneeds? (a |an |the )?(internet|network|account)\b/i,
    answer:
      'Tollgate, this sandbox and models on this computer work offline. Only requests to other providers, and updating their models and prices, need a network.',
  },
  {
    example: 'How do I add a provider?',
    suggested: true,
    pattern:
      /\b(add|set up|connect|use|which|what|configure)\b.{0,20}\b(providers?|openai|anthropic|gemini|openrouter|groq|mistral|deepseek|azure|bedrock|vertex)\b|\breal models?\b/i,
    answer:
      'Open **Providers** and choose Add provider. Choose one, enter its API key and test it. Its models then appear in **Models**, and your tools call them by name, with the same base URL and key.',
  },
  {
    example: 'Which models are there?',
    pattern:
      /\b(which|what) (other |sandbox )?models?\b|\b(list|available|other|more) models\b|\bmodels? (list|names?)\b/i,
    answer:
      '**Models** lists everything that your tools can call, with prices. The sandbox has sandbox-small, sandbox-large, which accepts images, and sandbox-embedding. Providers that you add bring their own models. Tools read the same list from `GET /v1/models`.',
  },
  {
    example: 'What does Tollgate cost?',
    pattern:
      /\b(does|did|do|will|is|are|am|what’s|what's)\b.{0,12}\b(this|it|that|tollgate|requests?|you|sandbox|answer|i)\b.{0,20}\b(costs?|price|free|bill(ed)?|charged?|pay)\b/i,
    answer:
      'Tollgate itself costs nothing: you pay your providers, at their prices. The cost of each request is computed from its tokens and those prices. The sandbox has sample prices; its costs count against caps, but no one bills them.',
  },
  {
    example: 'How do I create a key?',
    suggested: true,
    pattern: /\b(create|make|new|get|generate|need)\b.{0,12}\bkeys?\b|\b(api|tollgate) keys?\b/i,
    answer:
      'Open **Keys** and choose Create key. Use one key per tool, each with its own cap. The secret begins with tg- and is shown once. “Completions only” is the right scope for most tools.',
  },
  {
    example: 'What is the base URL?',
    suggested: true,
    pattern:
      /\bbase ?url\b|\bsdks?\b|\b(which|what)\b.{0,12}\b(address|endpoint|port)\b|\b(connect|point) (a|my|another) (tool|app|editor|program|client)\b/i,
    answer:
      'The base URL is `http://127.0.0.1:8655/v1` by default; **Connect** shows yours, with the text to paste into each tool and SDK. Tools that use the format of Anthropic or Google take it without /v1. The port is set in **Settings**, under Gateway.',
  },
  {
    example: 'How do I back up my data?',
    pattern: /\bback ?ups?\b|\brestore (a|my|the) /i,
    answer:
      'Tollgate makes a backup every day. **Settings** has them under Backup and restore. Backups contain no credentials of providers and no stored prompts. **Requests** exports the request log.',
  },
  {
    example: 'How do I test error handling?',
    suggested: true,
    pattern:
      /\b(simulate|test(ing)?)\b.{0,20}\b(errors?|failures?|timeouts?|retries)\b|\bsandbox commands?\b/i,
    answer:
      'Commands in a prompt make the sandbox fail, wait, stop in the middle or call a tool, so that you can test your code. They are listed in docs/api.md, in the section “The sandbox”.',
  },
  {
    example: 'What is Tollgate?',
    suggested: true,
    pattern:
      /\btollgate\b|\bwhat(’s|'s| is| are| does| can| do)? (this|you|it|the sandbox|the gateway|a sandbox)\b|\bwho are you\b|^help\b|\bsandbox\b/i,
    answer:
      'Tollgate is a gateway to language models that runs on this computer. Your tools call one local address with a Tollgate key; Tollgate sends each request to a provider that you add, records what it costs and stops at the cap that you set. The sandbox, which writes this, is a built-in test model that needs no network and no account.',
  },
]

/** Longer texts are work for a model, not questions about Tollgate. */
const MAX_QUESTION = 200

/** The topic that a question is about, if it is one about Tollgate. */
export function findTollgateTopic(question: string): Topic | null {
  if (question.length > MAX_QUESTION) return null
  return topics.find(({ pattern }) => pattern.test(question)) ?? null
}
