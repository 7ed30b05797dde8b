// Logs in OpenTelemetry's protocol (OTLP), in protobuf or JSON. The numbers of fields are those of opentelemetry-proto:
// collector/logs/v1, logs/v1 and common/v1.
import { PbfReader, PbfWriter, type PbfReader as Reader } from 'pbf'
import { toObject, toObjects } from '../../../../shared/values/json.ts'

type Attribute = string | number | boolean

/** A record of a log. */
export interface LogRecord {
  /** Its text; null for none. */
  body: Attribute | null
  attributes: Readonly<Record<string, Attribute>>
}

/** Throws for bytes that are no export request. */
export function readProtobufLogs(bytes: Uint8Array): LogRecord[] {
  const records: LogRecord[] = []
  const readRecords = descend(
    2,
    descend(2, (reader) => records.push(readRecord(reader))),
  )
  new PbfReader(bytes).readFields((tag, _, reader) => {
    if (tag === 1) readRecords(reader)
  }, null)
  return records
}

/** Reads a message of which only the messages in one field count. */
function descend(field: number, read: (reader: Reader) => void): (reader: Reader) => void {
  return (message) =>
    message.readMessage((tag, _, reader) => {
      if (tag === field) read(reader)
    }, null)
}

function readRecord(message: Reader): LogRecord {
  const attributes: Record<string, Attribute> = {}
  const record: LogRecord = { body: null, attributes }
  message.readMessage((tag, _, reader) => {
    if (tag === 5) record.body = readValue(reader)
    if (tag === 6) addAttribute(attributes, reader)
  }, null)
  return record
}

function addAttribute(attributes: Record<string, Attribute>, message: Reader): void {
  const pair: { name: string; value: Attribute | null } = { name: '', value: null }
  message.readMessage((tag, _, reader) => {
    if (tag === 1) pair.name = reader.readString()
    if (tag === 2) pair.value = readValue(reader)
  }, null)
  if (pair.value !== null) attributes[pair.name] = pair.value
}

/** Null for lists, objects and bytes. */
function readValue(message: Reader): Attribute | null {
  const found: { value: Attribute | null } = { value: null }
  message.readMessage((tag, _, reader) => {
    if (tag === 1) found.value = reader.readString()
    if (tag === 2) found.value = reader.readBoolean()
    if (tag === 3) found.value = reader.readVarint(true)
    if (tag === 4) found.value = reader.readDouble()
  }, null)
  return found.value
}

/** `json`: a parsed export request. */
export function readJsonLogs(json: unknown): LogRecord[] {
  return toObjects(toObject(json).resourceLogs)
    .flatMap(({ scopeLogs }) => toObjects(scopeLogs))
    .flatMap(({ logRecords }) => toObjects(logRecords))
    .map(({ body, attributes }) => ({
      body: readJsonValue(body),
      attributes: Object.fromEntries(
        toObjects(attributes).flatMap(({ key, value }) => {
          const attribute = readJsonValue(value)
          return typeof key === 'string' && attribute !== null ? [[key, attribute]] : []
        }),
      ),
    }))
}

function readJsonValue(value: unknown): Attribute | null {
  const { stringValue, boolValue, intValue, doubleValue } = toObject(value)
  const attribute = stringValue ?? boolValue ?? intValue ?? doubleValue
  return typeof attribute === 'string' || typeof attribute === 'number' || typeof attribute === 'boolean'
    ? attribute
    : null
}

/** The answer to an export request: which records were rejected, and why. */
export interface ExportAnswer {
  rejected: number
  reason: string
}

export function writeProtobufAnswer({ rejected, reason }: ExportAnswer): Buffer {
  const writer = new PbfWriter()
  if (rejected > 0)
    writer.writeMessage(
      1,
      (_, partial) => {
        partial.writeVarintField(1, rejected)
        partial.writeStringField(2, reason)
      },
      null,
    )
  return Buffer.from(writer.finish())
}

export function writeJsonAnswer({ rejected, reason }: ExportAnswer): string {
  return JSON.stringify(
    rejected > 0 ? { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: reason } } : {},
  )
}
