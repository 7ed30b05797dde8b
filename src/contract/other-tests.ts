import { SECTIONS, type Section } from './testing/rule-name.ts'

/** A rule that a cheaper test states, or that cannot be tested over HTTP from outside the program. */
interface OtherTest {
  section: Section
  rule: string
  /** Paths of files and folders. */
  testedBy: readonly string[]
}

/** A line has a rule and its tests. */
const TABLE = `
# Listening
Desktop: a second start focuses the first window; a taken port offers another one | e2e/
# HTTP
Any body of an inference, key or estimate request: no 5xx of the gateway, no hang, always the format’s envelope (fuzzed) | src/tooling/fuzz/request-bodies.test.ts
JSON may be nested up to 64 levels | src/gateway/http/json-body.test.ts
Ambiguous JSON is rejected: 1e400, a duplicate member, __proto__, invalid UTF-8 | src/gateway/http/json-body.test.ts
Bodies of unknown length use only the memory they need: one key can run many streams at once | src/gateway/http/body-memory-limit.test.ts
Large bodies that are announced but never sent do not block other requests | src/gateway/http/body-memory-limit.test.ts
# Headless
Headless serves the interface at \`/\`, signed in with an admin key | e2e/first-scripts.spec.ts, src/gateway/http/static-files.test.ts
Node below 22.14 is rejected with an explanation; flags and exit codes | src/cli/cli.test.ts, src/host/flags.test.ts
# Backups
The next start completes a restore that was interrupted at any step, and never repeats one | src/gateway/store/engine/restore.test.ts
A restore happens once, and a canceled one not at all | src/gateway/store/engine/restore.test.ts
Requests in flight when the restored backup was made are settled as after a crash | src/gateway/store/engine/restore.test.ts
A backup is found by its exact name only: anything else is 404 | src/gateway/store/engine/restore.test.ts
A damaged backup is rejected with the reason; one that is damaged later changes nothing | src/gateway/store/engine/restore.test.ts
# Scopes
Sessions are read with the scopes admin, full and read-only, and not with completions-only | src/contract/scopes.test.ts
# Charges
Integer nano-dollars, one rounding per request | src/gateway/spend/cost.test.ts, src/shared/money/money.test.ts
kill -9 during mixed requests loses no acknowledged charge | src/host/crash.test.ts, src/gateway/store/crash.test.ts
Plain and streamed calls cost the same | src/contract/chat-streaming.test.ts
Buckets are disjoint: cached and reasoning tokens are priced once | src/gateway/spend/cost.test.ts, src/gateway/formats/openai-chat/usage.test.ts
A cost reported by the provider takes precedence | src/gateway/spend/cost.test.ts, src/gateway/request/cost-certainty.test.ts
Missing usage is estimated, charged and marked as estimated | src/gateway/request/token-meter.test.ts
With durability strict, a crash loses no request that an upstream has received | src/gateway/request/opening.test.ts
The user can settle an unsettled charge once, within its bounds; every total changes with it | src/gateway/observe/request-log/cost-confirmation.test.ts
Requests in flight at a crash are charged by estimate and unsettled with bounds | src/gateway/store/ledger/maintenance.test.ts, src/gateway/compose/holds.test.ts, src/host/crash.test.ts
Bedrock’s writes to the cache are priced by their lifetime, and the cache of OpenAI’s models there counts once | src/gateway/models/providers/converse.test.ts, src/gateway/formats/bedrock-converse/codec.test.ts
# Caps
After the wait for reservations: 429 with code spend_reserved, Retry-After and x-should-retry: true | src/gateway/spend/budget.test.ts
A tool, tier or mode without a known price: a capped key gets 400 model_unpriced with its param; without a cap the cost is not exact | src/gateway/request/unpriced-extras.test.ts
Local models have a price of 0: a capped key may use them | src/gateway/models/catalog/changes.test.ts
A request that only reservations block waits for them, in order | src/gateway/spend/budget.test.ts
# Account
Under concurrency the monthly limit is exceeded by at most one request | src/gateway/spend/budget.test.ts, src/gateway/testing/simulation/simulation.test.ts
A month is a calendar month in the user’s time zone | src/contract/time.test.ts, src/shared/values/calendar.test.ts
# Estimator
The bundle is recommended at a high volume: 99 USD per month and 20% discount | src/features/estimator/gateway/estimate.test.ts
break_even_tokens = 99 / (average list price per token of the mix × 0.20) | src/features/estimator/gateway/estimate.test.ts
breakEvenTokens, listCostUsd and plans[] with a row per plan | src/features/estimator/gateway/estimate.test.ts
breakEvenTokens is null when the price is zero | src/features/estimator/gateway/estimate.test.ts
Equal costs recommend pay-as-you-go | src/features/estimator/gateway/estimate.test.ts
Property: no plan is cheaper than the recommended one | src/features/estimator/gateway/estimate.test.ts
Property: at breakEvenTokens of the same mix both plans cost the same | src/features/estimator/gateway/estimate.test.ts
Property: the cost increases with volume under every plan | src/features/estimator/gateway/estimate.test.ts
Property: breakEvenSavingsUsd is the pay-as-you-go cost minus the bundle cost | src/features/estimator/gateway/estimate.test.ts
# Chat answers
tool_choice none calls no tool; required calls one | src/gateway/sandbox/tools.test.ts
response_format json_object forces JSON output | src/gateway/sandbox/answer.test.ts
seed: the same request gives the same answer | src/gateway/sandbox/answer.test.ts
stop: the answer ends before the first stop sequence | src/gateway/sandbox/answer.test.ts
max_tokens caps the output | src/gateway/sandbox/answer.test.ts
n is 1 by default, and gives that many choices | src/gateway/sandbox/answer.test.ts
If an upstream does not support n, the gateway makes n calls, merges the answers and sums their usage | src/gateway/request/dispatch-n.test.ts
When the model calls a tool, message.tool_calls is set | src/contract/clients.test.ts
X-Service-Model is percent-encoded UTF-8 for a model id that a header cannot contain | src/gateway/http/send-response.test.ts
# Streaming
The upstream call is aborted within 100 ms after the client disconnects | src/contract/disconnects.long.test.ts
A stream that stalls ends with an error chunk; comments do not count as progress | src/gateway/upstream/time-limits.test.ts
A plain JSON answer to a streaming request is converted to a stream | src/gateway/upstream/read-stream.test.ts
A failure before the first chunk is an HTTP status, not a stream | src/gateway/upstream/read-stream.test.ts, src/contract/connections.test.ts
The upstream call is aborted when the client disconnects, plain or streamed | src/gateway/upstream/time-limits.test.ts, src/contract/disconnects.long.test.ts
A missing role, finish reason or id is added to a stream | src/gateway/formats/chat/normalize.test.ts
A failed stream ends with an error chunk and without [DONE]: a clean end without [DONE] | src/gateway/upstream/read-stream.test.ts
A failed stream ends with an error chunk and without [DONE]: a reset connection | src/gateway/upstream/read-stream.test.ts
A failed stream ends with an error chunk and without [DONE]: a chunk that is not JSON | src/gateway/upstream/read-stream.test.ts
A failed stream ends with an error chunk and without [DONE]: an event named error | src/gateway/upstream/read-stream.test.ts
# Upstream calls
Timeouts for connecting and for the whole call | src/gateway/upstream/time-limits.test.ts
An open circuit breaker allows one probe after 30 s; a failed probe doubles the time | src/gateway/upstream/circuit-breaker.test.ts
A provider whose first byte does not come is 408 upstream_error after retries | src/gateway/request/retry.test.ts, src/gateway/upstream/client-error.test.ts, src/gateway/upstream/time-limits.test.ts
A provider that stops within an answer is 408 upstream_error after retries | src/gateway/upstream/client-error.test.ts, src/gateway/upstream/time-limits.test.ts
Upstream 429 after retries is 503 with Retry-After when known | src/gateway/upstream/client-error.test.ts
A connection that is refused or reset is 502 | src/gateway/upstream/client-error.test.ts, src/gateway/upstream/network-failure.test.ts
A malformed answer is 502: HTML, invalid JSON, no choices, a redirect | src/gateway/upstream/client-error.test.ts, src/gateway/upstream/http-call.test.ts
An upstream’s failure is never a 500 server_error | src/gateway/request/odd-answers.test.ts
Attempts are recorded: provider, status and milliseconds | src/gateway/request/dispatch.test.ts
Failed upstream calls are retried twice before an error is returned | src/gateway/request/retry.test.ts, src/gateway/request/dispatch.test.ts
408, 409, 429 and 5xx are retried, and a successful retry is the answer | src/gateway/request/retry.test.ts, src/gateway/request/dispatch.test.ts
A network error is retried | src/gateway/request/retry.test.ts
Backoff is exponential from 0.5 s with jitter | src/gateway/request/retry.test.ts, src/gateway/request/dispatch.test.ts
An upstream’s Retry-After is honored | src/gateway/request/retry.test.ts
A Retry-After above 10 s is forwarded to the client with 503 | src/gateway/request/retry.test.ts, src/gateway/upstream/client-error.test.ts
400, 401, 402, 403, 404, 413 and 422 are not retried | src/gateway/request/retry.test.ts
After failed retries the model’s fallbacks serve the request | src/gateway/request/dispatch.test.ts
An invalid request does not fail over | src/gateway/request/retry.test.ts, src/gateway/request/dispatch.test.ts
Upstream 400 is 400 with the upstream’s message, code and param | src/gateway/upstream/client-error.test.ts
Upstream 404 is 400 with the upstream’s message, code and param | src/gateway/upstream/client-error.test.ts
Upstream 413 is 400 with the upstream’s message, code and param | src/gateway/upstream/client-error.test.ts
Upstream 422 is 400 with the upstream’s message, code and param | src/gateway/upstream/client-error.test.ts
Upstream 401 is 502 upstream_error with code upstream_credential | src/gateway/upstream/client-error.test.ts
Upstream 402 is 502 upstream_error with code upstream_credential | src/gateway/upstream/client-error.test.ts
Upstream 403 is 502 upstream_error with code upstream_credential | src/gateway/upstream/client-error.test.ts
Upstream 500 is 502 upstream_error | src/gateway/upstream/client-error.test.ts
Upstream 502 is 502 upstream_error | src/gateway/upstream/client-error.test.ts
Upstream 503 is 503 upstream_error | src/gateway/upstream/client-error.test.ts
Upstream 529 is 503 upstream_error | src/gateway/upstream/client-error.test.ts
Upstream 504 is 504 upstream_error | src/gateway/upstream/client-error.test.ts
Nothing is retried after the first byte has reached the client | src/gateway/request/dispatch.test.ts
An exception within a stream of Bedrock’s Converse is the client’s error, and what was seen is charged | src/gateway/models/providers/converse.test.ts
# Errors
Unsupported paths of OpenAI’s API are 404 in its envelope, with the path and an alternative | src/gateway/http/routes.test.ts
Errors on Gemini’s paths have Gemini’s envelope | src/gateway/http/routes.test.ts, src/contract/vendor-types.test.ts
A base URL without /v1, with a second /v1 or an extra slash is explained | src/gateway/http/routes.test.ts
A 405 names the methods that the path has | src/gateway/http/routes.test.ts
A secret in an unknown path is not repeated in the error | src/gateway/http/routes.test.ts
A path that URL normalization would change is 404, whatever the method | src/contract/origin-guard.test.ts
A path that cannot be decoded, or has an id that is too long, is 404 with the envelope | src/gateway/http/routes.test.ts, src/contract/origin-guard.test.ts
502 upstream_error after the service’s retries | src/gateway/upstream/client-error.test.ts, src/gateway/request/retry.test.ts
503 upstream_error after the service’s retries | src/gateway/upstream/client-error.test.ts, src/gateway/request/retry.test.ts
504 upstream_error after the service’s retries | src/gateway/upstream/client-error.test.ts, src/gateway/request/retry.test.ts
# Rate limits
Requests per minute: 429 with Retry-After above the limit | src/gateway/spend/rates/rate-limits.test.ts, src/contract/time.test.ts
Tokens per minute: 429 with Retry-After above the limit | src/gateway/spend/rates/rate-limits.test.ts, src/contract/time.test.ts
The plan’s limits apply to all keys together | src/gateway/spend/rates/rate-limits.test.ts
A key’s rpmLimit and tpmLimit apply to that key only | src/gateway/spend/rates/rate-limits.test.ts
Rejected requests do not count against limits | src/gateway/spend/rates/rate-limits.test.ts
x-ratelimit headers have OpenAI’s names and contain limit and remainder | src/gateway/spend/rates/rate-limits.test.ts
A 429 says whose limit was reached, and where to change it | src/gateway/spend/rates/rate-limits.test.ts
429 for requests: waiting Retry-After seconds is sufficient, a second less is not | src/gateway/spend/rates/rate-limits.test.ts
429 for tokens: waiting Retry-After seconds is sufficient, a second less is not | src/gateway/spend/rates/rate-limits.test.ts
Rate limits follow the monotonic clock: setting the wall clock changes nothing | src/gateway/spend/rates/rate-limits.test.ts
# Models
A disabled model is neither listed nor served, and the error says so | src/gateway/models/catalog/disabled-models.test.ts
A known model without a configured provider is 404, which names the provider to set up | src/contract/providers.test.ts, src/gateway/models/catalog/model-not-found.test.ts
The models of a disabled provider are not listed | src/contract/providers.test.ts
A record states the source of its price: database, override, provider, user, built in or local | src/gateway/models/catalog/price-sources.test.ts
# Providers
Credentials are stored in the keychain; a locked or missing keychain overwrites nothing | src/host/credentials.test.ts
A proxy and private certificates are used where they are chosen; no credential reaches a proxy in clear | src/gateway/upstream/network/outbound.test.ts, src/gateway/compose/network.test.ts, src/tooling/deploy/outbound-proxies.long.test.ts
The sandbox is deterministic, streams and calls tools; its large model supports vision | src/gateway/sandbox/answer.test.ts, src/gateway/sandbox/stream.test.ts, src/gateway/sandbox/tools.test.ts
The sandbox calls tools only on an explicit command, and arguments never contain text of the prompt | src/gateway/sandbox/tools.test.ts, src/gateway/sandbox/tools-fuzz.test.ts
POST …/test returns { ok, latencyMs, modelCount, error? } | src/gateway/models/catalog/provider-test.test.ts
A missing credential is 503 with an explanation, and nothing is overwritten | src/gateway/request/dispatch.test.ts, src/gateway/upstream/client-error.test.ts, src/gateway/models/providers/registry.test.ts
Claude on Bedrock is called with InvokeModel, all other models with Converse: signed, or with an API key | src/gateway/models/providers/bedrock.test.ts, src/gateway/models/providers/converse.test.ts
# Plans and agents
Killed during a turn, Tollgate charges it once | src/contract/money.test.ts, src/host/crash.test.ts
Killed during a sub-agent’s request, Tollgate charges it in its branch, and the others keep their sums | src/contract/money.test.ts, src/gateway/sessions/agent-place.test.ts, src/shared/api/agent-tree.test.ts
A WebSocket that is idle for 30 minutes, does not answer pings or whose key has ended is closed | src/gateway/http/websockets.test.ts
The body arrives byte for byte: system blocks in their order, unknown fields | src/gateway/request/messages-native.test.ts
Every anthropic-* header passes, of requests and of answers | src/gateway/request/messages-native.test.ts
Tokens are counted by the provider, with the same body | src/gateway/request/messages-native.test.ts
The headers for sessions and agents place each request in its run | src/gateway/sessions/agent-place.test.ts
A plan’s request reaches its vendor unchanged, and is charged nothing | src/features/plans/gateway/plans.test.ts
Messages of a key that have not arrived completely take at most 128 MB | src/gateway/http/websockets.test.ts, src/contract/gateway-load.long.test.ts
# Requests and usage
A running request shows what it has cost so far; stopping it ends it with 403 request_stopped, and charges that | src/gateway/compose/running.test.ts
Days are those of the caller’s time zone | src/gateway/store/listings/usage.test.ts, src/gateway/store/usage-time-zones.test.ts
A record names the client program: its title, else its SDK or User-Agent | src/gateway/operations/inference.test.ts, src/shared/values/client-name.test.ts
A request has the endpoint that it was sent to | src/contract/rejected.test.ts
Filters: minCostUsd and maxCostUsd, both inclusive, and costStatus | src/gateway/store/listings/request-log.test.ts
Cursors are stable while rows are added: no record is repeated or skipped | src/gateway/store/listings/request-log.test.ts
sort and order: by time, cost, duration and tokens, each in pages | src/gateway/store/listings/sorted-requests.test.ts
GET /v1/requests/totals adds up the list with the same filters | src/gateway/store/listings/request-totals.test.ts
What names a session is read in the documented order, and the first usable value counts | src/gateway/sessions/session-sources.test.ts
A request whose provider is removed while it waits is rejected, and not also refused | src/gateway/compose/outcomes.test.ts
The last 500 are listed, and one line a minute is logged for each key and reason | src/gateway/observe/request-log/rejections.test.ts, src/gateway/observe/request-log/repeat-counter.test.ts
Prompts and answers are not stored by default | src/gateway/observe/request-log/stored-bodies.test.ts
If storing is enabled, an admin can read prompts and answers as they were sent | src/gateway/observe/request-log/stored-bodies.test.ts
Rejected requests of one key, model or path and reason within a minute are one row with a count | src/gateway/observe/request-log/rejections.test.ts, src/gateway/observe/request-log/repeat-counter.test.ts
Refused requests of one key, model and reason within a minute are one row with a count and the last time | src/gateway/observe/request-log/repeat-counter.test.ts, src/gateway/store/ledger/ledger.test.ts
# OpenAPI
A TypeScript client that is generated from it has types and works | src/contract/openapi-client.long.test.ts
# Embeddings, images and audio
A repeated Idempotency-Key gets the same answer and is not billed again | src/contract/idempotency-forms.test.ts
A report of 0 tokens, or none, does not make a request free | src/gateway/request/measured-lengths.test.ts
A cap holds for images: no more is sent once it is reached | src/contract/pass-through.test.ts
Speech comes as the bytes of the provider, billed by the character | src/contract/audio-streams.test.ts, src/gateway/formats/pass-through/transcriptions.test.ts
# Client libraries
@google/genai: a chat with a function, plain and streamed (sandbox-small) | src/gateway/request/gemini-clients.test.ts
@google/genai: a chat with a function, plain and streamed (gemini-x) | src/gateway/request/gemini-clients.test.ts
openai: 402 when the cap is reached, and no more calls, from a provider of the format openai-chat | src/contract/agents-sdk.test.ts, src/contract/responses-streaming.test.ts
openai: 402 when the cap is reached, and no more calls, from a provider of the format anthropic-messages | src/contract/agents-sdk.test.ts, src/contract/responses-streaming.test.ts
openai: 402 when the cap is reached, and no more calls, from a provider of the format gemini-generate | src/contract/agents-sdk.test.ts, src/contract/responses-streaming.test.ts
Clients of four formats at Bedrock’s Converse: image, document, parallel calls and signed reasoning, plain and streamed, with the exact cost | src/gateway/models/providers/converse.test.ts
`

export const otherTests: readonly OtherTest[] = TABLE.split('# ').flatMap((part) => {
  const [heading, ...lines] = part.trim().split('\n')
  const section = SECTIONS.find((name) => name === heading)
  return lines.flatMap((line) => {
    const [rule = '', tests = ''] = line.split(' | ')
    return section ? [{ section, rule, testedBy: tests.split(', ') }] : []
  })
})
