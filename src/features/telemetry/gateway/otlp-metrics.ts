import type { Attributes, Meter } from '@opentelemetry/api'
import * as semconv from '@opentelemetry/semantic-conventions/incubating'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { operationName, providerName } from './span-attributes.ts'

/** The boundaries of https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-metrics.md */
const DURATION_S = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const FIRST_TOKEN_S = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const PER_TOKEN_S = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** The instruments of the conventions, and Tollgate's own counters of requests and costs. */
export function createMetrics(meter: Meter): (record: RequestRecord, repeats: number) => void {
  const seconds = (name: string, description: string, boundaries: number[]) =>
    meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: boundaries },
    })
  const clientDuration = seconds(
    semconv.METRIC_GEN_AI_CLIENT_OPERATION_DURATION,
    'Duration of the calls of providers',
    DURATION_S,
  )
  const clientFirst = seconds(
    semconv.METRIC_GEN_AI_CLIENT_OPERATION_TIME_TO_FIRST_CHUNK,
    'Time until the first chunk of a stream',
    FIRST_TOKEN_S,
  )
  const serverDuration = seconds(
    semconv.METRIC_GEN_AI_SERVER_REQUEST_DURATION,
    'Duration of the requests to Tollgate',
    DURATION_S,
  )
  const serverFirst = seconds(
    semconv.METRIC_GEN_AI_SERVER_TIME_TO_FIRST_TOKEN,
    'Time until the first token of a stream',
    FIRST_TOKEN_S,
  )
  const serverPerToken = seconds(
    semconv.METRIC_GEN_AI_SERVER_TIME_PER_OUTPUT_TOKEN,
    'Time for each further token of a stream',
    PER_TOKEN_S,
  )
  const tokenUsage = meter.createHistogram(semconv.METRIC_GEN_AI_CLIENT_TOKEN_USAGE, {
    description: 'Tokens of a request',
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  })
  const requests = meter.createCounter('tollgate.requests', { description: 'Requests', unit: '{request}' })
  const cost = meter.createCounter('tollgate.cost', { description: 'What requests cost', unit: 'USD' })
  const worth = meter.createCounter('tollgate.plan.worth', {
    description: "What requests that a plan paid for would have cost by the vendor's API",
    unit: 'USD',
  })

  return (record, repeats) => {
    const { status, provider, timings, tokensOut, costUsd, worthUsd, costStatus } = record
    const common = commonAttributes(record)
    const owner = ownerAttributes(record)
    requests.add(repeats, { ...common, ...owner, 'tollgate.status': status })
    // Nothing was run.
    if (status === 'refused' || status === 'rejected') return
    if (timings.totalMs !== null) serverDuration.record(timings.totalMs / 1000, common)
    if (costUsd) cost.add(costUsd, { ...common, ...owner, 'tollgate.cost.status': costStatus })
    if (worthUsd) worth.add(worthUsd, { ...common, ...owner })
    for (const attempt of record.attempts)
      clientDuration.record(attempt.ms / 1000, attemptAttributes(common, attempt))
    if (provider === null || status !== 'succeeded' || costStatus === 'cached') return
    tokenUsage.record(record.tokensIn, { ...common, [semconv.ATTR_GEN_AI_TOKEN_TYPE]: 'input' })
    tokenUsage.record(tokensOut, { ...common, [semconv.ATTR_GEN_AI_TOKEN_TYPE]: 'output' })
    const { queueMs, firstByteMs, totalMs } = timings
    if (!record.stream || firstByteMs === null) return
    const firstMs = firstByteMs + (queueMs ?? 0)
    clientFirst.record(firstByteMs / 1000, common)
    serverFirst.record(firstMs / 1000, common)
    if (totalMs !== null && tokensOut > 1)
      serverPerToken.record(Math.max(0, totalMs - firstMs) / 1000 / (tokensOut - 1), common)
  }
}

/** Values of a small set only: clients choose tags and names, but not models that do not exist. */
function commonAttributes(record: RequestRecord): Attributes {
  const { endpoint, requestedModel, model, provider, error, status } = record
  const isKnown = status !== 'rejected' && requestedModel !== null
  return {
    [semconv.ATTR_GEN_AI_OPERATION_NAME]: operationName(endpoint ?? ''),
    ...(provider === null ? {} : { [semconv.ATTR_GEN_AI_PROVIDER_NAME]: providerName(provider) }),
    ...(isKnown ? { [semconv.ATTR_GEN_AI_REQUEST_MODEL]: requestedModel } : {}),
    ...(model === null ? {} : { [semconv.ATTR_GEN_AI_RESPONSE_MODEL]: model }),
    ...(error === null ? {} : { [semconv.ATTR_ERROR_TYPE]: error.type }),
  }
}

function ownerAttributes({ keyId, keyName, tag }: RequestRecord): Attributes {
  const owner = { 'tollgate.key.id': keyId, 'tollgate.key.name': keyName }
  return tag === null ? owner : { ...owner, 'tollgate.tag': tag }
}

function attemptAttributes(common: Attributes, attempt: RequestRecord['attempts'][number]): Attributes {
  const { [semconv.ATTR_ERROR_TYPE]: _, ...rest } = common
  const failed = attempt.error !== null && { [semconv.ATTR_ERROR_TYPE]: String(attempt.status ?? 'network') }
  return {
    ...rest,
    [semconv.ATTR_GEN_AI_PROVIDER_NAME]: providerName(attempt.provider),
    [semconv.ATTR_GEN_AI_REQUEST_MODEL]: attempt.model,
    ...failed,
  }
}
